//! GF(2^128), the MAC field of Boolean statements.
//!
//! Polynomial `x^128 + x^7 + x^2 + x + 1`, little-endian: bit `i` of the `u128` is the coefficient of `x^i`.

use core::fmt;

/// An element of GF(2^128). `Debug` does not show the value, since most elements here are secret.
#[derive(Clone, Copy, Default, PartialEq, Eq, zeroize::Zeroize)]
#[repr(transparent)]
pub struct Gf128(u128);

impl Gf128 {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self(1);

    /// The element whose coefficient of `x^i` is bit `i` of `bits`.
    #[inline(always)]
    #[must_use]
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The coefficients: bit `i` is that of `x^i`.
    #[inline(always)]
    #[must_use]
    pub const fn to_bits(self) -> u128 {
        self.0
    }
}

impl core::ops::Add for Gf128 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl core::ops::AddAssign for Gf128 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl fmt::Debug for Gf128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gf128(..)")
    }
}
