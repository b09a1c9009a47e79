//! Every message of both parties of a mixed proof is changed on its way, and verifiers that cheat.

use std::sync::Barrier;

use volery_channel::{Channel, Error as ChannelError, Tag, tags};
use volery_field::{F61, F61x2};
use volery_testing::{Change, Tap, between};
use volery_zk::Error;
use volery_zk::quicksilver::mixed::Tallies;

use super::honest::{Ones, Over};
use super::parties::{Both, Run};

fn claim() -> Over<F61> {
    Over::new(Ones::of(9))
}

type Messages = Vec<(Tag, Vec<u8>)>;

fn run(fiat_shamir: bool) -> Run {
    Run::new(150, fiat_shamir)
}

/// The messages of P and of V when nobody meddles.
fn transcript(run: Run) -> [Messages; 2] {
    let (p, v) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            run.prove::<F61, F61x2, _>(&claim(), &mut tap).expect("accepted");
            tap.layer.sent
        },
        |v| {
            let mut tap = Tap::recorder(v);
            run.verify::<F61, F61x2, _>(&claim(), &mut tap).expect("accepts");
            tap.layer.sent
        },
    );
    [p, v]
}

/// A run in which message `at` of P (0) or V (1) is changed.
fn changed(run: Run, sender: usize, at: usize, change: Change) -> Both {
    let tap = |party: usize| (party == sender).then_some((at, change));
    between(
        |p| run.prove::<F61, F61x2, _>(&claim(), &mut Tap::on(p, tap(0))),
        |v| run.verify::<F61, F61x2, _>(&claim(), &mut Tap::on(v, tap(1))),
    )
}

#[test]
fn no_flipped_bit_of_the_prover_s_is_accepted() {
    for fiat_shamir in [false, true] {
        let [messages, _] = transcript(run(fiat_shamir));
        for tag in [tags::MASKS, tags::ELEMENTS, tags::PARITIES, tags::CHECK_OPENING, tags::ELEMENTS_OPENING]
        {
            assert!(messages.iter().any(|(other, _)| *other == tag), "{tag}");
        }
        for (at, (tag, payload)) in messages.iter().enumerate() {
            // A third of the bits of short messages, and of the others some.
            let step = if *tag == tags::PARITIES { 3 } else { payload.len() / 2 + 7 };
            for bit in (at % step..8 * payload.len()).step_by(step) {
                let (p, v) = changed(run(fiat_shamir), 0, at, Change::Flip(bit));
                assert!(p.is_err() && v.is_err(), "{fiat_shamir} {tag} ({at}), bit {bit}: {p:?} {v:?}");
            }
        }
    }
}

#[test]
fn no_message_of_the_prover_s_can_be_cut_dropped_repeated_or_moved() {
    for fiat_shamir in [false, true] {
        let [messages, _] = transcript(run(fiat_shamir));
        for (at, (tag, _)) in messages.iter().enumerate() {
            for change in Change::WHOLE {
                let (p, v) = changed(run(fiat_shamir), 0, at, change);
                let context = format!("{fiat_shamir} {tag} ({at}), {change:?}: {p:?} {v:?}");
                // V has all it needs of a part after the first copy of its last message. A message of one
                // part may change places with one of the other.
                let last = messages[at + 1..].iter().all(|(other, _)| is_of_bits(*other) != is_of_bits(*tag));
                let harmless = match change {
                    Change::Duplicate => last,
                    Change::Late => {
                        messages.get(at + 1).is_some_and(|(next, _)| is_of_bits(*next) != is_of_bits(*tag))
                    }
                    _ => false,
                };
                assert!(harmless || (v.is_err() && p.is_err()), "{context}");
            }
        }
    }
}

fn is_of_bits(tag: Tag) -> bool {
    [tags::MASKS, tags::CHECK_OPENING, tags::ASSERTIONS].contains(&tag)
}

#[test]
fn no_message_of_the_verifier_s_can_be_changed_without_an_error_at_both() {
    for fiat_shamir in [false, true] {
        // Blocks so long that each has a relation, and no seed goes unused.
        let run = Run::new(1 << 17, fiat_shamir);
        let [_, messages] = transcript(run);
        for (at, (tag, payload)) in messages.iter().enumerate() {
            for bit in (0..8 * payload.len()).step_by(3) {
                let (p, v) = changed(run, 1, at, Change::Flip(bit));
                assert!(p.is_err(), "{tag} ({at}), bit {bit}: {p:?}");
                assert_eq!(v.is_ok(), *tag == tags::VERDICT, "{tag} ({at}), bit {bit}: {v:?}");
            }
            for change in [
                Change::Truncate,
                Change::Extend,
                Change::Drop,
                Change::Retag,
                Change::Empty,
                Change::Fill(0),
            ] {
                let (p, v) = changed(run, 1, at, change);
                assert!(p.is_err(), "{fiat_shamir} {tag} ({at}), {change:?}: {p:?}");
                assert_eq!(v.is_ok(), *tag == tags::VERDICT, "{tag} ({at}), {change:?}: {v:?}");
            }
        }
    }
}

/// In either part, a proof of another session or with other correlations.
#[test]
fn no_message_can_be_replaced_by_that_of_another_session() {
    for fiat_shamir in [false, true] {
        let run = run(fiat_shamir);
        let [messages, _] = transcript(run);
        for other in [Run { seed: 2, ..run }, Run { session: 2, ..run }] {
            let [others, _] = transcript(other);
            assert_eq!(others.len(), messages.len());
            for (at, (tag, payload)) in others.iter().enumerate() {
                if *payload == messages[at].1 {
                    continue;
                }
                let (p, v) = between(
                    |p| run.prove::<F61, F61x2, _>(&claim(), &mut Tap::replacing(p, at, payload.clone())),
                    |v| run.verify::<F61, F61x2, _>(&claim(), v),
                );
                assert!(p.is_err() && v.is_err(), "{run:?} {tag} ({at}): {p:?} {v:?}");
            }
        }
    }
}

/// How P ends, and the steps of what it sent, against a V that sends these messages at once, whatever P says.
fn against(messages: &[(Tag, &[u8])]) -> (Result<Tallies, Error>, Vec<Tag>) {
    // P starts when all is there, so that it only waits for what never comes.
    let sent = Barrier::new(2);
    between(
        |p| {
            sent.wait();
            let mut tap = Tap::recorder(p);
            let result = Run::new(1 << 17, false).prove::<F61, F61, _>(&claim(), &mut tap);
            (result, tap.layer.sent.into_iter().map(|(tag, _)| tag).collect())
        },
        |v| {
            let result = messages.iter().try_for_each(|(tag, payload)| v.send(*tag, payload));
            let result = result.and_then(|()| v.flush());
            sent.wait();
            result?;
            // Takes in whatever P has to say, until P leaves.
            STEPS.iter().try_for_each(|tag| v.recv(*tag, 1 << 14).map(drop))?;
            v.recv(tags::GOODBYE, 0).map(drop)
        },
    )
    .0
}

const SEED: (Tag, &[u8]) = (tags::ELEMENTS_CHALLENGE, &[7; 16]);
const BIT_SEED: (Tag, &[u8]) = (tags::CHALLENGE, &[8; 16]);

/// P's messages: conversions and masks; the opening; digits and parities, which wait for the sets; the rest
/// of both parts.
const STEPS: [Tag; 10] = [
    tags::ELEMENTS,
    tags::ELEMENTS,
    tags::MASKS,
    tags::ELEMENTS_OPENING,
    tags::ELEMENTS,
    tags::PARITIES,
    tags::ELEMENTS_ASSERTIONS,
    tags::ELEMENTS_OPENING,
    tags::ASSERTIONS,
    tags::CHECK_OPENING,
];

#[test]
fn nothing_that_depends_on_a_challenge_is_shown_before_it() {
    for (seeds, shown) in [(0, 3), (1, 4), (2, 7), (3, 9)] {
        let (p, sent) = against(&vec![SEED; seeds]);
        assert!(matches!(p, Err(Error::Channel(_))), "{p:?}");
        assert_eq!(sent, STEPS[..shown], "{seeds} seeds");
    }
    // The other part's challenge opens nothing of this one's.
    let (_, sent) = against(&[BIT_SEED]);
    assert_eq!(sent, STEPS[..3]);
    let all = [SEED, SEED, SEED, BIT_SEED];
    let (p, sent) = against(&all);
    assert!(p.is_err() && sent == STEPS, "{p:?} {sent:?}");
    let (p, sent) = against(&[&all[..], &[(tags::VERDICT, &[1])]].concat());
    assert!(p.is_ok() && sent == STEPS, "{p:?} {sent:?}");
}

#[test]
fn a_verifier_that_says_something_else_ends_the_proof_with_an_error() {
    for before in 0..3 {
        for length in [0, 15, 17] {
            let seed = vec![0; length];
            let (p, _) = against(&[&vec![SEED; before][..], &[(tags::ELEMENTS_CHALLENGE, &seed)]].concat());
            let step = tags::ELEMENTS_CHALLENGE;
            let expected = ChannelError::WrongLength { step, length: length as u32, expected: 16 };
            assert_eq!(p, Err(Error::Channel(expected)), "after {before}");
        }
        for verdict in [0, 1, 2] {
            let verdict = [verdict];
            let (p, _) = against(&[&vec![SEED; before][..], &[(tags::VERDICT, &verdict)]].concat());
            assert!(matches!(p, Err(Error::Rejected { .. })), "{verdict:?} after {before}: {p:?}");
        }
    }
    let verdict = |payload: &[u8]| against(&[SEED, SEED, SEED, BIT_SEED, (tags::VERDICT, payload)]).0;
    assert!(matches!(verdict(&[0]), Err(Error::Rejected { .. })));
    assert!(matches!(verdict(&[2]), Err(Error::Malformed { step: tags::VERDICT, .. })));
}
