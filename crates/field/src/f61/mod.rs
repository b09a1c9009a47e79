//! `F_{2^61-1}`, the usual field of arithmetic statements, for values and MACs alike (`r = 1`), and its
//! quadratic extension [`F61x2`], for MACs where a soundness error of `2^-61` is too large.
//!
//! An element is a `u64` below `p = 2^61 - 1`. A product of 122 bits folds at bit 61, since `2^61 = 1`. One
//! factor is shifted up by three bits, so that bit 61 of the product falls on a word boundary: on some CPUs,
//! shifts across words take as long as the multiplication.

mod mac;
mod quadratic;

use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

use crate::extension::plain;
use crate::operators::{exactly, power, write};
use crate::{Element, EncodingError, Field, Gf128, Ring, Value};

pub use quadratic::F61x2;

/// The modulus.
pub const P: u64 = (1 << 61) - 1;

/// An integer modulo `2^61 - 1`. It may be secret: operators do not branch on it, and `Debug` does not show
/// it.
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
        // The upper word has weight 2^64 = 8.
        let (low, high) = (n as u64, (n >> 64) as u64);
        Self::new((low & P) + (low >> 61) + ((high << 3) & P) + (high >> 58))
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

/// `8 a b`, for `b < 2^61`.
#[inline(always)]
const fn eightfold(a: u64, b: u64) -> u128 {
    crate::wide::product(a, b << 3)
}

/// `n mod p` up to multiples of `p`, from `8 n`: `n` folded once, below `3 * 2^61` for `n < 2^123`.
#[inline(always)]
const fn loose(eightfold: u128) -> u64 {
    (eightfold as u64 >> 3) + (eightfold >> 64) as u64
}

crate::operators::scalar!(F61);

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
        Self(below(loose(eightfold(self.0, other.0))))
    }
}

impl Ring for F61 {
    const NAME: &'static str = "F61";
    const BYTES: usize = 8;
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        write(Self::NAME, self.0.to_le_bytes(), out)
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        let n = u64::from_le_bytes(exactly(Self::NAME, bytes)?);
        if n < P { Ok(Self(n)) } else { Err(EncodingError::NotCanonical { ring: Self::NAME }) }
    }
}

impl Field for F61 {
    fn inverse_or_zero(self) -> Self {
        // Fermat.
        power(self, P - 2)
    }
}

impl Element for F61 {
    const BITS: u32 = 61;
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn from_blocks(blocks: &[u128]) -> Self {
        Self::from_u128(blocks.first().copied().unwrap_or_default())
    }

    // 64 bits are 2^-60 from uniform: eight residues come 9 times in 2^64, the others 8 times.
    const BLOCKS_OF_PAIR: usize = 1;

    #[inline(always)]
    fn pair_from_blocks(blocks: &[u128]) -> [Self; 2] {
        let block = blocks.first().copied().unwrap_or_default();
        [Self::new(block as u64), Self::new((block >> 64) as u64)]
    }

    #[inline(always)]
    fn to_packed(self) -> [u64; 4] {
        [self.0, 0, 0, 0]
    }

    #[inline(always)]
    fn from_packed(words: [u64; 4]) -> Result<Self, EncodingError> {
        match words {
            [n, 0, 0, 0] if n < P => Ok(Self(n)),
            _ => Err(EncodingError::NotCanonical { ring: Self::NAME }),
        }
    }

    fn pack_vectors(elements: &[Self], out: &mut [u8]) -> usize {
        mac::Vectors::best(elements.len()).map_or(0, |vectors| vectors.pack(elements, out))
    }

    fn unpack_vectors(bytes: &[u8], out: &mut [Self]) -> usize {
        // The first element that is not canonical is found by the code that reads one after the other.
        mac::Vectors::best(out.len()).and_then(|vectors| vectors.unpack(bytes, out)).unwrap_or(0)
    }

    fn pairs_from_blocks(blocks: &[Gf128], first: &mut [Self], second: &mut [Self]) {
        let taken =
            mac::Vectors::best(blocks.len()).map_or(0, |vectors| vectors.pairs(blocks, first, second));
        let out = first.iter_mut().zip(second).skip(taken);
        for (block, (first, second)) in blocks.iter().skip(taken).zip(out) {
            [*first, *second] = Self::pair_from_blocks(&[block.to_bits()]);
        }
    }

    fn total(elements: &[Self]) -> Self {
        let (taken, sum) =
            mac::Vectors::best(elements.len()).map_or((0, Self::ZERO), |vectors| vectors.total(elements));
        elements.iter().skip(taken).fold(sum, |sum, x| sum + *x)
    }

    fn add_at(elements: &mut [Self], index: u32, x: Self) {
        let taken =
            mac::Vectors::best(elements.len()).map_or(0, |vectors| vectors.add_at(elements, index, x));
        plain::add_at(elements.iter_mut().enumerate().skip(taken), index, x);
    }

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask)
    }

    #[inline(always)]
    fn select(self, other: Self, mask: u64) -> Self {
        Self((self.0 & !mask) | (other.0 & mask))
    }

    #[inline(always)]
    fn add_ten(self, e: [&Self; 10]) -> Self {
        // The sum of eight elements is below 2^64, and so is that of a folded sum (at most 2^61 + 6) and the
        // other three.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(super) fn any_element() -> impl Strategy<Value = F61> {
        prop_oneof![4 => any::<u64>().prop_map(F61::new), 1 => (0..3_u64).prop_map(F61), 1 => (P - 3..P).prop_map(F61)]
    }

    crate::laws::field_laws!(F61, any_element());
    crate::laws::mac_laws!(F61, F61, any_element(), any_element());

    #[test]
    fn a_block_gives_two_elements_one_from_each_half() {
        for (low, high) in [(0, 0), (P, u64::MAX), (5, P - 1), (u64::MAX - 7, 8)] {
            let block = u128::from(high) << 64 | u128::from(low);
            assert_eq!(F61::pair_from_blocks(&[block]), [F61::new(low % P), F61::new(high % P)]);
        }
        assert_eq!(F61::pair_from_blocks(&[]), [F61::ZERO; 2]);
    }

    #[test]
    fn integers_reduce_as_division_says() {
        for n in [0, 1, P - 1, P, P + 1, 2 * P, u64::MAX] {
            assert_eq!(F61::new(n).to_u64(), n % P);
            assert_eq!(F61::from_u64(n), F61::new(n));
        }
        let p = u128::from(P);
        for n in [p * p, p * p - 1, u128::MAX, u128::MAX - 1, 1 << 122, (1 << 122) - 1, p << 64] {
            assert_eq!(u128::from(F61::from_u128(n).to_u64()), n % p);
        }
    }
}
