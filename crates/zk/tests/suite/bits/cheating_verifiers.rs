//! Verifiers that do not follow the protocol: the prover ends with an error that says where.

use volery_channel::{Channel, Error as ChannelError, Framed, Tag, tags, transport::Memory};
use volery_testing::between;
use volery_zk::Error;
use volery_zk::quicksilver::Tally;

use crate::bits::parties::{Mode, Run};
use crate::bits::statements::Products;

/// How P ends against a V that sends these messages at once, whatever P says.
fn against(messages: &[(Tag, &[u8])]) -> Result<Tally, Error> {
    against_with(|v| messages.iter().try_for_each(|(tag, payload)| v.send(*tag, payload)))
}

fn against_with(
    verifier: impl FnOnce(&mut Framed<Memory>) -> Result<(), ChannelError> + Send,
) -> Result<Tally, Error> {
    let run = Run::new(64, Mode::Interactive);
    let (p, _) = between(
        |p| run.prove(&Products::new(62), p),
        |v| {
            verifier(v)?;
            // Takes in whatever P has to say, until P leaves.
            for tag in [tags::MASKS, tags::ASSERTIONS, tags::CHECK_OPENING] {
                v.recv(tag, 1 << 12)?;
            }
            v.recv(tags::GOODBYE, 0).map(drop)
        },
    );
    p
}

const SEED: (Tag, &[u8]) = (tags::CHALLENGE, &[7; 16]);

#[test]
fn a_challenge_of_another_length_is_refused() {
    for length in [0, 1, 15, 17, 32, 4096] {
        let expected =
            ChannelError::WrongLength { step: tags::CHALLENGE, length: length as u32, expected: 16 };
        assert_eq!(against(&[(tags::CHALLENGE, &vec![0; length])]), Err(Error::Channel(expected)));
    }
}

#[test]
fn another_message_in_place_of_a_challenge_or_of_the_verdict_is_refused() {
    for tag in [tags::MASKS, tags::BEGIN, tags::HELLO, tags::CHECK_OPENING, tags::TEST] {
        let p = against(&[(tag, &[1])]);
        let step = tags::CHALLENGE;
        assert!(
            matches!(p, Err(Error::Channel(ChannelError::UnexpectedFrame { expected, .. })) if expected == step),
            "{p:?}"
        );
    }
    let p = against(&[SEED, SEED]);
    let step = tags::VERDICT;
    assert!(
        matches!(p, Err(Error::Channel(ChannelError::UnexpectedFrame { expected, .. })) if expected == step),
        "{p:?}"
    );
}

/// A verifier that found an earlier block wrong says so in place of the next seed.
#[test]
fn a_verdict_in_place_of_a_challenge_is_no_acceptance_whatever_it_says() {
    for verdict in [0, 1, 2] {
        let p = against(&[(tags::VERDICT, &[verdict])]);
        assert!(matches!(p, Err(Error::Rejected { .. })), "{p:?}");
    }
}

#[test]
fn frames_of_other_lanes_are_put_aside_and_harm_nothing() {
    let extra: (Tag, &[u8]) = (tags::FERRET_TREES, &[1; 1000]);
    let other: (Tag, &[u8]) = (tags::SOFT_SPOKEN_EXTEND, &[]);
    let p = against(&[extra, SEED, other, (tags::VERDICT, &[1])]);
    assert!(p.is_ok(), "{p:?}");
}

#[test]
fn a_flood_of_frames_of_other_lanes_ends_the_wait_before_it_fills_memory() {
    let p = against_with(|v| {
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
fn a_verdict_is_yes_or_no() {
    assert!(against(&[SEED, (tags::VERDICT, &[1])]).is_ok());
    assert!(matches!(against(&[SEED, (tags::VERDICT, &[0])]), Err(Error::Rejected { .. })));
    for verdict in [&[2][..], &[255], &[]] {
        let p = against(&[SEED, (tags::VERDICT, verdict)]);
        assert!(matches!(p, Err(Error::Malformed { step: tags::VERDICT, .. })), "{p:?}");
    }
    let long = ChannelError::TooLong { step: tags::VERDICT, length: 2, max: 1 };
    assert_eq!(against(&[SEED, (tags::VERDICT, &[1, 1])]), Err(Error::Channel(long)));
}

#[test]
fn a_verifier_that_falls_silent_is_not_waited_for_longer_than_the_limit() {
    for messages in [&[][..], &[SEED]] {
        let p = against(messages);
        assert!(
            matches!(
                p,
                Err(Error::Channel(
                    ChannelError::TimedOut { .. } | ChannelError::Peer { .. } | ChannelError::Closed { .. }
                ))
            ),
            "{p:?}"
        );
    }
}

#[test]
fn a_verifier_that_leaves_or_gives_up_is_reported() {
    let run = Run::new(64, Mode::Interactive);
    let (p, ()) = between(|p| run.prove(&Products::new(62), p), |_| ());
    assert!(matches!(p, Err(Error::Channel(ChannelError::Closed { .. }))), "{p:?}");
    let (p, ()) = between(|p| run.prove(&Products::new(62), p), |v| v.fail("no time for this"));
    let Err(Error::Channel(ChannelError::Peer { reason, .. })) = p else { panic!("{p:?}") };
    assert_eq!(reason, "no time for this");
}
