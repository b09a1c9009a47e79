//! A machine in the clear: wires are values, and a party's share is what a generator says.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use volery_circuit::Evaluator;
use volery_circuit::gadgets::bytes_to_bits;
use volery_field::F2;
use volery_garble::Function;

use super::{Step, TwoParty};
use crate::Error;

/// What the machine did.
#[derive(Default, Debug, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) ands: u64,
    pub(crate) steps: Vec<Step>,
    pub(crate) public: usize,
    pub(crate) opened: usize,
    pub(crate) shared: usize,
}

/// One party's machine. Those of P and V, which differ in the role only, give shares that add up to the
/// values.
pub(crate) struct Clear {
    masks: ChaCha20Rng,
    is_prover: bool,
    pub(crate) log: Log,
}

impl Clear {
    pub(crate) fn new(is_prover: bool) -> Self {
        Self { masks: ChaCha20Rng::seed_from_u64(3), is_prover, log: Log::default() }
    }
}

impl TwoParty for Clear {
    type Wire = F2;
    type Error = Error;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<F2>, Error> {
        self.log.public += bits.len();
        Ok(bits.to_vec())
    }

    fn call(&mut self, step: &Step, inputs: &[F2]) -> Result<Vec<F2>, Error> {
        self.log.ands += step.shape()?.ands;
        self.log.steps.push(step.clone());
        step.run(&mut Evaluator::new(), inputs).map_err(|error| Error::Misuse(error.to_string()))
    }

    fn open(&mut self, wires: &[F2]) -> Result<Vec<F2>, Error> {
        self.log.opened += wires.len();
        Ok(wires.to_vec())
    }

    fn share(&mut self, wires: &[F2]) -> Result<Vec<F2>, Error> {
        self.log.shared += wires.len();
        let mut mask = vec![0; wires.len().div_ceil(8)];
        self.masks.fill_bytes(&mut mask);
        let masks = bytes_to_bits(&mask);
        Ok(wires.iter().zip(masks).map(|(x, mask)| if self.is_prover { mask } else { *x + mask }).collect())
    }
}
