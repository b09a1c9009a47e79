//! x86-64 with AVX2: four products at a time.
//!
//! AVX2 multiplies 32 by 32 bits. With `a = a0 + a1 2^21 + a2 2^42` and `b = b0 + b1 2^32` a product of two elements is six of such,
//! each below `2^53`: too small to carry, so each has a sum of its own, and [`STEPS`] of them fit 64 bits.
//!
//! ```text
//! a * b = sum of a_i b_j 2^(21 i + 32 j)          i = 0, 1, 2     j = 0, 1
//! ```
//!
//! That takes about 18 instructions for four products, of which four go at once; plain multiplications take seven for one, since
//! sums of 128 bits need a carry and their factor a fixed register.

use core::arch::x86_64::*;

use super::Sum;
use crate::f61::F61;
use crate::{Authenticated, Ring};

/// Vectors that add up between two reductions.
const STEPS: usize = 1 << 11;

/// Bits of a limb of `a`.
const LIMB: i32 = 21;

/// Proof that the CPU has AVX2.
// Invariant: made by `detect` alone.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// If this CPU has it.
    #[inline]
    pub(super) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    /// If this CPU has it and so many products are faster with it: the last reduction takes as long as some dozens.
    #[inline]
    pub(super) fn for_length(products: usize) -> Option<Self> {
        if products < 64 { None } else { Self::detect() }
    }

    /// `sum of a_i * b_i`; of slices of different lengths as far as both go.
    pub(super) fn inner_product(self, a: &[F61], b: &[F61]) -> F61 {
        // SAFETY: `self` proves the feature.
        unsafe { inner_product(a, b) }
    }

    /// The tag `sum r_i m_i` and the value `sum r_i x_i`; of slices of different lengths as far as both go.
    pub(super) fn combine_prover(self, x: &[Authenticated<F61, F61>], r: &[F61]) -> [F61; 2] {
        // SAFETY: `self` proves the feature.
        unsafe { combine_prover(x, r) }
    }
}

#[target_feature(enable = "avx2")]
fn inner_product(a: &[F61], b: &[F61]) -> F61 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut total = F61::ZERO;
    for (a, b) in a.chunks(STEPS).zip(b.chunks(STEPS)) {
        let mut sums = Sums::new();
        for (a, b) in a.iter().zip(b) {
            sums.add(load(a), load(b));
        }
        total += sums.reduce().into_iter().fold(F61::ZERO, |sum, lane| sum + lane);
    }
    a_rest.iter().zip(b_rest).fold(total, |sum, (a, b)| sum + *a * *b)
}

#[target_feature(enable = "avx2")]
fn combine_prover(x: &[Authenticated<F61, F61>], r: &[F61]) -> [F61; 2] {
    let ((x, x_rest), (r, r_rest)) = (x.as_chunks::<2>(), r.as_chunks::<2>());
    let (mut tag, mut value) = (F61::ZERO, F61::ZERO);
    for (x, r) in x.chunks(STEPS).zip(r.chunks(STEPS)) {
        let mut sums = Sums::new();
        for (x, r) in x.iter().zip(r) {
            // A value, its tag, the next value, its tag.
            sums.add(load_twice(r), load_pairs(x));
        }
        let [x0, m0, x1, m1] = sums.reduce();
        (tag, value) = (tag + m0 + m1, value + x0 + x1);
    }
    let rest = x_rest.iter().zip(r_rest);
    rest.fold([tag, value], |[tag, value], (x, r)| [tag + *r * x.m, value + *r * x.x])
}

/// Four elements.
#[target_feature(enable = "avx2")]
#[inline]
fn load(from: &[F61; 4]) -> __m256i {
    // SAFETY: four elements are the 32 bytes that are loaded, of any alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Two values and their tags.
#[target_feature(enable = "avx2")]
#[inline]
fn load_pairs(from: &[Authenticated<F61, F61>; 2]) -> __m256i {
    // SAFETY: an `Authenticated` is, as `repr(C)` says, a value and then its tag, so two of them are the 32 bytes that are
    // loaded, of any alignment.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Two elements, each twice.
#[target_feature(enable = "avx2")]
#[inline]
fn load_twice(from: &[F61; 2]) -> __m256i {
    // SAFETY: two elements are the 16 bytes that are loaded, of any alignment.
    let two = unsafe { _mm_loadu_si128(from.as_ptr().cast()) };
    _mm256_permute4x64_epi64::<0b01_01_00_00>(_mm256_castsi128_si256(two))
}

/// The sums of `a_i b_j` in four lanes.
struct Sums([[__m256i; 2]; 3]);

impl Sums {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new() -> Self {
        Self([[_mm256_setzero_si256(); 2]; 3])
    }

    /// Adds products; at most [`STEPS`] times.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn add(&mut self, a: __m256i, b: __m256i) {
        let limb = _mm256_set1_epi64x((1 << LIMB) - 1);
        let a = [
            _mm256_and_si256(a, limb),
            _mm256_and_si256(_mm256_srli_epi64::<LIMB>(a), limb),
            _mm256_srli_epi64::<{ 2 * LIMB }>(a),
        ];
        // A multiplication takes the low 32 bits of each lane.
        let b = [b, _mm256_srli_epi64::<32>(b)];
        for (sums, a) in self.0.iter_mut().zip(a) {
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = _mm256_add_epi64(*sum, _mm256_mul_epu32(a, b));
            }
        }
    }

    /// What each lane adds up to.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn reduce(self) -> [F61; 4] {
        let mut lanes = [Sum::default(); 4];
        for (i, sums) in self.0.into_iter().enumerate() {
            for (j, sum) in sums.into_iter().enumerate() {
                let mut words = [0_u64; 4];
                // SAFETY: four words are the 32 bytes that are stored, of any alignment.
                unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), sum) };
                // 2^61 = 1, so a sum below 2^64 moves up by less than 61 bits: below 2^125, and six of them below 2^128.
                let shift = (LIMB as usize * i + 32 * j) % 61;
                lanes.iter_mut().zip(words).for_each(|(lane, word)| lane.add(u128::from(word) << shift));
            }
        }
        lanes.map(|lane| F61::from_u128(lane.group))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extension::plain;
    use crate::f61::P;
    use crate::laws::Words;

    /// Vectors of a length, starting at an odd place: random elements, then the largest alone.
    fn vectors(length: usize, largest: bool) -> (Vec<Authenticated<F61, F61>>, Vec<F61>) {
        let mut words = Words(length as u64);
        let mut element = || match (largest, words.word()) {
            (false, word) if word % 4 > 0 => F61::new(word >> 2),
            (false, word) => F61::new(word % 3),
            (true, _) => F61(P - 1),
        };
        let pairs = (0..length).map(|_| Authenticated { x: element(), m: element() }).collect();
        (pairs, (0..=length).map(|_| element()).collect())
    }

    #[test]
    fn sums_are_those_of_the_formulas_at_all_lengths_and_sizes() {
        let Some(avx2) = Avx2::detect() else { return };
        for length in (0..70).chain([2 * STEPS - 1, 2 * STEPS, 4 * STEPS, 4 * STEPS + 1, 9 * STEPS + 3]) {
            for largest in [false, true] {
                let (x, r) = vectors(length, largest);
                let r = &r[1..];
                assert_eq!(Ok(avx2.combine_prover(&x, r)), plain::combine_prover(&x, r), "{length}");
                let tags: Vec<F61> = x.iter().map(|x| x.m).collect();
                let expected = plain::inner_product::<F61, F61>(&tags, r);
                assert_eq!(Ok(avx2.inner_product(&tags, r)), expected, "{length}");
            }
        }
    }
}
