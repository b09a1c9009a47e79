//! A system holds for its values and no others, costs nothing beyond its secret wires, and is bound to its
//! public values.

use std::sync::Arc;

use super::*;
use crate::{Counter, Digest, Evaluator, Statement};

fn statement(values: &[F61]) -> R1csStatement<F61> {
    let assignment = Assignment::new(values.to_vec()).expect("wire 0 is 1");
    R1csStatement::prove(Arc::new(every_kind().0), assignment).expect("one value a wire")
}

fn digest_of(statement: &R1csStatement<F61>) -> [u8; 32] {
    let mut digest = Digest::new();
    Statement::<Evaluator<F61>>::identify(statement, &mut digest);
    digest.finish()
}

#[test]
fn the_right_values_are_accepted() {
    let statement = statement(&every_kind().1);
    assert_eq!(Evaluator::check(&statement), Ok(()));
    assert!(statement.public() == [f(5), f(3)]);
}

#[test]
fn every_kind_of_constraint_is_violated_alone_and_named() {
    let right = every_kind().1;
    // For each constraint a change of values (wire, value) that violates it and none before it.
    let changes: [(usize, &[(usize, u64)]); 7] = [
        (0, &[(5, 7)]),
        (1, &[(6, 9)]),
        (2, &[(3, 3), (5, 9), (6, 12)]),
        (3, &[(4, 4), (5, 8), (6, 9)]),
        (4, &[]),
        (5, &[(3, 0), (5, 0), (6, 0)]),
        (6, &[(1, 8), (2, 4)]),
    ];
    for (constraint, change) in changes {
        let mut values = right.clone();
        for &(wire, value) in change {
            values[wire] = f(value);
        }
        let result = Evaluator::check(&statement(&values));
        if change.is_empty() {
            // r * 5 = 5 r holds whatever r is.
            assert_eq!(result, Ok(()));
            continue;
        }
        match result {
            Err(Error::Unsatisfied { assertion, place }) => {
                assert_eq!(assertion, constraint as u64, "{place}");
                assert_eq!(place, format!("constraint {constraint} (counted from 0)"));
            }
            other => panic!("constraint {constraint}: {other:?}"),
        }
    }
}

#[test]
fn every_single_wrong_wire_of_a_sample_is_found() {
    let (system, assignment) = sample::<F61>(7, 40).expect("few");
    let system = Arc::new(system);
    let right = R1csStatement::prove(Arc::clone(&system), assignment.clone()).expect("fits");
    assert_eq!(Evaluator::check(&right), Ok(()));
    for wire in 7..assignment.values().len() {
        let mut values = assignment.values().to_vec();
        values[wire] += F61::ONE;
        let wrong = Assignment::new(values).expect("wire 0 is 1");
        let statement = R1csStatement::prove(Arc::clone(&system), wrong).expect("fits");
        let error = Evaluator::check(&statement).expect_err("false");
        // The constraint that makes a wire is the first that its value can violate.
        let expected = format!("constraint {} (counted from 0)", wire - 7);
        assert_eq!(error, Error::Unsatisfied { assertion: wire as u64 - 7, place: expected });
    }
}

#[test]
fn batches_cover_every_constraint_of_a_large_system() {
    let (system, assignment) = sample::<F61>(1, 5000).expect("few");
    let system = Arc::new(system);
    let verifier =
        R1csStatement::new(Arc::clone(&system), assignment.public(&system.header().counts).expect("fits"));
    let counts = Counter::count(&verifier.expect("fits")).expect("counts").total();
    // The last constraint is linear.
    assert_eq!((counts.dot_terms, counts.assertions), (5000, 5001));
    assert_eq!((counts.inputs, counts.multiplications), (5004, 0));
    let mut values = assignment.values().to_vec();
    values[5006] += F61::ONE;
    let wrong = Assignment::new(values).expect("wire 0 is 1");
    let error = Evaluator::check(&R1csStatement::prove(system, wrong).expect("fits")).expect_err("false");
    assert!(matches!(error, Error::Unsatisfied { assertion: 4999, .. }), "{error}");
}

#[test]
fn linear_constraints_cost_nothing_and_true_constants_are_not_claimed() {
    let system = Arc::new(every_kind().0);
    let verifier = R1csStatement::new(system, vec![f(5), f(3)]).expect("two values");
    let counts = Counter::count(&verifier).expect("counts").total();
    // Three products, and three of the linear ones; the last one is about constants alone and true.
    assert_eq!((counts.dot_terms, counts.assertions, counts.inputs), (3, 6, 4));
    assert_eq!(Statement::<Counter<F61>>::commitments(&verifier), Some(4));
}

#[test]
fn a_false_claim_about_constants_is_refused_without_a_witness_too() {
    let verifier = R1csStatement::new(Arc::new(every_kind().0), vec![f(5), f(4)]).expect("two values");
    // The counter has no values, but the claim is made: the evaluator, which has, refuses it.
    let counts = Counter::count(&verifier).expect("counts").total();
    assert_eq!(counts.assertions, 7);
}

#[test]
fn public_values_and_the_system_are_bound_and_the_witness_is_not() {
    let system = Arc::new(every_kind().0);
    let public =
        |values: [u64; 2]| R1csStatement::new(Arc::clone(&system), values.map(f).to_vec()).expect("two");
    let proved = statement(&every_kind().1);
    assert_eq!(digest_of(&public([5, 3])), digest_of(&proved));
    let other = R1csStatement::new(Arc::new(sample::<F61>(1, 3).expect("few").0), vec![f(5), f(3)]);
    let mut all = [
        digest_of(&proved),
        digest_of(&public([5, 4])),
        digest_of(&public([6, 3])),
        digest_of(&public([3, 5])),
        digest_of(&other.expect("two")),
    ];
    all.sort_unstable();
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
}

#[test]
fn public_values_must_be_those_of_the_witness() {
    let system = Arc::new(every_kind().0);
    for (public, expected) in [([6, 3], "output 0 (wire 1)"), ([5, 2], "public input 0 (wire 2)")] {
        let verifier = R1csStatement::new(Arc::clone(&system), public.map(f).to_vec()).expect("two values");
        let assignment = Assignment::new(every_kind().1).expect("wire 0 is 1");
        let error = verifier.with_assignment(assignment).expect_err("another value");
        assert!(matches!(&error, Error::Contradicted { place, .. } if place == expected), "{error}");
    }
    for count in [0, 1, 3] {
        assert!(matches!(R1csStatement::new(Arc::clone(&system), vec![f(5); count]), Err(Error::Public(_))));
    }
    let short = Assignment::new(every_kind().1[..6].to_vec()).expect("wire 0 is 1");
    assert!(matches!(R1csStatement::prove(system, short), Err(Error::Witness(_))));
}

#[test]
fn without_a_witness_there_is_nothing_to_evaluate() {
    let verifier = R1csStatement::new(Arc::new(every_kind().0), vec![f(5), f(3)]).expect("two values");
    assert_eq!(Evaluator::check(&verifier), Err(Error::Witness("none was given".into())));
}

#[test]
fn a_system_without_constraints_claims_nothing() {
    let counts = Counts { wires: 3, outputs: 0, public_inputs: 0, private_inputs: 2 };
    let system = Builder::<F61>::new(counts).expect("enough wires").finish();
    assert_eq!(R1csStatement::new(Arc::new(system), Vec::new()).map(drop), Err(Error::nothing_claimed()));
}
