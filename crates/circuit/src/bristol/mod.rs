//! Circuit files: Bristol Fashion, and the older Bristol format.
//!
//! Bristol Fashion (<https://nigelsmart.github.io/MPC-Circuits/>) is the common text format of Boolean
//! circuits:
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
//! Kinds are `XOR`, `AND`, `INV` (also `NOT`), `EQW` (a copy), `EQ` (the constant in place of the input wire)
//! and `MAND` (`2n n x.. y.. z.. MAND`: n ANDs). In place of lines two and three, the older format has
//! `n1 n2 n3`, the widths of two inputs (the second may be 0) and one output. The reader recognises the
//! format by the third line.
//!
//! # Over rings
//!
//! Circuits over `Z_{2^32}` and `Z_{2^64}` have the same layout, with a ring element on each wire and other
//! kinds:
//!
//! ```text
//! 4 6              x * y - 5 x
//! 2 1 1
//! 1 1
//!
//! 2 1 0 1 2 MUL
//! 1 1 5 3 EQ       a constant, decimal, below 2^32 or 2^64; a product with one is free
//! 2 1 0 3 4 MUL
//! 2 1 2 4 5 SUB    there are ADD, SUB (the first less the second), MUL, EQ and EQW
//! ```
//!
//! Other programs write `ADD` and `MUL` for arithmetic circuits in this layout. A file does not say which
//! ring it is over: the caller names the ring ([`FileRing`]). The same gates over another ring are another
//! statement.
//!
//! # What a reader requires
//!
//! The readers of this module require: ASCII text; every wire set before it is used and never twice (inputs
//! count as set); wires in range; all outputs set; exactly the number of gates in the header; no other text;
//! lines of at most 1 MiB. Blanks and blank lines are allowed anywhere between words and lines, and so are
//! wires that nothing sets or reads. Over bits, values are integers whose least significant bit is their
//! first wire.
//!
//! | module | what it holds |
//! |---|---|
//! | `ring` | [`FileRing`]: the rings, and what gates are called |
//! | `lines`, `wires` | bytes to numbers; which wires are set |
//! | `reader` | `Reader`: gate by gate, everything checked |
//! | `convert` | [`parse`] and [`write`](fn@write): to and from [`Circuit`](crate::Circuit) |
//! | `file` | [`BristolFile`], [`FileStatement`]: files of any size as statements |
//! | `batch` | [`FileBatch`]: one of several files, many times |

mod batch;
mod convert;
mod file;
mod lines;
mod reader;
mod ring;
mod wires;

pub use batch::{Claimed, FileBatch};
pub use convert::{parse, write};
pub use file::{BristolFile, FileStatement, Tally};
pub(crate) use reader::Reader;
pub use ring::FileRing;
pub(crate) use ring::{GateKind, Words};

use volery_field::F2;

use crate::{Input, Output, Signature};

/// Which of the two formats a file is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Bristol Fashion.
    Fashion,
    /// The older Bristol format.
    Old,
}

/// The content of a file's first lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The format.
    pub format: Format,
    /// The number of gate lines.
    pub gates: u32,
    /// The number of wires, including inputs.
    pub wires: u32,
    /// The width of each input value.
    pub inputs: Vec<u32>,
    /// The width of each output value.
    pub outputs: Vec<u32>,
}

impl Header {
    /// The header as a circuit's signature: values are named `input 0`, `output 0` and so on, and all inputs
    /// are secret.
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

/// A gate of a file. Wires have the file's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileGate<'a, R = F2> {
    /// `out = x + y`: over bits, `XOR`.
    Add {
        /// Left operand.
        x: u32,
        /// Right operand.
        y: u32,
        /// Result.
        out: u32,
    },
    /// `out = x - y`.
    Sub {
        /// Left operand.
        x: u32,
        /// Right operand.
        y: u32,
        /// Result.
        out: u32,
    },
    /// `out = x * y`: over bits, `AND`.
    Mul {
        /// Left operand.
        x: u32,
        /// Right operand.
        y: u32,
        /// Result.
        out: u32,
    },
    /// `out = 1 + x`: over bits, `INV`.
    Increment {
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
        value: R,
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
