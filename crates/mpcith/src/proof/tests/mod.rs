//! Proofs as bytes, honest and otherwise.

mod damage;
mod honest;
mod soundness;

use volery_circuit::CircuitStatement;
use volery_field::Ring;

use super::*;
use crate::testing::{SMALL, rng, statement};

pub(super) const PROTOCOLS: [Protocol; 2] = [Protocol::Zkboo, Protocol::Zkbpp];

pub(super) fn settings(protocol: Protocol, sigma: u16) -> Settings<'static> {
    Settings { protocol, parameters: Parameters::new(sigma).expect("in range"), threads: None }
}

/// A small statement that holds, and a proof of it.
pub(super) fn proved<R: PublicRing + Ring>(protocol: Protocol, sigma: u16) -> (CircuitStatement<R>, Vec<u8>) {
    let statement = statement::<R>(11, SMALL);
    let proof = prove(&statement, settings(protocol, sigma), &mut rng(5)).expect("it holds");
    (statement, proof)
}
