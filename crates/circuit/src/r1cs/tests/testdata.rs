//! The committed files of our own small circuits, over three of the fields.
//!
//! | files | circuit |
//! |---|---|
//! | `factors` | two secret factors of a public output, neither of them 1 |
//! | `mimc` | a secret preimage under a MiMC-like permutation of 8 rounds: `x -> (x + k + c_i)^7` |
//! | `threshold` | a secret balance, blinded and committed to, is at least a public amount: 32 bits |
//!
//! To write them anew: `cargo test -p volery-circuit -- --ignored write_the_files_anew`.

use std::path::PathBuf;
use std::sync::Arc;

use volery_field::{Bls12381Scalar, Bn254Scalar, Goldilocks};

use super::*;
use crate::Evaluator;
use crate::seeded::Seeded;

/// A circuit under construction, with values.
struct Circuit<F> {
    constraints: Vec<[Vec<(u32, F)>; 3]>,
    values: Vec<F>,
}

impl<F: PrimeField> Circuit<F> {
    fn new(given: &[F]) -> Self {
        let values = core::iter::once(F::ONE).chain(given.iter().copied()).collect();
        Self { constraints: Vec::new(), values }
    }

    fn value(&self, sum: &[(u32, F)]) -> F {
        sum.iter().fold(F::ZERO, |total, &(wire, c)| total + c * self.values[wire as usize])
    }

    fn wire(&mut self, value: F) -> u32 {
        self.values.push(value);
        self.values.len() as u32 - 1
    }

    fn claim(&mut self, a: &[(u32, F)], b: &[(u32, F)], c: &[(u32, F)]) {
        self.constraints.push([a.to_vec(), b.to_vec(), c.to_vec()]);
    }

    fn product(&mut self, a: &[(u32, F)], b: &[(u32, F)]) -> u32 {
        let wire = self.wire(self.value(a) * self.value(b));
        self.claim(a, b, &[(wire, F::ONE)]);
        wire
    }

    /// The system with its first `outputs` wires outputs, then public and private inputs.
    fn finish(self, [outputs, public_inputs, private_inputs]: [u32; 3]) -> (R1cs<F>, Assignment<F>) {
        let counts = Counts { wires: self.values.len() as u32, outputs, public_inputs, private_inputs };
        let mut builder = Builder::new(counts).expect("enough wires");
        for [a, b, c] in &self.constraints {
            builder.constraint(a, b, c).expect("wires exist");
        }
        (builder.finish(), Assignment::new(self.values).expect("wire 0 is 1"))
    }
}

fn one<F: PrimeField>(wire: u32) -> [(u32, F); 1] {
    [(wire, F::ONE)]
}

fn factors<F: PrimeField>() -> (R1cs<F>, Assignment<F>) {
    let (p, q) = (F::from_u64(1009), F::from_u64(10_007));
    let mut circuit = Circuit::new(&[p * q, p, q]);
    circuit.claim(&one(2), &one(3), &one(1));
    for factor in [2, 3] {
        // An inverse of factor - 1 exists.
        let less = [(factor, F::ONE), (0, -F::ONE)];
        let inverse = circuit.value(&less).inverse().expect("neither is 1");
        let inverse = circuit.wire(inverse);
        circuit.claim(&less, &one(inverse), &one(0));
    }
    circuit.finish([1, 0, 2])
}

fn mimc<F: PrimeField>() -> (R1cs<F>, Assignment<F>) {
    let constants: Vec<F> = Seeded::new("mimc example", b"").elements(8);
    // Output, key (public), preimage.
    let mut circuit = Circuit::new(&[F::ZERO, F::from_u64(7), F::from_u64(123_456_789)]);
    let mut x = 3;
    for c in constants {
        let sum = [(x, F::ONE), (2, F::ONE), (0, c)];
        let square = circuit.product(&sum, &sum);
        let fourth = circuit.product(&one(square), &one(square));
        let sixth = circuit.product(&one(fourth), &one(square));
        x = circuit.product(&one(sixth), &sum);
    }
    let sum = [(x, F::ONE), (2, F::ONE)];
    circuit.values[1] = circuit.value(&sum);
    circuit.claim(&sum, &one(0), &one(1));
    circuit.finish([1, 1, 1])
}

fn threshold<F: PrimeField>() -> (R1cs<F>, Assignment<F>) {
    let (balance, amount) = (1_234_567_u64, 1_000_000_u64);
    let blinding: F = Seeded::new("threshold example", b"").element();
    let balance_element = F::from_u64(balance);
    // Output: the commitment (balance + blinding)^2; public: the amount; private: balance, blinding.
    let sum = balance_element + blinding;
    let mut circuit = Circuit::new(&[sum * sum, F::from_u64(amount), balance_element, blinding]);
    let sum = [(3, F::ONE), (4, F::ONE)];
    circuit.claim(&sum, &sum, &one(1));
    let mut total = Vec::new();
    for bit in 0..32 {
        let wire = circuit.wire(F::from_u64((balance - amount) >> bit & 1));
        circuit.claim(&one(wire), &[(wire, F::ONE), (0, -F::ONE)], &[]);
        total.push((wire, F::from_u64(1 << bit)));
    }
    circuit.claim(&one(0), &total, &[(3, F::ONE), (2, -F::ONE)]);
    circuit.finish([1, 1, 2])
}

/// Each file's name and content.
fn files<F: PrimeField>(field: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (name, (system, assignment)) in
        [("factors", factors::<F>()), ("mimc", mimc::<F>()), ("threshold", threshold::<F>())]
    {
        let (mut r1cs, mut wtns, mut public) = (Vec::new(), Vec::new(), Vec::new());
        system.write(&mut r1cs).expect("memory");
        assignment.write(&mut wtns).expect("memory");
        let values = assignment.public(&system.header().counts).expect("fits");
        write_public(&values, &mut public).expect("memory");
        for (kind, bytes) in [("r1cs", r1cs), ("wtns", wtns), ("public.json", public)] {
            files.push((format!("{name}.{field}.{kind}"), bytes));
        }
    }
    files
}

fn all_files() -> Vec<(String, Vec<u8>)> {
    let mut all = files::<F61>("f61");
    all.extend(files::<Goldilocks>("goldilocks"));
    all.extend(files::<Bn254Scalar>("bn254"));
    all.extend(files::<Bls12381Scalar>("bls12381"));
    all
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/r1cs").join(name)
}

#[test]
fn committed_files_are_what_the_circuits_make() {
    for (name, bytes) in all_files() {
        let committed = std::fs::read(path(&name)).expect(&name);
        assert!(committed == bytes, "{name}: the format has changed; write the files anew if on purpose");
    }
}

#[test]
#[ignore = "writes files"]
fn write_the_files_anew() {
    for (name, bytes) in all_files() {
        std::fs::write(path(&name), bytes).expect(&name);
    }
}

fn committed_circuits_hold<F: PrimeField>(field: &str) {
    for name in ["factors", "mimc", "threshold"] {
        let file = |kind: &str| path(&format!("{name}.{field}.{kind}"));
        assert_eq!(Header::open(file("r1cs")).expect(name).prime, F::PRIME);
        let system = Arc::new(R1cs::<F>::open(file("r1cs")).expect(name));
        let counts = system.header().counts;
        let json = std::fs::File::open(file("public.json")).expect(name);
        let public = read_public::<F>(json, "public.json", &counts).expect(name);
        let assignment = Assignment::<F>::open(file("wtns")).expect(name);
        let verifier = R1csStatement::new(Arc::clone(&system), public).expect(name);
        let prover = verifier.with_assignment(assignment.clone()).expect(name);
        assert_eq!(Evaluator::check(&prover), Ok(()), "{name}");
        // Any one wire changed alone is caught: all of them matter.
        for wire in counts.public() + 1..counts.wires as usize {
            let mut values = assignment.values().to_vec();
            values[wire] += F::ONE;
            let wrong = Assignment::new(values).expect("wire 0 is 1");
            let prover = R1csStatement::prove(Arc::clone(&system), wrong).expect("fits");
            assert!(
                matches!(Evaluator::check(&prover), Err(Error::Unsatisfied { .. })),
                "{name}, wire {wire}"
            );
        }
    }
}

#[test]
fn committed_circuits_hold_and_every_wire_of_them_matters() {
    committed_circuits_hold::<F61>("f61");
    committed_circuits_hold::<Goldilocks>("goldilocks");
    committed_circuits_hold::<Bn254Scalar>("bn254");
    committed_circuits_hold::<Bls12381Scalar>("bls12381");
}
