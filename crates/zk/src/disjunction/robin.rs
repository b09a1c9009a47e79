//! The protocol for a single disjunction (figure 5), on any backend beneath.

use volery_circuit::choose::Pick;
use volery_circuit::{Branch, Branches, Error as StatementError, Shape, Witness};
use volery_field::Ring;
use zeroize::Zeroizing;

use super::base::{Base, Token as _, Weighed};
use super::rows::{CHUNK, Rows};
use super::tracer::Trace;
use super::{Tracer, Weigher};
use crate::Error;

/// Proves that one of `branches` holds on `shared`; see [`volery_circuit::Choose::any_of`].
pub(super) fn any_of<R, B, S>(
    base: &mut B,
    shared: &[B::Wire],
    branches: &Branches<R, S>,
    pick: Pick<'_, R, B::Wire, S>,
) -> Result<Vec<B::Wire>, Error>
where
    R: Ring,
    B: Base<R>,
    S: Branch<R, Tracer<R>> + for<'x> Branch<R, Weigher<'x, R, B>>,
{
    let committed = Committed::new(base, shared, branches, pick)?;
    let rows = Rows::new(base.challenge()?);
    let factors = committed.factors(&rows)?.times(-B::Mac::ONE);
    let mut tokens = Zeroizing::new(Vec::with_capacity(branches.list().len()));
    let mut total = Weighed::default();
    for branch in branches.list() {
        let (token, weighed) = Weigher::weigh(branch, base, shared, &committed, &rows)?;
        tokens.push(token.plus(factors));
        total.add(weighed);
    }
    base.vanish(&tokens, total)?;
    Ok(committed.outputs.to_vec())
}

/// Wires that were committed to for one disjunction, filled up to its shape.
pub(super) struct Committed<R: Ring, B: Base<R>> {
    pub(super) inputs: Zeroizing<Vec<B::Wire>>,
    pub(super) products: Zeroizing<Vec<B::Wire>>,
    pub(super) outputs: Zeroizing<Vec<B::Wire>>,
    left: Zeroizing<Vec<B::Half>>,
    right: Zeroizing<Vec<B::Half>>,
}

impl<R: Ring, B: Base<R>> Committed<R, B> {
    /// Commits to the branch that holds. P evaluates it when the first hint runs, before anything is sent.
    pub(super) fn new<S: Branch<R, Tracer<R>>>(
        base: &mut B,
        shared: &[B::Wire],
        branches: &Branches<R, S>,
        pick: Pick<'_, R, B::Wire, S>,
    ) -> Result<Self, Error> {
        branches.check_shared(shared.len())?;
        let Shape { inputs, multiplications, outputs } = branches.shape();
        let mut trace: Option<Trace<R>> = None;
        let inputs = base.secret(inputs, &mut |values| {
            let picked = pick(values)?;
            let shared = Witness::new(shared.iter().map(|wire| values.value(wire)).collect());
            let traced = Tracer::trace(branches.picked(&picked)?, shared.values(), branches.shape())?;
            Ok(trace.insert(traced).inputs.values().to_vec())
        })?;
        let traced = || trace.as_ref().ok_or_else(|| StatementError::misuse("a hint ran before the first"));
        let outputs = base.secret(outputs, &mut |_| Ok(traced()?.outputs.values().to_vec()))?;
        let mut committed = Self {
            inputs: Zeroizing::new(inputs),
            products: Zeroizing::new(Vec::with_capacity(multiplications)),
            outputs: Zeroizing::new(outputs),
            left: Zeroizing::new(Vec::with_capacity(multiplications)),
            right: Zeroizing::new(Vec::with_capacity(multiplications)),
        };
        for first in (0..multiplications).step_by(CHUNK) {
            let range = first..multiplications.min(first + CHUNK);
            let n = range.len();
            let left = base.secret(n, &mut |_| Ok(traced()?.left.values()[range.clone()].to_vec()))?;
            let right = base.secret(n, &mut |_| Ok(traced()?.right.values()[range.clone()].to_vec()))?;
            committed.products.extend(base.mul_many(&left, &right)?);
            committed.left.extend(left.iter().map(B::half));
            committed.right.extend(right.iter().map(B::half));
        }
        Ok(committed)
    }

    /// What the committed factors weigh: the same for every branch.
    pub(super) fn factors(&self, rows: &Rows<B::Mac>) -> Result<B::Token, Error> {
        let mut stream = rows.products();
        let mut coefficients = [B::Mac::ZERO; CHUNK];
        let mut sums = [B::Token::default(); 2];
        for (left, right) in self.left.chunks(CHUNK).zip(self.right.chunks(CHUNK)) {
            let coefficients = &mut coefficients[..left.len()];
            stream.coefficients(coefficients);
            let [at_left, at_right] = B::combine_pair(left, right, coefficients)?;
            sums = [sums[0].plus(at_left), sums[1].plus(at_right)];
        }
        Ok(sums[0].plus(sums[1].times(rows.beta())))
    }

    /// As [`Committed::factors`], with the coefficients of left and right rows in memory.
    pub(super) fn all_factors(&self, left: &[B::Mac], right: &[B::Mac]) -> Result<B::Token, Error> {
        Ok(B::combine(&self.left, left)?.plus(B::combine(&self.right, right)?))
    }
}
