//! Correlated randomness with malicious security on both sides.
//!
//! Before anything is known about the statement, P and V together make correlations, as many as they need:
//!
//! ```text
//! k = m + x * delta        in GF(2^128), x a random bit
//!
//! P holds x and m          V holds k, and delta, which is the same for all of a session
//! lsb(delta) = 1,  lsb(k) = 0,  so  lsb(m) = x: a correlation is 16 bytes at either party
//! ```
//!
//! P knows nothing about delta, and V nothing about x. A correlation masks one secret bit; a party that could
//! open it to both values would know delta. So each correlation is used once. After any error all of a
//! session's correlations are destroyed together with delta, because an abort may have told the peer
//! something.
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
//! | `lpn` | the local code; [`security`]: the bits of security of each set in use against the known attacks, as `lpn-estimator` computes them |
//! | [`correlations`] | [`correlations::Generator`], which makes correlations in stages; [`correlations::Pool`], from which protocols read; [`correlations::Chain`], which challenges by hash absorb |
//! | [`cot`] | the generator of bits |
//! | [`subfield`] | the generator of elements of any field: base VOLE, LPN rounds (Wolverine, ePrint 2020/925), VOPE |
//! | [`ole`] | shares of products over base fields of curves and GF(2^128): OLE with errors |
//! | `pprf`, `aes`, `prg` | punctured trees; AES kernels; [`Prg`] |
//! | `hash`, `transcript` | [`Oracle`]: random oracles; [`Transcript`]: challenges from the messages so far |
//! | `delta`, `delta_search`, `error` | [`Delta`]; [`DeltaSearch`]: the cost of a search for it; [`Error`], which says whose fault it was |
//!
//! Time depends only on lengths and on public values. Only the instruction-set files of `aes` and other
//! kernels, and the code that calls them, contain `unsafe`.

mod aes;
pub mod base_ot;
#[doc(hidden)]
pub mod bench;
#[cfg(any(test, feature = "cheats"))]
#[doc(hidden)]
pub mod cheats;
pub mod correlations;
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
#[cfg(test)]
mod testing;
mod transcript;

pub use aes::Level as AesLevel;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[doc(hidden)]
pub use aes::bitsliced;
pub use delta::Delta;
pub use delta_search::DeltaSearch;
pub use error::Error;
pub use ferret::{Params, pack, pack_bits};
pub use hash::{Oracle, keyed_hash_rows};
pub use lpn::security;
pub use prg::{Prg, Prgs};
pub use transcript::{ChallengeSeed, SessionId, Transcript};
