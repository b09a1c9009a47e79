//! Correlated randomness with malicious security on both sides.

mod aes;
pub mod base_ot;
#[doc(hidden)]
pub mod bench;
pub mod cot;
mod delta;
mod error;
mod ferret;
mod hash;
mod lpn;
mod pprf;
mod prg;
pub mod softspoken;
#[cfg(test)]
mod testing;
mod transcript;

pub use aes::Level as AesLevel;
pub use delta::Delta;
pub use error::Error;
pub use ferret::{Params, pack, pack_bits};
pub use hash::Oracle;
pub use lpn::security;
pub use prg::Prg;
pub use transcript::{ChallengeSeed, SessionId, Transcript};
