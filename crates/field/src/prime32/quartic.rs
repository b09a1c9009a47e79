//! `F_{p^4} = F_p[X] / (X^4 - 2)` over `p = 2^32 - 99`: MACs of 128 bits for 32-bit values.
//!
//! `X^4 - 2` is irreducible: by theorem 3.75 of Lidl and Niederreiter ("Finite Fields"), `X^4 - a` is
//! irreducible if `a` is not a square and `p = 1 mod 4`. And `p = 5 mod 8`, so two is not a square (the
//! second supplement to quadratic reciprocity).

use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

use super::{F32, sums};
use crate::extension::same;
use crate::operators::{exactly, write};
use crate::{Coordinates, Element, EncodingError, Field, LengthError, Mac, Ring};

/// `c_0 + c_1 X + c_2 X^2 + c_3 X^3` with `X^4 = 2`. It may be secret: operators do not branch on it, and
/// `Debug` does not show it. Its encoding is the coefficients in this order, 4 bytes each.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub struct F32x4([F32; 4]);

crate::operators::scalar!(F32x4);

impl F32x4 {
    /// The adjoined fourth root of two.
    pub const X: Self = Self([F32(0), F32(1), F32(0), F32(0)]);

    /// The element with these coefficients, lowest power first.
    #[inline(always)]
    #[must_use]
    pub const fn new(coefficients: [F32; 4]) -> Self {
        Self(coefficients)
    }

    /// The coefficients, lowest power first.
    #[inline(always)]
    #[must_use]
    pub const fn coefficients(self) -> [F32; 4] {
        self.0
    }

    /// The coefficients' bits.
    #[inline(always)]
    fn bits(self) -> u128 {
        self.0.iter().rev().fold(0, |bits, coefficient| bits << 32 | u128::from(coefficient.0))
    }
}

/// In constant time.
impl PartialEq for F32x4 {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for F32x4 {}

impl Zeroize for F32x4 {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Add for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl Sub for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}

impl Neg for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(Neg::neg))
    }
}

impl Mul for F32x4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let [a, b] = [self.0, other.0].map(|element| element.map(|coefficient| u128::from(coefficient.0)));
        // Sums of up to seven products of 64 bits: 67 bits, reduced once.
        Self([
            F32::from_sum(a[0] * b[0] + 2 * (a[1] * b[3] + a[2] * b[2] + a[3] * b[1])),
            F32::from_sum(a[0] * b[1] + a[1] * b[0] + 2 * (a[2] * b[3] + a[3] * b[2])),
            F32::from_sum(a[0] * b[2] + a[1] * b[1] + a[2] * b[0] + 2 * (a[3] * b[3])),
            F32::from_sum(a[0] * b[3] + a[1] * b[2] + a[2] * b[1] + a[3] * b[0]),
        ])
    }
}

impl Ring for F32x4 {
    const NAME: &'static str = "F32[X]/(X^4-2)";
    const BYTES: usize = 16;
    const ZERO: Self = Self([F32(0); 4]);
    const ONE: Self = Self([F32(1), F32(0), F32(0), F32(0)]);

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        write(Self::NAME, self.bits().to_le_bytes(), out)
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        let bits = u128::from_le_bytes(exactly(Self::NAME, bytes)?);
        let coefficients = [bits, bits >> 32, bits >> 64, bits >> 96].map(|bits| bits as u32);
        if coefficients.iter().all(|coefficient| *coefficient < super::P) {
            Ok(Self(coefficients.map(F32)))
        } else {
            Err(EncodingError::NotCanonical { ring: Self::NAME })
        }
    }
}

impl Field for F32x4 {
    /// Goes down the tower: for `z' = z(-X)`, `z z'` lies in `F_p[X^2]` and its norm in `F_p`.
    fn inverse_or_zero(self) -> Self {
        let [c0, c1, c2, c3] = self.0;
        let conjugate = Self([c0, -c1, c2, -c3]);
        let [n0, _, n2, _] = (self * conjugate).0;
        let cofactor = conjugate * Self([n0, F32(0), -n2, F32(0)]);
        // The norm is zero only for zero, and then so is the cofactor.
        let norm = n0 * n0 - (n2 * n2 + n2 * n2);
        cofactor.scale(norm.inverse_or_zero())
    }
}

impl Element for F32x4 {
    const BITS: u32 = 128;
    const BLOCKS: usize = 3;

    /// Each coefficient comes from 96 of the 384 bits. Together they are less than `2^-61` from uniform.
    #[inline(always)]
    fn from_blocks(blocks: &[u128]) -> Self {
        let block = |i| blocks.get(i).copied().unwrap_or_default();
        let [a, b, c] = [block(0), block(1), block(2)];
        // Each takes half a block and a quarter of the third.
        let quarter = |i: u32| (c >> (32 * i)) as u32;
        let halves = [a as u64, (a >> 64) as u64, b as u64, (b >> 64) as u64];
        Self(core::array::from_fn(|i| {
            F32::from_u128(u128::from(halves[i]) << 32 | u128::from(quarter(i as u32)))
        }))
    }

    /// 32 bits for each coefficient: no element is selected by more than 16 blocks.
    #[inline(always)]
    fn coefficient(block: u128) -> Self {
        Self(core::array::from_fn(|i| F32::new(u64::from((block >> (32 * i)) as u32))))
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

impl Coordinates<F32> for F32x4 {
    #[inline(always)]
    fn coordinate(self, h: usize) -> F32 {
        self.0[h % 4]
    }
}

/// Delta's 32 digits of 4 bits: eight of each coefficient.
impl Mac<F32> for F32x4 {
    const DEGREE: usize = 4;
    const DIGIT_BITS: usize = 4;
    const DIGITS: usize = 32;

    #[inline(always)]
    fn embed(x: F32) -> Self {
        Self([x, F32(0), F32(0), F32(0)])
    }

    #[inline(always)]
    fn scale(self, x: F32) -> Self {
        Self(self.0.map(|coefficient| coefficient * x))
    }

    fn basis(h: usize) -> Self {
        Self(core::array::from_fn(|i| F32(u32::from(i == h))))
    }

    #[inline(always)]
    fn pack(x: &[Self]) -> Self {
        let step = |sum: Self, x: &Self| {
            let [c0, c1, c2, c3] = sum.0;
            Self([c3 + c3, c0, c1, c2]) + *x
        };
        x.iter().take(4).rev().fold(Self::ZERO, step)
    }

    fn weight(t: usize) -> Self {
        Self::basis(t / 8).scale(F32(1 << (4 * (t % 8))))
    }

    fn combine_public(c: &[F32], x: &[Self]) -> Result<Self, LengthError> {
        same(c.len(), &[x.len()])?;
        let [row] = sums::rows([c], x).map(|row| Self(row.map(sums::Halves::reduce)));
        Ok(row)
    }

    fn combine_rows(rows: &[F32], x: &[Self], out: &mut [Self]) -> Result<(), LengthError> {
        same(rows.len(), &[x.len().saturating_mul(out.len())])?;
        let n = x.len();
        if n == 0 {
            // Empty sums.
            out.fill(Self::ZERO);
            return Ok(());
        }
        // Four rows at a time, so that `x` is read once for all of them.
        let (fours, rest) = out.as_chunks_mut::<4>();
        let (many, few) = rows.split_at(4 * n * fours.len());
        for (out, rows) in fours.iter_mut().zip(many.chunks_exact(4 * n)) {
            let rows = core::array::from_fn(|r| &rows[r * n..][..n]);
            *out = sums::rows(rows, x).map(|row| Self(row.map(sums::Halves::reduce)));
        }
        for (out, row) in rest.iter_mut().zip(few.chunks_exact(n)) {
            *out = Self::combine_public(row, x)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::P;
    use super::super::tests::any_element as any_coefficient;
    use super::*;
    use crate::operators::power;

    fn any_element() -> impl Strategy<Value = F32x4> {
        prop::array::uniform4(any_coefficient()).prop_map(F32x4)
    }

    crate::laws::field_laws!(F32x4, any_element());
    crate::laws::mac_laws!(F32, F32x4, any_coefficient(), any_element());

    crate::properties::properties! {
        #[test]
        fn products_are_those_of_polynomials(a in any_element(), b in any_element()) {
            let mut product = [F32::ZERO; 8];
            for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
                product[i + j] += a.0[i] * b.0[j];
            }
            let expected = core::array::from_fn(|i| product[i] + product[i + 4] + product[i + 4]);
            prop_assert_eq!((a * b).0, expected);
        }
    }

    #[test]
    fn x_to_the_fourth_is_two_and_two_is_no_square() {
        let two = F32::new(2);
        assert_eq!(power(F32x4::X, 4), F32x4::embed(two));
        // What the irreducibility of X^4 - 2 rests on.
        assert_eq!(power(two, u64::from(P - 1) / 2), -F32::ONE);
        assert_eq!(P % 4, 1);
    }
}
