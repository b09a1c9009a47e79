//! Correctness and 2-privacy of the linear decomposition.

use std::collections::HashMap;

use proptest::prelude::*;
use volery_field::{Bn254Scalar, F2, F61, Ring, Z32, Z64};
use volery_testing::rng;

use super::*;
use crate::testing::{SMALL, Size, elements, random};

/// The tapes that the three players of `circuit` take from `source`.
fn tapes<R: Ring>(
    circuit: &volery_circuit::Circuit<R>,
    mut next: impl FnMut(usize) -> Vec<R>,
) -> [Tape<R>; 3] {
    core::array::from_fn(|_| Tape {
        inputs: next(circuit.input_wires() as usize),
        products: next(circuit.multiplications() as usize),
    })
}

fn the_shares_add_up_to_the_values<R: Ring>(seed: u64) {
    let (circuit, witness) = random::<R>(seed, SMALL);
    let mut rng = rng(seed);
    let tapes = tapes(&circuit, |n| elements(&mut rng, n));
    let linear = Linear::new(&circuit);
    let run = evaluate(&linear, &witness, tapes.each_ref());
    assert!(run.output.iter().all(|y| y.is_zero()) && run.output.len() == 5);
    // Not only the claims: every wire, by claiming it.
    let mut parts = circuit.into_parts();
    parts.asserted = (0..parts.signature.inputs[0].width + parts.gates.len() as u32).collect();
    let circuit = volery_circuit::Circuit::new(parts).expect("sound");
    let run = evaluate(&Linear::new(&circuit), &witness, tapes.each_ref());
    let values = circuit.compute(&mut volery_circuit::Evaluator::new(), witness).expect("computes").asserted;
    assert!(run.output == values);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_linear_decomposition_is_correct_over_every_kind_of_ring(seed: u64) {
        the_shares_add_up_to_the_values::<F2>(seed);
        the_shares_add_up_to_the_values::<Z32>(seed);
        the_shares_add_up_to_the_values::<Z64>(seed);
        the_shares_add_up_to_the_values::<F61>(seed);
        the_shares_add_up_to_the_values::<Bn254Scalar>(seed);
    }
}

/// What two opened players and the third's output share look like, as bits.
type Seen = Vec<bool>;

fn seen(opened: [(&Tape<F2>, &Vec<F2>); 2], closed: &[F2]) -> Seen {
    let mut bits: Seen = Vec::new();
    for (tape, view) in opened {
        for part in [&tape.inputs, &tape.products, view] {
            bits.extend(part.iter().map(|bit| bit.to_bool()));
        }
    }
    bits.extend(closed.iter().map(|bit| bit.to_bool()));
    bits
}

/// All vectors of `n` bits.
fn all(n: usize) -> impl Iterator<Item = Vec<F2>> {
    (0..1_u32 << n).map(move |bits| (0..n).map(|i| F2::new(bits >> i & 1 == 1)).collect())
}

/// The exact distribution of what challenge `e` opens, for `input`, over all tapes.
fn real(linear: &Linear<'_, F2>, sizes: [usize; 2], input: &[F2], e: usize) -> HashMap<Seen, f64> {
    let [inputs, products] = sizes;
    let mut counts = HashMap::new();
    let mut total = 0.0;
    for bits in all(3 * (inputs + products)) {
        let mut at = 0;
        let mut next = |n: usize| {
            at += n;
            bits[at - n..at].to_vec()
        };
        let tapes: [Tape<F2>; 3] =
            core::array::from_fn(|_| Tape { inputs: next(inputs), products: next(products) });
        let run = evaluate(linear, input, tapes.each_ref());
        let opened = [e, (e + 1) % 3].map(|player| (&tapes[player], &run.views[player]));
        *counts.entry(seen(opened, &run.shares[(e + 2) % 3])).or_insert(0.0) += 1.0;
        total += 1.0;
    }
    counts.values_mut().for_each(|count| *count /= total);
    counts
}

/// The exact distribution of the simulator, over all that it draws.
fn simulated(linear: &Linear<'_, F2>, sizes: [usize; 2], output: &[F2], e: usize) -> HashMap<Seen, f64> {
    let [inputs, products] = sizes;
    let mut counts = HashMap::new();
    let mut total = 0.0;
    for bits in all(3 * (inputs + products)) {
        let mut at = 0;
        let mut next = |n: usize| {
            at += n;
            bits[at - n..at].to_vec()
        };
        let tapes = core::array::from_fn(|_| Tape { inputs: next(inputs), products: next(products) });
        let Simulated { opened, closed } = linear.simulate(e, output, tapes, &next(inputs), &next(products));
        *counts.entry(seen(opened.each_ref().map(|(tape, view)| (tape, view)), &closed)).or_insert(0.0) +=
            1.0;
        total += 1.0;
    }
    counts.values_mut().for_each(|count| *count /= total);
    counts
}

/// Over all tapes: for every input, what is opened has exactly the distribution of the simulator, which does
/// not know it.
#[test]
fn two_views_of_tiny_circuits_have_exactly_the_simulators_distribution() {
    let mut tested = 0;
    for seed in 0..12 {
        let size = Size { inputs: 2, gates: 5, claims: 2 };
        let (circuit, _) = random::<F2>(seed, size);
        let products = circuit.multiplications() as usize;
        if products == 0 || products > 2 {
            continue;
        }
        tested += 1;
        let (linear, sizes) = (Linear::new(&circuit), [2, products]);
        for input in all(2) {
            let output =
                circuit.compute(&mut volery_circuit::Evaluator::new(), input.clone()).expect("computes");
            for e in 0..3 {
                let real = real(&linear, sizes, &input, e);
                let simulated = simulated(&linear, sizes, &output.asserted, e);
                assert_eq!(real, simulated, "seed {seed}, challenge {e}");
            }
        }
    }
    assert!(tested >= 3, "{tested} circuits had one or two products");
}

/// The test above can fail: without the random terms of products, two views depend on the input.
#[test]
fn without_the_random_terms_the_views_depend_on_the_input() {
    let depends = |seed: u64| {
        let (circuit, _) = random::<F2>(seed, Size { inputs: 2, gates: 5, claims: 2 });
        let linear = Linear::new(&circuit);
        let products = circuit.multiplications() as usize;
        let distribution = |input: &[F2]| {
            let mut counts = HashMap::new();
            for bits in all(4) {
                let tape =
                    |inputs: &[F2]| Tape { inputs: inputs.to_vec(), products: vec![F2::ZERO; products] };
                let tapes = [tape(&bits[..2]), tape(&bits[2..]), tape(&[F2::ZERO; 2])];
                let run = evaluate(&linear, input, tapes.each_ref());
                let opened = [0, 1].map(|player| (&tapes[player], &run.views[player]));
                *counts.entry(seen(opened, &[])).or_insert(0) += 1;
            }
            counts
        };
        let distributions: Vec<_> = all(2).map(|input| distribution(&input)).collect();
        distributions.iter().any(|other| *other != distributions[0])
    };
    assert!((0..12).any(depends));
}

/// On circuits too large to enumerate: how often each bit, and each pair of neighbours, of the opened views
/// is set.
#[test]
fn two_views_of_larger_circuits_have_the_simulators_frequencies() {
    const RUNS: usize = 4000;
    for seed in 0..3 {
        let (circuit, witness) = random::<F2>(seed, Size { inputs: 6, gates: 60, claims: 6 });
        let linear = Linear::new(&circuit);
        let products = circuit.multiplications() as usize;
        let mut rng = rng(seed);
        for e in 0..3 {
            let mut counts: [Vec<i64>; 2] = [Vec::new(), Vec::new()];
            let mut count = |which: usize, bits: &Seen| {
                let counts = &mut counts[which];
                counts.resize(2 * bits.len(), 0);
                for i in 0..bits.len() {
                    counts[2 * i] += i64::from(bits[i]);
                    counts[2 * i + 1] += i64::from(bits[i] ^ bits[(i + 1) % bits.len()]);
                }
            };
            for _ in 0..RUNS {
                let all_tapes = tapes(&circuit, |n| elements(&mut rng, n));
                let run = evaluate(&linear, &witness, all_tapes.each_ref());
                let opened = [e, (e + 1) % 3].map(|player| (&all_tapes[player], &run.views[player]));
                count(0, &seen(opened, &run.shares[(e + 2) % 3]));
                let [own, next, _] = tapes(&circuit, |n| elements(&mut rng, n));
                let (third, drawn) = (elements(&mut rng, 6), elements(&mut rng, products));
                let Simulated { opened, closed } =
                    linear.simulate(e, &[F2::ZERO; 6], [own, next], &third, &drawn);
                count(1, &seen(opened.each_ref().map(|(tape, view)| (tape, view)), &closed));
            }
            // The difference of two counts has a standard deviation of at most sqrt(RUNS / 2) = 45.
            for (real, simulated) in counts[0].iter().zip(&counts[1]) {
                assert!((real - simulated).abs() < 7 * 45, "{real} and {simulated} of {RUNS}");
            }
        }
    }
}
