//! Running a circuit on a backend.
//!
//! A backend's wires are large (16 bytes at a prover), and most are read soon after they are set and never
//! again. The first run computes a [`Schedule`], which gives each wire a slot that is free again after the
//! wire's last use. So a run needs memory only for the wires that are live at one time, and for most circuits
//! these fit in a cache.

use volery_field::Ring;

use super::{Circuit, Gate};
use crate::{Error, Ops, Prove};

/// A gate with slots for operands and result.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The gate. Its operands are slots; its constant is an index, as in [`Gate`].
    pub gate: Gate,
    /// The slot of the result. It may be the slot of an operand that nothing reads later.
    pub result: u32,
}

/// The gates of a circuit over slots, each of which is free again after its wire's last use. This is for
/// backends with an interpreter of their own; others call [`Circuit::run`].
///
/// Slots are first used in increasing order. The inputs' slots are `0..input_wires`.
#[derive(Clone, Debug)]
pub struct Schedule {
    steps: Vec<Step>,
    slots: u32,
    /// Slots of the outputs, then those of the asserted wires.
    kept: Vec<u32>,
}

impl Schedule {
    /// The gates in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The number of slots. All slots of steps and of kept wires are below it.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// After the last step: the slots of the outputs, then those of the asserted wires.
    #[must_use]
    pub fn kept(&self) -> &[u32] {
        &self.kept
    }
}

/// A wire that is never read.
const UNUSED: u32 = u32::MAX;
/// A wire that is read after the last gate.
const KEPT: u32 = u32::MAX - 1;

impl Schedule {
    fn new<R: Ring>(circuit: &Circuit<R>) -> Self {
        let inputs = circuit.input_wires;
        let last = last_uses(circuit);
        let mut slots: Vec<u32> = (0..inputs).collect();
        slots.reserve_exact(circuit.gates().len());
        let mut free: Vec<u32> = (0..inputs).rev().filter(|&wire| last[wire as usize] == UNUSED).collect();
        let mut fresh = inputs;
        let mut steps = Vec::with_capacity(circuit.gates().len());
        for (&gate, own) in circuit.gates().iter().zip(inputs..) {
            let step_gate = map_operands(gate, |wire| slots[wire as usize]);
            release(gate, own, &last, &slots, &mut free);
            let result = free.pop().unwrap_or_else(|| {
                fresh += 1;
                fresh - 1
            });
            if last[own as usize] == UNUSED {
                free.push(result);
            }
            slots.push(result);
            steps.push(Step { gate: step_gate, result });
        }
        let kept = circuit.outputs().iter().chain(circuit.asserted());
        Self { steps, slots: fresh, kept: kept.map(|&wire| slots[wire as usize]).collect() }
    }
}

/// For every wire, the wire number of the last gate that reads it, or [`KEPT`] or [`UNUSED`].
fn last_uses<R: Ring>(circuit: &Circuit<R>) -> Vec<u32> {
    let mut last = vec![UNUSED; circuit.input_wires as usize + circuit.gates().len()];
    for (gate, own) in circuit.gates().iter().zip(circuit.input_wires..) {
        for wire in gate.operands().into_iter().flatten() {
            last[wire as usize] = own;
        }
    }
    for &wire in circuit.outputs().iter().chain(circuit.asserted()) {
        last[wire as usize] = KEPT;
    }
    last
}

/// Frees the slots of operands that gate `own` is the last to read. If it reads a wire twice, the slot is
/// freed once.
fn release(gate: Gate, own: u32, last: &[u32], slots: &[u32], free: &mut Vec<u32>) {
    let [x, y] = gate.operands();
    for wire in [x, y.filter(|_| x != y)].into_iter().flatten() {
        if last[wire as usize] == own {
            free.push(slots[wire as usize]);
        }
    }
}

pub(super) fn map_operands(gate: Gate, map: impl Fn(u32) -> u32) -> Gate {
    match gate {
        Gate::Constant(c) => Gate::Constant(c),
        Gate::Add(x, y) => Gate::Add(map(x), map(y)),
        Gate::Sub(x, y) => Gate::Sub(map(x), map(y)),
        Gate::AddConstant(x, c) => Gate::AddConstant(map(x), c),
        Gate::Scale(x, c) => Gate::Scale(map(x), c),
        Gate::Mul(x, y) => Gate::Mul(map(x), map(y)),
    }
}

/// The results of [`Circuit::compute`].
#[derive(Clone, Debug)]
pub struct Computed<W> {
    /// All output wires.
    pub outputs: Vec<W>,
    /// The wires that the circuit claims to be zero. Nothing has been asserted yet.
    pub asserted: Vec<W>,
}

impl<R: Ring> Circuit<R> {
    /// The gates over reused slots, computed on the first call.
    pub fn schedule(&self) -> &Schedule {
        self.schedule.get_or_init(|| Schedule::new(self))
    }

    /// Computes outputs and asserted wires on any backend; `inputs` are the wires of all inputs in order.
    ///
    /// # Errors
    /// [`Error::Misuse`] if `inputs` is not [`Circuit::input_wires`] long; the backend's.
    pub fn compute<B: Ops<R> + ?Sized>(
        &self,
        backend: &mut B,
        inputs: Vec<B::Wire>,
    ) -> Result<Computed<B::Wire>, B::Error> {
        if inputs.len() != self.input_wires as usize {
            let reason =
                format!("{} wires for the {} input wires of a circuit", inputs.len(), self.input_wires);
            return Err(Error::misuse(reason).into());
        }
        let schedule = self.schedule();
        let mut wires = inputs;
        wires.reserve_exact((schedule.slots as usize).saturating_sub(wires.len()));
        for step in &schedule.steps {
            let wire = self.apply(backend, step.gate, &wires)?;
            match wires.get_mut(step.result as usize) {
                Some(slot) => *slot = wire,
                // Fresh slots come in order, so the next one is at the end.
                None => wires.push(wire),
            }
        }
        let mut kept = schedule.kept.iter().map(|&slot| wires[slot as usize].clone());
        let outputs = kept.by_ref().take(self.outputs().len()).collect();
        Ok(Computed { outputs, asserted: kept.collect() })
    }

    /// Runs the circuit and asserts the wires that it claims to be zero. Returns the outputs.
    ///
    /// # Errors
    /// As [`Circuit::compute`] and [`Prove::assert_zero`].
    pub fn run<B: Prove<R> + ?Sized>(
        &self,
        backend: &mut B,
        inputs: Vec<B::Wire>,
    ) -> Result<Vec<B::Wire>, B::Error> {
        let Computed { outputs, asserted } = self.compute(backend, inputs)?;
        if !asserted.is_empty() {
            backend.assert_zero(&asserted)?;
        }
        Ok(outputs)
    }

    #[inline]
    fn apply<B: Ops<R> + ?Sized>(
        &self,
        backend: &mut B,
        gate: Gate,
        wires: &[B::Wire],
    ) -> Result<B::Wire, B::Error> {
        let wire = |index: u32| &wires[index as usize];
        let constant = |index: u32| self.parts.constants[index as usize];
        Ok(match gate {
            Gate::Constant(c) => backend.constant(constant(c)),
            Gate::Add(x, y) => backend.add(wire(x), wire(y)),
            Gate::Sub(x, y) => backend.sub(wire(x), wire(y)),
            Gate::AddConstant(x, c) => backend.add_constant(wire(x), constant(c)),
            Gate::Scale(x, c) => backend.scale(wire(x), constant(c)),
            Gate::Mul(x, y) => backend.mul(wire(x), wire(y))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_field::F2;

    use super::super::{Input, Output, Parts, Signature};
    use super::*;
    use crate::testing::{RandomCircuit, Size};
    use crate::{Counter, Evaluator};

    /// The plain way: one value for every wire, nothing reused.
    fn reference(circuit: &Circuit<F2>, inputs: &[F2]) -> (Vec<F2>, Vec<F2>) {
        let mut wires = inputs.to_vec();
        for &gate in circuit.gates() {
            let c = |i: u32| circuit.constants()[i as usize];
            let w = |i: u32| wires[i as usize];
            wires.push(match gate {
                Gate::Constant(i) => c(i),
                Gate::Add(x, y) | Gate::Sub(x, y) => w(x) + w(y),
                Gate::AddConstant(x, i) => w(x) + c(i),
                Gate::Scale(x, i) => w(x) * c(i),
                Gate::Mul(x, y) => w(x) * w(y),
            });
        }
        let pick = |list: &[u32]| list.iter().map(|&i| wires[i as usize]).collect();
        (pick(circuit.outputs()), pick(circuit.asserted()))
    }

    proptest! {
        #[test]
        fn reusing_slots_changes_no_value(seed: u64, ands in 0..80_u32, xors in 0..80_u32, inputs in 1..20_u32) {
            let size = Size { inputs, ands, xors, invs: 10, outputs: 6, asserted: 4 };
            let RandomCircuit { circuit, witness } = RandomCircuit::new(seed, size);
            let computed = circuit.compute(&mut Evaluator::<F2>::new(), witness.clone()).expect("computes");
            prop_assert_eq!((computed.outputs, computed.asserted), reference(&circuit, &witness));
        }
    }

    #[test]
    fn a_long_chain_lives_in_two_slots() {
        let mut gates = vec![Gate::Mul(0, 1)];
        gates.extend((2..1000).map(|wire| Gate::Mul(wire, wire)));
        let signature = Signature {
            inputs: vec![Input { name: "x".into(), width: 2, public: false }],
            outputs: vec![Output { name: "y".into(), width: 1 }],
        };
        let parts = Parts { signature, constants: vec![], gates, outputs: vec![1000], asserted: vec![] };
        let circuit = Circuit::<F2>::new(parts).expect("sound");
        let schedule = Schedule::new(&circuit);
        assert!(schedule.steps.iter().all(|step| step.result < 2));
        let mut counter = Counter::new();
        let outputs = circuit.run(&mut counter, vec![0, 0]).expect("runs");
        assert_eq!((outputs, counter.depth()), (vec![999], 999));
    }

    #[test]
    fn the_wrong_number_of_inputs_is_misuse() {
        let circuit = RandomCircuit::new(1, Size::small()).circuit;
        let result = circuit.compute(&mut Evaluator::<F2>::new(), vec![]);
        assert!(matches!(result, Err(Error::Misuse(_))));
    }
}
