//! Verifiers that do not follow the protocol: the prover ends with an error that says where, and shows
//! nothing too early.

use std::sync::Barrier;

use volery_channel::{Channel, Error as ChannelError, Framed, Tag, tags, transport::Memory};
use volery_circuit::MatrixShape;
use volery_field::F61;
use volery_testing::{Tap, between};
use volery_zk::Error;
use volery_zk::quicksilver::Tally;

use crate::field::claims::{Part, Program};
use crate::field::parties::Run;

/// One block, then a fold and a second block: three seeds.
fn claim() -> Program<F61> {
    Program::of(&[Part::Gates(4), Part::Matrix(MatrixShape::square(1)), Part::Equal(1)])
}

const RUN: Run = Run::new(64, false);

/// How P ends, and the steps of what it sent, against a V that sends these messages at once, whatever P says.
fn against(messages: &[(Tag, &[u8])]) -> (Result<Tally, Error>, Vec<Tag>) {
    // P starts when all is there, so that it only waits for what never comes.
    against_with(&Barrier::new(2), |v| messages.iter().try_for_each(|(tag, payload)| v.send(*tag, payload)))
}

/// As [`against`], with a V that does what it likes; both parties meet at `start`, V after that.
fn against_with(
    start: &Barrier,
    verifier: impl FnOnce(&mut Framed<Memory>) -> Result<(), ChannelError> + Send,
) -> (Result<Tally, Error>, Vec<Tag>) {
    let (p, _) = between(
        |p| {
            start.wait();
            let mut tap = Tap::recorder(p);
            let result = RUN.prove::<F61, F61>(&claim(), &mut tap);
            (result, tap.layer.sent.into_iter().map(|(tag, _)| tag).collect())
        },
        |v| {
            let result = verifier(v).and_then(|()| v.flush());
            start.wait();
            result?;
            // Takes in whatever P has to say, until P leaves.
            STEPS.iter().try_for_each(|tag| v.recv(*tag, 1 << 12).map(drop))
        },
    );
    p
}

const SEED: (Tag, &[u8]) = (tags::ELEMENTS_CHALLENGE, &[7; 16]);
const YES: (Tag, &[u8]) = (tags::VERDICT, &[1]);

/// What P says to a V that follows the protocol, as far as the three seeds let it, and in the end.
const STEPS: [Tag; 6] = [
    tags::ELEMENTS,
    tags::ELEMENTS_OPENING,
    tags::ELEMENTS,
    tags::ELEMENTS_ASSERTIONS,
    tags::ELEMENTS_OPENING,
    tags::GOODBYE,
];

#[test]
fn nothing_that_depends_on_a_check_is_shown_before_its_challenge() {
    // With each seed P goes on just to where it needs the next.
    for (seeds, shown) in [(0, 1), (1, 2), (2, 4), (3, 5)] {
        let (p, sent) = against(&vec![SEED; seeds]);
        assert!(matches!(p, Err(Error::Channel(_))), "{p:?}");
        assert_eq!(sent, STEPS[..shown], "{seeds} seeds");
    }
    let (p, sent) = against(&[SEED, SEED, SEED, YES]);
    assert!(p.is_ok(), "{p:?}");
    assert_eq!(sent, STEPS[..5]);
}

/// A V may give away its challenges before they are due; that is its own loss, and the prover answers each of
/// them once.
#[test]
fn a_seed_too_many_is_not_answered() {
    let (p, sent) = against(&[SEED, SEED, SEED, SEED, SEED]);
    assert!(matches!(p, Err(Error::Channel(_))), "{p:?}");
    assert_eq!(sent, STEPS[..5]);
    let (p, sent) = against(&[SEED, SEED, SEED, SEED, YES]);
    assert!(p.is_ok(), "{p:?}");
    assert_eq!(sent, STEPS[..5]);
}

#[test]
fn a_challenge_of_another_length_is_refused_wherever_it_is_due() {
    for before in 0..3 {
        for length in [0, 1, 15, 17, 32, 4096] {
            let seed = vec![0; length];
            let mut messages = vec![SEED; before];
            messages.push((tags::ELEMENTS_CHALLENGE, &seed));
            let step = tags::ELEMENTS_CHALLENGE;
            let expected = ChannelError::WrongLength { step, length: length as u32, expected: 16 };
            assert_eq!(against(&messages).0, Err(Error::Channel(expected)), "after {before}");
        }
    }
}

#[test]
fn another_message_in_place_of_a_challenge_is_refused() {
    let others = [tags::ELEMENTS, tags::ELEMENTS_OPENING, tags::ELEMENTS_ASSERTIONS, tags::PARITIES];
    for before in 0..3 {
        for tag in others {
            let mut messages = vec![SEED; before];
            messages.push((tag, &[1; 16]));
            let (p, _) = against(&messages);
            let step = tags::ELEMENTS_CHALLENGE;
            assert!(
                matches!(p, Err(Error::Channel(ChannelError::UnexpectedFrame { expected, .. })) if expected == step),
                "{tag} after {before}: {p:?}"
            );
        }
    }
}

/// A challenge of the Boolean part does not stand for one of the field's.
#[test]
fn a_challenge_of_the_other_lane_is_none() {
    let (p, sent) = against(&[(tags::CHALLENGE, &[7; 16])]);
    assert!(p.is_err(), "{p:?}");
    assert_eq!(sent, STEPS[..1]);
}

/// A verifier that found an earlier block wrong says so in place of the next seed.
#[test]
fn a_verdict_in_place_of_a_challenge_is_no_acceptance_whatever_it_says() {
    for before in 0..3 {
        for verdict in [0, 1, 2] {
            let payload = [verdict];
            let mut messages = vec![SEED; before];
            messages.push((tags::VERDICT, &payload));
            let (p, _) = against(&messages);
            assert!(matches!(p, Err(Error::Rejected { .. })), "{verdict} after {before}: {p:?}");
        }
    }
}

#[test]
fn a_verdict_is_yes_or_no() {
    let with = |verdict: &[u8]| against(&[SEED, SEED, SEED, (tags::VERDICT, verdict)]).0;
    assert!(with(&[1]).is_ok());
    assert!(matches!(with(&[0]), Err(Error::Rejected { .. })));
    for verdict in [&[2][..], &[255], &[]] {
        let p = with(verdict);
        assert!(matches!(p, Err(Error::Malformed { step: tags::VERDICT, .. })), "{p:?}");
    }
    let long = ChannelError::TooLong { step: tags::VERDICT, length: 2, max: 1 };
    assert_eq!(with(&[1, 1]), Err(Error::Channel(long)));
}

#[test]
fn a_flood_of_frames_of_other_lanes_ends_the_wait_before_it_fills_memory() {
    // More than fits on its way: P does not wait for all of it.
    let (p, _) = against_with(&Barrier::new(1), |v| {
        for _ in 0..10 {
            v.send(tags::FERRET_TREES, &vec![0; 1 << 20])?;
        }
        Ok(())
    });
    let lane = tags::FERRET_TREES.byte();
    assert!(
        matches!(p, Err(Error::Channel(ChannelError::UnexpectedFrame { got, .. })) if got == lane),
        "{p:?}"
    );
}

#[test]
fn a_verifier_that_falls_silent_is_not_waited_for_longer_than_the_limit() {
    for seeds in 0..4 {
        let (p, _) = against(&vec![SEED; seeds]);
        assert!(
            matches!(
                p,
                Err(Error::Channel(
                    ChannelError::TimedOut { .. } | ChannelError::Peer { .. } | ChannelError::Closed { .. }
                ))
            ),
            "{seeds}: {p:?}"
        );
    }
}

#[test]
fn a_verifier_that_leaves_or_gives_up_is_reported() {
    let (p, ()) = between(|p| RUN.prove::<F61, F61>(&claim(), p), |_| ());
    assert!(matches!(p, Err(Error::Channel(ChannelError::Closed { .. }))), "{p:?}");
    let (p, ()) = between(|p| RUN.prove::<F61, F61>(&claim(), p), |v| v.fail("no time for this"));
    let Err(Error::Channel(ChannelError::Peer { reason, .. })) = p else { panic!("{p:?}") };
    assert_eq!(reason, "no time for this");
}
