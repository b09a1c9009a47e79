//! x86-64 with AVX-512 and VPCLMULQDQ: four elements at a time.

use core::arch::x86_64::*;

use super::dispatch::{Level, Table};
use super::vector::{self, Simd, entries};
use super::x86_leaves::leaves;
use super::{Gf128, runs, transpose};

/// Proof that the CPU has AVX-512 F and BW and VPCLMULQDQ.
#[derive(Clone, Copy)]
pub(super) struct Vpclmul512(());

entries!(Vpclmul512, 4, Level::Vpclmul512, "avx512f,avx512bw,vpclmulqdq");

leaves! {
    Vpclmul512, 4, __m512i,
    load = _mm512_loadu_si512,
    store = _mm512_storeu_si512,
    splat = _mm512_broadcast_i32x4,
    xor = _mm512_xor_si512,
    and = _mm512_and_si512,
    clmul = _mm512_clmulepi64_epi128,
    shuffle_32 = _mm512_shuffle_epi32,
    up = _mm512_bslli_epi128,
    down = _mm512_bsrli_epi128,
    low_64 = _mm512_unpacklo_epi64,
    high_64 = _mm512_unpackhi_epi64,
    low_8 = _mm512_unpacklo_epi8,
    high_8 = _mm512_unpackhi_epi8,
    shift_left_64 = _mm512_sll_epi64,
    shift_right_64 = _mm512_srl_epi64,
    shift_left_32 = _mm512_slli_epi32,
    sign_32 = _mm512_srai_epi32,
    carry_byte = |low, high| _mm512_alignr_epi8::<15>(high, low),
    masks = |bits| {
        let lanes = _mm512_setr_epi64(1, 1, 2, 2, 4, 4, 8, 8);
        _mm512_maskz_set1_epi64(_mm512_test_epi64_mask(_mm512_set1_epi64(bits as i64), lanes), -1)
    },
}
