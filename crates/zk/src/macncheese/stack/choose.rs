//! [`Choose`] by stacking: disjunctions as statements for every backend say them.
//!
//! ```text
//! outputs: secrets of the run around, at P from a run of the picked branch in the clear
//! any_of over  "branch i, run on the shared wires, gives these outputs"
//! ```
//!
//! P's run in the clear takes a time that depends on the branch; without outputs there is none.
//!
//! Of repetitions ([`Repeat`]) a group commits to what comes out of each, one after another, since that may
//! go into the next. Then all of the group are proved, in step with each other (`in_step`): the claims are
//! about what was committed to, so their order does not matter. Where a repetition's branches hold
//! disjunctions of more branches than that leaves room for ([`MAX_BRANCHES`](super::MAX_BRANCHES)),
//! [`repeat_by_choosing`](volery_circuit::choose::repeat_by_choosing) proves one after another.
//!
//! So one statement is proved by Robin ([`crate::disjunction`]) or by stacking, as its backend does it. The
//! two cannot meet in one proof: that the product of Robin's tokens is zero is a claim about a polynomial in
//! delta, not a linear query, and what P sends for it is uniform only if the claim is true. Every join of
//! this module and `Choose` do mix, to any depth: here, and nowhere else, a branch may choose again.

use volery_circuit::choose::{self, Branches, Pick, Picked, Shape};
use volery_circuit::{Choose, Digest, Error as StatementError, Evaluator, Repeat, Statement, Steps};
use zeroize::Zeroizing;

use super::super::half::Half;
use super::super::run::{Run, values};
use super::Branch;
use crate::Error;

impl<H, S> Choose<H::Value, S> for Run<'_, H>
where
    H: Half,
    S: choose::Branch<H::Value, Evaluator<H::Value>> + for<'r> choose::Branch<H::Value, Run<'r, H>>,
{
    fn any_of(
        &mut self,
        shared: &[H::Wire],
        branches: &Branches<H::Value, S>,
        pick: Pick<'_, H::Value, H::Wire, S>,
    ) -> Result<Vec<H::Wire>, Error> {
        self.failed.check()?;
        let result = one_of(self, shared.to_vec(), branches, pick);
        self.failed.latch(result)
    }
}

impl<H, S> Repeat<H::Value, S> for Run<'_, H>
where
    H: Half,
    S: choose::Branch<H::Value, Evaluator<H::Value>> + for<'r> choose::Branch<H::Value, Run<'r, H>>,
{
    fn repeat(
        &mut self,
        branches: &Branches<H::Value, S>,
        steps: usize,
        each: &mut dyn Steps<H::Value, S, Self>,
    ) -> Result<(), Error> {
        self.failed.check()?;
        let result = repeat(self, branches, steps, each);
        self.failed.latch(result)
    }
}

fn one_of<H, S>(
    run: &mut Run<'_, H>,
    shared: Vec<H::Wire>,
    branches: &Branches<H::Value, S>,
    pick: Pick<'_, H::Value, H::Wire, S>,
) -> Result<Vec<H::Wire>, Error>
where
    H: Half,
    S: choose::Branch<H::Value, Evaluator<H::Value>> + for<'r> choose::Branch<H::Value, Run<'r, H>>,
{
    let once = Repetition::commit(run, shared, branches, pick)?;
    prove(run, branches, core::slice::from_ref(&once))?;
    Ok(once.outputs.to_vec())
}

fn repeat<'r, H, S>(
    run: &mut Run<'r, H>,
    branches: &Branches<H::Value, S>,
    steps: usize,
    each: &mut dyn Steps<H::Value, S, Run<'r, H>>,
) -> Result<(), Error>
where
    H: Half,
    S: choose::Branch<H::Value, Evaluator<H::Value>> + for<'x> choose::Branch<H::Value, Run<'x, H>>,
{
    let width = branches.list().len();
    let in_step = run.settings.in_step(width, branches.shared(), branches.shape());
    let in_step = in_step.min(run.budget / width).max(1);
    for first in (0..steps).step_by(in_step) {
        let steps = first..steps.min(first + in_step);
        let group = steps.map(|step| {
            let shared = each.before(run, step)?;
            let once = Repetition::commit(run, shared, branches, &mut |values| each.pick(step, values))?;
            each.after(run, step, once.outputs.to_vec())?;
            Ok(once)
        });
        let group = group.collect::<Result<Vec<_>, Error>>()?;
        prove(run, branches, &group)?;
    }
    Ok(())
}

/// A disjunction before its proof: what goes in, and what comes out, which is committed to.
struct Repetition<H: Half, S> {
    shared: Zeroizing<Vec<H::Wire>>,
    outputs: Zeroizing<Vec<H::Wire>>,
    /// At P.
    picked: Option<Picked<S>>,
}

impl<H, S> Repetition<H, S>
where
    H: Half,
    S: choose::Branch<H::Value, Evaluator<H::Value>>,
{
    fn commit(
        run: &mut Run<'_, H>,
        shared: Vec<H::Wire>,
        branches: &Branches<H::Value, S>,
        pick: Pick<'_, H::Value, H::Wire, S>,
    ) -> Result<Self, Error> {
        let shared = Zeroizing::new(shared);
        branches.check_shared(shared.len())?;
        let picked = if run.writes() { Some(pick(&values::<H>())?) } else { None };
        let outputs = Zeroizing::new(outputs(run, &shared, branches, picked.as_ref())?);
        Ok(Self { shared, outputs, picked })
    }

    /// Branch number `i` as it is run here: with its witness, if it is the one that was picked.
    fn side<'x>(&'x self, i: usize, branch: &'x S) -> Side<'x, H, S> {
        let picked = self.picked.as_ref().filter(|picked| picked.index == i);
        let branch = picked.and_then(|picked| picked.witness.as_ref()).unwrap_or(branch);
        Side { branch, shared: &self.shared, outputs: &self.outputs }
    }
}

/// Proves disjunctions in step with each other.
fn prove<H, S>(
    run: &mut Run<'_, H>,
    branches: &Branches<H::Value, S>,
    repetitions: &[Repetition<H, S>],
) -> Result<(), Error>
where
    H: Half,
    S: choose::Branch<H::Value, Evaluator<H::Value>> + for<'r> choose::Branch<H::Value, Run<'r, H>>,
{
    let list = || branches.list().iter().enumerate();
    let sides = repetitions.iter().flat_map(|once| list().map(|(i, branch)| once.side(i, branch)));
    let sides: Vec<_> = sides.collect();
    let stacked: Vec<&dyn Branch<H>> = sides.iter().map(|side| side as &dyn Branch<H>).collect();
    let choices = repetitions.iter().map(|once| once.picked.as_ref().map(|picked| picked.index));
    let Shape { inputs, multiplications, .. } = branches.shape();
    run.any_of_each(&stacked, &choices.collect::<Vec<_>>(), inputs.saturating_add(multiplications))
}

/// Commits to what comes out of the picked branch.
fn outputs<H, S>(
    run: &mut Run<'_, H>,
    shared: &[H::Wire],
    branches: &Branches<H::Value, S>,
    picked: Option<&Picked<S>>,
) -> Result<Vec<H::Wire>, Error>
where
    H: Half,
    S: choose::Branch<H::Value, Evaluator<H::Value>>,
{
    use volery_circuit::Prove as _;
    let count = branches.shape().outputs;
    if count == 0 {
        // Nothing to run a branch in the clear for.
        return Ok(Vec::new());
    }
    run.secret(count, &mut |peek| {
        let missing = || StatementError::Witness("no branch of a disjunction was picked".into());
        let branch = branches.picked(picked.ok_or_else(missing)?)?;
        let shared: Vec<H::Value> = shared.iter().map(|wire| peek.value(wire)).collect();
        let outputs = branch.run(&mut Evaluator::new(), &Zeroizing::new(shared))?;
        branches.check_outputs(outputs.len())?;
        Ok(outputs)
    })
}

/// A branch with the wires that go in, and the claim that what comes out is what was committed to.
struct Side<'x, H: Half, S> {
    branch: &'x S,
    shared: &'x [H::Wire],
    outputs: &'x [H::Wire],
}

impl<H, S> Statement<Run<'_, H>> for Side<'_, H, S>
where
    H: Half,
    S: for<'r> choose::Branch<H::Value, Run<'r, H>>,
{
    fn identify(&self, digest: &mut Digest) {
        choose::Branch::<H::Value, Run<'_, H>>::identify(self.branch, digest);
    }

    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        use volery_circuit::Prove as _;
        let own = self.branch.run(run, self.shared)?;
        if own.len() != self.outputs.len() {
            let (got, expected) = (own.len(), self.outputs.len());
            let reason = format!("{got} wires came out of a branch; its disjunction has {expected}");
            return Err(StatementError::misuse(reason).into());
        }
        let differences: Vec<_> = own.iter().zip(self.outputs).map(|(own, out)| H::sub(*own, *out)).collect();
        run.assert_zero(&differences)
    }
}
