//! Branches as flat circuits, and their topology vectors.

use volery_circuit::{Branch, Branches, Circuit, Error, Ops as _, Prove as _, Recorder, Shape};
use volery_field::{Mac, Value};
use zeroize::Zeroizing;

use super::replay::Replay;
use super::{entries, misuse};
use crate::disjunction::rows::Expanded;
use crate::disjunction::topology::Topology;
use crate::disjunction::tracer::Trace;

/// The most elements of topology vectors that are kept. If there would be more, they are computed when they
/// are needed.
const KEPT: usize = 1 << 23;

/// Every branch as a flat circuit. Its inputs are the branch's inputs, its own secrets, and its outputs.
pub(super) struct Circuits<F: Value> {
    circuits: Vec<Circuit<F>>,
    shared: usize,
    shape: Shape,
    /// The most assertions of a branch.
    assertions: usize,
    /// P's way of evaluating them; `None` if there are hints.
    replay: Option<Replay<F>>,
}

impl<F: Value> Circuits<F> {
    pub(super) fn record<S: Branch<F, Recorder<F>>>(branches: &Branches<F, S>) -> Result<Self, Error> {
        let (shared, shape) = (branches.shared(), branches.shape());
        let circuits = branches.list().iter().map(|branch| record(branch, shared, shape));
        let circuits = circuits.collect::<Result<Vec<_>, _>>()?;
        let assertions = circuits.iter().map(|circuit| circuit.asserted().len()).max().unwrap_or(0);
        let replay = if shape.inputs == 0 { Replay::new(&circuits, shared, shape)? } else { None };
        Ok(Self { circuits, shared, shape, assertions, replay })
    }

    /// Number of branches.
    pub(super) fn len(&self) -> usize {
        self.circuits.len()
    }

    /// P's values in branch number `index`, if it has no secrets of its own and holds.
    pub(super) fn replay(&self, index: usize, shared: &[F]) -> Option<Trace<F>> {
        self.replay.as_ref()?.run(index, shared)
    }

    /// The topology vectors of all branches under a challenge in an extension of degree `r`.
    pub(super) fn vectors(&self, seed: [u8; 16], r: usize) -> Result<Vectors<'_, F>, Error> {
        let rows = Expanded::coordinates(seed, r, self.shape.multiplications, self.assertions);
        let mut vectors = Vectors { circuits: self, rows, kept: Vec::new() };
        let branches = self.circuits.len();
        if branches.saturating_mul(r).saturating_mul(vectors.entries()) <= KEPT {
            vectors.kept = (0..branches).map(|i| vectors.compute(i)).collect::<Result<_, _>>()?;
        }
        Ok(vectors)
    }
}

/// Records a branch with its inputs and outputs as inputs of the circuit. The last claims are that the
/// outputs are what the branch computes.
fn record<F: Value, S: Branch<F, Recorder<F>>>(
    branch: &S,
    shared: usize,
    shape: Shape,
) -> Result<Circuit<F>, Error> {
    let index = |n: usize| u32::try_from(n).map_err(|_| Error::misuse("a branch of 2^32 wires"));
    let mut recorder = Recorder::new();
    let shared_wires = recorder.input("shared", index(shared)?, false)?;
    let computed = branch.run(&mut recorder, &shared_wires)?;
    let outputs = recorder.input("outputs", index(shape.outputs)?, false)?;
    if computed.len() != outputs.len() {
        return Err(Error::misuse("a branch has another number of outputs than its disjunction"));
    }
    for (computed, output) in computed.iter().zip(&outputs) {
        let difference = recorder.sub(computed, output);
        recorder.assert_zero(&[difference])?;
    }
    let circuit = recorder.finish(&[])?;
    let inputs = shared + shape.inputs + shape.outputs;
    if circuit.input_wires() as usize > inputs || circuit.multiplications() > shape.multiplications as u64 {
        return Err(Error::misuse("a branch is larger than the shape of its disjunction"));
    }
    Ok(circuit)
}

/// The topology vectors of all branches, coordinate after coordinate. They are kept unless they are large.
pub(super) struct Vectors<'x, F: Value> {
    circuits: &'x Circuits<F>,
    /// The coordinates of the rows' coefficients.
    rows: Vec<Expanded<F>>,
    kept: Vec<Vec<F>>,
}

impl<F: Value> Vectors<'_, F> {
    pub(super) fn rows(&self) -> &[Expanded<F>] {
        &self.rows
    }

    /// The number of entries of a coordinate.
    pub(super) fn entries(&self) -> usize {
        entries(self.circuits.shared, self.circuits.shape)
    }

    /// The vector of branch `i`, padded to the shape.
    fn compute(&self, i: usize) -> Result<Vec<F>, Error> {
        let Circuits { circuits, shared, shape, .. } = self.circuits;
        let circuit = circuits.get(i).ok_or_else(|| Error::misuse("no such branch"))?;
        let mut vector = Vec::with_capacity(self.rows.len() * self.entries());
        for rows in &self.rows {
            let start = vector.len();
            let Topology { inputs, products, constant } = Topology::of(circuit, rows, |weight, c| weight * c);
            let own = inputs.len().saturating_sub(shape.outputs);
            let (before, outputs) = inputs.split_at(own);
            vector.extend_from_slice(before);
            vector.resize(start + shared + shape.inputs, F::ZERO);
            vector.extend_from_slice(outputs);
            vector.extend_from_slice(&products);
            vector.resize(start + self.entries() - 1, F::ZERO);
            vector.push(constant);
        }
        Ok(vector)
    }

    fn with<T>(&self, i: usize, take: impl FnOnce(&[F]) -> T) -> Result<T, Error> {
        match self.kept.get(i) {
            Some(vector) => Ok(take(vector)),
            None => Ok(take(&self.compute(i)?)),
        }
    }

    /// P: for each repetition, the vector of the branch that it picked. Every branch's vector is computed
    /// once, whatever was picked.
    pub(super) fn copies(&self, picked: &[usize]) -> Result<Vec<Zeroizing<Vec<F>>>, Error> {
        let mut copies = Vec::new();
        copies.resize_with(picked.len(), || Zeroizing::new(Vec::new()));
        for i in 0..self.circuits.circuits.len() {
            self.with(i, |vector| {
                let picked = picked.iter().zip(&mut copies).filter(|(picked, _)| **picked == i);
                picked.for_each(|(_, copy)| **copy = vector.to_vec());
            })?;
        }
        Ok(copies)
    }

    /// `u . cv_i` for every branch.
    pub(super) fn check_values<M: Mac<F>>(&self, u: &[M]) -> Result<Vec<M>, Error> {
        let check_value = |vector: &[F]| {
            let mut coordinates = vector.chunks_exact(u.len()).enumerate();
            coordinates.try_fold(M::ZERO, |sum, (h, coordinate)| {
                Ok(sum + M::combine_public(coordinate, u).map_err(misuse)? * M::basis(h))
            })
        };
        (0..self.circuits.circuits.len()).map(|i| self.with(i, check_value)?).collect()
    }
}
