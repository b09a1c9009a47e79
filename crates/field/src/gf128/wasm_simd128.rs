//! WebAssembly with simd128: registers of 128 bits without carry-less multiplication. Products of many
//! elements are [`sliced`](super::sliced), others come from integer multiplication (`portable`).
//!
//! A module with these instructions is for engines that have them, so nothing is detected, and the intrinsics
//! are safe but for loads and stores.

use core::arch::wasm32::*;

use super::dispatch::{Level, Table};
use super::vector::Simd;
use super::{Gf128, portable, sliced, transpose as transposing};

/// The registers.
#[derive(Clone, Copy)]
struct Simd128;

pub(super) static TABLE: Table = Table {
    level: Level::Simd128,
    inner_product: |a, b| sliced::inner_product(Simd128, a, b),
    inner_product_bits: portable::inner_product_bits,
    powers: portable::powers,
    mul_slices: portable::mul_slices,
    scale_add: portable::scale_add,
    check_prover: |weights, a, b, c| sliced::check::<true, _>(Simd128, weights, [a, b, c]),
    check_verifier: |weights, a, b, c| sliced::check::<false, _>(Simd128, weights, [a, b, c]),
    weigh_prover: portable::weigh::<true>,
    weigh_verifier: portable::weigh::<false>,
    transpose: |rows, stride, out| transposing::transpose(Simd128, rows, stride, out),
};

impl Simd<1> for Simd128 {
    type V = v128;

    #[inline(always)]
    fn load(self, from: &[Gf128; 1]) -> v128 {
        // SAFETY: `from` has the 16 bytes that are loaded.
        unsafe { v128_load(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_bytes(self, from: &[[u8; 16]; 1]) -> v128 {
        // SAFETY: `from` has the 16 bytes that are loaded, of any alignment.
        unsafe { v128_load(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, v: v128, to: &mut [Gf128; 1]) {
        // SAFETY: `to` has the 16 bytes that are stored.
        unsafe { v128_store(to.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat(self, lane: Gf128) -> v128 {
        self.load(&[lane])
    }

    #[inline(always)]
    fn xor(self, a: v128, b: v128) -> v128 {
        v128_xor(a, b)
    }

    #[inline(always)]
    fn and(self, a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }

    #[inline(always)]
    fn clmul<const HALVES: i32>(self, a: v128, b: v128) -> v128 {
        let [a, b] = [(a, 0x01), (b, 0x10)].map(|(v, high)| match HALVES & high {
            0 => u64x2_extract_lane::<0>(v),
            _ => u64x2_extract_lane::<1>(v),
        });
        let product = portable::multiply_words(a, b);
        u64x2(product as u64, (product >> 64) as u64)
    }

    #[inline(always)]
    fn swap(self, v: v128) -> v128 {
        u64x2_shuffle::<1, 0>(v, v)
    }

    #[inline(always)]
    fn up(self, v: v128) -> v128 {
        u64x2_shuffle::<0, 2>(u64x2_splat(0), v)
    }

    #[inline(always)]
    fn down(self, v: v128) -> v128 {
        u64x2_shuffle::<1, 2>(v, u64x2_splat(0))
    }

    #[inline(always)]
    fn up_byte(self, v: v128) -> v128 {
        self.carry_byte(u64x2_splat(0), v)
    }

    #[inline(always)]
    fn carry_byte(self, low: v128, high: v128) -> v128 {
        // The top byte of `low`, then the bytes of `high` from the lowest.
        u8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(low, high)
    }

    #[inline(always)]
    fn low_halves(self, a: v128, b: v128) -> v128 {
        u64x2_shuffle::<0, 2>(a, b)
    }

    #[inline(always)]
    fn high_halves(self, a: v128, b: v128) -> v128 {
        u64x2_shuffle::<1, 3>(a, b)
    }

    #[inline(always)]
    fn interleave_low(self, a: v128, b: v128) -> v128 {
        u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b)
    }

    #[inline(always)]
    fn interleave_high(self, a: v128, b: v128) -> v128 {
        u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b)
    }

    #[inline(always)]
    fn shift_left(self, v: v128, bits: i64) -> v128 {
        u64x2_shl(v, bits as u32)
    }

    #[inline(always)]
    fn shift_right(self, v: v128, bits: i64) -> v128 {
        u64x2_shr(v, bits as u32)
    }

    #[inline(always)]
    fn spread_lsb(self, v: v128) -> v128 {
        u64x2_splat((u64x2_extract_lane::<0>(v) & 1).wrapping_neg())
    }

    #[inline(always)]
    fn masks(self, bits: u64) -> v128 {
        u64x2_splat((bits & 1).wrapping_neg())
    }
}
