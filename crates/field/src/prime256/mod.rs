//! Prime fields of 256 bits: the fields of R1CS circuits, signatures and TLS.
//!
//! | type | modulus | bits |
//! |---|---|---|
//! | [`Bn254Scalar`] | order of BN254's groups: circom's default field | 254 |
//! | [`Bls12381Scalar`] | order of BLS12-381's groups | 255 |
//! | [`Bls12377Scalar`] | order of BLS12-377's groups | 253 |
//! | [`PallasBase`] | coordinates of Pallas' points, and the order of Vesta | 255 |
//! | [`VestaBase`] | coordinates of Vesta's points, and the order of Pallas | 255 |
//! | [`GrumpkinScalar`] | order of Grumpkin, and coordinates of BN254's points | 254 |
//! | [`RistrettoScalar`] | order of the Ristretto group | 253 |
//! | [`Secp256k1Base`] | coordinates of secp256k1's points | 256 |
//! | [`P256Base`] | coordinates of P-256's points | 256 |
//! | [`Curve25519Base`] | coordinates of Curve25519's points | 255 |
//!
//! Values and MACs are in the same field (`r = 1`). Delta has 128 of the 256 bits, in 32 digits of 4. The
//! soundness error of a check is `2^-128`, and the base VOLE pays for half as many digits as for all bits.
//!
//! # Which arithmetic, and why
//!
//! An element `x` is kept in Montgomery form, `x * 2^256 mod p`, as four limbs of 64 bits. The library
//! `crypto-bigint` does the rare work: it derives Montgomery's constants from the modulus, inverts, and reads
//! and prints decimals. The operations in which proofs spend their time are in `limbs` and tested against
//! that library. No library that we tried has both properties needed here: time that does not depend on
//! secrets, and the speed of libraries whose time does. In nanoseconds on a Zen 3 server core (BN254's
//! scalars, vectors of 1024, the best of 300 runs):
//!
//! | | product | product and sum | sum | difference | secrets |
//! |---|---|---|---|---|---|
//! | ark-ff 0.6 | 24 | 27 | 2.2 | 2.5 | branches on the result of each operation |
//! | ff_derive 0.14 | 25 | 27 | 2.6 | 3.2 | branches likewise; a fifth limb for moduli of 256 bits |
//! | crypto-bigint 0.7 | 43 | 60 | 17 | 9.8 | constant time |
//! | `limbs` | 27 | 9.9 | 3.7 | 2.8 | constant time |
//!
//! (We looked for branches in the machine code. In a benchmark they look cheap, because the predictor learns
//! them.) "Product and sum" is the cost of each pair in an inner product: `kernels` adds up 512-bit products
//! and reduces the sum.

mod kernels;
mod limbs;
mod modulus;
mod primes;
mod vector;

use core::marker::PhantomData;
use core::ops::{Add, Mul, Neg, Sub};

use crypto_bigint::U256;
use crypto_bigint::modular::ConstMontyForm;
use zeroize::Zeroize;

use crate::operators::{exactly, write};
use crate::{Element, EncodingError, Field, LengthError, Mac, Ring, Value};
use limbs::Limbs;
pub use modulus::Modulus;
pub(crate) use primes::fields;
pub use primes::fields::*;
pub use primes::*;

/// An integer modulo the prime `P`. It may be secret: operators do not branch on it, and `Debug` does not
/// show it. Its encoding is the integer below the modulus in 32 bytes, little-endian.
///
/// ```
/// use volery_field::{Bn254Scalar, Field, Ring};
/// let x = Bn254Scalar::from_decimal("21888242871839275222246405745257275088548364400416034343698204186575808495616")?;
/// assert_eq!(x, -Bn254Scalar::ONE); // p - 1
/// assert_eq!(x.inverse(), Some(x));
/// # Ok::<(), volery_field::DecimalError>(())
/// ```
// Invariant: `x * 2^256 mod p`, below p.
#[repr(transparent)]
pub struct Prime256<P> {
    limbs: Limbs,
    modulus: PhantomData<fn() -> P>,
}

/// Why a text cannot be read as an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// The text is empty, longer than the modulus, or has a character other than the ten digits.
    #[error("an element of {ring} is written in 1 to 78 decimal digits")]
    Digits {
        /// The ring that was asked for.
        ring: &'static str,
    },
    /// The number starts with a zero but has more digits.
    #[error("an element of {ring} is written without zeros in front")]
    LeadingZero {
        /// The ring that was asked for.
        ring: &'static str,
    },
    /// The number is not below the modulus.
    #[error("the number is not below the modulus of {ring}")]
    TooLarge {
        /// The ring that was asked for.
        ring: &'static str,
    },
}

impl<P: Modulus> Prime256<P> {
    /// The modulus, 32 bytes, little-endian.
    pub const MODULUS: [u8; 32] = limbs::bytes(P::PRIME);

    #[inline(always)]
    const fn from_limbs(limbs: Limbs) -> Self {
        Self { limbs, modulus: PhantomData }
    }

    /// The class of an integer of four limbs, lowest first.
    #[inline(always)]
    const fn reduced(integer: Limbs) -> Self {
        Self::from_limbs(limbs::mul::<P>(integer, P::R2))
    }

    /// The integer below the modulus.
    #[inline(always)]
    const fn integer(self) -> Limbs {
        limbs::mul::<P>(self.limbs, [1, 0, 0, 0])
    }

    /// The element of a canonical encoding.
    #[inline(always)]
    fn canonical(integer: Limbs) -> Result<Self, EncodingError> {
        if limbs::is_below(integer, P::PRIME) {
            Ok(Self::reduced(integer))
        } else {
            Err(EncodingError::NotCanonical { ring: P::NAME })
        }
    }

    /// The element of a decimal number below the modulus. The number has no sign, no leading zeros and
    /// nothing around it. Only for public numbers: the time depends on them.
    ///
    /// # Errors
    /// [`DecimalError`] for any other text.
    pub fn from_decimal(text: &str) -> Result<Self, DecimalError> {
        let ring = P::NAME;
        if text.is_empty() || text.len() > 78 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(DecimalError::Digits { ring });
        }
        if text.len() > 1 && text.starts_with('0') {
            return Err(DecimalError::LeadingZero { ring });
        }
        let integer = U256::from_str_radix_vartime(text, 10).map_err(|_| DecimalError::TooLarge { ring })?;
        Self::canonical(limbs::from_library(&integer)).map_err(|_| DecimalError::TooLarge { ring })
    }

    /// The integer below the modulus, in decimal. Only for public elements: the time depends on the value.
    #[must_use]
    pub fn to_decimal(self) -> String {
        limbs::to_library(self.integer()).to_string_radix_vartime(10)
    }
}

// Derived implementations would require the same traits of `P`, which has no value.
impl<P> Clone for Prime256<P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Prime256<P> {}

impl<P: Modulus> Default for Prime256<P> {
    #[inline(always)]
    fn default() -> Self {
        Self::ZERO
    }
}

/// In constant time.
impl<P> PartialEq for Prime256<P> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.limbs.iter().zip(other.limbs).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
    }
}

impl<P> Eq for Prime256<P> {}

impl<P> Zeroize for Prime256<P> {
    fn zeroize(&mut self) {
        self.limbs.zeroize();
    }
}

crate::operators::scalar!(Prime256<P: Modulus>);

impl<P: Modulus> Add for Prime256<P> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::from_limbs(limbs::add::<P>(self.limbs, other.limbs))
    }
}

impl<P: Modulus> Sub for Prime256<P> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::from_limbs(limbs::sub::<P>(self.limbs, other.limbs))
    }
}

impl<P: Modulus> Neg for Prime256<P> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<P: Modulus> Mul for Prime256<P> {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self::from_limbs(limbs::mul::<P>(self.limbs, other.limbs))
    }
}

impl<P: Modulus> Ring for Prime256<P> {
    const NAME: &'static str = P::NAME;
    const BYTES: usize = 32;
    const ZERO: Self = Self::from_limbs([0; 4]);
    const ONE: Self = Self::from_limbs(P::R);

    fn encode(self, out: &mut [u8]) -> Result<(), EncodingError> {
        write(P::NAME, limbs::bytes(self.integer()), out)
    }

    fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        let bytes: [u8; 32] = exactly(P::NAME, bytes)?;
        let mut integer = [0; 4];
        integer
            .iter_mut()
            .zip(bytes.as_chunks().0)
            .for_each(|(limb, bytes)| *limb = u64::from_le_bytes(*bytes));
        Self::canonical(integer)
    }
}

impl<P: Modulus> Field for Prime256<P> {
    fn inverse_or_zero(self) -> Self {
        // The library's inversion takes the same time for all values. Its result for zero is discarded by a
        // selection.
        let element = ConstMontyForm::<P, { U256::LIMBS }>::from_montgomery(limbs::to_library(self.limbs));
        let inverse = element.invert().unwrap_or(ConstMontyForm::ZERO);
        Self::from_limbs(limbs::from_library(inverse.as_montgomery()))
    }
}

impl<P: Modulus> Element for Prime256<P> {
    const BITS: u32 = 256 - limbs::leading_zeros(P::PRIME);
    const BLOCKS: usize = 3;

    /// The 384-bit integer, lowest block first, divided by `2^512` modulo the prime. It is less than `2^-127`
    /// from uniform, as it would be without the division; dividing saves a multiplication.
    #[inline]
    fn from_blocks(blocks: &[u128]) -> Self {
        let block = |i| blocks.get(i).copied().unwrap_or_default();
        let halves = |block: u128| [block as u64, (block >> 64) as u64];
        let ([a, b], [c, d], [e, f]) = (halves(block(0)), halves(block(1)), halves(block(2)));
        // Every prime here is above 2^128.
        let low = Self::from_limbs(limbs::mul::<P>([a, b, c, d], [1, 0, 0, 0]));
        low + Self::from_limbs([e, f, 0, 0])
    }

    /// The 128-bit integer divided by `2^256`.
    #[inline(always)]
    fn coefficient(block: u128) -> Self {
        Self::from_limbs([block as u64, (block >> 64) as u64, 0, 0])
    }

    #[inline(always)]
    fn to_packed(self) -> [u64; 4] {
        self.integer()
    }

    #[inline(always)]
    fn from_packed(words: [u64; 4]) -> Result<Self, EncodingError> {
        Self::canonical(words)
    }

    #[inline(always)]
    fn add_ten(self, entries: [&Self; 10]) -> Self {
        Self::from_limbs(limbs::add_ten::<P>(self.limbs, entries.map(|entry| &entry.limbs)))
    }

    #[inline(always)]
    fn masked(self, mask: u64) -> Self {
        Self::from_limbs(self.limbs.map(|limb| limb & mask))
    }
}

impl<P: Modulus> Value for Prime256<P> {
    const CHARACTERISTIC: Option<u64> = None;

    #[inline]
    fn dot(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        Self::inner_product(a, b)
    }

    #[inline(always)]
    fn from_u64(n: u64) -> Self {
        Self::reduced([n, 0, 0, 0])
    }

    #[inline(always)]
    fn digit(byte: u8) -> Self {
        Self::from_u64(u64::from(byte))
    }
}

#[cfg(test)]
mod tests;
