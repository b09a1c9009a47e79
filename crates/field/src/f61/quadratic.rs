//! `F_{p^2} = F_p[i] / (i^2 + 1)` over `p = 2^61 - 1`: the MAC field for soundness near `2^-122`.
//!
//! Since `p = 3 mod 4`, minus one is not a square, and `i^2 + 1` is irreducible. An element is `re + i * im`.

use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

use super::{F61, P, eightfold, loose};
use crate::operators::{exactly, write};
use crate::{Element, EncodingError, Field, Ring};

/// An element of the quadratic extension of [`F61`]. It may be secret: operators do not branch on it, and
/// `Debug` does not show it. Its encoding is the real part followed by the imaginary part, 8 bytes each.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct F61x2 {
    pub(super) re: F61,
    pub(super) im: F61,
}

crate::operators::scalar!(F61x2);

impl F61x2 {
    /// The adjoined square root of minus one.
    pub const I: Self = Self { re: F61(0), im: F61(1) };

    /// `re + i * im`.
    #[inline(always)]
    #[must_use]
    pub const fn new(re: F61, im: F61) -> Self {
        Self { re, im }
    }

    /// The real and the imaginary part.
    #[inline(always)]
    #[must_use]
    pub const fn parts(self) -> [F61; 2] {
        [self.re, self.im]
    }
}

/// In constant time.
impl PartialEq for F61x2 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        (self.re.0 ^ other.re.0) | (self.im.0 ^ other.im.0) == 0
    }
}

impl Eq for F61x2 {}

impl Zeroize for F61x2 {
    fn zeroize(&mut self) {
        self.re.zeroize();
        self.im.zeroize();
    }
}

impl Add for F61x2 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for F61x2 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Neg for F61x2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
}

impl Mul for F61x2 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // Sums of two products of 122 bits are reduced once; p - im stands for -im.
        let re = eightfold(self.re.0, other.re.0) + eightfold(self.im.0, P - other.im.0);
        let im = eightfold(self.re.0, other.im.0) + eightfold(self.im.0, other.re.0);
        Self { re: F61::new(loose(re)), im: F61::new(loose(im)) }
    }
}

impl Ring for F61x2 {
    const NAME: &'static str = "F61[i]";
    const BYTES: usize = 16;
    const ZERO: Self = Self { re: F61(0), im: F61(0) };
    const ONE: Self = Self { re: F61(1), im: F61(0) };

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        let word = u128::from(self.re.0) | u128::from(self.im.0) << 64;
        write(Self::NAME, word.to_le_bytes(), out)
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        let word = u128::from_le_bytes(exactly(Self::NAME, bytes)?);
        Self::canonical(word as u64, (word >> 64) as u64)
    }
}

impl F61x2 {
    /// The element with these parts, if they are below the modulus.
    #[inline(always)]
    fn canonical(re: u64, im: u64) -> Result<Self, EncodingError> {
        if re < P && im < P {
            Ok(Self { re: F61(re), im: F61(im) })
        } else {
            Err(EncodingError::NotCanonical { ring: Self::NAME })
        }
    }
}

impl Field for F61x2 {
    /// The conjugate over the norm.
    fn inverse_or_zero(self) -> Self {
        // re^2 + im^2 is zero only for zero, since minus one is not a square.
        let inverse = (self.re * self.re + self.im * self.im).inverse_or_zero();
        Self { re: self.re * inverse, im: -self.im * inverse }
    }
}

impl Element for F61x2 {
    /// The real part, then the imaginary part, 61 bits each.
    const BITS: u32 = 122;
    const BLOCKS: usize = 2;

    #[inline(always)]
    fn from_blocks(blocks: &[u128]) -> Self {
        let part = |i| F61::from_u128(blocks.get(i).copied().unwrap_or_default());
        Self { re: part(0), im: part(1) }
    }

    #[inline(always)]
    fn coefficient(block: u128) -> Self {
        // Bits 61 to 66 belong to neither part.
        Self { re: F61::new(block as u64 & P), im: F61::new((block >> 67) as u64) }
    }

    #[inline(always)]
    fn to_packed(self) -> [u64; 4] {
        [self.re.0 | self.im.0 << 61, self.im.0 >> 3, 0, 0]
    }

    #[inline(always)]
    fn from_packed(words: [u64; 4]) -> Result<Self, EncodingError> {
        match words {
            // The bits of the second word that the shift drops must be zero. `canonical` checks the rest.
            [low, high, 0, 0] if high >> 58 == 0 => Self::canonical(low & P, low >> 61 | high << 3),
            _ => Err(EncodingError::NotCanonical { ring: Self::NAME }),
        }
    }

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self { re: self.re.masked(mask), im: self.im.masked(mask) }
    }

    #[inline(always)]
    fn add_ten(self, entries: [&Self; 10]) -> Self {
        Self { re: self.re.add_ten(entries.map(|e| &e.re)), im: self.im.add_ten(entries.map(|e| &e.im)) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::any_element as any_part;
    use super::*;

    fn any_element() -> impl Strategy<Value = F61x2> {
        (any_part(), any_part()).prop_map(|(re, im)| F61x2 { re, im })
    }

    crate::laws::field_laws!(F61x2, any_element());
    crate::laws::mac_laws!(F61, F61x2, any_part(), any_element());

    #[test]
    fn i_squared_is_minus_one_and_minus_one_is_no_square() {
        assert_eq!(F61x2::I * F61x2::I, -F61x2::ONE);
        // Euler's criterion.
        assert_eq!(crate::operators::power(-F61::ONE, (P - 1) / 2), -F61::ONE);
    }

    #[test]
    fn the_packed_form_is_the_real_part_and_then_the_imaginary_part() {
        let element = F61x2::new(F61::new(0x0fed_cba9_8765_4321), F61::new(0x1234_5678_9abc_def0));
        let bits = u128::from(element.re.0) | u128::from(element.im.0) << 61;
        assert_eq!(element.to_packed(), [bits as u64, (bits >> 64) as u64, 0, 0]);
    }
}
