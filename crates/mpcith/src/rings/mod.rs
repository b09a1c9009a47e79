//! The rings that public proofs are over, and the two engines that run a statement for all repetitions at
//! once.
//!
//! In repetition `r` player `i` holds the share `w_i` of every wire `w = w_1 + w_2 + w_3`. Linear gates are
//! computed share by share (a constant is added to player 1's), and the share of a product is, with the
//! players taken cyclically,
//!
//! ```text
//! z_i = a_i b_i + a_{i+1} b_i + a_i b_{i+1} + R_i - R_{i+1}        R_i: the next element of player i's tape
//! ```
//!
//! The prover computes all three shares ([`Simulation`]); the verifier, who has players `e` and `e + 1` and
//! the view of the latter, computes those of player `e` ([`Recomputation`]). Both engines do it for many
//! repetitions side by side:
//!
//! | module | ring | how |
//! |---|---|---|
//! | [`bits`] | F2 | a share of 128 or 256 repetitions is one wide register |
//! | [`elements`] | every other ring | a share of a group of repetitions is a slice |
//!
//! # A tape
//!
//! is AES-128 in counter mode, key and start of the counter its own and secret ([`TapeStream`]). Its first
//! elements are the input share (of players 1 and 2; player 3's is what is left), then come the `R_i`, one a
//! multiplication. A bit is a bit of the stream, and the first `R_i` begins a block; how other elements are
//! drawn, and where their blocks begin, is said in [`elements`].

mod bits;
mod elements;
mod tape;
#[cfg(test)]
mod tests;

use volery_field::{
    Bls12381Scalar, Bn254Scalar, F2, F32, F61, Gf256, P256Base, Ring, RistrettoScalar, Secp256k1Base, Z32,
    Z64,
};
use zeroize::Zeroize;

use crate::challenge::Trit;
use crate::program::{Program, Shape};
pub(crate) use tape::TapeStream;

/// A ring over which statements can be proved in public: F2, `Z_{2^32}`, `Z_{2^64}`, and the fields of
/// `volery-field` in which statements are written. Sealed, since a proof's format depends on it.
pub trait PublicRing: Ring + Zeroize + Engine {}

/// What an engine does; for this crate only.
pub trait Engine: Sized {
    /// The most repetitions that are computed side by side.
    const GROUP: usize;

    /// Bytes of `n` packed elements.
    fn packed(n: usize) -> usize;

    /// The first of `n` packed elements whose encoding is not canonical; `Some(n)` if it is the padding.
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

/// The prover's work on some repetitions.
pub struct Simulation<'a, R: PublicRing> {
    pub(crate) program: &'a Program<R>,
    /// One value an input.
    pub(crate) witness: &'a [R],
    /// Three a repetition.
    pub(crate) tapes: &'a [TapeStream],
    /// Three rows a repetition (see [`Shape::row`]), of which input share and view are written.
    pub(crate) rows: &'a mut [u8],
    /// A first message a repetition (see [`Shape::first`]), of which the output shares are written.
    pub(crate) first: &'a mut [u8],
}

/// The verifier's work on some repetitions.
pub struct Recomputation<'a, R: PublicRing> {
    pub(crate) program: &'a Program<R>,
    /// Which player is opened first, one a repetition.
    pub(crate) challenge: &'a [Trit],
    /// Those of the opened players, two a repetition.
    pub(crate) tapes: &'a [TapeStream],
    /// The rows of the opened players, two a repetition. Player 3's input share and the second player's view
    /// are there, and canonical; the other input shares and the first player's view are written.
    pub(crate) rows: &'a mut [u8],
    /// The output shares of the opened players, two a repetition; written.
    pub(crate) outputs: &'a mut [u8],
}

impl<R: PublicRing> Recomputation<'_, R> {
    fn shape(&self) -> Shape {
        self.program.shape()
    }
}

/// Overwrites `values` with zeros; kept alive by `black_box`, so that whole registers are written.
pub(crate) fn wipe<T: Copy>(values: &mut [T], zero: T) {
    values.fill(zero);
    core::hint::black_box(values);
}

impl PublicRing for F2 {}

/// Rings for the engine of elements, each with how it is drawn from a tape.
macro_rules! element_rings {
    ($($ring:ty),+) => {
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
        )+
    };
}

element_rings!(
    Z32,
    Z64,
    F32,
    F61,
    Gf256,
    Bn254Scalar,
    Bls12381Scalar,
    RistrettoScalar,
    Secp256k1Base,
    P256Base
);
