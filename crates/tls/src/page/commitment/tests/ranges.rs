//! Range proofs: what can be proved, and that nothing else is believed.

use curve25519_dalek::scalar::Scalar;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::super::range::{PROOF_BYTES, RangeError, prove, verify};
use super::super::*;

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(6)
}

fn opening(number: u64) -> Opening {
    Opening::of_number(number, Scalar::random(&mut rng()))
}

#[test]
fn numbers_between_their_bounds_are_proved_and_the_bounds_belong_to_them() {
    let max = u64::MAX;
    for (number, bounds) in [
        (0, 0..=0),
        (0, 0..=max),
        (max, 0..=max),
        (max, max..=max),
        (10, 10..=20),
        (20, 10..=20),
        (1, 0..=max),
    ] {
        let opening = opening(number);
        let proof = prove(&opening, &bounds, b"", &mut rng()).unwrap();
        assert_eq!(proof.len(), PROOF_BYTES);
        assert_eq!(verify(&opening.commitment(), &bounds, b"", &proof), Ok(()), "{number} {bounds:?}");
    }
}

#[test]
fn numbers_outside_of_the_bounds_are_not_proved() {
    for (number, bounds) in [(9, 10..=20), (21, 10..=20), (u64::MAX, 0..=u64::MAX - 1), (0, 1..=u64::MAX)] {
        assert_eq!(prove(&opening(number), &bounds, b"", &mut rng()), Err(RangeError::Outside));
    }
    #[allow(clippy::reversed_empty_ranges, reason = "what a careless caller might ask for")]
    let none = 20..=10;
    assert_eq!(prove(&opening(15), &none, b"", &mut rng()), Err(RangeError::Outside));
    let long = Opening::of_bytes(&[1; 9], Scalar::ONE).unwrap();
    assert_eq!(prove(&long, &(0..=u64::MAX), b"", &mut rng()), Err(RangeError::Outside));
}

#[test]
fn a_proof_is_about_its_commitment_its_bounds_and_its_context() {
    let (own, bounds) = (opening(15), 10..=20);
    let commitment = own.commitment();
    let proof = prove(&own, &bounds, b"context", &mut rng()).unwrap();
    assert_eq!(verify(&commitment, &bounds, b"context", &proof), Ok(()));
    let refused = Err(RangeError::Refused);
    assert_eq!(verify(&commitment, &(10..=21), b"context", &proof), refused);
    assert_eq!(verify(&commitment, &(9..=20), b"context", &proof), refused);
    assert_eq!(verify(&commitment, &(16..=20), b"context", &proof), refused);
    assert_eq!(verify(&commitment, &bounds, b"contexT", &proof), refused);
    assert_eq!(verify(&opening(16).commitment(), &bounds, b"context", &proof), refused);
    // Moved by one with its bounds: the same differences.
    assert_eq!(verify(&opening(16).commitment(), &(11..=21), b"context", &proof), refused);
}

#[test]
fn a_changed_proof_is_refused() {
    let (own, bounds) = (opening(15), 10..=20);
    let proof = prove(&own, &bounds, b"", &mut rng()).unwrap();
    for at in (0..proof.len()).step_by(16).chain([PROOF_BYTES - 1]) {
        let mut changed = proof.clone();
        changed[at] ^= 1;
        assert!(verify(&own.commitment(), &bounds, b"", &changed).is_err(), "byte {at}");
    }
    let (short, long) = (&proof[..PROOF_BYTES - 32], [&proof[..], &[0; 32]].concat());
    for wrong in [&[][..], short, &long, &[0; PROOF_BYTES], &[0xff; PROOF_BYTES]] {
        assert!(verify(&own.commitment(), &bounds, b"", wrong).is_err());
    }
}
