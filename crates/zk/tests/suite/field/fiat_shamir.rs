//! A Fiat-Shamir proof is good for one statement in one session at one place, and for nothing else.

use volery_channel::{Channel, Tag, tags};
use volery_circuit::MatrixShape;
use volery_field::{F61, F61x2};
use volery_testing::{Tap, between};
use volery_zk::Error;
use volery_zk::quicksilver::Tally;

use crate::field::claims::{Part, Program};
use crate::field::parties::{Run, wrong};

fn run() -> Run {
    Run::new(16, true)
}

fn claim() -> Program<F61> {
    Program::of(&[
        Part::Gates(12),
        Part::Matrix(MatrixShape::square(2)),
        Part::Polynomial(3),
        Part::Gates(12),
    ])
}

type Messages = Vec<(Tag, Vec<u8>)>;

/// An honest proof of [`claim`], as its prover sent it.
fn proof() -> Messages {
    let (sent, v) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            run().prove::<F61, F61x2>(&claim(), &mut tap).expect("accepted");
            tap.layer.sent
        },
        |v| run().verify::<F61, F61x2>(&claim(), v),
    );
    v.expect("accepts");
    sent
}

/// What a V that runs like `run` says of these messages.
fn replayed(messages: &Messages, run: Run, claim: &Program<F61>) -> Result<Tally, Error> {
    let send = |p: &mut dyn Channel| -> Result<(), volery_channel::Error> {
        messages.iter().try_for_each(|(tag, payload)| p.send(*tag, payload))?;
        p.flush()?;
        p.recv(tags::VERDICT, 1).map(drop)
    };
    between(|p| drop(send(p)), |v| run.verify::<F61, F61x2>(claim, v)).1
}

/// The replays below fail for the reason that they name: with nothing changed, the messages convince.
#[test]
fn a_proof_is_accepted_in_its_own_place() {
    assert!(replayed(&proof(), run(), &claim()).is_ok());
}

#[test]
fn a_proof_is_rejected_under_another_statement_s_name() {
    // The same program: only the identity differs.
    assert_eq!(replayed(&proof(), run(), &Program { name: "another", ..claim() }), wrong());
}

#[test]
fn a_proof_is_rejected_in_another_session_and_with_other_correlations() {
    assert_eq!(replayed(&proof(), Run { session: 2, ..run() }, &claim()), wrong());
    assert_eq!(replayed(&proof(), Run { seed: 2, ..run() }, &claim()), wrong());
}

#[test]
fn a_proof_with_blocks_of_another_length_is_rejected() {
    for interval in [8, 15, 17, 1000] {
        assert!(replayed(&proof(), Run { interval, ..run() }, &claim()).is_err(), "{interval}");
    }
}

/// V takes elements wherever frames end; the hash does not.
#[test]
fn a_proof_cut_into_other_frames_is_rejected() {
    let messages = proof();
    let (tag, first) = messages[0].clone();
    let elements = volery_field::unpack_elements::<F61>(&first, 8 * first.len() / 61).expect("canonical");
    let frame = |elements: &[F61]| {
        let mut frame = Vec::new();
        volery_field::pack_elements(elements, &mut frame);
        (tag, frame)
    };
    let (left, right) = elements.split_at(2);
    let mut cut = messages;
    cut.splice(0..1, [frame(left), frame(right)]);
    assert_eq!(replayed(&cut, run(), &claim()), wrong());
}

#[test]
fn a_proof_whose_blocks_change_places_is_rejected() {
    let messages = proof();
    let openings: Vec<usize> =
        (0..messages.len()).filter(|&at| messages[at].0 == tags::ELEMENTS_OPENING).collect();
    assert!(openings.len() >= 4, "{openings:?}");
    for (i, &a) in openings.iter().enumerate() {
        for &b in &openings[i + 1..] {
            let mut swapped = messages.clone();
            swapped.swap(a, b);
            assert!(replayed(&swapped, run(), &claim()).is_err(), "{a} {b}");
            if messages[a - 1].0 == tags::ELEMENTS && messages[b - 1].0 == tags::ELEMENTS {
                swapped.swap(a - 1, b - 1);
                assert!(replayed(&swapped, run(), &claim()).is_err(), "{a} {b}");
            }
        }
    }
}

#[test]
fn a_prover_of_a_fiat_shamir_proof_reads_nothing_before_the_verdict() {
    let (p, _) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            run().prove::<F61, F61x2>(&claim(), &mut tap).map(|_| tap.channel.stats().frames_received)
        },
        |v| run().verify::<F61, F61x2>(&claim(), v),
    );
    assert_eq!(p, Ok(1));
}
