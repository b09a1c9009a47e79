//! Proofs that must not be accepted: changed files, and provers that lie in one place and are consistent
//! otherwise.

use volery_channel::{Tag, tags};
use volery_circuit::Statement;
use volery_circuit::statements::Aes128Key;
use volery_testing::rng;
use volery_zk::quicksilver::bits;

use super::statements::{Chain, Cubic, Forgetful, Silent};
use super::{Cheat, Edit, check, proof_of, settings};
use crate::hashes::HASH_BYTES;
use crate::header::{Front, Header};
use crate::proof::Prover;
use crate::{Error, Parameters, Settings};

const PARAMETERS: Parameters = Parameters::Fast80;

fn chain() -> Chain {
    Chain::of(20, 300)
}

/// The file of a P that cheats.
pub(super) fn file_of<S>(
    statement: &S,
    settings: &Settings,
    seed: u64,
    prepare: impl FnOnce(&mut Prover),
) -> Vec<u8>
where
    S: for<'a> Statement<bits::Prover<'a>>,
{
    let mut prover = Prover::start(statement, settings, &mut rng(seed)).expect("holds");
    prepare(&mut prover);
    let mut out = std::io::Cursor::new(Vec::new());
    prover.prove(statement, &mut out).expect("a cheating prover goes on");
    out.into_inner()
}

/// What V says about it.
fn verdict(prepare: impl FnOnce(&mut Prover)) -> Error {
    let chain = chain();
    let file = file_of(&chain, &settings(PARAMETERS), 11, prepare);
    check(&chain.claim(), &file).expect_err("a wrong proof was accepted")
}

fn lies(first_pass: Edit, second_pass: Edit) -> Error {
    verdict(|prover| prover.cheat = Cheat { first_pass, second_pass, ..Cheat::default() })
}

/// Flips a bit of each message with this tag.
fn flip<const TAG: u8, const BYTE: usize>(tag: Tag, mut payload: Vec<u8>) -> Vec<u8> {
    if tag.byte() == TAG {
        payload[BYTE] ^= 4;
    }
    payload
}

const CORRECTIONS: u8 = tags::SOFT_SPOKEN_EXTEND.byte();
const MASKS: u8 = tags::MASKS.byte();
const OPENING: u8 = tags::CHECK_OPENING.byte();
const ASSERTIONS: u8 = tags::ASSERTIONS.byte();
const COLUMNS: u8 = tags::SOFT_SPOKEN_CHECK.byte();

#[test]
fn a_prover_without_a_lie_is_accepted_by_the_same_means() {
    let chain = chain();
    let (_, proof) = proof_of(&chain, &settings(PARAMETERS), 11);
    check(&chain.claim(), &proof).expect("holds");
}

/// One leaf: V's streams are those of the leaf that was committed to.
#[test]
fn a_lie_in_one_leaf_is_found() {
    for (t, j) in [(0, 0), (3, 77), (8, 255)] {
        let error = verdict(|prover| prover.lie(t, j));
        assert!(error.is_rejection(), "{t}, {j}: {error}");
    }
}

/// One correction of a row that no relation has, so that only the columns' hash can tell; V's columns of the
/// tree change where its piece of delta has a one.
#[test]
fn a_lie_in_one_correction_is_found_by_the_hash_of_the_columns() {
    fn last_row_of_the_mask(tag: Tag, mut payload: Vec<u8>) -> Vec<u8> {
        // The last of the first tree that has corrections, of nine trees in all.
        if tag.byte() == CORRECTIONS {
            let last = payload.len() / 8 - 1;
            payload[last] ^= 128;
        }
        payload
    }
    let error = lies(last_row_of_the_mask, super::honest);
    assert_eq!(error, Error::Challenge("the key"));
    assert!(lies(flip::<CORRECTIONS, 0>, super::honest).is_rejection());
}

#[test]
fn a_lie_in_one_bit_of_the_columns_check_is_found() {
    for second in [flip::<COLUMNS, 0>, flip::<COLUMNS, 17>, flip::<COLUMNS, 18>, flip::<COLUMNS, 49>] {
        assert_eq!(lies(super::honest, second), Error::Challenge("the key"));
    }
}

/// P commits to a wrong product, or to a wrong secret, and goes on as if it were right.
#[test]
fn a_lie_in_one_and_is_found() {
    assert_eq!(lies(flip::<MASKS, 20>, flip::<MASKS, 20>), Error::Rejected("a product is wrong".into()));
}

/// The last round's outputs are in no commitment: they are what the ciphertext and the last round key say. A
/// bit of the key, of its first and last S-boxes, of those of the first round, and of the inputs of the last.
#[test]
fn a_lie_about_any_round_of_aes_is_found() {
    // FIPS 197, appendix C.1.
    let plaintext = core::array::from_fn(|i| i as u8 * 0x11);
    let ciphertext = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes();
    let claim = Aes128Key::new(plaintext, ciphertext);
    let known = Aes128Key::new(plaintext, ciphertext).with_key((0..16).collect::<Vec<u8>>().into());
    let known = known.expect("fits");
    for lie in [
        flip::<MASKS, 0>,
        flip::<MASKS, 16>,
        flip::<MASKS, 55>,
        flip::<MASKS, 56>,
        flip::<MASKS, 184>,
        flip::<MASKS, 199>,
    ] {
        let cheat = Cheat { first_pass: lie, second_pass: lie, ..Cheat::default() };
        let file = file_of(&known, &settings(PARAMETERS), 23, |prover| prover.cheat = cheat);
        let error = check(&claim, &file).expect_err("a lie was accepted");
        assert_eq!(error, Error::Rejected("a product or another polynomial is wrong".into()));
    }
}

#[test]
fn a_lie_in_the_combination_or_in_an_assertion_is_found() {
    assert_eq!(lies(super::honest, flip::<OPENING, 0>), Error::Rejected("a product is wrong".into()));
    assert_eq!(lies(super::honest, flip::<OPENING, 31>), Error::Rejected("a product is wrong".into()));
    let error = lies(super::honest, flip::<ASSERTIONS, 5>);
    assert_eq!(error, Error::Rejected("a wire that must be zero is not".into()));
}

#[test]
fn a_lie_in_one_polynomial_is_found() {
    // The masks of another witness, for which a polynomial does not vanish.
    fn other(tag: Tag, mut payload: Vec<u8>) -> Vec<u8> {
        if tag.byte() == MASKS {
            payload[0] ^= 4;
        }
        payload
    }
    let cheat = Cheat { first_pass: other, second_pass: other, ..Cheat::default() };
    let file = file_of(&Cubic(Some([true; 3])), &settings(PARAMETERS), 12, |prover| prover.cheat = cheat);
    let error = check(&Cubic(None), &file).expect_err("wrong");
    assert_eq!(error, Error::Rejected("a product or another polynomial is wrong".into()));
}

/// The parameters here need no work for the columns' challenge, so this takes others.
#[test]
fn challenges_without_work_are_refused() {
    let chain = chain();
    for (columns, seed) in [(true, 21), (false, 22)] {
        let cheat = Cheat {
            work_for_the_columns: columns.then_some(0),
            no_work_for_the_key: !columns,
            ..Cheat::default()
        };
        let file = file_of(&chain, &settings(Parameters::Fast), seed, |prover| prover.cheat = cheat);
        let what = if columns { "columns and relations" } else { "the key" };
        assert_eq!(check(&chain.claim(), &file), Err(Error::Challenge(what)));
    }
}

#[test]
fn a_proof_of_nothing_is_refused() {
    let cheat = Cheat { claims_nothing: true, ..Cheat::default() };
    let file = file_of(&Silent, &settings(PARAMETERS), 18, |prover| prover.cheat = cheat);
    assert_eq!(check(&Silent, &file), Err(volery_circuit::Error::nothing_claimed().into()));
}

/// P chooses a constant last that the statement's digest does not name.
#[test]
fn a_constant_that_the_digest_forgets_is_in_the_challenge() {
    for unnamed in [false, true] {
        let (proved, proof) = proof_of(&Forgetful { unnamed }, &settings(PARAMETERS), 13);
        assert_eq!(check(&Forgetful { unnamed }, &proof), Ok(proved));
        let other = check(&Forgetful { unnamed: !unnamed }, &proof);
        assert_eq!(other, Err(Error::Challenge("columns and relations")));
    }
}

/// Every part of a file, changed in one bit: every 23rd byte, and the borders of all parts.
#[test]
fn a_changed_byte_anywhere_is_refused() {
    let chain = chain();
    let (_, proof) = proof_of(&chain, &settings(PARAMETERS), 14);
    let claim = chain.claim();
    let shape = PARAMETERS.shape();
    let front = Header::BYTES + 56;
    let (nodes, body) = (front + 16 * shape.opened(), Header::BYTES + Front::bytes(PARAMETERS));
    let borders = [0, 16, 18, 19, 20, 24, 32, 64, 96, 128, 132, 136, 144, 151, front, nodes, body];
    let mut places: Vec<_> = (0..proof.len()).step_by(23).collect();
    for border in
        borders.into_iter().chain([proof.len(), proof.len() - HASH_BYTES, proof.len() - HASH_BYTES - 32])
    {
        places.extend([border.saturating_sub(1), border.min(proof.len() - 1)]);
    }
    for place in places {
        let mut changed = proof.clone();
        changed[place] ^= 1 << (place % 8);
        assert!(check(&claim, &changed).is_err(), "byte {place}");
    }
}

#[test]
fn cut_extended_and_reordered_files_are_refused() {
    let chain = chain();
    let (_, proof) = proof_of(&chain, &settings(PARAMETERS), 15);
    let claim = chain.claim();
    for length in (0..proof.len()).step_by(97).chain([proof.len() - 1]) {
        let error = check(&claim, &proof[..length]).expect_err("cut");
        assert!(matches!(error, Error::Malformed { .. } | Error::Opening(_)), "{length}: {error}");
    }
    let longer = [&proof[..], &[0]].concat();
    assert!(matches!(check(&claim, &longer), Err(Error::Malformed { .. })));
    let front = Header::BYTES + 56;
    let body = Header::BYTES + Front::bytes(PARAMETERS);
    for [a, b] in [[front, front + 16], [body, body + 64], [body - 64, body - 32]] {
        let mut swapped = proof.clone();
        let (left, right) = swapped.split_at_mut(b);
        left[a..a + 16].swap_with_slice(&mut right[..16]);
        assert!(swapped != proof && check(&claim, &swapped).is_err(), "{a}, {b}");
    }
}

/// Another proof's body, front or challenges do not fit.
#[test]
fn parts_of_two_proofs_do_not_mix() {
    let chain = chain();
    let [one, two] = [16, 17].map(|seed| proof_of(&chain, &settings(PARAMETERS), seed).1);
    let body = Header::BYTES + Front::bytes(PARAMETERS);
    let end = one.len() - HASH_BYTES;
    for cut in [Header::BYTES, Header::BYTES + 56, body, end - 64, end - 32, end] {
        let mixed = [&one[..cut], &two[cut..]].concat();
        assert!(check(&chain.claim(), &mixed).is_err(), "{cut}");
    }
    // The same statement and randomness under other parameters.
    let (_, other) =
        proof_of(&chain, &Settings { parameters: Parameters::Small80, ..Settings::default() }, 16);
    let mut renamed = other;
    renamed[18] = one[18];
    assert!(check(&chain.claim(), &renamed).is_err());
}
