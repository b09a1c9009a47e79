//! Batchman: the same disjunction many times over (figure 6).
//!
//! ```text
//! P                                                            V
//! for every repetition: inputs, outputs, [l], [r], [o] = [l][r]  --->
//!                                                     <-------------  seed of s, t, beta
//! for every repetition: [cv] = the topology vector of its branch --->
//!     relation:  cv . (shared, inputs, outputs, o, 1) = sum s_k (l_k + beta r_k)
//!                                                     <-------------  seed of u
//! for every repetition, relation of degree B:  prod_i (u . cv - u . cv_i) = 0
//! ```
//!
//! The paper commits to all of `s^T M`. Its entries for `l_k` and `r_k` are the same for every branch, so they stay public, which
//! leaves one entry for each input, output and product. Wires that go into a repetition are any wires: what came out of an earlier
//! one, public constants. So states are carried, and public inputs given, for nothing.
//!
//! Repetitions are taken in groups, each with seeds of its own; a group is committed to, checked and forgotten, so memory does not
//! grow with their number. A group costs both parties one pass over every branch.
//!
//! P keeps the vector of every branch and copies that of the one that holds, so which memory it reads depends on its choice; no byte
//! that it sends does. **When it sends does**: [`Tracer`] runs the picked branch in the clear before each repetition's messages, so their
//! timing follows that branch's length; and where the vectors of all branches are too large to be kept (`KEPT`) that of the picked one is
//! computed anew, in time that its gates decide. Branches of about as many gates hide each other from who measures time.

use volery_circuit::{Branch, Branches, Circuit, Error as StatementError, Recorder, Shape, Steps};
use volery_field::{LengthError, Value};
use volery_vole::Prg;
use zeroize::Zeroizing;

use super::base::{Base, Flat};
use super::robin::Committed;
use super::rows::{Expanded, Rows};
use super::{Topology, Tracer};
use crate::Error;

/// Wires of a group: at P 16 bytes each over F_{2^61-1}.
const GROUP: usize = 1 << 20;

/// A group has at least one repetition for so many branches, so that their vectors cost little beside what it commits to.
const LEAST: usize = 8;

/// Elements of topology vectors that are kept; where there would be more they are computed as they are needed.
const KEPT: usize = 1 << 23;

/// Proves that at each of `steps` repetitions one of `branches` holds; see [`volery_circuit::Repeat::repeat`].
pub(super) fn repeat<R, B, S>(
    base: &mut B,
    branches: &Branches<R, S>,
    steps: usize,
    each: &mut dyn Steps<R, S, B>,
) -> Result<(), Error>
where
    R: Value,
    B: Flat<R>,
    S: Branch<R, Tracer<R>> + Branch<R, Recorder<R>>,
{
    let circuits = Circuits::record(branches)?;
    let per_group = (GROUP / circuits.wires()).max(branches.list().len() / LEAST).max(1);
    for first in (0..steps).step_by(per_group) {
        let group = first..steps.min(first + per_group);
        let mut repetitions = Vec::with_capacity(group.len());
        for step in group {
            let shared = each.before(base, step)?;
            let mut picked = None;
            let committed = Committed::new(base, &shared, branches, &mut |values| {
                let pick = each.pick(step, values)?;
                picked = Some(pick.index);
                Ok(pick)
            })?;
            each.after(base, step, committed.outputs.to_vec())?;
            repetitions.push(Repetition { picked, shared: Zeroizing::new(shared), committed });
        }
        circuits.check(base, repetitions)?;
    }
    Ok(())
}

/// What a repetition committed to.
struct Repetition<R: Value, B: Base<R>> {
    /// The branch that holds, at P.
    picked: Option<usize>,
    shared: Zeroizing<Vec<B::Wire>>,
    committed: Committed<R, B>,
}

impl<R: Value, B: Flat<R>> Repetition<R, B> {
    /// All that a topology vector weighs, in its order.
    fn weighed(&self, one: B::Wire) -> Zeroizing<Vec<B::Wire>> {
        let Committed { inputs, outputs, products, .. } = &self.committed;
        let parts = [&self.shared, inputs, outputs, products];
        let mut wires =
            Zeroizing::new(Vec::with_capacity(parts.iter().map(|part| part.len()).sum::<usize>() + 1));
        parts.iter().for_each(|part| wires.extend_from_slice(part));
        wires.push(one);
        wires
    }
}

/// Every branch as a flat circuit, its inputs what goes in, its own secrets, and what comes out.
struct Circuits<R: Value> {
    circuits: Vec<Circuit<R>>,
    shared: usize,
    shape: Shape,
    /// The most assertions of a branch.
    assertions: usize,
}

impl<R: Value> Circuits<R> {
    fn record<S: Branch<R, Recorder<R>>>(branches: &Branches<R, S>) -> Result<Self, Error> {
        let (shared, shape) = (branches.shared(), branches.shape());
        let circuits = branches.list().iter().map(|branch| record(branch, shared, shape));
        let circuits = circuits.collect::<Result<Vec<_>, _>>()?;
        let assertions = circuits.iter().map(|circuit| circuit.asserted().len()).max().unwrap_or(0);
        Ok(Self { circuits, shared, shape, assertions })
    }

    /// Entries of a topology vector.
    fn entries(&self) -> usize {
        self.shared + self.shape.inputs + self.shape.outputs + self.shape.multiplications + 1
    }

    /// Wires that a repetition keeps.
    fn wires(&self) -> usize {
        2 * self.entries() + 2 * self.shape.multiplications
    }

    /// The topology vector of branch `i`, filled up to the shape: `cv_i`.
    fn vector(&self, i: usize, rows: &Expanded<R>) -> Result<Vec<R>, StatementError> {
        let circuit = self.circuits.get(i).ok_or_else(|| StatementError::misuse("no such branch"))?;
        let Topology { inputs, products, constant } = Topology::of(circuit, rows, |weight, c| weight * c);
        let own = inputs.len().saturating_sub(self.shape.outputs);
        let (before, outputs) = inputs.split_at(own);
        let mut vector = Vec::with_capacity(self.entries());
        vector.extend_from_slice(before);
        vector.resize(self.shared + self.shape.inputs, R::ZERO);
        vector.extend_from_slice(outputs);
        vector.extend_from_slice(&products);
        vector.resize(self.entries() - 1, R::ZERO);
        vector.push(constant);
        Ok(vector)
    }

    /// Proves that every repetition of a group holds.
    fn check<B: Flat<R>>(&self, base: &mut B, repetitions: Vec<Repetition<R, B>>) -> Result<(), Error> {
        let rows = Rows::new(base.challenge()?).expand(self.shape.multiplications, self.assertions);
        let vectors = Vectors::new(self, rows)?;
        let one = base.constant(R::ONE);
        let mut committed = Vec::with_capacity(repetitions.len());
        for repetition in repetitions {
            let picked = repetition.picked;
            let vector = base.secret(self.entries(), &mut |_| {
                let picked = picked.ok_or_else(|| StatementError::misuse("a hint ran before the first"))?;
                vectors.with(picked, |vector| vector.to_vec())
            })?;
            let factors = repetition.committed.all_factors(&vectors.rows.left, &vectors.rows.right)?;
            base.assert_dot(&vector, &repetition.weighed(one.clone()), &B::wire(factors))?;
            committed.push(Zeroizing::new(vector));
        }
        let mut u = vec![R::ZERO; self.entries()];
        Prg::new(base.challenge()?).coefficients(&mut u);
        let token = |i| vectors.with(i, |vector| R::dot(vector, &u).map_err(misuse))?;
        let set = (0..self.circuits.len()).map(token).collect::<Result<Vec<_>, _>>()?;
        let mut tokens = Zeroizing::new(Vec::with_capacity(committed.len()));
        for vector in &committed {
            let halves = Zeroizing::new(Vec::from_iter(vector.iter().map(B::half)));
            tokens.push(B::wire(B::combine(&halves, &u)?));
        }
        base.assert_one_of(&tokens, &set)
    }
}

fn misuse(error: LengthError) -> StatementError {
    StatementError::misuse(error.to_string())
}

/// A branch with what goes in and what comes out as inputs, the latter claimed to be what it computes.
fn record<R: Value, S: Branch<R, Recorder<R>>>(
    branch: &S,
    shared: usize,
    shape: Shape,
) -> Result<Circuit<R>, StatementError> {
    use volery_circuit::{Ops as _, Prove as _};
    let narrow = |n: usize| u32::try_from(n).map_err(|_| StatementError::misuse("a branch of 2^32 wires"));
    let mut recorder = Recorder::new();
    let shared_wires = recorder.input("shared", narrow(shared)?, false)?;
    let computed = branch.run(&mut recorder, &shared_wires)?;
    let outputs = recorder.input("outputs", narrow(shape.outputs)?, false)?;
    if computed.len() != outputs.len() {
        return Err(StatementError::misuse("a branch has another number of outputs than its disjunction"));
    }
    for (computed, output) in computed.iter().zip(&outputs) {
        let difference = recorder.sub(computed, output);
        recorder.assert_zero(&[difference])?;
    }
    let circuit = recorder.finish(&[])?;
    let inputs = shared + shape.inputs + shape.outputs;
    if circuit.input_wires() as usize > inputs || circuit.multiplications() > shape.multiplications as u64 {
        return Err(StatementError::misuse("a branch is larger than the shape of its disjunction"));
    }
    Ok(circuit)
}

/// The topology vectors of all branches, kept unless they are large; a vector that is not kept takes time that depends on its branch.
struct Vectors<'x, R: Value> {
    circuits: &'x Circuits<R>,
    rows: Expanded<R>,
    kept: Vec<Vec<R>>,
}

impl<'x, R: Value> Vectors<'x, R> {
    fn new(circuits: &'x Circuits<R>, rows: Expanded<R>) -> Result<Self, StatementError> {
        let branches = circuits.circuits.len();
        let keep = if branches.saturating_mul(circuits.entries()) <= KEPT { branches } else { 0 };
        let kept = (0..keep).map(|i| circuits.vector(i, &rows)).collect::<Result<_, _>>()?;
        Ok(Self { circuits, rows, kept })
    }

    fn with<T>(&self, i: usize, take: impl FnOnce(&[R]) -> T) -> Result<T, StatementError> {
        match self.kept.get(i) {
            Some(vector) => Ok(take(vector)),
            None => Ok(take(&self.circuits.vector(i, &self.rows)?)),
        }
    }
}
