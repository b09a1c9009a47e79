//! [`Choose`] by stacking: the disjunctions of statements that are written for every backend.
//!
//! ```text
//! outputs: secrets of the run around, at P from a run of the picked branch in the clear
//! any_of over  "branch i, run on the shared wires, gives these outputs"
//! ```
//!
//! P's run in the clear takes a time that depends on the branch. Without outputs there is no such run.
//!
//! Repetitions ([`Repeat`]) are processed in groups. First P commits to the outputs of each repetition of a
//! group, one after another, because they may go into the next one. Then the whole group is proved, in step
//! with each other (`in_step`). The claims are about commitments, so their order does not matter.
//!
//! **Branches that choose again have little room in a group.** A run has a budget of branches
//! ([`MAX_BRANCHES`](super::MAX_BRANCHES)), and each of the group's `n` branches may have `(budget - n) / n`
//! below it. If 256 branches are in step, that is 3 for each; in one repetition of two branches it is 511. A
//! statement that needs more can call
//! [`repeat_by_choosing`](volery_circuit::choose::repeat_by_choosing), which proves one repetition after
//! another, or take shorter blocks, so that a group has fewer repetitions.
//!
//! The backend decides whether a statement is proved by Robin ([`crate::disjunction`]) or by stacking. One
//! proof cannot use both. Robin claims that a product of check values is zero; this is a claim about a
//! polynomial in delta, not a linear query, and P's message for it is uniform only if the claim is true. All
//! joins of this module and `Choose` can be mixed, to any depth. In no other protocol may a branch choose
//! again.

use volery_circuit::choose::{self, Branches, Pick, Picked, Shape};
use volery_circuit::{Choose, Digest, Error as StatementError, Evaluator, Repeat, Statement, Steps};
use zeroize::Zeroizing;

use super::super::run::{Run, values};
use super::super::share::Share;
use super::Branch;
use crate::Error;

impl<H, S> Choose<H::Value, S> for Run<'_, H>
where
    H: Share,
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
    H: Share,
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
    H: Share,
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
    H: Share,
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

/// A disjunction before its proof: the wires that go in, and the committed outputs.
struct Repetition<H: Share, S> {
    shared: Zeroizing<Vec<H::Wire>>,
    outputs: Zeroizing<Vec<H::Wire>>,
    /// At P.
    picked: Option<Picked<S>>,
}

impl<H, S> Repetition<H, S>
where
    H: Share,
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

    /// Branch number `i`, with its witness if it is the one that was picked.
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
    H: Share,
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

/// Commits to the outputs of the picked branch.
fn outputs<H, S>(
    run: &mut Run<'_, H>,
    shared: &[H::Wire],
    branches: &Branches<H::Value, S>,
    picked: Option<&Picked<S>>,
) -> Result<Vec<H::Wire>, Error>
where
    H: Share,
    S: choose::Branch<H::Value, Evaluator<H::Value>>,
{
    use volery_circuit::Prove as _;
    let count = branches.shape().outputs;
    if count == 0 {
        // There is no need to run a branch in the clear.
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

/// A branch with the wires that go in, and the claim that its outputs are the committed ones.
struct Side<'x, H: Share, S> {
    branch: &'x S,
    shared: &'x [H::Wire],
    outputs: &'x [H::Wire],
}

impl<H, S> Statement<Run<'_, H>> for Side<'_, H, S>
where
    H: Share,
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
