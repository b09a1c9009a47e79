//! The proofs: ZKB++ with 128 bits of soundness.

use rand_core::CryptoRng;
use volery_field::F2;
use volery_mpcith::{Demands, Settings, prove as prove_statement, verify as verify_statement};

use super::ClaimStatement;
use crate::page::presentation::PresentationError;

pub(super) fn prove<R: CryptoRng>(
    statement: &ClaimStatement<'_>,
    rng: &mut R,
) -> Result<Vec<u8>, PresentationError> {
    let proof = prove_statement::<F2, _>(statement, Settings::default(), rng);
    proof.map_err(|error| PresentationError::Proof(error.to_string()))
}

pub(super) fn verify(statement: &ClaimStatement<'_>, proof: &[u8]) -> Result<(), PresentationError> {
    let verified = verify_statement::<F2, _>(statement, proof, Demands::default());
    verified.map(drop).map_err(|error| PresentationError::Proof(error.to_string()))
}
