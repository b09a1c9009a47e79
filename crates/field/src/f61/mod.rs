//! `F_{2^61-1}`: arithmetic statements' usual field, values and MACs alike (`r = 1`).
//!
//! An element is a `u64` below `p = 2^61 - 1`. A product of 122 bits folds at bit 61, since `2^61 = 1`.

use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use zeroize::Zeroize;

use crate::{Element, EncodingError, Field, Mac, Ring, Value};

/// The modulus.
pub const P: u64 = (1 << 61) - 1;

/// An integer modulo `2^61 - 1`. It may be secret: operators do not branch on it, and `Debug` does not show it.
// Invariant: below P.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F61(u64);

impl F61 {
    /// The class of `n`.
    #[inline(always)]
    #[must_use]
    pub const fn new(n: u64) -> Self {
        Self(below((n & P) + (n >> 61)))
    }

    /// The class of `n`.
    #[inline(always)]
    #[must_use]
    pub const fn from_u128(n: u128) -> Self {
        // Three limbs of 61 bits; the highest has 6.
        Self::new((n as u64 & P) + ((n >> 61) as u64 & P) + (n >> 122) as u64)
    }

    /// The representative below the modulus.
    #[inline(always)]
    #[must_use]
    pub const fn to_u64(self) -> u64 {
        self.0
    }
}

/// `n mod p` for `n < 2 p`, without a branch.
#[inline(always)]
const fn below(n: u64) -> u64 {
    let reduced = n.wrapping_sub(P);
    // All ones where the subtraction went below zero.
    let borrow = ((reduced as i64) >> 63) as u64;
    reduced.wrapping_add(borrow & P)
}

impl core::fmt::Debug for F61 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("F61(..)")
    }
}

impl Zeroize for F61 {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Add for F61 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(below(self.0 + other.0))
    }
}

impl Sub for F61 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(below(self.0 + P - other.0))
    }
}

impl Neg for F61 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(below(P - self.0))
    }
}

impl Mul for F61 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let product = u128::from(self.0) * u128::from(other.0);
        Self(below((product as u64 & P) + (product >> 61) as u64))
    }
}

impl AddAssign for F61 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for F61 {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign for F61 {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl Ring for F61 {
    const NAME: &'static str = "F61";
    const BYTES: usize = 8;
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        let length = out.len();
        let out: &mut [u8; 8] = out.try_into().map_err(|_| EncodingError::Length {
            ring: Self::NAME,
            expected: 8,
            got: length,
        })?;
        *out = self.0.to_le_bytes();
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        let bytes: [u8; 8] = bytes.try_into().map_err(|_| EncodingError::Length {
            ring: Self::NAME,
            expected: 8,
            got: bytes.len(),
        })?;
        let n = u64::from_le_bytes(bytes);
        if n < P { Ok(Self(n)) } else { Err(EncodingError::NotCanonical { ring: Self::NAME }) }
    }
}

impl Field for F61 {
    fn inverse(self) -> Option<Self> {
        // Fermat: the exponent p - 2 is public, so the time is fixed.
        let mut power = Self::ONE;
        for bit in (0..61).rev() {
            power *= power;
            if (P - 2) >> bit & 1 == 1 {
                power *= self;
            }
        }
        (!self.is_zero()).then_some(power)
    }
}

impl Element for F61 {
    const BITS: u32 = 61;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn from_blocks(blocks: &[u128]) -> Self {
        Self::from_u128(blocks.first().copied().unwrap_or_default())
    }

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask)
    }

    #[inline(always)]
    fn add_ten(self, e: [Self; 10]) -> Self {
        // Eight elements stay below 2^64; so do a folded sum (at most 2^61 + 6) and the other three.
        let eight = self.0 + e[0].0 + e[1].0 + e[2].0 + e[3].0 + e[4].0 + e[5].0 + e[6].0;
        Self::new((eight & P) + (eight >> 61) + e[7].0 + e[8].0 + e[9].0)
    }
}

impl Value for F61 {
    const CHARACTERISTIC: Option<u64> = Some(P);

    #[inline(always)]
    fn from_u64(n: u64) -> Self {
        Self::new(n)
    }

    #[inline(always)]
    fn digit(byte: u8) -> Self {
        Self(u64::from(byte))
    }
}

impl Mac<Self> for F61 {
    const DEGREE: usize = 1;
    const DIGIT_BITS: usize = 8;
    const DIGITS: usize = 8;

    #[inline(always)]
    fn embed(x: Self) -> Self {
        x
    }

    fn basis(_h: usize) -> Self {
        Self::ONE
    }

    fn weight(t: usize) -> Self {
        // 2^(8t), folded at bit 61.
        Self::from_u128(1 << (8 * t as u32 % 128))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_element() -> impl Strategy<Value = F61> {
        prop_oneof![4 => any::<u64>().prop_map(F61::new), 1 => (0..3_u64).prop_map(F61), 1 => (P - 3..P).prop_map(F61)]
    }

    crate::laws::field_laws!(F61, any_element());
}
