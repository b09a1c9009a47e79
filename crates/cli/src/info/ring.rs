//! Circuits over rings.

use serde::Serialize;
use volery::Statement;
use volery::public;
use volery_circuit::{Counter, Signature};

use super::Bare;
use super::public::PublicCost;
use crate::args::{RingArg, StatementArgs};
use crate::failure::Failure;
use crate::output;
use crate::ring::{self, RingFile, Served, in_ring};

/// What `--json` prints.
#[derive(Debug, Serialize)]
pub(super) struct RingInfo {
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
    public_proofs: Vec<PublicCost>,
}

#[derive(Debug, Serialize)]
struct Value {
    name: String,
    elements: u32,
    public: bool,
}

/// Of the circuit that `args` name, over `ring`.
pub(super) fn info(args: &StatementArgs, ring: RingArg) -> Result<RingInfo, Failure> {
    in_ring!(ring, over(args))
}

fn over<R: Served>(args: &StatementArgs) -> Result<RingInfo, Failure> {
    match ring::open::<R>(args)? {
        (_, Some(statement)) => {
            RingInfo::new::<R, _>(RingFile::text(&statement), &statement.signature(), &statement)
        }
        // Without a claim it has no assertions yet, but everything else.
        (file, None) => {
            let text = format!("circuit file over {}, nothing claimed about it yet", R::NAME);
            RingInfo::new::<R, _>(text, file.signature(), &Bare(&file))
        }
    }
}

impl RingInfo {
    fn new<R: Served, S>(text: String, signature: &Signature, statement: &S) -> Result<Self, Failure>
    where
        S: Statement<Counter<R>>,
    {
        let counter = Counter::<R>::count(statement)?;
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
        Ok(Self {
            statement: text,
            ring: R::NAME,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            secrets: total.inputs,
            multiplications: total.multiplications,
            additions: total.additions,
            affine: total.affine,
            assertions: total.assertions,
            depth: counter.depth(),
            public_proofs: PublicCost::all::<R>(public::Counts::of(&total)?)?,
        })
    }

    pub(super) fn text(&self) -> String {
        let mut lines = vec![self.statement.clone(), String::new()];
        let mut line = |name: &str, value: String| lines.push(format!("{name:<16}{value}"));
        for Value { name, elements, public } in &self.inputs {
            let kind = if *public { "public" } else { "secret" };
            line("input", format!("{name}, {} elements, {kind}", output::count((*elements).into())));
        }
        for Value { name, elements, .. } in &self.outputs {
            line("output", format!("{name}, {} elements", output::count((*elements).into())));
        }
        line("ring", self.ring.to_owned());
        line("secrets", output::count(self.secrets));
        line("multiplications", output::count(self.multiplications));
        line("additions", output::count(self.additions));
        line("with constants", output::count(self.affine));
        line("assertions", output::count(self.assertions));
        line("depth", format!("{} multiplications", output::count(self.depth.into())));
        lines.push(String::new());
        lines.extend(self.public_proofs.iter().map(PublicCost::text));
        lines.join("\n")
    }
}
