//! The TLS connection itself: its bytes, its keys, and the identity of its server.
//!
//! This part of the crate knows TLS, but not HTTP, claims, or how P and V meet. It is the lowest of the
//! three: it uses nothing from [`page`](crate::page) or [`modes`](crate::modes), so that both modes read a
//! connection in the same way.
//!
//! ```text
//! raw bytes  --transcript-->  handshake, records        --server-->  who it was
//! ephemeral keys  --key_exchange-->  shares of the pre-master secret  --prf-->  keys  --record-->  masks, key streams
//!                                                                             --ghash, poly1305-->  tags
//! ```
//!
//! Everything that needs a secret is a program over [`TwoParty`](step::TwoParty), the machine that `step`
//! describes. The two parties run it on shares, and later the same program is proved; in proxy mode it is
//! only proved.
//!
//! | module | what it holds |
//! |---|---|
//! | `transcript` | both directions of a connection, parsed from their raw bytes |
//! | `server` | who the server is: certificates, host name, time, its signature over the key exchange |
//! | `key_exchange` | ECDHE on P-256 or X25519 with a key in two shares: additive shares of the pre-master secret |
//! | `key_schedule` | TLS 1.3's key derivation, in the clear |
//! | `step` | the programs that run under two-party computation, and the machine that they run on |
//! | `prf` | key derivation of TLS 1.2 and 1.3 on wires: compressions in two-party computation, and those of each party alone |
//! | `record` | key streams and what tags take, under a shared key |
//! | `ghash` | AES-GCM's tags from a hash key in two shares |
//! | `poly1305` | ChaCha20-Poly1305's tags from a one-time key that neither party sees |
//! | `products` | what both have in common |
//! | `version`, `suite`, `hash` | the versions of TLS, the cipher suites, their hash functions |
//! | `aead` | records in the clear, for whoever has their key |
//! | `library` | what rustls takes from a library of cryptography: ring, or RustCrypto's crates in WebAssembly |
//! | `rustls_client` | the configuration of unmodified rustls as a client, so that it only speaks what the other modules can prove |

pub(crate) mod aead;
pub mod ghash;
pub mod hash;
pub mod key_exchange;
pub mod key_schedule;
pub(crate) mod library;
pub(crate) mod poly1305;
pub(crate) mod prf;
mod products;
pub mod record;
pub(crate) mod rustls_client;
pub mod server;
pub(crate) mod step;
pub(crate) mod suite;
pub mod transcript;
pub(crate) mod version;
