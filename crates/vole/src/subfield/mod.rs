//! Subfield VOLE: correlations over any field, from few base OTs.
//!
//! P holds random values `x_i` in `F = F_p` with tags `m_i`, and V the keys `k_i` under its [`FieldDelta`],
//! with
//!
//! ```text
//! k_i = m_i + x_i * delta        m_i, k_i, delta in M = F_{p^r}
//! ```
//!
//! for every pair of fields with [`Value`](volery_field::Value) and [`Mac`](volery_field::Mac). The parties
//! are made by [`correlations`](crate::correlations) with these stages:
//!
//! ```text
//! base_ot ---> softspoken trees ---> [`base`]: tens to hundreds of bytes a correlation       small statements
//!                                       v
//! bits for the trees' paths ------> [`round`]: LPN over F, a fraction of a byte, a ramp from small rounds to large ones
//! ```
//!
//! * `base`: VOLE from punctured trees as in SoftSpokenOT (ePrint 2022/192), with delta's digits in a small
//!   set instead of a small field;
//! * `round`: single-point VOLE and LPN with their checks as in Wolverine (ePrint 2020/925), on half-trees
//!   (2022/1431);
//! * [`vope`]: random polynomials in delta from correlations (QuickSilver, figure 3).
//!
//! Bits for the trees' paths come from a fork of the session's OT extension under its own, binary delta.

mod base;
mod key;
mod party;
mod plan;
mod round;
#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
pub mod vope;

pub use key::FieldDelta;
pub use party::{BlankParty, ProverParty, VerifierParty, tree_size};
pub(crate) use plan::{LONG, WIDE};
pub use plan::{bytes_per_correlation, lot_len, plan, plan_of_lot};

use crate::correlations::Generator;

/// P's generator: values with their tags.
pub type Prover<F, M> = Generator<ProverParty<F, M>>;

/// V's generator: keys.
pub type Verifier<F, M> = Generator<VerifierParty<F, M>>;
