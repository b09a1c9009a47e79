//! The soundness of a disjunction, in bits.
//!
//! To QuickSilver's bound for all commitments ([`Checks`]), a disjunction of `B` branches adds the following
//! terms, if none of its branches holds on the values committed to before the seed was drawn:
//!
//! ```text
//! (3 C + 2) B / |M|   a branch's check value vanishes: under each of C challenges 1 / |M| that beta takes both errors of a multiplication
//!                     away, 2 / |M| for the two factors of s (see `rows`); 2 / |M| for those of t
//! B / K               the opened polynomial of degree B agrees with the true one at delta
//! ```
//!
//! (rows under a challenge are fixed before it is drawn, and P is caught unless the *last* nonzero ones
//! vanish together with the remainder of those before them). A batch, whose membership claims are relations
//! of degree `B` and so among QuickSilver's, adds
//!
//! ```text
//! B / |M|             the topology vector of a branch vanishes on what was committed to
//! B / |M|             a vector that belongs to no branch has a branch's check value
//! ```
//!
//! The number of repetitions does not matter. Which of them do not hold is fixed before the seed, and P is
//! caught unless it is lucky with *every* one of those, so at most as often as with the first. The same
//! applies to several disjunctions in a statement.
//!
//! For both, the probability that the errors were made for the seed is added, as in
//! [`quicksilver::soundness`](crate::quicksilver::soundness).
//!
//! If challenges are hashes, each of `q` hash computations is one more attempt at a seed.

use super::rows::FOLD;
use crate::bound::{FieldSize, Mode, Terms};
use crate::quicksilver::soundness::Checks;

/// The number of challenges of a single disjunction with this many multiplications: one for each 2^18 of
/// them. A proof has that many more blocks.
#[must_use]
pub const fn challenges(multiplications: u64) -> u64 {
    if multiplications == 0 { 1 } else { multiplications.div_ceil(FOLD as u64) }
}

/// The most [`challenges`] of this many single disjunctions with this many multiplications in all.
pub(crate) const fn most_challenges(disjunctions: u64, multiplications: u64) -> u64 {
    if disjunctions == 0 { 0 } else { disjunctions.saturating_add(multiplications / FOLD as u64) }
}

/// Adds the terms of disjunctions, if a proof with these checks has any.
pub(crate) fn terms(checks: &Checks, size: FieldSize, mode: Mode, terms: &mut Terms) {
    let Checks { branches, challenges, unknowns, .. } = *checks;
    if branches == 0 {
        return;
    }
    let branches = branches as f64;
    // The probability that a seed suits a P without a branch that holds.
    let lucky = (3.0 * challenges as f64 + 2.0) * branches / size.field.exp2();
    let roots = if challenges == 0 { 0.0 } else { branches / size.key.exp2() };
    // The factors and products under one challenge, the inputs and the outputs.
    let errors = if challenges > 1 { FOLD as f64 } else { unknowns as f64 };
    let lucky = lucky + size.made_for(8.0 * errors);
    terms.add("the check value of a false branch vanishes", lucky);
    terms.add("the product of a disjunction's check values is guessed", roots);
    terms.add("a hash makes the check value of a false branch vanish", mode.tries() * lucky);
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, F61x2};

    use super::*;
    use crate::soundness::Soundness;

    fn bits(checks: Checks, size: FieldSize, mode: Mode) -> f64 {
        Soundness::quicksilver(checks, size, mode).bits()
    }

    #[test]
    fn a_thousand_branches_over_the_61_bit_field_keep_forty_bits() {
        let size = FieldSize::of::<F61, F61>();
        let single = Checks { degree: 2, branches: 1024, challenges: 4, ..Checks::default() };
        assert!((45.5..46.5).contains(&bits(single, size, Mode::Interactive)));
        // Any number of steps of 50 instructions.
        let batch = Checks { degree: 50, branches: 50, ..Checks::default() };
        let bits = bits(batch, size, Mode::Interactive);
        assert!((52.0..53.0).contains(&bits), "{bits}");
    }

    #[test]
    fn bits_and_the_extension_keep_a_hundred() {
        let challenges = challenges(10_000_000);
        let checks = Checks { degree: 2, branches: 64, challenges, ..Checks::default() };
        for size in [FieldSize::OVER_BITS, FieldSize::of::<F61, F61x2>()] {
            let bits = bits(checks, size, Mode::Interactive);
            assert!(bits >= 100.0, "{bits}");
        }
    }

    #[test]
    fn hashing_helps_a_cheating_prover_in_proportion_to_branches() {
        let bits = |branches| {
            let checks = Checks { degree: 2, branches, challenges: 1, ..Checks::default() };
            bits(checks, FieldSize::OVER_BITS, Mode::FiatShamir { log2_queries: 64.0 })
        };
        // 2^64 tries at 5 * 64 / 2^128, the seeds that errors are made for, the search for delta and the
        // block: 6 / 2^128.
        assert!((55.6..55.7).contains(&bits(64)), "{}", bits(64));
        assert!((0.9..1.1).contains(&(bits(64) - bits(128))));
    }
}
