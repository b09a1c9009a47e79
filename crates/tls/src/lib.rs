//! A TLS client run by two parties that do not trust each other: P, who owns the connection, and V, who wants
//! proof of what the server said on it.
//!
//! Neither holds the session's keys while the connection is open: P cannot forge what the server says, and V
//! cannot read it. When the connection is closed V opens its part. P then knows everything, and proves to V
//! in zero knowledge that everything V saw follows from TLS (Xie, Yang, Wang, Weng, "Lightweight
//! Authentication of Web Data via Garble-Then-Prove", USENIX Security 2024).
//!
//! # Map
//!
//! The crate has three parts, which are folders of its source. Each uses only the parts above it.
//!
//! | part | module | what it holds |
//! |---|---|---|
//! | `wire`: the TLS connection | `transcript` | both directions of a connection, parsed from their raw bytes |
//! | | [`server`] | who the server is: certificates, host name, time, its signature over the key exchange |
//! | | `key_exchange` | ECDHE on P-256 or X25519 with a key in two shares: additive shares of the pre-master secret |
//! | | `key_schedule` | TLS 1.3's key derivation, in the clear |
//! | | `step` | the programs that run under two-party computation, and the machine that they run on |
//! | | `prf` | key derivation of TLS 1.2 and 1.3: some compressions run in two-party computation, the others at each party alone |
//! | | `record` | key streams under a shared key |
//! | | `ghash` | AES-GCM's tags from a hash key in two shares |
//! | | `poly1305` | ChaCha20-Poly1305's tags from a one-time key that neither party sees |
//! | `page`: its content | [`http`] | requests and responses as ranges of the plaintext; values of JSON bodies |
//! | | [`dialogue`] | several requests on one connection |
//! | | [`claim`] | what can be proved about bytes that stay hidden |
//! | | [`disclosure`] | what P tells V about a connection that has ended, and what P proves about it |
//! | | [`commitment`] | Pedersen commitments to the payload, for the holder to open later, and range proofs on them |
//! | | [`attestation`] | V's signed statement, for others who trust V |
//! | `modes`: who runs the client | [`joint`] | two parties are the client together |
//! | | [`proxy`] | V relays the connection, and P proves what went over it |
//! | | [`relay`] | V carries a connection of P's |
//! | | [`plain`] | P alone, to see what there would be to prove |
//!
//! [`Error`] says whose fault a failure of the two parties was. [`Side`] is the end of the connection that a
//! byte comes from. A module without a link is of no use on its own: callers reach it through the modes, and
//! fuzz targets by the feature `fuzzing`.
#![forbid(unsafe_code)]
#![cfg_attr(
    target_family = "wasm",
    allow(dead_code, unused_imports, reason = "V, and connections by sockets, are for other platforms")
)]

mod error;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzz;
mod memory;
mod modes;
mod page;
#[cfg(test)]
mod testing;
#[cfg_attr(
    not(feature = "fuzzing"),
    allow(unreachable_pub, reason = "most of the room is public for fuzz targets only")
)]
mod wire;

pub use error::Error;
#[cfg(not(target_family = "wasm"))]
pub use modes::plain;
pub use modes::{joint, proxy, relay};
pub use page::{attestation, claim, commitment, dialogue, disclosure, http, leaf, presentation};
pub use wire::prf::Side;
pub use wire::server;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub use wire::{ghash, hash, key_exchange, key_schedule, record, transcript};
