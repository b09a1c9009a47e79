//! Parties that lie on purpose and then do all they can to make it pass.

use std::cell::Cell;

use super::*;

/// A P that goes on whatever V answers, and opens.
fn stubborn<F: Value, M: Mac<F>>(
    p: &Deal<F, M>,
    v: &Deal<F, M>,
    tap: Tampering<'_>,
) -> Result<Vec<M>, Error> {
    let (p_end, mut v_end) = memory_pair(&Limits::default());
    let mut p_end = Edit::on(p_end, tap);
    let mut verifier = v.verifier(&mut v_end);
    v_end.flush().unwrap();
    p.prover().check(&CheckRandomness { seed: CHECK_SEED, nonce: p.nonce }, &mut p_end).unwrap();
    verifier.answer(&field_delta::<F, M>(), &mut v_end).unwrap();
    p_end.recv(tags::SUBFIELD_ANSWER, M::BYTES).unwrap();
    p_end.send(tags::SUBFIELD_OPENING, &p.nonce).unwrap();
    p_end.flush().unwrap();
    verifier.verdict(&mut v_end).map(|()| blocks(|tree, out| verifier.block(tree, out)))
}

/// Adds `shift` to the element at `at`.
fn add<M: Element>(payload: &mut [u8], at: usize, shift: M) {
    let mut bytes = Vec::new();
    push(&mut bytes, M::decode(&payload[at..at + M::BYTES]).unwrap() + shift).unwrap();
    payload[at..at + M::BYTES].copy_from_slice(&bytes);
}

/// From V's answer to another sum P could compute delta; so V must end before anything is proved under it.
#[test]
fn a_p_that_shows_another_sum_or_has_other_noise_can_not_open_its_commitment() {
    fn check<F: Value, M: Mac<F>>() {
        let honest = Deal::<F, M>::new(0);
        assert!(stubborn(&honest, &honest, untouched()).is_ok());
        for shift in [M::ONE, -M::ONE, M::basis(M::DEGREE - 1)] {
            let lie = on(tags::SUBFIELD_CHECK, move |payload| add(payload, SEED, shift));
            assert!(is_cheat(&stubborn(&honest, &honest, lie), tags::SUBFIELD_OPENING), "{}", M::NAME);
        }
        // The values of the first and the last noise, of the first and the last mask; then their tags.
        let (first, last) = (TINY.table_len(), honest.p.len() - 1);
        for at in [first, first + TINY.trees as usize - 1, last + 1 - M::DEGREE, last] {
            for (x, m) in [(F::ONE, M::ZERO), (F::ZERO, M::ONE)] {
                let mut deal = Deal::<F, M>::new(0);
                deal.p[at] += Authenticated { x, m };
                let result = stubborn(&deal, &honest, untouched());
                assert!(is_cheat(&result, tags::SUBFIELD_OPENING), "{} in {}: {at}", F::NAME, M::NAME);
            }
        }
    }
    every_kind_of_pair!(check);
}

/// The static leakage of the module's docs, measured: a V that is wrong in a place only passes if P's path
/// goes there.
#[test]
fn a_v_with_a_wrong_difference_passes_only_for_the_leaf_that_it_guesses_and_then_p_has_what_v_expects() {
    fn check<F: Value, M: Mac<F>>() {
        let deal = Deal::<F, M>::new(0);
        let (honest, tree) = (run(&deal, [untouched(), untouched()]), TINY.trees as usize - 1);
        let (keys, path) = (honest.v.unwrap(), deal.paths()[tree] as usize);
        let coefficients = deal.coefficients();
        for guess in 0..TINY.block_len() {
            // P's tag is less by one there, so its value is less by the leaf's coefficient.
            let change = coefficients.trees[tree] * coefficients.leaves[guess];
            let lie: Tampering<'_> = Box::new(move |tag, payload| match tag {
                tags::SUBFIELD_TREES => {
                    let last = payload.len() - M::BYTES;
                    add(payload, last, M::ONE);
                }
                tags::SUBFIELD_ANSWER => add(payload, 0, -change),
                _ => {}
            });
            let outcome = run(&deal, [untouched(), lie]);
            if guess == path {
                let mut expected = keys.clone();
                expected[tree * TINY.block_len() + guess] -= M::ONE;
                holds(&outcome.p.unwrap(), &expected);
            } else {
                assert!(is_cheat(&outcome.p, tags::SUBFIELD_ANSWER), "{} {guess}", M::NAME);
            }
        }
    }
    every_kind_of_pair!(check);
}

#[test]
fn errors_that_cancel_between_two_trees_with_one_path_are_caught() {
    fn check<F: Value, M: Mac<F>>() {
        let mut deal = Deal::<F, M>::new(0);
        let height = TINY.log_block as usize;
        deal.tags.copy_within(..height, height);
        deal.keys.copy_within(..height, height);
        let difference = trees_bytes::<M>(&TINY) - (TINY.trees as usize * SUMS - (SUMS - 1)) * M::BYTES;
        let lie = on(tags::SUBFIELD_TREES, |payload| {
            add(payload, difference, M::ONE);
            add(payload, difference + SUMS * M::BYTES, -M::ONE);
        });
        assert!(run(&deal, [untouched(), untouched()]).p.is_ok());
        assert!(is_cheat(&run(&deal, [untouched(), lie]).p, tags::SUBFIELD_ANSWER), "{}", M::NAME);
    }
    every_kind_of_pair!(check);
}

/// What a P with path `guess` in the first tree would have, and its value without the masked noise, if V's
/// trees go through `wrong`: V computes it with noise of value zero, whose tags are its own keys.
fn simulate<F: Value, M: Mac<F>>(
    deal: &Deal<F, M>,
    guess: usize,
    wrong: impl Fn(&mut Vec<u8>),
) -> (Vec<M>, M) {
    let (table, n) = (TINY.table_len(), deal.v.len());
    let mut sim = Deal::<F, M>::of_leaves(deal.number);
    for (p, k) in sim.p.iter_mut().zip(&deal.v).skip(table) {
        *p = Authenticated { x: F::ZERO, m: *k };
    }
    sim.tags.clone_from(&deal.keys);
    for (level, tag) in sim.tags.iter_mut().take(TINY.log_block as usize).enumerate() {
        // An odd tag is one of a path that goes left.
        if guess >> level & 1 == 0 {
            *tag += delta().expose();
        }
    }
    assert_eq!(sim.paths()[0] as usize, guess);
    let (mut p_end, v_end) = memory_pair(&Limits::default());
    let mut v_end = Edit::on(v_end, on(tags::SUBFIELD_TREES, wrong));
    let _ = deal.verifier(&mut v_end);
    v_end.flush().unwrap();
    let mut prover = sim.prover();
    prover.check(&CheckRandomness { seed: CHECK_SEED, nonce: sim.nonce }, &mut p_end).unwrap();
    let leaves: Vec<M> = blocks(|tree, out| prover.block(tree, out)).iter().map(|leaf| leaf.m).collect();
    let coefficients = deal.coefficients();
    let mut value = -M::pack(&deal.v[n - M::DEGREE..]);
    for (tree, leaves) in coefficients.trees.iter().zip(leaves.chunks(TINY.block_len())) {
        value += *tree * M::inner_product(&coefficients.leaves, leaves).unwrap();
    }
    (leaves, value)
}

/// The best that a V can do with a wrong sum of a level: it plays P with the path that it guesses, and
/// answers what fits.
#[test]
fn a_v_with_a_wrong_level_passes_only_if_it_guesses_the_path_to_the_last_level_and_then_p_has_what_v_expects()
{
    fn check<F: Value, M: Mac<F>>() {
        let deal = Deal::<F, M>::of_leaves(0);
        let path = deal.paths()[0] as usize;
        let delta = field_delta::<F, M>().expose();
        for level in 0..TINY.log_block as usize - 1 {
            let wrong = move |payload: &mut Vec<u8>| payload[16 * level + 5] ^= 0x10;
            let mut accepted = Vec::new();
            for guess in 0..TINY.block_len() {
                let (keys, value) = simulate(&deal, guess, wrong);
                let phi = Cell::new(M::ZERO);
                let overhear = on(tags::SUBFIELD_CHECK, |payload| {
                    phi.set(M::decode(&payload[SEED..SEED + M::BYTES]).unwrap());
                });
                let lie: Tampering<'_> = Box::new(|tag, payload| match tag {
                    tags::SUBFIELD_TREES => wrong(payload),
                    tags::SUBFIELD_ANSWER => {
                        payload.clear();
                        push(payload, value - phi.get() * delta).unwrap();
                    }
                    _ => {}
                });
                let outcome = run(&deal, [overhear, lie]);
                match outcome.p {
                    Ok(p) => {
                        holds(&p, &keys);
                        accepted.push(guess);
                    }
                    Err(Error::Cheat { step: tags::SUBFIELD_ANSWER, .. }) => {}
                    Err(other) => panic!("{} {level} {guess}: {other}", M::NAME),
                }
            }
            // The levels above the last depend on the path's bits there; which side it takes in the last does
            // not matter.
            let half = TINY.block_len() / 2;
            assert_eq!(accepted, [path % half, path % half + half], "{} {level}", M::NAME);
        }
    }
    every_kind_of_pair!(check);
}
