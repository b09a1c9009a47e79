//! Volery as the npm package's workers call it. `party.js` gives it plain objects; what they look like to
//! people is in `index.d.ts`.
//!
//! ```text
//! claim    what JavaScript names -> volery_statement::Named; witnesses
//! party    a session of a prover or a verifier, over the ring
//! public   proofs that anyone can verify
//! ring     a transport over the memory that the worker of the WebSocket shares
//! error    errors as JavaScript sees them
//! web      a page of a website, proved to a notary
//! attestation  what a notary signed: checked, opened in parts
//! values   properties of JavaScript's objects
//! kernels  whether the kernels give what the portable code gives
//! ```
//!
//! There is a module for claims and one for web data (features `claims` and `web`), so that a page loads no
//! more than it uses.
//!
//! Every worker has an instance of its own with memory of its own, and at most one session.
#![forbid(unsafe_code)]

#[cfg(feature = "web")]
mod attestation;
#[cfg(feature = "claims")]
mod claim;
mod error;
mod kernels;
#[cfg(feature = "claims")]
mod party;
#[cfg(feature = "claims")]
mod public;
mod ring;
mod values;
#[cfg(feature = "web")]
mod web;

#[cfg(feature = "web")]
pub use attestation::{open_attestation, prove_range, show_attestation, verify_attestation};
pub use kernels::kernels_that_differ;
#[cfg(feature = "claims")]
pub use party::Party;
#[cfg(feature = "claims")]
pub use public::{check, make_proof, verify_proof};
#[cfg(feature = "web")]
pub use web::{WebProof, check_web};
