//! `F_{p^2} = F_p[X] / (X^2 - 7)` over `p = 2^64 - 2^32 + 1`: the MAC field for soundness near `2^-126`.
//!
//! Seven generates the multiplicative group of `F_p`, so it is not a square, and `X^2 - 7` is irreducible.

use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

use super::{E, Goldilocks, P, loose, minus, plus};
use crate::operators::{exactly, write};
use crate::wide::product;
use crate::{Element, EncodingError, Field, Ring};

/// `c_0 + c_1 X` with `X^2 = 7`, an element of the quadratic extension of [`Goldilocks`]. It may be secret:
/// operators do not branch on it, and `Debug` does not show it. Its encoding is the coefficients in this
/// order, 8 bytes each.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct GoldilocksX2(pub(super) [Goldilocks; 2]);

crate::operators::scalar!(GoldilocksX2);

impl GoldilocksX2 {
    /// The adjoined square root of seven.
    pub const X: Self = Self([Goldilocks(0), Goldilocks(1)]);

    /// The element with these coefficients, lowest power first.
    #[inline(always)]
    #[must_use]
    pub const fn new(coefficients: [Goldilocks; 2]) -> Self {
        Self(coefficients)
    }

    /// The coefficients, lowest power first.
    #[inline(always)]
    #[must_use]
    pub const fn coefficients(self) -> [Goldilocks; 2] {
        self.0
    }

    /// The coefficients' words.
    #[inline(always)]
    pub(super) const fn words(self) -> [u64; 2] {
        [self.0[0].0, self.0[1].0]
    }

    /// The element with these words as coefficients, if they are below the modulus.
    #[inline(always)]
    fn canonical(words: [u64; 2]) -> Result<Self, EncodingError> {
        if words.iter().all(|word| *word < P) {
            Ok(Self(words.map(Goldilocks)))
        } else {
            Err(EncodingError::NotCanonical { ring: Self::NAME })
        }
    }
}

/// `a b + c d` for loose factors, loose.
#[inline(always)]
pub(super) fn two_products([a, b]: [u64; 2], [c, d]: [u64; 2]) -> u64 {
    let (sum, carry) = product(a, b).overflowing_add(product(c, d));
    // 2^128 = -2^32.
    minus(loose(sum), u64::from(carry) << 32)
}

/// The loose coefficients of `a * b`.
#[inline(always)]
pub(super) fn loose_product(a: GoldilocksX2, b: GoldilocksX2) -> [u64; 2] {
    let ([a0, a1], [b0, b1]) = (a.words(), b.words());
    let seven_b1 = 7 * u128::from(b1);
    let seven_b1 = plus(seven_b1 as u64, (seven_b1 >> 64) as u64 * E);
    [two_products([a0, b0], [a1, seven_b1]), two_products([a0, b1], [a1, b0])]
}

/// In constant time.
impl PartialEq for GoldilocksX2 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        let ([a0, a1], [b0, b1]) = (self.words(), other.words());
        (a0 ^ b0) | (a1 ^ b1) == 0
    }
}

impl Eq for GoldilocksX2 {}

impl Zeroize for GoldilocksX2 {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Add for GoldilocksX2 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }
}

impl Sub for GoldilocksX2 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self([self.0[0] - other.0[0], self.0[1] - other.0[1]])
    }
}

impl Neg for GoldilocksX2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(Neg::neg))
    }
}

impl Mul for GoldilocksX2 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(loose_product(self, other).map(Goldilocks::new))
    }
}

impl Ring for GoldilocksX2 {
    const NAME: &'static str = "Goldilocks[X]/(X^2-7)";
    const BYTES: usize = 16;
    const ZERO: Self = Self([Goldilocks(0); 2]);
    const ONE: Self = Self([Goldilocks(1), Goldilocks(0)]);

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        let [low, high] = self.words();
        write(Self::NAME, (u128::from(low) | u128::from(high) << 64).to_le_bytes(), out)
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        let bits = u128::from_le_bytes(exactly(Self::NAME, bytes)?);
        Self::canonical([bits as u64, (bits >> 64) as u64])
    }
}

impl Field for GoldilocksX2 {
    /// The conjugate over the norm.
    fn inverse_or_zero(self) -> Self {
        let [c0, c1] = self.0;
        // c_0^2 - 7 c_1^2 is zero only for zero, since seven is not a square.
        let inverse = (c0 * c0 - Goldilocks(7) * c1 * c1).inverse_or_zero();
        Self([c0 * inverse, -c1 * inverse])
    }
}

impl Element for GoldilocksX2 {
    const BITS: u32 = 128;
    const BLOCKS: usize = 2;

    #[inline(always)]
    fn from_blocks(blocks: &[u128]) -> Self {
        let coefficient = |i| Goldilocks::from_u128(blocks.get(i).copied().unwrap_or_default());
        Self([coefficient(0), coefficient(1)])
    }

    /// 64 bits for each coefficient: no element is selected by more than four blocks.
    #[inline(always)]
    fn coefficient(block: u128) -> Self {
        Self([Goldilocks::new(block as u64), Goldilocks::new((block >> 64) as u64)])
    }

    #[inline(always)]
    fn to_packed(self) -> [u64; 4] {
        let [low, high] = self.words();
        [low, high, 0, 0]
    }

    #[inline(always)]
    fn from_packed(words: [u64; 4]) -> Result<Self, EncodingError> {
        match words {
            [low, high, 0, 0] => Self::canonical([low, high]),
            _ => Err(EncodingError::NotCanonical { ring: Self::NAME }),
        }
    }

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0.map(|coefficient| coefficient.masked(mask)))
    }

    #[inline(always)]
    fn add_ten(self, entries: [&Self; 10]) -> Self {
        Self(core::array::from_fn(|i| self.0[i].add_ten(entries.map(|entry| &entry.0[i]))))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::any_element as any_coefficient;
    use super::*;
    use crate::Mac as _;
    use crate::operators::power;

    fn any_element() -> impl Strategy<Value = GoldilocksX2> {
        [any_coefficient(), any_coefficient()].prop_map(GoldilocksX2)
    }

    crate::laws::field_laws!(GoldilocksX2, any_element());
    crate::laws::mac_laws!(Goldilocks, GoldilocksX2, any_coefficient(), any_element());

    #[test]
    fn x_squared_is_seven_and_seven_is_no_square() {
        let seven = Goldilocks::new(7);
        assert_eq!(GoldilocksX2::X * GoldilocksX2::X, GoldilocksX2::embed(seven));
        assert_eq!(power(seven, (P - 1) / 2), -Goldilocks::ONE);
    }

    /// Computed by Python's integers: `((a0*b0 + 7*a1*b1) % p, (a0*b1 + a1*b0) % p)`, and the inverse of `a`
    /// as `(a0*n % p, -a1*n % p)` with `n = pow(a0*a0 - 7*a1*a1, -1, p)`.
    #[test]
    fn products_and_inverses_are_the_known_ones() {
        const KNOWN: [[[u64; 2]; 4]; 3] = [
            [[3, 5], [11, 13], [488, 94], [9445621963254455827, 15001870176933547490]],
            [[P - 1, P - 1], [P - 1, P - 1], [8, 2], [15372286724512153601, 3074457344902430720]],
            [
                [13007583977083477501, 9964661606799884494],
                [5133295621680162413, 16924759126501987428],
                [3892937243048742703, 10310752872730395103],
                [12525893024197239109, 12211053977598114027],
            ],
        ];
        for case in KNOWN {
            let [a, b, product, inverse] = case.map(|words| GoldilocksX2(words.map(Goldilocks::new)));
            assert_eq!((a * b).words(), product.words());
            assert_eq!(a.inverse().map(GoldilocksX2::words), Some(inverse.words()));
        }
    }

    #[test]
    fn encodings_with_a_coefficient_from_the_modulus_on_are_refused() {
        let error = EncodingError::NotCanonical { ring: GoldilocksX2::NAME };
        for words in [[P, 0], [0, P], [u64::MAX, 1], [1, u64::MAX]] {
            let bits = u128::from(words[0]) | u128::from(words[1]) << 64;
            assert_eq!(GoldilocksX2::decode(&bits.to_le_bytes()), Err(error));
            assert_eq!(GoldilocksX2::from_packed([words[0], words[1], 0, 0]), Err(error));
        }
    }
}
