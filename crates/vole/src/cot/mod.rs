//! Random correlated OT on demand.
//!
//! [`Prover`] and [`Verifier`] produce, in step, correlations `k = m + x * delta` over GF(2^128), where
//! `x` is the least significant bit of `m` (see the module `ferret`). They are made by
//! [`correlations`](crate::correlations) with these stages:
//!
//! ```text
//! stage 0   SoftSpokenOT, 2 bytes each, no round trip      a small statement needs nothing else
//! stage 1   a Ferret round from the first parameter set
//! stage 2.. rounds from the next sets; the last set repeats
//! ```

mod party;

pub use party::{BlankParty, ProverParty, VerifierParty};

use crate::correlations::Generator;

/// The prover's generator: tags whose least significant bits are the random bits.
pub type Prover = Generator<ProverParty>;

/// The verifier's generator: keys.
pub type Verifier = Generator<VerifierParty>;

#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
