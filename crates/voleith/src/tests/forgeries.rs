//! Files that say something else about themselves than what they prove, and second encodings of a proof.

use volery_channel::{Tag, tags};

use super::cheats::file_of;
use super::statements::{Chain, Forgetful, Named, Product};
use super::{Cheat, Counts, check, proof_of, settings};
use crate::header::Header;
use crate::{Error, Parameters};

const PARAMETERS: Parameters = Parameters::Fast80;

/// The places of parts of a header.
const DEGREE: usize = 20;
const COMMITMENTS: usize = 24;
const STATEMENT: usize = 32;

/// A commitment more or less takes as many bytes and as many blocks of rows, so nothing but the counts tells.
#[test]
fn the_header_has_the_statement_s_counts() {
    let chain = Chain::of(20, 302);
    let (_, proof) = proof_of(&chain, &settings(PARAMETERS), 41);
    let with = |at: usize, number: u64, bytes: usize| {
        let mut changed = proof.clone();
        changed[at..at + bytes].copy_from_slice(&number.to_le_bytes()[..bytes]);
        check(&chain.claim(), &changed).expect_err("another count was accepted")
    };
    for commitments in [321, 323, 324] {
        let error = with(COMMITMENTS, commitments, 8);
        let expected = matches!(error, Error::Mismatch { what: "the number of commitments", .. });
        assert!(expected, "{commitments}: {error}");
    }
    // Far too few, too many, and so many that their rows have no number.
    for commitments in [0, 8, 100, 450, 5000, 1 << 40, u64::MAX - 200, u64::MAX] {
        let error = with(COMMITMENTS, commitments, 8);
        assert!(matches!(error, Error::Malformed { .. } | Error::Rejected(_)), "{commitments}: {error}");
    }
    for degree in [0, 1, 3, 4, 1 << 20, u32::MAX] {
        let error = with(DEGREE, degree.into(), 4);
        assert!(matches!(error, Error::Malformed { .. } | Error::Rejected(_)), "{degree}: {error}");
    }
}

/// A key for relations of degree 3 costs more work than one for degree 2. The rows that a greater degree's
/// mask takes can be called commitments instead, with masks that V never comes to read.
#[test]
fn a_greater_degree_than_the_header_s_is_refused() {
    // All rows of a block, so that the next one's masks are read with it, but not used.
    let statement = Product(2048);
    let (proved, _) = proof_of(&statement, &settings(PARAMETERS), 42);
    assert_eq!(proved.tally.degree, 3);
    let counts = Counts { degree: 2, commitments: 2048 + 256, masks: 32 };
    let cheat = Cheat { counts: Some(counts), ..Cheat::default() };
    let file = file_of(&statement, &settings(PARAMETERS), 42, |prover| prover.cheat = cheat);
    let error = check(&statement, &file).expect_err("too little work was accepted");
    assert!(matches!(error, Error::Mismatch { .. }), "{error}");
}

/// Both statements have one program, so only the digest in the challenge tells them apart.
#[test]
fn a_proof_with_the_name_of_another_statement_is_refused() {
    let (_, mut proof) = proof_of(&Named(1), &settings(PARAMETERS), 43);
    let error = check(&Named(2), &proof).expect_err("another name");
    let Error::OtherStatement { expected, .. } = error else { panic!("{error}") };
    proof[STATEMENT..STATEMENT + 32].copy_from_slice(&expected);
    assert_eq!(check(&Named(2), &proof), Err(Error::Challenge("columns and relations")));
}

#[test]
fn bits_beyond_the_last_mask_are_zero() {
    fn padded_with_a_one(tag: Tag, mut payload: Vec<u8>) -> Vec<u8> {
        if tag == tags::MASKS {
            payload[40] |= 128;
        }
        payload
    }
    let chain = Chain::of(20, 302);
    let cheat = Cheat { first_pass: padded_with_a_one, second_pass: padded_with_a_one, ..Cheat::default() };
    let file = file_of(&chain, &settings(PARAMETERS), 44, |prover| prover.cheat = cheat);
    let error = check(&chain.claim(), &file).expect_err("a second encoding was accepted");
    assert!(matches!(error, Error::Malformed { part: "the masks", .. }), "{error}");
}

/// Constants are in the challenges whether or not the statement's digest has them, so they decide over the
/// trees, too: trees that two challenges open show all of their leaves.
#[test]
fn the_same_randomness_opens_no_trees_twice_if_the_digest_forgets_a_constant() {
    let [salt, other] = [false, true].map(|unnamed| {
        let (_, proof) = proof_of(&Forgetful { unnamed }, &settings(PARAMETERS), 45);
        Header::read(&mut &proof[..]).expect("reads").salt
    });
    assert_ne!(salt, other);
}

/// Every bit of the fixed part, and every byte after it.
#[test]
#[ignore = "long: a verification for each"]
fn long_a_proof_with_any_other_bit_is_refused() {
    let chain = Chain::of(3, 7);
    let (_, proof) = proof_of(&chain, &settings(PARAMETERS), 46);
    for place in 0..proof.len() {
        for bit in 0..8 {
            let mut changed = proof.clone();
            changed[place] ^= 1 << bit;
            assert!(check(&chain.claim(), &changed).is_err(), "bit {bit} of byte {place}");
        }
    }
}
