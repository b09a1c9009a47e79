//! Random circuits with witnesses, for the tests of this crate and those above. Not for anything else: the
//! generator is small, repeatable and predictable.

use volery_field::F2;

use crate::{Circuit, Gate, Input, Output, Parts, Signature};

/// How big a [`RandomCircuit`] is.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Secret input wires, at least one.
    pub inputs: u32,
    /// AND gates.
    pub ands: u32,
    /// XOR gates.
    pub xors: u32,
    /// NOT gates; asserting may add one an assertion.
    pub invs: u32,
    /// Output wires, in one output called "output 0".
    pub outputs: u32,
    /// Wires asserted to be zero, which they are for the witness.
    pub asserted: u32,
}

impl Size {
    /// Some of everything.
    #[must_use]
    pub fn small() -> Self {
        Self { inputs: 10, ands: 40, xors: 50, invs: 10, outputs: 5, asserted: 6 }
    }
}

/// A random Boolean circuit, and inputs for which its assertions hold.
#[derive(Clone, Debug)]
pub struct RandomCircuit {
    /// The circuit: one secret input called "input 0".
    pub circuit: Circuit<F2>,
    /// Values for all input wires.
    pub witness: Vec<F2>,
}

impl RandomCircuit {
    /// The circuit that belongs to `seed` and `size`, which must have an input and fewer than 2^31 wires.
    #[must_use]
    pub fn new(seed: u64, size: Size) -> Self {
        let mut random = Random(seed);
        let witness: Vec<F2> = (0..size.inputs.max(1)).map(|_| F2::from_lsb(random.next() >> 40)).collect();
        let mut values = witness.clone();
        let mut gates = gates(&mut random, size, &mut values);
        let some = |random: &mut Random, count: u32| -> Vec<u32> {
            (0..count).map(|_| random.below(values.len())).collect()
        };
        let (outputs, mut asserted) = (some(&mut random, size.outputs), some(&mut random, size.asserted));
        for wire in &mut asserted {
            if values[*wire as usize].to_bool() {
                gates.push(Gate::AddConstant(*wire, 0));
                *wire = (witness.len() + gates.len() - 1) as u32;
            }
        }
        let signature = Signature {
            inputs: vec![Input { name: "input 0".into(), width: witness.len() as u32, public: false }],
            outputs: vec![Output { name: "output 0".into(), width: size.outputs }],
        };
        let parts = Parts { signature, constants: vec![F2::ONE], gates, outputs, asserted };
        match Circuit::new(parts) {
            Ok(circuit) => Self { circuit, witness },
            Err(error) => unreachable!("the generator makes sound circuits: {error}"),
        }
    }
}

/// The gates in random order; `values` gets the value of each.
fn gates(random: &mut Random, size: Size, values: &mut Vec<F2>) -> Vec<Gate> {
    let mut left = [size.ands, size.xors, size.invs];
    let mut gates = Vec::new();
    loop {
        let total = left.iter().sum::<u32>();
        if total == 0 {
            return gates;
        }
        let pick = random.below(total as usize);
        let (x, y) = (random.below(values.len()), random.below(values.len()));
        let (a, b) = (values[x as usize], values[y as usize]);
        let (kind, gate, value) = if pick < left[0] {
            (0, Gate::Mul(x, y), a * b)
        } else if pick < left[0] + left[1] {
            (1, Gate::Add(x, y), a + b)
        } else {
            (2, Gate::AddConstant(x, 0), a + F2::ONE)
        };
        left[kind] -= 1;
        gates.push(gate);
        values.push(value);
    }
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> u32 {
        (self.next() % bound.max(1) as u64) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Evaluator;

    #[test]
    fn it_has_the_size_asked_for_and_its_witness_satisfies_it() {
        for seed in 0..50 {
            let RandomCircuit { circuit, witness } = RandomCircuit::new(seed, Size::small());
            let count = |f: fn(&Gate) -> bool| circuit.gates().iter().filter(|g| f(g)).count();
            assert_eq!(count(|g| matches!(g, Gate::Mul(..))), 40);
            assert_eq!(count(|g| matches!(g, Gate::Add(..))), 50);
            assert!((10..=16).contains(&count(|g| matches!(g, Gate::AddConstant(..)))));
            assert_eq!((circuit.asserted().len(), circuit.outputs().len()), (6, 5));
            circuit.run(&mut Evaluator::new(), witness).expect("holds");
        }
    }
}
