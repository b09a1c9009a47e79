//! Entry points for fuzzers: plain functions that must return for all bytes. Unit tests call them too.

use std::io::Cursor;
use std::sync::Arc;

use volery_field::{Bn254Scalar, F2, F61, Z32, Z64};

use crate::bristol::FileRing;
use crate::numbers::{read_numbers, write_numbers};
use crate::r1cs::{Assignment, Counts, Header, PrimeField, R1cs, R1csStatement, read_public, write_public};
use crate::{Claim, Counter, Evaluator, Input, Output, Signature, Witness, bristol};

/// Reads `text` as a circuit file. If that gives a circuit, runs it, writes it and reads it again.
pub fn bristol(text: &[u8]) {
    bristol_over::<F2>(text);
}

/// Does the same with `text` as a circuit file over rings, and reads it as numbers and as a claim about the
/// circuit.
pub fn ring_circuit(text: &[u8]) {
    bristol_over::<Z32>(text);
    bristol_over::<Z64>(text);
    let output = Output { name: "output 0".into(), width: 3 };
    let input = Input { name: "input 0".into(), width: 2, public: false };
    let signature = Signature { inputs: vec![input], outputs: vec![output] };
    if let Ok(numbers) = read_numbers::<Z64>(text, "fuzz", 3) {
        let mut written = Vec::new();
        if write_numbers(&numbers, &mut written).is_ok() {
            assert!(read_numbers::<Z64>(&*written, "written", 3).is_ok_and(|again| *again == *numbers));
        }
    }
    if let Ok(claim) = Claim::<Z32>::parse(text, "fuzz", &signature) {
        assert!(claim.elements().count() <= 5);
    }
}

fn bristol_over<R: FileRing>(text: &[u8]) {
    let Ok(circuit) = bristol::parse::<R>(text, "fuzz") else { return };
    let ones = vec![R::ONE; circuit.input_wires() as usize];
    let first = circuit.compute(&mut Evaluator::<R>::new(), ones.clone());
    let mut written = Vec::new();
    if bristol::write(&circuit, &mut written).is_err() {
        return;
    }
    let again = bristol::parse::<R>(&written, "written").map(|c| c.compute(&mut Evaluator::new(), ones));
    let outputs = |computed: Result<crate::Computed<_>, _>| computed.map(|c| c.outputs);
    assert_eq!(again.map(outputs), Ok(outputs(first)), "writing changed the circuit");
}

/// Reads `text` as a witness and as a claim.
pub fn values(text: &[u8]) {
    let input = |name: &str, width, public| Input { name: name.into(), width, public };
    let signature = Signature {
        inputs: vec![input("input 0", 5, false), input("input 1", 8, true), input("input 2", 64, false)],
        outputs: vec![Output { name: "output 0".into(), width: 3 }],
    };
    if let Ok(witness) = Witness::parse(text, "fuzz", &signature) {
        assert_eq!(witness.values().len(), 69);
    }
    if let Ok(claim) = Claim::<F2>::parse(text, "fuzz", &signature) {
        let again = Claim::parse(text, "fuzz", &claim.mark(signature));
        assert_eq!(again, Ok(claim));
    }
}

/// Reads `bytes` as a constraint system. If that succeeds, counts, writes and reads it again.
pub fn r1cs(bytes: &[u8]) {
    r1cs_over::<F61>(bytes);
    r1cs_over::<Bn254Scalar>(bytes);
}

fn r1cs_over<F: PrimeField>(bytes: &[u8]) {
    let header = Header::read(Cursor::new(bytes), "fuzz");
    let Ok(system) = R1cs::<F>::read(Cursor::new(bytes), "fuzz") else { return };
    assert_eq!(header.as_ref(), Ok(system.header()), "a header is read in two ways");
    let mut written = Vec::new();
    if system.write(&mut written).is_err() {
        return;
    }
    let again = R1cs::<F>::read(Cursor::new(&written), "written").map(|system| system.hash());
    // The number of labels is hashed with the header, and the writer changes it, so the hash is stable only
    // after the first writing.
    let mut twice = Vec::new();
    let rewritten = R1cs::<F>::read(Cursor::new(&written), "written").map(|system| system.write(&mut twice));
    assert!(again.is_ok() && rewritten.is_ok_and(|result| result.is_ok()), "writing broke the system");
    assert!(twice == written, "writing changed the system");
    let public = vec![F::default(); system.header().counts.public()];
    let statement = R1csStatement::new(Arc::new(system), public);
    assert!(statement.is_ok_and(|statement| Counter::count(&statement).is_ok()), "a system cannot be run");
}

/// Reads `bytes` as the values of all wires. If they are accepted, writes and reads them again.
pub fn wtns(bytes: &[u8]) {
    wtns_over::<F61>(bytes);
    wtns_over::<Bn254Scalar>(bytes);
}

fn wtns_over<F: PrimeField>(bytes: &[u8]) {
    let Ok(assignment) = Assignment::<F>::read(Cursor::new(bytes), "fuzz") else { return };
    let mut written = Vec::new();
    if assignment.write(&mut written).is_err() {
        return;
    }
    let again = Assignment::<F>::read(Cursor::new(&written), "written");
    assert!(again.is_ok_and(|again| again.values() == assignment.values()), "writing changed the values");
}

/// Reads `text` as public values. If they are accepted, writes and reads them again.
pub fn public_json(text: &[u8]) {
    let counts = Counts { wires: 10, outputs: 1, public_inputs: 2, private_inputs: 3 };
    let Ok(values) = read_public::<F61>(text, "fuzz", &counts) else { return };
    assert_eq!(values.len(), 3);
    let mut written = Vec::new();
    if write_public(&values, &mut written).is_err() {
        return;
    }
    let again = read_public::<F61>(written.as_slice(), "written", &counts);
    assert!(again.is_ok_and(|again| again == values), "writing changed the values");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::r1cs::sample;

    proptest! {
        #[test]
        fn changed_systems_and_values_are_read_without_panic(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            length in any::<prop::sample::Index>(),
        ) {
            let (system, assignment) = sample::<volery_field::F61>(3, 8).expect("few");
            let (mut r1cs, mut wtns) = (Vec::new(), Vec::new());
            system.write(&mut r1cs).expect("memory");
            assignment.write(&mut wtns).expect("memory");
            for bytes in [&mut r1cs, &mut wtns] {
                for (at, byte) in &changes {
                    let at = at.index(bytes.len());
                    bytes[at] = *byte;
                }
            }
            super::r1cs(&r1cs);
            super::wtns(&wtns);
            super::r1cs(&r1cs[..length.index(r1cs.len())]);
            super::wtns(&wtns[..length.index(wtns.len())]);
        }

        #[test]
        fn arrays_that_are_almost_right_are_read_without_panic(
            words in prop::collection::vec(prop::sample::select(vec![
                "[", "]", ",", "\"", "0", "1", "2305843009213693950", "2305843009213693951", "\n", " ", "-", "{", "\\u",
            ]), 0..20),
        ) {
            super::public_json(words.concat().as_bytes());
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(text in prop::collection::vec(any::<u8>(), 0..300)) {
            super::bristol(&text);
            super::ring_circuit(&text);
            super::values(&text);
            super::r1cs(&text);
            super::wtns(&text);
            super::public_json(&text);
        }

        #[test]
        fn texts_that_are_almost_right_are_read_without_panic(
            words in prop::collection::vec(prop::sample::select(vec![
                "0", "1", "2", "3", "5", "4294967295", "XOR", "AND", "INV", "EQ", "EQW", "MAND", "\n", "\r\n", "0x1", "0b011",
                "ADD", "SUB", "MUL", "18446744073709551615", "-1",
                "0x00000000000000ff", "input 0", "input 1", "output 0", "=", "any", "#",
            ]), 0..60),
        ) {
            let text = words.join(" ");
            super::bristol(text.as_bytes());
            super::ring_circuit(text.as_bytes());
            super::values(text.as_bytes());
        }
    }
}
