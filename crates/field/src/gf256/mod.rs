//! GF(2^8) with AES's polynomial `x^8 + x^4 + x^3 + x + 1`. Its values have MACs in GF(2^128), an extension
//! of degree sixteen.
//!
//! Bit `i` of an element's byte is the coefficient of `x^i`, as in FIPS 197, section 4.

#![expect(clippy::suspicious_arithmetic_impl, reason = "in characteristic 2, `+` and `-` are `^`")]

mod mac;

use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

use crate::operators::{exactly, write};
use crate::{Element, EncodingError, Field, Ring, Value};

/// An element of GF(2^8). It may be secret: operators do not branch on it or look it up, and `Debug` does not
/// show it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Gf256(u8);

crate::operators::scalar!(Gf256);

impl Gf256 {
    /// The element whose coefficient of `x^i` is bit `i` of `byte`.
    #[inline(always)]
    #[must_use]
    pub const fn from_byte(byte: u8) -> Self {
        Self(byte)
    }

    /// The coefficients: bit `i` is that of `x^i`.
    #[inline(always)]
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        self.0
    }
}

impl Zeroize for Gf256 {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Add for Gf256 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Sub for Gf256 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + other
    }
}

impl Neg for Gf256 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self
    }
}

impl Mul for Gf256 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let (a, b) = (u16::from(self.0), u16::from(other.0));
        let product = (0..8).fold(0, |sum, i| sum ^ ((a << i) & (b >> i & 1).wrapping_neg()));
        // x^8 = x^4 + x^3 + x + 1, so 7 bits fold onto 11 and their upper 3 onto 8.
        let fold = |high: u16| high ^ (high << 1) ^ (high << 3) ^ (high << 4);
        let folded = fold(product >> 8);
        Self((product ^ folded ^ fold(folded >> 8)) as u8)
    }
}

impl Ring for Gf256 {
    const NAME: &'static str = "GF(2^8)";
    const BYTES: usize = 1;
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        write(Self::NAME, [self.0], out)
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        exactly(Self::NAME, bytes).map(|[byte]| Self(byte))
    }
}

impl Field for Gf256 {
    fn inverse_or_zero(self) -> Self {
        // x^254, by Fermat.
        crate::operators::power(self, 254)
    }
}

impl Element for Gf256 {
    const BITS: u32 = 8;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn from_blocks(blocks: &[u128]) -> Self {
        Self(blocks.first().copied().unwrap_or_default() as u8)
    }

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask as u8)
    }
}

impl Value for Gf256 {
    const CHARACTERISTIC: Option<u64> = Some(2);

    #[inline(always)]
    fn from_u64(n: u64) -> Self {
        Self(n as u8 & 1)
    }

    #[inline(always)]
    fn digit(byte: u8) -> Self {
        Self(byte)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    crate::laws::field_laws!(Gf256, any::<u8>().prop_map(Gf256));

    /// FIPS 197, sections 4.2 and 4.2.1.
    #[test]
    fn products_of_the_aes_standard_are_known() {
        for (b, product) in
            [(0x83, 0xc1), (0x13, 0xfe), (0x02, 0xae), (0x04, 0x47), (0x08, 0x8e), (0x10, 0x07)]
        {
            assert_eq!(Gf256(0x57) * Gf256(b), Gf256(product), "{b:#x}");
        }
    }

    #[test]
    fn all_products_are_those_of_shift_and_add() {
        for (a, b) in (0..=u8::MAX).flat_map(|a| (0..=u8::MAX).map(move |b| (a, b))) {
            let (mut shifted, mut expected) = (a, 0);
            for i in 0..8 {
                expected ^= if b >> i & 1 == 1 { shifted } else { 0 };
                shifted = (shifted << 1) ^ if shifted >> 7 == 1 { 0x1b } else { 0 };
            }
            assert_eq!((Gf256(a) * Gf256(b)).0, expected);
        }
    }
}
