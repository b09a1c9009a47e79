//! The decoders of peer bytes that nobody outside of this crate sees, as plain functions, for fuzz targets.
//!
//! Each takes any bytes and panics if what it accepts does not encode back to the same bytes; or is one party
//! of a conversation.

pub use crate::modes::joint::fuzz::{
    record_prover, record_verifier, step as client_step, transcript as client_transcript,
};

/// What P tells V about a connection that has ended (`WebClaims`).
pub fn web_claims(bytes: &[u8]) {
    crate::page::disclosure::fuzz_message(bytes);
}

/// What P asks of V's connection to a server (`RelayRequest`).
pub fn relay_request(bytes: &[u8]) {
    crate::modes::proxy::relay::fuzz_request(bytes);
}
