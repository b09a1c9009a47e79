//! Challenges that are taken after more was committed to than they test.

use std::collections::VecDeque;

use volery_channel::{Channel as _, Tag, tags};
use volery_circuit::{
    Challenge, Digest, Error as StatementError, Evaluator, MatrixShape, MixedEvaluator, PendingChallenge,
    Statement, Tested,
};
use volery_field::{Coordinates, F61, F61x2, Value};
use volery_testing::{Change, Tap, between};
use volery_zk::Error;
use volery_zk::quicksilver::Tally;

use crate::field::parties::{Run, wrong};
use crate::field::reference::Lie;

/// Rounds: each commits to three elements and to the same ones in another order, and asks for a challenge.
/// Some rounds later it takes it, and claims that the products over `challenge - element` are equal.
#[derive(Clone, Copy)]
struct Rounds {
    count: u64,
    /// How many challenges are on their way at most.
    ahead: usize,
    /// Whether a round has a product of matrices after it has asked, for which there is a challenge, too.
    folds: bool,
    /// The round whose lists differ.
    differs: Option<u64>,
    taken: Taken,
}

#[derive(Clone, Copy, PartialEq)]
enum Taken {
    InOrder,
    /// The youngest first.
    Reversed,
    /// All but the last.
    NotTheLast,
}

const RIGHT: Rounds = Rounds { count: 4, ahead: 1, folds: false, differs: None, taken: Taken::InOrder };

/// With more on their way, and other challenges in between.
const ALL: [Rounds; 4] = [
    RIGHT,
    Rounds { ahead: 3, ..RIGHT },
    Rounds { folds: true, ..RIGHT },
    Rounds { ahead: 2, folds: true, ..RIGHT },
];

impl Rounds {
    fn lists<F: Value>(self, round: u64) -> [F; 6] {
        let other = if self.differs == Some(round) { 9 } else { 8 };
        [6, 7, 8, 7, other, 6].map(|x| F::from_u64(x + 10 * round))
    }
}

fn claim<F: Value, B: Challenge<F>>(
    b: &mut B,
    drawn: &[B::Scalar],
    wires: &[B::Wire; 6],
) -> Result<(), B::Error> {
    let Some(at) = drawn.first() else { return Ok(()) };
    let factor =
        |b: &B, x: &B::Wire| b.linear::<4>(*at, &[B::embed(F::ZERO - F::ONE)], core::slice::from_ref(x));
    let product = |b: &B, [x, y, z]: [&B::Wire; 3]| factor(b, x) * factor(b, y) * factor(b, z);
    let [x, y, z, u, v, w] = wires;
    let claimed = product(b, [x, y, z]) - product(b, [u, v, w]);
    b.claim(claimed)
}

impl<B: Challenge<F61>> Statement<B> for Rounds {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: rounds").number("rounds", self.count);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let mut waiting = VecDeque::new();
        for round in 0..self.count {
            let wires = b.secrets(|_| Ok(self.lists(round)))?;
            waiting.push_back((wires.clone(), b.ask(Tested { degree: 3, repetitions: 1, values: 6 })?));
            if self.folds {
                let [x, y, z, ..] = &wires;
                let product = b.mul(x, y)?;
                let shape = MatrixShape { rows: 1, inner: 1, columns: 1 };
                let matrix = |wire: &B::Wire| core::slice::from_ref(wire).to_vec();
                b.assert_matrix_product(shape, &matrix(x), &matrix(y), &matrix(&product))?;
                b.assert_equal(core::slice::from_ref(z), &[self.lists(round)[2]])?;
            }
            if waiting.len() > self.ahead {
                let next =
                    if self.taken == Taken::Reversed { waiting.pop_back() } else { waiting.pop_front() };
                next.into_iter().try_for_each(|(wires, asked)| take::<B>(b, &wires, asked))?;
            }
        }
        if self.taken == Taken::NotTheLast {
            waiting.pop_back();
        }
        waiting.into_iter().try_for_each(|(wires, asked)| take::<B>(b, &wires, asked))
    }
}

fn take<B: Challenge<F61>>(b: &mut B, wires: &[B::Wire; 6], asked: PendingChallenge) -> Result<(), B::Error> {
    let drawn = b.take(1, asked)?;
    claim::<F61, B>(b, &drawn, wires)
}

/// Blocks that end everywhere: between asking and taking, and with none in between.
fn runs<M: Coordinates<F61>>() -> Vec<Run> {
    let hashed: &[bool] = if M::BITS > 100 { &[false, true] } else { &[false] };
    let all =
        |hashed: &bool| [1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 1 << 17].map(|interval| Run::new(interval, *hashed));
    hashed.iter().flat_map(all).collect()
}

fn holds<M: Coordinates<F61>>() {
    for run in runs::<M>() {
        for claim in ALL {
            let (p, v) = run.honest::<F61, M>(&claim);
            let tally = v.unwrap();
            assert_eq!(p.unwrap(), tally, "{run:?}");
            assert_eq!((tally.tested, tally.tested_values), (3, 6));
        }
    }
}

#[test]
fn what_holds_is_accepted_wherever_blocks_end() {
    assert_eq!(Evaluator::<F61>::check(&RIGHT), Ok(()));
    assert_eq!(MixedEvaluator::<F61>::check(&RIGHT), Ok(()));
    holds::<F61>();
    holds::<F61x2>();
}

fn sent(run: Run, claim: Rounds, real: bool) -> [Vec<(Tag, Vec<u8>)>; 2] {
    let (p, v) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            let p = if real {
                run.prove::<F61, F61x2>(&claim, &mut tap)
            } else {
                run.lie::<F61, F61x2>(&claim, (Lie::GoOn, None), &mut tap)
            };
            p.map(|_| tap.layer.sent)
        },
        |v| {
            let mut tap = Tap::recorder(v);
            run.verify::<F61, F61x2>(&claim, &mut tap).map(|_| tap.layer.sent)
        },
    );
    [p.unwrap(), v.unwrap()]
}

#[test]
fn the_plain_prover_says_the_same_byte_for_byte() {
    for run in runs::<F61x2>() {
        for claim in ALL {
            assert!(sent(run, claim, true) == sent(run, claim, false), "{run:?}");
        }
    }
}

fn falsehoods<M: Coordinates<F61>>() {
    for (differs, right) in (0..RIGHT.count).zip(ALL) {
        let claim = Rounds { differs: Some(differs), ..right };
        let held = Evaluator::<F61>::check(&claim);
        assert!(matches!(held, Err(StatementError::Unsatisfied { .. })), "{held:?}");
        for run in runs::<M>() {
            let (p, _) = run.honest::<F61, M>(&claim);
            assert!(matches!(p, Err(Error::Statement(StatementError::Unsatisfied { .. }))), "{p:?}");
            assert_eq!(run.answer::<F61, M>(&claim, Lie::GoOn), wrong(), "{run:?}");
        }
    }
}

#[test]
fn a_round_that_does_not_hold_is_rejected_whichever_it_is() {
    falsehoods::<F61>();
    falsehoods::<F61x2>();
}

#[test]
fn a_prover_that_lies_or_computes_with_another_challenge_is_rejected() {
    for run in runs::<F61x2>() {
        assert_eq!(run.answer::<F61, F61x2>(&RIGHT, Lie::Challenge), wrong(), "{run:?}");
        for secret in 0..6 * RIGHT.count {
            assert_eq!(run.answer::<F61, F61x2>(&RIGHT, Lie::Secret(secret)), wrong(), "{run:?} {secret}");
        }
    }
}

fn changed(run: Run, sender: usize, at: usize, change: Change) -> [Result<Tally, Error>; 2] {
    let tap = |party: usize| (party == sender).then_some((at, change));
    let (p, v) = between(
        |p| run.prove::<F61, F61x2>(&RIGHT, &mut Tap::on(p, tap(0))),
        |v| run.verify::<F61, F61x2>(&RIGHT, &mut Tap::on(v, tap(1))),
    );
    [p, v]
}

#[test]
fn no_message_can_be_changed() {
    for run in [Run::new(1 << 17, false), Run::new(5, false), Run::new(5, true)] {
        let [of_p, of_v] = sent(run, RIGHT, true);
        for (at, (tag, payload)) in of_p.iter().enumerate() {
            for bit in (at % 31..8 * payload.len()).step_by(31) {
                let [p, v] = changed(run, 0, at, Change::Flip(bit));
                assert!(p.is_err() && v.is_err(), "{run:?} {tag} ({at}), bit {bit}");
            }
            let [p, v] = changed(run, 0, at, Change::Drop);
            assert!(p.is_err() && v.is_err(), "{run:?} {tag} ({at})");
        }
        // Seeds of blocks without relations are used for nothing. Where a block is as long as can be, they
        // are those of the first two, which end for challenges.
        let unused = if run.interval > 100 { &[0, 2][..] } else { &[] };
        for (at, (tag, payload)) in of_v.iter().enumerate() {
            if run.interval < 100 || unused.contains(&at) {
                continue;
            }
            for bit in (at % 29..8 * payload.len()).step_by(29) {
                let [p, v] = changed(run, 1, at, Change::Flip(bit));
                assert!(p.is_err(), "{run:?} {tag} ({at}), bit {bit}");
                assert_eq!(v.is_ok(), *tag == tags::VERDICT, "{run:?} {tag} ({at}), bit {bit}");
            }
        }
    }
}

/// V draws a challenge when it has all that P committed to before asking, and not earlier.
#[test]
fn no_challenge_comes_before_what_it_tests() {
    let run = Run::new(1 << 17, false);
    let [of_p, _] = sent(run, RIGHT, true);
    let elements: Vec<_> = of_p.iter().filter(|(tag, _)| *tag == tags::ELEMENTS).collect();
    for rounds in 1..3 {
        let (got, _) = between(
            |p| {
                for (tag, payload) in &elements[..rounds] {
                    p.send(*tag, payload)?;
                }
                // Each round's: the seed of the block that it ends, and the challenge. There is no more.
                for _ in 0..2 * rounds {
                    p.recv(tags::ELEMENTS_CHALLENGE, 16)?;
                }
                p.send(tags::ELEMENTS_ASSERTIONS, &[])?;
                p.flush()?;
                Ok::<_, Error>(p.recv(tags::ELEMENTS_CHALLENGE, 16).is_ok())
            },
            |v| run.verify::<F61, F61x2>(&RIGHT, v),
        );
        assert_eq!(got, Ok(false), "{rounds}");
    }
}

#[test]
fn challenges_out_of_order_or_never_taken_are_misuse_at_both() {
    for taken in [Taken::Reversed, Taken::NotTheLast] {
        let claim = Rounds { taken, ..RIGHT };
        assert!(matches!(Evaluator::<F61>::check(&claim), Err(StatementError::Misuse(_))));
        for hashed in [false, true] {
            let run = Run::new(1 << 17, hashed);
            let (p, v) = run.honest::<F61, F61x2>(&claim);
            assert!(matches!(p, Err(Error::Statement(StatementError::Misuse(_)))), "{p:?}");
            // If P goes on to the end all the same, V does not.
            let v = if taken == Taken::NotTheLast { run.answer::<F61, F61x2>(&claim, Lie::GoOn) } else { v };
            // P fails at the same place, and V may hear of that first.
            let heard = matches!(&v, Err(Error::Channel(volery_channel::Error::Peer { reason, .. }))
                if taken == Taken::Reversed && reason.contains("misuses the backend"));
            assert!(heard || matches!(v, Err(Error::Statement(StatementError::Misuse(_)))), "{v:?}");
        }
    }
}
