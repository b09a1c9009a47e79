//! That a committed number lies between two bounds, for anybody to check: Bulletproofs+.
//!
//! Chung, Han, Ju, Kim, Seo, "Bulletproofs+: Shorter Proofs for a Privacy-Enhanced Distributed Ledger" (ePrint 2020/735). The proof
//! needs the holder's [`Opening`] alone, neither V nor the session; the checker needs the [`Commitment`] from an attestation that
//! it has verified.
//!
//! ```text
//! least <= v <= greatest      C = v G + r H
//! C - least G                 opens to v - least,      which lies in 0..2^64
//! greatest G - C              opens to greatest - v,   which lies in 0..2^64
//! ```
//!
//! Both lines are one aggregated proof of [`PROOF_BYTES`]. They say what is wanted: the two differences add up to
//! `greatest - least` modulo the group's order, and since both are below `2^64`, as integers.
//!
//! # Which numbers
//!
//! Whatever one commitment holds, if it is below `2^64`: a number that the two parties computed on authenticated bits and committed
//! to, or up to eight bytes of the payload, the first one lowest. A number in *decimal digits*, as JSON has it, is the former
//! ([`Form::Number`](super::Form::Number)): the session proves that the bytes are digits, and that the bits are those of their number.
//!
//! What a proof is *about* is the caller's business: [`RangeFile`](super::RangeFile) binds one to an attestation and a part of it.
//!
//! # Which library, and why
//!
//! `tari_bulletproofs_plus`: it is built on the same version of curve25519-dalek as this crate, lets callers choose the generators,
//! reads proofs canonically, is released still, and an earlier state of it was audited (Quarkslab; the report is in its sources). The
//! older `bulletproofs` stays with curve25519-dalek 4 and would bring a second copy of it. Proving takes time that depends on the
//! number: the library multiplies in variable time. It happens at the holder alone, whenever the holder likes, with nobody waiting
//! for it; this is the one exception to this module's constant time.

use core::ops::RangeInclusive;
use std::sync::LazyLock;

use curve25519_dalek::constants::{RISTRETTO_BASEPOINT_COMPRESSED, RISTRETTO_BASEPOINT_POINT};
use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rand_core::CryptoRng;
use tari_bulletproofs_plus::PedersenGens;
use tari_bulletproofs_plus::commitment_opening::CommitmentOpening;
use tari_bulletproofs_plus::errors::ProofError;
use tari_bulletproofs_plus::generators::pedersen_gens::ExtensionDegree;
use tari_bulletproofs_plus::range_parameters::RangeParameters;
use tari_bulletproofs_plus::range_proof::{RangeProof, VerifyAction};
use tari_bulletproofs_plus::range_statement::RangeStatement;
use tari_bulletproofs_plus::range_witness::RangeWitness;
use tari_merlin::Transcript;

use super::pedersen::{BLINDING, Commitment, Opening};

/// Bytes of a proof.
pub const PROOF_BYTES: usize = 641;

/// Bits of each difference.
const BITS: usize = 64;
/// Differences to the bounds.
const DIFFERENCES: usize = 2;

/// Why there is no proof, or none that is to be believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// The number does not lie between the bounds, so nothing can be proved.
    #[error("the committed number does not lie between the bounds")]
    Outside,
    /// The bytes are not a proof.
    #[error("this is not a range proof: {0}")]
    Malformed(String),
    /// The proof does not hold for this commitment, these bounds and this context.
    #[error(
        "the range proof does not hold: it was changed, or is about another commitment, other bounds or another context"
    )]
    Refused,
    /// The library's refusal of what it was given: a mistake in this program.
    #[error("range proofs are misused: {0}")]
    Misuse(String),
}

/// The generators and their tables, made once: that takes longer than a proof.
static PARAMETERS: LazyLock<Result<RangeParameters<RistrettoPoint>, RangeError>> = LazyLock::new(|| {
    let generators = PedersenGens {
        h_base: RISTRETTO_BASEPOINT_POINT,
        h_base_compressed: RISTRETTO_BASEPOINT_COMPRESSED,
        g_base_vec: vec![*BLINDING],
        g_base_compressed_vec: vec![BLINDING.compress()],
        extension_degree: ExtensionDegree::DefaultPedersen,
    };
    RangeParameters::init(BITS, DIFFERENCES, generators).map_err(misuse)
});

fn misuse(error: ProofError) -> RangeError {
    RangeError::Misuse(error.to_string())
}

/// Proves that an opening's number lies between `bounds`. `context` is bytes that the proof is bound to: what it is about,
/// and perhaps a challenge of the one who asks.
///
/// # Errors
/// [`RangeError::Outside`].
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
    let witness = RangeWitness::init(vec![
        CommitmentOpening::new(above, vec![opening.blinding]),
        CommitmentOpening::new(below, vec![-opening.blinding]),
    ]);
    let statement = statement(&opening.commitment(), bounds)?;
    let proof = RangeProof::prove_with_rng(
        &mut transcript(bounds, context),
        &statement,
        &witness.map_err(misuse)?,
        rng,
    );
    Ok(proof.map_err(misuse)?.to_bytes())
}

/// Whether `proof` shows that the number that `commitment` holds lies between `bounds`.
///
/// # Errors
/// [`RangeError::Malformed`], [`RangeError::Refused`].
pub fn verify(
    commitment: &Commitment,
    bounds: &RangeInclusive<u64>,
    context: &[u8],
    proof: &[u8],
) -> Result<(), RangeError> {
    if proof.len() != PROOF_BYTES {
        return Err(RangeError::Malformed(format!("{} bytes, and a proof has {PROOF_BYTES}", proof.len())));
    }
    let proof = RangeProof::from_bytes(proof).map_err(|error| RangeError::Malformed(error.to_string()))?;
    let (transcript, statement) = (transcript(bounds, context), statement(commitment, bounds)?);
    RangeProof::verify_batch(&mut [transcript], &[statement], &[proof], VerifyAction::VerifyOnly)
        .map(|_| ())
        .map_err(|_| RangeError::Refused)
}

/// What is proved: the commitments to the two differences.
fn statement(
    commitment: &Commitment,
    bounds: &RangeInclusive<u64>,
) -> Result<RangeStatement<RistrettoPoint>, RangeError> {
    let bound = |bound: &u64| RistrettoPoint::mul_base(&Scalar::from(*bound));
    let differences = vec![commitment.point - bound(bounds.start()), bound(bounds.end()) - commitment.point];
    RangeStatement::init(PARAMETERS.clone()?, differences, vec![None; DIFFERENCES], None).map_err(misuse)
}

/// The library adds generators and commitments.
fn transcript(bounds: &RangeInclusive<u64>, context: &[u8]) -> Transcript {
    let mut transcript = Transcript::new(b"volery range proof v1");
    transcript.append_u64(b"least", *bounds.start());
    transcript.append_u64(b"greatest", *bounds.end());
    transcript.append_message(b"context", context);
    transcript
}
