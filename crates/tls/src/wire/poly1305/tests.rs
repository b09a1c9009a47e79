//! Known answers of ChaCha20-Poly1305, two parties against the clear, and what cheats give.

use std::sync::{Mutex, mpsc};

use ::poly1305::Poly1305;
use ::poly1305::universal_hash::KeyInit;
use volery_channel::Tag;
use volery_channel::tags::{POLY1305_AHEAD, POLY1305_FACTOR, POLY1305_POWERS, POLY1305_SUM};
use volery_circuit::Evaluator;
use volery_circuit::gadgets::{bits_to_bytes, bytes_to_bits};
use volery_field::{Field, Ring, unpack_elements};
use volery_garble::Function;
use volery_testing::untouched;
use volery_vole::ole;
use zeroize::Zeroizing;

use super::*;
use crate::Error;
use crate::testing::{Change, hex, two_parties};
use crate::wire::step::testing::Clear;
use crate::wire::step::{Plain, Step};

/// What P does otherwise: its factors, from `x` and the number of powers.
type Factors = fn(F130, usize) -> Zeroizing<Vec<F130>>;

/// What V does otherwise: all its factors, from `y`, its part of the mask and the number of powers.
type Offer = fn(F130, F130, usize) -> Zeroizing<Vec<F130>>;

/// How two parties make a tag.
#[derive(Clone, Copy)]
struct Run {
    /// What happens to P's messages and to V's.
    changes: [Change; 2],
    /// P's factors, and V's.
    factors: Factors,
    offer: Offer,
}

const HONEST: Run = Run { changes: [untouched; 2], factors: prover::powers, offer: honest };

/// V's factors if it keeps to the protocol.
fn honest(y: F130, mask: F130, n: usize) -> Zeroizing<Vec<F130>> {
    with_mask(prover::powers(y, n), y, mask)
}

/// V's factors with these in the place of powers.
fn with_mask(mut powers: Zeroizing<Vec<F130>>, y: F130, mask: F130) -> Zeroizing<Vec<F130>> {
    powers.extend([y, y * mask]);
    powers
}

/// `r` of a one-time key.
fn r_of(key: &[u8]) -> F130 {
    let places = places(&bytes_to_bits(key));
    places.iter().fold(F130::ZERO, |r, (i, bit)| r + F130::from_u128(u128::from(bit.to_u8()) << i))
}

/// What the parties have for the circuits, for a record whose polynomial has these coefficients.
fn inputs(key: &[u8], coefficients: &[F130], run: Run) -> [Result<TagInputs, Error>; 2] {
    inputs_with(key, coefficients, run.changes, (run.factors, run.offer))
}

/// The same, with any changes.
fn inputs_with(
    key: &[u8],
    coefficients: &[F130],
    changes: [impl FnMut(Tag, &mut Vec<u8>) + Send; 2],
    (factors, offer): (Factors, Offer),
) -> [Result<TagInputs, Error>; 2] {
    let powers = powers(coefficients.len());
    // P's shares of r and of r / x.
    let own = [1 << 90, 77].map(|n| -F130::from_u128(n));
    let r = r_of(key);
    let (tell, hear) = mpsc::channel();
    let (p, v) = two_parties(
        products(powers),
        1,
        changes,
        move |channel, party: &mut ole::Sender<F130>, rng| {
            let ahead = ProverAhead::of(channel, party, rng, |x| factors(x, powers))?;
            // V may have ended.
            tell.send(ahead.factors().map(|factor| factor * r)).ok();
            ahead.factor(channel, &own)?.products(channel)?.shares(channel)?.inputs(coefficients, Sign::Plus)
        },
        move |channel, party: &mut ole::Receiver<F130>, rng| {
            let ahead = VerifierAhead::new(channel, powers)?;
            let products = hear.recv().unwrap();
            let converted = ahead.factor(channel, &[products[0] - own[0], products[1] - own[1]])?;
            let offered = converted.offer_of(channel, party, rng, offer)?;
            let shares = offered.shares(channel)?;
            assert_eq!(party.prepared(), 0);
            shares.inputs(coefficients, Sign::Minus)
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

/// Powers, each multiplied by something.
fn scaled(x: F130, n: usize, scale: impl Fn(usize) -> F130) -> Zeroizing<Vec<F130>> {
    let mut factors = prover::powers(x, n);
    factors.iter_mut().enumerate().for_each(|(i, factor)| *factor *= scale(i));
    factors
}

/// V knows the factor of each power, so it could choose the polynomial of which P gets the tag. This is what
/// the check is for.
#[test]
fn a_verifier_that_makes_the_tag_of_another_ciphertext_is_caught() {
    let [own, other] = two_records();
    let forge: Offer = |y, mask, n| {
        let [own, other] = two_records();
        with_mask(scaled(y, n, |i| other[i] * own[i].inverse().unwrap()), y, mask)
    };
    let run = Run { offer: forge, ..HONEST };
    let (right, tag) = tag_of(&KEY, &own, run);
    assert!(!right);
    // Without the check, the server would have taken V's ciphertext with this tag.
    assert_eq!(tag, tag_of(&KEY, &other, HONEST).1);
}

fn number(n: u128) -> F130 {
    F130::from_u128(n)
}

#[test]
fn a_verifier_whose_powers_are_not_those_of_its_factor_of_r_is_caught() {
    let [own, _] = two_records();
    let offers: [Offer; 8] = [
        // One power is wrong: the first, one in the middle, the last.
        |y, mask, n| with_mask(scaled(y, n, |i| number(if i == 0 { 2 } else { 1 })), y, mask),
        |y, mask, n| with_mask(scaled(y, n, |i| number(if i == 2 { 2 } else { 1 })), y, mask),
        |y, mask, n| with_mask(scaled(y, n, |i| number(if i + 1 == n { 2 } else { 1 })), y, mask),
        // All are multiplied by one number; all are powers of another one; all are zero.
        |y, mask, n| with_mask(scaled(y, n, |_| number(3)), y, mask),
        |y, mask, n| with_mask(prover::powers(y + y, n), y, mask),
        |y, mask, n| with_mask(scaled(y, n, |_| F130::ZERO), y, mask),
        // Those of twice r, also in the product with the mask; and their halves, of which the first is right.
        |y, mask, n| with_mask(prover::powers(y + y, n), y + y, mask),
        |y, mask, n| {
            let half = number(2).inverse().unwrap();
            let mut factors = with_mask(scaled(y + y, n, |_| half), y + y, mask);
            factors[n + 1] *= half;
            factors
        },
    ];
    for (i, cheat) in offers.into_iter().enumerate() {
        let run = Run { offer: cheat, ..HONEST };
        let (right, tag) = tag_of(&KEY, &own, run);
        assert!(!right, "cheat {i}");
        assert_ne!(tag, tag_of(&KEY, &own, HONEST).1);
    }
}

/// With powers `2^(k-1) r^k` the masked sum fits only if V knows P's share of it: here V learns it after it
/// has said its own, and no number that it enters for the second equation helps, since `r` is in the
/// difference.
#[test]
fn a_verifier_that_learns_p_s_sum_too_late_cannot_mend_its_numbers() {
    let [own, _] = two_records();
    let cheat: Offer = |y, mask, n| {
        let half = number(2).inverse().unwrap();
        with_mask(scaled(y + y, n, |_| half), y + y, mask * half)
    };
    let [p, v] = inputs(&KEY, &own, Run { offer: cheat, ..HONEST }).map(Result::unwrap);
    // The first equation holds.
    let [p_numbers, v_numbers] = [&p, &v].map(|inputs| inputs.bits().chunks(POLY1305_SHARE_BITS));
    let equal: Vec<bool> = p_numbers.zip(v_numbers).map(|(p, v)| p == v).take(2).collect();
    assert_eq!(equal, [true, false]);
}

#[test]
fn a_party_that_gives_the_circuits_another_share_is_caught_or_shifts_the_tag() {
    let [own, _] = two_records();
    let [p, v] = inputs(&KEY, &own, HONEST).map(Result::unwrap);
    let right = finish(&KEY, [p.bits(), v.bits()]).1;
    for (part, caught) in [(0, true), (1, true), (2, false)] {
        for party in 0..2 {
            let mut shares = [p.bits(), v.bits()].map(<[F2]>::to_vec);
            let bit = &mut shares[party][part * POLY1305_SHARE_BITS + 9];
            *bit += F2::ONE;
            let (answer, tag) = finish(&KEY, [&shares[0], &shares[1]]);
            assert_eq!((answer, tag == right), (!caught, caught), "part {part}");
        }
    }
}

/// Unmasked, the sum of the powers gives `r` to V, which finds the root, and a value with bits of V's factors
/// to P.
#[test]
fn neither_party_s_share_of_the_sum_is_sent_without_a_mask() {
    let said = Mutex::new([F130::ZERO; 2]);
    let listen = |tag: Tag, payload: &mut Vec<u8>| {
        let count = if tag == POLY1305_SUM { 1 } else { products(4) + 1 };
        if [POLY1305_SUM, POLY1305_POWERS].contains(&tag) {
            let elements: Vec<F130> = unpack_elements(payload, count).unwrap();
            said.lock().unwrap()[usize::from(tag == POLY1305_POWERS)] = *elements.last().unwrap();
        }
    };
    // The sum of all powers but the last.
    let coefficients = [F130::ONE, F130::ONE, F130::ONE, F130::ZERO];
    let inputs = inputs_with(&KEY, &coefficients, [listen; 2], (HONEST.factors, HONEST.offer));
    let own = inputs.map(|inputs| inputs.unwrap().bits()[2 * POLY1305_SHARE_BITS..].to_vec());
    let said = said.lock().unwrap().map(|share| element_bits(share).collect::<Vec<_>>());
    assert!(own[0] != said[0] && own[1] != said[1]);
}

#[test]
fn a_prover_with_other_powers_ends_the_session() {
    let [own, _] = two_records();
    let cheat: Factors = |x, n| scaled(x, n, |i| number(if i == 1 { 2 } else { 1 }));
    let run = Run { factors: cheat, ..HONEST };
    assert!(!tag_of(&KEY, &own, run).0);
}

#[test]
fn a_changed_message_is_caught() {
    fn flip(tag: Tag, wanted: Tag, payload: &mut [u8]) {
        if tag == wanted {
            payload[0] ^= 1;
        }
    }
    fn flip_last(tag: Tag, wanted: Tag, payload: &mut [u8]) {
        if tag == wanted {
            let place = payload.len() - 5;
            payload[place] ^= 1;
        }
    }
    let [own, _] = two_records();
    let changes: [[Change; 2]; 5] = [
        [|tag, payload| flip(tag, POLY1305_AHEAD, payload), untouched],
        [|tag, payload| flip(tag, POLY1305_FACTOR, payload), untouched],
        [untouched, |tag, payload| flip(tag, POLY1305_POWERS, payload)],
        [untouched, |tag, payload| flip_last(tag, POLY1305_POWERS, payload)],
        [|tag, payload| flip(tag, POLY1305_SUM, payload), untouched],
    ];
    for (i, changes) in changes.into_iter().enumerate() {
        assert!(!tag_of(&KEY, &own, Run { changes, ..HONEST }).0, "{i}");
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
        ([|tag, payload| large(tag, POLY1305_SUM, payload), untouched], POLY1305_SUM, 1),
        ([|tag, payload| large(tag, POLY1305_FACTOR, payload), untouched], POLY1305_FACTOR, 1),
        ([untouched, |tag, payload| large(tag, POLY1305_POWERS, payload)], POLY1305_POWERS, 0),
    ];
    for (changes, wanted, party) in changes {
        let ends = inputs(&KEY, &own, Run { changes, ..HONEST });
        assert!(matches!(&ends[party], Err(Error::Malformed { step, .. }) if *step == wanted), "{wanted}");
    }
    let changes: [([Change; 2], usize); 4] = [
        ([|tag, payload| cut(tag, POLY1305_AHEAD, payload), untouched], 1),
        ([|tag, payload| cut(tag, POLY1305_SUM, payload), untouched], 1),
        ([|tag, payload| cut(tag, POLY1305_FACTOR, payload), untouched], 1),
        ([untouched, |tag, payload| cut(tag, POLY1305_POWERS, payload)], 0),
    ];
    for (changes, party) in changes {
        let ends = inputs(&KEY, &own, Run { changes, ..HONEST });
        assert!(matches!(&ends[party], Err(Error::Channel(_))));
    }
}

#[test]
fn a_request_of_two_kilobytes_takes_131_products_and_two() {
    // The content's type is a byte of the plaintext in TLS 1.3.
    let blocks = coefficients(&[0x17, 3, 3, 8, 17], &[0; 2049]).len();
    assert_eq!((blocks, powers(blocks), products(powers(blocks))), (131, 131, 133));
    assert_eq!(powers(coefficients(&[3; 13], &[]).len()), MIN_POWERS);
}

#[test]
fn more_blocks_than_powers_and_numbers_of_another_size_are_misuse() {
    let shares = |products| {
        Shares::of_products(Zeroizing::new(vec![F130::ONE; products]))
            .map(|products| products.checked(F130::ONE, F130::ONE))
    };
    let four = shares(6).unwrap();
    assert!(four.inputs(&[F130::ONE; 4], Sign::Plus).is_ok());
    assert!(matches!(four.inputs(&[F130::ONE; 5], Sign::Plus), Err(Error::Misuse(_))));
    assert!(matches!(shares(3), Err(Error::Misuse(_))));
    let (key, own) = ([F2::ONE; 2 * BLOCK_BITS], [F2::ONE; TagInputs::BITS]);
    let machine = &mut Clear::new(true);
    for (key, inputs) in
        [(&key[1..], [&own[..], &own]), (&key, [&own[1..], &own]), (&key, [&own[..], &own[1..]])]
    {
        assert!(matches!(TagInputs::finish(machine, key, inputs), Err(Error::Misuse(_))));
    }
}

#[test]
fn r_is_clamped() {
    assert_eq!(places(&[(); 256]).len(), 106);
    let ones = r_of(&[0xff; 32]);
    assert_eq!(ones, F130::from_u128(0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff));
    assert_eq!(r_of(&[0; 32]), F130::ZERO);
}
