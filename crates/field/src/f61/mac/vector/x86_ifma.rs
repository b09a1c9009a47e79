//! x86-64 with AVX-512 IFMA: eight lanes, elements multiplied in limbs.
//!
//! Each method is the one instruction that its documentation describes, so that this file can also be checked
//! by reading.

use core::arch::x86_64::*;

use super::dispatch::Table;
use super::lanes::{Lanes, Madd52};
use super::limbs::Limbs;
use super::x86_leaves::leaves;
use super::{leaves, packing, products, sums};
use crate::f61::F61;

/// Proof that the CPU has AVX-512 F and IFMA.
#[derive(Clone, Copy)]
pub(super) struct Ifma(());

leaves! {
    Ifma, 8, __m512i, "avx512f,avx512ifma", Limbs,
    load = _mm512_loadu_si512,
    store = _mm512_storeu_si512,
    splat = _mm512_set1_epi64,
    add = _mm512_add_epi64,
    sub = _mm512_sub_epi64,
    and = _mm512_and_si512,
    shift_left = _mm512_sll_epi64,
    shift_right = _mm512_srl_epi64,
    or = _mm512_or_si512,
    shift_left_each = _mm512_sllv_epi64,
    shift_right_each = _mm512_srlv_epi64,
    swap = _mm512_shuffle_epi32,
    lesser = |a, b| _mm512_min_epu64(a, b),
    spread_low = |v| _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3), v),
    spread_high = |v| _mm512_permutexvar_epi64(_mm512_setr_epi64(4, 4, 5, 5, 6, 6, 7, 7), v),
    evens = |a, b| _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b),
    odds = |a, b| _mm512_permutex2var_epi64(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b),
    merge = |even, odd| _mm512_mask_blend_epi64(0b1010_1010, even, odd),
}

impl Madd52<8> for Ifma {
    #[inline(always)]
    fn madd52_low(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves the features.
        unsafe { _mm512_madd52lo_epu64(sum, a, b) }
    }

    #[inline(always)]
    fn madd52_high(self, sum: __m512i, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: `self` proves the features.
        unsafe { _mm512_madd52hi_epu64(sum, a, b) }
    }
}
