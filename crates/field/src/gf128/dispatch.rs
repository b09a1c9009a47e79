//! The public interface of the kernels: the list of them, the choice for this CPU, and the checks of lengths.

use std::sync::OnceLock;

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use super::neon_pmull;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::wasm_simd128;
use super::{Gf128, RUN, portable};
#[cfg(target_arch = "x86_64")]
use super::{x86_clmul, x86_vpclmul, x86_vpclmul512};
use crate::LengthError;

/// An instruction set that kernels are written for, slowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub(super) enum Level {
    /// Plain Rust, for any CPU.
    Portable,
    /// x86-64 with PCLMULQDQ: one element at a time.
    Clmul,
    /// x86-64 with AVX2 and VPCLMULQDQ: two elements at a time.
    Vpclmul256,
    /// x86-64 with AVX-512 (F, BW) and VPCLMULQDQ: four elements at a time.
    Vpclmul512,
    /// AArch64 with Neon and PMULL: one element at a time.
    Pmull,
    /// WebAssembly with simd128: 128 elements at a time, or one.
    Simd128,
}

impl Level {
    /// All levels, whether this CPU has them or not.
    pub(super) const ALL: [Self; 6] =
        [Self::Portable, Self::Clmul, Self::Vpclmul256, Self::Vpclmul512, Self::Pmull, Self::Simd128];

    /// A short name for reports, e.g. `"vpclmul256"`.
    #[must_use]
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Clmul => "clmul",
            Self::Vpclmul256 => "vpclmul256",
            Self::Vpclmul512 => "vpclmul512",
            Self::Pmull => "pmull",
            Self::Simd128 => "simd128",
        }
    }
}

/// The function of a check, with the arguments `weights`, `a`, `b` and `c`.
type Check = unsafe fn(&[Gf128], &[Gf128], &[Gf128], &[Gf128]) -> (Gf128, Gf128);

/// The function of a weighted sum of tags and of bits, with the coefficients and the elements as arguments.
type Weigh = unsafe fn(&[Gf128], &[Gf128]) -> [Gf128; 2];

/// The functions of one instruction set.
///
/// # Safety
/// Calling one is sound on a CPU that has the instructions of `level`. Slices should have the lengths that
/// [`Kernel`] checks. Other lengths give meaningless results or a panic, but no undefined behaviour.
pub(super) struct Table {
    pub(super) level: Level,
    pub(super) inner_product: unsafe fn(&[Gf128], &[Gf128]) -> Gf128,
    pub(super) inner_product_bits: unsafe fn(&[Gf128], &[u64]) -> Gf128,
    pub(super) powers: unsafe fn(Gf128, &mut [Gf128]),
    pub(super) mul_slices: unsafe fn(&[Gf128], &[Gf128], &mut [Gf128]),
    pub(super) scale_add: unsafe fn(Gf128, &[Gf128], &mut [Gf128]),
    pub(super) check_prover: Check,
    pub(super) check_verifier: Check,
    pub(super) weigh_prover: Weigh,
    pub(super) weigh_verifier: Weigh,
    pub(super) transpose: unsafe fn(&[u8], usize, &mut [Gf128]),
}

static PORTABLE: Table = Table {
    level: Level::Portable,
    inner_product: portable::inner_product,
    inner_product_bits: portable::inner_product_bits,
    powers: portable::powers,
    mul_slices: portable::mul_slices,
    scale_add: portable::scale_add,
    check_prover: portable::check_prover,
    check_verifier: portable::check_verifier,
    weigh_prover: portable::weigh::<true>,
    weigh_verifier: portable::weigh::<false>,
    transpose: portable::transpose,
};

/// The vector functions of GF(2^128) on one instruction set: a pointer, cheap to copy.
///
/// The time of each depends only on lengths. They work in place on the caller's slices; copies of elements
/// may remain in registers and on the stack.
///
/// ```
/// use volery_field::gf128::{Gf128, Kernel};
/// let kernel = Kernel::detect();
/// let mut powers = [Gf128::ZERO; 3];
/// kernel.powers(Gf128::X, &mut powers);
/// assert_eq!(kernel.inner_product(&powers, &[Gf128::ONE; 3])?, Gf128::from_bits(0b1110));
/// # Ok::<(), volery_field::LengthError>(())
/// ```
// Invariant: this CPU has the instructions of the table's level.
#[derive(Clone, Copy)]
pub struct Kernel(&'static Table);

impl Kernel {
    /// The fastest kernel of this CPU, detected once.
    #[must_use]
    pub fn detect() -> Self {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        *BEST.get_or_init(|| Level::ALL.into_iter().rev().find_map(Self::new).unwrap_or(Self(&PORTABLE)))
    }

    /// The kernel of a chosen level, for tests and benchmarks; `None` if this CPU (or build) cannot run it.
    #[must_use]
    pub(super) fn new(level: Level) -> Option<Self> {
        table(level).map(Self)
    }

    /// All kernels that this CPU can run, slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Level::ALL.into_iter().filter_map(Self::new)
    }

    /// The instruction set.
    #[cfg(test)]
    #[must_use]
    pub(super) const fn level(self) -> Level {
        self.0.level
    }

    /// The instruction set's name for reports, e.g. `"vpclmul256"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.level.name()
    }

    /// `sum of a[i] * b[i]`, with a single reduction.
    ///
    /// # Errors
    /// [`LengthError`] if the lengths differ.
    pub fn inner_product(self, a: &[Gf128], b: &[Gf128]) -> Result<Gf128, LengthError> {
        LengthError::check("the second factor", a.len(), b.len())?;
        // SAFETY: a kernel exists only where the CPU has its instructions.
        Ok(unsafe { (self.0.inner_product)(a, b) })
    }

    /// `sum of a[i] * bit i of bits`. Bits past `a.len()` are ignored.
    ///
    /// # Errors
    /// [`LengthError`] unless `bits` has the `a.len().div_ceil(64)` words that `a` needs.
    pub fn inner_product_bits(self, a: &[Gf128], bits: &[u64]) -> Result<Gf128, LengthError> {
        LengthError::check("the vector of 64-bit words", a.len().div_ceil(64), bits.len())?;
        // SAFETY: a kernel exists only where the CPU has its instructions.
        Ok(unsafe { (self.0.inner_product_bits)(a, bits) })
    }

    /// `sum of a[i] * x^i`, `x` being [`Gf128::X`]: packs up to 128 correlations over F2 into one over
    /// GF(2^128).
    ///
    /// # Errors
    /// [`LengthError`] if `a` has more than 128 elements.
    pub fn pack(self, a: &[Gf128]) -> Result<Gf128, LengthError> {
        if a.len() > RUN {
            return Err(LengthError { what: "the vector to pack", expected: RUN, got: a.len() });
        }
        let one = &[Gf128::ONE][..a.len().div_ceil(RUN)];
        self.weigh_verifier(one, a)
    }

    /// `out[i] = x^(i + 1)`.
    pub fn powers(self, x: Gf128, out: &mut [Gf128]) {
        // SAFETY: a kernel exists only where the CPU has its instructions.
        unsafe { (self.0.powers)(x, out) }
    }

    /// `out[i] = a[i] * b[i]`.
    ///
    /// # Errors
    /// [`LengthError`] (and `out` unchanged) if the lengths differ.
    pub fn mul_slices(self, a: &[Gf128], b: &[Gf128], out: &mut [Gf128]) -> Result<(), LengthError> {
        LengthError::check("the second factor", a.len(), b.len())?;
        LengthError::check("the output", a.len(), out.len())?;
        // SAFETY: a kernel exists only where the CPU has its instructions.
        unsafe { (self.0.mul_slices)(a, b, out) }
        Ok(())
    }

    /// `out[i] += scale * a[i]`.
    ///
    /// # Errors
    /// [`LengthError`] (and `out` unchanged) if the lengths differ.
    pub fn scale_add(self, scale: Gf128, a: &[Gf128], out: &mut [Gf128]) -> Result<(), LengthError> {
        LengthError::check("the output", a.len(), out.len())?;
        // SAFETY: a kernel exists only where the CPU has its instructions.
        unsafe { (self.0.scale_add)(scale, a, out) }
        Ok(())
    }

    /// The prover's side of QuickSilver's check (figure 4) of the multiplications `c[i] = a[i] * b[i]`:
    ///
    /// ```text
    /// ( sum of w_i * a[i] * b[i],   sum of w_i * (x_a b[i] + x_b a[i] + c[i]) ),   w_i = weights[i / 128] * x^(i % 128)
    /// ```
    ///
    /// A wire is represented by its tag, whose least significant bit is the wire's value: `x_a = lsb(a[i])`,
    /// `x_b = lsb(b[i])`. So a product is wrong by a bit, and wrong products of a run do not cancel, whatever
    /// they are: one weight for each [`RUN`] is enough.
    ///
    /// # Errors
    /// [`LengthError`] if the three lengths differ, or there is not one weight for each run. The last run may
    /// be shorter.
    pub fn check_prover(
        self,
        weights: &[Gf128],
        a: &[Gf128],
        b: &[Gf128],
        c: &[Gf128],
    ) -> Result<(Gf128, Gf128), LengthError> {
        check_lengths(weights, a, b, c)?;
        // SAFETY: a kernel exists only where the CPU has its instructions.
        Ok(unsafe { (self.0.check_prover)(weights, a, b, c) })
    }

    /// The verifier's side of QuickSilver's check (figure 4) of the multiplications `c[i] = a[i] * b[i]`, on
    /// keys:
    ///
    /// ```text
    /// ( sum of w_i * a[i] * b[i],   sum of w_i * c[i] ),   w_i = weights[i / 128] * x^(i % 128)
    /// ```
    ///
    /// The verifier multiplies the second sum by its delta and adds the two.
    ///
    /// # Errors
    /// As [`Kernel::check_prover`].
    pub fn check_verifier(
        self,
        weights: &[Gf128],
        a: &[Gf128],
        b: &[Gf128],
        c: &[Gf128],
    ) -> Result<(Gf128, Gf128), LengthError> {
        check_lengths(weights, a, b, c)?;
        // SAFETY: a kernel exists only where the CPU has its instructions.
        Ok(unsafe { (self.0.check_verifier)(weights, a, b, c) })
    }

    /// Two weighted sums over the prover's wires: of their tags and of their values. Each [`RUN`] of wires
    /// has one coefficient; within a run it is multiplied by `1, x, x^2, ..`, so that no two sets of bits
    /// have the same sum under all coefficients:
    ///
    /// ```text
    /// ( sum of c[i / 128] * x^(i % 128) * a[i],   sum of c[i / 128] * x^(i % 128) * lsb(a[i]) )
    /// ```
    ///
    /// This multiplies once for each run, not for each element. On AMD Zen 3 it took a third of the time of
    /// [`Kernel::inner_product`] for keys.
    ///
    /// # Errors
    /// [`LengthError`] unless there is one coefficient for each run. The last run may be shorter.
    pub fn weigh_prover(self, c: &[Gf128], a: &[Gf128]) -> Result<[Gf128; 2], LengthError> {
        LengthError::check("the vector of coefficients", a.len().div_ceil(RUN), c.len())?;
        // SAFETY: a kernel exists only where the CPU has its instructions.
        Ok(unsafe { (self.0.weigh_prover)(c, a) })
    }

    /// The same sum over the verifier's keys: `sum of c[i / 128] * x^(i % 128) * a[i]`.
    ///
    /// # Errors
    /// As [`Kernel::weigh_prover`].
    pub fn weigh_verifier(self, c: &[Gf128], a: &[Gf128]) -> Result<Gf128, LengthError> {
        LengthError::check("the vector of coefficients", a.len().div_ceil(RUN), c.len())?;
        // SAFETY: a kernel exists only where the CPU has its instructions.
        let [sum, _] = unsafe { (self.0.weigh_verifier)(c, a) };
        Ok(sum)
    }

    /// Transposes a matrix of 128 rows of bits: bit `i` of `out[j]` becomes bit `j` of row `i`.
    ///
    /// Row `i` is the `stride` bytes from `rows[i * stride]`, and its bit `j` is bit `j % 8` of its byte
    /// `j / 8`. There may be any number of columns. Columns past `out.len()` are ignored.
    ///
    /// # Errors
    /// [`LengthError`] (and `out` unchanged) unless `rows` has `128 * stride` bytes and a row has a bit for
    /// each element of `out`.
    pub fn transpose(self, rows: &[u8], stride: usize, out: &mut [Gf128]) -> Result<(), LengthError> {
        LengthError::check("the matrix of bytes", stride.saturating_mul(128), rows.len())?;
        if out.len() > stride.saturating_mul(8) {
            let expected = stride.saturating_mul(8);
            return Err(LengthError { what: "the output, one for each column,", expected, got: out.len() });
        }
        // SAFETY: a kernel exists only where the CPU has its instructions.
        unsafe { (self.0.transpose)(rows, stride, out) }
        Ok(())
    }

    /// [`transpose`](Self::transpose) of 128 columns of one length, whose blocks of 128 bits follow one
    /// another: bit `i` of `out[j]` becomes bit `j`, from block `first` on, of column `i`. Bits past
    /// `out.len()` are ignored.
    ///
    /// # Errors
    /// [`LengthError`] (and `out` unchanged) unless there are 128 columns with a bit for each element of
    /// `out`.
    pub fn transpose_columns(
        self,
        columns: &[Gf128],
        first: usize,
        out: &mut [Gf128],
    ) -> Result<(), LengthError> {
        let blocks = columns.len() / 128;
        LengthError::check("the columns of blocks", blocks * 128, columns.len())?;
        let bits = blocks.saturating_sub(first).saturating_mul(128);
        if out.len() > bits {
            return Err(LengthError {
                what: "the output, one for each bit,",
                expected: bits,
                got: out.len(),
            });
        }
        if !out.is_empty() {
            let bytes = little_endian(columns);
            // SAFETY: a kernel exists only where the CPU has its instructions.
            unsafe { (self.0.transpose)(&bytes[16 * first..], 16 * blocks, out) }
        }
        Ok(())
    }
}

/// The elements' bytes, which are there already.
#[cfg(target_endian = "little")]
pub(super) fn little_endian(elements: &[Gf128]) -> &[u8] {
    // SAFETY: a `Gf128` is a `u128`, whose bytes are in this order here and all initialised.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

/// The elements' bytes.
#[cfg(target_endian = "big")]
fn little_endian(elements: &[Gf128]) -> crate::Wiped<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(elements));
    elements.iter().for_each(|element| bytes.extend(element.to_bytes()));
    crate::Wiped::new(bytes)
}

/// The functions of a level, if this CPU can run them.
#[cfg(target_arch = "x86_64")]
fn table(level: Level) -> Option<&'static Table> {
    let (table, runs) = match level {
        Level::Portable => (&PORTABLE, true),
        Level::Clmul => (&x86_clmul::TABLE, crate::detected!("pclmulqdq")),
        Level::Vpclmul256 => {
            let runs = crate::detected!("avx2") && crate::detected!("vpclmulqdq");
            (&x86_vpclmul::TABLE, runs)
        }
        Level::Vpclmul512 => {
            let avx512 = crate::detected!("avx512f") && crate::detected!("avx512bw");
            (&x86_vpclmul512::TABLE, avx512 && crate::detected!("vpclmulqdq"))
        }
        Level::Pmull | Level::Simd128 => return None,
    };
    runs.then_some(table)
}

/// The functions of a level, if this CPU can run them.
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
fn table(level: Level) -> Option<&'static Table> {
    match level {
        Level::Portable => Some(&PORTABLE),
        Level::Pmull => has_pmull().then_some(&neon_pmull::TABLE),
        _ => None,
    }
}

/// Whether the CPU has the instructions that `neon_pmull` uses.
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
#[inline]
pub(super) fn has_pmull() -> bool {
    use std::arch::is_aarch64_feature_detected;

    use crate::Cpu;

    Cpu::Neon.is_allowed()
        && is_aarch64_feature_detected!("neon")
        && is_aarch64_feature_detected!("aes")
        && is_aarch64_feature_detected!("pmull")
}

/// The functions of a level, if this module has them: its engine does.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
fn table(level: Level) -> Option<&'static Table> {
    match level {
        Level::Portable => Some(&PORTABLE),
        Level::Simd128 => Some(&wasm_simd128::TABLE),
        _ => None,
    }
}

/// The functions of a level, if this CPU can run them.
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
fn table(level: Level) -> Option<&'static Table> {
    (level == Level::Portable).then_some(&PORTABLE)
}

impl core::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Kernel({})", self.name())
    }
}

/// Checks that the three vectors of a check are equally long, and that each run has a weight.
fn check_lengths(weights: &[Gf128], a: &[Gf128], b: &[Gf128], c: &[Gf128]) -> Result<(), LengthError> {
    LengthError::check("the vector of weights", a.len().div_ceil(RUN), weights.len())?;
    LengthError::check("the vector of right inputs", a.len(), b.len())?;
    LengthError::check("the vector of products", a.len(), c.len())
}
