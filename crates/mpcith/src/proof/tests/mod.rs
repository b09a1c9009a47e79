//! Proofs as bytes, honest and otherwise.

mod canonical;
mod damage;
mod honest;
mod soundness;
mod stored;

use volery_circuit::CircuitStatement;
use volery_field::Ring;
use volery_testing::rng;

use super::*;
use crate::testing::{SMALL, statement};

pub(super) const PROTOCOLS: [Protocol; 2] = [Protocol::Zkboo, Protocol::Zkbpp];

pub(super) fn settings(protocol: Protocol, sigma: u16) -> Settings<'static> {
    Settings { protocol, parameters: Parameters::new(sigma).expect("in range"), ..Settings::default() }
}

/// A small statement that holds, and a proof of it.
pub(super) fn proved<R: PublicRing + Ring>(protocol: Protocol, sigma: u16) -> (CircuitStatement<R>, Vec<u8>) {
    let statement = statement::<R>(11, SMALL);
    let proof = prove(&statement, settings(protocol, sigma), &mut rng(5)).expect("it holds");
    (statement, proof)
}

/// The first move of a prover that does everything right, with a witness for which the claim is false.
pub(crate) struct FalseClaim<R: PublicRing> {
    pub(crate) program: Program<R>,
    pub(crate) header: Header,
    pub(crate) committed: Committed,
}

impl<R: PublicRing> FalseClaim<R> {
    pub(crate) fn new(settings: Settings<'_>) -> Self {
        let statement = statement::<R>(11, SMALL);
        let program = Program::<R>::new(&statement).expect("compiles");
        let witness = Program::witness(&statement).expect("holds");
        let wrong = (0..witness.values().len()).find_map(|i| {
            let mut values = witness.values().to_vec();
            values[i] += R::ONE;
            let witness = Witness::new(values);
            let (header, seeds) = draw(&[9; 32], &program, &witness, settings, FILE);
            let committed = Committed::new(&program, witness.values(), &header, &seeds, None);
            let committed = committed.expect("runs");
            (!committed.claims_hold::<R>()).then_some((header, committed))
        });
        let (header, committed) = wrong.expect("the claim depends on some secret");
        Self { program, header, committed }
    }
}
