//! Provers that hold no branch, programs that differ, messages that are changed.

use volery_channel::tags;
use volery_field::{F61, Ring};
use volery_testing::{Bits, Change, Over, every_kind};
use volery_zk::Error;

use crate::disjunction::parties::{Any, Fields, RUNS, at_prover, at_verifier, between, meddled, programs};
use crate::disjunction::programs::{Program, Small};

fn no_branch<T: core::fmt::Debug>(result: &Result<T, Error>) {
    let expected = "the prover did not show that a branch of a disjunction holds";
    assert!(matches!(result, Err(Error::Rejected { reason }) if reason == expected), "{result:?}");
}

/// V's branches, and what a lying P runs in place of them: its tokens are those of other circuits.
fn lies<R: Small>() -> (Any<R>, Vec<Any<R>>) {
    let size = |seeds| Program::<R>::new(seeds, 4, 60);
    // The same numbers of everything in each half, or the counts would tell.
    let [a, b, c, d, e, f] = Program::<R>::alike(60);
    let claimed = [size([a, b]), size([c, d]), size([e, f])];
    let with = |lie: Program<R>, at: usize| {
        let mut branches = claimed.to_vec();
        branches[at] = lie;
        // The shape is V's: the sizes of what is committed to are not the lie.
        let shape = at_verifier(&claimed).shape();
        let branches = branches.iter().enumerate().map(|(i, b)| if i == at { b.clone() } else { b.public() });
        volery_zk::disjunction::AnyOf::with_shape(
            branches.collect(),
            shape.join(at_prover(&[claimed[at].clone()], 0).shape()).expect("no outputs"),
        )
        .and_then(|any| any.with_choice(at))
        .expect("fits")
    };
    // A witness for a program that is one claim away from a branch.
    let close = (0..4).map(|claim| {
        let mut lie = claimed[1].clone();
        let witness = lie.witness.as_mut().expect("has one");
        // The first value is in the last assertions or it is not; the claims follow the new witness.
        witness[claim] += R::ONE;
        let fresh = lie.with_own_claims();
        (fresh.claims != claimed[1].claims).then_some(fresh)
    });
    let mut all: Vec<Any<R>> = close.flatten().map(|lie| with(lie, 1)).collect();
    // The first half of one branch and the second half of another.
    all.extend([[a, d], [c, b]].map(|seeds| with(size(seeds), 0)));
    (at_verifier(&claimed), all)
}

fn who_holds_no_branch_is_rejected<K: Fields>() {
    let (claimed, lies) = lies::<K::Ring>();
    // A witness that does not fit, and two mixtures.
    assert!(lies.len() >= 3, "{}", lies.len());
    for run in RUNS {
        for lie in &lies {
            no_branch(&between::<K>(run, lie, &claimed).results[1]);
        }
    }
}

#[test]
fn witnesses_of_other_circuits_and_mixtures_of_two_branches_are_rejected() {
    every_kind!(who_holds_no_branch_is_rejected);
}

/// P computes the check value of its branch wrongly: with one coefficient of the matrix changed.
#[test]
fn a_wrong_topology_is_rejected() {
    let claimed = programs::<F61>(3);
    for run in RUNS {
        let mut wrong = claimed.clone();
        // Another branch's program at P, which does not hold anyway: V's product of tokens is another
        // polynomial.
        wrong[2].claims[0] += F61::ONE;
        let end = between::<Over<F61, F61>>(run, &at_prover(&wrong, 1), &at_verifier(&claimed));
        no_branch(&end.results[1]);
    }
}

#[test]
fn programs_with_other_numbers_of_assertions_diverge() {
    let mut claimed = programs::<F61>(3);
    let proved = claimed.clone();
    claimed[0].claims.pop();
    let end = between::<Over<F61, F61>>(RUNS[0], &at_prover(&proved, 1), &at_verifier(&claimed));
    let expected =
        Error::Diverged { what: "the assertions", ours: end_count(&end.results[1]), theirs: 3 * 5 };
    assert_eq!(end.results[1], Err(expected));
}

fn end_count<T>(result: &Result<T, Error>) -> u64 {
    match result {
        Err(Error::Diverged { ours, .. }) => *ours,
        _ => 0,
    }
}

fn every_changed_message_is_refused<K: Fields>() {
    let programs = programs::<K::Ring>(3);
    let (p, v) = (at_prover(&programs, 1), at_verifier(&programs));
    for run in [RUNS[0], RUNS[1]] {
        let sent = between::<K>(run, &p, &v).sent;
        for (at, (tag, payload)) in sent[0].iter().enumerate() {
            let flips = (0..8 * payload.len()).step_by(1 + payload.len() / 4).map(Change::Flip);
            for change in flips.chain([Change::Truncate, Change::Extend, Change::Fill(0xff)]) {
                let end = meddled::<K>(run, &p, &v, Some((0, at, change)));
                assert!(end.results[1].is_err(), "{run:?} {tag} ({at}), {change:?}");
            }
        }
        assert!(sent[0].iter().filter(|(tag, _)| *tag == tags::TOKENS).count() == 2);
        for (at, (tag, payload)) in sent[1].iter().enumerate() {
            let end = meddled::<K>(run, &p, &v, Some((1, at, Change::Flip(8 * payload.len() / 2))));
            // After the last disjunction nothing is left for the last block's seed to combine.
            let last = at + 1 == sent[1].len();
            assert_eq!(end.results[1].is_err(), !last, "{run:?} {tag} ({at})");
        }
    }
}

#[test]
fn no_message_can_be_changed() {
    every_changed_message_is_refused::<Bits>();
    every_changed_message_is_refused::<Over<F61, F61>>();
}
