//! The integers modulo `p = 2^32 - 99`, for statements about short vectors and machine words (SIS), and their
//! extension of degree four, [`F32x4`], for MACs.
//!
//! An element is a `u32` below `p`. A product is folded at bit 32 twice, since `2^32 = 99`, and reduced by a
//! final subtraction.

mod quartic;
mod sums;

use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

use crate::extension::same;
use crate::operators::{exactly, power, write};
use crate::{Element, EncodingError, Field, LengthError, Ring, Value};

pub use quartic::F32x4;

/// The modulus, a prime with `p = 5 mod 8`.
pub const P: u32 = u32::MAX - 98;

/// `2^32` modulo the prime.
const FOLD: u64 = 99;

/// An integer modulo `2^32 - 99`. It may be secret: operators do not branch on it, and `Debug` does not show
/// it.
// Invariant: below P.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F32(u32);

crate::operators::scalar!(F32);

impl F32 {
    /// The class of `n`.
    #[inline(always)]
    #[must_use]
    pub const fn new(n: u64) -> Self {
        // At most 2^32 - 1 + 99 * (2^32 - 1), then at most 2^32 - 1 + 99 * 99, which is below 2 p.
        let n = (n & LOW) + FOLD * (n >> 32);
        let n = (n & LOW) + FOLD * (n >> 32);
        Self(below(n))
    }

    /// The class of `n`.
    #[inline(always)]
    #[must_use]
    pub const fn from_u128(n: u128) -> Self {
        // 2^64 = 99^2.
        let high = Self::new((n >> 64) as u64).0 as u64;
        Self::new(FOLD * FOLD * high + Self::new(n as u64).0 as u64)
    }

    /// The class of a sum of up to 256 products.
    #[inline(always)]
    const fn from_sum(n: u128) -> Self {
        // Below 2^32 + 99 * 2^32 + 99^2 * 2^8.
        Self::new((n as u64 & LOW) + FOLD * (n as u64 >> 32) + FOLD * FOLD * (n >> 64) as u64)
    }

    /// The representative below the modulus.
    #[inline(always)]
    #[must_use]
    pub const fn to_u32(self) -> u32 {
        self.0
    }
}

/// The low half of a word.
const LOW: u64 = u32::MAX as u64;

/// `n mod p` for `n < 2 p`, without a branch.
#[inline(always)]
const fn below(n: u64) -> u32 {
    let reduced = n.wrapping_sub(P as u64);
    // All ones where the subtraction went below zero.
    let borrow = ((reduced as i64) >> 63) as u64;
    reduced.wrapping_add(borrow & P as u64) as u32
}

impl Zeroize for F32 {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Add for F32 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(below(u64::from(self.0) + u64::from(other.0)))
    }
}

impl Sub for F32 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(below(u64::from(self.0) + u64::from(P - other.0)))
    }
}

impl Neg for F32 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(below(u64::from(P - self.0)))
    }
}

impl Mul for F32 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::new(u64::from(self.0) * u64::from(other.0))
    }
}

impl Ring for F32 {
    const NAME: &'static str = "F32";
    const BYTES: usize = 4;
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        write(Self::NAME, self.0.to_le_bytes(), out)
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        let n = u32::from_le_bytes(exactly(Self::NAME, bytes)?);
        if n < P { Ok(Self(n)) } else { Err(EncodingError::NotCanonical { ring: Self::NAME }) }
    }
}

impl Field for F32 {
    fn inverse_or_zero(self) -> Self {
        // Fermat.
        power(self, u64::from(P) - 2)
    }
}

impl Element for F32 {
    const BITS: u32 = 32;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn from_blocks(blocks: &[u128]) -> Self {
        Self::from_u128(blocks.first().copied().unwrap_or_default())
    }

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask as u32)
    }

    #[inline(always)]
    fn add_ten(self, entries: [&Self; 10]) -> Self {
        Self::new(entries.into_iter().fold(u64::from(self.0), |sum, entry| sum + u64::from(entry.0)))
    }
}

impl Value for F32 {
    const CHARACTERISTIC: Option<u64> = Some(P as u64);

    #[inline(always)]
    fn from_u64(n: u64) -> Self {
        Self::new(n)
    }

    fn dot(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        same(a.len(), &[b.len()])?;
        Ok(sums::dot(a, b))
    }

    #[inline(always)]
    fn digit(byte: u8) -> Self {
        Self(u32::from(byte))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn any_element() -> impl Strategy<Value = F32> {
        prop_oneof![4 => any::<u64>().prop_map(F32::new), 1 => (0..3_u32).prop_map(F32), 1 => (P - 3..P).prop_map(F32)]
    }

    crate::laws::field_laws!(F32, any_element());

    #[test]
    fn integers_reduce_as_division_says() {
        let p = u64::from(P);
        for n in [
            0,
            1,
            p - 1,
            p,
            p + 1,
            2 * p,
            2 * p - 1,
            LOW,
            LOW + 1,
            p * p,
            u64::MAX,
            u64::MAX - LOW,
            u64::MAX << 33,
        ] {
            assert_eq!(u64::from(F32::new(n).to_u32()), n % p);
        }
        for n in [u128::MAX, u128::MAX - u128::from(u64::MAX), 1 << 64, 1 << 127, u128::from(p) << 96] {
            assert_eq!(u128::from(F32::from_u128(n).to_u32()), n % u128::from(p));
        }
    }

    #[test]
    fn sums_of_the_largest_products_reduce() {
        let largest = u128::from(P - 1) * u128::from(P - 1);
        for n in [0, 1, 2, 7, 255, 256] {
            assert_eq!(u128::from(F32::from_sum(n * largest).to_u32()), n * largest % u128::from(P));
        }
    }

    #[test]
    fn the_modulus_is_prime() {
        assert!((2..1 << 16).all(|divisor| !P.is_multiple_of(divisor)));
    }
}
