//! Batchman: the same disjunction, repeated many times (figure 6).
//!
//! ```text
//! P                                                            V
//! for every repetition: inputs, outputs, [l], [r], [o] = [l][r]  --->
//!                                                     <-------------  seed of s and t
//! for every repetition: [cv] = the topology vector of its branch --->
//!     relation:  cv . (shared, inputs, outputs, o, 1) = sum (s_k l_k + s'_k r_k)
//!                                                     <-------------  seed of u
//! for every repetition, relation of degree B:  prod_i (u . cv - u . cv_i) = 0
//! ```
//!
//! The paper commits to all of `s^T M`. Its entries for `l_k` and `r_k` are the same for every branch, so
//! they stay public here. That leaves one entry for each input, output and product. The input wires of a
//! repetition can be any wires: outputs of an earlier one, or public constants. So carrying states and giving
//! public inputs costs nothing.
//!
//! **MACs in an extension** of degree `r`: `s` and `t` have `r` coordinates each, drawn separately. Since
//! branches have constants of `F`, so does `cv`: there are `r` topology vectors over `F`, one for each
//! coordinate, which are committed to and related as above. `u` and the check values are in the extension.
//!
//! Bits would need 128 coordinates, and so 128 elements for each entry. Over bits, Robin is used in place of
//! batches.
//!
//! The claim `prod_i (u . cv - u . cv_i) = 0` costs P about `B^2` products for each repetition. For many
//! branches, a lookup by sums of inverses (one committed inverse for each repetition, and committed
//! multiplicities) would cost less.
//!
//! Repetitions are processed in groups, each with its own seeds. A group is committed to, checked and
//! forgotten, so memory does not grow with their number. A group costs both parties one pass over every
//! branch.
//!
//! **What depends on P's choice.** Nothing that P sends depends on it, and neither does the amount of its
//! work. Branches without secrets of their own are evaluated as lists of gates, in which all kinds take the
//! same steps and which are padded to the longest ([`replay`]). If there are secrets, P evaluates every
//! branch at every repetition, as for single disjunctions. Topology vectors are computed for all branches and
//! copied, with equal lengths. But *addresses* depend on the choice: which list is read, and which vector.
//! Touching all of them at each repetition would cost `B` evaluations each, which batches are meant to save.

#[cfg(test)]
mod cheats;
mod circuits;
mod replay;

use volery_circuit::{
    Branch, Branches, Error as StatementError, Peek, Picked, Recorder, Shape, Steps, Witness,
};
use volery_field::{LengthError, Mac, Ring as _, Value};
use volery_vole::Prg;
use zeroize::Zeroizing;

use super::Tracer;
use super::base::{Base, Linear};
use super::robin::Committed;
use super::rows::Expanded;
use super::tracer::Trace;
use crate::Error;
use crate::quicksilver::Seed;
use crate::shares::ElementShare;
use circuits::Circuits;

/// The number of wires of a group. Over F_{2^61-1} each takes 16 bytes at P.
const GROUP: usize = 1 << 20;

/// A group has at least one repetition for this many branches, so that the branches' vectors cost little
/// compared with its commitments.
const LEAST: usize = 8;

/// The number of repetitions of a group, with this many wires each.
pub(super) fn group(branches: usize, wires: usize) -> usize {
    (GROUP / wires.max(1)).max(branches / LEAST).max(1)
}

/// The number of entries of a topology vector's coordinate.
pub(super) const fn entries(shared: usize, shape: Shape) -> usize {
    let values = shared.saturating_add(shape.inputs).saturating_add(shape.outputs);
    values.saturating_add(shape.multiplications).saturating_add(1)
}

/// The number of wires that a repetition keeps: those that a vector weighs, its `r` coordinates, and both
/// factors.
pub(super) const fn wires(shared: usize, shape: Shape, r: usize) -> usize {
    entries(shared, shape).saturating_mul(r + 1).saturating_add(shape.multiplications.saturating_mul(2))
}

/// Proves that at each of `steps` repetitions one of `branches` holds; see
/// [`volery_circuit::Repeat::repeat`].
pub(super) fn repeat<F, B, S>(
    base: &mut B,
    branches: &Branches<F, S>,
    steps: usize,
    each: &mut dyn Steps<F, S, B>,
) -> Result<(), Error>
where
    F: Value,
    B: Linear<F>,
    S: Branch<F, Tracer<F>> + Branch<F, Recorder<F>>,
{
    let circuits = Circuits::record(branches)?;
    let wires = wires(branches.shared(), branches.shape(), B::Mac::DEGREE);
    let per_group = group(branches.list().len(), wires);
    for first in (0..steps).step_by(per_group) {
        let group = first..steps.min(first + per_group);
        let mut repetitions = Vec::with_capacity(group.len());
        for step in group {
            let shared = each.before(base, step)?;
            branches.check_shared(shared.len())?;
            let mut picked = None;
            let mut trace = |values: &dyn Peek<F, B::Wire>| {
                let pick = each.pick(step, values)?;
                picked = Some(pick.index);
                evaluate::<F, B, S>(&circuits, branches, &pick, &shared, values)
            };
            let committed = Committed::new(base, branches.shape(), &mut trace, None)?;
            each.after(base, step, committed.outputs.to_vec())?;
            repetitions.push(Repetition { picked, shared: Zeroizing::new(shared), committed });
        }
        check(base, &circuits, &repetitions)?;
    }
    Ok(())
}

/// P's values for a repetition.
fn evaluate<F: Value, B: Linear<F>, S: Branch<F, Tracer<F>>>(
    circuits: &Circuits<F>,
    branches: &Branches<F, S>,
    pick: &Picked<S>,
    shared: &[B::Wire],
    values: &dyn Peek<F, B::Wire>,
) -> Result<Trace<F>, StatementError> {
    branches.picked(pick)?;
    let shared = Witness::new(shared.iter().map(|wire| values.value(wire)).collect());
    match circuits.replay(pick.index, shared.values()) {
        Some(trace) => Ok(trace),
        // There are hints to run, or the branch does not hold and this reports where.
        None => Trace::of(branches, pick, shared.values(), B::kept),
    }
}

/// The commitments of a repetition.
struct Repetition<F: Value, B: Base<F>> {
    /// At P, the branch that holds.
    picked: Option<usize>,
    shared: Zeroizing<Vec<B::Wire>>,
    committed: Committed<F, B>,
}

impl<F: Value, B: Linear<F>> Repetition<F, B> {
    /// The wires that a topology vector weighs, in its order.
    fn weighed(&self, one: B::Wire) -> Zeroizing<Vec<B::Wire>> {
        let Committed { inputs, outputs, products, .. } = &self.committed;
        let parts = [&self.shared, inputs, outputs, products];
        let n = parts.iter().map(|part| part.len()).sum::<usize>();
        let mut wires = Zeroizing::new(Vec::with_capacity(n + 1));
        parts.iter().for_each(|part| wires.extend_from_slice(part));
        wires.push(one);
        wires
    }

    /// The weighted sum of the factors, whose weights stay public.
    fn factors(&self, rows: &Expanded<F>, base: &mut B) -> Result<B::Wire, Error> {
        let factors = &self.committed.factors;
        let (left, right) =
            (B::combine_public(&factors.left, &rows.left)?, B::combine_public(&factors.right, &rows.right)?);
        Ok(base.add(&left, &right))
    }
}

/// The next challenge. Proofs over fields have seeds of 16 bytes, which come when they are asked for.
fn drawn<F: Value, B: Linear<F>>(base: &mut B) -> Result<[u8; 16], Error> {
    let seed = base.challenge()?.and_then(Seed::short);
    Ok(seed.ok_or_else(|| StatementError::misuse("batches are for sessions"))?)
}

/// Proves that every repetition of a group holds.
fn check<F: Value, B: Linear<F>>(
    base: &mut B,
    circuits: &Circuits<F>,
    repetitions: &[Repetition<F, B>],
) -> Result<(), Error> {
    let vectors = circuits.vectors(drawn(base)?, B::Mac::DEGREE)?;
    let picked: Option<Vec<usize>> = repetitions.iter().map(|repetition| repetition.picked).collect();
    let copies = picked.map(|picked| vectors.copies(&picked)).transpose()?;
    let (entries, one) = (vectors.entries(), base.constant(F::ONE));
    let mut committed = Vec::with_capacity(repetitions.len());
    for (at, repetition) in repetitions.iter().enumerate() {
        let weighed = repetition.weighed(one.clone());
        let mut vector = Zeroizing::new(Vec::with_capacity(B::Mac::DEGREE * entries));
        for (h, rows) in vectors.rows().iter().enumerate() {
            let coordinate = base.secret(entries, &mut |_| {
                let copy = copies.as_ref().and_then(|copies| copies.get(at));
                let copy = copy.and_then(|copy| copy.get(h * entries..(h + 1) * entries));
                copy.map(<[F]>::to_vec).ok_or_else(|| StatementError::misuse("a hint ran before the first"))
            })?;
            let factors = repetition.factors(rows, base)?;
            base.assert_dot(&coordinate, &weighed, &factors)?;
            vector.extend(coordinate.iter().map(B::share));
        }
        committed.push(vector);
    }
    base.count_disjunction(false, circuits.len(), 0);
    let mut u = vec![B::Mac::ZERO; entries];
    Prg::new(drawn(base)?).coefficients(&mut u);
    let set = vectors.check_values(&u)?;
    for vector in &committed {
        let mut check_value = Zeroizing::new(ElementShare::default());
        for (h, coordinate) in vector.chunks_exact(entries).enumerate() {
            *check_value += B::combine(coordinate, &u)?.times(B::Mac::basis(h));
        }
        base.assert_member(*check_value, &set)?;
    }
    Ok(())
}

fn misuse(error: LengthError) -> StatementError {
    StatementError::misuse(error.to_string())
}
