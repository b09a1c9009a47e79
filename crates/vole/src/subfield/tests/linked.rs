//! Chains of correlations over a field, and what V can not foresee of P's checks.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use super::*;
use crate::correlations::{Party, Pool};
use crate::testing::{Chains, Tampering, chains, kinds_that_part};

/// A party's chain at every 50th index of `n`.
fn of<P>(party: P, threads: usize, n: usize, channel: &mut dyn Channel, rng: &mut ChaCha20Rng) -> Chains
where
    P: Party + Send + 'static,
    P::Round: Send,
{
    chains(Pool::new(Box::new(Generator::linked(party, PLAN, workers(threads), rng))), [n, 50], channel)
}

fn linked(n: usize, threads: [usize; 2], taps: [impl FnMut(Tag, &mut Vec<u8>) + Send; 2]) -> [Chains; 2] {
    let (p, v, ..) = run_with::<F61, F61, _, _>(
        taps,
        |party, channel, rng| of(party, threads[0], n, channel, rng),
        |party, channel, rng| of(party, threads[1], n, channel, rng),
    );
    [p, v]
}

#[test]
fn linked_generators_have_one_chain_through_all_stages_whatever_the_threads() {
    let mut first = None;
    for threads in [[1, 1], [4, 1], [1, 3]] {
        let [p, v] = linked(7_000, threads, [untouched; 2]);
        let (p, v) = (p.unwrap(), v.unwrap());
        assert_eq!(p, v);
        assert_eq!(*first.get_or_insert_with(|| p.clone()), p, "{threads:?}");
        assert!(HashSet::<_>::from_iter(&p).len() > 10);
    }
}

/// Whatever changes on its way ends the session, or the parties have different chains and so different
/// challenges.
#[test]
fn a_flipped_bit_in_any_message_of_a_linked_generator_ends_it_or_parts_the_chains() {
    let kinds = [
        (tags::SUBFIELD_EXTEND, true),
        (tags::SOFT_SPOKEN_EXTEND, true),
        (tags::SUBFIELD_TREES, false),
        (tags::SUBFIELD_CHECK, true),
        (tags::SUBFIELD_ANSWER, false),
        (tags::SUBFIELD_OPENING, true),
        (tags::SUBFIELD_LINK, false),
    ];
    let parted = kinds_that_part(&kinds, |taps| linked(3_000, [1, 1], taps));
    assert!(parted.contains(&tags::SUBFIELD_LINK));
}

/// A V that knew a seed before it sends its trees could make wrong ones that pass, and would know the code.
#[test]
fn v_can_foresee_no_seed_of_p_s_checks() {
    let seeds = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seeds);
    let listen: Tampering<'_> = Box::new(move |tag, payload| {
        if tag == tags::SUBFIELD_CHECK {
            log.lock().unwrap().push(payload[..16].to_vec());
        }
    });
    holds(&run::<F61, F61>(PLAN, 5_000, [1, 1], [listen, Box::new(untouched)]));
    let seeds = seeds.lock().unwrap();
    assert!(seeds.len() > 3);
    assert_eq!(HashSet::<_>::from_iter(seeds.iter()).len(), seeds.len());
    assert!(!seeds.contains(&vec![0; 16]));
}
