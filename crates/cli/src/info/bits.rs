//! What `info` says about statements about bits.

use serde::Serialize;
use volery_circuit::{Counter, Signature};
use volery_field::F2;

use super::Description;
use crate::output;

/// A statement about bits, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct BitInfo {
    statement: String,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
    secret_bits: u64,
    ands: u64,
    xors: u64,
    nots: u64,
    assertions: u64,
    /// The assertions about polynomials, and the greatest degree among them.
    polynomials: u64,
    polynomial_degree: usize,
    /// The greatest number of ANDs on any path.
    depth: u32,
    parts: Vec<Part>,
}

#[derive(Debug, Serialize)]
struct Value {
    name: String,
    bits: u32,
    public: bool,
}

#[derive(Debug, Serialize)]
struct Part {
    path: String,
    entered: u64,
    ands: u64,
    xors: u64,
}

impl BitInfo {
    pub(crate) fn new(statement: String, signature: &Signature, counter: &Counter<F2>) -> Self {
        let total = counter.total();
        let part = |part: volery_circuit::PartCounts| Part {
            path: part.path,
            entered: part.entered,
            ands: part.counts.multiplications,
            xors: part.counts.additions,
        };
        let input = |input: &volery_circuit::Input| Value {
            name: input.name.clone(),
            bits: input.width,
            public: input.public,
        };
        let output = |output: &volery_circuit::Output| Value {
            name: output.name.clone(),
            bits: output.width,
            public: true,
        };
        Self {
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
        }
    }
}

impl Description for BitInfo {
    fn text(&self) -> String {
        let mut lines = vec![self.statement.clone(), String::new()];
        let mut line = |name: &str, value: String| lines.push(format!("{name:<14}{value}"));
        for value in &self.inputs {
            let kind = if value.public { "public" } else { "secret" };
            line("input", format!("{}, {}, {kind}", value.name, output::counted(value.bits.into(), "bit")));
        }
        for value in &self.outputs {
            line("output", format!("{}, {}", value.name, output::counted(value.bits.into(), "bit")));
        }
        line("secret bits", output::count(self.secret_bits));
        line("ANDs", output::count(self.ands));
        line("XORs", output::count(self.xors));
        line("NOTs", output::count(self.nots));
        line("assertions", output::count(self.assertions));
        if self.polynomials > 0 {
            let polynomials = output::count(self.polynomials);
            line("polynomials", format!("{polynomials} of degree {} or less", self.polynomial_degree));
        }
        line("depth", output::counted(self.depth.into(), "AND"));
        lines.join("\n")
    }
}
