//! A function over bits that is garbled, computed in the clear, and proved.

use volery_circuit::{Circuit, Counter, Counts, Digest, Evaluator, Ops, Sizes};
use volery_field::F2;
use volery_zk::quicksilver::bits::Program;

use crate::Error;

/// A program from bits to bits, over any backend that can add and multiply.
///
/// Both parties hold it and must make the same calls; it contains nothing secret. A protocol with several
/// functions uses an `enum` of them. A function has no assertions, only outputs.
pub trait Function: Send + Sync {
    /// Absorbs what identifies this function: a name with a version, and its public parameters. Two functions
    /// with the same digest must make the same calls on every backend.
    fn identify(&self, digest: &mut Digest);

    /// Computes the outputs for `inputs`.
    ///
    /// # Errors
    /// What the backend returns; [`volery_circuit::Error::Misuse`] (converted) for a wrong number of inputs.
    fn run<B: Ops<F2> + ?Sized>(&self, backend: &mut B, inputs: &[B::Wire])
    -> Result<Vec<B::Wire>, B::Error>;

    /// The outputs for known inputs. The default runs [`Function::run`] on an evaluator. Functions with a
    /// faster way override it; the time must not depend on the inputs.
    ///
    /// # Errors
    /// As [`Function::run`].
    fn values(&self, inputs: &[F2]) -> Result<Vec<F2>, volery_circuit::Error> {
        self.run(&mut Evaluator::new(), inputs)
    }
}

/// The circuit of a circuit file. A circuit with assertions is refused, because nobody would check them.
impl Function for Circuit<F2> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("function", b"circuit v1");
        Self::identify(self, digest);
    }

    fn run<B: Ops<F2> + ?Sized>(
        &self,
        backend: &mut B,
        inputs: &[B::Wire],
    ) -> Result<Vec<B::Wire>, B::Error> {
        if !self.asserted().is_empty() {
            let reason = "a circuit with assertions cannot be garbled; make them outputs";
            return Err(volery_circuit::Error::Misuse(reason.into()).into());
        }
        Ok(self.compute(backend, inputs.to_vec())?.outputs)
    }
}

/// The size of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// AND gates.
    pub ands: u64,
    /// S-boxes of AES. The 32 ANDs of each are also counted in `ands`.
    pub s_boxes: u64,
    /// Output bits.
    pub outputs: usize,
}

impl Shape {
    /// The shape of `function` on this many inputs, found by running it without values.
    ///
    /// # Errors
    /// The function's own.
    pub fn of(function: &(impl Function + ?Sized), inputs: usize) -> Result<Self, Error> {
        let mut counter = Counter::<F2, Sizes>::default();
        let outputs = function.run(&mut counter, &vec![(); inputs])?.len();
        let Counts { multiplications, s_boxes, .. } = counter.total();
        Ok(Self { ands: multiplications, s_boxes, outputs })
    }

    /// The number of commitments that a proof of it takes.
    #[must_use]
    pub fn commitments(&self) -> u64 {
        commitments(self.ands, self.s_boxes)
    }
}

/// The number of commitments that a proof of this many ANDs takes, including those of the S-boxes.
pub(crate) fn commitments(ands: u64, s_boxes: u64) -> u64 {
    let mut counts = Counts::default();
    (counts.multiplications, counts.s_boxes) = (ands, s_boxes);
    Program::from(&counts).commitments
}

#[cfg(test)]
mod tests {
    use volery_circuit::testing::{RandomCircuit, Size};

    use super::*;

    #[test]
    fn a_shape_counts_ands_and_outputs() {
        let size = Size { asserted: 0, ..Size::small() };
        let circuit = RandomCircuit::new(3, size).circuit;
        assert_eq!(Shape::of(&circuit, 10).unwrap(), Shape { ands: 40, s_boxes: 0, outputs: 5 });
    }

    #[test]
    fn a_circuit_with_assertions_is_refused() {
        let circuit = RandomCircuit::new(3, Size::small()).circuit;
        assert!(matches!(Shape::of(&circuit, 10), Err(Error::Function(_))));
    }
}
