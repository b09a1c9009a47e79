//! Public proofs.
mod challenge;
mod error;
mod hash;
mod parameters;
mod program;
mod proof;
mod rings;
pub mod soundness;

pub use challenge::Trit;
pub use error::Error;
pub use parameters::{Parameters, Protocol};
pub use program::Program;
pub use proof::{Header, Settings, Verified, proof_bytes, prove, prove_program, verify, verify_program};
pub use rings::PublicRing;
