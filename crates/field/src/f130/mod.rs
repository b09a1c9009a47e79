//! The integers modulo `p = 2^130 - 5`: the field in which Poly1305 evaluates its polynomial (RFC 8439,
//! section 2.5).
//!
//! An element is three limbs of 64 bits, lowest first, and always below `p`. Modulo `p` the number `2^130` is
//! 5. So a number of more than 130 bits *folds*: its bits from 130 on, times 5, are added to the lower 130.
//! Nothing here branches on an element.

use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

use crate::operators::{exactly, write};
use crate::{Element, EncodingError, Field, Ring};

/// An integer below `2^384`, in limbs, lowest first.
type Wide = [u64; 6];

/// The bits of the highest limb of a reduced element.
const HIGH: u64 = 3;

/// The modulus.
const P: [u64; 3] = [u64::MAX - 4, u64::MAX, HIGH];

/// An integer modulo `2^130 - 5`. It may be secret: operators do not branch on it, and `Debug` does not show
/// it. Its encoding is the integer below the modulus in 17 bytes, little-endian.
///
/// ```
/// use volery_field::{F130, Ring};
/// let two_128 = F130::from_u128(u128::MAX) + F130::ONE;
/// assert_eq!(two_128 * F130::from_u128(4), F130::from_u128(5));
/// ```
// Invariant: below P.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct F130([u64; 3]);

crate::operators::scalar!(F130);

impl F130 {
    /// The class of `n`.
    #[inline(always)]
    #[must_use]
    pub const fn from_u128(n: u128) -> Self {
        Self([n as u64, (n >> 64) as u64, 0])
    }

    /// The lower 128 bits of the integer below the modulus.
    #[inline(always)]
    #[must_use]
    pub const fn to_low_u128(self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// The class of an integer.
    #[inline(always)]
    const fn from_wide(integer: Wide) -> Self {
        // From 384 bits to at most 257, then to 132, then to below 2^130 + 20, which is below 2 p.
        let [low, middle, high, ..] = fold(fold(fold(integer)));
        Self(minus_modulus([low, middle, high]))
    }
}

/// `a + b + carry` and the carry out.
#[inline(always)]
const fn add_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = a as u128 + b as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// `a - b` for `a` not below `b`.
#[inline(always)]
const fn subtract(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    let (low, first) = a[0].overflowing_sub(b[0]);
    let (middle, second) = a[1].overflowing_sub(b[1]);
    let (middle, third) = middle.overflowing_sub(first as u64);
    [low, middle, a[2].wrapping_sub(b[2]).wrapping_sub((second | third) as u64)]
}

/// `a` modulo `p`, for `a` below `2 p`.
#[inline(always)]
const fn minus_modulus(a: [u64; 3]) -> [u64; 3] {
    // a + 5 reaches 2^130 exactly if a reaches p. Without that bit it is a - p.
    let (low, carry) = add_carry(a[0], 5, 0);
    let (middle, carry) = add_carry(a[1], 0, carry);
    let high = a[2].wrapping_add(carry);
    let keep = (high >> 2).wrapping_sub(1);
    [
        a[0] & keep | low & !keep,
        a[1] & keep | middle & !keep,
        // `keep` is not all ones only if the bit is set.
        a[2] & keep | high & HIGH & !keep,
    ]
}

/// The lower 130 bits plus 5 times the others.
#[inline(always)]
const fn fold(n: Wide) -> Wide {
    let low = [n[0], n[1], n[2] & HIGH, 0, 0];
    let high = [n[2] >> 2 | n[3] << 62, n[3] >> 2 | n[4] << 62, n[4] >> 2 | n[5] << 62, n[5] >> 2, 0];
    let (mut sum, mut carry, mut i) = ([0; 6], 0, 0);
    while i < 5 {
        let column = low[i] as u128 + 5 * high[i] as u128 + carry;
        sum[i] = column as u64;
        carry = column >> 64;
        i += 1;
    }
    sum
}

/// In constant time.
impl PartialEq for F130 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
    }
}

impl Eq for F130 {}

impl Zeroize for F130 {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Add for F130 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (low, carry) = add_carry(self.0[0], other.0[0], 0);
        let (middle, carry) = add_carry(self.0[1], other.0[1], carry);
        Self(minus_modulus([low, middle, self.0[2] + other.0[2] + carry]))
    }
}

impl Sub for F130 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for F130 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // From zero this makes p.
        Self(minus_modulus(subtract(P, self.0)))
    }
}

impl Mul for F130 {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let mut product = [0; 6];
        for i in 0..3 {
            let mut carry = 0;
            for j in 0..3 {
                let sum = u128::from(product[i + j]) + u128::from(self.0[i]) * u128::from(other.0[j]) + carry;
                product[i + j] = sum as u64;
                carry = sum >> 64;
            }
            product[i + 3] = carry as u64;
        }
        Self::from_wide(product)
    }
}

impl Ring for F130 {
    const NAME: &'static str = "F_{2^130-5}";
    const BYTES: usize = 17;
    const ZERO: Self = Self([0; 3]);
    const ONE: Self = Self([1, 0, 0]);

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        let [low, middle, high] = self.0;
        let mut bytes = [0; 17];
        bytes.iter_mut().zip(low.to_le_bytes().into_iter().chain(middle.to_le_bytes())).for_each(
            |(to, from)| {
                *to = from;
            },
        );
        bytes[16] = high as u8;
        write(Self::NAME, bytes, out)
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        let [low @ .., high]: [u8; 17] = exactly(Self::NAME, bytes)?;
        let low = u128::from_le_bytes(low);
        let integer = [low as u64, (low >> 64) as u64, u64::from(high)];
        if integer[2] > HIGH || minus_modulus(integer) != integer {
            return Err(EncodingError::NotCanonical { ring: Self::NAME });
        }
        Ok(Self(integer))
    }
}

impl Field for F130 {
    fn inverse_or_zero(self) -> Self {
        // x^(p - 2), by Fermat: p - 2 = 8 (2^127 - 1) + 1.
        let ones = (1..127).fold(self, |power, _| power * power * self);
        (0..3).fold(ones, |power, _| power * power) * self
    }
}

impl Element for F130 {
    const BITS: u32 = 130;
    const BLOCKS: usize = 3;

    /// The 384-bit integer, lowest block first, modulo the prime: less than `2^-253` from uniform.
    #[inline]
    fn from_blocks(blocks: &[u128]) -> Self {
        let mut integer = [0; 6];
        for (limbs, block) in integer.as_chunks_mut::<2>().0.iter_mut().zip(blocks) {
            *limbs = [*block as u64, (*block >> 64) as u64];
        }
        Self::from_wide(integer)
    }

    /// The 128-bit integer times `2^65`, so that the block also decides the upper bits.
    #[inline(always)]
    fn coefficient(block: u128) -> Self {
        Self::from_u128(block) * Self([0, 2, 0])
    }

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0.map(|limb| limb & mask))
    }
}

#[cfg(test)]
mod tests;
