//! Random correlated OT on demand: a supply that starts small and grows with what is used.
//!
//! [`Prover`] and [`Verifier`] give out, in step, correlations `k = m + x * delta` over GF(2^128), with `x` the least
//! significant bit of `m` (see the module `ferret`). Where they come from changes as more are taken:
//!
//! ```text
//! stage 0   SoftSpokenOT, 2 bytes each, no round trip      a small statement needs nothing else
//! stage 1   a Ferret round from the first parameter set
//! stage 2.. rounds from the next sets; the last set repeats
//! ```
//!
//! **Each stage prepares the next while it is read**, so that in the steady state nobody waits for a message: at one
//! quarter of its outputs both set aside what the next round starts from and V sends its trees; at one half P sends the
//! check; at three quarters V answers; at the end P verifies the answer and the next stage begins. Both parties count
//! the same outputs, so no message says which step it is. A statement that ends before a quarter of a stage pays
//! nothing for the next one, and one that says beforehand how much it takes ([`Correlations::expect`]) pays for no round
//! that it does not need.
//!
//! Stages are read in batches of a few blocks that never cross a quarter; with several threads the blocks of a batch are
//! made in parallel, and the result does not depend on either party's number of threads.

mod party;
mod plan;
mod stock;
mod supply;

pub use plan::{Plan, Profile};
pub use stock::{Correlations, Stock};
pub use supply::Supply;

pub use party::{ProverParty, VerifierParty};

/// P's supply: tags whose least significant bits are the random bits.
pub type Prover = Supply<ProverParty>;

/// V's supply: keys.
pub type Verifier = Supply<VerifierParty>;

#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even where it flips one bit.
#[allow(clippy::ptr_arg)]
mod tests;
