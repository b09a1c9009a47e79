//! What the TLS client takes from a library of cryptography: signatures to verify, cipher suites in the
//! clear, key exchange in the clear, randomness.
//!
//! Everything else of the crate has its cryptography from the crates of the protocols. These are for what
//! rustls and webpki compute by themselves: the server's chain and signature, hashes of messages, the records
//! of TLS 1.3's handshake, and whole connections where P alone is the client.
//!
//! | target | library | module |
//! |---|---|---|
//! | native | ring | `ring` |
//! | WebAssembly, for which there is no ring | RustCrypto's crates | `rustcrypto` |
//!
//! Both modules have the same items, with the same names and meanings:
//!
//! * `signature`: webpki's algorithms, `ECDSA_P256_SHA256` and nine others;
//! * `cipher_suite`: rustls's suites, three of TLS 1.3 and six of TLS 1.2;
//! * `kx_group`: `SECP256R1` and `X25519`;
//! * `default_provider`: the above together, with randomness.
//!
//! *A prover in a browser must accept exactly what a native notary accepts*: otherwise one of them refuses a
//! connection when all the work is done. So tests compile both modules and compare them: on signatures that
//! each makes, on signatures and keys that are bent in many places, and in connections of one to the other.

#[cfg(not(target_family = "wasm"))]
mod ring;
#[cfg(any(test, target_family = "wasm"))]
mod rustcrypto;
#[cfg(test)]
mod tests;

#[cfg(not(target_family = "wasm"))]
pub(crate) use ring::{cipher_suite, default_provider, kx_group, signature};
#[cfg(target_family = "wasm")]
pub(crate) use rustcrypto::{cipher_suite, default_provider, kx_group, signature};
