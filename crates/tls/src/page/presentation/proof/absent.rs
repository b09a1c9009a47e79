//! Without the proof system.

use rand_core::CryptoRng;

use super::ClaimStatement;
use crate::page::presentation::PresentationError;

pub(super) fn prove<R: CryptoRng>(_: &ClaimStatement<'_>, _: &mut R) -> Result<Vec<u8>, PresentationError> {
    Err(PresentationError::Missing)
}

pub(super) fn verify(_: &ClaimStatement<'_>, _: &[u8]) -> Result<(), PresentationError> {
    Err(PresentationError::Missing)
}
