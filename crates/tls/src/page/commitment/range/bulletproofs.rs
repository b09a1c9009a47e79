//! The proof system itself: Bulletproofs+.
//!
//! # Which library, and why
//!
//! `tari_bulletproofs_plus` uses the same version of curve25519-dalek as this crate, lets callers choose the
//! generators, reads proofs canonically, and is still released; an earlier version of it was audited
//! (Quarkslab; the report is in its sources). The older `bulletproofs` stays with curve25519-dalek 4 and
//! would bring a second copy of it. The time of proving depends on the number, because the library multiplies
//! in variable time. It happens only at the holder, at a time of its choice, while nobody waits for it. This
//! is the one exception to this module's constant time.

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

use super::RangeError;
use crate::page::commitment::pedersen::{BLINDING, Commitment, Opening};

/// Bits of each difference.
const BITS: usize = 64;
/// Differences to the bounds.
const DIFFERENCES: usize = 2;

/// The generators and their tables, made once, because that takes longer than a proof.
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

/// A proof about the opening's number: by how much it is above one bound and below the other.
pub(super) fn prove<R: CryptoRng>(
    opening: &Opening,
    [above, below]: [u64; DIFFERENCES],
    bounds: &RangeInclusive<u64>,
    context: &[u8],
    rng: &mut R,
) -> Result<Vec<u8>, RangeError> {
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

/// Whether a proof of the right length holds.
pub(super) fn verify(
    commitment: &Commitment,
    bounds: &RangeInclusive<u64>,
    context: &[u8],
    proof: &[u8],
) -> Result<(), RangeError> {
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
