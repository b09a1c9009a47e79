//! Public proofs: one file that anyone can verify, later and offline, without a secret on the verifier's side
//! and without a trusted setup.
//!
//! The prover runs the statement in its head as a computation of three players, any two of whom learn
//! nothing. It commits to each player's view, and opens the two that a hash picks:
//!
//! ```text
//! x = x_1 + x_2 + x_3          w_i: what player i computes, from its own and the next player's values
//! for every repetition:        commit to (seed_i, x_i, w_i);   the outputs y_1 + y_2 + y_3 must be 0
//! e = H(header, all output shares, all commitments)            a trit for every repetition
//! open players e and e + 1;    the verifier recomputes w_e from both
//! ```
//!
//! A prover without a witness must cheat in one of the three views, and is caught with probability 1/3 in
//! each repetition: 137 repetitions give 80 bits of soundness, 219 give 128. The length of a proof is linear
//! in the statement, about 17 bytes for each AND at 80 bits with ZKB++. The only assumptions are a hash
//! function and AES. A SHA-256 preimage is proved in milliseconds. (A proof for one verifier at the other end
//! of a connection takes about a bit for each AND: see `volery-zk`.)
//!
//! ```
//! use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
//! use volery_circuit::{Digest, Error, Prove, Statement};
//! use volery_field::Z32;
//! use volery_mpcith::{Demands, Settings, prove, verify};
//!
//! /// "I know factors of `product` modulo 2^32."
//! struct Factors {
//!     product: Z32,
//!     witness: Option<[Z32; 2]>,
//! }
//!
//! impl<B: Prove<Z32>> Statement<B> for Factors {
//!     fn identify(&self, digest: &mut Digest) {
//!         digest.bytes("statement", b"example: factors v1").number("product", self.product.to_word().into());
//!     }
//!
//!     fn run(&self, b: &mut B) -> Result<(), B::Error> {
//!         let none = || Error::Witness("none was given".into());
//!         let factors = b.secret(2, &mut |_| Ok(self.witness.ok_or_else(none)?.to_vec()))?;
//!         let product = b.mul(&factors[0], &factors[1])?;
//!         let difference = b.add_constant(&product, -self.product);
//!         b.assert_zero(&[difference])
//!     }
//! }
//!
//! # // A fixed seed keeps the example short; a program takes the operating system's generator.
//! # let mut rng = ChaCha20Rng::from_seed([0; 32]);
//! let known = Factors { product: Z32::new(91), witness: Some([Z32::new(7), Z32::new(13)]) };
//! let proof = prove::<Z32, _>(&known, Settings::default(), &mut rng)?;
//!
//! let claim = Factors { product: Z32::new(91), witness: None };
//! verify::<Z32, _>(&claim, &proof, Demands::default())?;
//! let other = Factors { product: Z32::new(92), witness: None };
//! assert!(verify::<Z32, _>(&other, &proof, Demands::default()).is_err());
//! # Ok::<(), volery_mpcith::Error>(())
//! ```
//!
//! # Map
//!
//! | what | where |
//! |---|---|
//! | proofs as bytes | [`prove`], [`verify`]; [`Settings`], [`Demands`], [`Header`] |
//! | a prepared statement, for several proofs of it | [`Program`], [`prove_program`], [`verify_program`] |
//! | how long a proof will be | [`Counts`], [`proof_bytes`], [`expected_bytes`] |
//! | with the verifier at the other end of a channel | [`interactive`] |
//! | the soundness of proofs | [`Parameters`]; [`soundness`] |
//! | the paper's definitions in plain code, with which tests compare the engines | `decomposition` |
//! | the engines: bits in wide registers, elements in slices | [`PublicRing`] (`rings`) |
//! | formats, challenges | `proof`, `challenge` |
//!
//! Papers: ZKBoo (ePrint 2016/163); ZKB++ (ePrint 2017/279).
//!
//! # What is secret
//!
//! Secret are the witness, the seeds, and the tapes and views of closed players. Copies of them on the heap
//! are wiped, and so is the hash state from which seeds are drawn. Time depends only on lengths and on public
//! values. (Copies that hashing a single tape's seed or a row leaves on the stack are not wiped: they are
//! BLAKE3's own.) A verifier has no secrets. `unsafe` occurs only where code calls a function compiled for
//! more than the baseline CPU.

mod challenge;
mod counts;
#[cfg(test)]
mod decomposition;
mod error;
pub mod interactive;
mod parameters;
mod program;
mod proof;
mod rings;
pub mod soundness;
#[cfg(test)]
mod testing;

pub use counts::Counts;
pub use error::Error;
pub use parameters::{Parameters, Protocol};
pub use program::Program;
pub use proof::{
    Demands, Header, Settings, Verified, expected_bytes, proof_bytes, prove, prove_program, verify,
    verify_program,
};
pub use rings::PublicRing;
pub use volery_circuit::Message;
