//! Two parties compute on bits that neither may see, and one then proves to the other that all was done
//! right.
//!
//! P garbles circuits and V evaluates them; a garbling P could cheat, so V trusts nothing that comes out
//! until P has proved, in zero knowledge and under V's key, that every circuit was evaluated on the inputs
//! that P had committed to (Xie et al., "Lightweight Authentication of Web Data via Garble-Then-Prove",
//! USENIX Security 2024). That is enough where V's inputs may be opened in the end, and costs little more
//! than garbling against an honest P.
//!
//! ```text
//! wire with value x:   P holds the label Z of 0, and D      V holds one label, L = Z + x D      lsb(D) = 1
//! P's bit x:           P holds x and a tag m                V holds k = m + x delta, and delta
//!
//! D, "the offset", is P's and new for each session; delta is V's. Both relations come from random COT, with the
//! roles swapped between them.
//! ```
//!
//! # How it hangs together
//!
//! ```text
//! Function     any program over Ops<F2>, run by each of the three below
//!    |
//!    +--> gates      25 or 32 bytes an AND; tables leave as gates are made; XOR and NOT are free
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
//!   what remains is 16 bytes for each input bit and 40 for each output bit. It ends with
//!   [`two_party::Garbler::prove`] and [`two_party::Evaluator::verify`].
//! * [`gates`] are the two backends beneath, on which any gadget or circuit file runs unchanged, with two
//!   ways of garbling an AND: [`gates::ThreeHalves`], the smaller one, and [`gates::HalfGates`], the faster
//!   one.
//! * [`Function`] is what is called: a program over bits, written once for garbling, for the clear and for
//!   the proof.
//!
//! # What each party is promised
//!
//! * **V, against a P that does anything**: `Ok` from [`two_party::Evaluator::verify`] means that every
//!   output that V saw is the right one for the inputs that P committed to before V decoded anything that
//!   depends on them, and V's own. If V accepts, P has learnt of V's inputs until then what the right public
//!   values say, and one bit for each time that V did not abort (a P that garbles wrongly learns whether V
//!   noticed). A P that garbles another function learns what that one says, and is rejected in the end. So
//!   what V puts in must be worthless once it is opened, or known.
//! * **P, against a V that does anything**: V learns the public outputs and its shares of shared ones,
//!   nothing else. A public value counts for P only when V has shown the labels that it came from.
//!
//! Time depends on circuits and lengths alone, never on labels or values. `unsafe` occurs in the
//! instruction-set files of `hash` and of three halves, and where they are called.

mod decoding;
mod error;
mod function;
pub mod gates;
mod hash;
pub mod two_party;

pub use error::Error;
pub use function::{Function, Shape};
