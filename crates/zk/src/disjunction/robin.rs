//! The protocol for a single disjunction (figure 5), on any backend.
//!
//! *The product of check values* is one polynomial of degree `B` in delta (figure 5 of QuickSilver), where
//! the paper has `B - 1` committed products and a second check. It takes no further round, `B` elements and
//! `r (2B - 3)` correlations. There are at most [`MAX_BRANCHES`](volery_circuit::choose::MAX_BRANCHES) check
//! values. With one branch the polynomial is the check value's tag, as for any assertion.
//!
//! *Padding*: after the values of the branch that holds, P commits to zeros, up to the [`Shape`]; `0 * 0 = 0`
//! is a valid multiplication. Rows beyond a branch's end weigh `-s_k l_k`, so they must be zero too. So all
//! branches share one sum over the committed factors, whatever their lengths.

use volery_circuit::choose::Pick;
use volery_circuit::{Branch, Branches, Error as StatementError, Peek, Shape, Witness};
use volery_field::Ring;
use zeroize::Zeroizing;

use super::base::{Base, OperationCounts};
use super::rows::{Across, CHUNK, FOLD, Products, Rows};
use super::soundness::challenges;
use super::tracer::Trace;
use super::{LinearCombiner, Tracer};
use crate::Error;
use crate::quicksilver::Seed;
use crate::shares::ElementShare;

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
    S: Branch<R, Tracer<R>> + for<'x> Branch<R, LinearCombiner<'x, R, B>>,
{
    branches.check_shared(shared.len())?;
    let mut trace = |values: &dyn Peek<R, B::Wire>| {
        let picked = pick(values)?;
        let shared = Witness::new(shared.iter().map(|wire| values.value(wire)).collect());
        Trace::of(branches, &picked, shared.values(), B::kept)
    };
    let mut folded = Folded::<R, B> { sum: Zeroizing::default(), rows: Vec::new() };
    let mut fold = |base: &mut B, factors: &mut Factors<R, B>| match factors.len() {
        FOLD => folded.fold(base.challenge()?, factors),
        _ => Ok(()),
    };
    let mut committed = Committed::new(base, branches.shape(), &mut trace, Some(&mut fold))?;
    let seed = base.challenge()?;
    folded.fold(seed, &mut committed.factors)?;
    let rows = seed.map(|seed| Rows::new(folded.rows, seed, B::RUN));
    let factors = Zeroizing::new(folded.sum.times(-B::Mac::ONE));
    let mut check_values = Zeroizing::new(Vec::with_capacity(branches.list().len()));
    let mut total = OperationCounts::default();
    for branch in branches.list() {
        let (check_value, counts) = LinearCombiner::combine(branch, base, shared, &committed, rows.as_ref())?;
        check_values.push(check_value + *factors);
        total.add(counts);
    }
    // That the outputs equal the committed ones is not counted as a claim of the branch.
    let tied = (branches.list().len() as u64).saturating_mul(committed.outputs.len() as u64);
    let challenges = challenges(branches.shape().multiplications as u64);
    base.count_disjunction(total.assertions > tied, branches.list().len(), challenges);
    base.vanish(&check_values, total)?;
    Ok(committed.outputs.to_vec())
}

/// The weighted sum of the committed factors. It is the same for every branch, so the factors need not be
/// kept after their challenge.
struct Folded<R: Ring, B: Base<R>> {
    sum: Zeroizing<ElementShare<B::Mac>>,
    rows: Vec<Products<B::Mac>>,
}

impl<R: Ring, B: Base<R>> Folded<R, B> {
    /// Adds the weighted sum of `factors` under a challenge that came after them, if there is one yet, and
    /// forgets them.
    fn fold(&mut self, seed: Option<Seed>, factors: &mut Factors<R, B>) -> Result<(), Error> {
        if let Some(seed) = seed {
            let rows = Products::new(seed, B::RUN);
            let mut across = rows.grid.across();
            for (left, right) in factors.left.chunks(CHUNK).zip(factors.right.chunks(CHUNK)) {
                let within = &rows.grid.within()[..left.len().div_ceil(B::RUN)];
                let sums = [B::combine(left, within)?, B::combine(right, within)?];
                *self.sum += rows.chunk(sums, &mut across);
            }
            self.rows.push(rows);
        }
        factors.left.clear();
        factors.right.clear();
        Ok(())
    }
}

impl<M> Products<M> {
    /// The weighted sum of a chunk of rows, from the sums of its left and right rows under the factors within
    /// it.
    #[inline]
    pub(super) fn chunk(&self, [left, right]: [ElementShare<M>; 2], across: &mut Across) -> ElementShare<M>
    where
        M: volery_field::Element,
    {
        (left + right.times(self.beta)).times(across.next())
    }
}

/// Both committed factors of multiplications.
pub(super) struct Factors<R: Ring, B: Base<R>> {
    pub(super) left: Zeroizing<Vec<B::Share>>,
    pub(super) right: Zeroizing<Vec<B::Share>>,
}

impl<R: Ring, B: Base<R>> Factors<R, B> {
    fn len(&self) -> usize {
        self.left.len()
    }
}

/// The wires that were committed to for one disjunction, padded to its shape.
pub(super) struct Committed<R: Ring, B: Base<R>> {
    pub(super) inputs: Zeroizing<Vec<B::Wire>>,
    pub(super) products: Zeroizing<Vec<B::Wire>>,
    pub(super) outputs: Zeroizing<Vec<B::Wire>>,
    pub(super) factors: Factors<R, B>,
}

/// Computes P's values when the first hint runs.
pub(super) type Tracing<'a, R, W> = &'a mut dyn FnMut(&dyn Peek<R, W>) -> Result<Trace<R>, StatementError>;

/// Called with the factors at the end of a chunk, before more are committed to. It takes them once there are
/// [`FOLD`].
pub(super) type Fold<'a, R, B> = &'a mut dyn FnMut(&mut B, &mut Factors<R, B>) -> Result<(), Error>;

impl<R: Ring, B: Base<R>> Committed<R, B> {
    /// Commits to the branch that holds. P evaluates when the first hint runs, before anything is sent.
    pub(super) fn new(
        base: &mut B,
        shape: Shape,
        tracing: Tracing<'_, R, B::Wire>,
        mut fold: Option<Fold<'_, R, B>>,
    ) -> Result<Self, Error> {
        let mut trace: Option<Trace<R>> = None;
        let inputs = base.secret(shape.inputs, &mut |values| {
            Ok(trace.insert(tracing(values)?).inputs.values(0..shape.inputs))
        })?;
        let traced = || trace.as_ref().ok_or_else(|| StatementError::misuse("a hint ran before the first"));
        let outputs = base.secret(shape.outputs, &mut |_| Ok(traced()?.outputs.values(0..shape.outputs)))?;
        let n = shape.multiplications;
        let most = if fold.is_some() { n.min(FOLD) } else { n };
        let room = || Zeroizing::new(Vec::with_capacity(most));
        let mut products = Zeroizing::new(Vec::with_capacity(n));
        let mut factors = Factors { left: room(), right: room() };
        for first in (0..n).step_by(CHUNK) {
            if let Some(fold) = &mut fold {
                fold(base, &mut factors)?;
            }
            let range = first..n.min(first + CHUNK);
            let left = base.secret(range.len(), &mut |_| Ok(traced()?.left.values(range.clone())))?;
            let right = base.secret(range.len(), &mut |_| Ok(traced()?.right.values(range.clone())))?;
            products.extend(base.mul_many(&left, &right)?);
            factors.left.extend(left.iter().map(B::share));
            factors.right.extend(right.iter().map(B::share));
        }
        Ok(Self { inputs: Zeroizing::new(inputs), products, outputs: Zeroizing::new(outputs), factors })
    }
}
