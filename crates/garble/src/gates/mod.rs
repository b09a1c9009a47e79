//! Garbling and evaluation of circuits: the two backends, and the two ways of garbling an AND gate.
//!
//! Addition and constants are free (Kolesnikov and Schneider, ICALP 2008), in the same way for every
//! [`Scheme`]:
//!
//! ```text
//! garbler    Z of each wire, the label of 0; that of 1 is Z + D       lsb(D) = 1: lowest bits ("colours") differ
//! evaluator  L, one of the two, not knowing which
//!
//! x + y      Z_x + Z_y,  L_x + L_y                  1:  Z = D,  L = 0            so x + 1:  Z_x + D,  L_x
//! x * y      a table for each gate                                       see HalfGates, ThreeHalves
//! S-box      30 ciphertexts and five gates, or its circuit               see the module s_box
//! ```
//!
//! [`GateGarbler`] and [`GateEvaluator`] implement [`Ops`](volery_circuit::Ops), so that every gadget and
//! circuit runs on them. They hold no circuit: tables leave through a [`TableSink`] as gates are made, and
//! are read from a [`TableSource`] as they are used. Both number the keys of the hash, and a number must
//! never be used again under one offset. So each run continues with the number where the last one ended
//! ([`GateGarbler::finish`], [`GateEvaluator::finish`]).
//!
//! This is secure against an evaluator that does anything and an honest garbler. The protocol above,
//! [`two_party`](crate::two_party), handles a dishonest garbler. Nothing here is checked, because nothing can
//! be: any bytes of the right length are a table.

mod evaluator;
mod garbler;
mod half_gates;
mod s_box;
mod scheme;
mod tables;
#[cfg(test)]
mod tests;
mod three_halves;

pub use evaluator::{ActiveWire, GateEvaluator};
pub use garbler::{GateGarbler, ZeroWire};
pub use half_gates::HalfGates;
pub use scheme::Scheme;
pub(crate) use scheme::private::Gate;
pub use tables::{TableSink, TableSource};
pub use three_halves::ThreeHalves;

/// Checks that the operands of `mul_many` are equally long.
fn same_length(x: usize, y: usize) -> Result<(), volery_circuit::Error> {
    if x == y {
        return Ok(());
    }
    Err(volery_circuit::Error::Misuse(format!("mul_many of {x} and {y} wires")))
}
