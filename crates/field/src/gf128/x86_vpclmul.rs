//! x86-64 with AVX2 and VPCLMULQDQ: two elements at a time.

use core::arch::x86_64::*;

use super::dispatch::{Level, Table};
use super::vector::{self, Simd, entries};
use super::x86_leaves::leaves;
use super::{Gf128, runs, transpose};

/// Proof that the CPU has AVX2 and VPCLMULQDQ.
#[derive(Clone, Copy)]
pub(super) struct Vpclmul256(());

entries!(Vpclmul256, 2, Level::Vpclmul256, "avx2,vpclmulqdq");

leaves! {
    Vpclmul256, 2, __m256i,
    load = _mm256_loadu_si256,
    store = _mm256_storeu_si256,
    splat = _mm256_broadcastsi128_si256,
    xor = _mm256_xor_si256,
    and = _mm256_and_si256,
    clmul = _mm256_clmulepi64_epi128,
    shuffle_32 = _mm256_shuffle_epi32,
    up = _mm256_bslli_epi128,
    down = _mm256_bsrli_epi128,
    low_64 = _mm256_unpacklo_epi64,
    high_64 = _mm256_unpackhi_epi64,
    low_8 = _mm256_unpacklo_epi8,
    high_8 = _mm256_unpackhi_epi8,
    shift_left_64 = _mm256_sll_epi64,
    shift_right_64 = _mm256_srl_epi64,
    shift_left_32 = _mm256_slli_epi32,
    sign_32 = _mm256_srai_epi32,
    carry_byte = |low, high| _mm256_alignr_epi8::<15>(high, low),
    masks = |bits| {
        let lanes = _mm256_setr_epi64x(1, 1, 2, 2);
        _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(bits as i64), lanes), lanes)
    },
}
