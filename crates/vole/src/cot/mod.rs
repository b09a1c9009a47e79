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

use crate::correlations::{Generator, Profile};
use crate::ferret::{CHECK_BYTES, VERDICT_BYTES};

/// The prover's generator: tags whose least significant bits are the random bits.
pub type Prover = Generator<ProverParty>;

/// The verifier's generator: keys.
pub type Verifier = Generator<VerifierParty>;

/// Bytes of messages for each correlation, both directions together, once the last kind of round repeats;
/// without the headers of frames. The first 130,000 or so take more, so do the rounds of a short session.
#[must_use]
pub fn bytes_per_correlation(profile: Profile) -> f64 {
    let Some(round) = profile.plan().rounds.last() else { return 0.0 };
    let sent = round.trees_bytes() + CHECK_BYTES + VERDICT_BYTES;
    // The next round starts from the rest.
    sent as f64 / (round.outputs() - round.base_len()) as f64
}

#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
