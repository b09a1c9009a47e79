//! Replaces the proof system if the crate is built without it, and names the missing feature.

use core::ops::RangeInclusive;

use rand_core::CryptoRng;

use super::RangeError;
use crate::page::commitment::pedersen::{Commitment, Opening};

/// Cannot prove.
pub(super) fn prove<R: CryptoRng>(
    _: &Opening,
    _: [u64; 2],
    _: &RangeInclusive<u64>,
    _: &[u8],
    _: &mut R,
) -> Result<Vec<u8>, RangeError> {
    Err(RangeError::Missing)
}

/// Cannot verify.
pub(super) fn verify(_: &Commitment, _: &RangeInclusive<u64>, _: &[u8], _: &[u8]) -> Result<(), RangeError> {
    Err(RangeError::Missing)
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::scalar::Scalar;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng as _;

    use super::RangeError;
    use crate::page::commitment::Opening;
    use crate::page::commitment::range::{PROOF_BYTES, prove, verify};

    #[test]
    fn nothing_is_proved_or_believed_without_the_proof_system() {
        let opening = Opening::of_number(7, Scalar::ONE);
        let rng = &mut ChaCha20Rng::seed_from_u64(1);
        assert_eq!(prove(&opening, &(5..=9), b"", rng), Err(RangeError::Missing));
        assert_eq!(prove(&opening, &(8..=9), b"", rng), Err(RangeError::Outside));
        let commitment = opening.commitment();
        assert_eq!(verify(&commitment, &(5..=9), b"", &[0; PROOF_BYTES]), Err(RangeError::Missing));
        assert!(RangeError::Missing.to_string().contains("`range-proofs`"));
    }
}
