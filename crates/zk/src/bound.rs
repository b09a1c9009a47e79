//! What every protocol's bound is made of: the size of its field, who draws its challenges, and its terms.
//!
//! The modules of the protocols and [`soundness`](crate::soundness), which adds their terms up, build on this
//! one.

use volery_field::{Mac, Value};

/// The sizes of a MAC field and of the set of its keys, in bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSize {
    /// `-log2` of the probability of a random combination's most likely coefficient: about that of the size
    /// of the field, or 127 for a larger one.
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

    /// The size of `M`.
    ///
    /// A coordinate of a coefficient comes from as many bits as `F` has, or more, modulo the field's prime
    /// `p` ([`Element::coefficient`](volery_field::Element::coefficient)), and `2^bits` is a little more than
    /// `p`. So some values, zero among them, come from two strings of bits, and each coordinate costs one
    /// bit:
    ///
    /// ```text
    /// F61           9 of 2^64 give zero         at least 60 bits
    /// F61x2         2^2 of 2^122                120
    /// Goldilocks    2^64 of 2^128, about        at least 63
    /// GoldilocksX2  2^2 of 2^128                126
    /// F32x4         2^4 of 2^128                124
    /// GF(2^128)     1 of 2^128                  127, as for fields of 256 bits
    /// ```
    ///
    /// Delta's digits are uniform except for the lowest bit; if they have more bits than the
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
        // In characteristic 2 every coordinate has as many strings as the others.
        let coordinates = if F::CHARACTERISTIC == Some(2) { 0.0 } else { M::DEGREE as f64 };
        Self {
            // Coefficients are made from a seed and blocks of 128 bits, whatever the size of the field.
            field: (field - coordinates).min(127.0),
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

#[cfg(test)]
mod tests {
    use volery_field::{
        Bn254Scalar, Element, F32, F32x4, F61, F61x2, Gf128, Gf256, Goldilocks, GoldilocksX2, Ring as _,
    };

    use super::*;

    /// `-log2` of the probability of the coefficient zero, of which these are all the blocks up to bits that
    /// belong to no coordinate: a coordinate of `F` is made from this many bits.
    fn of_zero<F: Value, M: Mac<F>>(bits: u32) -> f64 {
        let prime = u128::from(F::CHARACTERISTIC.expect("a prime"));
        let multiples = ((1_u128 << bits) - 1) / prime + 1;
        (f64::from(bits) - (multiples as f64).log2()) * M::DEGREE as f64
    }

    #[test]
    fn a_coefficient_is_no_more_likely_than_the_bound_says() {
        assert_eq!(FieldSize::of::<F61, F61x2>().field, of_zero::<F61, F61x2>(61));
        assert_eq!(
            FieldSize::of::<Goldilocks, GoldilocksX2>().field,
            of_zero::<Goldilocks, GoldilocksX2>(64)
        );
        assert_eq!(FieldSize::of::<F32, F32x4>().field, of_zero::<F32, F32x4>(32));
        assert!(FieldSize::of::<F61, F61>().field <= of_zero::<F61, F61>(64));
        assert!(FieldSize::of::<Goldilocks, Goldilocks>().field <= of_zero::<Goldilocks, Goldilocks>(127));
        assert_eq!(FieldSize::of::<Gf256, Gf128>().field, 127.0);
        assert_eq!(FieldSize::of::<Bn254Scalar, Bn254Scalar>().field, 127.0);
    }

    /// The blocks that are counted there give the coefficient zero, and so do no others nearby.
    #[test]
    fn zero_has_the_blocks_that_are_counted() {
        /// How many of the blocks with one of these numbers in each place give zero.
        fn zeros<M: Element>(places: &[u32], numbers: [u64; 3]) -> usize {
            let mut blocks = vec![0_u128];
            for place in places {
                let more = blocks.iter().flat_map(|block| numbers.map(|n| block | u128::from(n) << place));
                blocks = more.collect();
            }
            blocks.iter().filter(|block| M::coefficient(**block) == M::ZERO).count()
        }
        let numbers = |prime: Option<u64>| [0, prime.expect("a prime"), 1];
        assert_eq!(zeros::<F61x2>(&[0, 67], numbers(F61::CHARACTERISTIC)), 4);
        assert_eq!(zeros::<GoldilocksX2>(&[0, 64], numbers(Goldilocks::CHARACTERISTIC)), 4);
        assert_eq!(zeros::<F32x4>(&[0, 32, 64, 96], numbers(F32::CHARACTERISTIC)), 16);
        // Two from a block, each from half of it.
        let prime = F61::CHARACTERISTIC.expect("a prime");
        let zero = |n: u64| F61::pair_from_blocks(&[u128::from(n)])[0] == F61::ZERO;
        assert!((0..9).all(|n| zero(n * prime)) && prime.checked_mul(9).is_none());
        assert_eq!(Gf128::coefficient(0), Gf128::ZERO);
    }
}
