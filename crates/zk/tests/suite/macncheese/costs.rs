//! What proofs cost in bytes, which nothing but the programs decides.

use volery_channel::tags;
use volery_circuit::statements::{AndChain, MulChain};
use volery_field::F61;
use volery_testing::{Bits, Over};
use volery_zk::macncheese::{Disjunction, Join, Multiplier, Settings};

use crate::disjunction::programs::Program;
use crate::macncheese::parties::{End, Fields, How, between, blocks};
use crate::macncheese::trees::{at_prover, at_verifier};

/// A million multiplications in one block.
const MILLION: u64 = 1_000_000;

const WIDE: How = How { settings: Settings::WAN, fiat_shamir: false, seed: 1 };

fn bits_each(end: &End) -> f64 {
    end.accepted();
    8.0 * end.bytes() as f64 / MILLION as f64
}

#[test]
fn a_million_ands_take_at_most_1_01_bits_each_and_a_million_products_64_5() {
    let chain = AndChain::new(MILLION);
    let bits = bits_each(&between::<Bits, _, _>(WIDE, &chain, &chain));
    assert!((1.0..1.01).contains(&bits), "{bits}");
    let chain = MulChain::<F61>::new(MILLION).expect("computes");
    let bits = bits_each(&between::<Over<F61, F61>, _, _>(WIDE, &chain, &chain));
    assert!((61.0..64.5).contains(&bits), "{bits}");
}

#[test]
fn the_embedding_takes_nine_bits_an_and_in_small_blocks_too() {
    let how = blocks(15 * 200).with(Multiplier::EmbeddedRho40);
    let chain = AndChain::new(60_000);
    let end = between::<Bits, _, _>(how, &chain, &chain);
    end.accepted();
    // A part of a byte and of a group a block, and the last message.
    let bits = 8.0 * end.bytes() as f64 / 60_000.0;
    assert!((9.0..9.3).contains(&bits), "{bits}");
}

#[test]
fn the_simple_protocol_takes_three_elements_a_multiplication() {
    let chain = MulChain::<F61>::new(40_000).expect("computes");
    let end = between::<Over<F61, F61>, _, _>(WIDE.with(Multiplier::Simple), &chain, &chain);
    let commitments = end.accepted();
    let elements = 8.0 * end.bytes() as f64 / 61.0;
    let slots = (commitments.multiplications + commitments.secrets) as f64;
    assert!((2.99..3.02).contains(&(elements / slots)), "{}", elements / slots);
}

fn challenges(end: &End) -> usize {
    end.sent[1].iter().filter(|(tag, _)| *tag == tags::CHALLENGE).count()
}

/// As the paper's table 2, in our elements.
fn doubling<K: Fields>(element: usize) {
    let ends = [1, 2, 4, 8, 16].map(|n| {
        let programs = vec![Program::<K::Ring>::new([1, 2], 3, 40); n];
        let (p, v) = (at_prover(Join::Tree, &programs, &[n / 2]), at_verifier(Join::Tree, &programs));
        between::<K, _, _>(blocks(1 << 12), &p, &v)
    });
    for pair in ends.windows(2) {
        pair[1].accepted();
        assert_eq!(pair[1].bytes() - pair[0].bytes(), 2 * element, "two elements");
        assert_eq!(challenges(&pair[1]) - challenges(&pair[0]), 2, "each answered by a challenge");
    }
}

#[test]
fn each_doubling_of_branches_adds_two_elements_of_the_mac_field() {
    doubling::<Bits>(16);
    doubling::<Over<F61, F61>>(8);
}

#[test]
fn linear_overhead_is_two_elements_a_branch_but_one() {
    let cost = |n: usize, join| {
        let programs = vec![Program::<volery_field::F2>::new([1, 2], 3, 40); n];
        let (p, v) = (at_prover(join, &programs, &[0]), at_verifier(join, &programs));
        between::<Bits, _, _>(blocks(1 << 12), &p, &v)
    };
    let [one, eight] = [1, 8].map(|n| cost(n, Join::Linear));
    // With one branch no number is sent after the challenge, but the counts are.
    assert_eq!(eight.bytes() + 32 - one.bytes(), 16 * (2 * 8 - 1 - 1));
}

#[test]
fn a_disjunction_takes_what_its_longest_branch_takes() {
    let chain = |n| AndChain::new(n);
    let how = blocks(1 << 12);
    let alone = between::<Bits, _, _>(how, &chain(20_000), &chain(20_000));
    let branches = || [7_000, 20_000, 300, 12_000].map(chain).into_iter().collect::<Vec<_>>();
    let any = || Disjunction::new(Join::Tree, branches()).expect("fits").with_choice(&[2]);
    let end = between::<Bits, _, _>(how, &any(), &any());
    end.accepted();
    let (alone, together) = (alone.bytes(), end.bytes());
    // Rounds of checks that end at different moments, and two doublings.
    assert!(together < alone + 2_000, "{together} {alone}");
}
