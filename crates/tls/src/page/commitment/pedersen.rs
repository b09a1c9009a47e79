//! Commitments and their openings.

use core::fmt;
use std::sync::LazyLock;

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::VartimeMultiscalarMul;
use rand_core::CryptoRng;
use sha2::{Digest, Sha512};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::layout::{VALUE_BITS, VALUE_BYTES};
use crate::Error;

/// The input that is hashed to `H`: SHA-512, then the map of RFC 9496, section 4.3.4, from 64 bytes to a
/// point.
const BLINDING_DOMAIN: &[u8] = b"volery pedersen commitment v1: generator of blindings";

/// The generator `H` of blindings.
pub(super) static BLINDING: LazyLock<RistrettoPoint> =
    LazyLock::new(|| RistrettoPoint::from_uniform_bytes(&Sha512::digest(BLINDING_DOMAIN).into()));

/// A Pedersen commitment `v G + r H`; public. Its encoding is that of the point, 32 bytes (RFC 9496).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Commitment {
    pub(super) point: RistrettoPoint,
    encoding: CompressedRistretto,
}

impl fmt::Debug for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Commitment").field(&self.encoding.as_bytes()).finish()
    }
}

impl Commitment {
    pub(super) fn new(point: RistrettoPoint) -> Self {
        Self { point, encoding: point.compress() }
    }

    /// Reads a commitment. Returns `None` unless these are the canonical encoding of a point.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Option<Self> {
        let encoding = CompressedRistretto(bytes);
        Some(Self { point: encoding.decompress()?, encoding })
    }

    /// The encoding.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 32] {
        self.encoding.to_bytes()
    }
}

/// Whether `value G + blinding H` is the combination of commitments. The time depends on all of these, which
/// are public.
pub(super) fn vartime_opens(
    value: &Scalar,
    blinding: &Scalar,
    coefficients: &[Scalar],
    commitments: &[Commitment],
) -> bool {
    let scalars = coefficients.iter().copied().chain([-value, -blinding]);
    let points =
        commitments.iter().map(|commitment| commitment.point).chain([RISTRETTO_BASEPOINT_POINT, *BLINDING]);
    RistrettoPoint::vartime_multiscalar_mul(scalars, points) == RistrettoPoint::default()
}

/// The content of a commitment and the blinding that shows it. It is secret until its owner gives it away,
/// and wiped on drop.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Opening {
    pub(super) value: Scalar,
    pub(super) blinding: Scalar,
}

impl Opening {
    /// A fresh opening of a value.
    pub(super) fn of<R: CryptoRng + ?Sized>(value: Scalar, rng: &mut R) -> Self {
        Self { value, blinding: Scalar::random(rng) }
    }

    /// The opening of a commitment to these bytes.
    ///
    /// # Errors
    /// [`Error::Misuse`] for more than 31 bytes.
    pub fn of_bytes(bytes: &[u8], blinding: Scalar) -> Result<Self, Error> {
        if bytes.len() as u64 > VALUE_BYTES {
            return Err(Error::Misuse(format!(
                "a commitment to {} bytes; at most {VALUE_BYTES}",
                bytes.len()
            )));
        }
        let mut wide = Zeroizing::new([0; 32]);
        wide.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        Ok(Self { value: scalar(&wide)?, blinding })
    }

    /// The opening of a commitment to this number.
    #[must_use]
    pub fn of_number(number: u64, blinding: Scalar) -> Self {
        Self { value: Scalar::from(number), blinding }
    }

    /// The commitment that this opens: one multiplication and one from a table. Constant time.
    #[must_use]
    pub fn commitment(&self) -> Commitment {
        Commitment::new(RistrettoPoint::mul_base(&self.value) + *BLINDING * self.blinding)
    }

    /// The value as `length` bytes, or `None` if it does not fit.
    #[must_use]
    pub fn bytes(&self, length: usize) -> Option<Zeroizing<Vec<u8>>> {
        let all = Zeroizing::new(self.value.to_bytes());
        let (bytes, rest) = all.split_at_checked(length)?;
        let fits = rest.iter().fold(0, |sum, byte| sum | byte) == 0;
        fits.then(|| Zeroizing::new(bytes.to_vec()))
    }

    /// The value as a number, or `None` if it is not below `2^64`.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.bytes(8)?.first_chunk()?))
    }

    /// The blinding. Together with the value it opens the commitment.
    #[must_use]
    pub fn blinding(&self) -> &Scalar {
        &self.blinding
    }
}

/// The number with these little-endian bytes, which is below the group's order.
fn scalar(bytes: &[u8; 32]) -> Result<Scalar, Error> {
    let below = Scalar::from_canonical_bytes(*bytes).into_option();
    below.ok_or_else(|| Error::Misuse("a value that is not below the group's order".into()))
}

/// The value of at most [`VALUE_BITS`] bits, each 0 or 1, lowest first.
pub(super) fn value(bits: impl Iterator<Item = u8>) -> Result<Scalar, Error> {
    let mut bytes = Zeroizing::new([0_u8; 32]);
    for (i, bit) in bits.take(VALUE_BITS).enumerate() {
        if let Some(byte) = bytes.get_mut(i / 8) {
            *byte |= bit << (i % 8);
        }
    }
    scalar(&bytes)
}
