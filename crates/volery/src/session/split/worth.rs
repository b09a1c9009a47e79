//! What the acceptance of a split statement is worth, term by term.

use volery_zk::soundness::{FieldSize, Term};

/// The counts that the bound depends on: see the module's documentation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Worth {
    /// Bits of the shard whose proof is worth the least.
    worst: f64,
    /// Bits of a guess of the key.
    guess: f64,
    /// Bits of sums under random coefficients, if there are any.
    sums: Option<f64>,
    retries: u32,
}

impl Worth {
    /// Of shards that are worth so much each, joined by sums if `is_combined`.
    pub(super) fn of(
        shards: impl Iterator<Item = f64>,
        size: FieldSize,
        is_combined: bool,
        retries: u32,
    ) -> Self {
        // One for the coefficients, whose most likely value counts, and one for the seed that they are made
        // from.
        let sums = -((-size.field).exp2() + (-128_f64).exp2()).log2();
        let sums = is_combined.then_some(sums);
        Self { worst: shards.fold(size.key, f64::min), guess: size.key, sums, retries }
    }

    /// Bits that the retries cost which are allowed: each is one more try for a cheating P.
    pub(super) fn retries_bits(&self) -> f64 {
        (f64::from(self.retries) + 1.0).log2()
    }

    /// All ways in which a false statement can be accepted, with the retries counted in each.
    pub(super) fn terms(&self) -> Vec<Term> {
        let terms = [
            ("a shard that does not hold is accepted", self.worst),
            ("what boundary wires differ by is guessed", self.guess),
        ];
        let sums = self.sums.map(|bits| ("sums hide that boundary wires differ", bits));
        let lost = self.retries_bits();
        terms.into_iter().chain(sums).map(|(what, bits)| Term { what, bits: bits - lost }).collect()
    }

    /// `-log2` of the probability that a false statement is accepted.
    pub(super) fn bits(&self) -> f64 {
        -self.terms().iter().map(|term| (-term.bits).exp2()).sum::<f64>().log2()
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, F61x2};

    use super::*;

    #[test]
    fn the_worst_shard_and_a_guess_count_once_for_each_try() {
        let worth =
            |retries| Worth::of([110.0, 100.0, 120.0].into_iter(), FieldSize::OVER_BITS, false, retries);
        let once = -(100_f64.exp2().recip() + 127_f64.exp2().recip()).log2();
        assert!((worth(0).bits() - once).abs() < 1e-9);
        for retries in [1, 8, u32::MAX] {
            let lost = (f64::from(retries) + 1.0).log2();
            assert!((worth(0).bits() - worth(retries).bits() - lost).abs() < 1e-9, "{retries}");
        }
        // Without shards that are worth less, the guess is the worst.
        let none = |combined| Worth::of(core::iter::empty(), FieldSize::OVER_BITS, combined, 0);
        assert!((none(false).bits() - 126.0).abs() < 1e-9);
        // Two shares of 2^-127, and two halves of one.
        assert!((none(true).bits() - (127.0 - 3_f64.log2())).abs() < 1e-9);
        // Four of 2^122 strings give the coefficient zero.
        let (size, none) = (FieldSize::of::<F61, F61x2>(), core::iter::empty());
        let terms = Worth::of(none, size, true, 0).terms();
        let sums = terms.iter().find(|term| term.what.contains("sums")).expect("a term");
        let expected = -(4.0 / 122_f64.exp2() + 128_f64.exp2().recip()).log2();
        assert!((sums.bits - expected).abs() < 1e-9, "{sums:?}");
    }
}
