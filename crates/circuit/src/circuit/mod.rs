//! The flat circuit: a list of gates over one ring, checked once when it is made.
//!
//! Most statements stream and never become a circuit. Protocols that need a whole circuit (Robin, Batchman,
//! ZKBoo), files, and tests use this form. Wires `0..n` are the inputs, and wire `n + g` is the output of
//! gate `g`. So a gate need not store its output, and takes 12 bytes. A gate reads only wires below its own,
//! so the list is in topological order.
//!
//! | module | what it holds |
//! |---|---|
//! | here | [`Circuit`], its parts, its checks and its digest |
//! | `run` | running it on a backend with memory for its live wires only |
//! | `recorder` | [`Recorder`], the backend that makes circuits of statements |
//! | `statement` | [`CircuitStatement`], a circuit with a claim about it |

mod recorder;
mod run;
mod statement;

use std::sync::OnceLock;

use volery_field::Ring;

pub use recorder::{Recorded, Recorder};
pub use run::{Computed, Schedule, Step};
pub use statement::CircuitStatement;

use crate::{Digest, Error};

/// One gate of a [`Circuit`]. Operands are wire numbers, or, where noted, indices into [`Parts::constants`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// A constant, by index.
    Constant(u32),
    /// `x + y`.
    Add(u32, u32),
    /// `x - y`.
    Sub(u32, u32),
    /// `x + c`, the constant by index.
    AddConstant(u32, u32),
    /// `c * x`, the constant by index.
    Scale(u32, u32),
    /// `x * y`.
    Mul(u32, u32),
}

impl Gate {
    /// The wires that the gate reads.
    #[must_use]
    pub fn operands(self) -> [Option<u32>; 2] {
        match self {
            Self::Constant(_) => [None, None],
            Self::AddConstant(x, _) | Self::Scale(x, _) => [Some(x), None],
            Self::Add(x, y) | Self::Sub(x, y) | Self::Mul(x, y) => [Some(x), Some(y)],
        }
    }

    /// The constant that the gate uses, by index.
    #[must_use]
    pub fn constant(self) -> Option<u32> {
        match self {
            Self::Constant(c) | Self::AddConstant(_, c) | Self::Scale(_, c) => Some(c),
            Self::Add(..) | Self::Sub(..) | Self::Mul(..) => None,
        }
    }

    /// A fixed encoding for the digest.
    fn encode(self) -> [u8; 9] {
        let (kind, x, y) = match self {
            Self::Constant(c) => (0, c, 0),
            Self::Add(x, y) => (1, x, y),
            Self::Sub(x, y) => (2, x, y),
            Self::AddConstant(x, c) => (3, x, c),
            Self::Scale(x, c) => (4, x, c),
            Self::Mul(x, y) => (5, x, y),
        };
        let mut bytes = [kind, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes[1..5].copy_from_slice(&x.to_le_bytes());
        bytes[5..].copy_from_slice(&y.to_le_bytes());
        bytes
    }
}

/// An input value: a group of wires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name in files and messages.
    pub name: String,
    /// Its number of wires.
    pub width: u32,
    /// Whether both parties know it.
    pub public: bool,
}

/// An output value: a group of wires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name in files and messages.
    pub name: String,
    /// Its number of wires.
    pub width: u32,
}

/// The inputs and outputs of a circuit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// The inputs, in the order of their wires.
    pub inputs: Vec<Input>,
    /// The outputs, in the order of their wires.
    pub outputs: Vec<Output>,
}

impl Signature {
    /// The number of wires of all inputs together, if a `u32` can number them.
    fn input_wires(&self) -> Option<u32> {
        self.inputs.iter().try_fold(0_u32, |sum, input| sum.checked_add(input.width))
    }

    fn identify(&self, digest: &mut Digest) {
        digest.number("inputs", self.inputs.len() as u64);
        for Input { name, width, public } in &self.inputs {
            digest.bytes("name", name.as_bytes()).number("width", (*width).into());
            digest.number("public", (*public).into());
        }
        digest.number("outputs", self.outputs.len() as u64);
        for Output { name, width } in &self.outputs {
            digest.bytes("name", name.as_bytes()).number("width", (*width).into());
        }
    }
}

/// The parts of a [`Circuit`], not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts<R> {
    /// Inputs and outputs.
    pub signature: Signature,
    /// The constants that gates refer to.
    pub constants: Vec<R>,
    /// The gates in topological order.
    pub gates: Vec<Gate>,
    /// The wires of all outputs, in order.
    pub outputs: Vec<u32>,
    /// Wires that are claimed to be zero.
    pub asserted: Vec<u32>,
}

/// A flat circuit over `R`. See the [module](self) for how wires are numbered.
///
/// Invariants, checked on construction: wire numbers fit in a `u32`; every operand is an input or the output
/// of an earlier gate; constants exist; outputs have the widths of the signature; the wires of outputs and
/// assertions exist.
#[derive(Clone)]
pub struct Circuit<R: Ring> {
    parts: Parts<R>,
    input_wires: u32,
    /// How to run it, computed on the first run.
    schedule: OnceLock<Schedule>,
}

impl<R: Ring> core::fmt::Debug for Circuit<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Circuit")
            .field("ring", &R::NAME)
            .field("signature", &self.parts.signature)
            .field("gates", &self.parts.gates.len())
            .field("asserted", &self.parts.asserted.len())
            .finish_non_exhaustive()
    }
}

impl<R: Ring> PartialEq for Circuit<R> {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}

impl<R: Ring> Eq for Circuit<R> {}

impl<R: Ring> Circuit<R> {
    /// Checks `parts` and makes a circuit of them.
    ///
    /// # Errors
    /// [`Error::Circuit`] if an invariant does not hold, with its name and the place.
    pub fn new(parts: Parts<R>) -> Result<Self, Error> {
        let input_wires = parts
            .signature
            .input_wires()
            .ok_or_else(|| Error::circuit("the inputs have 2^32 wires or more"))?;
        let gates = u32::try_from(parts.gates.len()).ok();
        let wires = gates
            .and_then(|gates| gates.checked_add(input_wires))
            .ok_or_else(|| Error::circuit("it has 2^32 wires or more"))?;
        for (gate, own) in parts.gates.iter().zip(input_wires..) {
            check_gate(*gate, own, parts.constants.len())
                .map_err(|reason| Error::circuit(format!("gate {}: {reason}", own - input_wires)))?;
        }
        let output_wires: u64 = parts.signature.outputs.iter().map(|output| u64::from(output.width)).sum();
        if output_wires != parts.outputs.len() as u64 {
            let got = parts.outputs.len();
            return Err(Error::circuit(format!("{got} output wires where the signature has {output_wires}")));
        }
        for (what, list) in [("output", &parts.outputs), ("assertion", &parts.asserted)] {
            if let Some(index) = list.iter().position(|&wire| wire >= wires) {
                return Err(Error::circuit(format!("{what} {index} is wire {} of {wires}", list[index])));
            }
        }
        Ok(Self { parts, input_wires, schedule: OnceLock::new() })
    }

    /// The inputs and outputs.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.parts.signature
    }

    /// The number of wires of all inputs together. Gate `g` sets wire `input_wires() + g`.
    #[must_use]
    pub fn input_wires(&self) -> u32 {
        self.input_wires
    }

    /// The gates.
    #[must_use]
    pub fn gates(&self) -> &[Gate] {
        &self.parts.gates
    }

    /// The constants that gates refer to.
    #[must_use]
    pub fn constants(&self) -> &[R] {
        &self.parts.constants
    }

    /// The wires of all outputs.
    #[must_use]
    pub fn outputs(&self) -> &[u32] {
        &self.parts.outputs
    }

    /// The wires claimed to be zero.
    #[must_use]
    pub fn asserted(&self) -> &[u32] {
        &self.parts.asserted
    }

    /// The circuit's parts.
    #[must_use]
    pub fn into_parts(self) -> Parts<R> {
        self.parts
    }

    /// The number of multiplication gates.
    #[must_use]
    pub fn multiplications(&self) -> u64 {
        self.parts.gates.iter().filter(|gate| matches!(gate, Gate::Mul(..))).count() as u64
    }

    /// Absorbs the whole circuit: two circuits that differ in anything have different digests.
    pub fn identify(&self, digest: &mut Digest) {
        let Parts { signature, constants, gates, outputs, asserted } = &self.parts;
        digest.bytes("circuit v1", R::NAME.as_bytes());
        signature.identify(digest);
        digest.bytes(
            "constants",
            &hash(constants.iter(), |constant, bytes| {
                bytes.resize(R::BYTES, 0);
                // Encoding fails only for a wrong length, and the buffer has the right one.
                let encoded = constant.encode(bytes);
                debug_assert!(encoded.is_ok());
            }),
        );
        digest.number("gates", gates.len() as u64);
        digest.bytes("gates", &hash(gates.iter(), |gate, bytes| bytes.extend(gate.encode())));
        for (label, wires) in [("output wires", outputs), ("asserted", asserted)] {
            digest.number(label, wires.len() as u64);
            digest.bytes(label, &hash(wires.iter(), |wire, bytes| bytes.extend(wire.to_le_bytes())));
        }
    }
}

fn check_gate(gate: Gate, own: u32, constants: usize) -> Result<(), String> {
    if let Some(wire) = gate.operands().into_iter().flatten().find(|&wire| wire >= own) {
        return Err(format!("reads wire {wire}, which is not set before wire {own}"));
    }
    match gate.constant() {
        Some(c) if c as usize >= constants => Err(format!("uses constant {c} of {constants}")),
        _ => Ok(()),
    }
}

/// Hashes a list of any length through a small buffer.
fn hash<T>(items: impl Iterator<Item = T>, encode: impl Fn(T, &mut Vec<u8>)) -> [u8; 32] {
    const BUFFER: usize = 1 << 14;
    let (mut hasher, mut buffer, mut item_bytes) = (blake3::Hasher::new(), Vec::new(), Vec::new());
    for item in items {
        item_bytes.clear();
        encode(item, &mut item_bytes);
        buffer.extend_from_slice(&item_bytes);
        if buffer.len() >= BUFFER {
            hasher.update(&buffer);
            buffer.clear();
        }
    }
    hasher.update(&buffer);
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use volery_field::F2;

    use super::*;

    fn parts() -> Parts<F2> {
        Parts {
            signature: Signature {
                inputs: vec![Input { name: "x".into(), width: 2, public: false }],
                outputs: vec![Output { name: "y".into(), width: 1 }],
            },
            constants: vec![F2::ONE],
            gates: vec![Gate::Mul(0, 1), Gate::AddConstant(2, 0), Gate::Constant(0), Gate::Add(3, 4)],
            outputs: vec![5],
            asserted: vec![4],
        }
    }

    #[test]
    fn a_gate_is_small() {
        assert_eq!(size_of::<Gate>(), 12);
    }

    #[test]
    fn every_broken_invariant_is_refused() {
        type Break = fn(&mut Parts<F2>);
        let breaks: [(Break, &str); 8] = [
            (|p| p.gates[0] = Gate::Mul(0, 2), "gate 0: reads wire 2"),
            (|p| p.gates[3] = Gate::Sub(9, 0), "gate 3: reads wire 9"),
            (|p| p.gates[1] = Gate::Scale(2, 1), "gate 1: uses constant 1 of 1"),
            (|p| p.constants.clear(), "uses constant 0 of 0"),
            (|p| p.outputs[0] = 6, "output 0 is wire 6 of 6"),
            (|p| p.outputs.push(0), "2 output wires where the signature has 1"),
            (|p| p.asserted[0] = 77, "assertion 0 is wire 77"),
            (|p| p.signature.inputs[0].width = u32::MAX, "2^32 wires"),
        ];
        Circuit::new(parts()).expect("sound as it stands");
        for (break_it, expected) in breaks {
            let mut parts = parts();
            break_it(&mut parts);
            match Circuit::new(parts).expect_err(expected) {
                Error::Circuit(reason) => assert!(reason.contains(expected), "{reason}"),
                other => panic!("{expected}: {other}"),
            }
        }
    }

    #[test]
    fn any_difference_changes_the_digest() {
        type Change = fn(&mut Parts<F2>);
        let changes: [Change; 9] = [
            |_| (),
            |p| p.gates[0] = Gate::Mul(1, 0),
            |p| p.gates[3] = Gate::Sub(3, 4),
            |p| p.gates.push(Gate::Add(0, 0)),
            |p| p.constants[0] = F2::ZERO,
            |p| p.outputs[0] = 4,
            |p| p.asserted[0] = 3,
            |p| p.signature.inputs[0].public = true,
            |p| p.signature.outputs[0].name = "z".into(),
        ];
        let mut seen = std::collections::HashSet::new();
        for change in changes {
            let mut parts = parts();
            change(&mut parts);
            let mut digest = Digest::new();
            Circuit::new(parts).expect("still sound").identify(&mut digest);
            assert!(seen.insert(digest.finish()));
        }
    }
}
