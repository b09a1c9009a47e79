//! Correlated randomness with malicious security on both sides.

mod aes;
mod lpn;
mod prg;

pub use aes::Level as AesLevel;
pub use prg::Prg;
