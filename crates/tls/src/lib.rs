//! The TLS client, run by two parties that do not trust each other: P, who owns the connection, and V, who is to believe what
//! the server said on it.
//!
//! Neither holds the session's keys while the connection lives: P cannot forge what the server says, V cannot read it. When the
//! connection is closed V opens its part; P then knows everything and proves to V, in zero knowledge, that all that V saw is what
//! TLS makes of it (Xie, Yang, Wang, Weng, "Lightweight Authentication of Web Data via Garble-Then-Prove", USENIX Security 2024).
//!
//! # Map
//!
//! | module | what it holds |
//! |---|---|
//! | [`key_exchange`] | ECDHE on P-256 or X25519 with a key in two shares: additive shares of the pre-master secret |
//! | [`ghash`] | AES-GCM's tags from a hash key in two shares |
//! | [`step`] | the programs that run under two-party computation, and the machine that they run on |
//! | [`prf`] | TLS 1.2's key derivation: which compressions are two-party, and which each party does alone |
//! | [`record`] | AES-128-GCM's counter blocks under a shared key |
//! | [`transcript`] | what both directions of a connection say, read from their raw bytes |
//! | [`claim`] | what can be proved about bytes that stay hidden |
//! | [`commitment`] | Pedersen commitments to the payload, for the holder to open later, and range proofs on them |
//! | [`joint`] | the mode in which two parties are the client, whole |
//! | [`disclosure`] | what P tells V about a connection that has ended, and what is proved of it |
//! | [`dialogue`] | several requests on one connection |
//! | [`proxy`] | the mode in which V relays the connection and P proves what went over it |
//! | [`server`] | who the server is: certificates, host name, time, its signature over the key exchange |
//! | [`http`] | requests and responses as ranges of the plaintext; values of JSON bodies |
//! | [`attestation`] | what V signs in the end, for others who trust V |
//! | `error` | [`Error`], which says whose fault it was |
#![forbid(unsafe_code)]

pub mod attestation;
pub mod claim;
pub mod commitment;
mod cursor;
pub mod dialogue;
pub mod disclosure;
mod error;
#[doc(hidden)]
pub mod fuzz;
pub mod ghash;
pub mod http;
pub mod joint;
pub mod key_exchange;
mod memory;
pub mod prf;
pub mod proxy;
pub mod record;
pub mod server;
pub mod step;
mod stock;
#[cfg(test)]
mod testing;
pub mod transcript;

pub use error::Error;
