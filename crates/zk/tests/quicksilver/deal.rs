//! Correlations from a seed that both parties know: what the protocols of `volery-vole` make, without them.

use volery_channel::Channel;
use volery_field::Gf128;
use volery_vole::supply::{Chain, Correlations, Stock};
use volery_vole::{Delta, Error, Prg};

/// The verifier's key in all tests.
pub(crate) fn delta() -> Delta {
    Delta::from_element(Gf128::from_bits(0x8badf00d_0ddba11c_afef00d5_deadbeef))
}

/// Tags with their bits, one after another without end.
pub(crate) struct Tags(Prg);

impl Tags {
    pub(crate) fn new(seed: u8) -> Self {
        Self(Prg::new([seed; 16]))
    }

    pub(crate) fn next(&mut self) -> Gf128 {
        self.0.block()
    }
}

/// One party's correlations.
struct Dealt {
    tags: Tags,
    /// V's key, at V.
    delta: Option<Delta>,
    /// Correlations in a batch.
    batch: usize,
}

impl Correlations for Dealt {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), Error> {
        out.clear();
        for _ in 0..self.batch {
            let tag = self.tags.next();
            out.push(match &self.delta {
                Some(delta) if tag.to_bits() & 1 == 1 => tag + delta.expose(),
                _ => tag,
            });
        }
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, Error> {
        Ok(Chain::from_bytes([0xd7; 32]))
    }
}

/// P's stock, in batches of `batch`.
pub(crate) fn prover_stock(seed: u8, batch: usize) -> Stock {
    Stock::new(Box::new(Dealt { tags: Tags::new(seed), delta: None, batch }))
}

/// V's stock, in batches of `batch`.
pub(crate) fn verifier_stock(seed: u8, batch: usize) -> Stock {
    Stock::new(Box::new(Dealt { tags: Tags::new(seed), delta: Some(delta()), batch }))
}
