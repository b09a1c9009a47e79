//! What a program over steps costs, found by running it without values.
//!
//! Each step is counted by the counter of `volery-circuit`, by way of [`Shape`]. Tables, correlations and
//! V's memory are all derived from the sums here, so that they cannot disagree.

use volery_field::F2;
use volery_garble::Shape;

use super::{Plain, Step, TwoParty};
use crate::Error;
use crate::wire::suite::Aead;

/// What all steps of a program cost together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// AND gates.
    pub(crate) ands: u64,
    /// S-boxes of AES. The 32 ANDs of each are also counted in `ands`.
    pub(crate) s_boxes: u64,
    /// The number of commitments of a proof of all steps.
    pub(crate) commitments: u64,
    /// Bits that the parties share. Each takes a mask that P is committed to.
    pub(crate) shared: usize,
    /// Further bits of P's that it is committed to.
    pub(crate) committed: usize,
}

/// A machine that adds up costs. Wires are empty, and the bits that it opens or shares are zeros.
#[derive(Default)]
pub(crate) struct Counting {
    cost: Cost,
    /// The last step, since a program often repeats one.
    last: Option<(Step, Shape)>,
}

impl Counting {
    /// The cost of everything that ran on this machine.
    pub(crate) fn cost(&self) -> Cost {
        self.cost
    }

    /// Counts bits of P's to which it will be committed.
    pub(crate) fn commit(&mut self, bits: usize) {
        self.cost.committed = self.cost.committed.saturating_add(bits);
    }
}

impl Step {
    /// Whether this step is known to cost as much as another one, or nearly: if they are the same, or are
    /// counter blocks of TLS 1.3, one each. Their numbers are public, and adding public bits costs nothing.
    /// So P cannot have V count a circuit for each block that it opens alone.
    fn costs_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::XoredBlocks(size, one), Self::XoredBlocks(other, two)) => {
                let counter = |blocks: &[Plain]| matches!(blocks, [Plain::Counter { .. }]);
                size == other && (one == two || counter(one) && counter(two))
            }
            // Blocks of key stream, but for the public counter's last addition, of 31 ANDs.
            (Self::ChaCha20(one), Self::ChaCha20(two)) => {
                let stream = |blocks: &[Plain]| matches!(blocks, [Plain::Counter { counter: 1.., .. }]);
                one == two || stream(one) && stream(two)
            }
            _ => self == other,
        }
    }

    /// The size of this step, counted.
    ///
    /// # Errors
    /// None in practice: a step with its own number of inputs can be counted.
    pub(crate) fn shape(&self) -> Result<Shape, Error> {
        Shape::of(self, self.inputs()).map_err(|error| Error::Misuse(error.to_string()))
    }
}

impl TwoParty for Counting {
    type Wire = ();
    type Error = Error;

    fn public(&mut self, bits: &[F2]) -> Result<Vec<()>, Error> {
        Ok(vec![(); bits.len()])
    }

    fn call(&mut self, step: &Step, inputs: &[()]) -> Result<Vec<()>, Error> {
        step.check(inputs.len()).map_err(|error| Error::Misuse(error.to_string()))?;
        let shape = match self.last.take() {
            Some((last, shape)) if last.costs_as(step) => shape,
            _ => step.shape()?,
        };
        self.cost.ands = self.cost.ands.saturating_add(shape.ands);
        self.cost.s_boxes = self.cost.s_boxes.saturating_add(shape.s_boxes);
        self.cost.commitments = self.cost.commitments.saturating_add(shape.commitments());
        self.last = Some((step.clone(), shape));
        Ok(vec![(); shape.outputs])
    }

    fn open(&mut self, wires: &[()]) -> Result<Vec<F2>, Error> {
        Ok(vec![F2::ZERO; wires.len()])
    }

    fn share(&mut self, wires: &[()]) -> Result<Vec<F2>, Error> {
        self.cost.shared = self.cost.shared.saturating_add(wires.len());
        Ok(vec![F2::ZERO; wires.len()])
    }
}

/// The approximate number of commitments of a proof of this many blocks of key stream under one key whose
/// counters differ in a few bits. The first one costs more than the others, as those share what does not
/// depend on the counter.
///
/// # Errors
/// As [`Step::shape`].
pub(crate) fn commitments_of_blocks(aead: Aead, blocks: usize) -> Result<u64, Error> {
    let Some(others) = blocks.checked_sub(1) else { return Ok(0) };
    let first = |count| -> Result<u64, Error> {
        // ChaCha20 adds the counter to its last state: an odd one takes most.
        let step = if matches!(aead, Aead::Gcm(_)) { 1 } else { 2 };
        let counters = (1..=count).map(|number| step * number - (step - 1));
        let counters = counters.map(|counter| Plain::Counter { sequence: 1, counter });
        let step = match aead {
            Aead::Gcm(size) => Step::Blocks(size, counters.collect()),
            Aead::ChaCha20Poly1305 => Step::ChaCha20(counters.collect()),
        };
        Ok(step.shape()?.commitments())
    };
    let (one, two) = (first(1)?, first(2)?);
    Ok(one.saturating_add(two.saturating_sub(one).saturating_mul(others as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::hash::HashFunction;
    use crate::wire::suite::KeySize::{self, Bits128, Bits256};

    fn blocks(size: KeySize, count: usize) -> Step {
        Step::Blocks(size, (0..count as u32).map(|counter| Plain::Counter { sequence: 7, counter }).collect())
    }

    #[test]
    fn a_counter_block_of_tls_1_3_costs_the_same_whatever_its_number() {
        let alone =
            |sequence, counter| Step::XoredBlocks(Bits128, vec![Plain::Counter { sequence, counter }]);
        let expected = alone(0, 1).shape().unwrap();
        for step in [alone(0, 2), alone(1, 1), alone(u64::MAX, 1), alone(0x0102, 1025)] {
            assert!(step.costs_as(&alone(0, 1)));
            let shape = step.shape().unwrap();
            assert_eq!(
                (shape.ands, shape.commitments(), shape.outputs),
                (expected.ands, expected.commitments(), expected.outputs)
            );
        }
        for other in [
            Step::XoredBlocks(Bits128, vec![Plain::Zero]),
            Step::XoredBlocks(Bits256, vec![Plain::Counter { sequence: 0, counter: 1 }]),
            Step::XoredBlocks(Bits128, vec![Plain::Counter { sequence: 0, counter: 1 }; 2]),
            Step::Blocks(Bits128, vec![Plain::Counter { sequence: 0, counter: 1 }]),
        ] {
            assert!(!other.costs_as(&alone(0, 1)) && !alone(0, 1).costs_as(&other));
        }
    }

    #[test]
    fn what_runs_is_added_up() {
        let mut machine = Counting::default();
        let key = machine.public(&[F2::ONE; 128]).unwrap();
        let round_keys = machine.call(&Step::ExpandKey(Bits128), &key).unwrap();
        assert_eq!(round_keys.len(), Step::ExpandKey(Bits128).outputs());
        machine.call(&Step::ExpandKey(Bits128), &key).unwrap();
        machine.call(&Step::MasterKey(HashFunction::Sha256), &[(); 384]).unwrap();
        assert_eq!(machine.share(&round_keys[..100]).unwrap().len(), 100);
        assert_eq!(machine.open(&round_keys[..8]).unwrap().len(), 8);
        machine.commit(7);
        let ands = 2 * 1280 + 43_258;
        // An S-box of AES has 32 ANDs, and its proof takes eight commitments.
        let expected =
            Cost { ands, s_boxes: 2 * 40, commitments: 2 * 320 + 43_258, shared: 100, committed: 7 };
        assert_eq!(machine.cost(), expected);
        assert!(machine.call(&Step::ExpandKey(Bits128), &key[..127]).is_err());
    }

    #[test]
    fn blocks_are_estimated_from_the_first_two() {
        for (size, first) in [(Bits128, 8 * 160), (Bits256, 8 * 224)] {
            let aead = Aead::Gcm(size);
            assert_eq!(commitments_of_blocks(aead, 0), Ok(0));
            assert_eq!(commitments_of_blocks(aead, 1), Ok(first));
            for count in [1, 2, 18] {
                let expected = blocks(size, count).shape().unwrap().commitments();
                assert_eq!(commitments_of_blocks(aead, count), Ok(expected));
            }
        }
    }
}
