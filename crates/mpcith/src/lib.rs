//! Public proofs.
mod challenge;
pub mod decomposition;
mod error;
mod hash;
pub mod interactive;
mod parameters;
mod program;
mod proof;
mod rings;
pub mod soundness;
#[cfg(test)]
mod testing;

pub use challenge::Trit;
pub use error::Error;
pub use parameters::{Parameters, Protocol};
pub use program::Program;
pub use proof::{Header, Settings, Verified, proof_bytes, prove, prove_program, verify, verify_program};
pub use rings::PublicRing;
