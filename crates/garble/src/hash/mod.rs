//! The hash for garbling gates: AES with separate keys for each gate.
//!
//! ```text
//! H(x, j) = AES_{start + j}(s(x)) + s(x)          start: 128 bits, the session's; + is XOR
//!
//! s: each half of 64 bits, a || b with a the high word of 32 bits, becomes (a + b) || a
//! ```
//!
//! Keys come in pairs: pair `n` has the keys `j = 2n` and `j = 2n + 1`. A half gate takes one pair, its first
//! key for both labels of its first input and its second key for those of the second. A gate of three halves
//! takes two pairs. An S-box takes a key for each of its ciphertexts, and hashes up to 256 labels under it.
//!
//! Guo, Katz, Wang, Weng and Yu, "Better Concrete Security for Half-Gates Garbling (in the Multi-Instance
//! Setting)", ePrint 2019/1168. With one fixed key and the tweak mixed into the block, an attacker could use
//! each AES evaluation against all gates of all sessions at once. Here each key meets one input of one gate,
//! so it cannot.
//!
//! # The linear map
//!
//! A table does not show `H(w + D, j)`, with a label `w` and the offset `D`, but that plus a term `e(D)`. In
//! half gates and in S-boxes `e(D)` is `D` or nothing. In three halves it is, in the low half of a hash, a
//! sum of some of D's halves `D.l` and `D.r`, or nothing. AES can be inverted, so the attacker also learns
//! the image, `s(w) + s(D) + e(D) + what it sees`. This must be a permutation of D for each possible `e`. On
//! the two words of a half, `s` is multiplication by an element `t` of GF(4) that is neither 0 nor 1: so
//! `s(D)` is `(t D.l, t D.r)`, `s(D) + D` is `((t+1) D.l, (t+1) D.r)`, and with three halves it is `(t D.l,
//! (t + u) D.r + v D.l)` for bits `u` and `v`. All of these are permutations. (With the usual map, which
//! swaps the halves of the block, that fails for three halves: there `s(D) + e(D)` can lose 64 bits.)
//!
//! # Bound
//!
//! Model AES as an ideal cipher. The offset D has 127 bits of entropy (its lowest bit is 1). Each pair of key
//! and offset answers one query `H(w + D, j) + e(D)`, with `w` known to the attacker; garbling a gate makes
//! one with each key. (So does an S-box: of the labels under a key, the attacker knows all but one.) Let `p`
//! be the attacker's evaluations of AES, `q` the keys that were used in all sessions that it attacks, and
//! `mu` the largest number of sessions that share one AES key. An answer looks random unless
//!
//! * an evaluation under its key hits its block `s(w + D)` or its image. Each is a bijective function of D,
//!   so at most `mu` answers are hit, with probability `2^-127` each way: `2 mu p / 2^127`; or
//! * two answers under one key have the same block or image: `(mu - 1) q / 2^127`.
//!
//! ```text
//! advantage  <=  (2 mu p + (mu - 1) q) / 2^127
//! ```
//!
//! Within a session keys never repeat, because [`Keys`] counts through all of it. So `mu = 1`, and the bound
//! is `p / 2^126` however much is garbled. Two sessions of at most `2^40` keys share some only if their start
//! points, which are random, agree in the upper 88 bits. Among `2^30` sessions some pair does with
//! probability `2^-29`, and then `mu = 2` costs one bit.
//!
//! # Kernels
//!
//! [`AHEAD`] pairs of keys are expanded at once, with one word of four or eight keys in each register. This
//! hides the schedule's latency, and takes half the instructions that one key's words in a register would.
//! Gates then follow one by one or many in a call ([`AesLevel::Vaes256`]: a pair of keys in one register).
//! In WebAssembly eight blocks are bitsliced ([`AesLevel::Simd128`]), and keys are kept as slices. `portable`
//! (the `aes` crate) is the specification.

mod portable;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm_simd128;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

use volery_field::Gf128;
use volery_vole::AesLevel;

use crate::Error;

/// The number of pairs of keys that are expanded at once. It is even, so that they serve a whole number of
/// gates of any scheme.
pub(crate) const AHEAD: usize = 16;

const _: () = assert!(AHEAD.is_multiple_of(2));

/// The round keys of a pair of keys: `[round][which]`.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct PairKeys([[Gf128; 2]; 11]);

impl PairKeys {
    const ZERO: Self = Self([[Gf128::ZERO; 2]; 11]);
}

/// Two labels to hash under the two keys of a pair.
pub(crate) type Pair = [Gf128; 2];

/// The expanded keys of successive pairs.
pub struct Keys {
    level: AesLevel,
    start: u128,
    /// The first pair that is not expanded.
    next: u64,
    keys: [PairKeys; AHEAD],
    /// The same keys in another form, in place of `keys`.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    sliced: wasm_simd128::Sliced,
    /// The number of used pairs of `keys`; all of them at first.
    used: usize,
}

impl Keys {
    /// Keys from pair number `first` on.
    pub(crate) fn new(start: [u8; 16], first: u64) -> Self {
        Self::with_level(AesLevel::detect(), start, first)
    }

    /// Keys for this kernel, which must be available, because its code needs instructions that the CPU may
    /// lack.
    pub(crate) fn with_level(level: AesLevel, start: [u8; 16], first: u64) -> Self {
        // This holds for the result of `detect`; only a test could pass anything else.
        assert!(level.available(), "{level:?} needs instructions that this CPU has not");
        let start = u128::from_le_bytes(start);
        Self {
            level,
            start,
            next: first,
            keys: [PairKeys::ZERO; AHEAD],
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            sliced: wasm_simd128::NONE,
            used: AHEAD,
        }
    }

    /// The number of the next pair.
    pub(crate) fn number(&self) -> u64 {
        self.next - (AHEAD - self.used) as u64
    }

    /// The number of pairs that can be used before the next [`Keys::renew`].
    #[inline(always)]
    pub(crate) fn ready(&self) -> usize {
        AHEAD - self.used
    }

    /// Uses and returns the next two pairs of keys, if the CPU has AES (and AVX2) on registers of 256 bits.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn next_gate(&mut self) -> Option<&[PairKeys; 2]> {
        if !matches!(self.level, AesLevel::Vaes256 | AesLevel::Vaes512) {
            return None;
        }
        let keys = self.keys.get(self.used..)?.first_chunk()?;
        self.used += 2;
        Some(keys)
    }

    /// Expands the next pairs. Call it when none is ready.
    #[cold]
    #[inline(never)]
    pub(crate) fn renew(&mut self) -> Result<(), Error> {
        // A key's number has 64 bits; beyond that, keys would repeat.
        let end = self.next.checked_add(AHEAD as u64).filter(|&end| end < 1 << 62);
        let end = end.ok_or_else(|| Error::misuse("2^62 pairs of keys were used under one offset"))?;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `self.level` is available, as the constructor has checked.
        unsafe {
            match self.level {
                AesLevel::Portable | AesLevel::Simd128 => {
                    portable::expand(self.start, self.next, &mut self.keys)
                }
                AesLevel::Aesni => x86::expand_aesni(self.start, self.next, &mut self.keys),
                // A register holds a pair of keys; one of 512 bits would hold two pairs.
                AesLevel::Vaes256 | AesLevel::Vaes512 => {
                    x86::expand_vaes256(self.start, self.next, &mut self.keys);
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        match self.level {
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            AesLevel::Simd128 => self.sliced = wasm_simd128::expand(self.start, self.next),
            _ => portable::expand(self.start, self.next, &mut self.keys),
        }
        self.next = end;
        self.used = 0;
        Ok(())
    }

    /// Hashes labels under the next pairs of keys, `LABELS` labels under each key. Takes at most
    /// [`Keys::ready`] pairs of keys.
    #[inline(always)]
    pub(crate) fn hash<const LABELS: usize>(&mut self, labels: &mut [[Pair; LABELS]]) {
        let n = labels.len().min(self.ready());
        let first = self.used;
        let (keys, labels) = (&self.keys[first..first + n], &mut labels[..n]);
        self.used += n;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `self.level` is available, as the constructor has checked.
        unsafe {
            match self.level {
                AesLevel::Portable | AesLevel::Simd128 => portable::hash(keys, labels),
                AesLevel::Aesni => x86::hash_aesni(keys, labels),
                AesLevel::Vaes256 | AesLevel::Vaes512 => x86::hash_vaes256(keys, labels),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        match self.level {
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            AesLevel::Simd128 => wasm_simd128::hash(&self.sliced, first, labels),
            _ => portable::hash(keys, labels),
        }
    }
}

impl Keys {
    /// Uses the next pair, and returns its place, for [`Keys::hash_run`]. The place is valid until the pair
    /// after it is used.
    #[inline(always)]
    pub(crate) fn next_pair(&mut self) -> Result<usize, Error> {
        if self.ready() == 0 {
            self.renew()?;
        }
        let place = self.used;
        self.used += 1;
        Ok(place)
    }

    /// Hashes labels under one key, the first or the second of the pair at `place`. Returns the sum of the
    /// hashes.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a place that [`Keys::next_pair`] does not return.
    pub(crate) fn hash_run(
        &self,
        (place, second): (usize, bool),
        labels: &[Gf128],
        hashes: &mut [Gf128],
    ) -> Result<Gf128, Error> {
        let keys = self.keys.get(place).ok_or_else(|| Error::misuse("a pair of keys that is none"))?;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `self.level` is available, as the constructor has checked.
        let sum = unsafe {
            match self.level {
                AesLevel::Portable | AesLevel::Simd128 => portable::hash_run(keys, second, labels, hashes),
                AesLevel::Aesni => x86::run_aesni(keys, second, labels, hashes),
                AesLevel::Vaes256 | AesLevel::Vaes512 => x86::run_vaes256(keys, second, labels, hashes),
            }
        };
        #[cfg(not(target_arch = "x86_64"))]
        let sum = match self.level {
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            AesLevel::Simd128 => wasm_simd128::hash_run(&self.sliced, (place, second), labels, hashes),
            _ => portable::hash_run(keys, second, labels, hashes),
        };
        Ok(sum)
    }

    /// For each bit of an index, the sum of the labels at indices that have it set. There are two to the
    /// number of bits, and they are overwritten.
    pub(crate) fn sums_by_bit<const BITS: usize>(&self, labels: &mut [Gf128]) -> [Gf128; BITS] {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `self.level` is available, as the constructor has checked.
        unsafe {
            match self.level {
                AesLevel::Portable | AesLevel::Simd128 => portable::sums_by_bit(labels),
                AesLevel::Aesni => x86::sums_aesni(labels),
                AesLevel::Vaes256 | AesLevel::Vaes512 => x86::sums_vaes256(labels),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        portable::sums_by_bit(labels)
    }
}

/// Hashes `labels` under the next keys of `keys`, with all numbers of pairs at once, and appends the hashes.
fn hash_all<const LABELS: usize>(
    keys: &mut Keys,
    labels: &[Gf128],
    hashes: &mut Vec<Gf128>,
) -> Result<(), Error> {
    let pairs = labels.as_chunks::<2>().0.as_chunks::<LABELS>().0;
    let mut pairs: Vec<[Pair; LABELS]> = pairs.to_vec();
    let (mut rest, mut at_once) = (&mut pairs[..], 0);
    while !rest.is_empty() {
        if keys.ready() == 0 {
            keys.renew()?;
        }
        at_once = at_once % AHEAD + 1;
        let (now, later) = rest.split_at_mut(rest.len().min(at_once.min(keys.ready())));
        keys.hash(now);
        rest = later;
    }
    hashes.extend(pairs.as_flattened().as_flattened());
    Ok(())
}

/// Whether the kernel of this machine gives what the portable one gives for these labels, as a garbler and as
/// an evaluator hash them. It is for engines in which no test of this crate runs.
#[doc(hidden)]
#[must_use]
pub fn is_as_portable(start: [u8; 16], labels: &[Gf128]) -> bool {
    let hashes = |level| -> Result<Vec<Gf128>, Error> {
        let mut keys = Keys::with_level(level, start, 3);
        let mut all = Vec::new();
        hash_all::<2>(&mut keys, labels, &mut all)?;
        hash_all::<1>(&mut keys, labels, &mut all)?;
        for second in [false, true] {
            let place = (keys.next_pair()?, second);
            let mut run = vec![Gf128::ZERO; labels.len()];
            all.push(keys.hash_run(place, labels, &mut run)?);
            all.extend(run);
        }
        Ok(all)
    };
    matches!((hashes(AesLevel::detect()), hashes(AesLevel::Portable)), (Ok(a), Ok(b)) if a == b)
}

/// Keys are public, but labels were hashed with them nearby. Nothing here needs wiping; labels are wiped
/// where they are stored.
impl core::fmt::Debug for Keys {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Keys")
            .field("level", &self.level)
            .field("number", &self.number())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
