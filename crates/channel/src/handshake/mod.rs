//! How a session starts: the parties check each other's role and settings, and agree on what is about to be
//! proved.
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
//! [`Begin::receive`]), so a party can queue `Hello`, `Begin` and the first messages of its protocols and
//! send them all in one flight. None of them may depend on a witness: such messages wait until
//! [`Begin::receive`] has returned.
//!
//! The session id binds everything later to this session. Each party contributes a fresh nonce, so neither
//! can make an id repeat, and all parameters enter it. The handshake itself does not authenticate anybody;
//! run it over TLS for that. Over TLS the parameters of both `Hello`s include [`TLS`], the hash of a secret
//! of the connection, so that a relay between two connections is refused (see [`tls`](crate::tls)).

mod begin;
mod hello;
mod mismatch;
mod parameters;

pub use begin::Begin;
pub use hello::{Hello, Role, Session, TLS, WIRE_VERSION};
pub(crate) use hello::{MAX_LEN as MAX_HELLO, begins};
pub use mismatch::Mismatch;
pub use parameters::Parameters;

use crate::channel::Channel;
use crate::error::Error;

/// Tells the peer about an error in its messages, and returns that error.
fn refuse<R>(channel: &mut (impl Channel + ?Sized), result: Result<R, Error>) -> Result<R, Error> {
    result.inspect_err(|error| channel.fail(&error.to_string()))
}
