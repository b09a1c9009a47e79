//! QuickSilver: proofs of circuits (figure 4 of the paper) and of polynomials that must vanish (figure 5).
//!
//! | module | what it holds |
//! |---|---|
//! | [`bits`] | proofs about bits: MACs in GF(2^128), one bit of communication for each multiplication |
//! | [`field`] | proofs over a field, with MACs in it or in an extension |
//! | [`mixed`] | proofs about bits and a field at once, with conversions between them |
//! | [`soundness`] | the soundness error of all of them |
//! | [`verdict`] | the last message: whether V accepts |
//! | `challenges` | [`Challenges`]: where the seeds of checks come from |
//! | `relations`, `poly`, `fixed`, `assertions`, `tally` | what a block has to check, and the counts that both parties compare |
//!
//! All of them follow one protocol. P commits to values in blocks. When a block is full, V sends a seed,
//! which both parties expand to the coefficients of one combination of all the relations that the block
//! claims. P opens that combination under a mask, and V compares it with its own.
//!
//! ```text
//! P                                             V
//! masks of block 0       ------------------->
//!                        <-------------------   seed 0
//! masks of block 1       ------------------->
//!                        <-------------------   seed 1
//! opening 0              ------------------->                      P never waits for the seed of the block just sent
//! ...
//! last masks, assertions ------------------->
//!                        <-------------------   last seed
//! last openings          ------------------->
//!                        <-------------------   verdict
//! ```
//!
//! With [`Challenges::FiatShamir`] the seeds are hashes of everything that P sent so far, and of the chain of
//! the correlations taken so far (`challenges` says why). P's part is one stream of messages. The modules
//! list the values that each seed tests, and the last message that fixes them. P may choose the mask of an
//! opening and the tags of assertions even after the seed, because the seed tests neither.

mod assertions;
pub mod bits;
mod challenges;
pub mod field;
mod fixed;
mod link;
pub mod mixed;
pub(crate) mod poly;
mod relations;
pub mod soundness;
mod tally;
pub mod verdict;

pub use challenges::{Challenges, Seed};
pub use tally::Tally;
