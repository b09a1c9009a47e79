//! What a counted statement makes a proof about bits check, its disjunctions included.

use volery_circuit::Counts;

use super::soundness::most_challenges;
use crate::quicksilver::{Program, SAVED_BY_S_BOX};

impl From<&Counts> for Program {
    /// What a run without values counted: of disjunctions at most what this says, of all else that.
    fn from(counts: &Counts) -> Self {
        // Each term of an inner product over bits is one AND. An S-box is not its ANDs, but its output and
        // two polynomials.
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
