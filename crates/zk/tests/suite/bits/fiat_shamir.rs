//! A Fiat-Shamir proof is good for one statement in one session at one place, and for nothing else.

use volery_channel::{Channel, Tag};
use volery_testing::{Tap, between};
use volery_zk::Error;
use volery_zk::quicksilver::Tally;

use crate::bits::parties::{Mode, Run, identity};
use crate::bits::statements::{Named, Products};

fn run() -> Run {
    Run::new(16, Mode::FiatShamir)
}

const CLAIM: Products = Products { count: 60, impossible: None };

/// An honest proof of [`CLAIM`], as its prover sent it.
fn proof() -> Vec<(Tag, Vec<u8>)> {
    let (sent, v) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            run().prove(&CLAIM, &mut tap).expect("accepted");
            tap.layer.sent
        },
        |v| run().verify(&CLAIM, v),
    );
    v.expect("accepts");
    sent
}

/// What `verifier` says of these messages.
fn replayed(
    messages: &[(Tag, Vec<u8>)],
    verifier: impl FnOnce(&mut dyn Channel) -> Result<Tally, Error> + Send,
) -> Result<Tally, Error> {
    let send = |p: &mut dyn Channel| -> Result<(), volery_channel::Error> {
        messages.iter().try_for_each(|(tag, payload)| p.send(*tag, payload))?;
        p.flush()?;
        p.recv(volery_channel::tags::VERDICT, 1).map(drop)
    };
    between(|p| drop(send(p)), |v| verifier(v)).1
}

fn assert_rejected(result: &Result<Tally, Error>) {
    assert_eq!(*result, Err(Error::Rejected { reason: "a product is wrong".into() }));
}

/// The replays below fail for the reason that they name: with nothing changed, the messages convince.
#[test]
fn a_proof_is_accepted_in_its_own_place() {
    assert!(replayed(&proof(), |v| run().verify(&CLAIM, v)).is_ok());
}

#[test]
fn a_proof_is_rejected_under_another_statement_s_name_or_public_inputs() {
    // The same program with the same keys: only the identity differs.
    let named = Named { name: "another", program: CLAIM };
    assert_ne!(identity(&named), identity(&CLAIM));
    assert_rejected(&replayed(&proof(), |v| run().verify(&named, v)));
    let mut other = identity(&CLAIM);
    other[31] ^= 1;
    assert_rejected(&replayed(&proof(), |v| run().verify_as(&CLAIM, other, v)));
}

#[test]
fn a_proof_is_rejected_in_another_session() {
    let other = Run { session: 2, ..run() };
    assert_rejected(&replayed(&proof(), |v| other.verify(&CLAIM, v)));
}

#[test]
fn a_proof_is_rejected_with_other_correlations() {
    let other = Run { seed: 2, ..run() };
    assert_rejected(&replayed(&proof(), |v| other.verify(&CLAIM, v)));
}

#[test]
fn a_proof_cut_into_other_frames_is_rejected() {
    let mut messages = proof();
    let (tag, first) = messages[0].clone();
    let (left, right) = first.split_at(1);
    messages.splice(0..1, [(tag, left.to_vec()), (tag, right.to_vec())]);
    assert_rejected(&replayed(&messages, |v| run().verify(&CLAIM, v)));
}

#[test]
fn a_proof_whose_blocks_change_places_is_rejected() {
    let messages = proof();
    // Masks and opening of a block, twice; both blocks have the same length.
    let mut swapped = messages.clone();
    swapped.swap(2, 4);
    swapped.swap(3, 5);
    assert_ne!(swapped, messages);
    assert_eq!((messages[2].0, messages[3].0), (messages[4].0, messages[5].0));
    assert!(replayed(&swapped, |v| run().verify(&CLAIM, v)).is_err());
}

#[test]
fn a_prover_of_a_fiat_shamir_proof_reads_nothing_before_the_verdict() {
    let (p, _) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            run().prove(&CLAIM, &mut tap).map(|_| tap.channel.stats().frames_received)
        },
        |v| run().verify(&CLAIM, v),
    );
    assert_eq!(p, Ok(1));
}
