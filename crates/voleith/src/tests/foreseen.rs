//! A P that knows the first challenge before it commits to anything makes a proof of a false disjunction. It
//! passes all of V's checks but one: that the challenge is a hash of what P has committed to.
//!
//! P makes errors that cancel under the coefficients of that challenge. The test computes these as the plain
//! prover does, and not by the code of `volery_zk::disjunction`.

use volery_field::Gf128;
use volery_vole::cheats::subset;

use super::cheats::file_of;
use super::disjunctions::{Bits, Twice};
use super::reference::robin::Seed;
use super::{Cheat, check, settings};
use crate::{Error, Parameters};

/// Which of `coefficients`, with the first one, add up to zero together with `error`.
fn cancelling(coefficients: &[Gf128], error: Gf128) -> Vec<bool> {
    subset(coefficients, error).expect("more coefficients than equations")
}

#[test]
fn whoever_knows_the_challenge_first_is_stopped_by_the_hash_alone() {
    const CLAIMS: usize = 300;
    const ANDS: usize = 200;
    // A zero comes out of each branch, and a one is claimed to.
    let branches = || vec![Bits::of(&[false; CLAIMS], ANDS), Bits::of(&[false; 5], 9)];
    let false_claim = || Twice::new(branches(), None);
    let challenge = [7; 32];
    let [first, second] = [1, 2].map(|number| Seed::of(challenge).of_disjunction(number));

    // The first time: bits other than the claimed ones, of which the first comes out.
    let rows = first.rows(1, CLAIMS);
    let bits = [vec![true], cancelling(&rows[1..], rows[0])].concat();
    let wrong_bits = branches()[0].forged(&bits, Vec::new());
    // The second time only the first bit is wrong, and so is one factor of products whose other one is zero:
    // the left ones and the right ones in turns.
    let beta = second.stream(2, 1)[0];
    let factors = second.rows(0, ANDS).into_iter().enumerate();
    let factors: Vec<_> = factors.map(|(i, row)| if i % 2 == 0 { row } else { row * beta }).collect();
    let errors = cancelling(&factors[2..], second.rows(1, 1)[0]).into_iter().enumerate();
    let errors = errors.map(|(i, wrong)| [wrong && i % 2 == 0, wrong && i % 2 == 1]);
    let errors = [[false; 2]; 2].into_iter().chain(errors).collect();
    let mut bits = [false; CLAIMS];
    bits[0] = true;
    let wrong_factors = branches()[0].forged(&bits, errors);

    let known = false_claim().with_witnesses([wrong_bits, wrong_factors]);
    let cheat = Cheat { challenge: Some(challenge), ..Cheat::default() };
    let file = file_of(&known, &settings(Parameters::Fast80), 1, |prover| prover.cheat = cheat);
    assert_eq!(check(&false_claim(), &file), Err(Error::Challenge("columns and relations")));
}
