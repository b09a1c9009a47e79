//! Prove statements about secret data, fast, without revealing it.

#![forbid(unsafe_code)]

pub mod builtin;
mod error;
mod rng;
mod session;
pub mod stored;

pub use error::Error;
pub use rng::os_rng;
pub use session::{Options, Prover, Report, Verifier};
pub use volery_channel::{Address, Channel, Limits, Listener, connect};
pub use volery_circuit::{Statement, statements};
pub use volery_vole::cot::Profile;
pub use zeroize::Zeroizing;
