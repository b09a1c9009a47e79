//! Entry points for fuzzers: plain functions that must return, whatever the bytes. Unit tests call them too.

use crate::{Claim, Evaluator, Input, Output, Signature, Witness, bristol};

/// Reads `text` as a circuit file; a circuit that comes of it is run, written and read again.
pub fn bristol(text: &[u8]) {
    let Ok(circuit) = bristol::parse(text, "fuzz") else { return };
    let zeros = vec![volery_field::F2::ZERO; circuit.input_wires() as usize];
    let first = circuit.compute(&mut Evaluator::<volery_field::F2>::new(), zeros.clone());
    let mut written = Vec::new();
    if bristol::write(&circuit, &mut written).is_err() {
        return;
    }
    let again = bristol::parse(&written, "written").map(|c| c.compute(&mut Evaluator::new(), zeros));
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
    if let Ok(claim) = Claim::parse(text, "fuzz", &signature) {
        let again = Claim::parse(text, "fuzz", &claim.mark(signature));
        assert_eq!(again, Ok(claim));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(text in prop::collection::vec(any::<u8>(), 0..300)) {
            super::bristol(&text);
            super::values(&text);
        }

        #[test]
        fn texts_that_are_almost_right_are_read_without_panic(
            words in prop::collection::vec(prop::sample::select(vec![
                "0", "1", "2", "3", "5", "4294967295", "XOR", "AND", "INV", "EQ", "EQW", "MAND", "\n", "\r\n", "0x1", "0b011",
                "0x00000000000000ff", "input 0", "input 1", "output 0", "=", "any", "#",
            ]), 0..60),
        ) {
            let text = words.join(" ");
            super::bristol(text.as_bytes());
            super::values(text.as_bytes());
        }
    }
}
