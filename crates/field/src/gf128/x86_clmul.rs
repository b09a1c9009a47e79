//! x86-64 with PCLMULQDQ: one element at a time. The operators of single elements use this, too.

use core::arch::x86_64::*;

use super::dispatch::{Level, Table};
use super::vector::{self, Simd, entries};
use super::x86_leaves::leaves;
use super::{Gf128, runs, transpose};

/// Proof that the CPU has PCLMULQDQ (and SSE2, as every x86-64 has).
#[derive(Clone, Copy)]
pub(super) struct Clmul(());

entries!(Clmul, 1, Level::Clmul, "sse2,pclmulqdq");

leaves! {
    Clmul, 1, __m128i,
    load = _mm_loadu_si128,
    store = _mm_storeu_si128,
    splat = core::convert::identity,
    xor = _mm_xor_si128,
    and = _mm_and_si128,
    clmul = _mm_clmulepi64_si128,
    shuffle_32 = _mm_shuffle_epi32,
    up = _mm_bslli_si128,
    down = _mm_bsrli_si128,
    low_64 = _mm_unpacklo_epi64,
    high_64 = _mm_unpackhi_epi64,
    low_8 = _mm_unpacklo_epi8,
    high_8 = _mm_unpackhi_epi8,
    shift_left_64 = _mm_sll_epi64,
    shift_right_64 = _mm_srl_epi64,
    shift_left_32 = _mm_slli_epi32,
    sign_32 = _mm_srai_epi32,
    // PALIGNR is not part of SSE2.
    carry_byte = |low, high| _mm_or_si128(_mm_bslli_si128::<1>(high), _mm_bsrli_si128::<15>(low)),
    masks = |bits| _mm_set1_epi64x((bits & 1).wrapping_neg() as i64),
}

/// `a * b`.
#[target_feature(enable = "sse2,pclmulqdq")]
pub(super) fn mul(a: Gf128, b: Gf128) -> Gf128 {
    vector::mul_one(Clmul::new(), a, b)
}

/// `a * a`.
#[target_feature(enable = "sse2,pclmulqdq")]
pub(super) fn square(a: Gf128) -> Gf128 {
    vector::square_one(Clmul::new(), a)
}
