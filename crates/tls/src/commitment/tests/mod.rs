//! The conversion between two threads, honest and not; files; range proofs.

mod attested;
mod cheats;
mod files;
mod honest;
mod parties;
mod range_files;
mod ranges;
mod tampered;
