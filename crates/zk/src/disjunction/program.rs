//! The checks that a proof about bits makes for a counted statement, including its disjunctions.

use volery_circuit::Counts;

use super::soundness::most_challenges;
use crate::quicksilver::bits::{Program, SAVED_BY_S_BOX};

impl From<&Counts> for Program {
    /// From the counts of a run without values. For disjunctions these are upper bounds, and exact for
    /// everything else.
    fn from(counts: &Counts) -> Self {
        // Each term of an inner product over bits is one AND. An S-box counts as its output and two
        // polynomials, not as its ANDs.
        let multiplications = counts.multiplications.saturating_add(counts.dot_terms);
        let saved = counts.s_boxes.saturating_mul(SAVED_BY_S_BOX);
        // One of `B` branches takes `2 B - 3`, and none if it is the only one.
        let masks = counts.branches.saturating_sub(counts.disjunctions).saturating_mul(2);
        Self {
            commitments: counts.inputs.saturating_add(multiplications).saturating_sub(saved),
            polynomials: counts.polynomials.saturating_add(counts.s_boxes.saturating_mul(2)),
            degree: if counts.s_boxes > 0 { counts.degree.max(2) } else { counts.degree },
            challenges: most_challenges(counts.disjunctions, counts.multiplications),
            masks,
        }
    }
}
