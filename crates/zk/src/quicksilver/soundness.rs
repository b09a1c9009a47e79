//! What a proof's acceptance is worth, in bits, by the bounds of the papers.
//!
//! QuickSilver, theorems 4.2 and 5.1 and the remarks after them, with p^r = 2^127 possible deltas (delta's lowest bit is fixed) and
//! coefficients expanded from a 128-bit seed: a proof of a false statement is accepted with probability at most
//!
//! ```text
//! interactive     blocks * (D + 1) / 2^127   wrong products or polynomials survive one block's check (D roots of a polynomial
//!                                      in delta, and 1 / 2^128 <= 1 / 2^127 that the coefficients cancel the errors)
//!               + 1 / 2^127            a tag of a wire that is not zero is guessed
//!               + q / 2^127            global-key queries of the making of correlations, q hash computations
//! Fiat-Shamir   + q * blocks * 2 / 2^128   each hash computation is one more try at a block's coefficients
//! ```
//!
//! `D` is the greatest degree of a polynomial claimed to vanish, 2 if there is none: a product is one of degree 2. Relations of
//! lower degree are shifted to the block's greatest, which adds a factor `X^h` that no delta but zero is a root of.
//!
//! The bound for Fiat-Shamir rests on seeds that P cannot compute before its correlations are fixed: each depends on 32 bytes that V draws
//! after that (`challenges`). A hash computed before it knows them serves with probability `2^-256`.
//!
//! The errors of blocks add up, since a cheating P needs only one to survive. `q` is counted in hash computations within
//! the session for interactive proofs (a wrong guess of delta is noticed by nobody), and over the life of the
//! correlations for Fiat-Shamir.

use super::{Program, Settings};

/// Bits of delta that V chose.
const DELTA_BITS: f64 = 127.0;

/// The bound but for hash computations, in units of `2^-127`.
fn error(settings: Settings, program: &Program) -> f64 {
    // Rounding to f64 is far below the precision that anybody reads.
    (program.degree() + 1) as f64 * program.blocks(settings) as f64 + 1.0
}

/// Soundness of an interactive proof of `program` apart from what P computes, in bits: the paper's statistical bound, which
/// rests on AES only in that a random seed's coefficients must look random.
#[must_use]
pub fn statistical_bits(settings: Settings, program: impl Into<Program>) -> f64 {
    DELTA_BITS - error(settings, &program.into()).log2()
}

/// Soundness of an interactive proof against a P that computes `2^log2_queries` hashes, in bits.
#[must_use]
pub fn interactive_bits(settings: Settings, program: impl Into<Program>, log2_queries: f64) -> f64 {
    DELTA_BITS - (error(settings, &program.into()) + log2_queries.exp2()).log2()
}

/// Soundness of a Fiat-Shamir proof against a P that computes `2^log2_queries` hashes, in bits.
#[must_use]
pub fn fiat_shamir_bits(settings: Settings, program: impl Into<Program>, log2_queries: f64) -> f64 {
    let (program, queries) = (program.into(), log2_queries.exp2());
    DELTA_BITS - (error(settings, &program) + queries + queries * program.blocks(settings) as f64).log2()
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
    fn a_polynomial_s_degree_is_lost_once_a_block() {
        let of =
            |polynomials, degree| Program { commitments: 1000, polynomials, degree, ..Program::default() };
        let bits = |program: Program| statistical_bits(Settings::LAN, program);
        // One block: 3 + 1, 4 + 1 + 1, 1024 + 1 + 1 in units of 2^-127.
        assert_eq!(bits(of(0, 0)), 125.0);
        assert_eq!(bits(of(50, 2)), bits(of(0, 0)));
        assert!((bits(of(50, 4)) - (127.0 - 6.0_f64.log2())).abs() < 1e-9);
        assert!((bits(of(1, 1024)) - (127.0 - 1026.0_f64.log2())).abs() < 1e-9);
        // Full of coefficients 3 * 2^17 at a time: 4 of degree 4 for each commitment of a block are five full blocks, and a rest.
        let many = Program { commitments: 0, polynomials: 4 << 17, degree: 4, ..Program::default() };
        assert!((bits(many) - (127.0 - (6.0 * 5.0 + 1.0_f64).log2())).abs() < 0.3);
        // 2^30 multiplications modulo 2^32: 497 polynomials of degree at most 4 and 561 commitments each.
        let products =
            Program { commitments: 561 << 30, polynomials: 497 << 30, degree: 4, ..Program::default() };
        assert!(bits(products) >= 100.0);
        assert!(
            fiat_shamir_bits(Settings::LAN, of(50, 10), 64.0)
                < fiat_shamir_bits(Settings::LAN, 1000, 64.0) + 1e-9
        );
    }

    #[test]
    fn fiat_shamir_loses_what_the_prover_computes() {
        // 2^64 hashes against one block: 2^64 * 2 / 2^127, and a little.
        let bits = fiat_shamir_bits(Settings::LAN, 22_573, 64.0);
        assert!((61.9..62.1).contains(&bits), "{bits}");
    }
}
