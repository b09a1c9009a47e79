//! What the acceptance of a disjunction is worth, in bits.
//!
//! To QuickSilver's bound for all that is committed to ([`Checks`], [`FieldSize`]) a disjunction of `B` branches adds, if none of
//! them holds on what was committed to before the seed was drawn,
//!
//! ```text
//! (3 C + 2) B / |M|   a branch's token vanishes: under each of C challenges 1 / |M| that beta takes both errors of a multiplication
//!                     away, 2 / |M| for the two factors of s (see `rows`); 2 / |M| for those of t
//! B / K               the opened polynomial of degree B agrees with the true one at delta
//! ```
//!
//! (rows under a challenge are fixed before it is drawn, and P is found out unless the *last* that are not zero vanish together with
//! what those before them left), and a batch, whose membership claims are relations of degree `B` and so among QuickSilver's,
//!
//! ```text
//! B / |M|             the topology vector of a branch vanishes on what was committed to
//! B / |M|             a vector that belongs to no branch has a branch's token
//! ```
//!
//! The number of repetitions is not in it: which of them do not hold is settled before the seed, and P is found out unless it is
//! lucky with *every* one of those, so at most as often as with the first. The same goes for several disjunctions in a statement.
//!
//! Where challenges are hashes, each of `q` hash computations is one more try at a seed.

use super::rows::FOLD;
use crate::quicksilver::arithmetic::soundness::{Checks, FieldSize};

/// What the bound depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disjunction {
    /// Branches of the largest one.
    pub branches: usize,
    /// [`challenges`] of the largest single one; zero where there are batches alone.
    pub challenges: u64,
}

/// Challenges of a single disjunction of so many multiplications: it has one for each 2^18 of them, and a proof as many blocks more.
#[must_use]
pub const fn challenges(multiplications: u64) -> u64 {
    if multiplications == 0 { 1 } else { multiplications.div_ceil(FOLD as u64) }
}

impl Disjunction {
    /// That a seed is good for a P without a branch that holds.
    fn lucky(&self, size: FieldSize) -> f64 {
        let per_branch = 3.0 * self.challenges as f64 + 2.0;
        per_branch * self.branches as f64 / size.field.exp2()
    }

    fn error(&self, checks: &Checks, size: FieldSize) -> f64 {
        let roots = if self.challenges == 0 { 0.0 } else { self.branches as f64 / size.key.exp2() };
        (-checks.interactive_bits(size)).exp2() + self.lucky(size) + roots
    }

    /// Soundness of an interactive proof with these checks, in bits.
    #[must_use]
    pub fn interactive_bits(&self, checks: &Checks, size: FieldSize) -> f64 {
        -self.error(checks, size).log2()
    }

    /// Soundness of a Fiat-Shamir proof against a P that computes `2^log2_queries` hashes, in bits.
    #[must_use]
    pub fn fiat_shamir_bits(&self, checks: &Checks, size: FieldSize, log2_queries: f64) -> f64 {
        let tries = log2_queries.exp2() * self.lucky(size);
        let checks = (-checks.fiat_shamir_bits(size, log2_queries)).exp2();
        let alone = self.error(&Checks { blocks: 0, degree: 2, folds: 0 }, size);
        -(checks + alone + tries).log2()
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, F61x2};

    use super::*;

    #[test]
    fn a_thousand_branches_over_the_61_bit_field_keep_forty_bits() {
        let size = FieldSize::of::<F61, F61>();
        let checks = Checks { blocks: 1000, degree: 2, folds: 0 };
        let single = Disjunction { branches: 1024, challenges: 4 };
        assert!((45.5..46.5).contains(&single.interactive_bits(&checks, size)));
        // Half a million steps of 50 instructions, 530 commitments each and a block for every 131,072.
        let checks = Checks { blocks: 2 * 500_000 * 530 / (1 << 17), degree: 50, folds: 0 };
        let batch = Disjunction { branches: 50, challenges: 0 };
        assert!(
            (42.0..43.0).contains(&batch.interactive_bits(&checks, size)),
            "{}",
            batch.interactive_bits(&checks, size)
        );
    }

    #[test]
    fn bits_and_the_extension_keep_a_hundred() {
        let checks = Checks { blocks: 1 << 12, degree: 2, folds: 0 };
        for size in [FieldSize::OVER_BITS, FieldSize::of::<F61, F61x2>()] {
            let bits = Disjunction { branches: 64, challenges: challenges(10_000_000) }
                .interactive_bits(&checks, size);
            assert!(bits >= 100.0, "{bits}");
        }
    }

    #[test]
    fn hashing_helps_a_cheating_prover_in_proportion_to_branches() {
        let checks = Checks { blocks: 1, degree: 2, folds: 0 };
        let bits = |branches| {
            Disjunction { branches, challenges: 1 }.fiat_shamir_bits(&checks, FieldSize::OVER_BITS, 64.0)
        };
        // 2^64 tries at 5 * 64 / 2^128.
        assert!((55.6..55.7).contains(&bits(64)), "{}", bits(64));
        assert!((0.9..1.1).contains(&(bits(64) - bits(128))));
    }
}
