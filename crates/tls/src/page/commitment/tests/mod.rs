//! The conversion between two threads, honest and not; files; range proofs.

mod attested;
mod cheats;
mod files;
mod honest;
mod parties;
#[cfg(feature = "range-proofs")]
mod range_files;
#[cfg(feature = "range-proofs")]
mod ranges;
mod tampered;
