//! Every message of both parties in turn is changed on its way.
//!
//! The statement is true and both parties are honest; somebody between them is not. A verifier that accepts a
//! run in which a message of the prover's was changed does not check all it should.

use volery_channel::{Tag, tags};
use volery_testing::{Change, Tap, between};

use crate::bits::parties::{Both, MODES, Mode, Run};
use crate::bits::statements::Products;
use volery_zk::quicksilver::Tally;

/// Four blocks, the last one not full. Every secret is used, so that every bit matters.
const CLAIM: Products = Products { count: 60, impossible: None };

fn run(mode: Mode) -> Run {
    Run::new(16, mode)
}

/// The messages of P and of V when nobody meddles.
fn transcript(mode: Mode) -> [Vec<(Tag, Vec<u8>)>; 2] {
    let (p, v) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            run(mode).prove(&CLAIM, &mut tap).expect("accepted");
            tap.layer.sent
        },
        |v| {
            let mut tap = Tap::recorder(v);
            run(mode).verify(&CLAIM, &mut tap).expect("accepts");
            tap.layer.sent
        },
    );
    [p, v]
}

/// A run in which message `at` of P (0) or V (1) is changed.
fn changed(mode: Mode, sender: usize, at: usize, change: Change) -> Both<Tally> {
    let tap = |party: usize| (party == sender).then_some((at, change));
    between(
        |p| run(mode).prove(&CLAIM, &mut Tap::on(p, tap(0))),
        |v| run(mode).verify(&CLAIM, &mut Tap::on(v, tap(1))),
    )
}

/// What P says in another session, of the same statement.
#[test]
fn no_message_can_be_replaced_by_that_of_another_session() {
    for mode in MODES {
        let messages = transcript(mode);
        let other = Run { seed: 2, session: 2, ..run(mode) };
        let (others, _) = between(
            |p| {
                let mut tap = Tap::recorder(p);
                other.prove(&CLAIM, &mut tap).expect("accepted");
                tap.layer.sent
            },
            |v| other.verify(&CLAIM, v).expect("accepts"),
        );
        assert_eq!(others.len(), messages[0].len());
        for (at, (tag, payload)) in others.iter().enumerate() {
            if *payload == messages[0][at].1 {
                continue;
            }
            let (p, v) = between(
                |p| run(mode).prove(&CLAIM, &mut Tap::replacing(p, at, payload.clone())),
                |v| run(mode).verify(&CLAIM, v),
            );
            assert!(p.is_err() && v.is_err(), "{mode:?} {tag} ({at}): {p:?} {v:?}");
        }
    }
}

#[test]
fn no_flipped_bit_of_the_prover_s_is_accepted() {
    for mode in MODES {
        let [messages, _] = transcript(mode);
        assert_eq!(messages.len(), 9, "masks and openings of four blocks, and the assertions");
        for (at, (tag, payload)) in messages.iter().enumerate() {
            // Every third bit, which is one of each place in a byte.
            for bit in (at % 3..8 * payload.len()).step_by(3) {
                let (p, v) = changed(mode, 0, at, Change::Flip(bit));
                assert!(p.is_err() && v.is_err(), "{mode:?} {tag} ({at}), bit {bit}: {p:?} {v:?}");
            }
        }
    }
}

#[test]
fn no_flipped_bit_of_a_challenge_is_accepted() {
    let [_, messages] = transcript(Mode::Interactive);
    assert_eq!(messages.len(), 5, "four seeds and the verdict");
    for (at, (tag, payload)) in messages.iter().enumerate() {
        for bit in 0..8 * payload.len() {
            let (p, v) = changed(Mode::Interactive, 1, at, Change::Flip(bit));
            assert!(p.is_err(), "{tag} ({at}), bit {bit}: {p:?}");
            assert_eq!(v.is_ok(), *tag == tags::VERDICT, "{tag} ({at}), bit {bit}: {v:?}");
        }
    }
}

#[test]
fn no_message_of_the_prover_s_can_be_cut_dropped_repeated_or_moved() {
    for mode in MODES {
        let [messages, _] = transcript(mode);
        for (at, (tag, _)) in messages.iter().enumerate() {
            for change in Change::WHOLE {
                let (p, v) = changed(mode, 0, at, change);
                let last = at + 1 == messages.len();
                if last && change == Change::Duplicate {
                    // V has all it needs after the first copy.
                    assert!(v.is_ok());
                    continue;
                }
                assert!(v.is_err() && p.is_err(), "{mode:?} {tag} ({at}), {change:?}: {p:?} {v:?}");
            }
        }
    }
}

#[test]
fn no_message_of_the_verifier_s_can_be_cut_dropped_repeated_or_moved() {
    let changes = Change::WHOLE.into_iter().filter(|change| *change != Change::Late);
    for mode in MODES {
        let [_, messages] = transcript(mode);
        for (at, (tag, _)) in messages.iter().enumerate() {
            for change in changes.clone() {
                let (p, v) = changed(mode, 1, at, change);
                if *tag == tags::VERDICT {
                    assert!(v.is_ok(), "{v:?}");
                    assert_eq!(p.is_ok(), change == Change::Duplicate, "{change:?}: {p:?}");
                    continue;
                }
                assert!(p.is_err(), "{mode:?} {tag} ({at}), {change:?}: {p:?}");
                // A second copy of the last seed reaches a P that has answered the first: V may accept, and
                // should.
                let answered = change == Change::Duplicate && messages[at + 1].0 == tags::VERDICT;
                assert!(answered || v.is_err(), "{mode:?} {tag} ({at}), {change:?}: {v:?}");
            }
        }
    }
}
