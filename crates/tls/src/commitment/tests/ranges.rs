//! Range proofs: what can be proved, and that nothing else is believed.

use curve25519_dalek::scalar::Scalar;
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::super::range::{
    MAX_DIGITS, PROOF_BYTES, RangeError, decimal_commitment, decimal_opening, prove, verify,
};
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

#[test]
fn a_decimal_number_is_proved_from_the_commitments_to_its_digits() {
    let digit =
        |byte: &u8| Opening::of_bytes(&[*byte], Scalar::random(&mut ChaCha20Rng::from_seed([*byte; 32])));
    let digits: Vec<_> = b"12345".iter().map(|byte| digit(byte).unwrap()).collect();
    let commitments: Vec<_> = digits.iter().map(Opening::commitment).collect();
    let number = decimal_opening(&digits).unwrap();
    let proof = prove(&number, &(10_000..=20_000), b"", &mut rng()).unwrap();
    let commitment = decimal_commitment(&commitments).unwrap();
    assert_eq!(verify(&commitment, &(10_000..=20_000), b"", &proof), Ok(()));
    let swapped: Vec<_> = commitments.iter().rev().copied().collect();
    let other = decimal_commitment(&swapped).unwrap();
    assert_eq!(verify(&other, &(10_000..=20_000), b"", &proof), Err(RangeError::Refused));
}

#[test]
fn decimal_numbers_have_1_to_19_digits() {
    let digits = vec![Opening::of_number(u64::from(b'9'), Scalar::ONE); MAX_DIGITS + 1];
    let commitments: Vec<_> = digits.iter().map(Opening::commitment).collect();
    assert!(decimal_opening(&[]).is_none() && decimal_commitment(&[]).is_none());
    assert!(decimal_opening(&digits).is_none() && decimal_commitment(&commitments).is_none());
    let most = decimal_opening(&digits[1..]).unwrap();
    assert_eq!(most.number(), Some(9_999_999_999_999_999_999));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn decimal_openings_open_decimal_commitments(number in 0..10_u64.pow(19), seed in any::<u64>()) {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let digits: Vec<_> = number
            .to_string()
            .bytes()
            .map(|byte| Opening::of_bytes(&[byte], Scalar::random(&mut rng)).unwrap())
            .collect();
        let commitments: Vec<_> = digits.iter().map(Opening::commitment).collect();
        let opening = decimal_opening(&digits).unwrap();
        prop_assert_eq!(opening.number(), Some(number));
        prop_assert_eq!(Some(opening.commitment()), decimal_commitment(&commitments));
    }
}
