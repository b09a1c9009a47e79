//! Tests of the reader, the writer and file statements. Every circuit here is made by this crate.

use std::io::Write as _;
use std::sync::Arc;

use proptest::prelude::*;
use volery_field::F2;

use super::*;
use crate::testing::{RandomCircuit, Size};
use crate::{Circuit, Claim, Counter, Error, Evaluator, Ops, Recorder, Statement, Witness};

mod rings;

/// As [`super::parse`], over bits.
fn parse(text: &[u8], what: &str) -> Result<Circuit<F2>, Error> {
    super::parse(text, what)
}

/// Every kind of gate, with wires set out of order.
const SOUND: &str =
    "5 9\n2 1 2\n1 3\n\n2 1 0 1 4 XOR\n1 1 4 6 INV\n1 1 1 3 EQ\n4 2 0 3 1 2 5 7 MAND\n1 1 5 8 EQW\n\n";

/// An adder of two 8-bit numbers with a 9-bit sum, from full adders with one AND each.
fn adder() -> Circuit<F2> {
    let mut b = Recorder::<F2>::new();
    let x = b.input("x", 8, false).expect("small");
    let y = b.input("y", 8, false).expect("small");
    let mut carry = b.constant(F2::ZERO);
    let mut sum = Vec::new();
    for (x, y) in x.iter().zip(&y) {
        let (xc, yc) = (b.add(x, &carry), b.add(y, &carry));
        sum.push(b.add(&xc, y));
        let product = b.mul(&xc, &yc).expect("small");
        carry = b.add(&product, &carry);
    }
    sum.push(carry);
    b.finish(&[("sum", &sum)]).expect("sound")
}

fn bits(value: u32, width: usize) -> Vec<F2> {
    (0..width).map(|i| F2::from_lsb(u64::from(value >> i))).collect()
}

fn number(bits: &[F2]) -> u32 {
    bits.iter().rev().fold(0, |sum, bit| 2 * sum + u32::from(bit.to_u8()))
}

fn text_of(circuit: &Circuit<F2>) -> String {
    let mut text = Vec::new();
    write(circuit, &mut text).expect("memory does not fail");
    String::from_utf8(text).expect("ASCII")
}

fn outputs(circuit: &Circuit<F2>, inputs: Vec<F2>) -> Vec<F2> {
    circuit.compute(&mut Evaluator::<F2>::new(), inputs).expect("computes").outputs
}

/// `adder` in the older format: another header, and no constants.
fn old_adder() -> String {
    text_of(&adder()).replace("2 8 8\n1 9\n", "8 8   9\n").replace("1 1 0 16 EQ\n", "2 1 0 0 16 XOR\n")
}

#[test]
fn a_sound_file_with_every_kind_of_gate_is_read() {
    let circuit = parse(SOUND.as_bytes(), "f").expect("sound");
    // Wires 0..3 are inputs; 4 = 0^1, 6 = !4, 3 = 1, 5 = 0&1, 7 = 3&2, 8 = 5; outputs 6, 7, 8.
    for value in 0..8 {
        let (a, b, c) = (value & 1, value >> 1 & 1, value >> 2 & 1);
        let expected = (1 ^ a ^ b) | c << 1 | (a & b) << 2;
        assert_eq!(number(&outputs(&circuit, bits(value, 3))), expected);
    }
    assert_eq!(circuit.multiplications(), 2);
}

#[test]
fn both_formats_of_an_adder_add() {
    let old = old_adder();
    assert_eq!(Reader::<_, F2>::new(old.as_bytes(), "f", None).expect("sound").header().format, Format::Old);
    let circuits = [parse(text_of(&adder()).as_bytes(), "f"), parse(old.as_bytes(), "f")];
    for circuit in circuits {
        let circuit = circuit.expect("sound");
        for (x, y) in [(0, 0), (255, 1), (255, 255), (170, 85), (77, 200)] {
            let inputs = [bits(x, 8), bits(y, 8)].concat();
            assert_eq!(number(&outputs(&circuit, inputs)), x + y);
        }
    }
}

#[test]
fn headers_of_both_formats_are_told_apart() {
    let format = |text: &str| Reader::<_, F2>::new(text.as_bytes(), "f", None).map(|r| r.header().clone());
    let header = |format, inputs: &[u32], outputs: &[u32]| {
        Ok(Header { format, gates: 0, wires: 4, inputs: inputs.into(), outputs: outputs.into() })
    };
    assert_eq!(format("0 4\n2 1 1\n1 2\n"), header(Format::Fashion, &[1, 1], &[2]));
    assert_eq!(format("0 4\r\n\r\n2 1 1"), header(Format::Old, &[2, 1], &[1]));
    assert_eq!(format("0 4\n2 0 1\n"), header(Format::Old, &[2], &[1]));
    assert_eq!(format("0 4\n1 4\n0\n"), header(Format::Fashion, &[4], &[]));
}

/// Reads to the end.
fn read(text: &[u8], length: Option<u64>) -> Result<u32, Error> {
    let mut reader = Reader::<_, F2>::new(text, "f", length)?;
    let mut gates = 0;
    while reader.next_gate()?.is_some() {
        gates += 1;
    }
    Ok(gates)
}

#[test]
fn every_malformed_file_is_refused_with_line_column_and_reason() {
    const HEAD: &str = "2 5\n2 1 2\n1 1\n\n";
    let file = |gates: &str| format!("{HEAD}{gates}");
    let good = "2 1 0 1 3 AND\n";
    assert_eq!(read(file(&format!("{good}1 1 3 4 INV\n")).as_bytes(), None), Ok(2));
    let cases: Vec<(String, u64, u64, &str)> = vec![
        // The header.
        (String::new(), 1, 1, "the number of gates should be"),
        ("\n \n".into(), 3, 1, "the number of gates should be"),
        ("2\n".into(), 1, 1, "not 1 number"),
        ("2 5 7\n".into(), 1, 1, "not 3 numbers"),
        ("2 x\n".into(), 1, 3, "\"x\" is not a number"),
        ("2 -5\n".into(), 1, 3, "is not a number"),
        ("2 4294967296\n".into(), 1, 3, "too large"),
        ("2 99999999999999999999999\n".into(), 1, 3, "too large"),
        ("2 5\n".into(), 2, 1, "the inputs should be"),
        ("2 5\n2 1 2\n".into(), 3, 1, "ends after 0 gates"),
        ("2 5\n1 2\n".into(), 3, 1, "the outputs should be"),
        ("2 5\n3 1 1\n1 1\n".into(), 2, 1, "promises 3 input widths and has 2"),
        ("2 5\n2 1 2\n2 1\n".into(), 3, 1, "promises 2 output widths and has 1"),
        ("2 5\n2 3 3\n1 1\n".into(), 3, 1, "do not fit in 5 wires"),
        ("2 5\n1 1\n1 6\n".into(), 3, 1, "do not fit in 5 wires"),
        ("2 5\n2 4294967295 4294967295\n1 1\n".into(), 3, 1, "do not fit"),
        // Numbers and names of gates.
        (file("2 1 0 1 AND\n"), 5, 9, "\"AND\" is not a number; a wire"),
        (file("2 1 0 1 3\n"), 5, 10, "gate's name should be"),
        (file("2 1 0 1"), 5, 8, "the line ends where a wire"),
        (file("2\n"), 5, 2, "the number of output wires"),
        (file("2 1 0 1 3 NAND\n"), 5, 11, "\"NAND\" is no gate"),
        (file("2 1 0 1 3 and\n"), 5, 11, "\"and\" is no gate"),
        (file("2 1 0 1 3 AND 4\n"), 5, 15, "goes on after"),
        (file("2 1 0 1 3 4 AND\n"), 5, 13, "goes on after"),
        (file("2 1 0x0 1 3 AND\n"), 5, 5, "\"0x0\" is not a number"),
        (file("2 1 \u{e9} 1 3 AND\n"), 5, 5, "0xc3 is not ASCII"),
        (file("2 1 0\0 1 3 AND\n"), 5, 5, "0x00 is not ASCII"),
        (file("2 1 0 1 3 \u{e9}\n"), 5, 11, "is no gate"),
        (file("2 1 0 1 4294967299 AND\n"), 5, 9, "too large"),
        // Arity.
        (file("1 1 0 3 AND\n"), 5, 9, "AND has 2 input wires and 1 output wire, not 1 and 1"),
        (file("1 1 0 3 MAND\n"), 5, 9, "MAND has 2n"),
        (file("2 1 0 1 3 INV\n"), 5, 11, "INV has 1 input wire"),
        (file("2 1 0 1 3 EQ\n"), 5, 11, "EQ has 1 constant"),
        (file("4 2 0 1 1 0 3 4 AND\n"), 5, 17, "AND has 2 input"),
        (file("3 1 0 1 2 3 AND\n"), 5, 1, "no gate has 3 input and 1 output"),
        (file("0 0 MAND\n"), 5, 1, "no gate has 0"),
        (file("4294967294 2147483647 0 1 MAND\n"), 5, 27, "\"MAND\" is not a number"),
        (file("4 4294967295 0 1 MAND\n"), 5, 1, "no gate has 4"),
        (file("1 1 2 3 EQ\n"), 5, 5, "constant 0 or 1"),
        // Wires.
        (file("2 1 0 4 3 AND\n"), 5, 7, "wire 4 is used before it is set"),
        (file("2 1 3 0 3 AND\n"), 5, 5, "wire 3 is used before it is set"),
        (file("1 1 3 4 INV\n"), 5, 5, "wire 3 is used before it is set"),
        (file("4 2 0 1 2 3 3 4 MAND\n"), 5, 11, "wire 3 is used before it is set"),
        (file("2 1 0 1 2 AND\n"), 5, 9, "wire 2 is set a second time"),
        (file("2 1 0 1 3 AND\n1 1 1 3 EQ\n"), 6, 7, "wire 3 is set a second time"),
        (file("1 1 0 4 EQW\n1 1 0 4 EQW\n"), 6, 7, "wire 4 is set a second time"),
        (file("4 2 0 1 2 0 3 3 MAND\n"), 5, 15, "wire 3 is set a second time"),
        (file("2 1 0 1 5 AND\n"), 5, 9, "wire 5 is out of range: the circuit has 5 wires"),
        (file("2 1 0 5 3 AND\n"), 5, 7, "wire 5 is out of range"),
        // Counts.
        (file(good), 6, 1, "ends after 1 gate; its header promises 2"),
        (file(&format!("{good}1 1 3 4 INV\n\n 1 1 3 4 INV\n")), 8, 2, "more after the 2 gates"),
        (file(&format!("{good}1 1 3 4 INV\nend")), 7, 1, "more after the 2 gates"),
        ("1 5\n2 1 2\n1 1\n2 1 0 1 3 AND\n".into(), 5, 1, "no gate sets output wire 4"),
    ];
    for (text, line, column, reason) in cases {
        match read(text.as_bytes(), None).expect_err(&text) {
            Error::Malformed { what, line: l, column: c, reason: r } => {
                assert_eq!((what.as_str(), l, c), ("f", line, column), "{text:?}: {r}");
                assert!(r.contains(reason), "{text:?}: {r}");
            }
            other => panic!("{text:?}: {other}"),
        }
        assert!(parse(text.as_bytes(), "f").is_err(), "{text:?}");
    }
}

#[test]
fn a_header_cannot_claim_more_than_the_file_can_describe() {
    for text in ["1 4294967295\n1 1\n1 1\n1 1 0 4294967294 INV\n", "0 4294967295\n1 4294967295\n1 1\n"] {
        let error = parse(text.as_bytes(), "f").expect_err("too much");
        assert!(matches!(error, Error::Malformed { reason, .. } if reason.contains("can describe")));
    }
}

#[test]
fn a_line_without_end_is_refused() {
    let mut text = b"1 2\n1 1\n1 1\n".to_vec();
    text.resize(3 << 20, b' ');
    let error = read(&text, None).expect_err("too long");
    assert!(matches!(error, Error::Malformed { line: 4, reason, .. } if reason.contains("longer than")));
}

#[test]
fn a_long_mand_that_outgrows_the_buffer_is_read() {
    let n = 20_000_u32;
    let list = |from: u32| (from..from + n).map(|w| format!(" {w}")).collect::<String>();
    let text =
        format!("1 {}\n2 {n} {n}\n1 {n}\n{} {n}{}{}{} MAND", 3 * n, 2 * n, list(0), list(n), list(2 * n));
    let circuit = parse(text.as_bytes(), "f").expect("sound");
    assert_eq!((circuit.multiplications(), circuit.outputs().len()), (u64::from(n), n as usize));
}

#[test]
fn results_do_not_depend_on_how_bytes_arrive() {
    /// Gives a few bytes at a time.
    struct Dripping<'a>(&'a [u8], usize);
    impl std::io::Read for Dripping<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(buffer.len()).min(self.0.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }
    let text = text_of(&adder());
    let gates = |source: &mut dyn std::io::Read| {
        let mut reader = Reader::<_, F2>::new(source, "f", None).expect("sound");
        let mut gates = Vec::new();
        while let Some(gate) = reader.next_gate().expect("sound") {
            gates.push(format!("{gate:?}"));
        }
        gates
    };
    let whole = gates(&mut text.as_bytes());
    for step in [1, 2, 3, 7, 100] {
        assert_eq!(gates(&mut Dripping(text.as_bytes(), step)), whole);
    }
}

proptest! {
    #[test]
    fn a_written_circuit_reads_back_as_the_same_function(seed: u64, ands in 0..60_u32, xors in 0..60_u32, asserted in 0..4_u32) {
        let size = Size { inputs: 9, ands, xors, invs: 8, outputs: 5, asserted };
        let RandomCircuit { circuit, witness } = RandomCircuit::new(seed, size);
        let again = parse(text_of(&circuit).as_bytes(), "f").expect("sound");
        prop_assert_eq!(again.multiplications(), circuit.multiplications());
        prop_assert_eq!(again.signature().outputs.len(), 1 + usize::from(asserted > 0));
        for flip in 0..9 {
            let mut inputs = witness.clone();
            inputs[flip] += F2::ONE;
            let computed = circuit.compute(&mut Evaluator::<F2>::new(), inputs.clone()).expect("computes");
            prop_assert_eq!(outputs(&again, inputs), [computed.outputs, computed.asserted].concat());
        }
        prop_assert_eq!(text_of(&parse(text_of(&again).as_bytes(), "f").expect("sound")), text_of(&again).clone());
    }

    #[test]
    fn damaged_files_never_panic(seed: u64, edits in prop::collection::vec((any::<u16>(), prop_oneof![
        Just(b' '), Just(b'\n'), b'0'..=b'9', Just(b'-'), any::<u8>()]), 1..6)) {
        let circuit = RandomCircuit::new(seed, Size::small()).circuit;
        let mut text = text_of(&circuit).into_bytes();
        for (at, byte) in edits {
            let at = usize::from(at) % text.len();
            text[at] = byte;
        }
        crate::fuzz::bristol(&text);
    }
}

/// A file with `text` that lasts as long as the value.
fn file_with(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("writes");
    file
}

/// A statement about the 8-bit adder: 77 is public, the other is secret, and they give `sum`.
fn statement(file: BristolFile, sum: &str) -> FileStatement {
    let claim = format!("input 1 = 0x4d\noutput 0 = {sum}\n");
    let claim = Claim::parse(claim.as_bytes(), "p", file.signature()).expect("fits");
    let statement = FileStatement::new(file, claim).expect("claims something");
    let witness = Witness::parse(b"0xc8", "w", &statement.signature()).expect("fits");
    statement.with_witness(witness).expect("fits")
}

/// A file on disk and in memory, each kept as a circuit and streamed; and the one on disk.
fn opened(text: &str) -> ([BristolFile; 4], tempfile::NamedTempFile) {
    let (file, content) = (file_with(text), Arc::new(text.as_bytes().to_vec()));
    let opened = [
        BristolFile::open(file.path()),
        BristolFile::open_streaming(file.path()),
        BristolFile::of_bytes(content.clone(), "memory"),
        BristolFile::of_bytes_streaming(content, "memory"),
    ];
    (opened.map(|file| file.expect("sound")), file)
}

#[test]
fn a_file_statement_holds_or_fails_the_same_kept_and_streamed() {
    let (all, _file) = opened(&text_of(&adder()));
    for opened in all {
        assert_eq!((opened.tally().mul, opened.tally().constant), (8, 1));
        Evaluator::check(&statement(opened.clone(), "0x115")).expect("200 + 77 = 277");
        let error = Evaluator::check(&statement(opened, "0x114")).expect_err("false");
        assert_eq!(error, Error::Contradicted { place: "output 0, bit 0".into(), claimed: "0".into() });
    }
}

#[test]
fn kept_and_streamed_files_make_the_same_calls_and_have_the_same_identity() {
    let no_inputs = "2 2\n0\n1 2\n1 1 1 1 EQ\n1 1 1 0 INV\n";
    for (text, claim) in [
        (text_of(&adder()), "output 0 = 0x000"),
        (SOUND.to_owned(), "input 0 = 0b1\noutput 0 = 0b101"),
        (no_inputs.to_owned(), "output 0 = 0b10"),
    ] {
        let (all, _file) = opened(&text);
        let counted = all.map(|opened| {
            let claim = Claim::parse(claim.as_bytes(), "p", opened.signature()).expect("fits");
            let statement = FileStatement::new(opened, claim).expect("claims something");
            let counter = Counter::count(&statement).expect("counts");
            let mut digest = crate::Digest::new();
            Statement::<Counter<F2>>::identify(&statement, &mut digest);
            (counter.total(), counter.depth(), counter.parts(), digest.finish())
        });
        assert!(counted.iter().all(|other| *other == counted[0]), "{text}");
    }
}

#[test]
fn a_file_that_changes_after_it_was_opened_is_an_error() {
    let text = text_of(&adder());
    for changed in [
        text.replacen("AND", "XOR", 1),
        text.replacen("XOR", "NOT", 1),
        text.replace("2 8 8", "1 16 "),
        format!("{text}\n"),
        text[..text.len() / 2].to_owned(),
        text.replacen("2 1 0 16", "2 1 0 99", 1),
        text.replacen("2 1 0 16 17 XOR", "2 1 0 30 17 XOR", 1),
        String::new(),
    ] {
        assert_ne!(text, changed);
        let file = file_with(&text);
        let statement = statement(BristolFile::open_streaming(file.path()).expect("sound"), "0x115");
        Evaluator::check(&statement).expect("holds");
        std::fs::write(file.path(), &changed).expect("writes");
        assert!(matches!(Evaluator::check(&statement), Err(Error::Changed { .. })), "{changed}");
    }
}

#[test]
fn what_cannot_be_a_circuit_file_is_an_io_error() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for path in [directory.path().to_owned(), directory.path().join("missing.txt")] {
        assert!(matches!(BristolFile::<F2>::open(path), Err(Error::Io { .. })));
    }
}

#[test]
fn a_claim_that_leaves_everything_open_is_refused() {
    let file = file_with(&text_of(&adder()));
    let opened = BristolFile::<F2>::open(file.path()).expect("sound");
    let claim = Claim::parse(b"output 0 = any", "p", opened.signature()).expect("fits");
    assert!(matches!(FileStatement::new(opened, claim), Err(Error::Public(_))));
}

#[test]
fn a_file_s_claim_is_what_it_computes_whether_it_folds_constants_or_not() {
    let folder = tempfile::tempdir().expect("a folder");
    // The AND of the inputs, their sum, and a constant.
    for (gates, constant) in [("1 1 1 4 EQ", "0b1"), ("2 1 0 0 4 XOR", "0b0")] {
        let path = folder.path().join("circuit");
        std::fs::write(&path, format!("3 5\n2 1 1\n2 2 1\n\n2 1 0 1 2 AND\n2 1 0 1 3 XOR\n{gates}\n"))
            .expect("written");
        for file in [BristolFile::<F2>::open(&path), BristolFile::open_streaming(&path)] {
            let file = file.expect("well-formed");
            let secret = Claim::open(file.signature());
            let one = b"input 0 = 0b1\noutput 0 = any\noutput 1 = any";
            let one = Claim::parse(one, "p", file.signature()).expect("well-formed");
            for (inputs, witness, expected) in [
                (&secret, vec![F2::ONE, F2::ZERO], "output 0 = 0b10\n"),
                (&one, vec![F2::ONE], "input 0 = 0b1\noutput 0 = 0b01\n"),
            ] {
                let claim = file.claim(inputs, Witness::new(witness.clone())).expect("computed");
                let mut text = Vec::new();
                claim.write(file.signature(), &mut text).expect("memory");
                assert_eq!(
                    String::from_utf8(text).expect("ASCII"),
                    format!("{expected}output 1 = {constant}\n")
                );
                let statement = FileStatement::new(file.clone(), claim).expect("claims something");
                let statement = statement.with_witness(Witness::new(witness)).expect("fits");
                assert_eq!(Evaluator::check(&statement), Ok(()));
            }
            assert!(matches!(file.claim(&one, Witness::new(vec![F2::ONE; 2])), Err(Error::Witness(_))));
        }
    }
}
