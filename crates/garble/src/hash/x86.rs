//! The hash on x86-64 registers of 128 and 256 bits.
//!
//! Both loops are written once over [`Lanes`]. With AES-NI a register holds one key, with VAES a pair.

use core::arch::x86_64::*;
use core::hint::black_box;

use volery_field::Gf128;

use super::{Pair, PairKeys};

/// A register of `N` blocks, 1 or 2. In each implementation, a method is one intrinsic.
///
/// Safety of every method: the CPU must have the features of the entry point that it is inlined into.
trait Lanes: Copy {
    const N: usize;
    unsafe fn load(p: *const Gf128) -> Self;
    unsafe fn store(self, p: *mut Gf128);
    /// The same block in each place.
    unsafe fn splat(p: *const Gf128) -> Self;
    unsafe fn splat32(x: i32) -> Self;
    unsafe fn xor(self, o: Self) -> Self;
    unsafe fn enc(self, k: Self) -> Self;
    unsafe fn enc_last(self, k: Self) -> Self;
    /// `s`: `(a || b) -> (a + b) || a` in each half of each block.
    unsafe fn spread(self) -> Self;
    /// The four words of each block, arranged so that ShiftRows applies RotWord to each of them.
    unsafe fn rotated_words(self) -> Self;
    /// From the lower and from the upper halves of each two blocks: words interleaved, starting with `self`.
    unsafe fn words_in_turns(self, o: Self) -> [Self; 2];
    /// The same with double words.
    unsafe fn double_words_in_turns(self, o: Self) -> [Self; 2];
}

macro_rules! lanes {
    ($type:ty, $n:literal, $load:ident, $store:ident, $splat:ident, $splat32:ident, $xor:ident, $enc:ident, $last:ident,
     $shuffle32:ident, $shift64:ident, $shuffle8:ident, $set32:ident, $low32:ident, $high32:ident, $low64:ident,
     $high64:ident) => {
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
            unsafe fn splat(p: *const Gf128) -> Self {
                // SAFETY: the caller gives one readable block; the load is unaligned.
                unsafe { $splat(p.cast()) }
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
            unsafe fn rotated_words(self) -> Self {
                // SAFETY: the trait's contract. Byte `r` of word `c` is byte `r + 1` of word `c - r`, since
                // ShiftRows takes row `r` of column `c` from column `c + r`.
                unsafe { $shuffle8(self, $set32(0x0007_0a0d, 0x0c03_0609, 0x080f_0205, 0x040b_0e01)) }
            }
            #[inline(always)]
            unsafe fn words_in_turns(self, o: Self) -> [Self; 2] {
                // SAFETY: the trait's contract.
                unsafe { [$low32(self, o), $high32(self, o)] }
            }
            #[inline(always)]
            unsafe fn double_words_in_turns(self, o: Self) -> [Self; 2] {
                // SAFETY: the trait's contract.
                unsafe { [$low64(self, o), $high64(self, o)] }
            }
        }
    };
}

lanes!(
    __m128i,
    1,
    _mm_loadu_si128,
    _mm_storeu_si128,
    _mm_loadu_si128,
    _mm_set1_epi32,
    _mm_xor_si128,
    _mm_aesenc_si128,
    _mm_aesenclast_si128,
    _mm_shuffle_epi32,
    _mm_slli_epi64,
    _mm_shuffle_epi8,
    _mm_set_epi32,
    _mm_unpacklo_epi32,
    _mm_unpackhi_epi32,
    _mm_unpacklo_epi64,
    _mm_unpackhi_epi64
);
lanes!(
    __m256i,
    2,
    _mm256_loadu_si256,
    _mm256_storeu_si256,
    load_twice,
    _mm256_set1_epi32,
    _mm256_xor_si256,
    _mm256_aesenc_epi128,
    _mm256_aesenclast_epi128,
    _mm256_shuffle_epi32,
    _mm256_slli_epi64,
    _mm256_shuffle_epi8,
    twice_epi32,
    _mm256_unpacklo_epi32,
    _mm256_unpackhi_epi32,
    _mm256_unpacklo_epi64,
    _mm256_unpackhi_epi64
);

/// The same block twice.
///
/// # Safety
/// `p` is readable.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_twice(p: *const __m128i) -> __m256i {
    // SAFETY: the caller's contract; the load is unaligned.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(p) })
}

/// The same four words in both blocks.
#[inline]
#[target_feature(enable = "avx2")]
fn twice_epi32(d: i32, c: i32, b: i32, a: i32) -> __m256i {
    _mm256_broadcastsi128_si256(_mm_set_epi32(d, c, b, a))
}

/// The constants of the key schedule's ten rounds (FIPS 197, section 5.2).
const ROUND_CONSTANTS: [i32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// The number of registers, each with four words of four (or eight) keys, that are expanded side by side.
const SETS: usize = 2;

/// The round keys of pairs `first..`, those of eight registers at a time.
///
/// Four registers hold the four words of four (or eight) keys, with one word of each key in a register, so
/// that no round shifts words within a key. The results are transposed back before they are stored.
///
/// The last AES round computes SubWord; its key is the round constant.
#[inline(always)]
unsafe fn expand<L: Lanes>(start: u128, first: u64, keys: &mut [PairKeys]) {
    let per_group = 4 * SETS * L::N / 2;
    for (group, keys) in keys.chunks_exact_mut(per_group).enumerate() {
        let first = 2 * (first + (group * per_group) as u64);
        let base = keys.as_mut_ptr().cast::<Gf128>();
        // Register `w` of a round holds the one or two keys that begin at key `w * N` of the group.
        let place = |w: usize, round: usize| (w * L::N / 2) * 22 + 2 * round + w * L::N % 2;
        // SAFETY: `place` stays below `per_group * 22` blocks, which is what the group's `per_group` pairs
        // are: 11 times two blocks each, without padding (352 bytes are 11 times the alignment of 32). `place
        // + N` too, since both keys of one round lie side by side. `column` is 32 bytes, the most that a
        //   register loads.
        unsafe {
            // These are loops, because closures would not be inlined: see the same loops in crate vole.
            let mut words = [[L::splat32(0); 4]; SETS];
            for (set, words) in words.iter_mut().enumerate() {
                for (i, word) in words.iter_mut().enumerate() {
                    let mut column = [0_u32; 8];
                    for (at, column) in column.iter_mut().enumerate() {
                        let (lane, key) = (at / 4, 4 * set + at % 4);
                        let key = start ^ u128::from(first + (key * L::N + lane) as u64);
                        *column = (key >> (32 * i)) as u32;
                    }
                    *word = L::load(column.as_ptr().cast());
                }
            }
            for round in 0..11 {
                for (set, [a, b, c, d]) in words.iter_mut().enumerate() {
                    if let Some(constant) = usize::checked_sub(round, 1) {
                        let word = d.rotated_words().enc_last(L::splat32(ROUND_CONSTANTS[constant]));
                        *a = a.xor(word);
                        *b = b.xor(*a);
                        *c = c.xor(*b);
                        *d = d.xor(*c);
                    }
                    let ([ab, ab_high], [cd, cd_high]) = (a.words_in_turns(*b), c.words_in_turns(*d));
                    let [k0, k1] = ab.double_words_in_turns(cd);
                    let [k2, k3] = ab_high.double_words_in_turns(cd_high);
                    for (w, k) in (4 * set..).zip([k0, k1, k2, k3]) {
                        k.store(base.add(place(w, round)));
                    }
                }
            }
        }
    }
}

/// `H` of all labels of as many groups of `G` pairs of keys as fit from `done` on. Returns where it stopped.
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
                        // Kept in memory: the inputs beside their images would not fit in sixteen registers.
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

/// `H` under one key of as many groups of `R` registers of labels as fit from `done` on. Adds the hashes to
/// `sum`. Returns where it stopped.
#[inline(always)]
unsafe fn hash_run<L: Lanes, const R: usize>(
    (keys, second): (&PairKeys, bool),
    labels: &[Gf128],
    hashes: &mut [Gf128],
    (done, sum): (usize, &mut [Gf128; 2]),
) -> usize {
    let n = labels.len().min(hashes.len());
    let mut at = done;
    // SAFETY: `sum` is two blocks, the most that a register has. Register `r` of a group holds the `N` labels
    // from `at + r * N` on, and `R * N` are there.
    unsafe {
        let mut total = L::load(sum.as_ptr());
        while n - at >= R * L::N {
            let (from, to) = (labels[at..].as_ptr(), hashes[at..].as_mut_ptr());
            // Else the compiler keeps all round keys in registers, and labels wait for one another.
            let keys = black_box(keys);
            let mut x = [L::splat32(0); R];
            let key = L::splat(&keys.0[0][usize::from(second)]);
            for (r, x) in x.iter_mut().enumerate() {
                let s = L::load(from.add(r * L::N)).spread();
                // Kept in memory, as in `hash`.
                s.store(to.add(r * L::N));
                *x = s.xor(key);
            }
            for keys in &keys.0[1..10] {
                let key = L::splat(&keys[usize::from(second)]);
                for x in &mut x {
                    *x = x.enc(key);
                }
            }
            let key = L::splat(&keys.0[10][usize::from(second)]);
            for (r, x) in x.iter().enumerate() {
                let place = to.add(r * L::N);
                let hash = x.enc_last(key).xor(L::load(place));
                hash.store(place);
                total = total.xor(hash);
            }
            at += R * L::N;
        }
        total.store(sum.as_mut_ptr());
    }
    at
}

/// See [`Keys::sums_by_bit`](super::Keys::sums_by_bit).
#[inline(always)]
unsafe fn sums_by_bit<L: Lanes, const BITS: usize>(labels: &mut [Gf128]) -> [Gf128; BITS] {
    let mut sums = [Gf128::ZERO; BITS];
    let mut rest = labels;
    for sum in sums.iter_mut().rev() {
        let half = rest.len() / 2;
        let (low, high) = rest.split_at_mut(half);
        let mut both = [Gf128::ZERO; 2];
        let mut at = 0;
        // SAFETY: `N` labels from `at` on are in either half; `both` is two blocks.
        unsafe {
            let mut total = L::splat32(0);
            while high.len() - at >= L::N {
                let (label, place) = (L::load(high[at..].as_ptr()), low[at..].as_mut_ptr());
                total = total.xor(label);
                L::load(place).xor(label).store(place);
                at += L::N;
            }
            total.store(both.as_mut_ptr());
        }
        *sum = both[0] + both[1];
        for (low, high) in low[at..].iter_mut().zip(&high[at..]) {
            *sum += *high;
            *low += *high;
        }
        rest = low;
    }
    sums
}

impl PairKeys {
    /// Both keys of a round.
    #[inline]
    #[target_feature(enable = "aes,avx2,vaes")]
    pub(crate) fn round(&self, round: usize) -> __m256i {
        // SAFETY: two blocks of 16 bytes without padding (`Gf128` is a transparent `u128`); the load is
        // unaligned.
        unsafe { _mm256_loadu_si256(self.0[round].as_ptr().cast()) }
    }
}

/// `s` of two labels.
#[inline]
#[target_feature(enable = "aes,avx2,vaes")]
pub(crate) fn spread_pair(x: __m256i) -> __m256i {
    // SAFETY: this function's features are those of the lanes.
    unsafe { x.spread() }
}

macro_rules! entry_points {
    ($features:literal, $lanes:ty, $parts:literal, $group:literal, $expand:ident, $hash:ident, $run:ident,
     $sums:ident) => {
        /// The round keys of pairs `first..`; their number is a multiple of 8.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $expand(start: u128, first: u64, keys: &mut [PairKeys]) {
            // SAFETY: this function's features are those of the lanes.
            unsafe { expand::<$lanes>(start, first, keys) }
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

        /// See [`Keys::hash_run`](super::Keys::hash_run).
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $run(
            keys: &PairKeys,
            second: bool,
            labels: &[Gf128],
            hashes: &mut [Gf128],
        ) -> Gf128 {
            let (key, mut sum) = ((keys, second), [Gf128::ZERO; 2]);
            // SAFETY: this function's features are those of the lanes.
            unsafe {
                let done = hash_run::<$lanes, 8>(key, labels, hashes, (0, &mut sum));
                let done = hash_run::<$lanes, 2>(key, labels, hashes, (done, &mut sum));
                hash_run::<__m128i, 1>(key, labels, hashes, (done, &mut sum));
            }
            sum[0] + sum[1]
        }

        /// See [`Keys::sums_by_bit`](super::Keys::sums_by_bit).
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $sums<const BITS: usize>(labels: &mut [Gf128]) -> [Gf128; BITS] {
            // SAFETY: this function's features are those of the lanes.
            unsafe { sums_by_bit::<$lanes, BITS>(labels) }
        }
    };
}

entry_points!("aes,sse4.1", __m128i, 2, 2, expand_aesni, hash_aesni, run_aesni, sums_aesni);
entry_points!("aes,avx2,vaes", __m256i, 1, 4, expand_vaes256, hash_vaes256, run_vaes256, sums_vaes256);
