//! Every message of both parties in turn is changed on its way.
//!
//! The statement is true and both parties are honest; somebody between them is not. A verifier that accepts a
//! run in which a message of the prover's was changed does not check all it should.

use volery_channel::{Tag, tags};
use volery_circuit::MatrixShape;
use volery_field::{F61, F61x2, Mac, Value};
use volery_testing::{Change, Tap, between};
use volery_zk::Error;

use crate::field::claims::{Part, Program};
use crate::field::parties::{Both, Run};

/// Four blocks, the last one not full, degrees 2 and 3, and a fold after the second block. Every element is
/// part of a claim, and every block has a relation, so that every bit matters.
fn claim<F>() -> Program<F> {
    Program::of(&[
        Part::Equal(2),
        Part::Gates(3),
        Part::Polynomial(3),
        Part::Matrix(MatrixShape { rows: 1, inner: 2, columns: 2 }),
        Part::Dot(3),
        Part::Products(1),
        Part::Gates(2),
    ])
}

fn run(fiat_shamir: bool) -> Run {
    Run::new(13, fiat_shamir)
}

/// A proof's messages: those of P and of V.
type Messages = [Vec<(Tag, Vec<u8>)>; 2];

/// The messages when nobody meddles.
fn transcript<F: Value, M: Mac<F>>(run: Run) -> Messages {
    let (p, v) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            run.prove::<F, M>(&claim(), &mut tap).expect("accepted");
            tap.layer.sent
        },
        |v| {
            let mut tap = Tap::recorder(v);
            run.verify::<F, M>(&claim(), &mut tap).expect("accepts");
            tap.layer.sent
        },
    );
    [p, v]
}

/// A run in which message `at` of P (0) or V (1) is changed.
fn changed<F: Value, M: Mac<F>>(run: Run, sender: usize, at: usize, change: Change) -> Both {
    let tap = |party: usize| (party == sender).then_some((at, change));
    between(
        |p| run.prove::<F, M>(&claim(), &mut Tap::on(p, tap(0))),
        |v| run.verify::<F, M>(&claim(), &mut Tap::on(v, tap(1))),
    )
}

/// V's error says something about the proof or about a message, and not that it waited.
fn is_clear(v: &Result<volery_zk::quicksilver::Tally, Error>) -> bool {
    use volery_channel::Error as Channel;
    match v {
        Err(Error::Rejected { .. } | Error::Diverged { .. } | Error::Malformed { .. }) => true,
        Err(Error::Channel(error)) => !matches!(error, Channel::TimedOut { .. } | Channel::Closed { .. }),
        _ => false,
    }
}

fn flips<F: Value, M: Mac<F>>(fiat_shamir: bool, step: usize) {
    let run = run(fiat_shamir);
    let [messages, _] = transcript::<F, M>(run);
    assert_eq!(messages.len(), 9, "elements and openings of four blocks, and the assertions");
    for (at, (tag, payload)) in messages.iter().enumerate() {
        for bit in (at % step..8 * payload.len()).step_by(step) {
            let (p, v) = changed::<F, M>(run, 0, at, Change::Flip(bit));
            assert!(p.is_err() && is_clear(&v), "{run:?} {tag} ({at}), bit {bit}: {p:?} {v:?}");
        }
    }
}

#[test]
fn no_flipped_bit_of_the_prover_s_is_accepted() {
    flips::<F61, F61>(false, 15);
    flips::<F61, F61>(true, 23);
    flips::<F61, F61x2>(false, 27);
    flips::<F61, F61x2>(true, 27);
}

#[test]
fn no_flipped_bit_of_a_challenge_is_accepted() {
    let [_, messages] = transcript::<F61, F61>(run(false));
    assert_eq!(messages.len(), 6, "seeds of four blocks and of the fold, and the verdict");
    for (at, (tag, payload)) in messages.iter().enumerate() {
        for bit in 0..8 * payload.len() {
            let (p, v) = changed::<F61, F61>(run(false), 1, at, Change::Flip(bit));
            assert!(p.is_err(), "{tag} ({at}), bit {bit}: {p:?}");
            assert_eq!(v.is_ok(), *tag == tags::VERDICT, "{tag} ({at}), bit {bit}: {v:?}");
        }
    }
}

fn no_message_can_be_changed<F: Value, M: Mac<F>>(fiat_shamir: bool) {
    let run = run(fiat_shamir);
    let [messages, _] = transcript::<F, M>(run);
    for (at, (tag, payload)) in messages.iter().enumerate() {
        for change in Change::WHOLE {
            let (p, v) = changed::<F, M>(run, 0, at, change);
            let last = at + 1 == messages.len();
            if last && change == Change::Duplicate {
                // V has all it needs after the first copy.
                assert!(v.is_ok());
                continue;
            }
            assert!(v.is_err() && p.is_err(), "{run:?} {tag} ({at}), {change:?}: {p:?} {v:?}");
            if change == Change::Fill(0xff) && *tag == tags::ELEMENTS && !payload.is_empty() {
                assert!(matches!(v, Err(Error::Malformed { step: tags::ELEMENTS, .. })), "{v:?}");
            }
        }
    }
}

#[test]
fn no_message_of_the_prover_s_can_be_cut_dropped_repeated_or_moved() {
    for fiat_shamir in [false, true] {
        no_message_can_be_changed::<F61, F61>(fiat_shamir);
        no_message_can_be_changed::<F61, F61x2>(fiat_shamir);
    }
}

#[test]
fn no_message_of_the_verifier_s_can_be_cut_dropped_repeated_or_moved() {
    for fiat_shamir in [false, true] {
        let [_, messages] = transcript::<F61, F61>(run(fiat_shamir));
        for (at, (tag, _)) in messages.iter().enumerate() {
            for change in Change::WHOLE {
                let (p, v) = changed::<F61, F61>(run(fiat_shamir), 1, at, change);
                if *tag == tags::VERDICT {
                    assert!(v.is_ok(), "{v:?}");
                    assert_eq!(p.is_ok(), change == Change::Duplicate, "{change:?}: {p:?}");
                    continue;
                }
                if change == Change::Duplicate && messages[at + 1].0 == tags::VERDICT {
                    // A second copy of the last seed is for a challenge that is never due.
                    assert!(p.is_ok() && v.is_ok(), "{p:?} {v:?}");
                    continue;
                }
                assert!(p.is_err() && v.is_err(), "{tag} ({at}), {change:?}: {p:?} {v:?}");
            }
        }
    }
}

/// What P says in another session, of the same statement.
#[test]
fn no_message_can_be_replaced_by_that_of_another_session() {
    for fiat_shamir in [false, true] {
        let run = run(fiat_shamir);
        let [messages, _] = transcript::<F61, F61>(run);
        // With other correlations, and, where that matters, only with another name.
        let others = [Run { seed: 2, ..run }, Run { session: 2, ..run }];
        for other in &others[..if fiat_shamir { 2 } else { 1 }] {
            let [others, _] = transcript::<F61, F61>(*other);
            assert_eq!(others.len(), messages.len());
            for (at, (tag, payload)) in others.iter().enumerate() {
                if *payload == messages[at].1 {
                    // The first elements depend on the correlations alone, and the assertions too.
                    assert!(*tag == tags::ELEMENTS || *tag == tags::ELEMENTS_ASSERTIONS);
                    continue;
                }
                let (p, v) = between(
                    |p| run.prove::<F61, F61>(&claim(), &mut Tap::replacing(p, at, payload.clone())),
                    |v| run.verify::<F61, F61>(&claim(), v),
                );
                assert!(p.is_err() && is_clear(&v), "{run:?} {tag} ({at}): {p:?} {v:?}");
            }
        }
    }
}
