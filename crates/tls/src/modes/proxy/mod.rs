//! Proxy mode: V relays a connection that P runs alone, and P proves in zero knowledge what went over it.
//!
//! ```text
//! P                                              V                                      server
//! plain TLS, alone           <---- relay ---->   records both directions   <------->    an ordinary one
//! knows all secrets                              knows the bytes
//!
//! opened bits, shown text    ----------->        checks in the clear: certificates, signature, host, time,
//!                                                Finished messages, all tags, structure of request and response
//! proves with QuickSilver    <---------->        verifies: some secret gives these bits and this text, and the claims
//!                                                hold of what is hidden
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`relay`] | the connection: P's stream, V's socket and rules |
//! | [`fetch`], [`converse`], [`Fetched`] | P's TLS, and what P tells V |
//! | [`receive`], [`Pending`], [`Accepted`], [`Proven`] | V's checks in the clear, and what it may believe after the proof |
//! | [`ProxyStatement`] | the statement; any backend over bits proves it |
//! | [`disclosure`](crate::disclosure) | what P tells V about a connection, in this mode and in that of two parties |
//!
//! Compared with the mode of two parties this one costs next to nothing: no garbling, 1 bit for each AND,
//! nothing before the connection.
//!
//! # What V must trust
//!
//! **Its own path to the server.** P knows the connection's keys while it is open. Only the server can make
//! the handshake's signature, but the records after it prove nothing to anybody who does not see them come
//! from the server. If P controls the network between V and the server, it can answer in the server's name.
//! In the mode of two parties V needs no such trust, because P has no key while the connection is open. V
//! therefore resolves the name and connects on its own, from where P has no influence, and an attestation
//! names the mode.
//!
//! P trusts V only to be reachable: V sees ciphertexts, and what P shows in the end.
//!
//! # Why it is enough
//!
//! See [`disclosure`](crate::disclosure): only one secret explains V's record of a connection, the master
//! secret of TLS 1.2 or the handshake secret of TLS 1.3. The key exchange and what precedes the secret
//! need no proof: V sees the exchange itself, and both Finished messages cover its hash.
//!
//! # Versions
//!
//! P chooses the version, and speaks no other ([`Target::version`]). V reads from the server's hello which it
//! was, accepts either, and its attestation says which.

mod client;
mod error;
#[cfg(not(target_family = "wasm"))]
mod notary;
mod secret;
mod statement;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use super::relay;
pub use crate::page::disclosure::{
    Accepted, Hidden, MessagePart, Part, Pending, Proven, RedactedPayload, Redaction, Refusal, Rest,
    Selection, Suite, TlsVersion,
};
pub(super) use client::offer;
pub use client::{Fetched, Target, converse, fetch};
pub use error::Error;
#[cfg(not(target_family = "wasm"))]
pub use notary::receive;
pub use statement::ProxyStatement;
