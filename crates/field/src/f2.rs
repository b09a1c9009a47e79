//! F2, the field of two elements: `+` is XOR, `*` is AND. Boolean statements are written over it.
//!
//! One element is a byte that is 0 or 1; many are packed in [`Bits`](crate::Bits).

#![expect(clippy::suspicious_arithmetic_impl, reason = "in F2, `+` is `^` and `*` is `&`")]

use core::fmt;
use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use subtle::{Choice, ConstantTimeEq};

use crate::{EncodingError, Field, Ring};

/// A bit. It may be secret: operators do not branch on it, and `Debug` does not show it.
///
/// ```
/// use volery_field::F2;
/// assert_eq!(F2::ONE + F2::ONE, F2::ZERO);
/// assert_eq!(F2::new(true) * F2::new(false), F2::from(false));
/// ```
// Invariant: the byte is 0 or 1.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F2(u8);

/// Wiping writes zeros, in slices too.
impl zeroize::DefaultIsZeroes for F2 {}

impl F2 {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self(1);

    /// One if `bit` holds, else zero.
    #[inline(always)]
    #[must_use]
    pub const fn new(bit: bool) -> Self {
        Self(bit as u8)
    }

    /// The lowest bit of `word`; the others are ignored.
    #[inline(always)]
    #[must_use]
    pub const fn from_lsb(word: u64) -> Self {
        Self((word & 1) as u8)
    }

    /// Whether this is one. Do not branch on the answer if it is secret; [`F2::mask`] selects without a
    /// branch.
    #[inline(always)]
    #[must_use]
    pub const fn to_bool(self) -> bool {
        self.0 != 0
    }

    /// The number 0 or 1.
    #[inline(always)]
    #[must_use]
    pub const fn to_u8(self) -> u8 {
        self.0
    }

    /// All bits set if this is one, none if zero.
    #[inline(always)]
    #[must_use]
    pub const fn mask(self) -> u128 {
        (self.0 as u128).wrapping_neg()
    }
}

impl From<bool> for F2 {
    #[inline(always)]
    fn from(bit: bool) -> Self {
        Self::new(bit)
    }
}

impl From<F2> for bool {
    #[inline(always)]
    fn from(bit: F2) -> Self {
        bit.to_bool()
    }
}

impl From<F2> for Choice {
    #[inline(always)]
    fn from(bit: F2) -> Self {
        Self::from(bit.0)
    }
}

impl ConstantTimeEq for F2 {
    #[inline(always)]
    fn ct_eq(&self, other: &Self) -> Choice {
        self.0.ct_eq(&other.0)
    }
}

impl fmt::Debug for F2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("F2(..)")
    }
}

impl Add for F2 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Sub for F2 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Mul for F2 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl Neg for F2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self
    }
}

impl AddAssign for F2 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for F2 {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign for F2 {
    #[inline(always)]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

impl core::iter::Sum for F2 {
    fn sum<I: Iterator<Item = Self>>(elements: I) -> Self {
        elements.fold(Self::ZERO, Add::add)
    }
}

impl Ring for F2 {
    const NAME: &'static str = "F2";
    const BYTES: usize = 1;
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        match out {
            [byte] => *byte = self.0,
            _ => return Err(EncodingError::Length { ring: Self::NAME, expected: 1, got: out.len() }),
        }
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        match *bytes {
            [byte @ (0 | 1)] => Ok(Self(byte)),
            [_] => Err(EncodingError::NotCanonical { ring: Self::NAME }),
            _ => Err(EncodingError::Length { ring: Self::NAME, expected: 1, got: bytes.len() }),
        }
    }

    #[inline]
    fn pack_bits(elements: &[Self]) -> Option<u64> {
        let (bytes, rest) = elements.as_chunks::<8>();
        let whole = bytes.iter().rev().fold(0, |word, bits| word << 8 | gather(bits));
        let rest = rest.iter().rev().fold(0, |word, bit| word << 1 | u64::from(bit.0));
        Some(whole | rest.checked_shl(8 * bytes.len() as u32).unwrap_or_default())
    }

    #[inline]
    fn unpack_bits(mut word: u64, out: &mut [Self]) {
        let (bytes, rest) = out.as_chunks_mut::<8>();
        for bits in bytes {
            *bits = scatter(word);
            word >>= 8;
        }
        rest.iter_mut().zip(scatter(word)).for_each(|(to, bit)| *to = bit);
    }
}

/// Collects eight bytes of one bit each. The product has bit `i` of byte `i` at position `56 + i`, and no two
/// terms at the same position.
#[inline(always)]
fn gather(bits: &[F2; 8]) -> u64 {
    u64::from_le_bytes(bits.map(F2::to_u8)).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Spreads the lowest eight bits. The product has bit `i < 7` at position `8 i`, and no two terms at the same
/// position.
#[inline(always)]
fn scatter(word: u64) -> [F2; 8] {
    const LOWEST: u64 = 0x0101_0101_0101_0101;
    let low = (word & 0x7f).wrapping_mul(0x0002_0408_1020_4081) & LOWEST;
    (low | (word & 0x80) << 49).to_le_bytes().map(F2)
}

impl Field for F2 {
    fn inverse_or_zero(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    crate::laws::field_laws!(F2, any::<bool>().prop_map(F2::new));

    #[test]
    fn only_zero_and_one_decode() {
        for byte in 0..=u8::MAX {
            let expected = match byte {
                0 => Ok(F2::ZERO),
                1 => Ok(F2::ONE),
                _ => Err(EncodingError::NotCanonical { ring: "F2" }),
            };
            assert_eq!(F2::decode(&[byte]), expected, "{byte}");
        }
    }

    crate::properties::properties! {
        #[test]
        fn packed_bits_are_in_order_and_come_back(word in any::<u64>(), n in 0..=64_usize) {
            let bits: Vec<F2> = (0..n).map(|i| F2::from_lsb(word >> i)).collect();
            let expected = if n == 64 { word } else { word & ((1 << n) - 1) };
            prop_assert_eq!(F2::pack_bits(&bits), Some(expected));
            let mut unpacked = vec![F2::ONE; n];
            F2::unpack_bits(word, &mut unpacked);
            prop_assert!(unpacked == bits);
        }
    }

    #[test]
    fn tables_are_those_of_xor_and_and() {
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            assert_eq!((F2::new(a) + F2::new(b)).to_bool(), a ^ b);
            assert_eq!((F2::new(a) * F2::new(b)).to_bool(), a & b);
            assert_eq!(F2::new(a).mask(), if a { u128::MAX } else { 0 });
        }
    }
}
