//! What the tests of several crates share. Not published, and no dependency of anything that is.
//!
//! * [`between`] and its kin run two parties on two threads with a channel in memory between them.
//! * [`Tap`] records what a party sends and does one [`Change`] to one message. [`Edit`] passes every
//!   message through a function. [`scripted`] makes a peer that has sent all its messages beforehand.
//! * [`deal`] makes correlations from a seed that both parties know, in place of a protocol.
//! * [`every_pair!`], [`every_kind_of_pair!`] and [`every_kind!`] call a test for all fields or some.
//!
//! The unit tests of `volery-vole` use it too, though it depends on that crate: for them the types of
//! `volery-vole` here are others than their own, so [`deal`] is not for them. Those of `volery-channel` and
//! `volery-field` can use none of it.
#![forbid(unsafe_code)]
// A test's helper says where it was when something that must not fail did.
#![allow(clippy::expect_used)]

mod between;
pub mod deal;
mod fields;
mod products;
mod tap;

pub use between::{
    End, Link, Meddling, Sent, between, between_edited, between_owners, between_within, limits, scripted,
    session,
};
pub use fields::{Bits, Over};
pub use products::coefficients_of_products;
pub use tap::{Change, Edit, Edited, Tap, Tapped, untouched};
#[doc(hidden)]
pub use volery_field as field;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;

/// A generator that starts from `seed`.
#[must_use]
pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}
