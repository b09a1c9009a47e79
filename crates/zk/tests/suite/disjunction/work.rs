//! What the parties do and send: the same whichever branch holds, and as much as was computed beforehand.

use std::sync::atomic::{AtomicUsize, Ordering};

use volery_circuit::choose::Branches;
use volery_circuit::{Branch, Digest, Prove, Shape, Statement};
use volery_field::{F2, F61, F61x2, Mac, Ring, Value};
use volery_testing::{Bits, session};
use volery_vole::correlations::Profile;
use volery_zk::Error;
use volery_zk::disjunction::AnyOf;
use volery_zk::disjunction::cost::{Cost, Over, Protocol, Task};
use volery_zk::quicksilver::{self, field};

use crate::disjunction::machine::{ByRepeating, Instruction, Machine};
use crate::disjunction::parties::{
    End, Fields, RUNS, Run, at_prover, at_verifier, between, programs, prove_bits, prove_over, verify_bits,
    verify_over,
};
use crate::disjunction::programs::{Program, Small};

/// A branch that counts how often it is run.
struct Observed<R> {
    program: Program<R>,
    runs: AtomicUsize,
}

/// Its statement.
struct Observing<'a, R>(&'a Observed<R>);

impl<R: Small, B: Prove<R>> Statement<B> for Observing<'_, R> {
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.0.program, digest);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        self.0.runs.fetch_add(1, Ordering::Relaxed);
        self.0.program.run(b)
    }
}

/// How often P runs each branch, once its statement is made.
fn runs<R: Small>(choice: usize, prove: impl Fn(&AnyOf<R, Observing<'_, R>>) -> End) -> Vec<usize> {
    let programs = programs::<R>(4);
    let observed = |(i, program): (usize, &Program<R>)| Observed {
        program: if i == choice { program.clone() } else { program.public() },
        runs: AtomicUsize::new(0),
    };
    let observed: Vec<_> = programs.iter().enumerate().map(observed).collect();
    let any = AnyOf::new(observed.iter().map(Observing).collect())
        .and_then(|any| any.with_choice(choice))
        .expect("fits");
    observed.iter().for_each(|branch| branch.runs.store(0, Ordering::Relaxed));
    assert!(prove(&any).results[1].is_ok());
    observed.iter().map(|branch| branch.runs.load(Ordering::Relaxed)).collect()
}

#[test]
fn the_prover_runs_every_branch_as_often_whichever_holds() {
    let run = RUNS[0];
    for choice in 0..4 {
        let bits = runs::<F2>(choice, |any| {
            let claimed = at_verifier(&programs::<F2>(4));
            session(|c| prove_bits(run, any, c), |c| verify_bits(run, &claimed, c), None)
        });
        let fields = runs::<F61>(choice, |any| {
            let claimed = at_verifier(&programs::<F61>(4));
            let prove = |c: &mut dyn volery_channel::Channel| prove_over::<F61, F61x2>(run, any, c);
            session(prove, |c| verify_over::<F61, F61x2>(run, &claimed, c), None)
        });
        // In the clear, and on commitments.
        assert_eq!((bits, fields), (vec![2; 4], vec![2; 4]));
    }
}

/// So many products, a thousand at once, of which the one at `twisted` has another operand.
#[derive(Clone, Debug)]
struct Long {
    multiplications: usize,
    twisted: Option<usize>,
    knows: bool,
}

const WIDTH: usize = 1000;

impl<R: Small, B: Prove<R>> Branch<R, B> for Long {
    fn identify(&self, digest: &mut Digest) {
        digest.number("multiplications", self.multiplications as u64);
    }

    fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let mut x = b.secret(WIDTH, &mut |_| match self.knows {
            true => Ok((0..WIDTH as u64).map(|i| R::small(i << 33 | i | 3)).collect()),
            false => Err(volery_circuit::Error::Witness("none".into())),
        })?;
        for first in (0..self.multiplications).step_by(WIDTH) {
            let mut y: Vec<_> = x.iter().map(|x| b.add_constant(x, R::ONE)).collect();
            let place = self.twisted.map_or(WIDTH, |at| at.wrapping_sub(first));
            if let Some(y) = y.get_mut(place) {
                *y = b.add(y, &shared[0]);
            }
            y.truncate(self.multiplications - first);
            let products = b.mul_many(&x[..y.len()], &y)?;
            x.splice(..products.len(), products);
        }
        Ok(x.split_off(WIDTH - 2))
    }
}

struct OneLong(Branches<F61, Long>);

impl<B: volery_circuit::Choose<F61, Long>> Statement<B> for OneLong {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"test: long");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let shared = [b.constant(F61::ONE)];
        let picked = || Ok(volery_circuit::Picked::new(1));
        b.any_of(&shared, &self.0, &mut |_| picked()).map(drop)
    }
}

/// With three challenges: a lie under any of them is found.
#[test]
fn branches_of_several_challenges_are_accepted_and_lies_in_any_stretch_are_not() {
    let multiplications = (1 << 19) + 4321;
    let long = |twisted, knows| Long { multiplications, twisted, knows };
    let statement = |twisted, knows| {
        let other = Long { multiplications: 12_345, ..long(None, false) };
        OneLong(Branches::new(vec![other, long(twisted, knows)], 1).expect("one shape"))
    };
    let end = |twisted| {
        let run = Run { interval: 1 << 16, ..RUNS[0] };
        let (proved, claimed) = (statement(twisted, true), statement(None, false));
        let prove = |c: &mut dyn volery_channel::Channel| prove_over::<F61, F61>(run, &proved, c);
        session(prove, |c| verify_over::<F61, F61>(run, &claimed, c), None)
    };
    let honest = end(None);
    assert!(honest.results[1].is_ok() && honest.results[0] == honest.results[1], "{:?}", honest.results);
    let shape = statement(None, false).0.shape();
    let task = Task { branches: 2, shared: 1, shape, repetitions: 1 };
    close(&honest, task.cost(Protocol::Robin, &over::<F61, F61>(1 << 16)));
    for at in [0, (1 << 18) + 5, multiplications - 1] {
        let lied = end(Some(at));
        assert!(matches!(lied.results[1], Err(Error::Rejected { .. })), "{at}: {:?}", lied.results);
    }
}

fn over<F: Value, M: Mac<F>>(interval: usize) -> Over {
    Over::field::<F, M>(field::Settings { interval }, Profile::Lan)
}

/// That P and V sent what was computed, to one part in fifty and a few bytes.
fn close(end: &End, cost: Option<Cost>) {
    let cost = cost.expect("served");
    let sent =
        end.sent.each_ref().map(|sent| sent.iter().map(|(_, payload)| payload.len() as u64).sum::<u64>());
    for (sent, computed) in sent.into_iter().zip([cost.prover_bytes, cost.verifier_bytes]) {
        assert!(sent.abs_diff(computed) <= 50 + sent / 50, "{sent} bytes were sent, {computed} computed");
    }
}

fn robin_sends_what_was_computed<K: Fields>(over: &Over) {
    for branches in [1, 2, 7] {
        let programs: Vec<_> =
            (0..branches as u64).map(|i| Program::new([i, i + 9], 30, 9000 + 100 * i as usize)).collect();
        let claimed = at_verifier(&programs);
        // Every kind of proof here runs it twice.
        let task = Task { branches, shared: 0, shape: claimed.shape(), repetitions: 2 };
        let end = between::<K>(RUNS[0], &at_prover(&programs, 0), &claimed);
        assert!(end.results[1].is_ok());
        close(&end, task.cost(Protocol::Robin, over));
    }
}

#[test]
fn single_disjunctions_send_what_was_computed() {
    let interval = RUNS[0].interval;
    robin_sends_what_was_computed::<Bits>(&Over::bits(
        quicksilver::bits::Settings { interval },
        Profile::Lan,
    ));
    robin_sends_what_was_computed::<volery_testing::Over<F61, F61>>(&over::<F61, F61>(interval));
    robin_sends_what_was_computed::<volery_testing::Over<F61, F61x2>>(&over::<F61, F61x2>(interval));
}

fn batches_send_what_was_computed<M: Mac<F61>>() {
    let run = RUNS[0];
    // A group of a few repetitions.
    for padded in [0, 40_000] {
        let list: Vec<_> = (0..5)
            .map(|code| Instruction { steps: 4000, own: false, ..Instruction::numbered(code) })
            .collect();
        let mut machine = Machine::<F61>::new(list, vec![3, 1, 0, 4, 4, 2, 1, 0, 2], true);
        let own = machine.branches.shape();
        let shape = Shape { multiplications: own.multiplications.max(padded), ..own };
        let (list, shared) = (machine.branches.list().to_vec(), machine.branches.shared());
        machine.branches = Branches::with_shape(list, shared, shape).expect("some");
        let statement = ByRepeating(machine);
        let prove = |c: &mut dyn volery_channel::Channel| prove_over::<F61, M>(run, &statement, c);
        let end = session(prove, |c| verify_over::<F61, M>(run, &statement, c), None);
        assert!(end.results[1].is_ok(), "{:?}", end.results);
        let task = Task { branches: 5, shared, shape, repetitions: 9 };
        close(&end, task.cost(Protocol::Batchman, &over::<F61, M>(run.interval)));
    }
}

#[test]
fn batches_of_one_and_of_several_groups_send_what_was_computed() {
    batches_send_what_was_computed::<F61>();
    batches_send_what_was_computed::<F61x2>();
}
