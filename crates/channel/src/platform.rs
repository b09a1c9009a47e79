//! What differs between platforms, apart from sockets: the clock, and whether there are threads.
//!
//! In WebAssembly (a browser, or node) the standard library has no clock and no threads; what it offers
//! instead panics when it is called. All crates take the clock from here. What needs a second thread asks
//! `HAS_THREADS` first and returns an error without one.

#[cfg(not(target_family = "wasm"))]
pub use std::time::{Instant, SystemTime};
/// `performance.now()`, and `Date.now()`.
#[cfg(target_family = "wasm")]
pub use web_time::{Instant, SystemTime};

/// Whether a program can start threads.
pub(crate) const HAS_THREADS: bool = !cfg!(target_family = "wasm");
