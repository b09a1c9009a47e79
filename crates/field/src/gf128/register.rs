//! The representation of one element: a vector register, if every CPU of the architecture has them.
//!
//! As a `u128`, an element would occupy two general registers, and adding two elements in memory would take
//! twice as many loads, operations and stores. SSE2 is part of x86-64, so there an element is an `__m128i`,
//! and what the hot loops of proofs do between kernels (add, copy, set a bit) takes one instruction each.
//! In a WebAssembly module with simd128 it is a `v128`.

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use core::arch::x86_64::{__m128i, _mm_and_si128, _mm_andnot_si128, _mm_or_si128, _mm_xor_si128};

    pub(in super::super) type Register = __m128i;

    #[inline(always)]
    pub(in super::super) const fn load(bits: u128) -> Register {
        // SAFETY: both types are 16 bytes, and every bit pattern is a value of both.
        unsafe { core::mem::transmute::<u128, __m128i>(bits) }
    }

    #[inline(always)]
    pub(in super::super) const fn store(register: Register) -> u128 {
        // SAFETY: both types are 16 bytes, and every bit pattern is a value of both.
        unsafe { core::mem::transmute::<__m128i, u128>(register) }
    }

    #[inline(always)]
    pub(in super::super) fn xor(a: Register, b: Register) -> Register {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_xor_si128(a, b) }
    }

    #[inline(always)]
    pub(in super::super) fn and(a: Register, b: Register) -> Register {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_and_si128(a, b) }
    }

    /// `a` where `mask` has zeros, `b` where it has ones.
    #[inline(always)]
    pub(in super::super) fn blend(mask: Register, a: Register, b: Register) -> Register {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_or_si128(_mm_andnot_si128(mask, a), _mm_and_si128(mask, b)) }
    }
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128 {
    use core::arch::wasm32::{v128, v128_and, v128_bitselect, v128_xor};

    pub(in super::super) type Register = v128;

    #[inline(always)]
    pub(in super::super) const fn load(bits: u128) -> Register {
        // SAFETY: both types are 16 bytes, and every bit pattern is a value of both.
        unsafe { core::mem::transmute::<u128, v128>(bits) }
    }

    #[inline(always)]
    pub(in super::super) const fn store(register: Register) -> u128 {
        // SAFETY: both types are 16 bytes, and every bit pattern is a value of both.
        unsafe { core::mem::transmute::<v128, u128>(register) }
    }

    #[inline(always)]
    pub(in super::super) fn xor(a: Register, b: Register) -> Register {
        v128_xor(a, b)
    }

    #[inline(always)]
    pub(in super::super) fn and(a: Register, b: Register) -> Register {
        v128_and(a, b)
    }

    /// `a` where `mask` has zeros, `b` where it has ones.
    #[inline(always)]
    pub(in super::super) fn blend(mask: Register, a: Register, b: Register) -> Register {
        v128_bitselect(b, a, mask)
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
mod general {
    pub(in super::super) type Register = u128;

    #[inline(always)]
    pub(in super::super) const fn load(bits: u128) -> Register {
        bits
    }

    #[inline(always)]
    pub(in super::super) const fn store(register: Register) -> u128 {
        register
    }

    #[inline(always)]
    pub(in super::super) fn xor(a: Register, b: Register) -> Register {
        a ^ b
    }

    #[inline(always)]
    pub(in super::super) fn and(a: Register, b: Register) -> Register {
        a & b
    }

    /// `a` where `mask` has zeros, `b` where it has ones.
    #[inline(always)]
    pub(in super::super) fn blend(mask: Register, a: Register, b: Register) -> Register {
        (a & !mask) | (b & mask)
    }
}

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128"))))]
pub(super) use general::*;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(super) use simd128::*;
#[cfg(target_arch = "x86_64")]
pub(super) use sse2::*;
