//! What every protocol's bound is made of: the size of its field, who draws its challenges, and its terms.
//!
//! The modules of the protocols and [`soundness`](crate::soundness), which adds their terms up, build on this
//! one.

use volery_field::{Mac, Value};

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

    /// The terms, in the order in which they were added.
    pub(crate) fn list(self) -> Vec<Term> {
        self.0
    }

    /// `-log2` of the sum of the terms.
    pub(crate) fn bits(&self) -> f64 {
        -self.0.iter().map(|term| (-term.bits).exp2()).sum::<f64>().log2()
    }
}
