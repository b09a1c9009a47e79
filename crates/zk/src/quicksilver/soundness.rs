//! What a proof's acceptance is worth, in bits, by the bounds of the papers.
//!
//! QuickSilver, theorem 4.2 and the remarks after it, with p^r = 2^127 possible deltas (delta's lowest bit is fixed) and
//! coefficients expanded from a 128-bit seed: a proof of a false statement is accepted with probability at most
//!
//! ```text
//! interactive     blocks * 3 / 2^127   wrong products survive one block's check (2 roots of a quadratic in delta, and
//!                                      1 / 2^128 <= 1 / 2^127 that the coefficients cancel the errors)
//!               + 1 / 2^127            a tag of a wire that is not zero is guessed
//!               + q / 2^127            global-key queries of the making of correlations, q hash computations
//! Fiat-Shamir   + q * blocks * 2 / 2^128   each hash computation is one more try at a block's coefficients
//! ```
//!
//! The errors of blocks add up, since a cheating P needs only one to survive. `q` is counted in hash computations within
//! the session for interactive proofs (a wrong guess of delta is noticed by nobody), and over the life of the
//! correlations for Fiat-Shamir.

use super::Settings;

/// Bits of delta that V chose.
const DELTA_BITS: f64 = 127.0;

/// Soundness of an interactive proof with so many `commitments` (secret values and multiplications) apart from what P computes, in bits: the paper's statistical
/// bound, which rests on AES only in that a random seed's coefficients must look random.
#[must_use]
pub fn statistical_bits(settings: Settings, commitments: u64) -> f64 {
    DELTA_BITS - (3.0 * blocks(settings, commitments) + 1.0).log2()
}

/// Soundness of an interactive proof against a P that computes `2^log2_queries` hashes, in bits.
#[must_use]
pub fn interactive_bits(settings: Settings, commitments: u64, log2_queries: f64) -> f64 {
    DELTA_BITS - (3.0 * blocks(settings, commitments) + 1.0 + log2_queries.exp2()).log2()
}

/// Soundness of a Fiat-Shamir proof against a P that computes `2^log2_queries` hashes, in bits.
#[must_use]
pub fn fiat_shamir_bits(settings: Settings, commitments: u64, log2_queries: f64) -> f64 {
    let (blocks, queries) = (blocks(settings, commitments), log2_queries.exp2());
    DELTA_BITS - (3.0 * blocks + 1.0 + queries + queries * blocks).log2()
}

/// Checks that a proof makes; the last, partial one counts.
fn blocks(settings: Settings, commitments: u64) -> f64 {
    // Rounding to f64 is far below the precision that anybody reads.
    (commitments / settings.interval.max(1) as u64 + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trillion_multiplications_keep_a_hundred_bits() {
        for settings in [Settings::LAN, Settings::WAN] {
            assert!(statistical_bits(settings, 1_000_000_000_000) >= 100.0);
            assert!(statistical_bits(settings, 0) >= 124.9);
            assert!(interactive_bits(settings, 1 << 25, 20.0) >= 100.0);
        }
    }

    #[test]
    fn fiat_shamir_loses_what_the_prover_computes() {
        // 2^64 hashes against one block: 2^64 * 2 / 2^127, and a little.
        let bits = fiat_shamir_bits(Settings::LAN, 22_573, 64.0);
        assert!((61.9..62.1).contains(&bits), "{bits}");
    }
}
