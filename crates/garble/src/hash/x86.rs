//! The hash on x86-64 registers of 128 and 256 bits.
//!
//! Both loops are written once over [`Lanes`]: with AES-NI a register belongs to one key, with VAES to a
//! pair.

use core::arch::x86_64::*;

use volery_field::Gf128;

use super::{Pair, PairKeys};

/// A register of `N` blocks, 1 or 2. Implementations are one intrinsic a method.
///
/// Safety of every method: the CPU must have the features of the entry point that it is inlined into.
trait Lanes: Copy {
    const N: usize;
    unsafe fn load(p: *const Gf128) -> Self;
    unsafe fn store(self, p: *mut Gf128);
    unsafe fn splat32(x: i32) -> Self;
    unsafe fn xor(self, o: Self) -> Self;
    unsafe fn enc(self, k: Self) -> Self;
    unsafe fn enc_last(self, k: Self) -> Self;
    /// `s`: `(a || b) -> (a + b) || a` in each half of each block.
    unsafe fn spread(self) -> Self;
    /// Each block shifted up by four bytes.
    unsafe fn up4(self) -> Self;
    /// Each block shifted up by eight bytes.
    unsafe fn up8(self) -> Self;
    /// In each block, the bytes 13, 14, 15, 12 in all four words: RotWord of the last word.
    unsafe fn rotated_last_word(self) -> Self;
}

macro_rules! lanes {
    ($type:ty, $n:literal, $load:ident, $store:ident, $splat32:ident, $xor:ident, $enc:ident, $last:ident,
     $up:ident, $shuffle32:ident, $shift64:ident, $shuffle8:ident) => {
        impl Lanes for $type {
            const N: usize = $n;
            #[inline(always)]
            unsafe fn load(p: *const Gf128) -> Self {
                // SAFETY: the caller gives `N` readable blocks; the load is unaligned.
                unsafe { $load(p.cast()) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut Gf128) {
                // SAFETY: the caller gives `N` writable blocks; the store is unaligned.
                unsafe { $store(p.cast(), self) }
            }
            #[inline(always)]
            unsafe fn splat32(x: i32) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $splat32(x) }
            }
            #[inline(always)]
            unsafe fn xor(self, o: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $xor(self, o) }
            }
            #[inline(always)]
            unsafe fn enc(self, k: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $enc(self, k) }
            }
            #[inline(always)]
            unsafe fn enc_last(self, k: Self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $last(self, k) }
            }
            #[inline(always)]
            unsafe fn spread(self) -> Self {
                // SAFETY: the trait's contract. The high word of each half twice, plus the low word moved up.
                unsafe { $xor($shuffle32::<0b11_11_01_01>(self), $shift64::<32>(self)) }
            }
            #[inline(always)]
            unsafe fn up4(self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $up::<4>(self) }
            }
            #[inline(always)]
            unsafe fn up8(self) -> Self {
                // SAFETY: the trait's contract.
                unsafe { $up::<8>(self) }
            }
            #[inline(always)]
            unsafe fn rotated_last_word(self) -> Self {
                // SAFETY: the trait's contract. Little-endian: byte 13 comes first.
                unsafe { $shuffle8(self, $splat32(0x0c0f_0e0d)) }
            }
        }
    };
}

lanes!(
    __m128i,
    1,
    _mm_loadu_si128,
    _mm_storeu_si128,
    _mm_set1_epi32,
    _mm_xor_si128,
    _mm_aesenc_si128,
    _mm_aesenclast_si128,
    _mm_slli_si128,
    _mm_shuffle_epi32,
    _mm_slli_epi64,
    _mm_shuffle_epi8
);
lanes!(
    __m256i,
    2,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    _mm256_set1_epi32,
    _mm256_xor_si256,
    _mm256_aesenc_epi128,
    _mm256_aesenclast_epi128,
    _mm256_slli_si256,
    _mm256_shuffle_epi32,
    _mm256_slli_epi64,
    _mm256_shuffle_epi8
);

/// The constants of the key schedule's ten rounds (FIPS 197, section 5.2).
const ROUND_CONSTANTS: [i32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// The round keys of pairs `first..`, `W` registers at a time.
///
/// SubWord is done by the last AES round: on a block of four equal words its ShiftRows changes nothing, and
/// its key is the round constant.
#[inline(always)]
unsafe fn expand<L: Lanes, const W: usize>(start: u128, first: u64, keys: &mut [PairKeys]) {
    let per_group = W * L::N / 2;
    for (group, keys) in keys.chunks_exact_mut(per_group).enumerate() {
        let first = first + (group * per_group) as u64;
        for (number, keys) in (first..).zip(keys.iter_mut()) {
            keys.0[0] = [0, 1].map(|which| Gf128::from_bits(start ^ u128::from(2 * number + which)));
        }
        let base = keys.as_mut_ptr().cast::<Gf128>();
        // Register `w` holds the one or two keys that begin at key `w * N` of the group.
        let place = |w: usize, round: usize| (w * L::N / 2) * 22 + 2 * round + w * L::N % 2;
        // SAFETY: `place` stays below `per_group * 22` blocks, which is what the group's `per_group` pairs
        // are: 11 times two blocks each, without padding (352 bytes are 11 times the alignment of 32). `place
        // + N` too, since both keys of one round lie side by side.
        unsafe {
            // Loops and not closures, which would not be inlined: see the same loops in crate vole.
            let mut k = [L::splat32(0); W];
            for (w, k) in k.iter_mut().enumerate() {
                *k = L::load(base.add(place(w, 0)));
            }
            for (round, constant) in (1..).zip(ROUND_CONSTANTS) {
                let constant = L::splat32(constant);
                for (w, k) in k.iter_mut().enumerate() {
                    let word = k.rotated_last_word().enc_last(constant);
                    *k = k.xor(k.up4());
                    *k = k.xor(k.up8()).xor(word);
                    k.store(base.add(place(w, round)));
                }
            }
        }
    }
}

/// `H` of all labels of as many groups of `G` pairs of keys as fit from `done` on; returns where it stopped.
/// `PARTS` is `2 / N`.
#[inline(always)]
unsafe fn hash<L: Lanes, const PARTS: usize, const LABELS: usize, const G: usize>(
    keys: &[PairKeys],
    pairs: &mut [[Pair; LABELS]],
    done: usize,
) -> usize {
    let n = keys.len().min(pairs.len());
    let mut at = done;
    while n - at >= G {
        let (keys, pairs) = (&keys[at..at + G], &mut pairs[at..at + G]);
        // SAFETY: `part * N + N <= 2`, the blocks of a pair.
        unsafe {
            let key =
                |g: usize, round: usize, part: usize| L::load(keys[g].0[round].as_ptr().add(part * L::N));
            let mut x = [[[L::splat32(0); PARTS]; LABELS]; G];
            for (g, labels) in x.iter_mut().enumerate() {
                for (label, parts) in labels.iter_mut().enumerate() {
                    for (part, x) in parts.iter_mut().enumerate() {
                        let at = pairs[g][label].as_mut_ptr().add(part * L::N);
                        let s = L::load(at).spread();
                        // Parked in memory: the inputs beside their images would not fit sixteen registers.
                        s.store(at);
                        *x = s.xor(key(g, 0, part));
                    }
                }
            }
            for round in 1..10 {
                for (g, labels) in x.iter_mut().enumerate() {
                    for label in labels {
                        for (part, x) in label.iter_mut().enumerate() {
                            *x = x.enc(key(g, round, part));
                        }
                    }
                }
            }
            for (g, labels) in x.iter().enumerate() {
                for (label, parts) in labels.iter().enumerate() {
                    for (part, x) in parts.iter().enumerate() {
                        let out = pairs[g][label].as_mut_ptr().add(part * L::N);
                        x.enc_last(key(g, 10, part)).xor(L::load(out)).store(out);
                    }
                }
            }
        }
        at += G;
    }
    at
}

macro_rules! entry_points {
    ($features:literal, $lanes:ty, $parts:literal, $group:literal, $expand:ident, $hash:ident) => {
        /// The round keys of pairs `first..`; a multiple of 8 pairs.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $expand(start: u128, first: u64, keys: &mut [PairKeys]) {
            // SAFETY: this function's features are those of the lanes.
            unsafe { expand::<$lanes, 8>(start, first, keys) }
        }

        /// See [`Keys::hash`](super::Keys::hash).
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $hash<const LABELS: usize>(keys: &[PairKeys], pairs: &mut [[Pair; LABELS]]) {
            // SAFETY: this function's features are those of the lanes.
            unsafe {
                let done = hash::<$lanes, $parts, LABELS, $group>(keys, pairs, 0);
                hash::<__m128i, 2, LABELS, 1>(keys, pairs, done);
            }
        }
    };
}

entry_points!("aes,sse4.1", __m128i, 2, 2, expand_aesni, hash_aesni);
entry_points!("aes,avx2,vaes", __m256i, 1, 4, expand_vaes256, hash_vaes256);
