//! The hash that gates are garbled with: AES with a key of its own for each half of a gate.
//!
//! ```text
//! H(x, j) = AES_{start + j}(s(x)) + s(x)          s(a || b) = (a + b) || a,  a the high half
//!
//! gate g:   j = 2g   for labels of its first input
//!           j = 2g+1 for labels of its second input           start: 128 bits, the session's; + is XOR
//! ```
//!
//! Guo, Katz, Wang, Weng and Yu, "Better Concrete Security for Half-Gates Garbling (in the Multi-Instance Setting)", ePrint
//! 2019/1168. With one fixed key and the tweak mixed into the block, an attacker's AES evaluations serve against all gates of
//! all sessions at once; here each key meets one gate, so they don't. `s`, a linear orthomorphism (`s` and `x -> s(x) + x` are
//! both permutations), is what withstands the offset that half gates add to hashes: without it
//! `H(w + D, j) + D + w` would be an AES image of `w + D` that inverts to it.
//!
//! # Bound
//!
//! AES is an ideal cipher; the offset D has 127 bits of entropy (its lowest is 1); each pair of key and offset answers one
//! query `H(w + D, j) + b D`, which is what garbling a gate asks for in each half, `w` being known to the attacker. Let `p` be
//! the attacker's evaluations of AES, `q` the garbled halves of all sessions that it attacks, `mu` the largest number of
//! them that share one AES key. An answer looks random unless
//!
//! * an evaluation under its key hits its block `s(w + D)` or its image, `s(w) + s(D) + b D + answer`: each is a bijective
//!   function of D, so at most `mu` answers are hit with probability `2^-127` each way: `2 mu p / 2^127`; or
//! * two answers under one key meet in block or image: `(mu - 1) q / 2^127`.
//!
//! ```text
//! advantage  <=  (2 mu p + (mu - 1) q) / 2^127
//! ```
//!
//! Within a session keys never repeat, as [`Keys`] counts gates through all of it, so `mu = 1` and the bound is `p / 2^126`
//! however much is garbled. Two sessions of at most `2^40` gates share keys only if their random start points agree in the upper
//! 87 bits; among `2^30` sessions some pair does with probability `2^-28`, and then `mu = 2` costs one bit.
//!
//! # Kernels
//!
//! The keys of [`AHEAD`] gates are expanded at once ([`Level::Vaes256`](AesLevel): both halves of a gate in one register), which
//! hides the schedule's latency; gates then follow one by one or many in a call. `portable` (the `aes` crate) is the
//! specification.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use volery_field::Gf128;
use volery_vole::AesLevel;

use crate::Error;

/// Gates whose keys are expanded at once. (Measured on Zen 3: 16 gives what 32 does, 8 some 5% less.)
pub(crate) const AHEAD: usize = 16;

/// The round keys of both halves of a gate: `[round][half]`.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct GateKeys([[Gf128; 2]; 11]);

impl GateKeys {
    const ZERO: Self = Self([[Gf128::ZERO; 2]; 11]);
}

/// Labels of a gate's two inputs, to be hashed under its two keys.
pub(crate) type Pair = [Gf128; 2];

/// The expanded keys of successive gates.
pub(crate) struct Keys {
    level: AesLevel,
    start: u128,
    /// The first gate whose keys are not expanded.
    next: u64,
    keys: [GateKeys; AHEAD],
    /// Gates of `keys` that are done; all of them at first.
    used: usize,
}

impl Keys {
    /// Keys from gate number `first` on.
    pub(crate) fn new(start: [u8; 16], first: u64) -> Self {
        Self::with_level(AesLevel::detect(), start, first)
    }

    /// `level` must be available.
    fn with_level(level: AesLevel, start: [u8; 16], first: u64) -> Self {
        let start = u128::from_le_bytes(start);
        Self { level, start, next: first, keys: [GateKeys::ZERO; AHEAD], used: AHEAD }
    }

    /// The number of the next gate.
    pub(crate) fn gate(&self) -> u64 {
        self.next - (AHEAD - self.used) as u64
    }

    /// Gates that can be hashed before the next [`Keys::renew`].
    #[inline(always)]
    pub(crate) fn ready(&self) -> usize {
        AHEAD - self.used
    }

    /// Expands the keys of the next gates; call it when none is ready.
    #[cold]
    #[inline(never)]
    pub(crate) fn renew(&mut self) -> Result<(), Error> {
        // Tweaks are 64 bits: twice the gate's number. Beyond them keys would repeat.
        let end = self.next.checked_add(AHEAD as u64).filter(|&end| end < 1 << 62);
        let end = end.ok_or_else(|| Error::misuse("2^62 gates were garbled under one offset"))?;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `self.level` is available, by the constructors' contract.
        unsafe {
            match self.level {
                AesLevel::Portable => portable::expand(self.start, self.next, &mut self.keys),
                AesLevel::Aesni => x86::expand_aesni(self.start, self.next, &mut self.keys),
                // Two blocks are what a gate has: four in a register would be for pairs of gates.
                AesLevel::Vaes256 | AesLevel::Vaes512 => {
                    x86::expand_vaes256(self.start, self.next, &mut self.keys);
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        portable::expand(self.start, self.next, &mut self.keys);
        self.next = end;
        self.used = 0;
        Ok(())
    }

    /// Hashes the labels of the next gates, `LABELS` of each input of each; at most [`Keys::ready`] gates.
    #[inline(always)]
    pub(crate) fn hash<const LABELS: usize>(&mut self, gates: &mut [[Pair; LABELS]]) {
        let n = gates.len().min(self.ready());
        let (keys, gates) = (&self.keys[self.used..self.used + n], &mut gates[..n]);
        self.used += n;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `self.level` is available, by the constructors' contract.
        unsafe {
            match self.level {
                AesLevel::Portable => portable::hash(keys, gates),
                AesLevel::Aesni => x86::hash_aesni(keys, gates),
                AesLevel::Vaes256 | AesLevel::Vaes512 => x86::hash_vaes256(keys, gates),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        portable::hash(keys, gates);
    }
}

/// Keys are public, but hashes of labels were made with them nearby: nothing here is worth wiping. What is, is wiped where
/// labels live.
impl core::fmt::Debug for Keys {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Keys").field("gate", &self.gate()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
