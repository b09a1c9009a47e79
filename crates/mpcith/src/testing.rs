//! Random circuits over every ring, with witnesses; for tests.

use rand_chacha::rand_core::Rng;
use volery_circuit::{Circuit, CircuitStatement, Claim, Evaluator, Gate, Input, Parts, Signature, Witness};
use volery_field::Ring;
use volery_testing::rng;

/// A uniform element: random encodings until one is canonical.
pub(crate) fn element<R: Ring>(rng: &mut impl Rng) -> R {
    let mut bytes = vec![0; R::BYTES];
    loop {
        rng.fill_bytes(&mut bytes);
        if R::NAME == "F2" {
            bytes[0] &= 1;
        }
        if let Ok(element) = R::decode(&bytes) {
            return element;
        }
    }
}

pub(crate) fn elements<R: Ring>(rng: &mut impl Rng, n: usize) -> Vec<R> {
    (0..n).map(|_| element(rng)).collect()
}

/// How big a random circuit is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) inputs: u32,
    pub(crate) gates: u32,
    pub(crate) claims: u32,
}

/// A random circuit with gates of all kinds, half of them multiplications, and inputs for which its claims
/// hold.
pub(crate) fn random<R: Ring>(seed: u64, size: Size) -> (Circuit<R>, Vec<R>) {
    let mut rng = rng(seed);
    let constants: Vec<R> = [R::ZERO, R::ONE].into_iter().chain(elements(&mut rng, 3)).collect();
    let mut gates = Vec::new();
    for wires in size.inputs..size.inputs + size.gates {
        let mut below = |n: u32| rng.next_u32() % n;
        let (kind, x, y, c) = (below(10), below(wires), below(wires), below(5));
        gates.push(match kind {
            0 => Gate::Constant(c),
            1 => Gate::Sub(x, y),
            2 => Gate::AddConstant(x, c),
            3 => Gate::Scale(x, c),
            4 => Gate::Add(x, y),
            _ => Gate::Mul(x, y),
        });
    }
    let witness = elements::<R>(&mut rng, size.inputs as usize);
    claim(gates, constants, witness, size, |n| rng.next_u32() % n)
}

/// Claims of some wires what they are for the witness.
fn claim<R: Ring>(
    mut gates: Vec<Gate>,
    mut constants: Vec<R>,
    witness: Vec<R>,
    size: Size,
    mut below: impl FnMut(u32) -> u32,
) -> (Circuit<R>, Vec<R>) {
    let inputs = size.inputs;
    let signature = || Signature {
        inputs: vec![Input { name: "x".into(), width: inputs, public: false }],
        outputs: vec![],
    };
    let picked: Vec<u32> = (0..size.claims).map(|_| below(inputs + size.gates)).collect();
    let parts = Parts {
        signature: signature(),
        constants: constants.clone(),
        gates: gates.clone(),
        outputs: vec![],
        asserted: picked.clone(),
    };
    let computed = Circuit::new(parts).expect("sound").compute(&mut Evaluator::new(), witness.clone());
    let mut asserted = Vec::new();
    for (wire, value) in picked.into_iter().zip(computed.expect("computes").asserted) {
        gates.push(Gate::AddConstant(wire, constants.len() as u32));
        constants.push(-value);
        asserted.push(inputs + gates.len() as u32 - 1);
    }
    let parts = Parts { signature: signature(), constants, gates, outputs: vec![], asserted };
    (Circuit::new(parts).expect("sound"), witness)
}

/// [`random`] as a statement with its witness.
pub(crate) fn statement<R: Ring>(seed: u64, size: Size) -> CircuitStatement<R> {
    let (circuit, witness) = random(seed, size);
    let claim = Claim::new(vec![None], vec![], circuit.signature()).expect("fits");
    let statement = CircuitStatement::new(circuit, claim).expect("claims something");
    statement.with_witness(Witness::new(witness)).expect("fits")
}

/// Some of everything.
pub(crate) const SMALL: Size = Size { inputs: 7, gates: 40, claims: 5 };
