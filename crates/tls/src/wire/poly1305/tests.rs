//! Known answers of ChaCha20-Poly1305, two parties against the clear, and what cheats give.

use std::sync::Mutex;

use ::poly1305::Poly1305;
use ::poly1305::universal_hash::KeyInit;
use proptest::prelude::*;
use volery_channel::Tag;
use volery_channel::tags::{POLY1305_AHEAD, POLY1305_FACTOR, POLY1305_POWERS, POLY1305_SHARE};
use volery_circuit::Evaluator;
use volery_circuit::gadgets::{bits_to_bytes, bytes_to_bits};
use volery_field::{Field, Ring};
use volery_garble::Function;
use volery_testing::untouched;
use volery_vole::{SessionId, ole};
use zeroize::Zeroizing;

use super::shares::Messages;
use super::*;
use crate::testing::{Change, SESSION, hex, two_parties};
use crate::wire::step::testing::Clear;
use crate::wire::step::{BLOCK_BITS, Plain, Step};

/// What a party does otherwise.
type Factors = fn(F130, usize) -> Zeroizing<Vec<F130>>;

/// How two parties make a tag.
#[derive(Clone, Copy)]
struct Run {
    /// What happens to P's messages and to V's.
    changes: [Change; 2],
    /// P's factors from `x`, and V's from `y`.
    factors: [Factors; 2],
    /// What V adds to its share of `r`.
    error: F130,
}

const HONEST: Run =
    Run { changes: [untouched; 2], factors: [prover::powers, prover::powers], error: F130::ZERO };

/// What the parties have for the circuits, for a record whose polynomial has these coefficients.
fn inputs(key: &[u8], coefficients: &[F130], run: Run) -> [Result<TagInputs, Error>; 2] {
    let powers = powers(coefficients.len());
    let a = -F130::from_u128(1 << 90);
    let r = bytes_to_bits(&key[..16]);
    let share = [r, element_bits(a).collect()].concat();
    let b = element(&Step::Poly1305Share.run(&mut Evaluator::new(), &share).unwrap()).unwrap();
    let (p, v) = two_parties(
        products(powers),
        1,
        run.changes,
        |channel, party: &mut ole::Sender<F130>, rng| {
            let factor = ProverFactor::new(party, rng)?;
            let ahead = factor.ahead_of(channel, (&SESSION, 7), party, |x| run.factors[0](x, powers))?;
            ahead.factor(channel, a)?.send(channel)?.shares(channel)?.inputs(coefficients)
        },
        |channel, party: &mut ole::Receiver<F130>, _| {
            let ahead = VerifierAhead::new(channel, (&SESSION, 7), powers)?;
            let offered = ahead.offer(channel, party, b + run.error)?;
            let shares = offered.shares_of(channel, party, run.factors[1])?;
            assert_eq!(party.prepared(), 0);
            shares.inputs(coefficients)
        },
    );
    [p, v]
}

/// The check's answer, and the tag.
fn finish(key: &[u8], inputs: [&[F2]; 2]) -> (bool, Vec<u8>) {
    let [right, tag] = TagInputs::finish(&mut Clear::new(true), &bytes_to_bits(key), inputs).unwrap();
    (right[0].to_bool(), bits_to_bytes(&tag).unwrap())
}

fn tag_of(key: &[u8], coefficients: &[F130], run: Run) -> (bool, Vec<u8>) {
    let [p, v] = inputs(key, coefficients, run).map(Result::unwrap);
    finish(key, [p.bits(), v.bits()])
}

/// The tag of the library.
fn library(key: &[u8], header: &[u8], ciphertext: &[u8]) -> Vec<u8> {
    let mut data = Vec::new();
    for bytes in [header, ciphertext] {
        data.extend_from_slice(bytes);
        data.resize(data.len().next_multiple_of(16), 0);
    }
    data.extend([header, ciphertext].map(|bytes| (bytes.len() as u64).to_le_bytes()).concat());
    Poly1305::new(key.try_into().unwrap()).compute_unpadded(&data).to_vec()
}

/// RFC 8439, section 2.8.2: the whole AEAD, with key stream and one-time key of the steps.
#[test]
fn the_record_of_rfc_8439_has_its_ciphertext_and_tag() {
    let key = hex("808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f");
    let nonce = hex("070000004041424344454647");
    let header = hex("50515253c0c1c2c3c4c5c6c7");
    let text =
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
                 sunscreen would be it.";
    let blocks = (0..3).map(|counter| Plain::Counter { sequence: 0, counter }).collect();
    let stream = Step::ChaCha20(blocks)
        .run(&mut Evaluator::new(), &[bytes_to_bits(&key), bytes_to_bits(&nonce)].concat())
        .unwrap();
    let stream = bits_to_bytes(&stream).unwrap();
    let (one_time, stream) = stream.split_at(32);
    let expected = "7bac2b252db447af09b67a55a4e955840ae1d6731075d9eb2a9375783ed553ff";
    assert_eq!(one_time, hex(expected));
    let ciphertext: Vec<u8> = text.iter().zip(stream).map(|(text, key)| text ^ key).collect();
    assert_eq!(ciphertext[..16], hex("d31a8d34648e60db7b86afbc53ef7ec2"));
    assert_eq!(ciphertext[112..], hex("6116"));
    let tag = tag_of(one_time, &coefficients(&header, &ciphertext), HONEST);
    assert_eq!(tag, (true, hex("1ae10b594f09e26a7e902ecbd0600691")));
}

const KEY: [u8; 32] = [0x9b; 32];

#[test]
fn records_of_any_length_have_the_tags_of_the_library() {
    for length in [0, 1, 16, 17, 500] {
        let ciphertext: Vec<u8> = (0..length).map(|i| (i as u8).wrapping_mul(0x9d)).collect();
        for header in [&[3; 13][..], &[0x17, 3, 3, 1, 0]] {
            let tag = tag_of(&KEY, &coefficients(header, &ciphertext), HONEST);
            assert_eq!(tag, (true, library(&KEY, header, &ciphertext)), "{length} bytes");
        }
    }
}

/// A record that V would like the server to read in the place of P's.
fn two_records() -> [Vec<F130>; 2] {
    let mut other = [0x55; 40];
    other[20] ^= 1;
    [[0x55; 40], other].map(|ciphertext| coefficients(&[0x17, 3, 3, 0, 56], &ciphertext))
}

/// V's factors, each multiplied by something.
fn scaled(y: F130, n: usize, scale: impl Fn(usize) -> F130) -> Zeroizing<Vec<F130>> {
    let mut factors = prover::powers(y, n);
    factors.iter_mut().enumerate().for_each(|(i, factor)| *factor *= scale(i));
    factors
}

/// V knows the factor of each power, so it could choose the polynomial of which P gets the tag. This is what
/// the check is for.
#[test]
fn a_verifier_that_makes_the_tag_of_another_ciphertext_is_caught() {
    let [own, other] = two_records();
    let forge: Factors = |y, n| {
        let [own, other] = two_records();
        scaled(y, n, |i| other[i] * own[i].inverse().unwrap())
    };
    let run = Run { factors: [prover::powers, forge], ..HONEST };
    let (right, tag) = tag_of(&KEY, &own, run);
    assert!(!right);
    // Without the check, the server would have taken V's ciphertext with this tag.
    assert_eq!(tag, tag_of(&KEY, &other, HONEST).1);
}

#[test]
fn a_verifier_whose_powers_are_not_those_of_its_factor_of_r_is_caught() {
    let [own, _] = two_records();
    let factors: [Factors; 6] = [
        // One power is wrong: the first, one in the middle, the last.
        |y, n| scaled(y, n, |i| F130::from_u128(if i == 0 { 2 } else { 1 })),
        |y, n| scaled(y, n, |i| F130::from_u128(if i == 2 { 2 } else { 1 })),
        |y, n| scaled(y, n, |i| F130::from_u128(if i + 1 == n { 2 } else { 1 })),
        // All are multiplied by one number; all are powers of another one; all are zero.
        |y, n| scaled(y, n, |_| F130::from_u128(3)),
        |y, n| prover::powers(y + y, n),
        |y, n| scaled(y, n, |_| F130::ZERO),
    ];
    for (i, cheat) in factors.into_iter().enumerate() {
        let run = Run { factors: [prover::powers, cheat], ..HONEST };
        let (right, tag) = tag_of(&KEY, &own, run);
        assert!(!right, "cheat {i}");
        assert_ne!(tag, tag_of(&KEY, &own, HONEST).1);
    }
}

/// Even if V knows the error's effect on each of its later shares, and corrects the first of them.
#[test]
fn a_verifier_with_another_share_of_r_is_caught() {
    let [own, _] = two_records();
    let run = Run { error: F130::ONE, ..HONEST };
    let [p, v] = inputs(&KEY, &own, run).map(Result::unwrap);
    assert!(!finish(&KEY, [p.bits(), v.bits()]).0);
    let first = element(&v.bits()[..POLY1305_SHARE_BITS]).unwrap() + F130::ONE;
    let mended = [element_bits(first).collect(), v.bits()[POLY1305_SHARE_BITS..].to_vec()].concat();
    assert!(!finish(&KEY, [p.bits(), &mended]).0);
    // The same for a record without content, whose polynomial has two coefficients.
    let empty = coefficients(&[3; 13], &[]);
    let [p, v] = inputs(&KEY, &empty, run).map(Result::unwrap);
    let first = element(&v.bits()[..POLY1305_SHARE_BITS]).unwrap() + F130::ONE;
    let mended = [element_bits(first).collect(), v.bits()[POLY1305_SHARE_BITS..].to_vec()].concat();
    assert!(!finish(&KEY, [p.bits(), &mended]).0);
}

#[test]
fn a_party_that_gives_the_circuits_another_share_is_caught_or_shifts_the_tag() {
    let [own, _] = two_records();
    let [p, v] = inputs(&KEY, &own, HONEST).map(Result::unwrap);
    let right = finish(&KEY, [p.bits(), v.bits()]).1;
    for (part, caught) in [(0, true), (1, true), (2, true), (3, false)] {
        for party in 0..2 {
            let mut shares = [p.bits(), v.bits()].map(<[F2]>::to_vec);
            let bit = &mut shares[party][part * POLY1305_SHARE_BITS + 9];
            *bit += F2::ONE;
            let (answer, tag) = finish(&KEY, [&shares[0], &shares[1]]);
            assert_eq!((answer, tag == right), (!caught, caught), "part {part}");
        }
    }
}

#[test]
fn a_prover_with_other_powers_ends_the_session() {
    let [own, _] = two_records();
    let cheat: Factors = |x, n| scaled(x, n, |i| F130::from_u128(if i == 1 { 2 } else { 1 }));
    let run = Run { factors: [cheat, prover::powers], ..HONEST };
    assert!(!tag_of(&KEY, &own, run).0);
}

/// The hash covers every message, so a change makes the parties' challenges differ, whatever else it does.
#[test]
fn a_changed_message_is_caught() {
    fn flip(tag: Tag, wanted: Tag, payload: &mut [u8]) {
        if tag == wanted {
            payload[0] ^= 1;
        }
    }
    let [own, _] = two_records();
    let changes: [[Change; 2]; 4] = [
        [|tag, payload| flip(tag, POLY1305_AHEAD, payload), untouched],
        [untouched, |tag, payload| flip(tag, POLY1305_SHARE, payload)],
        [|tag, payload| flip(tag, POLY1305_FACTOR, payload), untouched],
        [untouched, |tag, payload| flip(tag, POLY1305_POWERS, payload)],
    ];
    for changes in changes {
        assert!(!tag_of(&KEY, &own, Run { changes, ..HONEST }).0);
    }
}

#[test]
fn numbers_from_p_on_and_messages_of_another_length_are_refused() {
    fn large(tag: Tag, wanted: Tag, payload: &mut [u8]) {
        if tag == wanted {
            payload[..17].fill(0xff);
        }
    }
    fn cut(tag: Tag, wanted: Tag, payload: &mut Vec<u8>) {
        if tag == wanted {
            payload.pop();
        }
    }
    let [own, _] = two_records();
    // Who changes a message, the message, and who refuses it.
    let changes: [([Change; 2], Tag, usize); 4] = [
        ([|tag, payload| large(tag, POLY1305_AHEAD, payload), untouched], POLY1305_AHEAD, 1),
        ([untouched, |tag, payload| large(tag, POLY1305_SHARE, payload)], POLY1305_SHARE, 0),
        ([|tag, payload| large(tag, POLY1305_FACTOR, payload), untouched], POLY1305_FACTOR, 1),
        ([untouched, |tag, payload| large(tag, POLY1305_POWERS, payload)], POLY1305_POWERS, 0),
    ];
    for (changes, wanted, party) in changes {
        let ends = inputs(&KEY, &own, Run { changes, ..HONEST });
        assert!(matches!(&ends[party], Err(Error::Malformed { step, .. }) if *step == wanted), "{wanted}");
    }
    let changes: [([Change; 2], usize); 4] = [
        ([|tag, payload| cut(tag, POLY1305_AHEAD, payload), untouched], 1),
        ([untouched, |tag, payload| cut(tag, POLY1305_SHARE, payload)], 0),
        ([|tag, payload| cut(tag, POLY1305_FACTOR, payload), untouched], 1),
        ([untouched, |tag, payload| cut(tag, POLY1305_POWERS, payload)], 0),
    ];
    for (changes, party) in changes {
        let ends = inputs(&KEY, &own, Run { changes, ..HONEST });
        assert!(matches!(&ends[party], Err(Error::Channel(_))));
    }
}

/// A message that the hash leaves out could be chosen after the challenge.
#[test]
fn the_challenge_is_a_hash_of_all_four_messages() {
    let (sent, count) = (Mutex::new(Vec::new()), powers(5));
    let collect = |tag: Tag, payload: &mut Vec<u8>| {
        if [POLY1305_AHEAD, POLY1305_SHARE, POLY1305_FACTOR, POLY1305_POWERS].contains(&tag) {
            sent.lock().unwrap().push(payload.clone());
        }
    };
    let a = F130::from_u128(99);
    let (p, v) = two_parties(
        products(count),
        1,
        [collect; 2],
        |channel, party: &mut ole::Sender<F130>, rng| {
            let factor = ProverFactor::new(party, rng).unwrap();
            let ahead = factor.ahead(channel, (&SESSION, 7), party, count).unwrap();
            ahead.factor(channel, a).unwrap().send(channel).unwrap().shares(channel).unwrap()
        },
        |channel, party: &mut ole::Receiver<F130>, _| {
            let ahead = VerifierAhead::new(channel, (&SESSION, 7), count).unwrap();
            ahead.offer(channel, party, a).unwrap().shares(channel, party).unwrap()
        },
    );
    let mut messages = Messages::new(&SESSION, 7);
    sent.lock().unwrap().iter().for_each(|message| messages.add(message));
    assert_eq!(sent.lock().unwrap().len(), 4);
    assert!([p.challenge(), v.challenge()] == [messages.challenge(); 2]);
}

#[test]
fn the_challenge_depends_on_session_record_and_each_message() {
    let challenge = |session: [u8; 32], number, parts: &[&[u8]]| {
        let mut messages = Messages::new(&SessionId::new(session), number);
        parts.iter().for_each(|part| messages.add(part));
        messages.challenge()
    };
    let first = challenge([1; 32], 1, &[b"ab", b"c"]);
    assert_eq!(first, challenge([1; 32], 1, &[b"ab", b"c"]));
    let others = [
        challenge([2; 32], 1, &[b"ab", b"c"]),
        challenge([1; 32], 2, &[b"ab", b"c"]),
        challenge([1; 32], 1, &[b"a", b"bc"]),
        challenge([1; 32], 1, &[b"ab", b"d"]),
        challenge([1; 32], 1, &[b"ab"]),
    ];
    assert!(others.iter().all(|other| *other != first));
}

#[test]
fn a_request_of_two_kilobytes_takes_131_products_and_one() {
    // The content's type is a byte of the plaintext in TLS 1.3.
    let blocks = coefficients(&[0x17, 3, 3, 8, 17], &[0; 2049]).len();
    assert_eq!((blocks, powers(blocks), products(powers(blocks))), (131, 131, 132));
    assert_eq!(powers(coefficients(&[3; 13], &[]).len()), MIN_POWERS);
}

#[test]
fn more_blocks_than_powers_and_numbers_of_another_size_are_misuse() {
    let shares = Shares::new(Zeroizing::new(vec![F130::ONE; 4]), F130::ONE);
    assert!(shares.inputs(&[F130::ONE; 4]).is_ok());
    assert!(matches!(shares.inputs(&[F130::ONE; 5]), Err(Error::Misuse(_))));
    let few = Shares::new(Zeroizing::new(vec![F130::ONE; 2]), F130::ONE);
    assert!(matches!(few.inputs(&[F130::ONE; 2]), Err(Error::Misuse(_))));
    assert!(matches!(element(&[F2::ONE; 129]), Err(Error::Misuse(_))));
    let (key, own) = ([F2::ONE; 2 * BLOCK_BITS], [F2::ONE; TagInputs::BITS]);
    let machine = &mut Clear::new(true);
    for (key, inputs) in
        [(&key[1..], [&own[..], &own]), (&key, [&own[1..], &own]), (&key, [&own[..], &own[1..]])]
    {
        assert!(matches!(TagInputs::finish(machine, key, inputs), Err(Error::Misuse(_))));
    }
}

proptest! {
    #[test]
    fn elements_survive_the_way_to_bits_and_back(blocks: [u128; 3]) {
        let x = F130::from_blocks(&blocks);
        prop_assert_eq!(element(&element_bits(x).collect::<Vec<_>>()).unwrap(), x);
    }
}
