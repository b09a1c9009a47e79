//! What a proof's acceptance is worth, in bits, by the bounds of the paper.
//!
//! QuickSilver, theorems 4.2 and 5.1, with coefficients expanded from a 128-bit seed, so that one block's errors cancel with
//! probability `1 / p^r` however many relations it has: a proof of a false statement is accepted with probability at most
//!
//! ```text
//! interactive     blocks * (D + 1) / K    wrong relations survive one block's check: at most D values of delta satisfy the
//!                                         opened equation of degree D, and 1 / p^r that the coefficients cancel the errors
//!               + folds * 2 / p^r         a wrong matrix product survives its fold
//!               + 1 / K                   the tag of a wire that is not zero is guessed
//! Fiat-Shamir   + q * (blocks + folds) * 2 / p^r   each hash computation is one more try at a challenge
//! ```
//!
//! `K = 2^-bits` is the most probable value of delta: see [`FieldSize`]. As in Boolean proofs, the making of correlations adds `q / 2^127` for
//! its binary keys, and its own checks `(h + 2) / p^r` a round, which a cheating P cannot profit from unless V cheats too.

use volery_field::{Mac, Value};

/// How large a MAC field and the set of its keys are, in bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSize {
    /// `log2` of what coefficients are chosen from: `p^r`, or the 128 bits of a seed.
    pub field: f64,
    /// `-log2` of the probability of delta's most likely value.
    pub key: f64,
}

impl FieldSize {
    /// That of GF(2^128) as the MAC field of bits: coefficients and challenges are elements made from seeds of 128 bits, and a key has its lowest bit
    /// fixed. ([`FieldSize::of`] takes a bit off any field for primes that are hardly above a power of two.)
    pub const OVER_BITS: Self = Self { field: 128.0, key: 127.0 };

    /// That of `M`: delta's digits are uniform but for one bit, and where they have more bits than the field each value
    /// has several digit strings.
    #[must_use]
    pub fn of<F: Value, M: Mac<F>>() -> Self {
        // A field of BITS bits has more than 2^(BITS - 1) elements; those here have hardly less than 2^BITS, the primes of
        // the curves excepted.
        let digits = (M::DIGITS * M::DIGIT_BITS) as f64 - 1.0;
        let field = f64::from(M::BITS);
        // Rounded up to whole strings for each value.
        let strings = (digits - field).exp2().ceil().max(1.0);
        Self {
            // Coefficients are made from a seed and blocks of 128 bits, however large the field is.
            field: (field - 1.0).min(127.0),
            key: digits - strings.log2().max(0.0) - if digits > field { 1.0 } else { 0.0 },
        }
    }
}

/// The counts that the bound depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checks {
    /// Blocks, the last, partial one included.
    pub blocks: u64,
    /// The greatest degree of a relation.
    pub degree: usize,
    /// Folded matrix products.
    pub folds: u64,
}

impl Checks {
    fn error(&self, size: FieldSize) -> f64 {
        let blocks = self.blocks as f64;
        blocks * (self.degree as f64 / size.key.exp2() + 1.0 / size.field.exp2())
            + 2.0 * self.folds as f64 / size.field.exp2()
            + 1.0 / size.key.exp2()
    }

    /// Soundness of an interactive proof, in bits.
    #[must_use]
    pub fn interactive_bits(&self, size: FieldSize) -> f64 {
        -self.error(size).log2()
    }

    /// Soundness of a Fiat-Shamir proof against a P that computes `2^log2_queries` hashes, in bits.
    #[must_use]
    pub fn fiat_shamir_bits(&self, size: FieldSize, log2_queries: f64) -> f64 {
        let tries = log2_queries.exp2() * (self.blocks + self.folds) as f64 * 2.0 / size.field.exp2();
        -(self.error(size) + tries).log2()
    }
}

#[cfg(test)]
mod tests {
    use volery_field::F61;

    use super::*;

    #[test]
    fn seeds_of_128_bits_bound_what_hashing_is_worth_over_large_fields() {
        use volery_field::Bn254Scalar;
        let size = FieldSize::of::<Bn254Scalar, Bn254Scalar>();
        let bits = Checks { blocks: 1, degree: 2, folds: 0 }.fiat_shamir_bits(size, 64.0);
        assert!((61.0..63.5).contains(&bits), "{bits}");
    }

    #[test]
    fn a_billion_multiplications_keep_forty_bits_over_the_61_bit_field() {
        let size = FieldSize::of::<F61, F61>();
        assert!(size.key > 59.0 && size.field == 60.0, "{size:?}");
        let checks = Checks { blocks: 2 * 1_000_000_000 / (1 << 17) + 1, degree: 2, folds: 10 };
        assert!(checks.interactive_bits(size) >= 43.0, "{}", checks.interactive_bits(size));
        // Degree a thousand in one block.
        let checks = Checks { blocks: 1, degree: 1 << 10, folds: 0 };
        assert!(checks.interactive_bits(size) >= 48.0);
    }
}
