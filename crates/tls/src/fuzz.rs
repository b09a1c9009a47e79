//! The decoders of peer bytes that are private to this crate, as plain functions, for fuzz targets.
//!
//! Each takes any bytes, and panics if bytes that it accepts do not encode back to themselves; or it is one
//! party of a conversation.

pub use crate::modes::joint::fuzz::{
    record_prover, record_verifier, step as client_step, transcript as client_transcript,
};
pub use crate::wire::ghash::fuzz::{blinding_prover, blinding_verifier};
pub use crate::wire::poly1305::fuzz::{powers_prover, powers_verifier};

/// P's message to V about a connection that has ended (`WebClaims`).
pub fn web_claims(bytes: &[u8]) {
    crate::page::disclosure::fuzz_message(bytes);
}

/// P's request to V about V's connection to a server (`RelayRequest`).
pub fn relay_request(bytes: &[u8]) {
    crate::modes::relay::fuzz_request(bytes);
}
