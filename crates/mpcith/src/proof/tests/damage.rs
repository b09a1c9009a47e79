//! No other bytes than a proof's are a proof: flipped, cut, extended, reordered, of another statement, of
//! fewer repetitions.

use volery_circuit::{Digest, Prove};
use volery_field::{Bn254Scalar, F2, F61, Z32};

use super::*;
use crate::testing::Size;

/// Why `proof` is refused.
fn refusal<R: PublicRing>(statement: &CircuitStatement<R>, proof: &[u8], demanded: u16) -> Error {
    let demanded = Parameters::new(demanded).expect("in range");
    verify::<R, _>(statement, proof, demanded.into()).expect_err("this is no proof of the statement")
}

/// The first 200 bytes, and one of `of` after them. With 12 bits of soundness: that a flipped commitment of
/// a closed player leaves the challenge as it was has probability 3^-21.
fn flipped_bytes_are_refused<R: PublicRing>(of: usize) {
    let statement = statement::<R>(11, Size { inputs: 3, gates: 6, claims: 1 });
    for protocol in PROTOCOLS {
        let proof = prove(&statement, settings(protocol, 12), &mut rng(5)).expect("it holds");
        for at in (0..proof.len()).filter(|at| *at < 200 || at % of == 0) {
            let mut damaged = proof.clone();
            // Each bit of a byte in its turn.
            damaged[at] ^= 1 << (at / of % 8);
            let error = refusal(&statement, &damaged, 1);
            let expected = match at {
                0..16 | 18..20 => matches!(error, Error::Malformed { .. }),
                16..18 => matches!(error, Error::Version { .. }),
                20..24 => matches!(error, Error::Malformed { .. } | Error::Mismatch { .. }),
                24..80 => matches!(error, Error::Mismatch { .. } | Error::OtherStatement { .. }),
                // A new salt or a new digest is a new challenge, for which the response may be too long or
                // too short.
                _ => error.is_rejection() || matches!(error, Error::Malformed { .. }),
            };
            assert!(expected, "{protocol}, byte {at}: {error:?}");
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn every_flipped_byte_of_a_proof_over_bits_is_refused_with_a_reason() {
    flipped_bytes_are_refused::<F2>(1);
}

#[test]
fn every_flipped_byte_of_a_proof_over_a_ring_is_refused_with_a_reason() {
    flipped_bytes_are_refused::<Z32>(1);
}

#[test]
fn every_flipped_byte_of_a_proof_over_a_small_field_is_refused_with_a_reason() {
    flipped_bytes_are_refused::<F61>(1);
}

/// Of 32 bytes of an element in a row, each is one of these at some element.
#[test]
fn every_eleventh_flipped_byte_of_a_proof_over_a_large_field_is_refused_with_a_reason() {
    flipped_bytes_are_refused::<Bn254Scalar>(11);
}

#[test]
#[ignore = "long: some seconds"]
fn long_every_flipped_byte_of_a_proof_over_a_large_field_is_refused_with_a_reason() {
    flipped_bytes_are_refused::<Bn254Scalar>(1);
}

#[test]
fn a_proof_that_was_cut_off_or_extended_is_malformed() {
    for protocol in PROTOCOLS {
        let (statement, proof) = proved::<F2>(protocol, 4);
        for length in 0..proof.len() {
            let error = refusal(&statement, &proof[..length], 1);
            assert!(matches!(error, Error::Malformed { .. }), "{length}: {error:?}");
        }
        for extra in [1, 16, 100] {
            let longer = [&proof[..], &vec![0; extra]].concat();
            assert!(matches!(refusal(&statement, &longer, 1), Error::Malformed { .. }));
        }
    }
}

/// ZKBoo's responses are all equally long, so that two can change places.
#[test]
fn repetitions_that_changed_places_are_refused() {
    let (statement, proof) = proved::<F2>(Protocol::Zkboo, 8);
    let program = Program::<F2>::new(&statement).expect("compiles");
    let shape = program.shape();
    let (first, each) = (shape.first(), 2 * (shape.row() - Shape::LABEL));
    let repetitions = Parameters::new(8).expect("in range").repetitions();
    let body = Header::BYTES + first * repetitions;
    let swap = |proof: &mut [u8], start: usize, each: usize| {
        let (a, b) = proof[start..start + 2 * each].split_at_mut(each);
        a.swap_with_slice(b);
    };
    let mut damaged = proof.clone();
    swap(&mut damaged, body, each);
    assert!(refusal(&statement, &damaged, 1).is_rejection());
    // With their first messages, too: labels are part of commitments.
    swap(&mut damaged, Header::BYTES, first);
    assert!(refusal(&statement, &damaged, 1).is_rejection());
}

#[test]
fn a_proof_of_another_statement_is_a_mismatch() {
    for protocol in PROTOCOLS {
        let (_, proof) = proved::<F2>(protocol, 8);
        let other = statement::<F2>(12, SMALL);
        assert!(matches!(refusal(&other, &proof, 1), Error::OtherStatement { .. }));
        // The header rewritten for the other statement: hashes depend on it.
        let theirs = Program::<F2>::new(&other).expect("compiles");
        let header = Header::decode(&proof).expect("sound");
        let forged = Header::new(&theirs, &settings(protocol, 8), header.salt);
        let forged = [&forged.encode(), &proof[Header::BYTES..]].concat();
        let error = refusal(&other, &forged, 1);
        assert!(error.is_rejection() || matches!(error, Error::Malformed { .. }), "{error:?}");
    }
}

#[test]
fn the_same_circuit_over_another_ring_is_another_statement() {
    let size = Size { inputs: 2, gates: 0, claims: 1 };
    let bits = Program::<F2>::new(&statement::<F2>(1, size)).expect("compiles");
    let words = Program::<Z32>::new(&statement::<Z32>(1, size)).expect("compiles");
    assert_ne!(bits.digest(), words.digest());
}

#[test]
fn a_proof_that_is_worth_less_than_demanded_is_refused_and_so_are_fewer_repetitions() {
    for protocol in PROTOCOLS {
        let (statement, proof) = proved::<F2>(protocol, 40);
        let parameters = Parameters::new(40).expect("in range");
        verify::<F2, _>(&statement, &proof, parameters.into()).expect("accepted");
        assert_eq!(refusal(&statement, &proof, 41), Error::Soundness { proof: 40, demanded: 41 });
        // It claims 128 bits and has the repetitions of 40; then the repetitions of 128 in name only.
        let mut claims_more = proof.clone();
        claims_more[20..22].copy_from_slice(&128_u16.to_le_bytes());
        assert!(matches!(refusal(&statement, &claims_more, 80), Error::Malformed { offset: 22, .. }));
        claims_more[22..24].copy_from_slice(&219_u16.to_le_bytes());
        assert!(matches!(refusal(&statement, &claims_more, 80), Error::Malformed { .. }));
    }
}

#[test]
fn the_other_protocols_name_is_refused() {
    for (protocol, other) in [(Protocol::Zkboo, 1), (Protocol::Zkbpp, 0)] {
        let (statement, mut proof) = proved::<F2>(protocol, 4);
        proof[18] = other;
        assert!(matches!(refusal(&statement, &proof, 1), Error::Malformed { .. }));
    }
}

/// "I know x with x^2 + x = c", by a statement that forgets to name c, and can be about another gadget.
struct Forgetful {
    c: Z32,
    cube: bool,
}

impl<B: Prove<Z32>> Statement<B> for Forgetful {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: forgetful v1");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let x = b.secret(1, &mut |_| Ok(vec![Z32::new(2)]))?;
        let power = b.mul(&x[0], &x[0])?;
        let power = if self.cube { b.mul(&power, &x[0])? } else { power };
        let sum = b.add(&power, &x[0]);
        let difference = b.add_constant(&sum, -self.c);
        b.assert_zero(&[difference])
    }
}

/// Fiat-Shamir is sound for what the digest covers: it covers the circuit, whatever the statement says about
/// itself.
#[test]
fn statements_with_one_name_and_other_constants_or_gadgets_are_a_mismatch() {
    for protocol in PROTOCOLS {
        let settings = settings(protocol, 8);
        let known = Forgetful { c: Z32::new(6), cube: false };
        let proof = prove(&known, settings, &mut rng(5)).expect("it holds");
        verify::<Z32, _>(&known, &proof, settings.parameters.into()).expect("accepted");
        let others = [Forgetful { c: Z32::new(7), cube: false }, Forgetful { c: Z32::new(10), cube: true }];
        for other in others {
            let result = verify::<Z32, _>(&other, &proof, settings.parameters.into());
            assert!(matches!(result, Err(Error::OtherStatement { .. })), "{result:?}");
        }
    }
}
