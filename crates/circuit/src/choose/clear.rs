//! Disjunctions on backends that keep no secrets.

use volery_field::Ring;

use super::{Branch, Branches, Choose, Pick, Repeat};
use crate::{Counter, Error, Evaluator, Recorder};

/// Runs the picked branch.
impl<R: Ring, S: Branch<R, Self>> Choose<R, S> for Evaluator<R> {
    fn any_of(
        &mut self,
        shared: &[R],
        branches: &Branches<R, S>,
        pick: Pick<'_, R, R, S>,
    ) -> Result<Vec<R>, Error> {
        branches.check_shared(shared.len())?;
        self.begin_choice()?;
        let picked = pick(Self::peek())?;
        let outputs = branches.picked(&picked)?.run(self, shared)?;
        branches.check_outputs(outputs.len())?;
        Ok(outputs)
    }
}

impl<R: Ring, S: Branch<R, Self>> Repeat<R, S> for Evaluator<R> {}

/// Counts the commitments of the disjunction, and one assertion.
impl<R: Ring, S> Choose<R, S> for Counter<R> {
    fn any_of(
        &mut self,
        shared: &[u32],
        branches: &Branches<R, S>,
        _pick: Pick<'_, R, u32, S>,
    ) -> Result<Vec<u32>, Error> {
        branches.check_shared(shared.len())?;
        self.disjunction(branches.list().len(), branches.shape());
        Ok(vec![0; branches.shape().outputs])
    }
}

impl<R: Ring, S> Repeat<R, S> for Counter<R> {}

/// Refused: a flat circuit would show which branch it contains.
impl<R: Ring, S> Choose<R, S> for Recorder<R> {
    fn any_of(
        &mut self,
        _shared: &[Self::Wire],
        _branches: &Branches<R, S>,
        _pick: Pick<'_, R, Self::Wire, S>,
    ) -> Result<Vec<Self::Wire>, Error> {
        let reason = "a disjunction cannot be written down as a flat circuit, which public proofs and batches are made from; \
                      prove it over a connection";
        Err(Error::Public(reason.into()))
    }
}
