//! Small statements, true and false.

use volery_circuit::testing::{RandomCircuit, Size};
use volery_circuit::{CircuitStatement, Claim, Digest, Error, Evaluator, Prove, Statement, Witness};
use volery_field::F2;

/// `count` products in a row, of which one may be claimed to be what no product of these wires is: the claim
/// is then false whatever the witness, and only a prover that lies in this very product meets all assertions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Products {
    pub(crate) count: u64,
    /// The product `x (x + 1)` that is claimed to be one.
    pub(crate) impossible: Option<u64>,
}

impl Products {
    /// A claim that holds.
    pub(crate) fn new(count: u64) -> Self {
        Self { count, impossible: None }
    }

    /// A claim that product `impossible` makes false.
    pub(crate) fn false_at(count: u64, impossible: u64) -> Self {
        Self { count, impossible: Some(impossible) }
    }

    /// Slots that the secrets take before the products.
    pub(crate) const SECRETS: u64 = 2;
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Products {
    fn identify(&self, digest: &mut Digest) {
        digest.number("products", self.count).number("impossible", self.impossible.map_or(0, |at| at + 1));
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let [x, y] = [F2::ONE, F2::ZERO];
        let secrets = backend.secret(Self::SECRETS as usize, &mut |_| Ok(vec![x, y]))?;
        let mut wire = secrets[1].clone();
        for i in 0..self.count {
            if self.impossible == Some(i) {
                let opposite = backend.add_constant(&secrets[0], F2::ONE);
                let z = backend.mul(&secrets[0], &opposite)?;
                let difference = backend.add_constant(&z, F2::ONE);
                backend.assert_zero(&[difference])?;
            } else {
                // 0, then 1 1 = 1, 1 0 = 0, 1 1 = 1, ...
                let z = backend.mul(&secrets[0], &wire)?;
                wire = backend.add_constant(&z, F2::ONE);
            }
        }
        Ok(())
    }
}

/// Pairs of secrets claimed to be equal, `ones` of which are not; no products at all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Equal {
    pub(crate) pairs: usize,
    /// Whether the last pair differs.
    pub(crate) last_differs: bool,
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Equal {
    fn identify(&self, digest: &mut Digest) {
        digest.number("equal pairs", self.pairs as u64);
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let bit = |i: usize| F2::new(i % 3 == 1);
        let left = backend.secret(self.pairs, &mut |_| Ok((0..self.pairs).map(bit).collect()))?;
        let right = backend.secret(self.pairs, &mut |_| {
            let mut values: Vec<F2> = (0..self.pairs).map(bit).collect();
            if let (true, Some(last)) = (self.last_differs, values.last_mut()) {
                *last += F2::ONE;
            }
            Ok(values)
        })?;
        for (left, right) in left.iter().zip(&right) {
            let difference = backend.add(left, right);
            backend.assert_zero(&[difference])?;
        }
        Ok(())
    }
}

/// A program that does other than its name says at one of the parties.
pub(crate) struct Named<S> {
    pub(crate) name: &'static str,
    pub(crate) program: S,
}

impl<B: Prove<F2>, S: Statement<B>> Statement<B> for Named<S> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("name", self.name.as_bytes());
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.program.run(backend)
    }
}

/// A random circuit with what its outputs are for a witness, and that witness changed by `change`.
pub(crate) fn random(
    seed: u64,
    size: Size,
    change: impl FnOnce(&mut Vec<F2>),
) -> Result<CircuitStatement<F2>, Error> {
    let RandomCircuit { circuit, mut witness } = RandomCircuit::new(seed, size);
    let outputs = circuit.run(&mut Evaluator::new(), witness.clone())?;
    let claim = Claim::new(vec![None], vec![Some(outputs)], circuit.signature())?;
    change(&mut witness);
    CircuitStatement::new(circuit, claim)?.with_witness(Witness::new(witness))
}

/// The size of random circuit number `seed`: from next to nothing to some hundred gates.
pub(crate) fn size(seed: u64) -> Size {
    let pick = |multiplier: u64, bound: u64| (seed.wrapping_mul(multiplier) >> 7) as u32 % bound as u32;
    Size {
        inputs: 1 + pick(0x9e37_79b9, 40),
        ands: pick(0x85eb_ca6b, 90),
        xors: pick(0xc2b2_ae35, 90),
        invs: pick(0x27d4_eb2f, 20),
        outputs: 1 + pick(0x1656_67b1, 12),
        asserted: pick(0xd3a2_646c, 12),
    }
}
