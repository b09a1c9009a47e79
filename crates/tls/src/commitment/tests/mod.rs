//! The conversion between two threads, honest and not; files; range proofs.

mod cheats;
mod files;
mod honest;
mod parties;
mod ranges;
mod tampered;
