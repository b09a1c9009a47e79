//! What a proof about bits is made of, and what follows for its blocks.

use volery_vole::subfield::vope;

use super::{Settings, Tally};

/// What a program makes its proof check. A number of commitments alone stands for a program without polynomials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Secret values and multiplications.
    pub commitments: u64,
    /// Polynomials of degree 2 and more claimed to vanish.
    pub polynomials: u64,
    /// The greatest degree of one.
    pub degree: usize,
}

impl From<u64> for Program {
    fn from(commitments: u64) -> Self {
        Self { commitments, ..Self::default() }
    }
}

impl From<&Tally> for Program {
    /// What was proved.
    fn from(tally: &Tally) -> Self {
        let commitments = tally.secrets.saturating_add(tally.multiplications);
        Self { commitments, polynomials: tally.polynomials, degree: tally.degree }
    }
}

impl Program {
    /// Checks that its proof makes at most; the last, partial one counts. A block is full of commitments, or of coefficients.
    #[must_use]
    pub const fn blocks(&self, settings: Settings) -> u64 {
        let interval = if settings.interval == 0 { 1 } else { settings.interval as u64 };
        let coefficients = self.polynomials.saturating_mul(self.degree as u64);
        let by_commitments = if self.commitments == 0 { 1 } else { self.commitments.div_ceil(interval) };
        by_commitments.saturating_add(coefficients / interval.saturating_mul(Settings::COEFFICIENTS as u64))
    }

    /// The greatest degree of what it checks: products, too, are polynomials.
    #[must_use]
    pub const fn degree(&self) -> usize {
        if self.degree > 2 { self.degree } else { 2 }
    }

    /// Correlations that its proof takes at most, without polynomials exactly: one for each commitment, and 128 for each over
    /// GF(2^128) that masks a check.
    #[must_use]
    pub const fn correlations(&self, settings: Settings) -> u64 {
        let mask = vope::packed_correlations(self.degree() - 1).saturating_mul(128) as u64;
        self.commitments.saturating_add(self.blocks(settings).saturating_mul(mask))
    }
}
