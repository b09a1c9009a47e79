//! VOLE-based zero-knowledge proofs.
//!
//! P proves to V that a [`Statement`](volery_circuit::Statement) holds. It commits to every secret value with
//! an information-theoretic MAC, and proves that the committed values satisfy the statement:
//!
//! ```text
//! k = m + x * delta          P holds (x, m), V holds k and delta
//! ```
//!
//! Correlations come from `volery_vole` and messages go over a `volery_channel::Channel`; this crate contains
//! the backends between them. Prover and verifier run the same program. Only the verifier's `Ok` means that
//! the statement is proved:
//!
//! ```text
//! statement --> Prover   (x, m) of every wire  -- masked bits, openings, a hash -->  Verifier  k of every wire  <-- statement
//!                                              <-- seeds, the verdict ----------
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`Error`] | the errors with which a proof can end, including rejection |
//! | [`ElementShare`] | a party's share of a committed element |
//! | [`disjunction`] | one of many statements, without saying which (Robin, Batchman) |
//! | [`macncheese`] | proofs that can be stacked: disjunctions of any nesting, thresholds (Mac'n'Cheese) |
//! | [`soundness`] | the soundness of a proof, term by term |
//! | [`quicksilver`] | proofs of circuits and polynomials over bits, fields and both (QuickSilver, figures 4 and 5) |

#![forbid(unsafe_code)]

mod bound;
pub mod disjunction;
mod error;
pub mod macncheese;
pub mod quicksilver;
mod shares;
pub mod soundness;
#[cfg(test)]
mod transcripts;

pub use error::Error;
pub use shares::ElementShare;
