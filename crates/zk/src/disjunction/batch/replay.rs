//! P's evaluation of a branch, in a time that does not depend on the branch.
//!
//! A branch is a list of gates of one form, whatever they do. Each computes the sum, the difference and the
//! product of two operands, and masks pick one. Both operands of a multiplication are recorded; those of
//! other gates are recorded as zeros, which the next ones overwrite. Constants are operands like wires. Every
//! list runs as long as the longest one, with added gates that add zero to zero. So all branches take the
//! same steps, on different addresses. This works only for branches without secrets of their own: hints need
//! the program.

use volery_circuit::{Circuit, Error, Gate, Shape, Witness};
use volery_field::Value;

use crate::disjunction::kept::{Elements, Kept};
use crate::disjunction::tracer::Trace;

/// The places of both operands, with the operation of gate in the upper two bits of each.
#[derive(Clone, Copy, Default)]
struct Step([u32; 2]);

/// The number of bits of a place.
const PLACE: u32 = 30;

#[derive(Clone, Copy)]
enum Operation {
    Add = 0b00,
    Sub = 0b01,
    /// By a constant.
    Scale = 0b10,
    Mul = 0b11,
}

impl Step {
    fn new(operation: Operation, operands: [u32; 2]) -> Self {
        let [x, y] = operands;
        Self([x | (operation as u32) << PLACE, y])
    }

    fn places(self) -> [usize; 2] {
        self.0.map(|place| (place & ((1 << PLACE) - 1)) as usize)
    }

    /// Masks for the result of the gate, all ones or zero: `x + y`, `x - y`, `x y`, and whether its operands
    /// are recorded. They are made from the operation's bits, without a comparison that could become a
    /// branch.
    #[inline(always)]
    fn masks(self) -> [u64; 4] {
        let operation = u64::from(self.0[0] >> PLACE);
        let (low, high) = ((operation & 1).wrapping_neg(), (operation >> 1).wrapping_neg());
        [!low & !high, low & !high, high, low & high]
    }
}

/// A branch.
struct Branch<F> {
    steps: Vec<Step>,
    constants: Vec<F>,
    /// The places of the asserted wires, then of the outputs.
    asserted: Vec<u32>,
    outputs: Vec<u32>,
}

/// All branches.
///
/// The places are, in order: zero, the inputs, the outputs (as zeros: what is claimed to equal them is read
/// instead), constants, gates.
pub(super) struct Replay<F> {
    branches: Vec<Branch<F>>,
    shape: Shape,
    /// The most of each in any branch.
    steps: usize,
    constants: usize,
    asserted: usize,
    /// The place of the first constant.
    first: usize,
}

impl<F: Value> Replay<F> {
    /// Prepares these circuits, whose inputs are the branch's inputs and outputs. `None` if one is too large.
    pub(super) fn new(circuits: &[Circuit<F>], shared: usize, shape: Shape) -> Result<Option<Self>, Error> {
        let most = |of: fn(&Circuit<F>) -> usize| circuits.iter().map(of).max().unwrap_or(0);
        let steps = most(|circuit| circuit.gates().len());
        let constants = most(|circuit| circuit.constants().len());
        let first = 1 + shared + shape.outputs;
        if first.saturating_add(constants).saturating_add(steps) >= 1 << PLACE {
            return Ok(None);
        }
        let branch = |circuit| Branch::new(circuit, first, constants, shape.outputs);
        let branches = circuits.iter().map(branch).collect::<Result<Vec<_>, _>>()?;
        let asserted = branches.iter().map(|branch| branch.asserted.len()).max().unwrap_or(0);
        Ok(Some(Self { branches, shape, steps, constants, asserted, first }))
    }

    /// The values in branch number `index`, or `None` if it does not hold.
    pub(super) fn run(&self, index: usize, shared: &[F]) -> Option<Trace<F>> {
        let branch = self.branches.get(index)?;
        let gates = self.first + self.constants;
        let mut values = vec![F::ZERO; gates + self.steps];
        values.get_mut(1..=shared.len())?.copy_from_slice(shared);
        // Every branch makes the same number of writes.
        let constants =
            branch.constants.iter().copied().chain(core::iter::repeat(F::ZERO)).take(self.constants);
        values.get_mut(self.first..)?.iter_mut().zip(constants).for_each(|(to, constant)| *to = constant);
        // One more place, for values that are overwritten.
        let factors = || vec![F::ZERO; self.shape.multiplications + 1];
        let (mut left, mut right, mut next) = (factors(), factors(), 0);
        let idle = core::iter::repeat(&Step([0, 0]));
        for (gate, step) in (gates..).zip(branch.steps.iter().chain(idle).take(self.steps)) {
            #[cfg(test)]
            tests::STEPS.with(|steps| steps.set(steps.get() + 1));
            let [x, y] = step.places().map(|place| values[place]);
            let [add, sub, product, written] = step.masks();
            values[gate] = (x.masked(add | sub) + (y.masked(add) - y.masked(sub))) + (x * y).masked(product);
            left[next] = x.masked(written);
            right[next] = y.masked(written);
            next += (written & 1) as usize;
        }
        let asserted = branch.asserted.iter().chain(core::iter::repeat(&0)).take(self.asserted);
        let holds = asserted.fold(true, |holds, place| holds & values[*place as usize].is_zero());
        let outputs = branch.outputs.iter().map(|place| values[*place as usize]).collect();
        drop(Witness::new(values));
        let [left, right] = [left, right].map(|mut values| {
            values.truncate(self.shape.multiplications);
            kept(values)
        });
        let trace = Trace { inputs: kept(Vec::new()), left, right, outputs: kept(outputs) };
        holds.then_some(trace)
    }
}

fn kept<F: Value>(values: Vec<F>) -> Box<dyn Kept<F>> {
    Box::new(Elements::of(values))
}

impl<F: Value> Branch<F> {
    fn new(circuit: &Circuit<F>, first: usize, most_constants: usize, outputs: usize) -> Result<Self, Error> {
        let inputs = circuit.input_wires() as usize;
        let index = |place: usize| u32::try_from(place).map_err(|_| Error::misuse("a branch of 2^32 wires"));
        let constant = |c: u32| index(first + c as usize);
        let wire = |wire: u32| match wire as usize {
            input if input < inputs => index(1 + input),
            gate => index(first + most_constants + gate - inputs),
        };
        let step = |gate: &Gate| {
            Ok(match *gate {
                Gate::Constant(c) => Step::new(Operation::Add, [0, constant(c)?]),
                Gate::Add(x, y) => Step::new(Operation::Add, [wire(x)?, wire(y)?]),
                Gate::Sub(x, y) => Step::new(Operation::Sub, [wire(x)?, wire(y)?]),
                Gate::AddConstant(x, c) => Step::new(Operation::Add, [wire(x)?, constant(c)?]),
                Gate::Scale(x, c) => Step::new(Operation::Scale, [wire(x)?, constant(c)?]),
                Gate::Mul(x, y) => Step::new(Operation::Mul, [wire(x)?, wire(y)?]),
            })
        };
        let steps = circuit.gates().iter().map(step).collect::<Result<Vec<_>, Error>>()?;
        let mut asserted =
            circuit.asserted().iter().map(|asserted| wire(*asserted)).collect::<Result<Vec<_>, Error>>()?;
        // The last claims are `computed - output`, and `output` is zero here.
        let outputs = asserted.split_off(asserted.len().saturating_sub(outputs));
        Ok(Self { steps, constants: circuit.constants().to_vec(), asserted, outputs })
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use volery_circuit::{Branches, Digest, Picked, Prove};
    use volery_field::{F61, Ring as _};

    use super::super::circuits::Circuits;
    use super::*;

    thread_local! {
        pub(super) static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    /// All kinds of gates on two wires, in an order of its own, as often as its number says; the first wire
    /// is its number.
    struct Cases(u64);

    impl<B: Prove<F61>> volery_circuit::Branch<F61, B> for Cases {
        fn identify(&self, digest: &mut Digest) {
            digest.number("kinds", self.0);
        }

        fn run(&self, b: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
            let wrong = b.add_constant(&shared[0], -F61::new(self.0));
            b.assert_zero(&[wrong])?;
            let mut pool = shared.to_vec();
            for step in 0..3 * self.0 + 2 {
                let [x, y] = [&pool[pool.len() - 1], &pool[pool.len() - 2]];
                pool.push(match (step * (self.0 + 1)) % 7 {
                    0 => b.add(x, y),
                    1 => b.sub(x, y),
                    2 => b.add_constant(x, F61::new(step + 9)),
                    3 => b.scale(x, F61::new(step + 5)),
                    4 => b.constant(F61::new(self.0 + 77)),
                    _ => b.mul(x, y)?,
                });
            }
            Ok(pool.split_off(pool.len() - 2))
        }
    }

    #[test]
    fn a_replay_has_the_program_s_values_in_as_many_steps_whichever_branch_it_is() {
        let branches = Branches::new((0..9).map(Cases).collect(), 2).expect("one shape");
        let circuits = Circuits::record(&branches).expect("records");
        let mut steps = Vec::new();
        for index in 0..9 {
            let shared = [F61::new(index as u64), F61::new(1 << 40)];
            STEPS.with(|steps| steps.set(0));
            let replayed = circuits.replay(index, &shared).expect("holds");
            steps.push(STEPS.with(Cell::get));
            let traced = Trace::of(&branches, &Picked::new(index), &shared, |n| Box::new(Elements::new(n)))
                .expect("holds");
            for (a, b) in [
                (&replayed.inputs, &traced.inputs),
                (&replayed.left, &traced.left),
                (&replayed.right, &traced.right),
                (&replayed.outputs, &traced.outputs),
            ] {
                assert_eq!(a.room(), b.room());
                assert_eq!(a.values(0..a.room()), b.values(0..b.room()), "{index}");
            }
        }
        assert!(steps[0] > 0 && steps.iter().all(|n| *n == steps[0]), "{steps:?}");
    }

    #[test]
    fn a_branch_that_does_not_hold_or_is_not_there_has_no_replay() {
        let branches = Branches::new((0..3).map(Cases).collect(), 2).expect("one shape");
        let circuits = Circuits::record(&branches).expect("records");
        assert!(circuits.replay(1, &[F61::new(2), F61::ONE]).is_none());
        assert!(circuits.replay(3, &[F61::new(3), F61::ONE]).is_none());
    }

    #[test]
    fn branches_with_secrets_of_their_own_have_no_replay() {
        struct Own;
        impl<B: Prove<F61>> volery_circuit::Branch<F61, B> for Own {
            fn identify(&self, _: &mut Digest) {}

            fn run(&self, b: &mut B, _: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
                b.secret(1, &mut |_| Ok(vec![F61::ONE]))
            }
        }
        let branches = Branches::<F61, _>::new(vec![Own], 0).expect("one shape");
        let circuits = Circuits::record(&branches).expect("records");
        assert!(circuits.replay(0, &[]).is_none());
    }
}
