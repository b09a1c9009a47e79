//! Correlated randomness with malicious security on both sides.
//!
//! P and V make, together and before anything is known about what will be proved, as many as are needed of
//!
//! ```text
//! k = m + x * delta        in GF(2^128), x a random bit
//!
//! P holds x and m          V holds k, and delta, which is the same for all of a session
//! lsb(delta) = 1,  lsb(k) = 0,  so  lsb(m) = x: a correlation is 16 bytes at either party
//! ```
//!
//! P knows nothing of delta, V nothing of x. A correlation masks one secret bit, and whoever could open it to
//! the other value would know delta. So each is used once, and after any error all of a session's are
//! destroyed with delta: an abort may have told the peer something.
//!
//! ```text
//! base_ot      128 oblivious transfers on Ristretto              once a session, one round trip
//!    v
//! softspoken   2 bytes a correlation, one message from P         the first ones, and what Ferret starts from
//!    v
//! ferret       a fraction of a byte, LPN (`lpn`, `pprf`)         in rounds, each made out of the one before
//!    v
//! cot          on demand, in bounded memory: stages, batches     what proofs take from
//! ```
//!
//! # Map
//!
//! | module | what it holds |
//! |---|---|
//! | [`base_ot`] | endemic OT from Diffie-Hellman (ePrint 2019/706, 2021/682) |
//! | [`softspoken`] | SoftSpokenOT (ePrint 2022/192) with its checks |
//! | `ferret` | random COT from LPN (ePrint 2020/924) on half-trees (ePrint 2022/1431), with its check; [`Params`] |
//! | `lpn` | the local code; [`security`]: the bits that each set in use has against the known attacks, as `lpn-estimator` computes them |
//! | [`supply`] | [`supply::Supply`], which goes through stages, and [`supply::Stock`], which protocols read; [`supply::Chain`], what challenges by hash rest on |
//! | [`cot`] | the supply of bits |
//! | [`subfield`] | the supply of elements of any field: base VOLE, LPN rounds (Wolverine, ePrint 2020/925), VOPE |
//! | [`ole`] | shares of products over base fields of curves and GF(2^128): OLE with errors |
//! | `pprf`, `aes`, `prg` | punctured trees; AES kernels; [`Prg`] |
//! | `hash`, `transcript` | [`Oracle`]: random oracles; [`Transcript`]: challenges from what was said |
//! | `delta`, `delta_search`, `error` | [`Delta`]; [`DeltaSearch`]: what a search for it costs; [`Error`], which says whose fault it was |
//!
//! Time depends on lengths and on public values alone. `unsafe` occurs in the instruction-set files of `aes`
//! and of other kernels, and where they are called.

mod aes;
pub mod base_ot;
#[doc(hidden)]
pub mod bench;
#[cfg(any(test, feature = "cheats"))]
#[doc(hidden)]
pub mod cheats;
pub mod cot;
mod delta;
mod delta_search;
mod error;
mod ferret;
mod hash;
mod lpn;
pub mod ole;
mod pprf;
mod prg;
pub mod softspoken;
pub mod subfield;
pub mod supply;
#[cfg(test)]
mod testing;
mod transcript;

pub use aes::Level as AesLevel;
pub use delta::Delta;
pub use delta_search::DeltaSearch;
pub use error::Error;
pub use ferret::{Params, pack, pack_bits};
pub use hash::Oracle;
pub use lpn::security;
pub use prg::Prg;
pub use transcript::{ChallengeSeed, SessionId, Transcript};
