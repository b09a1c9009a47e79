//! How a session starts: who is there, do both want the same session, and what is about to be proved.
//!
//! ```text
//! prover                                          verifier
//!   | Hello { magic, version, role, nonce, parameters } |
//!   | ----------------------------------------------->  |     both send at once,
//!   | <-----------------------------------------------  |     then read the other's
//!   |          session id = H(Hello_P, Hello_V)         |
//!   | Begin { statement digest, parameters }            |     once for each statement;
//!   | <---------------------------------------------->  |     both send, both compare
//! ```
//!
//! Sending and receiving are separate calls ([`Hello::send`], [`Hello::receive`], [`Begin::send`],
//! [`Begin::receive`]), so a party can queue `Hello`, `Begin` and the first messages of its protocols behind
//! each other and spend one flight on all of them. Nothing that depends on a witness may be among them: that
//! waits until [`Begin::receive`] has returned.
//!
//! The session id binds everything later to this very session: both parties put a fresh nonce into it, so
//! neither can make it repeat, and all parameters are in it. The handshake itself does not authenticate; run
//! it over TLS for that. Over TLS the parameters of both `Hello`s include [`TLS`], the hash of a secret of
//! the connection, so that a relay between two connections is refused (see [`tls`](crate::tls)).

mod begin;
mod hello;
mod mismatch;
mod parameters;

pub use begin::Begin;
pub use hello::{Hello, Role, Session, TLS, WIRE_VERSION};
pub use mismatch::Mismatch;
pub use parameters::Parameters;

use crate::channel::Channel;
use crate::error::Error;

/// Tells the peer about an error that this party found in the peer's messages, and passes it on.
fn refuse<R>(channel: &mut (impl Channel + ?Sized), result: Result<R, Error>) -> Result<R, Error> {
    result.inspect_err(|error| channel.fail(&error.to_string()))
}
