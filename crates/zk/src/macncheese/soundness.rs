//! The soundness of a proof, by the bounds of the paper.
//!
//! A proof of a false statement is accepted with probability at most
//!
//! ```text
//! interactive     blocks * E            a wrong product survives its block's check:
//!                     1 / (|M| - 2)                     simple (theorem 3; challenges are neither 0 nor 1)
//!                     (4 log n + 2) / (|M| - 2)         batched, coefficients from a seed (section 4.3)
//!                     (n + 4 log n + 1) / (|M| - 2)     batched, powers (theorem 4)
//!                     1 / 2^45                          embedded (section 4.4)
//!               + blocks / |M|          the queries of a block cancel in their combination (figure 5)
//!               + T / 2^128             its errors were made for the seed that comes (`quicksilver::soundness`); with Fiat-Shamir q times that.
//!                                       Errors are values, queries of products, and ends of disjunctions
//!               + 2 (m - 1) / |M|       joins of a tree over m branches; 2 / |M| for shares of a challenge (theorem 2)
//!               + 1 / K                 the tag of a query that is not zero is guessed
//! Fiat-Shamir   + q * ((m + 1) (E' + 2 / |C|) + 2^-128) theorem 5 with round-by-round error E', the greatest of any one round: 2 / (|M| - 2),
//!                                                       n / (|M| - 2) for powers, 2^-45 embedded; |C| = min(|M|, 2^128)
//!               + q / 2^127                             the search for delta
//! ```
//!
//! Blocks and joins are those of *all* branches of all disjunctions, because a cheating P needs one of them
//! to pass falsely and may choose which. A block's number of assertions or of disjunctions also causes a
//! check, which counts as a block. All branches share each challenge with the program around them, over all
//! levels of nesting and over all repetitions in step with each other. So one hash is a try at each of them:
//! up to `m + 1` tries. `K` is the number of likely values of delta ([`FieldSize`]).
//!
//! `T` is that of one block, although blocks in step with each other share a seed. They all must pass under
//! the seed that comes, so errors in a second block do not help against more seeds. The branches of one
//! disjunction read one string and share its errors. A product that is checked alone has two queries. Each is
//! an element of `M` that P can make wrong, by what it fixes (`c`, the first of the last two products) or by
//! what it reveals. The same is true of the ends of the disjunctions between two checks of the program around
//! them. P may choose all of these before the seed of the combination. That seed combines less than two
//! blocks of assertions and ends, however many are asserted at once.

use super::{Multiplier, Settings, Tally};
use crate::bound::{FieldSize, Mode, Terms};

/// The counts of a proof on which the bound depends, in all branches together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proof {
    /// Its settings.
    pub settings: Settings,
    /// Secret values and multiplications.
    pub commitments: u64,
    /// Wires claimed to be zero.
    pub assertions: u64,
    /// The branches of all disjunctions.
    pub branches: u64,
}

impl Proof {
    /// From the settings and the counts of a proof.
    #[must_use]
    pub const fn of(settings: Settings, counted: &Tally) -> Self {
        let Tally { secrets, multiplications, assertions, branches, at_once: _ } = *counted;
        Self { settings, commitments: secrets.saturating_add(multiplications), assertions, branches }
    }

    fn blocks(&self) -> f64 {
        // A block ends after as many assertions, or disjunctions, as it has commitments. Every branch may end
        // in a block that is not full.
        let full = |n: u64| (n / self.settings.block_len() as u64) as f64;
        let full = full(self.commitments) + full(self.assertions) + full(self.branches);
        full + 1.0 + self.branches as f64
    }

    /// The error of a block's check.
    fn block_error(&self, size: FieldSize) -> f64 {
        let n = self.settings.block_len() as f64;
        let log = n.log2().ceil();
        let field = 1.0 / (size.field.exp2() - 2.0);
        match self.settings.multiplier {
            Multiplier::Simple => field,
            Multiplier::Batched => (4.0 * log + 2.0) * field,
            Multiplier::BatchedPowers => (n + 4.0 * log + 1.0) * field,
            Multiplier::EmbeddedRho40 => (-45_f64).exp2(),
        }
    }

    /// The greatest error of any one round.
    fn round_error(&self, size: FieldSize) -> f64 {
        let field = 1.0 / (size.field.exp2() - 2.0);
        match self.settings.multiplier {
            Multiplier::Simple | Multiplier::Batched => 2.0 * field,
            Multiplier::BatchedPowers => (self.settings.block_len() as f64).max(2.0) * field,
            Multiplier::EmbeddedRho40 => (-45_f64).exp2(),
        }
    }

    /// The most errors that P can choose for one seed, in values.
    fn unknowns(&self, size: FieldSize) -> f64 {
        let (block, [value, mac]) = (self.settings.block_len() as f64, size.bits);
        let errors = (2.0 * block).min(self.commitments as f64 + self.assertions as f64);
        // A product that is checked alone has two queries: one for the revealed element, one for the product.
        let queries = match self.settings.multiplier {
            Multiplier::Simple => 2.0 * errors.min(block) * mac,
            // The last two products.
            Multiplier::Batched | Multiplier::BatchedPowers => 4.0 * mac,
            // Of 45 bits, for fifteen multiplications.
            Multiplier::EmbeddedRho40 => errors.min(block) * 6.0,
        };
        // A disjunction has at least one branch, and a group may come after almost a block of others.
        let ends = (2.0 * block).min(self.branches as f64) * mac;
        errors + (queries + ends) / value
    }

    /// Adds the terms of a proof with MACs in a field of this `size`.
    pub(crate) fn terms(&self, size: FieldSize, mode: Mode, terms: &mut Terms) {
        let (field, branches) = (1.0 / size.field.exp2(), self.branches as f64);
        terms.add(
            "a wrong multiplication passes the check of its block",
            self.blocks() * self.block_error(size),
        );
        terms.add("the queries of a block cancel", self.blocks() * field);
        let made = size.made_for(self.unknowns(size));
        terms.add("errors of a block are made for the seed that comes", made * (1.0 + mode.tries()));
        terms.add("a false branch survives the joins of a disjunction", 2.0 * branches * field);
        terms.add("the tag of a query that is not zero is guessed", 1.0 / size.key.exp2());
        let challenges = size.field.min(128.0).exp2();
        let each = (branches + 1.0) * (self.round_error(size) + 2.0 / challenges) + (-128_f64).exp2();
        terms.add("a hash suits a wrong multiplication or branch", mode.tries() * each);
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, F61x2};

    use super::*;
    use crate::soundness::Soundness;

    fn interactive(proof: Proof, size: FieldSize) -> f64 {
        Soundness::mac_and_cheese(proof, size, Mode::Interactive).bits()
    }

    fn proof(settings: Settings, commitments: u64, branches: u64) -> Proof {
        Proof { settings, commitments, assertions: 0, branches }
    }

    #[test]
    fn a_billion_ands_in_eight_branches_keep_a_hundred_bits() {
        for settings in [Settings::LAN, Settings::WAN] {
            assert!(interactive(proof(settings, 8_000_000_000, 8), FieldSize::OVER_BITS) >= 100.0);
        }
    }

    #[test]
    fn powers_lose_the_size_of_a_block() {
        let powers = Settings { multiplier: Multiplier::BatchedPowers, ..Settings::WAN };
        let proofs = [Settings::WAN, powers].map(|settings| proof(settings, 1_000_000, 0));
        let [a, b] = proofs.map(|proof| -proof.block_error(FieldSize::OVER_BITS).log2());
        // n + 4 log n + 1 against 4 log n + 2, n = 2^20.
        assert!((13.5..13.8).contains(&(a - b)), "{a} {b}");
        let bits = interactive(proofs[1], FieldSize::OVER_BITS);
        assert!((105.0..108.0).contains(&bits), "{bits}");
    }

    #[test]
    fn a_billion_multiplications_keep_forty_bits_over_the_61_bit_field_and_a_hundred_over_its_extension() {
        let bits = interactive(proof(Settings::LAN, 1_000_000_000, 0), FieldSize::of::<F61, F61>());
        assert!((40.0..45.0).contains(&bits), "{bits}");
        let bits = interactive(proof(Settings::LAN, 1_000_000_000, 0), FieldSize::of::<F61, F61x2>());
        assert!(bits >= 100.0, "{bits}");
    }

    #[test]
    fn the_embedding_is_worth_its_name_for_some_thirty_blocks() {
        let embedded = Settings { multiplier: Multiplier::EmbeddedRho40, ..Settings::LAN };
        let most = (embedded.block_len() * 30) as u64;
        let bits = interactive(proof(embedded, most, 0), FieldSize::OVER_BITS);
        assert!((40.0..45.0).contains(&bits), "{bits}");
        assert!(interactive(proof(embedded, 2 * most, 0), FieldSize::OVER_BITS) < 40.0);
    }

    #[test]
    fn fiat_shamir_loses_what_the_prover_computes_and_every_hash_tries_all_branches() {
        let mode = Mode::FiatShamir { log2_queries: 64.0 };
        let bits = |branches| {
            let proof = proof(Settings::LAN, 1_000_000, branches);
            Soundness::mac_and_cheese(proof, FieldSize::OVER_BITS, mode).bits()
        };
        // 2^64 tries at 4 / 2^128 for each branch and the program around them, 1 / 2^128 once, 2 / 2^128 for
        // the search for delta, and the seeds that errors are made for: 2^18 values, four queries for the
        // last products, and as many ends as branches at most.
        let made = |branches: f64| 1.0 + (f64::from(1 << 18) + (4.0 + branches) * 128.0) / 64.0;
        let expected = |branches: f64| 64.0 - (4.0 * branches + 7.0 + made(branches)).log2();
        for branches in [0, 8, 4000] {
            let bits = bits(branches);
            assert!((bits - expected(branches as f64)).abs() < 0.001, "{branches}: {bits}");
        }
    }

    #[test]
    fn the_queries_of_products_that_are_checked_alone_count_as_errors() {
        for (multiplier, queries) in [
            (Multiplier::Simple, 2 * 10 * 128),
            (Multiplier::Batched, 4 * 128),
            (Multiplier::BatchedPowers, 4 * 128),
            (Multiplier::EmbeddedRho40, 6 * 10),
        ] {
            let settings = Settings { multiplier, ..Settings::LAN };
            let proof = Proof { settings, commitments: 10, assertions: 0, branches: 0 };
            let counted = proof.unknowns(FieldSize::OVER_BITS);
            assert!((counted - f64::from(10 + queries)).abs() < 1e-9, "{multiplier:?}: {counted}");
        }
    }

    #[test]
    fn many_repetitions_of_small_branches_have_as_many_ends_to_choose_as_fill_two_blocks() {
        let bits = |branches| interactive(proof(Settings::LAN, 1000, branches), FieldSize::OVER_BITS);
        // Ends of 128 bits, and 64 for each seed.
        let made = |branches: f64| 128.0 - (2.0 * branches).log2();
        assert!(bits(80) <= made(80.0) && bits(1 << 20) <= made(f64::from(1 << 18)));
        assert!(bits(1 << 20) >= 100.0, "{}", bits(1 << 20));
    }

    #[test]
    fn as_many_assertions_as_fill_a_block_end_it() {
        let embedded = Settings { multiplier: Multiplier::EmbeddedRho40, ..Settings::LAN };
        let few = proof(embedded, 1, 0);
        let many = Proof { assertions: 3 * embedded.block_len() as u64, ..few };
        // Four blocks and not one.
        assert!(
            (interactive(few, FieldSize::OVER_BITS) - interactive(many, FieldSize::OVER_BITS) - 2.0).abs()
                < 0.01
        );
    }
}
