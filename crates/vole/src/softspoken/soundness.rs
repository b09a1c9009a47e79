//! The security against a cheating prover, in numbers.

use super::{COLUMNS, DIGEST, FieldBits};

/// The bits of security against a cheating P that makes `2^log2_queries` hash queries: the least of
///
/// * 127: hitting delta, whose lowest bit is known, with one guess, including guesses by selective failure (q
///   guesses cost log2(q) bits);
/// * 256 - log2(pairs of trees) - queries: trying challenges until two inconsistent columns have the same
///   hash;
/// * 256 - 2 queries: a collision of the 256-bit commitments and digests (the birthday bound).
///
/// Derived in the [module's](super) docs. Queries count as work: an attack of `2^q` queries with success
/// probability `2^-s` is one of `q + s` bits, so all terms together are at least 128 bits of work.
#[must_use]
pub fn soundness_bits(bits: FieldBits, log2_queries: f64) -> f64 {
    let output = (8 * DIGEST) as f64;
    let trees = bits.trees() as f64;
    let guess = (COLUMNS - 1) as f64;
    let hash = output - (trees * (trees - 1.0) / 2.0).log2() - log2_queries;
    let collision = output - 2.0 * log2_queries;
    guess.min(hash).min(collision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sizes_reach_127_bits_at_2_to_the_64_queries_and_100_at_2_to_the_78() {
        for bits in FieldBits::ALL {
            assert_eq!(soundness_bits(bits, 0.0), 127.0);
            assert_eq!(soundness_bits(bits, 64.0), 127.0);
            assert_eq!(soundness_bits(bits, 78.0), 100.0);
        }
    }

    #[test]
    fn any_number_of_queries_costs_at_least_2_to_the_127_work() {
        for bits in FieldBits::ALL {
            for queries in 0..=127 {
                let queries = f64::from(queries);
                assert!(soundness_bits(bits, queries) + queries >= 127.0);
            }
        }
    }
}
