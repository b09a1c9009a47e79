//! Range proofs about attestations.

use core::ops::RangeInclusive;

use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::super::range::RangeError;
use super::super::*;
use super::attested::{attestation, later_attestation, openings};
use crate::page::attestation;
use crate::wire::prf::Side;

const BALANCE: (Side, u64) = (Side::Server, 74);

fn prove(part: (Side, u64), bounds: RangeInclusive<u64>) -> Result<RangeFile, RangeFileError> {
    RangeFile::prove(&attestation().0, &openings(), part, bounds, &mut ChaCha20Rng::seed_from_u64(8))
}

#[test]
fn a_committed_number_is_shown_to_lie_between_its_bounds_with_the_signer_s_key_alone() {
    let (attestation, key) = attestation();
    let bytes = prove(BALANCE, 5000..=60_000).unwrap().to_bytes();
    assert_eq!(bytes.len(), RangeFile::MAX_BYTES);
    let shown = RangeFile::from_bytes(&bytes).unwrap().verify(&attestation, &key);
    let expected = Bounded { side: Side::Server, part: "json balance".into(), bounds: 5000..=60_000 };
    assert_eq!(shown, Ok(expected));
    let other = [3; 32];
    let refused = RangeFile::from_bytes(&bytes).unwrap().verify(&attestation, &other);
    assert!(matches!(refused, Err(RangeFileError::Attestation(attestation::Error::Signer { .. }))));
}

#[test]
fn what_does_not_hold_or_is_not_a_committed_number_is_not_proved() {
    assert_eq!(prove(BALANCE, 51_204..=60_000), Err(RangeError::Outside.into()));
    for (side, start) in [(Side::Server, 28), (Side::Client, 74), (Side::Server, 75)] {
        assert_eq!(prove((side, start), 0..=u64::MAX), Err(RangeFileError::NoNumber { side, start }));
    }
    // Openings of something else, in the same place.
    let place = [*openings().places().last().unwrap()];
    let other = Openings::new(&place, vec![Opening::of_number(99_999, Scalar::ONE)]).unwrap();
    let rng = &mut ChaCha20Rng::seed_from_u64(8);
    let refused = RangeFile::prove(&attestation().0, &other, BALANCE, 0..=u64::MAX, rng);
    let (side, start) = BALANCE;
    assert_eq!(refused, Err(OpeningsError::NotCommitted { side, start }.into()));
}

/// The commitments are the same; the proof is not about them alone.
#[test]
fn a_proof_about_another_attestation_is_refused_even_if_it_has_the_same_commitment() {
    let (later, key) = later_attestation();
    let proof = prove(BALANCE, 0..=60_000).unwrap();
    assert_eq!(proof.verify(&later, &key), Err(RangeFileError::Another));
    let mut bytes = proof.to_bytes();
    bytes[21..53].copy_from_slice(&later.digest());
    let moved = RangeFile::from_bytes(&bytes).unwrap();
    assert_eq!(moved.verify(&later, &key), Err(RangeError::Refused.into()));
}

#[test]
fn every_changed_byte_is_refused() {
    let (attestation, key) = attestation();
    let good = prove(BALANCE, 5000..=60_000).unwrap().to_bytes();
    for at in (0..78).chain((78..good.len()).step_by(23)) {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        let shown = RangeFile::from_bytes(&bytes).and_then(|file| file.verify(&attestation, &key));
        assert!(shown.is_err(), "byte {at}");
    }
    for end in 0..good.len() {
        let error = RangeFile::from_bytes(&good[..end]);
        assert!(matches!(error, Err(RangeFileError::Malformed(_))), "{end}: {error:?}");
    }
    let mut longer = good.clone();
    longer.push(0);
    assert!(matches!(RangeFile::from_bytes(&longer), Err(RangeFileError::Malformed(_))));
    let mut other = good;
    other[20] = 9;
    assert_eq!(RangeFile::from_bytes(&other), Err(RangeFileError::Version(9)));
}

proptest! {
    #[test]
    fn what_is_read_writes_the_same_bytes(bytes in prop::collection::vec(any::<u8>(), RangeFile::MAX_BYTES - 21)) {
        let bytes = [b"volery range proof\n\0\x01".to_vec(), bytes].concat();
        if let Ok(read) = RangeFile::from_bytes(&bytes) {
            prop_assert_eq!(read.to_bytes(), bytes);
        }
    }
}
