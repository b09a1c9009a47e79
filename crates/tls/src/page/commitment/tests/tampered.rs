//! Every message changed on its way: no party ends with what it should not have.

use volery_channel::Tag;
use volery_channel::tags::{
    COMMIT_CHALLENGE, COMMIT_DIFFERENCES, COMMIT_KEYS, COMMIT_OPENING, COMMIT_POINTS, COMMIT_PROMISE,
    COMMIT_REVEAL,
};
use volery_testing::untouched;

use super::super::*;
use super::parties::run;
use crate::Error;
use crate::testing::Change;

/// A change to the message of one step.
macro_rules! change {
    ($tag:ident, $payload:ident => $body:expr) => {{
        fn change(tag: Tag, $payload: &mut Vec<u8>) {
            if tag == $tag {
                $body;
            }
        }
        change as Change
    }};
}

/// Changes of the contents, and two of the length.
macro_rules! changes {
    ($tag:ident) => {
        [
            ("first bit", change!($tag, payload => payload[0] ^= 1)),
            ("middle", change!($tag, payload => { let at = payload.len() / 2; payload[at] ^= 8 })),
            ("last byte", change!($tag, payload => *payload.last_mut().unwrap() ^= 1)),
            ("zeros", change!($tag, payload => payload.fill(0))),
            ("ones", change!($tag, payload => payload.fill(0xff))),
            ("too short", change!($tag, payload => { payload.pop(); })),
            ("too long", change!($tag, payload => payload.push(0))),
            ("empty", change!($tag, payload => payload.clear())),
        ]
    };
}

fn layout() -> Layout {
    Layout::new(&[100, 8, 3]).unwrap()
}

fn bits() -> Vec<bool> {
    (0..111).map(|i| i % 3 == 0).collect()
}

#[test]
fn whatever_a_prover_sends_else_the_verifier_takes_no_commitment() {
    let all = [changes!(COMMIT_POINTS), changes!(COMMIT_PROMISE), changes!(COMMIT_OPENING)];
    for (name, change) in all.into_iter().flatten() {
        let (_, v) = run(&layout(), &bits(), [change, untouched]);
        let error = v.err();
        let expected = matches!(
            error,
            Some(
                Error::Cheat { step: COMMIT_OPENING, .. }
                    | Error::Malformed { step: COMMIT_POINTS | COMMIT_OPENING, .. }
                    | Error::Channel(_)
            )
        );
        assert!(expected, "{name}: {error:?}");
    }
}

#[test]
fn whatever_a_verifier_sends_else_the_prover_opens_nothing() {
    let all = [changes!(COMMIT_KEYS), changes!(COMMIT_DIFFERENCES), changes!(COMMIT_REVEAL)];
    for (name, change) in all.into_iter().flatten() {
        let (p, v) = run(&layout(), &bits(), [untouched, change]);
        let error = p.err();
        let expected = matches!(
            error,
            Some(
                Error::Cheat { step: COMMIT_REVEAL, .. }
                    | Error::Malformed { step: COMMIT_DIFFERENCES | COMMIT_REVEAL, .. }
                    | Error::Channel(_)
            )
        );
        assert!(expected, "{name}: {error:?}");
        // P went away: V has not received an opening.
        assert!(matches!(v, Err(Error::Channel(_))), "{name}");
    }
}

/// P cannot see that the challenge was changed, and loses nothing by it; V sees it.
#[test]
fn another_challenge_than_the_verifier_s_is_noticed_by_the_verifier() {
    for (name, change) in changes!(COMMIT_CHALLENGE) {
        let (_, v) = run(&layout(), &bits(), [untouched, change]);
        let error = v.err();
        let expected = matches!(error, Some(Error::Cheat { step: COMMIT_OPENING, .. } | Error::Channel(_)));
        assert!(expected, "{name}: {error:?}");
    }
}
