//! [`Choose`] by stacking: disjunctions as statements for every backend say them.
//!
//! ```text
//! outputs: secrets of the run around, at P from a run of the picked branch in the clear
//! any_of over  "branch i, run on the shared wires, gives these outputs"
//! ```
//!
//! P's run in the clear takes a time that depends on the branch; without outputs there is none.
//!
//! So one statement is proved by Robin ([`crate::disjunction`]) or by stacking, as its backend does it. The
//! two cannot meet in one proof: that the product of Robin's tokens is zero is a claim about a polynomial in
//! delta, not a linear query, and what P sends for it is uniform only if the claim is true. Every join of
//! this module and `Choose` do mix, to any depth: here, and nowhere else, a branch may choose again.

use volery_circuit::choose::{self, Branches, Pick, Picked, repeat_by_choosing};
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
        let result = one_of(self, shared, branches, pick);
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
        repeat_by_choosing(self, branches, steps, each)
    }
}

fn one_of<H, S>(
    run: &mut Run<'_, H>,
    shared: &[H::Wire],
    branches: &Branches<H::Value, S>,
    pick: Pick<'_, H::Value, H::Wire, S>,
) -> Result<Vec<H::Wire>, Error>
where
    H: Half,
    S: choose::Branch<H::Value, Evaluator<H::Value>> + for<'r> choose::Branch<H::Value, Run<'r, H>>,
{
    branches.check_shared(shared.len())?;
    let picked = if run.writes() { Some(pick(&values::<H>())?) } else { None };
    let outputs = outputs(run, shared, branches, picked.as_ref())?;
    let witness = |i| picked.as_ref().filter(|picked| picked.index == i).and_then(|p| p.witness.as_ref());
    let sides = branches.list().iter().enumerate().map(|(i, branch)| Side::<H, S> {
        branch: witness(i).unwrap_or(branch),
        shared,
        outputs: &outputs,
    });
    let sides: Vec<_> = sides.collect();
    let stacked: Vec<&dyn Branch<H>> = sides.iter().map(|side| side as &dyn Branch<H>).collect();
    run.any_of(&stacked, picked.as_ref().map(|picked| picked.index))?;
    Ok(outputs)
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
