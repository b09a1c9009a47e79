//! The measurement of conversions from field elements to bits.

use std::time::{Duration, Instant};

use volery_circuit::convert::widest;
use volery_circuit::{Convert, Digest, Prove, Statement};
use volery_field::F61;

use super::phases::Clock;

/// The number of elements that are converted at once: so many that the fixed cost of a batch does not matter,
/// and so few that memory does not grow.
const BATCH: u64 = 1 << 12;

/// The statement "I know this many elements", each converted to its bits.
pub(super) struct ConvertWork {
    elements: u64,
    pub(super) clock: Clock,
}

impl ConvertWork {
    pub(super) fn new(elements: u64) -> Self {
        Self { elements, clock: Clock::default() }
    }
}

impl<B: Convert<F61>> Statement<B> for ConvertWork {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"benchmark: conversions v2").number("elements", self.elements);
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let (start, width) = (Instant::now(), widest::<F61>());
        for first in (0..self.elements).step_by(BATCH as usize) {
            let count = BATCH.min(self.elements - first);
            let value = |i: u64| (first + i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let elements = Prove::<F61>::secret(backend, count as usize, &mut |_| {
                Ok((0..count).map(|i| F61::new(value(i))).collect())
            })?;
            backend.to_bits(&elements, width)?;
        }
        self.clock.note(start, Duration::ZERO);
        Ok(())
    }
}
