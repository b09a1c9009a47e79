//! What every channel promises, asked of every transport.

// clippy's exception for tests covers test functions only, not their helpers.
#![allow(clippy::unwrap_used)]

mod exchange;
mod handshake;
mod hostile;
mod links;
mod time;
mod tls;
