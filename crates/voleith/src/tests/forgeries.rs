//! Files that say something else about themselves than what they prove, and second encodings of a proof.

use volery_channel::{Tag, tags};
use volery_field::{F2, Gf128};
use volery_vole::{Oracle, Prg, SessionId};

use super::cheats::file_of;
use super::statements::{Chain, Claims, Forgetful, Many, Named, Product};
use super::{Cheat, Counts, check, proof_of, settings};
use crate::hashes::HASH_BYTES;
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

/// Too few rows for the mask of the statement's degree; the masks of the commitments come before them.
#[test]
fn a_lesser_degree_than_the_statement_s_is_refused() {
    let (_, mut proof) = proof_of(&Product(2048), &settings(PARAMETERS), 48);
    proof[DEGREE] = 2;
    let error = check(&Product(2048), &proof).expect_err("a wrong degree was accepted");
    assert!(matches!(error, Error::Malformed { part: "the corrections", .. }), "{error}");
}

/// Both parties add up what waits when there is no more room.
#[test]
fn a_wrong_polynomial_among_many_is_found() {
    let (proved, proof) = proof_of(&Many { wrong: None }, &settings(PARAMETERS), 49);
    assert_eq!(check(&Many { wrong: None }, &proof), Ok(proved));
    for wrong in [0, 40_000, 79_999] {
        let error = check(&Many { wrong: Some(wrong) }, &proof).expect_err("a lie was accepted");
        assert_eq!(error, Error::Rejected("a product or another polynomial is wrong".into()), "{wrong}");
    }
}

/// A verifier that has refused something accepts nothing, whatever its statement makes of that.
#[test]
fn a_public_constant_that_is_not_zero_is_refused_even_if_the_statement_goes_on() {
    let (_, proof) = proof_of(&Claims::TRUE, &settings(PARAMETERS), 50);
    let error = check(&Claims { constant: F2::ONE, ..Claims::TRUE }, &proof).expect_err("one is zero");
    assert!(matches!(error, Error::Statement(volery_circuit::Error::Misuse(_))), "{error}");
}

/// A key for relations of degree 3 costs more work than one for degree 2. The rows that a greater degree's
/// mask takes can be called commitments instead, with masks that V never comes to read.
#[test]
fn a_greater_degree_than_the_header_s_is_refused() {
    // All rows of a block, so that the next one's masks are read, but not used.
    let statement = Product(1 << 15);
    let (proved, _) = proof_of(&statement, &settings(PARAMETERS), 42);
    assert_eq!(proved.tally.degree, 3);
    let counts = Counts { degree: 2, commitments: (1 << 15) + 256, masks: 32 };
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

/// The places of the two challenges, and of the combination's two coefficients and the hash of zeros, from
/// the end.
const COLUMNS: usize = Header::BYTES;
const KEY: usize = Header::BYTES + 40;
const COMBINATION: usize = HASH_BYTES + 64;
const ZEROS: usize = HASH_BYTES + 32;

/// A proof of what holds, and its delta. A P that forges knows delta before it has answered, unless its
/// answers are in the key.
fn with_delta() -> (Vec<u8>, Gf128) {
    let (_, proof) = proof_of(&Claims::TRUE, &settings(PARAMETERS), 47);
    check(&Claims::TRUE, &proof).expect("holds");
    let key = u128::from_le_bytes(proof[KEY..KEY + 16].try_into().expect("16 bytes"));
    (proof, Gf128::from_bits(key << 1 | 1))
}

/// The product of two ones is zero, in V's combination: it is off by `chi_0 (delta + 1)^2`.
#[test]
fn a_combination_that_is_made_for_delta_does_not_lead_to_it() {
    let (mut proof, delta) = with_delta();
    let lie = Claims { factor: F2::ONE, ..Claims::TRUE };
    assert_eq!(check(&lie, &proof), Err(Error::Rejected("a product is wrong".into())));
    let challenge = proof[COLUMNS..COLUMNS + 32].try_into().expect("32 bytes");
    let oracle = Oracle::new("voleith: columns and relations", &SessionId::new(challenge));
    let seed = oracle.hash::<24>(0, &[b"relations"]);
    let [key, salt] = [&seed[..16], &seed[16..]];
    let salt = u64::from_le_bytes(salt.try_into().expect("8 bytes"));
    let chi = Prg::salted(key.try_into().expect("16 bytes"), salt).block();
    let one = delta + Gf128::ONE;
    let place = proof.len() - COMBINATION;
    let constant = &mut proof[place..place + 16];
    let old = Gf128::from_bytes(constant.try_into().expect("16 bytes"));
    constant.copy_from_slice(&(old + chi * one * one).to_bytes());
    // All of V's checks of relations pass.
    assert_eq!(check(&lie, &proof), Err(Error::Challenge("the key")));
}

/// One is zero: its key is `delta + 1`.
#[test]
fn a_hash_of_zeros_that_is_made_for_delta_does_not_lead_to_it() {
    let (mut proof, delta) = with_delta();
    let lie = Claims { zero: F2::ONE, ..Claims::TRUE };
    assert_eq!(check(&lie, &proof), Err(Error::Rejected("a wire that must be zero is not".into())));
    let place = proof.len() - ZEROS;
    let keys = [delta + Gf128::ONE].map(Gf128::to_bytes);
    let hash = blake3::derive_key("volery 2026 quicksilver assertions v1", keys.as_flattened());
    proof[place..place + 32].copy_from_slice(&hash);
    assert_eq!(check(&lie, &proof), Err(Error::Challenge("the key")));
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
