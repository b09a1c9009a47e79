//! Both parties with garbled circuits and dealt correlations, up to the proof.

use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit as _, StreamCipher as _};
use poly1305::Poly1305;
use poly1305::universal_hash::KeyInit as _;
use volery_channel::tags::{GARBLED_LABELS, GARBLED_PRODUCTS, GARBLED_RETURN};
use volery_channel::{Limits, Tag};
use volery_circuit::gadgets::bytes_to_bits;
use volery_field::Field;
use volery_garble::two_party::Settings;
use volery_testing::{between_edited, deal, rng, untouched};
use volery_vole::Delta;

use super::*;
use crate::testing::{Change, SESSION};
use crate::wire::poly1305::{coefficients, powers, powers_of, products};
use crate::wire::step::{Plain, TwoParty};

const KEY: [u8; 32] = [0x5a; 32];
const IV: [u8; 12] = [7; 12];
const NUMBER: u64 = 3;
const HEADER: [u8; 5] = [0x17, 3, 3, 0, 84];
const CIPHERTEXT: [u8; 68] = [0xc7; 68];
/// Correlations that come at once.
const BATCH: usize = 1 << 13;

type Factors = fn(F130, usize) -> Zeroizing<Vec<F130>>;

/// The one-time key's block under [`KEY`] on a machine.
fn one_time_key<M: TwoParty>(machine: &mut M) -> Result<Vec<M::Wire>, M::Error> {
    let inputs = machine.public(&[bytes_to_bits(&KEY), bytes_to_bits(&IV)].concat())?;
    machine.call(&Step::ChaCha20(vec![Plain::Counter { sequence: NUMBER, counter: 0 }]), &inputs)
}

/// What each party ends with: P with the tag.
type End = (Result<Block, Error>, Result<(), Error>);

/// Both parties, with changes of their messages. `cheat` makes V's factors in place of the right ones.
fn run(cheat: Option<Factors>, changes: [Change; 2]) -> End {
    let count = powers(coefficients(&HEADER, &CIPHERTEXT).len());
    let coefficients = coefficients(&HEADER, &CIPHERTEXT);
    let (offset, delta) = (|| Delta::random(&mut rng(6)), || Delta::random(&mut rng(5)));
    let [p_change, v_change] = changes;
    between_edited(
        &Limits::default(),
        (p_change, v_change),
        |channel| {
            let rng = &mut rng(1);
            let labels = (offset(), deal::bits(2, Some(offset()), BATCH));
            let settings = Settings::default();
            let garbler = Garbler::new(&SESSION, settings, labels, deal::bits(1, None, BATCH), rng);
            let mut machine = Machine::new(garbler);
            let mut random = ole::Sender::<F130>::new(&SESSION, offset());
            random.prepare(channel, &mut deal::bits(3, Some(offset()), BATCH), products(count), rng)?;
            let ahead = ProverAhead::new(channel, &mut random, count, rng)?;
            let key = one_time_key(&mut machine.rehearse(channel))?;
            prepared(&mut machine.rehearse(channel), &key)?;
            let key = one_time_key(&mut machine.perform(channel))?;
            let before = channel.stats();
            let tag = RecordTag::new(Queue::Needed, &key, ahead).share(channel, &mut machine)?;
            let tag = tag.products(channel)?.powers(channel)?;
            let tag = tag.finish_prover(channel, &mut machine, &coefficients)?;
            let tag = tag.receive(channel, &mut machine)?;
            assert_eq!((channel.stats() - before).round_trips, 3);
            machine.into_party()?.prove(channel, rng, |_, _| Ok(()))?;
            channel.flush()?;
            Ok(tag)
        },
        |channel| {
            let rng = &mut rng(2);
            let keys = (delta(), deal::bits(1, Some(delta()), BATCH));
            let evaluator = Evaluator::new(&SESSION, Settings::default(), deal::bits(2, None, BATCH), keys);
            let mut machine = Machine::new(evaluator);
            let mut random = ole::Receiver::<F130>::new(&SESSION);
            random.prepare(channel, &mut deal::bits(3, None, BATCH), products(count), rng)?;
            let ahead = VerifierAhead::new(channel, count)?;
            let key = one_time_key(&mut machine.rehearse(channel))?;
            prepared(&mut machine.rehearse(channel), &key)?;
            let key = one_time_key(&mut machine.perform(channel))?;
            let tag = RecordTag::new(Queue::Needed, &key, ahead).share(channel, &mut machine)?;
            let tag = match cheat {
                None => tag.offer(channel, &mut random, rng)?,
                Some(factors) => tag.map(|part| {
                    Ok(part.offer_of(channel, &mut random, rng, |y, mask, n| {
                        let mut factors = factors(y, n);
                        factors.extend([y, y * mask]);
                        factors
                    })?)
                })?,
            };
            let tag = tag.powers(channel)?;
            let tag = tag.finish_verifier(channel, &mut machine, &coefficients)?;
            tag.send(channel, &mut machine)?;
            machine.into_party()?.verify(channel, rng, |_, _| Ok(()))?;
            Ok(())
        },
    )
}

/// The tag of the libraries.
fn expected() -> Vec<u8> {
    let mut nonce = IV;
    nonce[11] ^= NUMBER as u8;
    let mut one_time = [0; 32];
    ChaCha20::new(&KEY.into(), &nonce.into()).apply_keystream(&mut one_time);
    let mut data = [&HEADER[..], &[0; 11], &CIPHERTEXT, &[0; 12]].concat();
    data.extend([HEADER.len() as u64, CIPHERTEXT.len() as u64].map(u64::to_le_bytes).concat());
    Poly1305::new(&one_time.into()).compute_unpadded(&data).to_vec()
}

fn is_check(error: &Error) -> bool {
    let check = "the check of the powers of Poly1305's key";
    matches!(error, Error::Parties(crate::Error::Cheat { step: GARBLED_RETURN, check: found }) if *found == check)
}

#[test]
fn p_gets_the_tag_in_three_round_trips_and_proves_what_it_garbled() {
    let (tag, accepted) = run(None, [untouched; 2]);
    assert_eq!(tag.unwrap()[..], expected());
    accepted.unwrap();
}

/// Two blocks of the ciphertext are multiplied: the tag would be that of another one.
#[test]
fn neither_party_goes_on_after_a_verifier_that_chooses_the_polynomial() {
    let cheat: Factors = |y, n| {
        let mut factors = powers_of(y, n);
        factors[2] *= F130::from_u128(12).inverse().unwrap();
        factors
    };
    let (tag, accepted) = run(Some(cheat), [untouched; 2]);
    assert!(is_check(&tag.unwrap_err()));
    assert!(is_check(&accepted.unwrap_err()));
}

/// V returns another answer of the check than it decoded: it has no label of that.
#[test]
fn v_cannot_say_that_the_check_holds() {
    fn yes(tag: Tag, payload: &mut Vec<u8>) {
        // One bit and a digest.
        if tag == GARBLED_RETURN && payload.len() == 33 {
            payload[0] = 1;
        }
    }
    let cheat: Factors = |y, n| powers_of(y + y, n);
    let (tag, _) = run(Some(cheat), [untouched, yes]);
    assert!(matches!(tag, Err(Error::Garbling(volery_garble::Error::Cheat { .. }))), "{tag:?}");
}

#[test]
fn a_label_that_is_changed_ends_the_session() {
    fn flip(tag: Tag, payload: &mut Vec<u8>) {
        if tag == GARBLED_LABELS && payload.len() == 16 * TagInputs::BITS {
            payload[3] ^= 1;
        }
    }
    let (tag, accepted) = run(None, [flip, untouched]);
    assert!(tag.is_err() && accepted.is_err());
}

/// P's corrections of the products with `r`: those that V uses go by its labels' colours.
#[test]
fn other_products_of_r_end_the_session() {
    fn invert(tag: Tag, payload: &mut Vec<u8>) {
        if tag == GARBLED_PRODUCTS {
            // The low byte of each element keeps it canonical.
            payload.iter_mut().step_by(65).for_each(|byte| *byte ^= 1);
        }
    }
    let (tag, accepted) = run(None, [invert, untouched]);
    assert!(is_check(&tag.unwrap_err()) && is_check(&accepted.unwrap_err()));
    fn cut(tag: Tag, payload: &mut Vec<u8>) {
        if tag == GARBLED_PRODUCTS {
            payload.pop();
        }
    }
    assert!(run(None, [cut, untouched]).1.is_err());
}
