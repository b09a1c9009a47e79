//! The mode of two parties: P and V are the TLS client together, and neither has the connection's keys while it lives.
//!
//! | module | what it holds |
//! |---|---|
//! | [`Engine`] | what TLS asks of the two parties |
//! | [`client`] | P's connection: stock TLS over an engine, one request, the response as it came |
//! | `provider` | the engine in the form in which the TLS library takes its cryptography |

pub mod client;
mod engine;
mod error;
mod provider;

pub use engine::Engine;
pub use error::Error;
