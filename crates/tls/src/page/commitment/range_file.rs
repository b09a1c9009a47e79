//! A file with a range proof about one committed number of one attestation.
//!
//! ```text
//! file  =  "volery range proof" LF | version, 2 bytes | SHA-256 of the attestation's file, 32 bytes
//!          | 0 for the query, 1 for the response | first byte's place, 8 bytes | least, greatest: 8 bytes each | proof, 641 bytes
//! ```
//!
//! Numbers are big-endian. All bytes before the proof are its [`range`] context. So the proof is about this
//! attestation, including its signature, and this part of it. The same number in another attestation, or in
//! another place of this one, needs another proof, even if somebody makes an equal commitment there.

use core::ops::RangeInclusive;

use rand_core::CryptoRng;
use volery_channel::{Cursor, Flaw};

use super::layout::Form;
use super::openings::{Openings, OpeningsError};
use super::pedersen::Commitment;
use super::range::{self, PROOF_BYTES, RangeError};
use crate::page::attestation::{self, Attestation, Committed, Statement};
use crate::wire::prf::Side;

/// The first bytes of a file.
const MAGIC: &[u8] = b"volery range proof\n";
/// The version of the format that is written and read.
const VERSION: u16 = 1;
/// Bytes of a file.
const BYTES: usize = MAGIC.len() + 2 + 32 + 1 + 3 * 8 + PROOF_BYTES;

/// Why there is no such file, or no valid one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeFileError {
    /// The bytes are not a file with a range proof.
    #[error("this is not a file with a range proof: {0}")]
    Malformed(String),
    /// The file is of another version.
    #[error(
        "this range proof has format version {0}, and this program reads version {VERSION}; use another version of the program"
    )]
    Version(u16),
    /// The file is about another attestation.
    #[error("the range proof is about another attestation")]
    Another,
    /// The attestation has no committed number in this place.
    #[error("the attestation has no committed number from byte {start} of the {} on", side.message())]
    NoNumber {
        /// The sender of the bytes.
        side: Side,
        /// The first of them.
        start: u64,
    },
    /// The attestation is not valid.
    #[error(transparent)]
    Attestation(#[from] attestation::Error),
    /// The openings do not belong to the attestation.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The proof itself failed.
    #[error(transparent)]
    Proof(#[from] RangeError),
}

impl From<Flaw> for RangeFileError {
    fn from(flaw: Flaw) -> Self {
        Self::Malformed(flaw.to_string())
    }
}

/// A range proof about a committed number of an attestation. Public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeFile {
    attestation: [u8; 32],
    side: Side,
    start: u64,
    bounds: RangeInclusive<u64>,
    proof: Vec<u8>,
}

/// The result of a range proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The sender of the number.
    pub side: Side,
    /// Its name in the attestation.
    pub part: String,
    /// The range of its value.
    pub bounds: RangeInclusive<u64>,
}

impl RangeFile {
    /// Proves that the number that begins at byte `start` of a side lies between `bounds`.
    ///
    /// # Errors
    /// [`RangeFileError::NoNumber`] if there is no commitment to a number; [`RangeFileError::Openings`] for
    /// openings of another attestation; [`RangeFileError::Proof`] for a number outside the bounds;
    /// [`RangeFileError::Attestation`] if its claimed signer did not sign it.
    pub fn prove<R: CryptoRng>(
        attestation: &Attestation,
        openings: &Openings,
        (side, start): (Side, u64),
        bounds: RangeInclusive<u64>,
        rng: &mut R,
    ) -> Result<Self, RangeFileError> {
        let statement = attestation.verify(attestation.claimed_signer())?;
        committed(statement, side, start)?;
        openings.select(&[(side, start)])?.check(statement)?;
        let opening = openings.number(side, start).ok_or(RangeFileError::NoNumber { side, start })?;
        let mut file = Self { attestation: attestation.digest(), side, start, bounds, proof: Vec::new() };
        file.proof = range::prove(opening, &file.bounds, &file.head(), rng)?;
        Ok(file)
    }

    /// The result of the proof, if it is about this attestation and the owner of `key` signed that.
    ///
    /// # Errors
    /// [`RangeFileError::Attestation`], [`RangeFileError::Another`], [`RangeFileError::NoNumber`],
    /// [`RangeFileError::Proof`].
    pub fn verify(&self, attestation: &Attestation, key: &[u8; 32]) -> Result<Bounded, RangeFileError> {
        let Self { side, start, bounds, .. } = self;
        let statement = attestation.verify(key)?;
        if self.attestation != attestation.digest() {
            return Err(RangeFileError::Another);
        }
        let (part, commitment) = committed(statement, *side, *start)?;
        range::verify(&commitment, bounds, &self.head(), &self.proof)?;
        Ok(Bounded { side: *side, part: part.clone(), bounds: bounds.clone() })
    }

    /// Reads a file. Nothing in it is verified yet.
    ///
    /// # Errors
    /// [`RangeFileError::Malformed`] and [`RangeFileError::Version`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RangeFileError> {
        let mut cursor = Cursor::new(bytes);
        if cursor.bytes(MAGIC.len(), "its first line") != Ok(MAGIC) {
            return Err(RangeFileError::Malformed("its first line is not `volery range proof`".into()));
        }
        let version = cursor.u16("the version")?;
        if version != VERSION {
            return Err(RangeFileError::Version(version));
        }
        let attestation = cursor.array("the attestation's hash")?;
        let side = match cursor.u8("a side")? {
            0 => Side::Client,
            1 => Side::Server,
            _ => return Err(RangeFileError::Malformed("a side that is neither 0 nor 1".into())),
        };
        let start = cursor.u64("a place")?;
        let bounds = cursor.u64("a bound")?..=cursor.u64("a bound")?;
        let proof = cursor.bytes(PROOF_BYTES, "the proof")?.to_vec();
        cursor.finish()?;
        Ok(Self { attestation, side, start, bounds, proof })
    }

    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.extend(&self.proof);
        bytes
    }

    /// The most bytes that a reader has to take.
    pub const MAX_BYTES: usize = BYTES;

    /// All bytes before the proof.
    fn head(&self) -> Vec<u8> {
        let Self { attestation, side, start, bounds, .. } = self;
        let mut head = MAGIC.to_vec();
        head.extend(VERSION.to_be_bytes());
        head.extend(attestation);
        head.push(u8::from(*side == Side::Server));
        for number in [start, bounds.start(), bounds.end()] {
            head.extend(number.to_be_bytes());
        }
        head
    }
}

/// The name of a committed number, and its commitment.
fn committed(statement: &Statement, side: Side, start: u64) -> Result<(&String, Commitment), RangeFileError> {
    let none = RangeFileError::NoNumber { side, start };
    match statement.committed(side, start) {
        Some(Committed { part, form: Form::Number, points, .. }) => {
            let point = points.first().and_then(|point| Commitment::from_bytes(*point));
            Ok((part, point.ok_or(none)?))
        }
        _ => Err(none),
    }
}
