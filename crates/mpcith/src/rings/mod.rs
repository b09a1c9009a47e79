//! The rings of public proofs, and the two engines that run a statement for all repetitions at once.
//!
//! In repetition `r` player `i` holds the share `w_i` of every wire `w = w_1 + w_2 + w_3`. Linear gates are
//! computed share by share (a constant is added to player 1's). With the players taken cyclically, the share
//! of a product is
//!
//! ```text
//! z_i = a_i b_i + a_{i+1} b_i + a_i b_{i+1} + R_i - R_{i+1}        R_i: the next element of player i's tape
//! ```
//!
//! The prover computes all three shares ([`Simulation`]). The verifier has players `e` and `e + 1` and the
//! view of the latter, and computes the shares of player `e` ([`Recomputation`]). Both engines do this for
//! many repetitions side by side:
//!
//! | module | ring | how |
//! |---|---|---|
//! | [`bits`] | F2 | a share of 128 or 256 repetitions is one wide register |
//! | [`elements`] | every other ring | a share of a group of repetitions is a slice |
//!
//! # A tape
//!
//! A tape is AES-128 in counter mode, with its own secret key and secret start of the counter
//! ([`TapeStream`]). Its first elements are the input share (of players 1 and 2; player 3's is the
//! remainder). The `R_i` follow, one for each multiplication. A bit is a bit of the stream, and the first
//! `R_i` begins a block. [`elements`] describes how other elements are drawn and where their blocks begin.

mod bits;
mod elements;
mod tape;
#[cfg(test)]
mod tests;

use volery_field::{F2, Gf256, Ring, Z32, Z64};
use zeroize::Zeroize;

use crate::challenge::Trit;
use crate::program::{Program, Shape};
pub(crate) use tape::TapeStream;

/// A ring over which statements can be proved in public: F2, `Z_{2^32}`, `Z_{2^64}`, and the fields of
/// `volery-field` for statements. It is sealed, because a proof's format depends on it.
pub trait PublicRing: Ring + Zeroize + Engine {}

/// The operations of an engine; for this crate only.
pub trait Engine: Sized {
    /// The most repetitions that are computed side by side.
    const GROUP: usize;

    /// The length of `n` packed elements, in bytes.
    fn packed(n: usize) -> usize;

    /// The index of the first of `n` packed elements whose encoding is not canonical; `Some(n)` if it is the
    /// padding.
    fn not_canonical(bytes: &[u8], n: usize) -> Option<usize>;

    /// `-(x + y)` of packed elements that are canonical.
    fn complement(x: &[u8], y: &[u8], out: &mut [u8]);

    /// Computes the shares of all three players.
    fn simulate(job: Simulation<'_, Self>)
    where
        Self: PublicRing;

    /// Computes the shares of the first opened player.
    fn recompute(job: Recomputation<'_, Self>)
    where
        Self: PublicRing;
}

/// The prover's work on a group of repetitions.
pub struct Simulation<'a, R: PublicRing> {
    pub(crate) program: &'a Program<R>,
    /// One value for each input.
    pub(crate) witness: &'a [R],
    /// Three tapes for each repetition.
    pub(crate) tapes: &'a [TapeStream],
    /// Three rows for each repetition (see [`Shape::row`]). The engine writes their input shares and views.
    pub(crate) rows: &'a mut [u8],
    /// One first message for each repetition (see [`Shape::first`]). The engine writes the output shares.
    pub(crate) first: &'a mut [u8],
}

/// The verifier's work on a group of repetitions.
pub struct Recomputation<'a, R: PublicRing> {
    pub(crate) program: &'a Program<R>,
    /// The player that is opened first, for each repetition.
    pub(crate) challenge: &'a [Trit],
    /// The tapes of the opened players, two for each repetition.
    pub(crate) tapes: &'a [TapeStream],
    /// The rows of the opened players, two for each repetition. Player 3's input share and the second
    /// player's view are given, and canonical. The engine writes the other input shares and the first
    /// player's view.
    pub(crate) rows: &'a mut [u8],
    /// The output shares of the opened players, two for each repetition; the engine writes them.
    pub(crate) outputs: &'a mut [u8],
}

impl<R: PublicRing> Recomputation<'_, R> {
    fn shape(&self) -> Shape {
        self.program.shape()
    }
}

/// Overwrites `values` with zeros. `black_box` keeps the compiler from removing the writes, so whole
/// registers are written.
pub(crate) fn wipe<T: Copy>(values: &mut [T], zero: T) {
    values.fill(zero);
    core::hint::black_box(values);
}

impl PublicRing for F2 {}

/// Implements the engine of elements for rings, each with its way of drawing elements from a tape.
macro_rules! element_rings {
    ($($ring:ty: $row:tt;)*) => {
        $(
            impl PublicRing for $ring {}

            impl Engine for $ring {
                const GROUP: usize = elements::GROUP;

                fn packed(n: usize) -> usize {
                    elements::packed::<Self>(n)
                }

                fn not_canonical(bytes: &[u8], n: usize) -> Option<usize> {
                    elements::not_canonical::<Self>(bytes, n)
                }

                fn complement(x: &[u8], y: &[u8], out: &mut [u8]) {
                    elements::complement::<Self>(x, y, out);
                }

                fn simulate(job: Simulation<'_, Self>) {
                    elements::simulate(job);
                }

                fn recompute(job: Recomputation<'_, Self>) {
                    elements::recompute(job);
                }
            }
        )*
    };
}

volery_field::prime_fields!(element_rings, Z32: {}; Z64: {}; Gf256: {};);
