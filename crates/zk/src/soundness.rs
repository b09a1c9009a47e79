//! The soundness of a proof, in bits, term by term.
//!
//! A verifier accepts a proof of a false statement with at most the sum of the terms of its [`Soundness`] as
//! probability. Each protocol's module has its terms and the theorem that they come from:
//!
//! | protocol | its terms depend on | terms |
//! |---|---|---|
//! | QuickSilver, over bits or a field, disjunctions included | [`Checks`] | [`quicksilver::soundness`](crate::quicksilver::soundness), [`disjunction::soundness`](crate::disjunction::soundness) |
//! | QuickSilver over bits and a field | [`Checks`] of both parts, checks of conversions | the same, and [`quicksilver::mixed`](crate::quicksilver::mixed) |
//! | Mac'n'Cheese | [`Proof`] | [`macncheese::soundness`](crate::macncheese::soundness) |
//!
//! The counts are those of the actual proof, block by block. Before a proof, bounds for them follow from a
//! statement's [`Counts`](volery_circuit::Counts) ([`Checks::of`]).

use volery_field::{Mac, Value};

use crate::macncheese::soundness::Proof;
use crate::quicksilver::soundness::Checks;

/// The sizes of a MAC field and of the set of its keys, in bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSize {
    /// `log2` of the size of the set of coefficients: `p^r`, or `2^128` for a seed.
    pub field: f64,
    /// `-log2` of the probability of delta's most likely value.
    pub key: f64,
    /// The bits of a value, and of an element of the MAC field.
    pub bits: [f64; 2],
}

impl FieldSize {
    /// The size of GF(2^128) as the MAC field of bits. Coefficients and challenges are elements made from
    /// seeds of 128 bits, and a key has its lowest bit fixed. ([`FieldSize::of`] subtracts a bit for any
    /// field, to cover primes that are hardly above a power of two.)
    pub const OVER_BITS: Self = Self { field: 128.0, key: 127.0, bits: [1.0, 128.0] };

    /// The size of `M`. Delta's digits are uniform except for the lowest bit; if they have more bits than the
    /// field, each value has several digit strings. If they have as many, and the field of values has a prime
    /// number of elements, hardly less than a power of two, then each small coefficient has two, which differ
    /// in parity. So the lowest coefficient, whose parity is fixed, still has one.
    #[must_use]
    pub fn of<F: Value, M: Mac<F>>() -> Self {
        // A field of BITS bits has more than 2^(BITS - 1) elements. Those here have hardly less than 2^BITS,
        // except for the primes of the curves.
        let digits = (M::DIGITS * M::DIGIT_BITS) as f64 - 1.0;
        let field = f64::from(M::BITS);
        // Rounded up to whole strings for each value.
        let strings = (digits - field).exp2().ceil().max(1.0);
        let small = M::DIGITS * M::DIGIT_BITS == M::BITS as usize && F::CHARACTERISTIC != Some(2);
        let twice = if small { M::DEGREE as f64 - 1.0 } else { 0.0 };
        Self {
            // Coefficients are made from a seed and blocks of 128 bits, whatever the size of the field.
            field: (field - 1.0).min(127.0),
            key: digits - strings.log2().max(0.0) - if digits > field { 1.0 } else { 0.0 } - twice,
            bits: [f64::from(F::BITS), field],
        }
    }

    /// The probability that a seed of 128 bits is one of those that P made its errors for.
    ///
    /// Coefficients are a public function of a seed. So P can choose some seeds and solve for errors that
    /// cancel under each of them: `unknowns` errors, values of its choice, against one element of the MAC
    /// field for each seed. `q` seeds have `q^t` sets of `t`, and errors that suit a whole set exist for one
    /// set in `|M|^t / |F|^unknowns`. This limits the number of seeds for a P that tries fewer than 2^64.
    pub(crate) fn made_for(&self, unknowns: f64) -> f64 {
        let [value, mac] = self.bits;
        (1.0 + unknowns * value / (mac - 64.0).max(1.0)) / 128_f64.exp2()
    }
}

/// Who makes the challenges of a proof.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// V draws them. The bound is statistical, for a P that tries fewer than 2^64 seeds. In addition, a P
    /// that searches for delta finds it in `q` hash computations with probability `q / 2^127`.
    Interactive,
    /// They are hashes, so P can try many: the bound is against a P that computes `2^log2_queries` hashes.
    FiatShamir {
        /// The logarithm of P's hash computations. Zero gives the bits against each one.
        log2_queries: f64,
    },
}

impl Mode {
    /// The mode of a session with or without Fiat-Shamir. With Fiat-Shamir, the bits are against each hash
    /// computation.
    #[must_use]
    pub const fn hashed(fiat_shamir: bool) -> Self {
        if fiat_shamir { Self::FiatShamir { log2_queries: 0.0 } } else { Self::Interactive }
    }

    /// The number of P's attempts; 0 if V draws.
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
    /// A description of what goes wrong.
    pub what: &'static str,
    /// `-log2` of its probability.
    pub bits: f64,
}

/// Collects terms.
#[derive(Default)]
pub(crate) struct Terms(Vec<Term>);

impl Terms {
    /// Adds an event of at most this `probability`, unless that is zero.
    pub(crate) fn add(&mut self, what: &'static str, probability: f64) {
        if probability > 0.0 {
            self.0.push(Term { what, bits: -probability.log2() });
        }
    }

    /// `-log2` of the sum of the terms.
    pub(crate) fn bits(&self) -> f64 {
        -self.0.iter().map(|term| (-term.bits).exp2()).sum::<f64>().log2()
    }
}

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
        let sets = crate::quicksilver::mixed::sets::<F, M>();
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
        self.collect().0
    }

    fn collect(&self) -> Terms {
        let (mut terms, mode) = (Terms::default(), self.mode);
        match &self.counted {
            Counted::QuickSilver { checks, size } => checks.terms(*size, mode, &mut terms),
            Counted::Mixed { bits, field, size, sets } => {
                bits.terms(FieldSize::OVER_BITS, mode, &mut terms);
                field.terms(*size, mode, &mut terms);
                crate::quicksilver::mixed::terms(field.conversions, *sets, mode, &mut terms);
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
