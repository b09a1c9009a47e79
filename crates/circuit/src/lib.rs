//! Statements, circuits, their file formats and gadgets.

#![forbid(unsafe_code)]

mod backend;
pub mod circuit;
pub mod claim;
mod counter;
mod digest;
mod error;
mod evaluator;
pub mod fold;
mod place;
#[doc(hidden)]
pub mod testing;
mod text;
pub mod witness;

pub use backend::{Backend, Hint, Ops, Peek, Prove, Statement};
pub use circuit::{
    Circuit, CircuitStatement, Computed, Gate, Input, Output, Parts, Recorded, Recorder, Signature,
};
pub use claim::Claim;
pub use counter::{Counter, Counts, PartCounts};
pub use digest::Digest;
pub use error::Error;
pub use evaluator::Evaluator;
pub use fold::{Fold, Folded};
pub use witness::Witness;
