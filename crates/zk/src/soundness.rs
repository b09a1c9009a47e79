//! What the acceptance of a proof is worth, in bits, term by term.
//!
//! A verifier accepts a proof of a false statement with at most the probability that the terms of its
//! [`Soundness`] add up to. Each protocol's module has its terms, with the theorem they come from:
//!
//! | protocol | what its terms depend on | terms |
//! |---|---|---|
//! | QuickSilver, over bits or a field, disjunctions included | [`Checks`] | [`quicksilver::soundness`](crate::quicksilver::soundness), [`disjunction::soundness`](crate::disjunction::soundness) |
//! | QuickSilver over bits and a field | [`Checks`] of both parts, checks of links | the same, and [`quicksilver::mixed`](crate::quicksilver::mixed) |
//! | Mac'n'Cheese | [`Proof`] | [`macncheese::soundness`](crate::macncheese::soundness) |
//!
//! The counts are those of the proof that was made, block by block; before a proof, bounds of them follow
//! from a statement's [`Counts`](volery_circuit::Counts) ([`Checks::of`]).

use volery_field::{Mac, Value};

use crate::macncheese::soundness::Proof;
use crate::quicksilver::soundness::Checks;

/// How large a MAC field and the set of its keys are, in bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSize {
    /// `log2` of what coefficients are chosen from: `p^r`, or the 128 bits of a seed.
    pub field: f64,
    /// `-log2` of the probability of delta's most likely value.
    pub key: f64,
    /// Bits of a value and of an element of the MAC field.
    pub bits: [f64; 2],
}

impl FieldSize {
    /// That of GF(2^128) as the MAC field of bits: coefficients and challenges are elements made from seeds
    /// of 128 bits, and a key has its lowest bit fixed. ([`FieldSize::of`] takes a bit off any field for
    /// primes that are hardly above a power of two.)
    pub const OVER_BITS: Self = Self { field: 128.0, key: 127.0, bits: [1.0, 128.0] };

    /// That of `M`: delta's digits are uniform but for one bit, and where they have more bits than the field
    /// each value has several digit strings.
    #[must_use]
    pub fn of<F: Value, M: Mac<F>>() -> Self {
        // A field of BITS bits has more than 2^(BITS - 1) elements; those here have hardly less than 2^BITS,
        // the primes of the curves excepted.
        let digits = (M::DIGITS * M::DIGIT_BITS) as f64 - 1.0;
        let field = f64::from(M::BITS);
        // Rounded up to whole strings for each value.
        let strings = (digits - field).exp2().ceil().max(1.0);
        Self {
            // Coefficients are made from a seed and blocks of 128 bits, however large the field is.
            field: (field - 1.0).min(127.0),
            key: digits - strings.log2().max(0.0) - if digits > field { 1.0 } else { 0.0 },
            bits: [f64::from(F::BITS), field],
        }
    }

    /// That a seed of 128 bits is one of those that P made its errors for.
    ///
    /// Coefficients are a public function of a seed, so P can choose some seeds and solve for errors that
    /// cancel under each of them: `unknowns` errors, values of its choice, against one element of the MAC
    /// field for each seed. A P that tries fewer than 2^64 seeds finds errors that suit at most so many of
    /// them, since `q` seeds have `q^t` sets of `t`, and errors that suit all of a set exist for one set in
    /// `|M|^t / |F|^unknowns`.
    pub(crate) fn made_for(&self, unknowns: f64) -> f64 {
        let [value, mac] = self.bits;
        (1.0 + unknowns * value / (mac - 64.0).max(1.0)) / 128_f64.exp2()
    }
}

/// Who makes the challenges of a proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// V draws them. The bound is statistical for a P that tries fewer than 2^64 seeds. A P that searches for
    /// delta finds it in `q` hash computations with probability `q / 2^127`, which comes on top.
    Interactive,
    /// They are hashes, so P can try: the bound is against a P that computes `2^log2_queries` hashes.
    FiatShamir {
        /// See [`Mode::FiatShamir`]. Zero gives the bits against each hash computation.
        log2_queries: f64,
    },
}

impl Mode {
    /// The mode of a session with or without Fiat-Shamir; bits are then against each hash computation.
    #[must_use]
    pub const fn hashed(fiat_shamir: bool) -> Self {
        if fiat_shamir { Self::FiatShamir { log2_queries: 0.0 } } else { Self::Interactive }
    }

    /// How often P tries; 0 where V draws.
    pub(crate) fn tries(self) -> f64 {
        match self {
            Self::Interactive => 0.0,
            Self::FiatShamir { log2_queries } => log2_queries.exp2(),
        }
    }
}

/// One way in which a false statement can be accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// What goes wrong.
    pub what: &'static str,
    /// `-log2` of its probability.
    pub bits: f64,
}

/// Collects terms.
#[derive(Default)]
pub(crate) struct Terms(Vec<Term>);

impl Terms {
    /// Adds what happens with at most this `probability`; nothing where that is none.
    pub(crate) fn add(&mut self, what: &'static str, probability: f64) {
        if probability > 0.0 {
            self.0.push(Term { what, bits: -probability.log2() });
        }
    }

    /// `-log2` of their sum.
    pub(crate) fn bits(&self) -> f64 {
        -self.0.iter().map(|term| (-term.bits).exp2()).sum::<f64>().log2()
    }
}

/// What the bound depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Counted {
    QuickSilver { checks: Checks, size: FieldSize },
    Mixed { bits: Checks, field: Checks, size: FieldSize, sets: usize },
    MacAndCheese { proof: Proof, size: FieldSize },
}

/// What the acceptance of one proof is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soundness {
    counted: Counted,
    mode: Mode,
}

impl Soundness {
    /// Of a proof by QuickSilver with MACs in a field of this size.
    #[must_use]
    pub const fn quicksilver(checks: Checks, size: FieldSize, mode: Mode) -> Self {
        Self { counted: Counted::QuickSilver { checks, size }, mode }
    }

    /// Of a proof over bits and over `F` with MACs in `M`: the checks of both parts.
    #[must_use]
    pub fn mixed<F: Value, M: Mac<F>>(bits: Checks, field: Checks, mode: Mode) -> Self {
        let sets = crate::quicksilver::mixed::sets::<F, M>();
        Self { counted: Counted::Mixed { bits, field, size: FieldSize::of::<F, M>(), sets }, mode }
    }

    /// Of a proof by Mac'n'Cheese.
    #[must_use]
    pub const fn mac_and_cheese(proof: Proof, size: FieldSize, mode: Mode) -> Self {
        Self { counted: Counted::MacAndCheese { proof, size }, mode }
    }

    /// The same proof with challenges made as `mode` says.
    #[must_use]
    pub const fn in_mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// Who made the challenges.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Every way in which a proof of a false statement can be accepted. The checks of the making of
    /// correlations are apart: see `volery_vole`.
    #[must_use]
    pub fn terms(&self) -> Vec<Term> {
        self.collect().0
    }

    fn collect(&self) -> Terms {
        let (mut terms, mode) = (Terms::default(), self.mode);
        match &self.counted {
            Counted::QuickSilver { checks, size } => checks.terms(*size, mode, &mut terms),
            Counted::Mixed { bits, field, size, sets } => {
                bits.terms(FieldSize::OVER_BITS, mode, &mut terms);
                field.terms(*size, mode, &mut terms);
                crate::quicksilver::mixed::terms(field.links, *sets, mode, &mut terms);
            }
            Counted::MacAndCheese { proof, size } => proof.terms(*size, mode, &mut terms),
        }
        // Delta is also found by who searches for it: the making of correlations answers guesses.
        terms.add("the verifier's key is found by search", mode.tries() / 127_f64.exp2());
        terms
    }

    /// `-log2` of the probability that a false statement is accepted.
    #[must_use]
    pub fn bits(&self) -> f64 {
        self.collect().bits()
    }
}
