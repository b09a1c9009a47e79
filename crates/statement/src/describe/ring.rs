//! Circuits over machine words.

use serde::Serialize;
use volery_circuit::{Counter, Signature};
use volery_field::Ring;

use super::{Described, Description};

/// A circuit over a ring.
#[derive(Debug, Serialize)]
pub struct RingInfo {
    /// Its description in results.
    pub statement: String,
    /// The ring's name.
    pub ring: &'static str,
    /// Its inputs, in order.
    pub inputs: Vec<RingValue>,
    /// Its outputs, in order.
    pub outputs: Vec<RingValue>,
    /// The number of secret values.
    pub secrets: u64,
    /// The number of multiplications.
    pub multiplications: u64,
    /// The number of additions.
    pub additions: u64,
    /// Operations with a constant.
    pub affine: u64,
    /// The number of assertions.
    pub assertions: u64,
    /// The greatest number of multiplications on any path.
    pub depth: u32,
}

/// An input or an output.
#[derive(Debug, Serialize)]
pub struct RingValue {
    /// Its name.
    pub name: String,
    /// Its length in elements.
    pub elements: u32,
    /// Whether it is public.
    pub public: bool,
}

impl RingInfo {
    /// Describes a circuit over `R` that is called `statement`.
    pub(crate) fn of<R: Ring>(statement: String, signature: &Signature, counter: &Counter<R>) -> Described {
        let total = counter.total();
        let inputs = signature.inputs.iter().map(|input| RingValue {
            name: input.name.clone(),
            elements: input.width,
            public: input.public,
        });
        let outputs = signature.outputs.iter().map(|output| RingValue {
            name: output.name.clone(),
            elements: output.width,
            public: true,
        });
        let info = Self {
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
        };
        Described { description: Description::Ring(info), counts: total }
    }
}
