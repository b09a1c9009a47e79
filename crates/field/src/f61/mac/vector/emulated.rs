//! Lanes of any instruction set, in plain Rust. Each operation follows the definition of the corresponding
//! instruction in the Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; its doc comment
//! has the instruction's name.

use super::lanes::{Lanes, Madd52, Mul32};
use crate::f61::F61;

/// `N` lanes in plain Rust, for every CPU.
#[derive(Clone, Copy)]
pub(super) struct Emulated<const N: usize>;

fn both<const N: usize>(a: [u64; N], b: [u64; N], f: impl Fn(u64, u64) -> u64) -> [u64; N] {
    core::array::from_fn(|i| f(a[i], b[i]))
}

impl<const N: usize> Lanes<N> for Emulated<N> {
    type V = [u64; N];

    fn load(self, from: &[F61; N]) -> [u64; N] {
        from.map(F61::to_u64)
    }

    fn store(self, v: [u64; N], to: &mut [F61; N]) {
        *to = v.map(|word| {
            // The instruction sets store without this check.
            assert!(word < crate::f61::P, "a lane is not reduced");
            F61::new(word)
        });
    }

    fn words(self, v: [u64; N]) -> [u64; N] {
        v
    }

    fn splat(self, word: u64) -> [u64; N] {
        [word; N]
    }

    /// PADDQ.
    fn add(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        both(a, b, u64::wrapping_add)
    }

    /// PSUBQ.
    fn sub(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        both(a, b, u64::wrapping_sub)
    }

    /// PAND.
    fn and(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        both(a, b, |a, b| a & b)
    }

    /// PSLLQ.
    fn shift_left<const BITS: u32>(self, v: [u64; N]) -> [u64; N] {
        v.map(|word| word << BITS)
    }

    /// PSRLQ.
    fn shift_right<const BITS: u32>(self, v: [u64; N]) -> [u64; N] {
        v.map(|word| word >> BITS)
    }

    /// VBLENDVPD with `b` as the mask; for the operands that it gets, VPMINUQ.
    fn lesser(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        let chosen = both(a, b, |a, b| if b >> 63 == 1 { a } else { b });
        assert_eq!(chosen, both(a, b, u64::min), "the two ways to choose differ");
        chosen
    }

    /// PSHUFD with 01 00 11 10.
    fn swap(self, v: [u64; N]) -> [u64; N] {
        core::array::from_fn(|i| v[i ^ 1])
    }

    /// VPERMQ.
    fn spread_low(self, v: [u64; N]) -> [u64; N] {
        core::array::from_fn(|i| v[i / 2])
    }

    /// VPERMQ.
    fn spread_high(self, v: [u64; N]) -> [u64; N] {
        core::array::from_fn(|i| v[N / 2 + i / 2])
    }

    fn load_words(self, from: &[[u8; 8]; N]) -> [u64; N] {
        from.map(u64::from_le_bytes)
    }

    fn store_words(self, v: [u64; N], to: &mut [[u8; 8]; N]) {
        *to = v.map(u64::to_le_bytes);
    }

    /// POR.
    fn or(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        both(a, b, |a, b| a | b)
    }

    /// VPSLLVQ.
    fn shift_left_each(self, v: [u64; N], bits: [u64; N]) -> [u64; N] {
        both(v, bits, |word, bits| if bits < 64 { word << bits } else { 0 })
    }

    /// VPSRLVQ.
    fn shift_right_each(self, v: [u64; N], bits: [u64; N]) -> [u64; N] {
        both(v, bits, |word, bits| if bits < 64 { word >> bits } else { 0 })
    }

    /// PUNPCKLQDQ and VPERMQ, or VPERMT2Q.
    fn evens(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        core::array::from_fn(|i| if i < N / 2 { a[2 * i] } else { b[2 * i - N] })
    }

    /// PUNPCKHQDQ and VPERMQ, or VPERMT2Q.
    fn odds(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        core::array::from_fn(|i| if i < N / 2 { a[2 * i + 1] } else { b[2 * i + 1 - N] })
    }

    /// VPBLENDD or VPBLENDMQ.
    fn merge(self, even: [u64; N], odd: [u64; N]) -> [u64; N] {
        core::array::from_fn(|i| if i % 2 == 0 { even[i] } else { odd[i] })
    }
}

impl<const N: usize> Mul32<N> for Emulated<N> {
    /// PMULUDQ.
    fn mul32(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        both(a, b, |a, b| u64::from(a as u32) * u64::from(b as u32))
    }
}

/// The product of the low 52 bits, in 104.
fn product52(a: u64, b: u64) -> u128 {
    const MASK: u64 = (1 << 52) - 1;
    u128::from(a & MASK) * u128::from(b & MASK)
}

impl<const N: usize> Madd52<N> for Emulated<N> {
    /// VPMADD52LUQ.
    fn madd52_low(self, sum: [u64; N], a: [u64; N], b: [u64; N]) -> [u64; N] {
        both(sum, both(a, b, |a, b| product52(a, b) as u64 & ((1 << 52) - 1)), u64::wrapping_add)
    }

    /// VPMADD52HUQ.
    fn madd52_high(self, sum: [u64; N], a: [u64; N], b: [u64; N]) -> [u64; N] {
        both(sum, both(a, b, |a, b| (product52(a, b) >> 52) as u64), u64::wrapping_add)
    }
}
