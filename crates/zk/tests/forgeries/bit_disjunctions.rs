//! A false statement in a disjunction about bits by Robin.

use volery_channel::tags;
use volery_field::{F2, Gf128};
use volery_testing::coefficients_of_products;
use volery_testing::deal;
use volery_vole::{Prg, cheats};
use volery_zk::Error;
use volery_zk::disjunction::AnyOf;
use volery_zk::quicksilver::{
    Challenges, Tally,
    bits::{Settings, Verifier},
};

use super::bits::{False, N};
use super::disjunctions::derived;
use super::{
    Batches, Belief, assertions, counts, judged, keys_of_bits, nothing_but_the_chain_stops, transcript,
};

/// What a branch takes: its secrets, both factors of each product, and the products.
const COMMITTED: usize = (N + 1) + 3 * N;

/// Rows of one purpose: those of a run have one coefficient, times `1, x, x^2, ..`.
fn rows(seed: [u8; 16], purpose: u8, n: usize) -> Vec<Gf128> {
    let mut across = [Gf128::ZERO];
    Prg::new(derived(seed, purpose | 0x80)).coefficients(&mut across);
    let mut runs = vec![Gf128::ZERO; n.div_ceil(128)];
    Prg::new(derived(seed, purpose)).coefficients(&mut runs);
    let mut rows = Vec::with_capacity(n);
    for run in runs {
        let mut row = run * across[0];
        for _ in 0..128.min(n - rows.len()) {
            rows.push(row);
            row = row.mul_x();
        }
    }
    rows
}

/// All is zero, products too, but right factors, which are not what the branch says they are: their errors
/// make up for the false sum. The left ones are zero, so that the products hold.
fn forged(belief: Belief) -> Result<Tally, Error> {
    let batches = Batches { name: "bits", len: 2000 };
    let masks = vec![0; COMMITTED.div_ceil(8)];
    // What hides the first block's sums is chosen, too, so that they are shown as zero. The disjunction is
    // claimed after that.
    let secrets = 3 * N as u64 + 1;
    let opening = |claimed| [vec![0; 32], counts([secrets, N as u64, claimed])].concat();
    let mut plan = transcript("robin");
    plan.absorb(tags::MASKS.name(), &masks);
    let chi = coefficients_of_products(batches.seed(&mut plan, COMMITTED + 128, belief), 2 * N + 1, N);
    plan.absorb(tags::CHECK_OPENING.name(), &opening(0));
    let seed = batches.seed(&mut plan, COMMITTED + 128, belief);
    let mut beta = [Gf128::ZERO];
    Prg::new(derived(seed, 2)).coefficients(&mut beta);
    let weights: Vec<Gf128> = rows(seed, 0, N).into_iter().map(|row| row * beta[0]).collect();
    let errors = cheats::subset(&weights, rows(seed, 1, 2)[1]).expect("more rows than equations");

    let wrong = |(chi, error): (&Gf128, &bool)| if *error { *chi } else { Gf128::ZERO };
    let shown = chi.iter().zip(&errors).map(wrong).fold(Gf128::ZERO, |sum, x| sum + x).to_bits();
    let hides = Vec::from_iter((0..128).map(|i| shown >> i & 1 == 1));
    let bits = [vec![false; 2 * N + 1], errors, vec![false; N], hides].concat();
    let messages = [
        (tags::MASKS, masks),
        (tags::CHECK_OPENING, opening(0)),
        (tags::TOKENS, [vec![0; 32], counts([2 * (N as u64 + 1), 2 * N as u64, 4])].concat()),
        (tags::CHECK_OPENING, opening(1)),
        (tags::ASSERTIONS, assertions(0)),
    ];
    let any = AnyOf::<F2, _>::new(vec![False(1), False(2)]).expect("two branches");
    let (mut pool, delta) = (batches.pool(keys_of_bits(&bits)), deal::delta());
    judged(&messages, |channel| {
        let (settings, challenges) =
            (Settings { interval: 1 << 17 }, Challenges::FiatShamir(transcript("robin")));
        Verifier::new(settings, challenges, &delta, &mut pool, channel, None).verify(&any)
    })
}

#[test]
fn forgery_of_a_disjunction_about_bits_by_robin() {
    nothing_but_the_chain_stops(forged);
}
