//! Lookups and memory: challenges in the middle of a statement.

use std::sync::Arc;
use std::time::Duration;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng as _;
use volery_channel::{Channel, Limits, memory_pair, tags};
use volery_circuit::{
    Challenge, Digest, Error as StatementError, Evaluator, Lookups, MixedEvaluator, Ram, Statement, Table,
    Tested, Unset,
};
use volery_field::{Coordinates, F61, F61x2, Gf128, Ring as _, Value};
use volery_testing::deal::{self, Elements};
use volery_testing::{Change, Tap, between, between_within, limits};
use volery_vole::Delta;
use volery_vole::correlations::{Chain, Correlation, Pool, Source};
use volery_vole::subfield::FieldDelta;
use volery_zk::Error;
use volery_zk::quicksilver::field::{Alone, Prover, Settings, Verifier};
use volery_zk::quicksilver::{Challenges, Tally};

use crate::field::parties::{Run, wrong};
use crate::field::reference::Lie;

/// What is false.
#[derive(Clone, Copy, Debug, PartialEq)]
enum False {
    Nothing,
    /// An access beyond the memory.
    Address,
    /// A read of a cell that is not set and must be.
    Unset,
    /// An access whose condition is neither 0 nor 1.
    Condition,
    /// A lookup of what is in no row of the public table.
    Public,
    /// The same, twice in one pair.
    Pair,
    /// A lookup of what is in no row of the committed table.
    Committed,
}

const FALSE: [False; 6] =
    [False::Address, False::Unset, False::Condition, False::Public, False::Pair, False::Committed];

/// Two memories, one with public and one with committed contents and with conditions, and two tables. All
/// that comes out is claimed, so no commitment is free.
#[derive(Clone, Copy)]
struct Everything(False);

/// Commits to values that both parties know, and claims what they are.
fn known<F: Value, B: Challenge<F>, const K: usize>(
    b: &mut B,
    values: [u64; K],
) -> Result<[B::Wire; K], B::Error> {
    let values = values.map(F::from_u64);
    let wires = b.secrets(|_| Ok(values))?;
    b.assert_equal(&wires, &values)?;
    Ok(wires)
}

impl Everything {
    fn memory<F: Value, B: Challenge<F>>(&self, b: &mut B, unset: Unset) -> Result<(), B::Error> {
        let beyond = if self.0 == False::Address && unset == Unset::Zero { 5 } else { 3 };
        let empty = if self.0 == False::Unset { 2 } else { 1 };
        let [one, other, three, x, y] = known::<F, B, 5>(b, [1, empty, beyond, 77, 78])?;
        let ram = Ram::new(4, unset, 9)?;
        let mut ram = match unset {
            Unset::Zero => ram.with_public(vec![F::from_u64(70)])?,
            Unset::Refused => ram.with_committed(known::<F, B, 1>(b, [70])?.to_vec())?.with_conditions()?,
        };
        ram.write(b, &one, &x)?;
        if unset == Unset::Refused {
            let [condition] = known::<F, B, 1>(b, [if self.0 == False::Condition { 2 } else { 0 }])?;
            ram.write_if(b, &condition, &one, &y)?;
        }
        ram.write(b, &three, &y)?;
        let read = ram.read(b, &other)?;
        ram.write(b, &one, &y)?;
        let again = ram.read(b, &one)?;
        let expected = [if empty == 1 { 77 } else { 0 }, 78].map(F::from_u64);
        b.assert_equal(&[read, again], &expected)?;
        let ends = ram.finish(b)?;
        let third = if beyond == 3 { 78 } else { 0 };
        b.assert_equal(&ends, &[70, 78, 0, third].map(F::from_u64))
    }

    fn tables<F: Value, B: Challenge<F>>(&self, b: &mut B) -> Result<(), B::Error> {
        let wrong = |kind, right| if self.0 == kind { 9 } else { right };
        let rows = [1, 10, 2, 20, 3, 30].map(F::from_u64);
        let mut public = Lookups::new(Arc::new(Table::new(2, rows.to_vec())?));
        let [x, y, ten, twenty] =
            known::<F, B, 4>(b, [wrong(False::Public, 1), wrong(False::Pair, 2), 10, 20])?;
        for tuple in [[&y, &twenty], [&y, &twenty], [&x, &ten]] {
            public.look_up(b, &tuple.map(Clone::clone))?;
        }
        public.finish(b)?;
        let rows = known::<F, B, 4>(b, [5, 6, 7, wrong(False::Committed, 8)])?;
        let values = known::<F, B, 3>(b, [8, 5, 5])?;
        let mut committed = Lookups::committed(1, rows.to_vec())?;
        values.chunks(1).try_for_each(|value| committed.look_up(b, value))?;
        committed.finish(b)
    }
}

impl<F: Value, B: Challenge<F>> Statement<B> for Over<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: memory and tables");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let [x, y] = known::<F, B, 2>(b, [3, 4])?;
        self.0.memory::<F, B>(b, Unset::Zero)?;
        self.0.tables::<F, B>(b)?;
        self.0.memory::<F, B>(b, Unset::Refused)?;
        // The proof goes on.
        let product = b.mul(&x, &y)?;
        b.assert_equal(&[product], &[F::from_u64(12)])
    }
}

/// The statement over a field.
#[derive(Clone, Copy)]
struct Over<F>(Everything, std::marker::PhantomData<fn() -> F>);

fn statement<F>(which: False) -> Over<F> {
    Over(Everything(which), std::marker::PhantomData)
}

/// With challenges by V; where the field of MACs is large enough, also with hashes.
fn runs<M: volery_field::Element>() -> Vec<Run> {
    let mut runs = vec![Run::new(1 << 17, false), Run::new(7, false)];
    if M::BITS > 100 {
        runs.extend([Run::new(1 << 17, true), Run::new(7, true)]);
    }
    runs
}

macro_rules! pairs {
    ($test:ident) => {
        $test::<F61, F61>();
        $test::<F61, F61x2>();
        #[cfg(feature = "every-field")]
        $test::<volery_field::F32, volery_field::F32x4>();
    };
}

fn honest<F: Value, M: Coordinates<F>>() {
    assert_eq!(Evaluator::<F>::check(&statement(False::Nothing)), Ok(()));
    for run in runs::<M>() {
        let (p, v) = run.honest::<F, M>(&statement(False::Nothing));
        let tally = v.unwrap();
        assert_eq!(p.unwrap(), tally, "{run:?}");
        // Two lookups for each of six accesses in a range of two bits. The other challenges test less: six
        // accesses and five cells, three lookups in three rows, three in four committed ones.
        assert_eq!((tally.tested, tally.tested_twice), (16, 0));
        // Six accesses of six values each, five cells of three, and what one holds at first.
        assert_eq!(tally.tested_values, 52);
    }
}

#[test]
fn what_holds_is_accepted_and_counted_alike() {
    pairs!(honest);
}

fn the_same<F: Value, M: Coordinates<F>>() {
    for run in runs::<M>() {
        let record = |real: bool| {
            let (sent, v) = between(
                |p| {
                    let mut tap = Tap::recorder(p);
                    let p = if real {
                        run.prove::<F, M>(&statement(False::Nothing), &mut tap)
                    } else {
                        run.lie::<F, M>(&statement(False::Nothing), (Lie::GoOn, None), &mut tap)
                    };
                    p.map(|_| tap.layer.sent)
                },
                |v| run.verify::<F, M>(&statement(False::Nothing), v),
            );
            v.unwrap();
            sent.unwrap()
        };
        assert!(record(true) == record(false), "{} {run:?}", F::NAME);
    }
}

#[test]
fn the_plain_prover_says_the_same_byte_for_byte() {
    pairs!(the_same);
}

fn falsehoods<F: Value, M: Coordinates<F>>() {
    for which in FALSE {
        let unsatisfied = |result: Result<(), StatementError>| {
            assert!(matches!(result, Err(StatementError::Unsatisfied { .. })), "{which:?}: {result:?}");
        };
        unsatisfied(Evaluator::<F>::check(&statement(which)));
        for run in runs::<M>() {
            let (p, _) = run.honest::<F, M>(&statement(which));
            let Err(Error::Statement(error)) = p else { panic!("{which:?}: {p:?}") };
            unsatisfied(Err(error));
            let v = run.answer::<F, M>(&statement(which), Lie::GoOn);
            assert!(matches!(v, Err(Error::Rejected { .. })), "{} {run:?} {which:?}: {v:?}", F::NAME);
        }
    }
}

#[test]
fn what_is_false_is_refused_by_the_evaluator_and_by_the_prover_and_rejected() {
    pairs!(falsehoods);
}

/// Every value that the program or an argument commits to: addresses, what an access finds and when, parts of
/// differences, states at the end, multiplicities, inverses, fractions, products.
fn lies<F: Value, M: Coordinates<F>>(run: Run) {
    let secrets = run.answer::<F, M>(&statement(False::Nothing), Lie::GoOn).unwrap().secrets;
    assert!(secrets >= 119, "{secrets}");
    for secret in 0..secrets {
        let v = run.answer::<F, M>(&statement(False::Nothing), Lie::Secret(secret));
        assert!(matches!(v, Err(Error::Rejected { .. })), "{} {run:?}, secret {secret}: {v:?}", F::NAME);
    }
}

#[test]
fn no_committed_value_is_another_one() {
    lies::<F61, F61>(Run::new(1 << 17, false));
    lies::<F61, F61x2>(Run::new(1 << 17, true));
}

#[test]
fn a_prover_that_computes_with_another_challenge_is_rejected() {
    for run in runs::<F61x2>() {
        assert_eq!(run.answer::<F61, F61x2>(&statement(False::Nothing), Lie::Challenge), wrong(), "{run:?}");
    }
}

/// The messages of V.
fn challenges(run: Run) -> Vec<(volery_channel::Tag, Vec<u8>)> {
    let (_, sent) = between(
        |p| run.prove::<F61, F61>(&statement(False::Nothing), p),
        |v| {
            let mut tap = Tap::recorder(v);
            run.verify::<F61, F61>(&statement(False::Nothing), &mut tap).expect("accepts");
            tap.layer.sent
        },
    );
    sent
}

#[test]
fn a_challenge_is_a_message_of_its_own_and_no_other_s_seed() {
    let mut seeds: Vec<Vec<u8>> = (0..4)
        .flat_map(|seed| challenges(Run { seed, ..Run::new(1 << 17, false) }))
        .filter(|(tag, _)| *tag == tags::ELEMENTS_CHALLENGE)
        .map(|(_, seed)| seed)
        .collect();
    // Two memories with two challenges each, two tables with one each, the blocks that they end, and the
    // last.
    assert_eq!(seeds.len(), 4 * (6 + 6 + 1));
    seeds.sort_unstable();
    seeds.dedup();
    assert_eq!(seeds.len(), 4 * 13);
}

fn flipped(run: Run, sender: usize, at: usize, bit: usize) -> (Result<Tally, Error>, Result<Tally, Error>) {
    let tap = |party: usize| (party == sender).then_some((at, Change::Flip(bit)));
    between(
        |p| run.prove::<F61, F61>(&statement(False::Nothing), &mut Tap::on(p, tap(0))),
        |v| run.verify::<F61, F61>(&statement(False::Nothing), &mut Tap::on(v, tap(1))),
    )
}

#[test]
fn no_flipped_bit_of_a_challenge_is_accepted() {
    let run = Run::new(1 << 17, false);
    // The first seed is of a block without relations, so it is used for nothing.
    for (at, (tag, payload)) in challenges(run).iter().enumerate().skip(1) {
        for bit in (at..8 * payload.len()).step_by(29) {
            let (p, v) = flipped(run, 1, at, bit);
            assert!(p.is_err(), "{tag} ({at}), bit {bit}: {p:?}");
            assert_eq!(v.is_ok(), *tag == tags::VERDICT, "{tag} ({at}), bit {bit}: {v:?}");
        }
    }
}

/// A challenge that comes before all is committed to is none: V sends it after the last element before it.
#[test]
fn no_challenge_comes_before_what_it_tests() {
    let run = Run::new(1 << 17, false);
    let (sent, _) = between(
        |p| {
            let mut tap = Tap::recorder(p);
            run.prove::<F61, F61>(&statement(False::Nothing), &mut tap).map(|_| tap.layer.sent)
        },
        |v| run.verify::<F61, F61>(&statement(False::Nothing), v),
    );
    let (tag, first) = sent.unwrap().swap_remove(0);
    assert_eq!(tag, tags::ELEMENTS);
    // Without its last element: eight bytes, as many bits as an element or more.
    for short in [true, false] {
        let (p, _) = between(
            |p| {
                let count = first.len() * 8 / 61;
                let length = if short { (61 * (count - 1)).div_ceil(8) } else { first.len() };
                let mut frame = first[..length].to_vec();
                if short && 61 * (count - 1) % 8 > 0 {
                    frame[length - 1] &= (1 << (61 * (count - 1) % 8)) - 1;
                }
                p.send(tags::ELEMENTS, &frame)?;
                p.recv(tags::ELEMENTS_CHALLENGE, 16)?;
                p.recv(tags::ELEMENTS_CHALLENGE, 16).map(<[u8]>::len)
            },
            |v| run.verify::<F61, F61>(&statement(False::Nothing), v),
        );
        assert_eq!(p.is_err(), short, "{p:?}");
    }
}

/// Correlations that come one by one, each with a message of V, as the last of a batch may.
struct Waiting<N> {
    next: N,
    at_v: bool,
}

impl<T: Correlation, N: FnMut() -> T> Source<T> for Waiting<N> {
    fn refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<T>) -> Result<(), volery_vole::Error> {
        if self.at_v {
            channel.send(tags::SUBFIELD_LINK, &[])?;
            channel.flush()?;
        } else {
            channel.recv(tags::SUBFIELD_LINK, 0)?;
        }
        *out = vec![(self.next)()];
        Ok(())
    }

    fn may_wait(&self) -> bool {
        true
    }

    fn chain(&mut self, _: &mut dyn Channel, _: u64) -> Result<Chain, volery_vole::Error> {
        Ok(Chain::from_bytes([0; 32]))
    }
}

/// V cannot send what P waits for before it has every element that P holds back.
#[test]
fn nobody_waits_for_ever_where_correlations_run_out() {
    let patience = Duration::from_secs(5);
    let limits = Limits { read: patience, write: patience, ..Limits::default() };
    let settings = Settings { interval: 1 << 17 };
    let (p, v) = between_within(
        &limits,
        |p| {
            let (mut elements, mut rng) = (Elements::<F61, F61>::new(1), ChaCha20Rng::seed_from_u64(1));
            let mut pool = Pool::new(Box::new(Waiting { next: move || elements.next(), at_v: false }));
            let challenges = Challenges::Interactive(&mut rng);
            Prover::new(settings, challenges, &mut pool, Alone(p)).prove(&statement::<F61>(False::Nothing))
        },
        |v| {
            let (mut elements, mut rng) = (Elements::<F61, F61>::new(1), ChaCha20Rng::seed_from_u64(1));
            let delta = deal::field_delta::<F61, F61>();
            let secret = delta.expose();
            let next = move || {
                let element = elements.next();
                element.m + secret * element.x
            };
            let mut pool = Pool::new(Box::new(Waiting { next, at_v: true }));
            let challenges = Challenges::Interactive(&mut rng);
            let verifier = Verifier::new(settings, challenges, &delta, &mut pool, Alone(v));
            verifier.verify(&statement::<F61>(False::Nothing))
        },
    );
    assert!(p.is_ok() && v.is_ok(), "{p:?} {v:?}");
}

/// One of four keys of 64 bits that are multiples of 2^61 - 1. V's relations would all be `0 = 0`.
#[test]
fn a_verifier_whose_key_is_zero_accepts_nothing() {
    let zero = Delta::from_element(Gf128::from_bits((1 << 61) - 1));
    let delta = FieldDelta::<F61>::from_digits::<F61>(&zero);
    assert!(delta.expose().is_zero());
    let (mut v, mut p) = memory_pair(&limits());
    // What a prover sends who knows that.
    for (tag, payload) in [(tags::ELEMENTS, vec![0; 8]), (tags::ELEMENTS_ASSERTIONS, vec![0; 32])] {
        p.send(tag, &payload).unwrap();
    }
    p.flush().unwrap();
    let (mut pool, mut rng) = (deal::field_keys::<F61, F61>(1), ChaCha20Rng::seed_from_u64(1));
    let (settings, challenges) = (Settings { interval: 1 << 17 }, Challenges::Interactive(&mut rng));
    let verifier = Verifier::new(settings, challenges, &delta, &mut pool, Alone(&mut v));
    let result = verifier.verify(&statement::<F61>(False::Nothing));
    assert!(matches!(result, Err(Error::Statement(StatementError::Misuse(_)))), "{result:?}");
}

/// Asks for a challenge that tests so much.
struct Tests(Tested);

impl<B: Challenge<F61>> Statement<B> for Tests {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: how much");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        b.challenge(1, self.0).map(drop)
    }
}

fn asks<M: Coordinates<F61>>(degree: u64, repetitions: u32, fiat_shamir: bool) -> bool {
    let claim = Tests(Tested { degree, repetitions, values: 1 });
    let (p, v) = Run::new(8, fiat_shamir).honest::<F61, M>(&claim);
    for result in [&p, &v] {
        assert!(matches!(result, Ok(_) | Err(Error::Statement(StatementError::Misuse(_)))), "{result:?}");
    }
    assert_eq!(p.is_ok(), v.is_ok());
    v.is_ok()
}

#[test]
fn a_challenge_that_tests_more_than_the_field_stands_is_refused_by_both() {
    assert!(asks::<F61>(1 << 20, 1, false) && !asks::<F61>((1 << 20) + 1, 1, false));
    assert!(asks::<F61>(1 << 22, 2, false) && !asks::<F61>(1 << 22, 3, false));
    assert!(asks::<F61x2>(1 << 21, 1, false) && !asks::<F61x2>((1 << 21) + 1, 1, false));
    assert!(!asks::<F61>(1, 1, true) && !asks::<F61>(1, 2, true));
    assert!(asks::<F61x2>(1 << 17, 1, true) && !asks::<F61x2>((1 << 17) + 1, 1, true));
}

/// Reads a cell and forgets to finish the memory.
struct Unfinished;

impl<B: Challenge<F61>> Statement<B> for Unfinished {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: unfinished");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let wires = known::<F61, B, 2>(b, [1, 0])?;
        let mut ram = Ram::new(4, Unset::Zero, 4)?;
        ram.read(b, &wires[0]).map(drop)
    }
}

#[test]
fn a_memory_that_is_not_finished_is_refused_by_both() {
    let run = Run::new(1 << 17, false);
    let (p, _) = run.honest::<F61, F61>(&Unfinished);
    assert!(matches!(p, Err(Error::Statement(StatementError::Misuse(_)))), "{p:?}");
    // A prover that goes on all the same.
    let v = run.answer::<F61, F61>(&Unfinished, Lie::GoOn);
    assert!(matches!(v, Err(Error::Statement(StatementError::Misuse(_)))), "{v:?}");
}

#[test]
fn a_statement_over_bits_and_a_field_has_memory_too() {
    assert_eq!(MixedEvaluator::<F61>::check(&statement(False::Nothing)), Ok(()));
    let unsatisfied = MixedEvaluator::<F61>::check(&statement(False::Address));
    assert!(matches!(unsatisfied, Err(StatementError::Unsatisfied { .. })));
}
