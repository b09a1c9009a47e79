//! x86-64 with AVX2: four lanes, elements multiplied in halves.

use core::arch::x86_64::*;

use super::dispatch::Table;
use super::halves::Halves;
use super::lanes::{Lanes, Mul32};
use super::x86_leaves::leaves;
use super::{leaves, packing, products, sums};
use crate::f61::F61;

/// Proof that the CPU has AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

leaves! {
    Avx2, 4, __m256i, "avx2", Halves,
    load = _mm256_loadu_si256,
    store = _mm256_storeu_si256,
    splat = _mm256_set1_epi64x,
    add = _mm256_add_epi64,
    sub = _mm256_sub_epi64,
    and = _mm256_and_si256,
    shift_left = _mm256_sll_epi64,
    shift_right = _mm256_srl_epi64,
    or = _mm256_or_si256,
    shift_left_each = _mm256_sllv_epi64,
    shift_right_each = _mm256_srlv_epi64,
    swap = _mm256_shuffle_epi32,
    // AVX2 has no minimum of 64-bit lanes, so this selects by the sign of `b`.
    lesser = |a, b| _mm256_castpd_si256(_mm256_blendv_pd(
        _mm256_castsi256_pd(b), _mm256_castsi256_pd(a), _mm256_castsi256_pd(b)
    )),
    spread_low = |v| _mm256_permute4x64_epi64::<0b01_01_00_00>(v),
    spread_high = |v| _mm256_permute4x64_epi64::<0b11_11_10_10>(v),
    evens = |a, b| _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_unpacklo_epi64(a, b)),
    odds = |a, b| _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_unpackhi_epi64(a, b)),
    merge = |even, odd| _mm256_blend_epi32::<0b1100_1100>(even, odd),
}

impl Mul32<4> for Avx2 {
    #[inline(always)]
    fn mul32(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: `self` proves the features.
        unsafe { _mm256_mul_epu32(a, b) }
    }
}
