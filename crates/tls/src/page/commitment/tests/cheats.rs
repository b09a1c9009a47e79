//! Parties that cheat with all they know, not only by mail.

use curve25519_dalek::scalar::Scalar;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use volery_channel::tags::{
    COMMIT_CHALLENGE, COMMIT_DIFFERENCES, COMMIT_KEYS, COMMIT_OPENING, COMMIT_POINTS, COMMIT_PROMISE,
    COMMIT_REVEAL,
};
use volery_channel::{Channel, ChannelExt, Tag};
use volery_field::Gf128;
use volery_testing::{deal::key, untouched};
use volery_vole::Delta;

use super::super::prover::{combine, receive_differences};
use super::super::run::{HASH, Run, draw};
use super::super::*;
use super::parties::{between, bits, dealt, delta, plain_value, prover, run, tags, verifier};
use crate::Error;
use crate::testing::{Change, SESSION};

const TEXT: &[u8] = b"balance: 12345";

fn layout() -> Layout {
    Layout::new(&[8 * 9, 8 * 5]).unwrap()
}

/// What a P that has committed to something else says in the end.
#[derive(Clone, Copy, Debug)]
enum Lie {
    /// The value of its commitments, with the tag of the true bits.
    Value,
    /// The value of the true bits: what the tag is of, and not the commitments.
    Tag,
    /// The value of its commitments, with a tag that takes Gamma, learnt at the reveal, into account; the
    /// promise cannot.
    TooLate,
    /// The same, in time.
    Knowing(Scalar),
}

/// P commits to a balance of 99999 and never checks V.
fn liar(channel: &mut dyn Channel, lie: Lie) -> Result<(), Error> {
    let (layout, rng) = (layout(), &mut ChaCha20Rng::seed_from_u64(5));
    let mut pool = dealt(None);
    let run = Run::new(&SESSION, pool.index(), &layout);
    let tags = draw(channel, &mut pool, &tags(&bits(TEXT)))?.converted;
    let spans = layout.spans();
    let _: [u8; HASH] = channel.recv_array(COMMIT_KEYS)?;
    let packed = receive_differences(channel, &run, &spans, &tags)?.packed;
    let mut openings: Vec<Opening> = spans
        .iter()
        .map(|span| {
            let bits: Vec<bool> = tags[span.clone()].iter().map(|tag| tag.to_bits() & 1 == 1).collect();
            Opening::of(plain_value(&bits), rng)
        })
        .collect();
    let truth = openings[1].value;
    openings[1].value = plain_value(&bits(b"99999"));
    let points: Vec<u8> = openings.iter().flat_map(|opening| opening.commitment().to_bytes()).collect();
    channel.send(COMMIT_POINTS, &points)?;
    let seed = channel.recv_array(COMMIT_CHALLENGE)?;
    let challenges = run.challenges(&seed, 2);
    let mut combination = combine(&challenges, &openings, &packed)?;
    let difference = challenges[1] * (openings[1].value - truth);
    match lie {
        Lie::Tag => combination.value -= difference,
        Lie::Knowing(gamma) => combination.tag += gamma * difference,
        Lie::Value | Lie::TooLate => {}
    }
    channel.send(COMMIT_PROMISE, &run.promise(&[9; HASH], &combination))?;
    let revealed: [u8; 48] = channel.recv_array(COMMIT_REVEAL)?;
    if let Lie::TooLate = lie {
        let gamma = Scalar::from_canonical_bytes(*revealed.last_chunk().unwrap()).unwrap();
        combination.tag += gamma * difference;
    }
    channel.send(COMMIT_OPENING, &[&[9; HASH][..], &combination.encode()[..]].concat())?;
    channel.flush()?;
    Ok(())
}

#[test]
fn a_prover_that_commits_to_other_bits_is_refused() {
    let keys: Vec<_> = tags(&bits(TEXT)).iter().map(|tag| key(*tag, &delta())).collect();
    for lie in [Lie::Value, Lie::Tag, Lie::TooLate] {
        let (p, v) = between(
            [untouched; 2],
            |channel| liar(channel, lie),
            |channel| verifier(channel, &layout(), &keys, delta()),
        );
        assert!(p.is_ok(), "{lie:?}: {p:?}");
        assert!(matches!(v, Err(Error::Cheat { step: COMMIT_OPENING, .. })), "{lie:?}: {v:?}");
    }
}

/// What stops the lies above is Gamma, which is V's until the promise: with it they are believed.
#[test]
fn a_prover_that_knew_gamma_before_its_promise_would_be_believed() {
    let keys: Vec<_> = tags(&bits(TEXT)).iter().map(|tag| key(*tag, &delta())).collect();
    // The first thing that V draws.
    let gamma = Scalar::random(&mut ChaCha20Rng::seed_from_u64(3));
    let (p, v) = between(
        [untouched; 2],
        |channel| liar(channel, Lie::Knowing(gamma)),
        |channel| verifier(channel, &layout(), &keys, delta()),
    );
    assert!(p.is_ok() && v.is_ok());
}

/// Adds one to the difference of a bit.
fn spoil<const BIT: usize>(tag: Tag, payload: &mut Vec<u8>) {
    if tag == COMMIT_DIFFERENCES {
        let difference: &mut [u8; 32] = payload[32 * BIT..].first_chunk_mut().unwrap();
        let spoilt = Scalar::from_canonical_bytes(*difference).unwrap() + Scalar::ONE;
        *difference = spoilt.to_bytes();
    }
}

/// Selective failure: P must stop in the same way whatever the bit is, before it has opened anything.
#[test]
fn a_wrong_difference_stops_the_prover_whether_the_bit_is_zero_or_one() {
    let text = bits(TEXT);
    assert_eq!((text[0], text[1], text[72], text[74]), (false, true, true, false));
    for change in [spoil::<0> as Change, spoil::<1>, spoil::<72>, spoil::<74>] {
        let (p, v) = run(&layout(), &text, [untouched, change]);
        assert_eq!(
            p.err(),
            Some(Error::cheat(COMMIT_REVEAL, "the check of the verifier's conversion of keys"))
        );
        assert!(matches!(v, Err(Error::Channel(_))), "{v:?}");
    }
}

/// Both a mask bit and a payload bit: the differences of all bits count.
#[test]
fn a_wrong_difference_of_a_mask_bit_stops_the_prover() {
    let (p, _) = run(&layout(), &bits(TEXT), [untouched, spoil::<200>]);
    assert!(matches!(p.err(), Some(Error::Cheat { step: COMMIT_REVEAL, .. })));
}

/// V knows the payload, so it can make keys, differences and a reveal that fit another delta in all but the
/// random bits.
#[test]
fn a_verifier_that_uses_another_delta_throughout_is_caught_by_the_random_bits() {
    let tags = tags(&bits(TEXT));
    let other = || Delta::from_element(delta().expose() + Gf128::from_bits(2));
    let keys: Vec<_> = tags.iter().map(|tag| key(*tag, &other())).collect();
    let (p, v) = between(
        [untouched; 2],
        |channel| prover(channel, &layout(), &tags),
        |channel| verifier(channel, &layout(), &keys, other()),
    );
    assert!(matches!(p.err(), Some(Error::Cheat { step: COMMIT_REVEAL, .. })));
    assert!(matches!(v, Err(Error::Channel(_))), "{v:?}");
}

/// The last bits of Gamma and of delta, so that both stay well-formed.
#[test]
fn another_delta_or_gamma_at_the_reveal_stops_the_prover() {
    fn delta(tag: Tag, payload: &mut Vec<u8>) {
        if tag == COMMIT_REVEAL {
            payload[15] ^= 0x80;
        }
    }
    fn gamma(tag: Tag, payload: &mut Vec<u8>) {
        if tag == COMMIT_REVEAL {
            payload[16] ^= 1;
        }
    }
    fn even(tag: Tag, payload: &mut Vec<u8>) {
        if tag == COMMIT_REVEAL {
            payload[0] ^= 1;
        }
    }
    let run = |change| run(&layout(), &bits(TEXT), [untouched, change]).0.err();
    for change in [delta as Change, gamma] {
        let error = run(change);
        assert!(matches!(error, Some(Error::Cheat { step: COMMIT_REVEAL, .. })), "{error:?}");
    }
    let error = run(even);
    assert!(matches!(error, Some(Error::Malformed { step: COMMIT_REVEAL, .. })), "{error:?}");
}

#[test]
fn parties_with_different_layouts_do_not_agree_on_anything() {
    let (tags, other) = (tags(&bits(TEXT)), Layout::new(&[8 * 8, 8 * 6]).unwrap());
    let keys: Vec<_> = tags.iter().map(|tag| key(*tag, &delta())).collect();
    let (p, v) = between(
        [untouched; 2],
        |channel| prover(channel, &layout(), &tags),
        |channel| verifier(channel, &other, &keys, delta()),
    );
    assert!(p.is_err() && v.is_err());
}
