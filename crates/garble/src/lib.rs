//! Two parties compute on bits that neither may see. One then proves to the other that everything was done
//! right.
//!
//! P garbles circuits and V evaluates them. A garbling P could cheat, so V trusts no output until P has
//! proved, in zero knowledge and under V's key, that every circuit was evaluated on the inputs that P had
//! committed to (Xie et al., "Lightweight Authentication of Web Data via Garble-Then-Prove", USENIX Security
//! 2024). That is enough if V's inputs may be opened in the end, and costs little more than garbling against
//! an honest P.
//!
//! ```text
//! wire with value x:   P holds the label Z of 0, and D      V holds one label, L = Z + x D      lsb(D) = 1
//! P's bit x:           P holds x and a tag m                V holds k = m + x delta, and delta
//!
//! D, "the offset", is P's and new for each session; delta is V's. Both relations come from random COT, with the
//! roles swapped between them.
//! ```
//!
//! # Structure
//!
//! ```text
//! Function     any program over Ops<F2>, run by each of the three below
//!    |
//!    +--> gates      24.4 or 32 bytes an AND, an S-box of AES by its circuit or in 609; XOR, NOT are free
//!    |       `--> hash         AES under keys of its own for each gate, on several gates at once
//!    |
//!    +--> two_party  inputs (committed, or by OT), calls, outputs (public, shared, kept), and a log of all that
//!    |       `--> decoding     what an output label means, and that a value came from a label
//!    |
//!    +--> the proof  V opens its inputs, P recomputes the log and proves it with QuickSilver
//! ```
//!
//! * [`two_party`] is what protocols use: [`two_party::Garbler`] (P) and [`two_party::Evaluator`] (V) make
//!   the same calls in the same order. Garbling needs no values, so circuits can be garbled and sent ahead;
//!   then only 16 bytes for each input bit and 40 for each output bit remain to be sent. A session ends with
//!   [`two_party::Garbler::prove`] and [`two_party::Evaluator::verify`].
//! * [`gates`] has the two backends below it, on which any gadget or circuit file runs unchanged, and two
//!   ways of garbling an AND: [`gates::ThreeHalves`], which can garble S-boxes in fewer bytes, and
//!   [`gates::HalfGates`], which is faster, larger, and not used by `two_party`.
//! * [`Function`] is a program over bits, written once for garbling, for the clear and for the proof.
//!   `two_party` calls it.
//!
//! # What each party is guaranteed
//!
//! * **V, against a P that does anything**: `Ok` from [`two_party::Evaluator::verify`] means that every
//!   output that V saw is correct for V's inputs and for the inputs that P committed to before V decoded
//!   anything that depends on them. If V accepts, P has until then learnt about V's inputs only what the
//!   correct public values reveal, and one bit for each time that V did not abort (a P that garbles wrongly
//!   learns whether V noticed). A P that garbles another function learns what that function reveals, and is
//!   rejected in the end. So V's inputs must be worthless once they are opened, or already known.
//! * **P, against a V that does anything**: V learns the public outputs and its shares of shared ones, and
//!   nothing else. P accepts a public value only after V has shown the labels that it came from.
//!
//! Time depends only on circuits and lengths, never on labels or values. Only the instruction-set files of
//! `hash` and of three halves, and the code that calls them, contain `unsafe`.

mod decoding;
mod error;
mod function;
pub mod gates;
mod hash;
pub mod two_party;

pub use error::Error;
pub use function::{Function, Shape};
#[doc(hidden)]
pub use hash::is_as_portable;
