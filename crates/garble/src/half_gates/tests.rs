//! Garbler and evaluator against the clear, on the gate, on random circuits and on the gadgets.

use proptest::prelude::*;
use volery_circuit::gadgets::{Aes128, bytes_to_bits, sha256};
use volery_circuit::testing::{RandomCircuit, Size};
use volery_circuit::{Digest, Evaluator as Clear, Ops};
use volery_field::{F2, Gf128};
use volery_vole::{Delta, Prg};

use super::*;
use crate::{Error, Function};

fn offset() -> Delta {
    Delta::from_element(Gf128::from_bits(0x1357_9bdf_0246_8ace_fdb9_7531_eca8_6420))
}

fn labels(n: usize, seed: u8) -> Vec<Gf128> {
    let mut labels = vec![Gf128::ZERO; n];
    Prg::new([seed; 16]).blocks(&mut labels);
    labels
}

/// What garbling and evaluating gives: zero labels, active labels, tables, the next gate's number.
fn run(function: &impl Function, inputs: &[F2], first: u64) -> (Vec<Gf128>, Vec<Gf128>, Vec<u8>, u64) {
    let (offset, start) = (offset(), [9; 16]);
    let zeros = labels(inputs.len(), 1);
    let mut tables = Vec::new();
    let mut garbler = Garbler::new(&offset, start, first, &mut tables);
    let wires: Vec<_> = zeros.iter().map(|z| ZeroWire::new(*z)).collect();
    let out = function.run(&mut garbler, &wires).expect("garbles");
    let end = garbler.finish().expect("garbles");
    let mut source = &tables[..];
    let mut evaluator = Evaluator::new(start, first, &mut source);
    let active = |(z, x): (&Gf128, &F2)| ActiveWire::new(*z + offset.expose() * *x);
    let wires: Vec<_> = zeros.iter().zip(inputs).map(active).collect();
    let seen = function.run(&mut evaluator, &wires).expect("evaluates");
    assert_eq!(evaluator.finish(), Ok(end));
    let out = out.iter().map(ZeroWire::label).collect();
    (out, seen.iter().map(ActiveWire::label).collect(), tables, end)
}

/// Asserts that the active labels are those of the values in the clear.
fn assert_right(function: &impl Function, inputs: &[F2], first: u64) {
    let want = function.run(&mut Clear::new(), inputs).expect("runs");
    let (zeros, seen, tables, end) = run(function, inputs, first);
    assert_eq!(zeros.len(), want.len());
    assert_eq!(tables.len() as u64, (end - first) * TABLE_BYTES as u64);
    for ((zero, seen), want) in zeros.iter().zip(&seen).zip(want) {
        assert!(*seen == *zero + offset().expose() * want);
    }
}

/// One of the program's own.
struct Program(fn(&mut dyn FnMut(Step) -> usize));

/// A step of a [`Program`], over the wires made so far.
enum Step {
    Constant(bool),
    Add(usize, usize),
    Not(usize),
    Scale(usize, bool),
    Mul(usize, usize),
}

impl Function for Program {
    fn identify(&self, _: &mut Digest) {}

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let (mut wires, mut result) = (inputs.to_vec(), Ok(()));
        (self.0)(&mut |step| {
            let wire = match step {
                Step::Constant(c) => b.constant(F2::new(c)),
                Step::Add(x, y) => b.add(&wires[x], &wires[y]),
                Step::Not(x) => b.add_constant(&wires[x], F2::ONE),
                Step::Scale(x, c) => b.scale(&wires[x], F2::new(c)),
                Step::Mul(x, y) => match b.mul(&wires[x], &wires[y]) {
                    Ok(wire) => wire,
                    Err(error) => {
                        result = Err(error);
                        wires[0].clone()
                    }
                },
            };
            wires.push(wire);
            wires.len() - 1
        });
        result.map(|()| wires)
    }
}

#[test]
fn an_and_gate_is_right_for_all_values_and_colours() {
    let and = Program(|step| {
        step(Step::Mul(0, 1));
    });
    // The colours of the inputs' zero labels vary with the gate: constants and sums bring in both.
    let coloured = Program(|step| {
        let one = step(Step::Constant(true));
        let (x, y) = (step(Step::Add(0, one)), step(Step::Not(1)));
        for (x, y) in [(0, 1), (x, 1), (0, y), (x, y), (0, 0), (x, 0), (one, 0), (one, one), (1, one)] {
            let z = step(Step::Mul(x, y));
            step(Step::Mul(z, x));
        }
        let zero = step(Step::Constant(false));
        step(Step::Mul(zero, x));
        step(Step::Scale(x, false));
        step(Step::Scale(x, true));
    });
    for values in 0..4 {
        let inputs = [values & 1, values >> 1].map(|bit| F2::new(bit == 1));
        for first in [0, 1, 1 << 40] {
            assert_right(&and, &inputs, first);
            assert_right(&coloured, &inputs, first);
        }
    }
}

#[test]
fn every_gate_has_tables_of_its_own() {
    let same = Program(|step| {
        step(Step::Mul(0, 1));
        step(Step::Mul(0, 1));
    });
    let (zeros, _, tables, end) = run(&same, &[F2::ONE, F2::ZERO], 7);
    assert_eq!(end, 9);
    assert_ne!(tables[..TABLE_BYTES], tables[TABLE_BYTES..]);
    assert!(zeros[2] != zeros[3]);
    // And another circuit that begins where this one ended has others again.
    let (_, _, later, _) = run(&same, &[F2::ONE, F2::ZERO], 9);
    assert!(tables.chunks(TABLE_BYTES).all(|t| later.chunks(TABLE_BYTES).all(|l| l != t)));
}

/// FIPS 180-4's example "abc", padded by the gadget.
struct Sha;

impl Function for Sha {
    fn identify(&self, _: &mut Digest) {}

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        sha256(b, inputs)
    }
}

struct Aes;

impl Function for Aes {
    fn identify(&self, _: &mut Digest) {}

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let (key, block) = inputs.split_at(128);
        Aes128::new(b, key)?.encrypt(b, block)
    }
}

fn decoded(function: &impl Function, inputs: &[u8]) -> Vec<u8> {
    let (zeros, seen, ..) = run(function, &bytes_to_bits(inputs), 3);
    let bits = zeros.iter().zip(&seen).map(|(zero, seen)| if zero == seen { 0 } else { 1 });
    bits.collect::<Vec<u8>>().chunks(8).map(|byte| byte.iter().rev().fold(0, |b, bit| b << 1 | bit)).collect()
}

#[test]
fn sha256_and_aes128_give_the_standards_answers() {
    // FIPS 180-4's companion examples: SHA-256 of "abc".
    let digest = decoded(&Sha, b"abc");
    assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
    assert_eq!(digest[28..], [0xf2, 0x00, 0x15, 0xad]);
    // FIPS 197, appendix C.1.
    let inputs: Vec<u8> = (0..16).chain((0..16).map(|i| 0x11 * i)).collect();
    let ciphertext = decoded(&Aes, &inputs);
    assert_eq!(ciphertext, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes());
}

/// Many products at once.
struct Products;

impl Function for Products {
    fn identify(&self, _: &mut Digest) {}

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        let first = b.mul(&inputs[0], &inputs[1])?;
        let reversed: Vec<_> = inputs.iter().rev().cloned().collect();
        let mut out = b.mul_many(inputs, &reversed)?;
        out.push(first);
        Ok(out)
    }
}

#[test]
fn many_products_at_once_are_those_one_by_one() {
    for n in [2, 3, 15, 16, 17, 33, 3000] {
        let inputs: Vec<F2> = labels(n, 7).iter().map(|x| x.lsb()).collect();
        assert_right(&Products, &inputs, 5);
    }
}

/// Gives three tables at a time, or fails.
struct Drip<'a>(&'a [u8], usize);

impl Source for Drip<'_> {
    fn next(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        let (now, later) = self.0.split_at(self.1.min(self.0.len()));
        self.0 = later;
        out.clear();
        out.extend_from_slice(now);
        Ok(())
    }
}

fn evaluate(function: &impl Function, inputs: usize, source: &mut dyn Source) -> Result<u64, Error> {
    let mut evaluator = Evaluator::new([9; 16], 0, source);
    function.run(&mut evaluator, &vec![ActiveWire::default(); inputs])?;
    evaluator.finish()
}

#[test]
fn a_wrong_number_of_tables_is_an_error_and_half_a_one_too() {
    let tables = vec![0; 17 * TABLE_BYTES];
    assert_eq!(evaluate(&Products, 16, &mut &tables[..]), Ok(17));
    assert_eq!(evaluate(&Products, 16, &mut Drip(&tables, 3 * TABLE_BYTES)), Ok(17));
    assert!(matches!(evaluate(&Products, 17, &mut &tables[..]), Err(Error::Misuse(_))));
    assert!(matches!(evaluate(&Products, 15, &mut &tables[..]), Err(Error::Misuse(_))));
    assert!(matches!(evaluate(&Products, 16, &mut Drip(&tables, 33)), Err(Error::Misuse(_))));
    assert!(matches!(evaluate(&Products, 16, &mut Drip(&tables, 0)), Err(Error::Misuse(_))));
    assert!(matches!(evaluate(&Products, 16, &mut &tables[..40]), Err(Error::Misuse(_))));
}

/// Takes some tables, then fails for ever.
struct Full(usize);

impl Sink for Full {
    fn put(&mut self, tables: &[u8]) -> Result<(), Error> {
        self.0 = self.0.checked_sub(tables.len()).ok_or_else(|| Error::misuse("full"))?;
        Ok(())
    }
}

#[test]
fn a_sink_that_fails_ends_the_garbling_even_if_the_function_goes_on() {
    let mut sink = Full(40_000);
    let mut garbler = Garbler::new(&offset(), [0; 16], 0, &mut sink);
    let wires = vec![ZeroWire::default(); 5000];
    assert_eq!(garbler.mul_many(&wires, &wires).err(), Some(Error::misuse("full")));
    assert_eq!(garbler.mul(&wires[0], &wires[1]).err(), Some(Error::misuse("full")));
    assert_eq!(garbler.finish(), Err(Error::misuse("full")));
}

proptest! {
    #[test]
    fn random_circuits_evaluate_to_the_labels_of_their_values(
        seed: u64, inputs in 1_u32..20, ands in 0_u32..80, xors in 0_u32..80, first in 0_u64..1 << 50
    ) {
        let size = Size { inputs, ands, xors, invs: 7, outputs: 20, asserted: 0 };
        let RandomCircuit { circuit, witness } = RandomCircuit::new(seed, size);
        assert_right(&circuit, &witness, first);
    }
}
