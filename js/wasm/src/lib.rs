//! Volery as the npm package's workers call it. `party.js` gives it plain objects; what they look like to
//! people is in `index.d.ts`.
//!
//! ```text
//! claim    what JavaScript names -> volery_statement::Named; witnesses
//! party    a session of a prover or a verifier, over the ring
//! public   proofs that anyone can verify
//! ring     a transport over the memory that the worker of the WebSocket shares
//! error    errors as JavaScript sees them
//! kernels  whether the kernels give what the portable code gives
//! ```
//!
//! Every worker has an instance of its own with memory of its own, and at most one session.
#![forbid(unsafe_code)]

mod claim;
mod error;
mod kernels;
mod party;
mod public;
mod ring;

pub use kernels::kernels_that_differ;
pub use party::Party;
pub use public::{check, make_proof, verify_proof};
