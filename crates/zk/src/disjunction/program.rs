//! The checks that a proof makes for a counted statement, including its disjunctions.

use volery_circuit::Counts;

use super::soundness::{challenges, most_challenges};
use crate::quicksilver::bits::{Program, SAVED_BY_CLAIMED_S_BOX, SAVED_BY_S_BOX};
use crate::quicksilver::soundness::Checks;

impl From<&Counts> for Program {
    /// From the counts of a run without values. For disjunctions these are upper bounds, and exact for
    /// everything else.
    fn from(counts: &Counts) -> Self {
        // Each term of an inner product over bits is one AND. An S-box counts as its output and two
        // polynomials, not as its ANDs; one whose output is claimed commits to nothing.
        let multiplications = counts.multiplications.saturating_add(counts.dot_terms);
        let saved = counts.s_boxes.saturating_mul(SAVED_BY_S_BOX);
        let saved = saved.saturating_add(counts.claimed_s_boxes.saturating_mul(SAVED_BY_CLAIMED_S_BOX));
        let s_boxes = counts.s_boxes.saturating_add(counts.claimed_s_boxes);
        // One of `B` branches takes `2 B - 3`, and none if it is the only one.
        let masks = counts.branches.saturating_sub(counts.disjunctions).saturating_mul(2);
        Self {
            commitments: counts.inputs.saturating_add(multiplications).saturating_sub(saved),
            polynomials: counts.polynomials.saturating_add(s_boxes.saturating_mul(2)),
            degree: if s_boxes > 0 { counts.degree.max(2) } else { counts.degree },
            challenges: most_challenges(counts.disjunctions, counts.multiplications),
            masks,
        }
    }
}

impl Checks {
    /// Upper bounds for a proof over a field of a statement with these counts, in blocks of `interval`
    /// commitments and relations.
    #[must_use]
    pub fn of(counts: &Counts, interval: usize) -> Self {
        let entries = counts.inner_products.saturating_sub(counts.matrix_entries);
        let relations = counts
            .polynomials
            .saturating_add(counts.matrix_products)
            .saturating_add(entries)
            .saturating_add(counts.multiplications);
        let (mut degree, mut unknowns) = (counts.degree.max(2), relations);
        if counts.disjunctions > 1 {
            // They may be a batch, which adds topology vectors with up to four coordinates, and claims of
            // degree B.
            unknowns = relations.saturating_add(counts.commitments().saturating_mul(9));
            degree = degree.max(usize::try_from(counts.most_branches).unwrap_or(usize::MAX));
        }
        let (folds, unknowns) = (counts.matrix_products, unknowns.min(interval.max(1) as u64));
        let Counts { tested, tested_twice, tested_values, .. } = *counts;
        Self {
            degree,
            folds,
            unknowns,
            tested,
            tested_twice,
            tested_values,
            counted: true,
            ..Self::default()
        }
        .with_disjunctions(counts)
    }

    /// These checks with the largest of the counted disjunctions.
    #[must_use]
    pub const fn with_disjunctions(self, counts: &Counts) -> Self {
        let challenges = if counts.disjunctions == 0 { 0 } else { challenges(counts.most_products) };
        Self { branches: counts.most_branches, challenges, ..self }
    }
}
