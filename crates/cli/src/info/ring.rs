//! What `info` says about circuits over rings.

use serde::Serialize;
use volery_circuit::{Counter, Signature};
use volery_field::Ring;

use super::Description;
use crate::output;

/// A circuit over a ring, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(crate) struct RingInfo {
    statement: String,
    ring: &'static str,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
    secrets: u64,
    multiplications: u64,
    additions: u64,
    /// Operations with a constant.
    affine: u64,
    assertions: u64,
    /// The greatest number of multiplications on any path.
    depth: u32,
}

#[derive(Debug, Serialize)]
struct Value {
    name: String,
    elements: u32,
    public: bool,
}

impl RingInfo {
    pub(crate) fn new<R: Ring>(statement: String, signature: &Signature, counter: &Counter<R>) -> Self {
        let total = counter.total();
        let inputs = signature.inputs.iter().map(|input| Value {
            name: input.name.clone(),
            elements: input.width,
            public: input.public,
        });
        let outputs = signature.outputs.iter().map(|output| Value {
            name: output.name.clone(),
            elements: output.width,
            public: true,
        });
        Self {
            statement,
            ring: R::NAME,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            secrets: total.inputs,
            multiplications: total.multiplications,
            additions: total.additions,
            affine: total.affine,
            assertions: total.assertions,
            depth: counter.depth(),
        }
    }
}

impl Description for RingInfo {
    fn text(&self) -> String {
        let mut lines = vec![self.statement.clone(), String::new()];
        let mut line = |name: &str, value: String| lines.push(format!("{name:<16}{value}"));
        for Value { name, elements, public } in &self.inputs {
            let kind = if *public { "public" } else { "secret" };
            line("input", format!("{name}, {}, {kind}", output::counted((*elements).into(), "element")));
        }
        for Value { name, elements, .. } in &self.outputs {
            line("output", format!("{name}, {}", output::counted((*elements).into(), "element")));
        }
        line("ring", self.ring.to_owned());
        line("secrets", output::count(self.secrets));
        line("multiplications", output::count(self.multiplications));
        line("additions", output::count(self.additions));
        line("with constants", output::count(self.affine));
        line("assertions", output::count(self.assertions));
        line("depth", output::counted(self.depth.into(), "multiplication"));
        lines.join("\n")
    }
}
