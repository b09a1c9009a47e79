//! Nothing shows which branch holds.

use volery_channel::Tag;
use volery_field::{F2, F61};
use volery_testing::{Bits, Over};
use volery_zk::macncheese::{Join, Multiplier};

use crate::disjunction::programs::Program;
use crate::macncheese::parties::{End, Fields, How, between, blocks};
use crate::macncheese::repeating::Batch;
use crate::macncheese::trees::{at_prover, at_verifier};

/// Proofs of one choice, each with fresh correlations and choices of P's own.
const PROOFS: u64 = 64;

/// How often each bit of P's messages is set, the last message, which V computes itself, left out.
fn ones(proof: impl Fn(u64) -> End) -> Vec<u32> {
    let mut ones = Vec::new();
    for seed in 0..PROOFS {
        let end = proof(seed);
        end.accepted();
        let sent: Vec<(Tag, Vec<u8>)> = end.sent[0].clone();
        let (_, strings) = sent.split_last().expect("more than one message");
        // A message of counts is the same every time.
        let strings = strings.iter().filter(|(_, payload)| !(payload.len() == 32 && payload[4..8] == [0; 4]));
        let bytes: Vec<u8> = strings.flat_map(|(_, payload)| payload.clone()).collect();
        ones.resize(8 * bytes.len(), 0);
        ones.iter_mut().enumerate().for_each(|(i, n)| *n += u32::from(bytes[i / 8] >> (i % 8) & 1));
    }
    ones
}

fn contents_are_uniform<K: Fields>(how: How, join: Join, choices: [&[usize]; 2]) {
    let programs = [[1, 2], [3, 4], [5, 6]].map(|seeds| Program::<K::Ring>::new(seeds, 3, 24));
    uniform(choices.map(|choice| {
        let (p, v) = (at_prover(join, &programs, choice), at_verifier(join, &programs));
        ones(|seed| between::<K, _, _>(How { seed, ..how }, &p, &v))
    }));
}

/// Every bit is set in about half of the proofs, in those of one choice as in those of another.
fn uniform([first, second]: [Vec<u32>; 2]) {
    assert_eq!(first.len(), second.len());
    assert!(first.len() > 400);
    // Share the proofs, and a standard deviation of half the root of their number.
    let (mean, deviation) = (PROOFS as f64 / 2.0, (PROOFS as f64).sqrt() / 2.0);
    let far = |n: &u32| (f64::from(*n) - mean).abs() > 5.5 * deviation;
    // The last bits of a packed message are zero to fill a byte: never set, whatever is said.
    for (at, (a, b)) in first.iter().zip(&second).enumerate() {
        let padding = *a == 0 && *b == 0;
        assert!(padding || !far(a) && !far(b), "bit {at}: {a} and {b} of {PROOFS}");
    }
    let padding = first.iter().zip(&second).filter(|(a, b)| **a == 0 && **b == 0).count();
    assert!(padding * 20 < first.len(), "{padding} of {} bits are never set", first.len());
}

#[test]
fn the_contents_of_every_message_are_uniform_whichever_branch_holds() {
    contents_are_uniform::<Bits>(blocks(64), Join::Tree, [&[0], &[2]]);
    contents_are_uniform::<Over<F61, F61>>(blocks(64), Join::AtLeast(2), [&[0, 1], &[1, 2]]);
}

#[test]
#[ignore = "long: many sessions"]
fn long_the_contents_of_every_message_are_uniform_with_the_other_joins_and_multipliers() {
    contents_are_uniform::<Over<F61, F61>>(blocks(64), Join::Linear, [&[0], &[2]]);
    let simple = blocks(64).with(Multiplier::Simple);
    contents_are_uniform::<Over<F61, F61>>(simple, Join::Tree, [&[0], &[2]]);
    let embedded = blocks(64).with(Multiplier::EmbeddedRho40);
    contents_are_uniform::<Bits>(embedded, Join::Tree, [&[0], &[1]]);
    contents_are_uniform::<Bits>(embedded, Join::AtLeast(2), [&[0, 1], &[1, 2]]);
}

fn repetitions_are_uniform<K: Fields>() {
    uniform([1, 2].map(|seed| {
        let p = Batch::<K::Ring>::new(3, 4, seed);
        ones(|seed| between::<K, _, _>(How { seed, ..blocks(64) }, &p, &p.public()))
    }));
}

#[test]
fn the_contents_of_repetitions_in_step_are_uniform() {
    repetitions_are_uniform::<Over<F61, F61>>();
}

#[test]
#[ignore = "long: many sessions"]
fn long_the_contents_of_repetitions_in_step_over_bits_are_uniform() {
    repetitions_are_uniform::<Bits>();
}

#[test]
fn a_fresh_seed_changes_every_message_but_counts() {
    let program = Program::<F2>::new([1, 2], 3, 24);
    let programs = [program.clone(), program];
    let (p, v) = (at_prover(Join::Tree, &programs, &[0]), at_verifier(Join::Tree, &programs));
    let [a, b] = [1, 2].map(|seed| between::<Bits, _, _>(How { seed, ..blocks(64) }, &p, &v));
    assert_eq!(a.outline(), b.outline());
    let same = a.sent[0].iter().zip(&b.sent[0]).filter(|(a, b)| a == b);
    assert!(same.into_iter().all(|((_, payload), _)| payload.len() == 32));
}
