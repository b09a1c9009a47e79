//! The Goldilocks field, the integers modulo `p = 2^64 - 2^32 + 1`, for values and MACs alike (`r = 1`), and
//! its quadratic extension [`GoldilocksX2`], for MACs where a soundness error of `2^-63` is too large.
//!
//! An element is a `u64` below `p`. With `e = 2^32 - 1`, `2^64 = e` and `2^96 = -1` modulo `p`. So a product
//! of 128 bits, in words `low`, `mid` (32 bits) and `high` (32 bits), is `low + e * mid - high`. A carry out
//! of 64 bits is worth `e` more, a borrow `e` less.
//!
//! Some functions take or return *loose* words: any of 64 bits, which stands for its class modulo `p`.

mod mac;
mod quadratic;

use core::ops::{Add, Mul, Neg, Sub};

use zeroize::Zeroize;

use crate::operators::{exactly, power, write};
use crate::{Element, EncodingError, Field, Ring, Value};

pub use quadratic::GoldilocksX2;

/// The modulus.
pub const P: u64 = u64::MAX - (u32::MAX as u64) + 1;

/// `2^64` modulo the prime.
const E: u64 = u32::MAX as u64;

/// An integer modulo `2^64 - 2^32 + 1`. It may be secret: operators do not branch on it, and `Debug` does not
/// show it.
// Invariant: below P.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct Goldilocks(u64);

crate::operators::scalar!(Goldilocks);

impl Goldilocks {
    /// The class of `n`.
    #[inline(always)]
    #[must_use]
    pub const fn new(n: u64) -> Self {
        // Below 2 p, since p is above 2^63.
        Self(minus_modulo(n, P))
    }

    /// The class of `n`.
    #[inline(always)]
    #[must_use]
    pub const fn from_u128(n: u128) -> Self {
        Self::new(loose(n))
    }

    /// The representative below the modulus.
    #[inline(always)]
    #[must_use]
    pub const fn to_u64(self) -> u64 {
        self.0
    }
}

/// All ones if `condition`, else zero.
#[inline(always)]
const fn mask(condition: bool) -> u64 {
    (condition as u64).wrapping_neg()
}

/// `a - b`, plus `p` if that is negative.
#[inline(always)]
const fn minus_modulo(a: u64, b: u64) -> u64 {
    let (difference, borrow) = a.overflowing_sub(b);
    difference.wrapping_add(P & mask(borrow))
}

/// `a + b` modulo `p`, for reduced words: as `a - (p - b)`, which needs no bit beyond the word's.
#[inline(always)]
const fn plus_modulo(a: u64, b: u64) -> u64 {
    minus_modulo(a, P - b)
}

/// `a + b` for a loose `a` and for `b` at most `2^64 - e`, loose.
#[inline(always)]
const fn plus(a: u64, b: u64) -> u64 {
    let (sum, carry) = a.overflowing_add(b);
    // After a carry the sum is below 2^64 - e, so this does not carry again.
    sum.wrapping_add(E & mask(carry))
}

/// `a - b` for a loose `a` and for `b` at most `2^64 - e`, loose.
#[inline(always)]
const fn minus(a: u64, b: u64) -> u64 {
    let (difference, borrow) = a.overflowing_sub(b);
    // After a borrow the difference is at least e.
    difference.wrapping_sub(E & mask(borrow))
}

/// The class of `n`, loose.
#[inline(always)]
const fn loose(n: u128) -> u64 {
    let (low, high) = (n as u64, (n >> 64) as u64);
    // e (2^32 - 1) is 2^64 - 2^33 + 1.
    plus(minus(low, high >> 32), (high & E) * E)
}

impl Zeroize for Goldilocks {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

impl Add for Goldilocks {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(plus_modulo(self.0, other.0))
    }
}

impl Sub for Goldilocks {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(minus_modulo(self.0, other.0))
    }
}

impl Neg for Goldilocks {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(0) - self
    }
}

impl Mul for Goldilocks {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self::from_u128(crate::wide::product(self.0, other.0))
    }
}

impl Ring for Goldilocks {
    const NAME: &'static str = "Goldilocks";
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

impl Field for Goldilocks {
    fn inverse_or_zero(self) -> Self {
        // Fermat.
        power(self, P - 2)
    }
}

impl Element for Goldilocks {
    const BITS: u32 = 64;
    // Half a block would be 2^-32 from uniform: the classes below 2^32 - 1 come twice in 2^64.
    const BLOCKS: usize = 1;

    #[inline(always)]
    fn from_blocks(blocks: &[u128]) -> Self {
        Self::from_u128(blocks.first().copied().unwrap_or_default())
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

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self(self.0 & mask)
    }

    #[inline(always)]
    fn select(self, other: Self, mask: u64) -> Self {
        Self((self.0 & !mask) | (other.0 & mask))
    }

    #[inline(always)]
    fn add_ten(self, entries: [&Self; 10]) -> Self {
        let sum = entries.iter().fold(u128::from(self.0), |sum, entry| sum + u128::from(entry.0));
        // The upper word counts at most ten carries, each worth e.
        Self::new(plus(sum as u64, (sum >> 64) as u64 * E))
    }
}

impl Value for Goldilocks {
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

    /// Uniform elements, sparse ones, and those around the borders of halves and of the field.
    pub(super) fn any_element() -> impl Strategy<Value = Goldilocks> {
        let half = prop_oneof![any::<u32>(), 0..3_u32, u32::MAX - 2..=u32::MAX].boxed();
        prop_oneof![
            3 => any::<u64>().prop_map(Goldilocks::new),
            2 => (half.clone(), half).prop_map(|(low, high)| Goldilocks::new(u64::from(high) << 32 | u64::from(low))),
            1 => (0..3_u64).prop_map(Goldilocks),
            1 => (P - 3..P).prop_map(Goldilocks),
        ]
    }

    crate::laws::field_laws!(Goldilocks, any_element());
    crate::laws::mac_laws!(Goldilocks, Goldilocks, any_element(), any_element());

    crate::properties::properties! {
        #[test]
        fn operations_are_those_of_integers(a in any_element(), b in any_element(), n in any::<u128>()) {
            let (p, integer) = (u128::from(P), |x: Goldilocks| u128::from(x.0));
            prop_assert_eq!(integer(a + b), (integer(a) + integer(b)) % p);
            prop_assert_eq!(integer(a - b), (p + integer(a) - integer(b)) % p);
            prop_assert_eq!(integer(a * b), integer(a) * integer(b) % p);
            prop_assert_eq!(integer(Goldilocks::from_u128(n)), n % p);
        }
    }

    #[test]
    fn integers_reduce_as_division_says() {
        for n in [0, 1, P - 1, P, P + 1, E, E + 1, u64::MAX] {
            assert_eq!(Goldilocks::new(n).to_u64(), n % P);
        }
        let p = u128::from(P);
        // Words of ones and zeros: every way to carry and to borrow.
        for words in 0..1_u32 << 8 {
            for near in [-1, 0, 1] {
                let piece = |i: u32| (u128::from(words >> i & 1) * 0xffff) << (16 * i);
                let n = (0..8).map(piece).sum::<u128>().wrapping_add_signed(near);
                assert_eq!(u128::from(Goldilocks::from_u128(n).to_u64()), n % p, "{n:x}");
            }
        }
        for n in [p * p, p * p - 1, p << 64, (p << 64) - 1, u128::MAX] {
            assert_eq!(u128::from(Goldilocks::from_u128(n).to_u64()), n % p, "{n:x}");
        }
    }

    /// `x`, `y`, their product and the inverse of `x`.
    const KNOWN: [(u64, u64, u64, u64); 7] = [
        (1311768467463790320, 18364758544493064720, 18080541965438139092, 14736413637906284881),
        (18446744069414584320, 18446744069414584320, 1, 18446744069414584320),
        (18446744069414584319, 4294967296, 18446744060824649729, 9223372034707292160),
        (4294967295, 4294967295, 18446744065119617025, 18446744065119617025),
        (9223372036854775808, 13835058055282163712, 18446744067803971585, 18446744060824649729),
        (7640050740771208385, 5597175570858461536, 1152454350778640047, 13556349856658758360),
        (6744562757361925207, 3222430258815099802, 13136407701628658094, 3476437595164199429),
    ];

    /// Computed by Python's integers: `x * y % p`, and `pow(x, -1, p)`.
    #[test]
    fn products_and_inverses_are_the_known_ones() {
        for (x, y, product, inverse) in KNOWN {
            let (x, y) = (Goldilocks::new(x), Goldilocks::new(y));
            assert_eq!((x * y).to_u64(), product);
            assert_eq!(x.inverse().map(Goldilocks::to_u64), Some(inverse));
        }
    }

    #[test]
    fn encodings_from_the_modulus_on_are_refused() {
        let error = EncodingError::NotCanonical { ring: "Goldilocks" };
        for n in [P, P + 1, u64::MAX] {
            assert_eq!(Goldilocks::decode(&n.to_le_bytes()), Err(error));
            assert_eq!(Goldilocks::from_packed([n, 0, 0, 0]), Err(error));
        }
        assert_eq!(Goldilocks::decode(&(P - 1).to_le_bytes()), Ok(-Goldilocks::ONE));
    }

    /// Lucas' test: 7 has order `p - 1`, whose prime factors are 2, 3, 5, 17, 257 and 65537.
    #[test]
    fn the_modulus_is_prime() {
        let seven = Goldilocks::new(7);
        assert_eq!(power(seven, P - 1), Goldilocks::ONE);
        assert_eq!((1_u64 << 32) * 3 * 5 * 17 * 257 * 65537, P - 1);
        for factor in [2, 3, 5, 17, 257, 65537] {
            assert_ne!(power(seven, (P - 1) / factor), Goldilocks::ONE, "{factor}");
        }
    }
}
