//! Which instructions of the CPU kernels may take: `VOLERY_CPU`.
//!
//! Kernels are chosen while the program runs, by what the CPU has. The environment variable `VOLERY_CPU`
//! names the most that they may take, so that a machine can show what users of an older one see, and a report
//! of a mistake can say whether it depends on a kernel. It allows nothing that the CPU does not have. It is
//! read once. Libraries beside these (BLAKE3, curve25519-dalek, the ciphers of TLS) choose for themselves.
//!
//! | value | kernels with |
//! |---|---|
//! | `portable` | no more than every CPU of the architecture has |
//! | `sse` (x86-64) | AES-NI, PCLMULQDQ |
//! | `avx2` (x86-64) | and AVX2 |
//! | `vaes` (x86-64) | and VAES, VPCLMULQDQ on registers of 256 bits |
//! | `avx512` (x86-64) | and AVX-512, with IFMA where the CPU has it |
//! | `neon` (aarch64) | Neon, PMULL |

use core::sync::atomic::{AtomicU8, Ordering};

/// The environment variable.
pub const VARIABLE: &str = "VOLERY_CPU";

/// The most that kernels may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cpu {
    /// What every CPU of the architecture has.
    Portable,
    /// AES-NI and PCLMULQDQ.
    Sse,
    /// AVX2, and what is before.
    Avx2,
    /// VAES and VPCLMULQDQ on registers of 256 bits, and what is before.
    Vaes,
    /// AVX-512, and what is before.
    Avx512,
    /// Neon and PMULL.
    Neon,
}

/// A value of the variable that names nothing here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE} is {value:?}; it may be {}", names())]
pub struct UnknownCpu {
    /// The value, as far as it is text.
    pub value: String,
}

/// The names, as a list for people.
fn names() -> String {
    let names: Vec<_> = Cpu::ALL.iter().map(|cpu| cpu.name()).collect();
    names.join(", ")
}

/// No limit was read yet.
const UNREAD: u8 = u8::MAX;

/// The limit as a number, or [`UNREAD`].
static LIMIT: AtomicU8 = AtomicU8::new(UNREAD);

impl Cpu {
    /// The values that mean something on this architecture, the least first.
    #[cfg(target_arch = "x86_64")]
    pub const ALL: &'static [Self] = &[Self::Portable, Self::Sse, Self::Avx2, Self::Vaes, Self::Avx512];

    /// The values that mean something on this architecture, the least first.
    #[cfg(target_arch = "aarch64")]
    pub const ALL: &'static [Self] = &[Self::Portable, Self::Neon];

    /// The values that mean something on this architecture, the least first.
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub const ALL: &'static [Self] = &[Self::Portable];

    /// The name in [`VARIABLE`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Sse => "sse",
            Self::Avx2 => "avx2",
            Self::Vaes => "vaes",
            Self::Avx512 => "avx512",
            Self::Neon => "neon",
        }
    }

    /// What [`VARIABLE`] says; `None` if it is not set, or empty.
    ///
    /// # Errors
    /// [`UnknownCpu`] if it says something else. Kernels then have no limit, so a program should ask.
    pub fn from_environment() -> Result<Option<Self>, UnknownCpu> {
        match std::env::var_os(VARIABLE) {
            Some(value) if !value.is_empty() => Self::named(&value.to_string_lossy()).map(Some),
            _ => Ok(None),
        }
    }

    fn named(value: &str) -> Result<Self, UnknownCpu> {
        let found = Self::ALL.iter().find(|cpu| cpu.name() == value);
        found.copied().ok_or_else(|| UnknownCpu { value: value.to_owned() })
    }

    /// Whether kernels may take this much.
    #[inline(always)]
    #[must_use]
    pub fn is_allowed(self) -> bool {
        let limit = LIMIT.load(Ordering::Relaxed);
        self as u8 <= if limit == UNREAD { read() } else { limit }
    }

    /// The set that an instruction set belongs to, by the name that the standard library has for it.
    #[doc(hidden)]
    #[must_use]
    pub const fn with(feature: &str) -> Self {
        match feature.as_bytes() {
            b"aes" | b"pclmulqdq" | b"sse4.1" => Self::Sse,
            b"avx2" => Self::Avx2,
            b"vaes" | b"vpclmulqdq" => Self::Vaes,
            b"neon" | b"pmull" => Self::Neon,
            // AVX-512 has many parts. What is not known here is not allowed below it.
            _ => Self::Avx512,
        }
    }
}

/// Reads the limit.
#[cold]
#[inline(never)]
fn read() -> u8 {
    let limit = Cpu::from_environment().ok().flatten().or(Cpu::ALL.last().copied()).unwrap_or(Cpu::Portable);
    LIMIT.store(limit as u8, Ordering::Relaxed);
    limit as u8
}

/// As [`std::is_x86_feature_detected`], and whether kernels may take it.
#[cfg(target_arch = "x86_64")]
#[doc(hidden)]
#[macro_export]
macro_rules! detected {
    ($feature:tt) => {
        ::std::is_x86_feature_detected!($feature) && const { $crate::Cpu::with($feature) }.is_allowed()
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_and_others_are_refused_with_those_that_there_are() {
        for cpu in Cpu::ALL {
            assert_eq!(Cpu::named(cpu.name()), Ok(*cpu));
        }
        let error = Cpu::named("mmx").unwrap_err().to_string();
        assert!(error.contains("\"mmx\"; it may be portable"), "{error}");
        assert!(Cpu::ALL.is_sorted() && Cpu::ALL[0] == Cpu::Portable);
    }

    #[test]
    fn each_instruction_set_belongs_to_a_cpu() {
        let of = ["aes", "pclmulqdq", "sse4.1", "avx2", "vaes", "vpclmulqdq", "avx512f", "avx512ifma"];
        assert!(of.map(Cpu::with).is_sorted());
        assert_eq!(Cpu::with("neon"), Cpu::Neon);
        assert!(Cpu::Portable.is_allowed());
    }
}
