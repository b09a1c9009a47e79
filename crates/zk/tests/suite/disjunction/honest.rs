//! Whichever branch holds.

use volery_circuit::Error as StatementError;
use volery_field::F61;
use volery_testing::{Bits, Over, every_kind};
use volery_zk::Error;
use volery_zk::disjunction::{AnyOf, MAX_BRANCHES};

use crate::disjunction::parties::{
    Fields, RUNS, Run, at_prover, at_verifier, between, frequencies, look_alike, programs,
};
use crate::disjunction::programs::Program;

fn every_branch_is_accepted<K: Fields>() {
    for run in RUNS {
        for branches in [1, 2, 5, 8] {
            let programs = programs::<K::Ring>(branches);
            let mut outline = None;
            for choice in 0..branches {
                let end = between::<K>(run, &at_prover(&programs, choice), &at_verifier(&programs));
                let [p, v] = &end.results;
                assert!(v.is_ok() && p == v, "{run:?}, {choice} of {branches}: {p:?} {v:?}");
                let own = (end.outline(), p.clone().ok());
                assert_eq!(outline.get_or_insert_with(|| own.clone()), &own, "the choice shows");
            }
        }
    }
}

#[test]
fn every_branch_is_accepted_and_messages_have_the_same_lengths_and_order_whichever_it_is() {
    every_kind!(every_branch_is_accepted);
}

fn the_prover_s_messages_look_alike<K: Fields>() {
    let (programs, runs) = (programs::<K::Ring>(3), 200);
    let pictures = [0, 1, 2].map(|choice| {
        let (p, v) = (at_prover(&programs, choice), at_verifier(&programs));
        frequencies(runs, |dealt| between::<K>(Run { dealt, ..RUNS[0] }, &p, &v))
    });
    look_alike(&pictures, runs);
}

#[test]
fn every_bit_that_the_prover_sends_is_as_often_set_whichever_branch_holds() {
    the_prover_s_messages_look_alike::<Bits>();
    the_prover_s_messages_look_alike::<Over<F61, F61>>();
}

#[test]
fn a_prover_without_a_choice_or_with_a_false_branch_sends_nothing() {
    let programs = programs::<volery_field::F2>(3);
    let end = between::<Bits>(RUNS[0], &at_verifier(&programs), &at_verifier(&programs));
    assert!(matches!(end.results[0], Err(Error::Statement(StatementError::Witness(_)))));
    assert!(end.sent[0].is_empty() && end.results[1].is_err());

    let mut falsified = programs.clone();
    falsified[1].claims[2] += volery_field::Ring::ONE;
    let end = between::<Bits>(RUNS[0], &at_prover(&falsified, 1), &at_verifier(&falsified));
    assert!(matches!(end.results[0], Err(Error::Statement(StatementError::Unsatisfied { .. }))));
    assert!(end.sent[0].is_empty() && end.results[1].is_err());
}

#[test]
fn disjunctions_of_nothing_or_of_too_much_and_choices_beyond_are_refused() {
    type Any = AnyOf<volery_field::F2, Program<volery_field::F2>>;
    assert!(matches!(Any::new(vec![]), Err(StatementError::Public(_))));
    let program = Program::new([1, 2], 3, 10);
    let many = vec![program.clone(); MAX_BRANCHES + 1];
    assert!(matches!(Any::new(many), Err(StatementError::Public(_))));
    let one = Any::new(vec![program]).expect("one is enough");
    assert!(matches!(one.with_choice(1), Err(StatementError::Witness(_))));
}
