//! AArch64 with Neon and PMULL: one element at a time.

use core::arch::aarch64::*;

use super::dispatch::{Level, Table};
use super::vector::{self, Simd, entries};
use super::{Gf128, runs, transpose};

/// Proof that the CPU has Neon and PMULL, which Rust's feature `aes` includes.
// Invariant behind every SAFETY comment here: the field is private, and only `Pmull::new`, which requires the
// CPU features, makes a value. So wherever there is a `self`, the CPU has the instructions.
#[derive(Clone, Copy)]
pub(super) struct Pmull(());

entries!(Pmull, 1, Level::Pmull, "neon,aes");

/// `a * b`.
#[target_feature(enable = "neon,aes")]
pub(super) fn mul(a: Gf128, b: Gf128) -> Gf128 {
    vector::mul_one(Pmull::new(), a, b)
}

/// `a * a`.
#[target_feature(enable = "neon,aes")]
pub(super) fn square(a: Gf128) -> Gf128 {
    vector::square_one(Pmull::new(), a)
}

/// The carry-less product. This function enables the features itself, since the intrinsic would not be
/// inlined otherwise.
#[target_feature(enable = "neon,aes")]
#[inline]
fn pmull(a: u64, b: u64) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_p64(a, b))
}

impl Simd<1> for Pmull {
    type V = uint64x2_t;

    #[inline(always)]
    fn load(self, from: &[Gf128; 1]) -> uint64x2_t {
        // SAFETY: `self` proves the features; `from` has the 16 bytes that are loaded, aligned to more
        // than 8.
        unsafe { vld1q_u64(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_bytes(self, from: &[[u8; 16]; 1]) -> uint64x2_t {
        // SAFETY: `self` proves the features; `from` has the 16 bytes that are loaded, of any alignment.
        unsafe { vreinterpretq_u64_u8(vld1q_u8(from.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self, v: uint64x2_t, to: &mut [Gf128; 1]) {
        // SAFETY: `self` proves the features; `to` has the 16 bytes that are stored, aligned to more than 8.
        unsafe { vst1q_u64(to.as_mut_ptr().cast(), v) }
    }

    #[inline(always)]
    fn splat(self, lane: Gf128) -> uint64x2_t {
        self.load(&[lane])
    }

    #[inline(always)]
    fn xor(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { veorq_u64(a, b) }
    }

    #[inline(always)]
    fn and(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vandq_u64(a, b) }
    }

    #[inline(always)]
    fn clmul<const HALVES: i32>(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe {
            let a = if HALVES & 0x01 == 0 { vgetq_lane_u64::<0>(a) } else { vgetq_lane_u64::<1>(a) };
            let b = if HALVES & 0x10 == 0 { vgetq_lane_u64::<0>(b) } else { vgetq_lane_u64::<1>(b) };
            pmull(a, b)
        }
    }

    #[inline(always)]
    fn swap(self, v: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vextq_u64::<1>(v, v) }
    }

    #[inline(always)]
    fn up(self, v: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vextq_u64::<1>(vdupq_n_u64(0), v) }
    }

    #[inline(always)]
    fn down(self, v: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vextq_u64::<1>(v, vdupq_n_u64(0)) }
    }

    #[inline(always)]
    fn up_byte(self, v: uint64x2_t) -> uint64x2_t {
        self.carry_byte(self.splat(Gf128::ZERO), v)
    }

    #[inline(always)]
    fn carry_byte(self, low: uint64x2_t, high: uint64x2_t) -> uint64x2_t {
        // The top byte of `low`, then the bytes of `high` from the lowest.
        // SAFETY: `self` proves the features.
        unsafe { vreinterpretq_u64_u8(vextq_u8::<15>(vreinterpretq_u8_u64(low), vreinterpretq_u8_u64(high))) }
    }

    #[inline(always)]
    fn low_halves(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vzip1q_u64(a, b) }
    }

    #[inline(always)]
    fn high_halves(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vzip2q_u64(a, b) }
    }

    #[inline(always)]
    fn interleave_low(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vreinterpretq_u64_u8(vzip1q_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(b))) }
    }

    #[inline(always)]
    fn interleave_high(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vreinterpretq_u64_u8(vzip2q_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(b))) }
    }

    #[inline(always)]
    fn shift_left(self, v: uint64x2_t, bits: i64) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vshlq_u64(v, vdupq_n_s64(bits)) }
    }

    #[inline(always)]
    fn shift_right(self, v: uint64x2_t, bits: i64) -> uint64x2_t {
        // A shift by a negative number goes right.
        // SAFETY: `self` proves the features.
        unsafe { vshlq_u64(v, vdupq_n_s64(-bits)) }
    }

    #[inline(always)]
    fn spread_lsb(self, v: uint64x2_t) -> uint64x2_t {
        // Bit 0 to the sign of its half, the sign to all of it, the low half to both.
        // SAFETY: `self` proves the features.
        unsafe {
            let signs = vshrq_n_s64::<63>(vreinterpretq_s64_u64(vshlq_n_u64::<63>(v)));
            vdupq_laneq_u64::<0>(vreinterpretq_u64_s64(signs))
        }
    }

    #[inline(always)]
    fn masks(self, bits: u64) -> uint64x2_t {
        // SAFETY: `self` proves the features.
        unsafe { vdupq_n_u64((bits & 1).wrapping_neg()) }
    }
}
