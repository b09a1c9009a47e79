//! Statements, circuits, their file formats and gadgets.

mod backend;
mod digest;
mod error;

pub use backend::{Backend, Hint, Ops, Peek, Prove, Statement};
pub use digest::Digest;
pub use error::Error;
