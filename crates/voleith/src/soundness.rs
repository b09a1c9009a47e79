//! The soundness of a proof in bits, term by term; [`crate`] derives the terms.

use volery_zk::quicksilver::Tally;
use volery_zk::soundness::Term;

use crate::Parameters;
use crate::hashes::HASH_BITS;
use crate::parameters::cancellations;

/// What the bound depends on besides the parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// The number of secret values and multiplications.
    pub commitments: u64,
    /// The greatest degree of a relation, disjunctions included; less than 2 counts as 2.
    pub degree: u32,
    /// The number of branches of the largest disjunction; 0 if there is none.
    pub branches: u64,
}

impl Size {
    /// Of a proof with these counts.
    #[must_use]
    pub fn of(tally: &Tally) -> Self {
        let degree = u32::try_from(tally.degree).unwrap_or(u32::MAX);
        let commitments = tally.commitments();
        Self { commitments, degree, branches: tally.branches }
    }
}

/// All ways in which a P that computes `2^log2_queries` hashes makes a proof of a false statement of this
/// size. Zero gives the bits against each hash.
#[must_use]
pub fn terms(parameters: Parameters, size: Size, log2_queries: f64) -> Vec<Term> {
    let Size { commitments, degree, branches } = size;
    let (shape, queries) = (parameters.shape(), log2_queries.exp2());
    let degree = degree.max(2);
    let zeros = [parameters.column_grinding(branches), parameters.key_grinding(degree.into())];
    let [for_columns, for_key] = zeros.map(|zeros| queries * (-f64::from(zeros)).exp2());
    let (trees, key) = (shape.trees() as f64, (shape.key_bits() as f64).exp2());
    // Errors of a bit each, 8 at most for each commitment; a P that tries 2^64 sets of seeds saves as many of
    // the 128 bits of each combination.
    let made_for = 1.0 + 8.0 * commitments as f64 / 64.0;
    let term = |what, probability: f64| Term { what, bits: -probability.log2() };
    let mut terms = vec![
        term("the key is one of those that suit a wrong relation", f64::from(degree) / key * for_key),
        term("the coefficients of the relations cancel errors", trees * (-128_f64).exp2() * for_columns),
    ];
    if branches > 0 {
        let lucky = (cancellations(branches) - 1) as f64 * trees * (-128_f64).exp2() * for_columns;
        terms.push(term("the check value of a false branch vanishes", lucky));
    }
    terms.extend([
        term(
            "errors are made for the coefficients that come",
            trees * made_for * (-192_f64).exp2() * for_columns,
        ),
        term(
            "two columns that differ have one hash",
            trees * (trees - 1.0) / 2.0 * (-(HASH_BITS as f64)).exp2() * for_columns,
        ),
        term(
            "two leaves have one commitment, or two transcripts one hash",
            queries * queries * (-256_f64).exp2(),
        ),
    ]);
    terms
}

/// `-log2` of the probability that a P that computes `2^log2_queries` hashes makes a proof of a false
/// statement.
#[must_use]
pub fn bits(parameters: Parameters, size: Size, log2_queries: f64) -> f64 {
    let terms = terms(parameters, size, log2_queries);
    -terms.iter().map(|term| (-term.bits).exp2()).sum::<f64>().log2()
}

/// `-log2` of the probability that a verifier who holds `2^log2_proofs` proofs and computes `2^log2_queries`
/// hashes or AES blocks finds a hidden seed of any: as a node, as the input of a leaf's commitment, or as the
/// key of a stream. Salts of 64 bits part the AES of proofs from each other ([`crate::primitive`]).
#[must_use]
pub fn privacy_bits(log2_queries: f64, log2_proofs: f64) -> f64 {
    128.0 - log2_queries - (3.0 + 2.0 * (log2_proofs - 64.0).exp2()).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_parameters_keeps_what_it_says_whatever_the_length_and_the_degree() {
        for parameters in Parameters::ALL {
            for degree in [2, 3, 5, 100, 1 << 20] {
                for commitments in [0, 10_000, 1 << 40] {
                    for branches in [0, 1, 2, 100, u64::from(degree)] {
                        let size = Size { commitments, degree, branches };
                        let bits = bits(parameters, size, 0.0);
                        let sigma = f64::from(parameters.sigma());
                        assert!(bits >= sigma && bits < sigma + 2.0, "{parameters:?} {size:?}: {bits}");
                    }
                }
            }
        }
    }

    #[test]
    fn only_disjunctions_have_a_term_of_false_branches_which_grows_with_their_number() {
        let lucky = |branches| {
            let terms = terms(Parameters::Small, Size { branches, ..Size::default() }, 0.0);
            terms.into_iter().find(|term| term.what.contains("false branch")).map(|term| term.bits)
        };
        assert_eq!(lucky(0), None);
        // Five chances for each of 7 branches and 11 trees, with the zeros that 36 * 11 take.
        let expected = 128.0 - (35.0 * 11.0_f64).log2() + 11.0;
        assert!(lucky(7).is_some_and(|bits| (bits - expected).abs() < 1e-9), "{:?}", lucky(7));
    }

    #[test]
    fn many_proofs_are_hardly_better_targets_than_one() {
        let [one, many] = [0.0, 64.0].map(|proofs| privacy_bits(0.0, proofs));
        assert!(one > 126.4 && many > 125.6 && many < one);
        assert!((privacy_bits(40.0, 0.0) - one + 40.0).abs() < 1e-9);
    }

    #[test]
    fn each_hash_counts() {
        let at = |queries| bits(Parameters::Fast, Size { commitments: 1000, ..Size::default() }, queries);
        assert!((at(0.0) - at(40.0) - 40.0).abs() < 1e-6);
        assert!(at(60.0) < at(59.0));
    }
}
