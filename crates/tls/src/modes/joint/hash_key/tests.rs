//! Both parties with garbled circuits and dealt correlations, up to the proof.

use aes_gcm::Aes128Gcm;
use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::aes::Aes128;
use aes_gcm::aes::cipher::{BlockCipherEncrypt as _, KeyInit as _};
use volery_channel::tags::{GARBLED_COMMITMENTS, GARBLED_CORRECTIONS, OLE_CORRECTIONS};
use volery_channel::{Limits, Tag};
use volery_circuit::gadgets::bytes_to_bits;
use volery_garble::two_party::{Evaluator, Garbler, Settings};
use volery_testing::{between_edited, deal, rng, untouched};

use super::super::RoundSizes;
use super::super::machine::{Machine, Party};
use super::*;
use crate::testing::{Change, SESSION};
use crate::wire::ghash::{Block, send_tag_share, tag};

/// Correlations that come at once.
const BATCH: usize = 1 << 14;
const HEADER: [u8; 13] = [9; 13];
const NONCE: [u8; 12] = [4; 12];
const TEXT: [u8; 50] = [0x41; 50];
/// The keys of both directions.
const KEYS: [[u8; 16]; 2] = [[0x5a; 16], [0x17; 16]];

/// A connection in which a record of the server's is read.
fn sizes() -> Sizes {
    let rounds = vec![RoundSizes { query: 70, read: 80 }, RoundSizes { query: 1, read: 0 }];
    Sizes { rounds, ..Sizes::one(1, 0) }
}

fn encrypt(key: [u8; 16], block: Block) -> Block {
    let mut block = block.into();
    Aes128::new(&key.into()).encrypt_block(&mut block);
    block.into()
}

/// The record's ciphertext and tag under a key.
fn record(key: [u8; 16]) -> (Vec<u8>, Block) {
    let payload = Payload { msg: &TEXT, aad: &HEADER };
    let mut out = Aes128Gcm::new(&key.into()).encrypt(&NONCE.into(), payload).unwrap();
    let tag = out.split_off(TEXT.len()).try_into().unwrap();
    (out, tag)
}

/// The mask of the record's tag, which is P's share; V's is zero.
fn mask(key: [u8; 16]) -> Block {
    let mut counter = [0; 16];
    counter[..12].copy_from_slice(&NONCE);
    counter[15] = 1;
    encrypt(key, counter)
}

/// Both parties' circuits ahead of the connection and during it, and the powers. P speaks last before V gives
/// its inputs, unlike in a connection. V gives the circuit another bit than its own, where `flip` says so.
fn both<P: Party>(
    channel: &mut dyn Channel,
    machine: &mut Machine<P>,
    own: [Option<&HashKeys>; 2],
    flip: Option<usize>,
) -> Result<[Option<Powers>; 2], Error> {
    let sizes = sizes();
    let keys = KEYS.map(|key| bytes_to_bits(&encrypt(key, [0; 16])));
    let prepared = &mut machine.rehearse(channel);
    let wires = [prepared.public(&keys[0])?, prepared.public(&keys[1])?];
    let given = inputs(prepared, &sizes, [None; 2])?;
    blinded(prepared, &given, [Some(&wires[0]), Some(&wires[1])])?;
    let performed = &mut machine.perform(channel);
    let wires = [performed.public(&keys[0])?, performed.public(&keys[1])?];
    let mut bits = own.map(|own| own.map(HashKeys::bits));
    if let (Some(place), Some(bits)) = (flip, &mut bits[1]) {
        bits[place] += F2::ONE;
    }
    let given = inputs_of_bits(performed, &sizes, bits)?;
    let opened = blinded(performed, &given, [Some(&wires[0]), Some(&wires[1])])?;
    let own = own.into_iter().flatten().next().unwrap();
    own.powers(&sizes, &opened)
}

/// What each party ends with: P with the tags.
type End = (Result<[Block; 2], Error>, Result<(), Error>);

/// Both parties, with changes of their messages.
fn run(changes: [Change; 2]) -> End {
    run_with(changes, None)
}

/// The same, with a bit of V's that it changes.
fn run_with(changes: [Change; 2], flip: Option<usize>) -> End {
    let (offset, delta) = (|| Delta::random(&mut rng(6)), || Delta::random(&mut rng(5)));
    let (sizes, [p_change, v_change]) = (&sizes(), changes);
    between_edited(
        &Limits::default(),
        (p_change, v_change),
        |channel| {
            let rng = &mut rng(1);
            let labels = (offset(), deal::bits(2, Some(offset()), BATCH));
            let garbler =
                Garbler::new(&SESSION, Settings::default(), labels, deal::bits(1, None, BATCH), rng);
            let mut machine = Machine::new(garbler);
            let pool = &mut deal::bits(3, Some(offset()), BATCH);
            let keys = ProverHashKeys::prepare(channel, &SESSION, (offset(), pool), sizes, rng)?;
            let keys = keys.finish(channel)?;
            let powers = both(channel, &mut machine, [Some(&keys), None], None)?.map(Option::unwrap);
            let tags = [0, 1].map(|i| tag(channel, &powers[i], &HEADER, &record(KEYS[i]).0, &mask(KEYS[i])));
            let [client, server] = tags;
            let tags = [client?, server?];
            machine.into_party()?.prove(channel, rng, |_, _| Ok(()))?;
            channel.flush()?;
            Ok(tags)
        },
        |channel| {
            let rng = &mut rng(2);
            let keys = (delta(), deal::bits(1, Some(delta()), BATCH));
            let evaluator = Evaluator::new(&SESSION, Settings::default(), deal::bits(2, None, BATCH), keys);
            let mut machine = Machine::new(evaluator);
            let pool = &mut deal::bits(3, None, BATCH);
            let keys = RequestedHashKeys::request(channel, &SESSION, pool, sizes, rng)?;
            let keys = keys.receive(channel, sizes)?.finish(channel, rng)?;
            let powers = both(channel, &mut machine, [None, Some(&keys)], flip)?.map(Option::unwrap);
            for (powers, key) in powers.iter().zip(KEYS) {
                send_tag_share(channel, powers, &HEADER, &record(key).0, &[0; 16])?;
            }
            channel.flush()?;
            machine.into_party()?.verify(channel, rng, |_, _| Ok(()))?;
            Ok(())
        },
    )
}

fn is_check(error: &Error) -> bool {
    let check = "the check of what hides a hash key";
    matches!(error, Error::Parties(crate::Error::Cheat { step: GARBLED_RETURN, check: found }) if *found == check)
}

#[test]
fn both_directions_have_the_tags_of_the_library_and_p_proves_what_it_garbled() {
    let (tags, accepted) = run([untouched; 2]);
    accepted.unwrap();
    assert_eq!(tags.unwrap(), KEYS.map(|key| record(key).1));
}

/// V's products are of other factors than those it gives the circuit, in either direction; or P's are.
#[test]
fn neither_party_goes_on_after_powers_that_are_not_right() {
    fn first(tag: Tag, payload: &mut Vec<u8>) {
        if tag == OLE_CORRECTIONS && payload.len() == 16 * 4 {
            payload[20] ^= 4;
        }
    }
    fn second(tag: Tag, payload: &mut Vec<u8>) {
        if tag == OLE_CORRECTIONS && payload.len() == 16 * 3 {
            payload[20] ^= 4;
        }
    }
    let changes: [[Change; 2]; 4] =
        [[untouched, first], [untouched, second], [first, untouched], [second, untouched]];
    for changes in changes {
        let (tags, accepted) = run(changes);
        assert!(is_check(&tags.unwrap_err()) && is_check(&accepted.unwrap_err()));
    }
}

/// V gives the circuit another factor, or other shares, for the client's key or the server's.
#[test]
fn neither_party_goes_on_after_other_inputs_of_v_s() {
    for place in [0, 16, 47, 48].map(|byte| 8 * byte) {
        let (tags, accepted) = run_with([untouched; 2], Some(place));
        assert!(is_check(&tags.unwrap_err()) && is_check(&accepted.unwrap_err()));
    }
}

/// V's corrections are what its labels are chosen by: others on their way are those of no run.
#[test]
fn corrections_that_are_changed_on_their_way_end_the_session() {
    fn flip(tag: Tag, payload: &mut Vec<u8>) {
        if tag == GARBLED_CORRECTIONS {
            assert_eq!(payload.len(), 2 * 48);
            payload[0] ^= 1;
        }
    }
    let (tags, accepted) = run([untouched, flip]);
    assert!(tags.is_err() && accepted.is_err());
}

/// V returns another answer of a check, or another key, than it decoded: it has no label of that.
#[test]
fn v_cannot_say_that_a_check_holds_nor_change_a_blinded_key() {
    fn flip(tag: Tag, payload: &mut [u8], bit: usize) {
        // Twice an answer and a key, and a digest.
        if tag == GARBLED_RETURN && payload.len() == 33 + 32 {
            payload[bit / 8] ^= 1 << (bit % 8);
        }
    }
    let changes: [Change; 3] = [
        |tag, payload| {
            if tag == OLE_CORRECTIONS && payload.len() == 16 * 4 {
                payload[0] ^= 1;
            }
            flip(tag, payload, 0);
        },
        |tag, payload| flip(tag, payload, 77),
        |tag, payload| flip(tag, payload, 129 + 5),
    ];
    for change in changes {
        let (tags, _) = run([untouched, change]);
        assert!(matches!(tags, Err(Error::Garbling(volery_garble::Error::Cheat { .. }))), "{tags:?}");
    }
}

/// P commits to another factor, or to other shares, than those whose labels it gives V: the tags are right,
/// but the proof is of what P is committed to.
#[test]
fn a_prover_that_is_committed_to_other_inputs_than_it_used_is_rejected() {
    fn flip(tag: Tag, payload: &mut [u8], byte: usize) {
        if tag == GARBLED_COMMITMENTS {
            assert_eq!(payload.len(), 2 * 48);
            payload[byte] ^= 1;
        }
    }
    let changes: [Change; 4] = [
        |tag, payload| flip(tag, payload, 0),
        |tag, payload| flip(tag, payload, 16),
        |tag, payload| flip(tag, payload, 47),
        |tag, payload| flip(tag, payload, 48),
    ];
    for change in changes {
        let (_, accepted) = run([change, untouched]);
        let error = accepted.unwrap_err();
        assert!(error.is_rejection(), "{error:?}");
    }
}
