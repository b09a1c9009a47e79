//! Provers that hold too little, programs that differ, messages that are changed.

use volery_channel::tags;
use volery_circuit::Error as StatementError;
use volery_field::{F61, Ring};
use volery_testing::{Bits, Change, Over, every_kind};
use volery_zk::Error;
use volery_zk::macncheese::{Join, Multiplier};

use crate::disjunction::programs::{Program, Small};
use crate::macncheese::parties::{End, Fields, How, between, blocks, meddled};
use crate::macncheese::trees::{at_prover, at_verifier};

const JOINS: [Join; 4] = [Join::Tree, Join::Linear, Join::AtLeast(1), Join::AtLeast(2)];

fn rejected(end: &End) {
    let v = &end.results[1];
    assert!(matches!(v, Err(error) if error.is_rejection()), "{v:?}");
}

/// Programs with other witnesses for the same operations: as many of everything, other claims.
fn close<R: Small>(program: &Program<R>) -> Vec<Program<R>> {
    let changed = |at: usize| {
        let mut lie = program.clone();
        lie.witness.as_mut().expect("has one")[at] += R::ONE;
        let lie = lie.with_own_claims();
        (lie.claims != program.claims).then_some(lie)
    };
    (0..program.inputs).filter_map(changed).collect()
}

fn a_false_program_is_rejected<K: Fields>() {
    let claimed = Program::<K::Ring>::new([1, 2], 4, 150);
    let lies = close(&claimed);
    assert!(!lies.is_empty());
    for multiplier in [Multiplier::Simple, Multiplier::Batched, Multiplier::BatchedPowers] {
        for how in [blocks(64), blocks(17), blocks(17).fiat_shamir()] {
            for lie in &lies {
                rejected(&between::<K, _, _>(how.with(multiplier), lie, &claimed.public()));
            }
        }
    }
}

#[test]
fn witnesses_that_do_not_fit_are_rejected() {
    every_kind!(a_false_program_is_rejected);
}

fn too_few_branches_are_rejected<K: Fields>() {
    let size = |seeds| Program::<K::Ring>::new(seeds, 4, 60);
    // Not every program's claims depend on its witness.
    let sensitive = (3..40).map(|seed| size([seed, 4])).find(|program| !close(program).is_empty());
    let claimed = [size([1, 2]), sensitive.expect("one in a few"), size([5, 6]), size([7, 8])];
    let lies = close(&claimed[1]);
    for join in JOINS {
        // Branch 1 is a lie; branch 0, if two are needed, is true.
        let choice: &[usize] = if join == Join::AtLeast(2) { &[0, 1] } else { &[1] };
        for how in [blocks(64), blocks(17).fiat_shamir()] {
            for lie in &lies {
                let mut proved = claimed.to_vec();
                proved[1] = lie.clone();
                let (p, v) = (at_prover(join, &proved, choice), at_verifier(join, &claimed));
                rejected(&between::<K, _, _>(how, &p, &v));
            }
            // All that is chosen is true, so it is the lie above that is found.
            let (p, v) = (at_prover(join, &claimed, choice), at_verifier(join, &claimed));
            between::<K, _, _>(how, &p, &v).accepted();
        }
    }
}

#[test]
fn no_branch_or_one_too_few_is_rejected_with_every_join() {
    every_kind!(too_few_branches_are_rejected);
}

fn a_mixture_is_rejected<K: Fields>() {
    // The operations of the two halves follow from a seed each; these programs have the same numbers of
    // everything, or the counts would tell.
    let size = |seeds| Program::<K::Ring>::new(seeds, 4, 40);
    let [a, b, c, d] = Program::<K::Ring>::alike(40);
    let claimed = [size([a, b]), size([c, d])];
    for join in [Join::Tree, Join::Linear] {
        for seeds in [[a, d], [c, b]] {
            let proved = [size(seeds), claimed[1].clone()];
            let (p, v) = (at_prover(join, &proved, &[0]), at_verifier(join, &claimed));
            rejected(&between::<K, _, _>(blocks(64), &p, &v));
        }
    }
}

#[test]
fn the_first_half_of_one_branch_and_the_second_of_another_are_rejected() {
    every_kind!(a_mixture_is_rejected);
}

#[test]
fn an_honest_prover_stops_at_a_false_claim_and_at_a_choice_that_is_none() {
    let mut program = Program::<F61>::new([1, 2], 3, 40);
    program.claims[2] += F61::ONE;
    let end = between::<Over<F61, F61>, _, _>(blocks(64), &program, &program.public());
    assert!(matches!(end.results[0], Err(Error::Statement(StatementError::Unsatisfied { .. }))));
    assert!(end.results[1].is_err());
    let programs = [program.clone(), program];
    for choice in [&[][..], &[2], &[0, 1]] {
        let (p, v) = (at_verifier(Join::Tree, &programs), at_verifier(Join::Tree, &programs));
        let p = match (p, choice) {
            (crate::macncheese::trees::Tree::Any(any), choice) if !choice.is_empty() => {
                crate::macncheese::trees::Tree::Any(any.with_choice(choice))
            }
            (p, _) => p,
        };
        let end = between::<Over<F61, F61>, _, _>(blocks(64), &p, &v);
        let none = matches!(end.results[0], Err(Error::Statement(StatementError::Witness(_))));
        // Of a choice of two only the first counts where one is wanted; here it does not hold.
        let false_one = matches!(end.results[0], Err(Error::Statement(StatementError::Unsatisfied { .. })));
        assert!(none || (choice.len() == 2 && false_one), "{:?}", end.results[0]);
        assert!(end.results[1].is_err());
    }
}

#[test]
fn programs_with_other_numbers_of_assertions_diverge() {
    let program = Program::<F61>::new([1, 2], 3, 40);
    let mut fewer = program.public();
    fewer.claims.pop();
    let end = between::<Over<F61, F61>, _, _>(blocks(64), &program, &fewer);
    let diverged = matches!(
        end.results[1],
        Err(Error::Diverged { what: "the number of assertions", ours: 4, theirs: 5 })
    );
    assert!(diverged, "{:?}", end.results[1]);
}

fn every_changed_message_is_refused<K: Fields>(join: Join, how: How) {
    let size = |seeds| Program::<K::Ring>::new(seeds, 3, 30);
    let programs = [size([1, 2]), size([3, 4]), size([5, 6])];
    let choice: &[usize] = if join == Join::AtLeast(2) { &[0, 2] } else { &[2] };
    let (p, v) = (at_prover(join, &programs, choice), at_verifier(join, &programs));
    let sent = between::<K, _, _>(how, &p, &v).sent;
    for (at, (tag, payload)) in sent[0].iter().enumerate() {
        let bits = 8 * payload.len();
        // Of a piece only what branches that hold read: the rest is for nobody.
        let flips = if *tag == tags::MASKS { [0, 1, 3] } else { [0, bits / 3, bits - 1] }.map(Change::Flip);
        // What the channel tells apart, and what somebody waits for in vain, is the same for every join.
        let slow = [Change::Drop, Change::Duplicate, Change::Retag, Change::Empty];
        let slow = slow.into_iter().filter(|_| join == Join::Tree);
        let others = [Change::Truncate, Change::Extend, Change::Fill(0xff)];
        for change in flips.into_iter().chain(others).chain(slow) {
            if change == Change::Duplicate && at + 1 == sent[0].len() {
                // The verdict that comes after is the business of sessions.
                continue;
            }
            let end = meddled::<K, _, _>(how, &p, &v, Some((0, at, change)));
            assert!(end.results[1].is_err(), "{join:?} {how:?} {tag} ({at}), {change:?}");
        }
    }
    for (at, (tag, payload)) in sent[1].iter().enumerate() {
        assert!(*tag == tags::CHALLENGE && payload.len() == 16);
        for change in [Change::Flip(70), Change::Truncate, Change::Drop] {
            let end = meddled::<K, _, _>(how, &p, &v, Some((1, at, change)));
            assert!(end.results[1].is_err(), "{join:?} {how:?} {tag} ({at}), {change:?}");
        }
    }
}

#[test]
fn no_message_can_be_changed() {
    every_changed_message_is_refused::<Bits>(Join::AtLeast(2), blocks(64));
    every_changed_message_is_refused::<Bits>(Join::Tree, blocks(64).with(Multiplier::EmbeddedRho40));
    every_changed_message_is_refused::<Over<F61, F61>>(Join::Linear, blocks(64).with(Multiplier::Simple));
}

#[test]
#[ignore = "long: half a minute"]
fn long_no_message_can_be_changed_with_the_other_joins() {
    every_changed_message_is_refused::<Bits>(Join::Tree, blocks(64));
    every_changed_message_is_refused::<Bits>(Join::Tree, blocks(64).fiat_shamir());
    every_changed_message_is_refused::<Over<F61, F61>>(Join::Tree, blocks(64));
    for join in [Join::Linear, Join::AtLeast(1)] {
        every_changed_message_is_refused::<Bits>(join, blocks(64));
    }
    for join in [Join::Linear, Join::AtLeast(1), Join::AtLeast(2)] {
        every_changed_message_is_refused::<Over<F61, F61>>(join, blocks(64));
    }
}
