//! The size of a proof about bits, and what follows for its blocks.

use volery_vole::subfield::vope;

use super::super::Tally;
use super::super::soundness::Checks;
use super::Settings;

/// The numbers of items that a program's proof checks. A plain number of commitments stands for a program
/// without polynomials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Secret values and multiplications.
    pub commitments: u64,
    /// Polynomials of degree 2 or more that are claimed to vanish.
    pub polynomials: u64,
    /// Their greatest degree.
    pub degree: usize,
    /// Challenges of disjunctions, each of which ends a block.
    pub challenges: u64,
    /// Correlations over GF(2^128) that mask the products of disjunctions' check values.
    pub masks: u64,
}

/// The number of commitments that a proof saves for an S-box of AES compared with its circuit: 8 instead of
/// 32.
pub(crate) const SAVED_BY_S_BOX: u64 = 24;

/// The same for an S-box whose output is claimed: none instead of 32.
pub(crate) const SAVED_BY_CLAIMED_S_BOX: u64 = 32;

impl From<u64> for Program {
    fn from(commitments: u64) -> Self {
        Self { commitments, ..Self::default() }
    }
}

impl From<&Tally> for Program {
    /// From the counts of a proof, for a program without disjunctions.
    fn from(tally: &Tally) -> Self {
        let commitments = tally.secrets.saturating_add(tally.multiplications);
        Self { commitments, polynomials: tally.polynomials, degree: tally.degree, ..Self::default() }
    }
}

impl Tally {
    /// The counts that the soundness bound depends on, for a proof over bits.
    #[must_use]
    pub fn checks(&self, settings: Settings) -> Checks {
        self.with_unknowns(settings.unknowns(self.multiplications, self.polynomials))
    }
}

impl Program {
    /// The most checks that its proof makes, including the last, partial one. A block ends when it is full of
    /// commitments or of coefficients, or at a challenge of a disjunction.
    #[must_use]
    const fn blocks(&self, settings: Settings) -> u64 {
        let interval = if settings.interval == 0 { 1 } else { settings.interval as u64 };
        let coefficients = self.polynomials.saturating_mul(self.degree as u64);
        let by_commitments = if self.commitments == 0 { 1 } else { self.commitments.div_ceil(interval) };
        let by_coefficients = coefficients / interval.saturating_mul(Settings::COEFFICIENTS as u64);
        by_commitments.saturating_add(by_coefficients).saturating_add(self.challenges)
    }

    /// Upper bounds of the counts that the soundness bound depends on, without disjunctions.
    #[must_use]
    pub const fn checks(&self, settings: Settings) -> Checks {
        Checks {
            degree: self.degree(),
            folds: 0,
            branches: 0,
            challenges: 0,
            conversions: 0,
            tested: 0,
            tested_twice: 0,
            tested_values: 0,
            counted: true,
            unknowns: settings.unknowns(self.commitments, self.polynomials),
        }
    }

    /// The greatest degree of the relations that it checks, including products.
    #[must_use]
    const fn degree(&self) -> usize {
        if self.degree > 2 { self.degree } else { 2 }
    }

    /// The most correlations that its proof takes, exact without polynomials and disjunctions: one for each
    /// commitment, and 128 for each correlation over GF(2^128) that masks a check or a product of check
    /// values.
    #[must_use]
    pub const fn correlations(&self, settings: Settings) -> u64 {
        let mask = vope::packed_correlations(self.degree() - 1) as u64;
        let masks = self.blocks(settings).saturating_mul(mask).saturating_add(self.masks);
        self.commitments.saturating_add(masks.saturating_mul(128))
    }
}
