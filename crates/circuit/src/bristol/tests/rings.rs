//! Circuit files over rings.

use volery_field::{Ring, Z32, Z64};

use super::*;
use crate::{Gate, Input, Output, Parts, Signature};

/// `(x y - 5 x, x + 2^32 - 1)`, with every kind of gate and a wire set out of order.
const SOUND: &str = "8 10\n2 1 1\n2 1 1\n\n2 1 0 1 2 MUL\n1 1 5 3 EQ\n2 1 0 3 4 MUL\n2 1 2 4 6 SUB\n1 1 4294967295 5 EQ\n\
                     1 1 6 8 EQW\n2 1 0 5 7 ADD\n1 1 7 9 EQW\n";

fn compute<R: FileRing>(text: &str, inputs: Vec<R>) -> Vec<R> {
    let circuit = super::super::parse::<R>(text.as_bytes(), "f").expect("sound");
    circuit.compute(&mut Evaluator::<R>::new(), inputs).expect("computes").outputs
}

proptest! {
    #[test]
    fn gates_are_those_of_machine_words(x: u64, y: u64) {
        let (a, b) = (x as u32, y as u32);
        let expected = [a.wrapping_mul(b).wrapping_sub(a.wrapping_mul(5)), a.wrapping_add(u32::MAX)];
        prop_assert!(compute(SOUND, vec![Z32::new(a), Z32::new(b)]) == expected.map(Z32::new));
        let expected = [x.wrapping_mul(y).wrapping_sub(x.wrapping_mul(5)), x.wrapping_add(u32::MAX.into())];
        prop_assert!(compute(SOUND, vec![Z64::new(x), Z64::new(y)]) == expected.map(Z64::new));
    }

    #[test]
    fn a_written_circuit_over_a_ring_reads_back_as_the_same_function(
        kinds in prop::collection::vec((0..6_u8, any::<u32>(), any::<u32>()), 1..40),
        inputs: [u64; 3],
    ) {
        let wire = |pick: u32, wires: usize| pick % wires as u32;
        let constants = vec![Z64::ZERO, Z64::ONE, -Z64::ONE, Z64::new(1 << 40), Z64::new(5)];
        let gates: Vec<Gate> = kinds.iter().zip(3..).map(|(&(kind, x, y), wires)| {
            let (a, b, c) = (wire(x, wires), wire(y, wires), y % 5);
            match kind {
                0 => Gate::Constant(c),
                1 => Gate::Add(a, b),
                2 => Gate::Sub(a, b),
                3 => Gate::AddConstant(a, c),
                4 => Gate::Scale(a, c),
                _ => Gate::Mul(a, b),
            }
        }).collect();
        let outputs = vec![0, 2 + gates.len() as u32, 1];
        let signature = Signature {
            inputs: vec![Input { name: "x".into(), width: 3, public: false }],
            outputs: vec![Output { name: "y".into(), width: 3 }],
        };
        let asserted = vec![2 + gates.len() as u32 / 2];
        let circuit = Circuit::new(Parts { signature, constants, gates, outputs, asserted }).expect("sound");
        let mut text = Vec::new();
        write(&circuit, &mut text).expect("memory does not fail");
        let text = String::from_utf8(text).expect("ASCII");
        let inputs = inputs.map(Z64::new).to_vec();
        // The asserted wire need not be zero here.
        let free = Circuit::new(Parts {
            outputs: [circuit.outputs(), circuit.asserted()].concat(),
            asserted: Vec::new(),
            signature: Signature {
                outputs: vec![Output { name: "y".into(), width: 4 }],
                inputs: circuit.signature().inputs.clone(),
            },
            ..circuit.into_parts()
        }).expect("sound");
        let expected = free.compute(&mut Evaluator::<Z64>::new(), inputs.clone()).expect("computes").outputs;
        prop_assert!(compute(&text, inputs) == expected);
    }
}

#[test]
fn every_malformed_file_over_a_ring_is_refused_with_line_column_and_reason() {
    const HEAD: &str = "1 3\n1 2\n1 1\n\n";
    fn refused<R: FileRing>(gate: &str, column: u64, reason: &str) {
        match super::super::parse::<R>(format!("{HEAD}{gate}\n").as_bytes(), "f").expect_err(gate) {
            Error::Malformed { line: 5, column: c, reason: r, .. } => {
                assert!(c == column && r.contains(reason), "{gate}: column {c}: {r}");
            }
            other => panic!("{gate}: {other}"),
        }
    }
    for (gate, column, reason) in [
        ("2 1 0 1 2 XOR", 11, "\"XOR\" is no gate over Z32; there are ADD, SUB, MUL, EQ and EQW"),
        ("2 1 0 1 2 MAND", 11, "no gate"),
        ("4 2 0 1 0 1 2 2 MAND", 17, "no gate"),
        ("1 1 0 2 INV", 9, "no gate"),
        ("1 1 0 2 ADD", 9, "ADD has 2 input wires"),
        ("2 1 0 1 2 EQ", 11, "EQ has 1 constant"),
        ("2 1 0 2 2 SUB", 7, "wire 2 is used before it is set"),
        ("2 1 0 1 1 MUL", 9, "wire 1 is set a second time"),
        ("1 1 4294967296 2 EQ", 5, "4294967296 is too large"),
        ("1 1 -1 2 EQ", 5, "not a number"),
        ("1 1 4294967295 2 EQW", 5, "wire 4294967295 is out of range"),
    ] {
        refused::<Z32>(gate, column, reason);
    }
    for (gate, column, reason) in [
        ("1 1 18446744073709551616 2 EQ", 5, "too large"),
        ("1 1 000000000000000000001 2 EQ", 5, "too large"),
        ("1 1 00000000001 2 EQ", 5, "too large"),
        ("1 1 4294967296 2 EQW", 5, "4294967296 is too large for a wire"),
        ("1 1 18446744073709551615 2 INV", 28, "no gate over Z64"),
    ] {
        refused::<Z64>(gate, column, reason);
    }
    let bits = parse(format!("{HEAD}2 1 0 1 2 ADD\n").as_bytes(), "f").expect_err("over bits");
    assert!(bits.to_string().contains("\"ADD\" is no gate over F2"), "{bits}");
    let largest = compute(&format!("{HEAD}1 1 18446744073709551615 2 EQ\n"), vec![Z64::ZERO; 2]);
    assert!(largest == [-Z64::ONE]);
}

/// `x y - 5 x` and `x + 2^32 - 1` for a secret `x` and the public `y` 9.
fn statement<R: FileRing>(file: BristolFile<R>, claim: &str, x: R) -> FileStatement<R> {
    let claim = Claim::parse(claim.as_bytes(), "p", file.signature()).expect("fits");
    let statement = FileStatement::new(file, claim).expect("claims something");
    statement.with_witness(Witness::new(vec![x])).expect("fits")
}

#[test]
fn a_file_over_a_ring_holds_or_fails_kept_and_streamed_with_the_same_calls() {
    let file = file_with(SOUND);
    let identities = [BristolFile::<Z32>::open, BristolFile::open_streaming].map(|open| {
        let opened = open(file.path()).expect("sound");
        let tally = opened.tally();
        assert_eq!((tally.add, tally.sub, tally.mul, tally.copy, tally.constant), (1, 1, 2, 2, 2));
        let claim = "input 1 = 9\noutput 0 = 28\noutput 1 = 6";
        let holds = statement(opened.clone(), claim, Z32::new(7));
        Evaluator::check(&holds).expect("7 * 9 - 5 * 7 = 28");
        let error = Evaluator::check(&statement(opened.clone(), claim, Z32::new(8))).expect_err("false");
        assert_eq!(error, Error::Contradicted { place: "output 0".into(), claimed: "28".into() });
        let counter = Counter::count(&holds).expect("counts");
        // Products with constants are none.
        assert_eq!((counter.total().inputs, counter.total().multiplications), (1, 0));
        let mut digest = crate::Digest::new();
        Statement::<Counter<Z32>>::identify(&holds, &mut digest);
        (counter.total(), digest.finish())
    });
    assert_eq!(identities[0], identities[1]);
    // The same gates, claim and numbers over another ring are another statement.
    let other = BristolFile::<Z64>::open(file.path()).expect("sound");
    let other = statement(other, "input 1 = 9\noutput 0 = 28\noutput 1 = any", Z64::new(7));
    Evaluator::check(&other).expect("holds");
    let mut digest = crate::Digest::new();
    Statement::<Counter<Z64>>::identify(&other, &mut digest);
    assert_ne!(digest.finish(), identities[0].1);
}
