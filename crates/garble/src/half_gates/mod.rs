//! Garbling and evaluation of circuits, 32 bytes an AND gate.
//!
//! Zahur, Rosulek and Evans, "Two Halves Make a Whole", EUROCRYPT 2015 (ePrint 2014/220), figure 2, with free XOR:
//!
//! ```text
//! garbler    Z of each wire, the label of 0; that of 1 is Z + D          lsb(D) = 1: the lowest bits ("colours") differ
//! evaluator  L, one of the two, not knowing which
//!
//! x + y      Z_x + Z_y,  L_x + L_y                  1:  Z = D,  L = 0            so x + 1:  Z_x + D,  L_x
//!
//! x * y      a, b: colours of Z_x, Z_y              H, H': the hash of this gate's two halves (see the module `hash`)
//!
//!   T_G = H(Z_x) + H(Z_x + D) + b D                 sent
//!   T_E = H'(Z_y) + H'(Z_y + D) + Z_x               sent
//!   Z   = H(Z_x) + a T_G  +  H'(Z_y) + b (T_E + Z_x)
//!
//!   L   = H(L_x) + colour(L_x) T_G  +  H'(L_y) + colour(L_y) (T_E + L_x)
//! ```
//!
//! The first half computes `x * b` for the garbler's bit `b`, the second `x * (y + b)` for the bit `y + b` that the evaluator
//! sees as a colour.
//!
//! [`Garbler`] and [`Evaluator`] implement [`Ops`](volery_circuit::Ops), so that every gadget and circuit runs on them. They hold
//! no circuit: tables leave through a [`Sink`] as gates are made, and are read from a [`Source`] as they are used. Both number
//! the gates, and the number of a gate must never come again under one offset; so each run goes on where the last one ended
//! ([`Garbler::finish`], [`Evaluator::finish`]).
//!
//! This is security against an evaluator that does what it likes and a garbler that is honest: what comes of a lying garbler is
//! for the protocol above, [`two_party`](crate::two_party), to care for. Nothing here is checked, because nothing here can be: any
//! 32 bytes are a table.

mod evaluator;
mod garbler;
mod tables;
#[cfg(test)]
mod tests;

pub use evaluator::{ActiveWire, Evaluator};
pub use garbler::{Garbler, ZeroWire};
pub use tables::{Sink, Source, TABLE_BYTES};

/// That the operands of `mul_many` are equally long.
fn same_length(x: usize, y: usize) -> Result<(), volery_circuit::Error> {
    if x == y {
        return Ok(());
    }
    Err(volery_circuit::Error::Misuse(format!("mul_many of {x} and {y} wires")))
}
