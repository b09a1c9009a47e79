//! Counts what a statement about bits and elements does.

use volery::circuit::convert::{BitOf, ElementOf};
use volery::circuit::{Backend, Convert, Counter, Counts, Error, Prove};
use volery::field::{F2, F61};

/// A counter for each kind.
#[derive(Default)]
pub(crate) struct MixedCounter {
    bits: Counter<F2>,
    elements: Counter<F61>,
}

impl MixedCounter {
    /// Both together. The elements that bits are converted to count as secrets.
    pub(crate) fn total(&self) -> Counts {
        let mut total = self.bits.total();
        total += self.elements.total();
        total
    }

    /// What the delegation below asks for; a counter has nothing to prepare.
    #[allow(clippy::extra_unused_type_parameters, reason = "the delegation names the ring")]
    fn prepare_ring<R>(&mut self) -> Result<(), Error> {
        Ok(())
    }

    #[allow(clippy::extra_unused_type_parameters, reason = "as above")]
    fn prepare_batch<R>(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl Backend for MixedCounter {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.bits.enter(part);
        self.elements.enter(part);
    }

    fn leave(&mut self) {
        self.bits.leave();
        self.elements.leave();
    }
}

volery_circuit::delegate_ring!([] MixedCounter, F2, Counter<F2>, |this| &mut this.bits);
volery_circuit::delegate_ring!([] MixedCounter, F61, Counter<F61>, |this| &mut this.elements);
volery_circuit::delegate_polynomials!([] MixedCounter, F61, Counter<F61>, |this| &mut this.elements);

impl Convert<F61> for MixedCounter {
    fn convert_bits(&mut self, bits: &[BitOf<Self>]) -> Result<Vec<ElementOf<Self, F61>>, Error> {
        self.elements.secret(bits.len(), &mut |_| Ok(Vec::new()))
    }

    fn peek(&self, _elements: &[ElementOf<Self, F61>], _look: &mut dyn FnMut(F61)) {}
}
