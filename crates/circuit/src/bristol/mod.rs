//! Circuit files: Bristol Fashion, and the older Bristol format.
//!
//! Bristol Fashion (<https://nigelsmart.github.io/MPC-Circuits/>) is the common text format of Boolean circuits:
//!
//! ```text
//! 3 7              gates, wires
//! 2 2 2            number of input values, the width of each; wires 0..n are the inputs in order
//! 1 2              number of output values, the width of each; the last wires are the outputs in order
//!
//! 2 1 0 2 5 XOR    inputs, outputs, input wires, output wire, kind
//! 2 1 1 3 4 AND
//! 1 1 4 6 INV
//! ```
//!
//! Kinds are `XOR`, `AND`, `INV` (also `NOT`), `EQW` (a copy), `EQ` (the constant in place of the input wire) and
//! `MAND` (`2n n x.. y.. z.. MAND`: n ANDs). The older format has `n1 n2 n3`, the widths of two inputs (the second may
//! be 0) and one output, in place of lines two and three. Which of the two a file is in is seen from its third line.
//!
//! What a reader here demands: ASCII; blanks and blank lines anywhere between words and lines; every wire set before it
//! is used and never twice (inputs are set); wires in range; all outputs set; exactly the promised number of gates; no
//! other text; lines of at most 1 MiB. Wires that nothing sets or reads are allowed. Values are integers whose least
//! significant bit is their first wire.
//!
//! | module | what it holds |
//! |---|---|
//! | `lines`, `wires` | bytes to numbers; which wires are set |
//! | `reader` | [`Reader`]: gate by gate, everything checked |
//! | `convert` | [`parse`] and [`write`](fn@write): to and from [`Circuit`](crate::Circuit) |
//! | `file` | [`BristolFile`], [`FileStatement`]: files of any size as statements |
//! | `batch` | [`FileBatch`]: one of several files, many times over |

mod batch;
mod convert;
mod file;
mod lines;
mod reader;
mod wires;

pub use batch::{Claimed, FileBatch};
pub use convert::{parse, write};
pub use file::{BristolFile, FileStatement, Tally};
pub use reader::Reader;

use crate::{Input, Output, Signature};

/// Which of the two formats a file is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Bristol Fashion.
    Fashion,
    /// The older Bristol format.
    Old,
}

/// What the first lines of a file say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The format.
    pub format: Format,
    /// Gate lines.
    pub gates: u32,
    /// Wires, inputs included.
    pub wires: u32,
    /// The width of each input value.
    pub inputs: Vec<u32>,
    /// The width of each output value.
    pub outputs: Vec<u32>,
}

impl Header {
    /// The same as a circuit's signature: values are called `input 0`, `output 0` and so on, and all inputs are secret.
    #[must_use]
    pub fn signature(&self) -> Signature {
        let inputs = self.inputs.iter().enumerate();
        let outputs = self.outputs.iter().enumerate();
        Signature {
            inputs: inputs
                .map(|(i, &width)| Input { name: format!("input {i}"), width, public: false })
                .collect(),
            outputs: outputs.map(|(i, &width)| Output { name: format!("output {i}"), width }).collect(),
        }
    }

    /// The first output wire.
    fn first_output(&self) -> u32 {
        self.wires - self.outputs.iter().sum::<u32>()
    }
}

/// A gate as a file has it. Wires are the file's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileGate<'a> {
    /// `out = x + y`.
    Xor {
        /// Left operand.
        x: u32,
        /// Right operand.
        y: u32,
        /// Result.
        out: u32,
    },
    /// `out = x * y`.
    And {
        /// Left operand.
        x: u32,
        /// Right operand.
        y: u32,
        /// Result.
        out: u32,
    },
    /// `out = 1 + x`.
    Inv {
        /// Operand.
        x: u32,
        /// Result.
        out: u32,
    },
    /// `out = x`.
    Copy {
        /// Operand.
        x: u32,
        /// Result.
        out: u32,
    },
    /// `out = value`.
    Constant {
        /// The constant.
        value: bool,
        /// Result.
        out: u32,
    },
    /// `out[i] = x[i] * y[i]`; all three have the same length.
    Many {
        /// Left operands.
        x: &'a [u32],
        /// Right operands.
        y: &'a [u32],
        /// Results.
        out: &'a [u32],
    },
}

#[cfg(test)]
mod tests;
