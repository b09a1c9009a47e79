//! The soundness of a proof in bits, term by term; [`crate`] derives the terms.

use volery_zk::soundness::Term;

use crate::Parameters;

/// All ways in which a P that computes `2^log2_queries` hashes makes a proof of a false statement with this
/// many commitments and relations of at most this degree. Zero gives the bits against each hash.
#[must_use]
pub fn terms(parameters: Parameters, commitments: u64, degree: u32, log2_queries: f64) -> Vec<Term> {
    let (shape, queries) = (parameters.shape(), log2_queries.exp2());
    let degree = degree.max(2);
    let zeros = [parameters.column_grinding(), parameters.key_grinding(degree.into())];
    let [for_columns, for_key] = zeros.map(|zeros| queries * (-f64::from(zeros)).exp2());
    let (trees, key) = (shape.trees() as f64, (shape.key_bits() as f64).exp2());
    // Errors of a bit each, 8 at most for each commitment; a P that tries 2^64 sets of seeds saves as many of
    // the 128 bits of each combination.
    let made_for = 1.0 + 8.0 * commitments as f64 / 64.0;
    let term = |what, probability: f64| Term { what, bits: -probability.log2() };
    vec![
        term("the key is one of those that suit a wrong relation", f64::from(degree) / key * for_key),
        term("the coefficients of the relations cancel errors", trees * (-128_f64).exp2() * for_columns),
        term(
            "errors are made for the coefficients that come",
            trees * made_for * (-192_f64).exp2() * for_columns,
        ),
        term(
            "two columns that differ have one hash",
            trees * (trees - 1.0) / 2.0 * (-256_f64).exp2() * for_columns,
        ),
        term(
            "two leaves have one commitment, or two transcripts one hash",
            queries * queries * (-256_f64).exp2(),
        ),
    ]
}

/// `-log2` of the probability that a P that computes `2^log2_queries` hashes makes a proof of a false
/// statement.
#[must_use]
pub fn bits(parameters: Parameters, commitments: u64, degree: u32, log2_queries: f64) -> f64 {
    let terms = terms(parameters, commitments, degree, log2_queries);
    -terms.iter().map(|term| (-term.bits).exp2()).sum::<f64>().log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_parameters_keeps_what_it_says_whatever_the_length_and_the_degree() {
        for parameters in Parameters::ALL {
            for degree in [2, 3, 5, 100, 1 << 20] {
                for commitments in [0, 10_000, 1 << 40] {
                    let bits = bits(parameters, commitments, degree, 0.0);
                    let sigma = f64::from(parameters.sigma());
                    assert!(
                        bits >= sigma && bits < sigma + 2.0,
                        "{parameters:?} {degree} {commitments}: {bits}"
                    );
                }
            }
        }
    }

    #[test]
    fn each_hash_counts() {
        let at = |queries| bits(Parameters::Fast, 1000, 2, queries);
        assert!((at(0.0) - at(40.0) - 40.0).abs() < 1e-6);
        assert!(at(60.0) < at(59.0));
    }
}
