//! Statements about bits.

use serde::Serialize;
use volery_circuit::{Counter, Signature};
use volery_field::F2;

use super::{Described, Description};

/// A statement about bits.
#[derive(Debug, Serialize)]
pub struct BitInfo {
    /// Its description in results.
    pub statement: String,
    /// Its inputs, in order.
    pub inputs: Vec<BitValue>,
    /// Its outputs, in order.
    pub outputs: Vec<BitValue>,
    /// The number of secret bits.
    pub secret_bits: u64,
    /// The number of ANDs.
    pub ands: u64,
    /// The number of XORs.
    pub xors: u64,
    /// The number of NOTs.
    pub nots: u64,
    /// The number of assertions.
    pub assertions: u64,
    /// The number of assertions about polynomials.
    pub polynomials: u64,
    /// The greatest degree among them.
    pub polynomial_degree: usize,
    /// The greatest number of ANDs on any path.
    pub depth: u32,
    /// Its named parts.
    pub parts: Vec<Part>,
}

/// An input or an output.
#[derive(Debug, Serialize)]
pub struct BitValue {
    /// Its name.
    pub name: String,
    /// Its length in bits.
    pub bits: u32,
    /// Whether it is public.
    pub public: bool,
}

/// A named part.
#[derive(Debug, Serialize)]
pub struct Part {
    /// The names from the outermost part to this one, separated by `/`.
    pub path: String,
    /// How often it is run.
    pub entered: u64,
    /// The number of ANDs in it.
    pub ands: u64,
    /// The number of XORs in it.
    pub xors: u64,
}

impl BitInfo {
    /// Describes a statement about bits that is called `statement`.
    #[must_use]
    pub fn of(statement: String, signature: &Signature, counter: &Counter<F2>) -> Described {
        let total = counter.total();
        let part = |part: volery_circuit::PartCounts| Part {
            path: part.path,
            entered: part.entered,
            ands: part.counts.multiplications,
            xors: part.counts.additions,
        };
        let input = |input: &volery_circuit::Input| BitValue {
            name: input.name.clone(),
            bits: input.width,
            public: input.public,
        };
        let output = |output: &volery_circuit::Output| BitValue {
            name: output.name.clone(),
            bits: output.width,
            public: true,
        };
        let info = Self {
            statement,
            inputs: signature.inputs.iter().map(input).collect(),
            outputs: signature.outputs.iter().map(output).collect(),
            secret_bits: total.inputs,
            ands: total.multiplications,
            xors: total.additions,
            nots: total.affine,
            assertions: total.assertions,
            polynomials: total.polynomials,
            polynomial_degree: total.degree,
            depth: counter.depth(),
            parts: counter.parts().into_iter().map(part).collect(),
        };
        Described { description: Description::Bits(info), counts: total }
    }
}
