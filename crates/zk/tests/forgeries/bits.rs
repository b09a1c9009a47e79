//! A false statement about bits.

use volery_channel::tags;
use volery_circuit::{Digest, Prove, Statement};
use volery_field::F2;
use volery_testing::coefficients_of_products;
use volery_testing::deal;
use volery_vole::cheats;
use volery_zk::Error;
use volery_zk::quicksilver::{
    Challenges, Tally,
    bits::{Settings, Verifier},
};

use super::{
    Batches, Belief, assertions, counts, judged, keys_of_bits, nothing_but_the_chain_stops, transcript,
};

/// Products: more than the 129 equations that they must fulfil, wherever a batch ends.
pub(super) const N: usize = 300;

/// Correlations that mask an opening.
const MASK: usize = 128;

/// "I know x = 0 and bits y_i with x y_1 + .. + x y_N = 1", under a number.
#[derive(Clone)]
pub(super) struct False(pub(super) u64);

impl<B: Prove<F2>> Statement<B> for False {
    fn identify(&self, digest: &mut Digest) {
        digest.number("zero is one", self.0);
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let secrets = b.secret(N + 1, &mut |_| Ok(vec![F2::ZERO; N + 1]))?;
        b.assert_zero(&secrets[..1])?;
        let mut sum = b.constant(F2::ONE);
        for y in &secrets[1..] {
            let z = b.mul(&secrets[0], y)?;
            sum = b.add(&sum, &z);
        }
        b.assert_zero(&[sum])
    }
}

/// "I know a zero."
struct Zero;

impl<B: Prove<F2>> Statement<B> for Zero {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"a zero");
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        let zero = b.secret(1, &mut |_| Ok(vec![F2::ZERO]))?;
        b.assert_zero(&zero)
    }
}

/// A forged proof of [`False`]; with `after`, on what a proof of [`Zero`] left of a batch.
fn forged(batch: usize, after: bool, belief: Belief) -> Result<Tally, Error> {
    let batches = Batches { name: "bits", len: batch };
    let before = if after { 1 + MASK } else { 0 };
    // Everything committed to is what the correlations hold: no mask is set.
    let masks = vec![0; (2 * N + 1).div_ceil(8)];
    let mut plan = transcript("false");
    plan.absorb(tags::MASKS.name(), &masks);
    let seed = batches.seed(&mut plan, before + 2 * N + 1 + MASK, belief);
    let chi = coefficients_of_products(seed, N + 1, N);
    // Only those of the last batch are chosen: the ones before it were fixed before its chain was.
    let first = if batch < before + 2 * N + 1 { batch - (before + N + 1) } else { 0 };
    let mut bits = vec![false; before + N + 1 + first];
    bits.extend(cheats::odd_subset(&chi[first..]).expect("more products than equations"));

    let opening = |tally| [vec![0; 32], counts(tally)].concat();
    let mut messages = Vec::new();
    if after {
        messages.push((tags::MASKS, vec![0]));
        messages.push((tags::CHECK_OPENING, opening([1, 0, 1])));
        messages.push((tags::ASSERTIONS, assertions(16)));
    }
    messages.push((tags::MASKS, masks));
    messages.push((tags::CHECK_OPENING, opening([N as u64 + 1, N as u64, 2])));
    messages.push((tags::ASSERTIONS, assertions(32)));

    let (mut pool, delta) = (batches.pool(keys_of_bits(&bits)), deal::delta());
    judged(&messages, |channel| {
        let settings = Settings { interval: 1 << 17 };
        if after {
            let challenges = Challenges::FiatShamir(transcript("true"));
            Verifier::new(settings, challenges, &delta, &mut pool, channel, None)
                .verify(&Zero)
                .expect("true");
        }
        let challenges = Challenges::FiatShamir(transcript("false"));
        Verifier::new(settings, challenges, &delta, &mut pool, channel, None).verify(&False(0))
    })
}

#[test]
fn forgery_of_a_proof_about_bits() {
    nothing_but_the_chain_stops(|belief| forged(1000, false, belief));
}

#[test]
fn forgery_in_the_second_batch_of_bits() {
    nothing_but_the_chain_stops(|belief| forged(400, false, belief));
}

#[test]
fn forgery_on_bits_that_an_earlier_proof_left() {
    nothing_but_the_chain_stops(|belief| forged(1000, true, belief));
}
