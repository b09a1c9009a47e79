//! Proofs, for anybody to check, that a committed number lies between two bounds: Bulletproofs+.
//!
//! Chung, Han, Ju, Kim, Seo, "Bulletproofs+: Shorter Proofs for a Privacy-Enhanced Distributed Ledger"
//! (ePrint 2020/735). The proof only needs the holder's [`Opening`], neither V nor the session. The checker
//! needs the [`Commitment`] from an attestation that it has verified.
//!
//! ```text
//! least <= v <= greatest      C = v G + r H
//! C - least G                 opens to v - least,      which lies in 0..2^64
//! greatest G - C              opens to greatest - v,   which lies in 0..2^64
//! ```
//!
//! Both lines are one aggregated proof of 641 bytes. They imply the range: the two differences add up
//! to `greatest - least` modulo the group's order and, since both are below `2^64`, also as integers.
//!
//! # Which numbers
//!
//! Any number in one commitment that is below `2^64`: a number that the two parties computed on authenticated
//! bits and committed to, or up to eight bytes of the payload, the first one lowest. A number in *decimal
//! digits*, as in JSON, is of the former kind ([`Form::Number`](super::Form::Number)): the session proves
//! that the bytes are digits, and that the bits are those of their number.
//!
//! The caller determines what a proof is *about*: [`RangeFile`](super::RangeFile) binds one to an attestation
//! and a part of it.
//!
//! # The feature
//!
//! The proof system comes with the feature `range-proofs`, which is on by default. Without it this module has
//! the same functions, but they return [`RangeError::Missing`].

use core::ops::RangeInclusive;

use rand_core::CryptoRng;

use super::pedersen::{Commitment, Opening};

#[cfg(not(feature = "range-proofs"))]
mod absent;
#[cfg(feature = "range-proofs")]
mod bulletproofs;

#[cfg(not(feature = "range-proofs"))]
use absent as system;
#[cfg(feature = "range-proofs")]
use bulletproofs as system;

/// Bytes of a proof.
pub(crate) const PROOF_BYTES: usize = 641;

/// Why there is no proof, or no valid one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// The number does not lie between the bounds, so nothing can be proved.
    #[error("the committed number does not lie between the bounds")]
    Outside,
    /// The bytes are not a proof.
    #[error("this is not a range proof: {0}")]
    Malformed(String),
    /// The proof is wrong for this commitment, these bounds and this context.
    #[error(
        "the range proof does not hold: it was changed, or is about another commitment, other bounds or another context"
    )]
    Refused,
    /// The library refused its input, which is a mistake in this program.
    #[error("range proofs are misused: {0}")]
    Misuse(String),
    /// The crate was built without the proof system.
    #[error(
        "this program was built without range proofs: build volery-tls (or volery) with the feature `range-proofs`"
    )]
    Missing,
}

/// Proves that an opening's number lies between `bounds`. The proof is bound to the bytes `context`, which
/// say what it is about and may include a challenge from the checker.
///
/// # Errors
/// [`RangeError::Outside`]; [`RangeError::Missing`] without the feature `range-proofs`.
pub fn prove<R: CryptoRng>(
    opening: &Opening,
    bounds: &RangeInclusive<u64>,
    context: &[u8],
    rng: &mut R,
) -> Result<Vec<u8>, RangeError> {
    let number = opening.number().ok_or(RangeError::Outside)?;
    let (Some(above), Some(below)) = (number.checked_sub(*bounds.start()), bounds.end().checked_sub(number))
    else {
        return Err(RangeError::Outside);
    };
    system::prove(opening, [above, below], bounds, context, rng)
}

/// Checks that `proof` shows that the number in `commitment` lies between `bounds`.
///
/// # Errors
/// [`RangeError::Malformed`], [`RangeError::Refused`]; [`RangeError::Missing`] without the feature
/// `range-proofs`.
pub fn verify(
    commitment: &Commitment,
    bounds: &RangeInclusive<u64>,
    context: &[u8],
    proof: &[u8],
) -> Result<(), RangeError> {
    if proof.len() != PROOF_BYTES {
        return Err(RangeError::Malformed(format!("{} bytes, and a proof has {PROOF_BYTES}", proof.len())));
    }
    system::verify(commitment, bounds, context, proof)
}
