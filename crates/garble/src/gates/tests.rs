//! Garbler and evaluator against the clear, on the gate, on random circuits and on the gadgets.

use proptest::prelude::*;
use volery_circuit::gadgets::{Aes128, bytes_to_bits, sha256};
use volery_circuit::testing::{RandomCircuit, Size};
use volery_circuit::{Digest, Evaluator as Clear, Ops};
use volery_field::{F2, Gf128};
use volery_vole::{AesLevel, Delta, Prg};

use super::*;
use crate::{Error, Function, Shape};

fn offset() -> Delta {
    Delta::from_element(Gf128::from_bits(0x1357_9bdf_0246_8ace_fdb9_7531_eca8_6420))
}

fn labels(n: usize, seed: u8) -> Vec<Gf128> {
    let mut labels = vec![Gf128::ZERO; n];
    Prg::new([seed; 16]).blocks(&mut labels);
    labels
}

/// What garbling and evaluating gives: zero labels, active labels, tables, the number of the next pair of
/// keys.
type Run = (Vec<Gf128>, Vec<Gf128>, Vec<u8>, u64);

fn run<S: Scheme>(function: &impl Function, inputs: &[F2], first: u64) -> Run {
    run_by::<S>(function, inputs, (first, false))
}

/// From this pair of keys on, with S-boxes one-hot or not.
fn run_by<S: Scheme>(function: &impl Function, inputs: &[F2], (first, one_hot): (u64, bool)) -> Run {
    let (offset, start) = (offset(), [9; 16]);
    let zeros = labels(inputs.len(), 1);
    let mut tables = Vec::new();
    let garbler = GateGarbler::<S>::new(&offset, start, first, &mut tables);
    let mut garbler = garbler.with_one_hot(one_hot);
    let wires: Vec<_> = zeros.iter().map(|z| ZeroWire::new(*z)).collect();
    let out = function.run(&mut garbler, &wires).expect("garbles");
    let end = garbler.finish().expect("garbles");
    let mut source = &tables[..];
    let mut evaluator = GateEvaluator::<S>::new(start, first, &mut source).with_one_hot(one_hot);
    let active = |(z, x): (&Gf128, &F2)| ActiveWire::new(*z + offset.expose() * *x);
    let wires: Vec<_> = zeros.iter().zip(inputs).map(active).collect();
    let seen = function.run(&mut evaluator, &wires).expect("evaluates");
    assert_eq!(evaluator.finish(), Ok(end));
    let out = out.iter().map(ZeroWire::label).collect();
    (out, seen.iter().map(ActiveWire::label).collect(), tables, end)
}

/// Asserts that the active labels are those of the values in the clear.
fn assert_right(function: &impl Function, inputs: &[F2], first: u64) {
    assert_right_by::<HalfGates>(function, inputs, (first, false));
    assert_right_by::<ThreeHalves>(function, inputs, (first, false));
    assert_right_by::<ThreeHalves>(function, inputs, (first, true));
}

fn assert_right_by<S: Scheme>(function: &impl Function, inputs: &[F2], (first, one_hot): (u64, bool)) {
    let want = function.run(&mut Clear::new(), inputs).expect("runs");
    let (zeros, seen, tables, end) = run_by::<S>(function, inputs, (first, one_hot));
    let Shape { ands, s_boxes, .. } = Shape::of(function, inputs.len()).expect("counts");
    let s_boxes = if one_hot { s_boxes } else { 0 };
    assert_eq!(zeros.len(), want.len());
    assert_eq!(tables.len() as u64, S::tables(ands, s_boxes) * S::TABLE_BYTES as u64);
    assert_eq!(Some(end - first), S::pairs(ands, s_boxes));
    assert_eq!(S::ands(end - first, s_boxes), ands);
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
    tables_differ::<HalfGates>();
    tables_differ::<ThreeHalves>();
}

fn tables_differ<S: Scheme>() {
    let same = Program(|step| {
        step(Step::Mul(0, 1));
        step(Step::Mul(0, 1));
    });
    let (zeros, _, tables, end) = run::<S>(&same, &[F2::ONE, F2::ZERO], 7);
    assert_ne!(tables[..S::TABLE_BYTES], tables[S::TABLE_BYTES..]);
    assert!(zeros[2] != zeros[3]);
    // And another circuit that begins where this one ended has others again.
    let (_, _, later, _) = run::<S>(&same, &[F2::ONE, F2::ZERO], end);
    let mut later = later.chunks(S::TABLE_BYTES);
    assert!(later.all(|l| tables.chunks(S::TABLE_BYTES).all(|t| l != t)));
}

/// Gadgets with known answers.
enum Standard {
    Sha,
    Aes,
}

impl Function for Standard {
    fn identify(&self, _: &mut Digest) {}

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        match self {
            Self::Sha => sha256(b, inputs),
            Self::Aes => Aes128::new(b, &inputs[..128])?.encrypt(b, &inputs[128..]),
        }
    }
}

fn decoded<S: Scheme>(function: &impl Function, inputs: &[u8]) -> Vec<u8> {
    let (zeros, seen, ..) = run::<S>(function, &bytes_to_bits(inputs), 3);
    let bits = zeros.iter().zip(&seen).map(|(zero, seen)| if zero == seen { 0 } else { 1 });
    bits.collect::<Vec<u8>>().chunks(8).map(|byte| byte.iter().rev().fold(0, |b, bit| b << 1 | bit)).collect()
}

#[test]
fn sha256_and_aes128_give_the_standards_answers() {
    for decoded in [decoded::<HalfGates>, decoded::<ThreeHalves>] {
        // FIPS 180-4's companion examples: SHA-256 of "abc".
        let digest = decoded(&Standard::Sha, b"abc");
        assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!(digest[28..], [0xf2, 0x00, 0x15, 0xad]);
        // FIPS 197, appendix C.1.
        let inputs: Vec<u8> = (0..16).chain((0..16).map(|i| 0x11 * i)).collect();
        let ciphertext = decoded(&Standard::Aes, &inputs);
        assert_eq!(ciphertext, 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a_u128.to_be_bytes());
    }
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

/// Products one by one and many at once, on each kernel.
fn levels_agree<S: Scheme>() {
    let (offset, start, n) = (offset(), [9; 16], 37);
    let zeros: Vec<_> = labels(n, 4).into_iter().map(ZeroWire::new).collect();
    let values: Vec<F2> = labels(n, 5).iter().map(|x| x.lsb()).collect();
    let active: Vec<_> = zeros.iter().zip(&values).map(|(z, x)| z.label() + offset.expose() * *x).collect();
    let active: Vec<_> = active.into_iter().map(ActiveWire::new).collect();
    let mut first = None;
    for level in AesLevel::ALL.into_iter().filter(|level| level.available()) {
        let mut tables = Vec::new();
        let mut garbler = GateGarbler::<S>::new(&offset, start, 6, &mut tables);
        garbler.set_level(level, start);
        let out = Products.run(&mut garbler, &zeros).expect("garbles");
        let end = garbler.finish().expect("garbles");
        let mut source = &tables[..];
        let mut evaluator = GateEvaluator::<S>::new(start, 6, &mut source);
        evaluator.set_level(level, start);
        let seen = Products.run(&mut evaluator, &active).expect("evaluates");
        assert_eq!(evaluator.finish(), Ok(end));
        let out: Vec<_> = out.iter().map(ZeroWire::label).collect();
        let seen: Vec<_> = seen.iter().map(ActiveWire::label).collect();
        let all = (out, seen, tables, end);
        assert!(first.get_or_insert_with(|| all.clone()) == &all, "{level:?}");
    }
}

#[test]
fn every_kernel_garbles_and_evaluates_alike() {
    levels_agree::<HalfGates>();
    levels_agree::<ThreeHalves>();
}

/// Gives three tables at a time, or fails.
struct Drip<'a>(&'a [u8], usize);

impl TableSource for Drip<'_> {
    fn next(&mut self, _: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        let (now, later) = self.0.split_at(self.1.min(self.0.len()));
        self.0 = later;
        out.clear();
        out.extend_from_slice(now);
        Ok(())
    }
}

fn evaluate<S: Scheme>(inputs: usize, source: &mut dyn TableSource) -> Result<u64, Error> {
    let mut evaluator = GateEvaluator::<S>::new([9; 16], 0, source);
    Products.run(&mut evaluator, &vec![ActiveWire::default(); inputs])?;
    evaluator.finish()
}

#[test]
fn a_wrong_number_of_tables_is_an_error_and_half_a_one_too() {
    wrong_numbers::<HalfGates>();
    wrong_numbers::<ThreeHalves>();
}

fn wrong_numbers<S: Scheme>() {
    let size = S::TABLE_BYTES;
    let (tables, end) = (vec![0; 17 * size], 17 * S::PAIRS as u64);
    assert_eq!(evaluate::<S>(16, &mut &tables[..]), Ok(end));
    assert_eq!(evaluate::<S>(16, &mut Drip(&tables, 3 * size)), Ok(end));
    assert!(matches!(evaluate::<S>(17, &mut &tables[..]), Err(Error::Misuse(_))));
    assert!(matches!(evaluate::<S>(15, &mut &tables[..]), Err(Error::Misuse(_))));
    assert!(matches!(evaluate::<S>(16, &mut Drip(&tables, size + 1)), Err(Error::Misuse(_))));
    assert!(matches!(evaluate::<S>(16, &mut Drip(&tables, 0)), Err(Error::Misuse(_))));
    assert!(matches!(evaluate::<S>(16, &mut &tables[..size + 7]), Err(Error::Misuse(_))));
}

/// Takes some tables, then fails for ever.
struct Full(usize);

impl TableSink for Full {
    fn put(&mut self, tables: &[u8]) -> Result<(), Error> {
        self.0 = self.0.checked_sub(tables.len()).ok_or_else(|| Error::misuse("full"))?;
        Ok(())
    }
}

#[test]
fn a_sink_that_fails_ends_the_garbling_even_if_the_function_goes_on() {
    let mut sink = Full(40_000);
    let mut garbler = GateGarbler::<HalfGates>::new(&offset(), [0; 16], 0, &mut sink);
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

/// Every gate of either scheme, for all values and colours, with hashes that are anything: the equations
/// themselves.
fn equations_hold<S: Scheme>(x: Gf128, y: Gf128, offset: Gf128, random: &[Gf128]) {
    let mut labels = [[[Gf128::ZERO; 2]; 2]; 2];
    let labels = &mut labels[..S::PAIRS];
    S::garbler_labels(x, y, offset, labels);
    // A random function, tabled: as many inputs as were asked for, under each key.
    let mut asked = Vec::new();
    for (pair, both) in labels.iter().enumerate() {
        for label in both {
            for (which, label) in label.iter().enumerate() {
                asked.push(((pair, which, *label), random[asked.len()]));
            }
        }
    }
    let hash = |pair: usize, which: usize, label: Gf128| {
        let found = asked.iter().find(|((p, w, l), _)| *p == pair && *w == which && *l == label);
        found.expect("the evaluator hashes what the garbler hashed").1
    };
    for (pair, both) in labels.iter_mut().enumerate() {
        for label in both.iter_mut() {
            *label = [hash(pair, 0, label[0]), hash(pair, 1, label[1])];
        }
    }
    let mut tables = Vec::new();
    let zero = S::garble(x, y, offset, labels, &mut tables);
    assert_eq!(tables.len(), S::TABLE_BYTES);
    for values in 0..4 {
        let (a, b) = (F2::from_lsb(values), F2::from_lsb(values >> 1));
        let (x, y) = (x + offset * a, y + offset * b);
        let mut labels = [[[Gf128::ZERO; 2]; 1]; 2];
        let labels = &mut labels[..S::PAIRS];
        S::evaluator_labels(x, y, labels);
        for (pair, [label]) in labels.iter_mut().enumerate() {
            *label = [hash(pair, 0, label[0]), hash(pair, 1, label[1])];
        }
        assert!(S::evaluate(x, y, labels, &tables) == zero + offset * (a * b), "{values}");
    }
}

#[test]
fn equations_hold_for_all_colours_values_and_control_bits() {
    for case in 0..64_u8 {
        let mut random = labels(11, case);
        // Colours of the inputs, and the first row's control bits, run through all combinations; the rest is
        // random.
        let set = |x: Gf128, bit: u8| Gf128::from_bits(x.to_bits() & !1 | u128::from(bit & 1));
        let (x, y) = (set(random[0], case), set(random[1], case >> 1));
        let offset = set(random[2], 1);
        let random = &mut random[3..];
        // Hashes of A_0, B_0, ..., and fifth of A_0 + B_0.
        for (i, control) in [(0, case >> 2), (1, case >> 3)] {
            let bit = random[i] + random[4] + Gf128::from_bits(u128::from(control & 1) << 64);
            random[i] += Gf128::from_bits(bit.to_bits() & 1 << 64);
        }
        equations_hold::<HalfGates>(x, y, offset, random);
        equations_hold::<ThreeHalves>(x, y, offset, random);
    }
}

/// What the evaluator learns of control bits must not tell colours apart: over all bits of the first row each
/// row shows each pair of bits once.
#[test]
fn control_bits_of_each_row_are_uniform_whatever_the_colours() {
    use super::three_halves::control_bits;
    for (alpha, beta) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let rows = [0, 1, 2, 3].map(|bits| control_bits(alpha, beta, bits & 1, bits >> 1));
        for row in 0..4 {
            let mut seen = rows.map(|bits| bits[row]);
            seen.sort_unstable();
            assert_eq!(seen, [[0, 0], [0, 1], [1, 0], [1, 1]], "{alpha} {beta} {row}");
        }
    }
}

/// The table's bits must not tell colours apart either: whatever the colours and whatever row the evaluator
/// sees, the hashes that it lacks make each combination of the three bits equally likely.
#[test]
fn the_bits_of_a_table_are_uniform_whatever_the_colours_and_the_row() {
    let offset = Gf128::from_bits(labels(1, 3)[0].to_bits() | 1);
    let colour = |x: Gf128, bit: u8| Gf128::from_bits(x.to_bits() & !1 | u128::from(bit & 1));
    for colours in 0..4_u8 {
        let [x, y] = [colour(labels(1, 4)[0], colours), colour(labels(1, 5)[0], colours >> 1)];
        for row in 0..4_usize {
            let (i, j) = (row & 1, row >> 1);
            let k = i ^ j;
            let mut seen = [0; 8];
            // What it lacks: bits of hashes of the other labels.
            for missing in 0..8_u128 {
                let hash = |which: usize, place: usize, there: usize| {
                    let bit = if place == there { which as u128 + 1 } else { missing >> which };
                    Gf128::from_bits((bit & 1) << 64)
                };
                let hashes = [0, 1].map(|c| [hash(0, c, i), hash(1, c, j)]);
                let last = [0, 1].map(|c| [hash(2, c, k), Gf128::ZERO]);
                let mut tables = Vec::new();
                ThreeHalves::garble(x, y, offset, &[hashes, last], &mut tables);
                seen[usize::from(tables[24])] += 1;
            }
            assert_eq!(seen, [1; 8], "{colours} {row}");
        }
    }
}
