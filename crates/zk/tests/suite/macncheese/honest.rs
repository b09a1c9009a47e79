//! What holds is accepted.

use volery_channel::tags;
use volery_circuit::statements::AndChain;
use volery_circuit::{Digest, Error as StatementError, Prove, Statement};
use volery_field::F2;
use volery_testing::{Bits, Over, every_kind};
use volery_zk::Error;
use volery_zk::macncheese::{Disjunction, Join, MAX_BRANCHES, Multiplier};

use crate::disjunction::programs::Program;
use crate::macncheese::parties::{End, Fields, How, between, blocks};
use crate::macncheese::trees::{Tree, at_prover, at_verifier, programs};

/// Blocks of all small sizes, so that every shape of a dot product comes up, and larger ones.
const INTERVALS: [usize; 8] = [1, 2, 3, 4, 5, 17, 64, 1 << 12];

const MULTIPLIERS: [Multiplier; 3] = [Multiplier::Simple, Multiplier::Batched, Multiplier::BatchedPowers];

fn random_programs_are_accepted<K: Fields>() {
    for (seed, interval) in INTERVALS.into_iter().enumerate() {
        for multiplier in MULTIPLIERS {
            let program = Program::<K::Ring>::new([seed as u64, 5], 4, 150);
            let how = blocks(interval).with(multiplier);
            for how in [how, how.fiat_shamir()] {
                let end = between::<K, _, _>(how, &program, &program.public());
                let tally = end.accepted();
                assert!(
                    tally.multiplications > 10 && tally.secrets == 5 && tally.assertions == 5,
                    "{tally:?}"
                );
            }
        }
    }
}

#[test]
fn random_programs_are_accepted_with_every_multiplier_and_block_size() {
    every_kind!(random_programs_are_accepted);
}

fn whichever_branch_holds<K: Fields>(join: Join, how: How, numbers: &[usize]) {
    for &n in numbers {
        let programs = programs::<K::Ring>(n);
        let mut outline = None;
        for choice in 0..n {
            let (p, v) = (at_prover(join, &programs, &[choice]), at_verifier(join, &programs));
            let end = between::<K, _, _>(how, &p, &v);
            end.accepted();
            let own = end.outline();
            assert_eq!(outline.get_or_insert_with(|| own.clone()), &own, "{choice} of {n} shows");
        }
    }
}

fn every_branch_is_accepted<K: Fields>() {
    for join in [Join::Tree, Join::Linear] {
        whichever_branch_holds::<K>(join, blocks(64), &[1, 2, 6]);
        let others =
            [blocks(3), blocks(1 << 12), blocks(50).fiat_shamir(), blocks(50).with(Multiplier::Simple)];
        others.into_iter().for_each(|how| whichever_branch_holds::<K>(join, how, &[1, 3]));
    }
}

#[test]
fn every_branch_is_accepted_and_messages_have_the_same_lengths_and_order_whichever_it_is() {
    every_kind!(every_branch_is_accepted);
}

fn subsets(n: usize, r: usize) -> Vec<Vec<usize>> {
    let all = 0..1_usize << n;
    let chosen = all.filter(|set| set.count_ones() as usize == r);
    chosen.map(|set| (0..n).filter(|i| set >> i & 1 == 1).collect()).collect()
}

fn every_threshold_is_accepted<K: Fields>() {
    for how in [blocks(1 << 12), blocks(40), blocks(40).fiat_shamir(), blocks(40).with(Multiplier::Simple)] {
        for (n, r) in [(1, 1), (3, 2), (4, 3), (4, 4)] {
            let (join, programs) = (Join::AtLeast(r), programs::<K::Ring>(n));
            let mut outline = None;
            for choice in subsets(n, r) {
                let (p, v) = (at_prover(join, &programs, &choice), at_verifier(join, &programs));
                let end = between::<K, _, _>(how, &p, &v);
                end.accepted();
                let own = end.outline();
                assert_eq!(outline.get_or_insert_with(|| own.clone()), &own, "{choice:?} of {n} shows");
            }
        }
    }
}

#[test]
fn every_choice_of_r_branches_is_accepted_and_shows_in_no_length() {
    every_kind!(every_threshold_is_accepted);
}

#[test]
fn bits_are_accepted_by_the_embedding_in_blocks_of_all_sizes() {
    for interval in [5, 14, 15, 16, 31, 1 << 12] {
        let how = blocks(interval).with(Multiplier::EmbeddedRho40);
        let program = Program::<F2>::new([3, 5], 4, 150);
        between::<Bits, _, _>(how, &program, &program.public()).accepted();
    }
    for join in [Join::Tree, Join::Linear] {
        whichever_branch_holds::<Bits>(join, blocks(70).with(Multiplier::EmbeddedRho40), &[1, 2, 3, 5, 8]);
    }
    let program = Program::<volery_field::F61>::new([3, 5], 4, 50);
    let how = blocks(20).with(Multiplier::EmbeddedRho40);
    let end = between::<Over<volery_field::F61, volery_field::F61>, _, _>(how, &program, &program.public());
    assert!(end.results.iter().all(Result::is_err), "it is for bits");
}

/// Refused by both parties as misuse, with words like these.
fn refused(end: &End, words: &str) {
    for result in &end.results {
        let refused =
            matches!(result, Err(Error::Statement(StatementError::Misuse(reason))) if reason.contains(words));
        assert!(refused, "{result:?}");
    }
}

#[test]
fn the_embedding_is_refused_where_hashes_forge_it_and_where_it_has_less_than_forty_bits() {
    let (chain, embedded) = (AndChain::new(500), blocks(100).with(Multiplier::EmbeddedRho40));
    between::<Bits, _, _>(embedded, &chain, &chain).accepted();
    let end = between::<Bits, _, _>(embedded.fiat_shamir(), &chain, &chain);
    refused(&end, "Fiat-Shamir");
    assert!(end.sent.iter().all(Vec::is_empty));
    // 50 blocks, which the statement announces.
    let short = blocks(10).with(Multiplier::EmbeddedRho40);
    let end = between::<Bits, _, _>(short, &chain, &chain);
    refused(&end, "less than 40");
    assert!(end.sent.iter().all(Vec::is_empty));
    // As many in branches that are announced as one: both count them at the end.
    let any = || Disjunction::new(Join::Tree, (0..8).map(|_| AndChain::new(500)).collect());
    let end = between::<Bits, _, _>(embedded, &any().expect("fits").with_choice(&[3]), &any().expect("fits"));
    refused(&end, "less than 40");
    assert!(end.sent[0].iter().all(|(tag, _)| *tag != tags::ASSERTIONS), "no last message");
}

#[test]
fn a_threshold_that_does_not_fit_into_the_first_piece_gets_a_longer_one() {
    let programs: Vec<_> = (0..40).map(|i| Program::<F2>::new([i, 2], 3, 10)).collect();
    let choice: Vec<usize> = (3..36).collect();
    let join = Join::AtLeast(choice.len());
    let (p, v) = (at_prover(join, &programs, &choice), at_verifier(join, &programs));
    for how in [blocks(1 << 12), blocks(1 << 12).fiat_shamir()] {
        between::<Bits, _, _>(how, &p, &v).accepted();
    }
    // In a threshold again: 8 * 5 * 8 commitments at least.
    let inner = |i: usize| at_prover(Join::AtLeast(5), &programs[i..i + 6], &[0, 1, 2, 4, 5]);
    let outer = |choice: &[usize]| {
        let any = Disjunction::new(Join::AtLeast(8), (0..9).map(inner).collect());
        Tree::Any(any.expect("fits").with_choice(choice))
    };
    let choice: Vec<usize> = (1..9).collect();
    between::<Bits, _, _>(blocks(1 << 12), &outer(&choice), &outer(&[])).accepted();
}

/// Each has a stack of its own, and some of its parent's.
#[test]
fn as_many_branches_as_there_may_be_are_accepted_on_a_threads_usual_stack() {
    let programs: Vec<_> = (0..MAX_BRANCHES as u64).map(|i| Program::<F2>::new([i, 2], 1, 2)).collect();
    let (join, how) = (Join::Tree, blocks(1 << 12));
    let (p, v) = (at_prover(join, &programs, &[1000]), at_verifier(join, &programs));
    between::<Bits, _, _>(how, &p, &v).accepted();
    // In another disjunction, which is one branch more.
    let inner = &programs[1..];
    let outer = |tree, choice: &[usize]| {
        Tree::Any(Disjunction::new(join, vec![tree]).expect("fits").with_choice(choice))
    };
    let (p, v) = (outer(at_prover(join, inner, &[1000]), &[0]), outer(at_verifier(join, inner), &[]));
    between::<Bits, _, _>(how, &p, &v).accepted();
}

/// With equal branches one witness would count for two.
#[test]
fn a_threshold_of_equal_branches_is_refused_by_both_parties() {
    let [one, other] = [1, 2].map(|seed| Program::<F2>::new([seed, 2], 3, 10));
    let twice = [other, one.clone(), one];
    for (r, choice, fits) in [(1, &[1][..], true), (2, &[1, 2], false), (3, &[0, 1, 2], false)] {
        let (p, v) = (at_prover(Join::AtLeast(r), &twice, choice), at_verifier(Join::AtLeast(r), &twice));
        let end = between::<Bits, _, _>(blocks(1 << 12), &p, &v);
        if fits {
            end.accepted();
            continue;
        }
        for result in &end.results {
            let refused = matches!(result, Err(Error::Statement(StatementError::Public(reason))) if reason.contains("branches 1 and 2"));
            assert!(refused, "{result:?}");
        }
        assert!(end.sent.iter().all(Vec::is_empty));
    }
}

/// "Secrets are zero", so many of them asserted at once.
struct Zeros {
    count: usize,
    at_once: usize,
}

impl<B: Prove<F2>> Statement<B> for Zeros {
    fn identify(&self, _: &mut Digest) {}

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let zero = b.secret(1, &mut |_| Ok(vec![F2::ZERO]))?;
        let zeros = vec![zero[0].clone(); self.count];
        zeros.chunks(self.at_once).try_for_each(|zeros| b.assert_zero(zeros))
    }
}

/// A seed that combined more could have errors made for it more often than the bound says.
#[test]
fn one_seed_combines_no_more_assertions_than_fill_a_block_however_many_come_at_once() {
    let challenges = |at_once| {
        let zeros = Zeros { count: 40, at_once };
        let end = between::<Bits, _, _>(blocks(8), &zeros, &zeros);
        assert_eq!(end.accepted().assertions, 40);
        end.sent[1].iter().filter(|(tag, _)| *tag == tags::CHALLENGE).count()
    };
    let one_by_one = challenges(1);
    assert!(one_by_one >= 40 / 8);
    assert_eq!([challenges(7), challenges(40)], [one_by_one; 2]);
}
