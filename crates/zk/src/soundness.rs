//! The soundness of a proof, in bits, term by term.
//!
//! A verifier accepts a proof of a false statement with at most the sum of the terms of its [`Soundness`] as
//! probability. Each protocol's module has its terms and the theorem that they come from:
//!
//! | protocol | its terms depend on | terms |
//! |---|---|---|
//! | QuickSilver, over bits or a field, disjunctions included | [`Checks`] | [`quicksilver::soundness`], [`disjunction::soundness`] |
//! | QuickSilver over bits and a field | [`Checks`] of both parts, checks of conversions | the same, and [`quicksilver::mixed`] |
//! | Mac'n'Cheese | [`Proof`] | [`macncheese::soundness`](crate::macncheese::soundness) |
//!
//! The counts are those of the actual proof, block by block. Before a proof, bounds for them follow from a
//! statement's [`Counts`](volery_circuit::Counts) ([`Checks::of`]).

use volery_field::{Mac, Value};

use crate::bound::Terms;
pub use crate::bound::{FieldSize, Mode, Term};
use crate::macncheese::soundness::Proof;
use crate::quicksilver::soundness::Checks;
use crate::{disjunction, quicksilver};

/// The counts that the bound depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Counted {
    QuickSilver { checks: Checks, size: FieldSize },
    Mixed { bits: Checks, field: Checks, size: FieldSize, sets: usize },
    MacAndCheese { proof: Proof, size: FieldSize },
}

/// The soundness of one proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soundness {
    counted: Counted,
    mode: Mode,
}

impl Soundness {
    /// For a proof by QuickSilver with MACs in a field of this size.
    #[must_use]
    pub const fn quicksilver(checks: Checks, size: FieldSize, mode: Mode) -> Self {
        Self { counted: Counted::QuickSilver { checks, size }, mode }
    }

    /// For a proof over bits and over `F` with MACs in `M`: the checks of both parts.
    #[must_use]
    pub fn mixed<F: Value, M: Mac<F>>(bits: Checks, field: Checks, mode: Mode) -> Self {
        let sets = quicksilver::mixed::sets::<F, M>();
        Self { counted: Counted::Mixed { bits, field, size: FieldSize::of::<F, M>(), sets }, mode }
    }

    /// For a proof by Mac'n'Cheese.
    #[must_use]
    pub const fn mac_and_cheese(proof: Proof, size: FieldSize, mode: Mode) -> Self {
        Self { counted: Counted::MacAndCheese { proof, size }, mode }
    }

    /// For the same proof with challenges of the given mode.
    #[must_use]
    pub const fn in_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// The mode of the challenges.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// All ways in which a proof of a false statement can be accepted. The checks of making correlations are
    /// separate: see `volery_vole`.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        self.collect().list()
    }

    fn collect(&self) -> Terms {
        let (mut terms, mode) = (Terms::default(), self.mode);
        let part = |checks: &Checks, size, terms: &mut Terms| {
            checks.terms(size, mode, terms);
            disjunction::soundness::terms(checks, size, mode, terms);
        };
        match &self.counted {
            Counted::QuickSilver { checks, size } => part(checks, *size, &mut terms),
            Counted::Mixed { bits, field, size, sets } => {
                part(bits, FieldSize::OVER_BITS, &mut terms);
                part(field, *size, &mut terms);
                quicksilver::mixed::terms(field.conversions, *sets, mode, &mut terms);
            }
            Counted::MacAndCheese { proof, size } => proof.terms(*size, mode, &mut terms),
        }
        // A search also finds delta, because making correlations answers guesses.
        terms.add("the verifier's key is found by search", mode.tries() / 127_f64.exp2());
        terms
    }

    /// `-log2` of the probability that a false statement is accepted.
    #[must_use]
    pub fn bits(&self) -> f64 {
        self.collect().bits()
    }
}
