//! Where V's trees begin.

use volery_channel::memory_pair;
use volery_field::{Gf128, Ring as _};
use zeroize::Zeroizing;

use super::*;
use crate::correlations::Party;

const TINY: Params = Params { log_k: 6, log_block: 4, trees: 5 };

const ROUNDS: u64 = 3;

/// V's roots of all trees of all rounds, as its messages show them, with V's randomness from `seed`.
fn roots(seed: u64) -> Vec<u128> {
    let (mut p, mut v) = memory_pair(&Limits::default());
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let (binary, key) = (Delta::random(&mut rng), Delta::random(&mut rng));
    let delta = binary.expose();
    let (trees, path_tags) = std::thread::scope(|scope| {
        let prover = scope.spawn(|| {
            let mut rng = ChaCha20Rng::seed_from_u64(2);
            let mut bits = Receiver::setup(&mut p, &SESSION, FieldBits::Eight, &mut rng).unwrap();
            let _ = Receiver::setup(&mut p, &SESSION, tree_size::<F61, F61>(), &mut rng).unwrap();
            let mut path_tags = Vec::new();
            let mut trees = Vec::new();
            for _ in 0..ROUNDS {
                bits.extend(&mut p, TINY.paths_len(), &mut path_tags).unwrap();
                let message = p.recv(tags::SUBFIELD_TREES, 1 << 20).unwrap();
                // The levels above the last come first, tree after tree.
                let levels = message.chunks_exact(16 * (TINY.log_block as usize - 1));
                trees.extend(
                    levels
                        .take(TINY.trees as usize)
                        .map(|tree| Gf128::from_bytes(*tree.first_chunk().unwrap())),
                );
            }
            (trees, path_tags)
        });
        let bits = Sender::setup(&mut v, &SESSION, FieldBits::Eight, binary, &mut rng).unwrap();
        let trees = Sender::setup(&mut v, &SESSION, tree_size::<F61, F61>(), key, &mut rng).unwrap();
        let mut party = VerifierParty::<F61, F61>::new(SESSION, trees, bits, &mut rng).unwrap();
        for number in 0..ROUNDS {
            let base = Zeroizing::new(vec![F61::ZERO; VerifierParty::<F61, F61>::base_len(&TINY)]);
            let _ = party.open(number, TINY, base, &mut v).unwrap();
            v.flush().unwrap();
        }
        prover.join().unwrap()
    });
    // V's message hides the first sum, which is the root, under its key of the first bit of the path.
    let firsts = path_tags.chunks_exact(TINY.log_block as usize).map(|tags| tags[0]);
    trees
        .iter()
        .zip(firsts)
        .map(|(sum, tag)| (*sum + if tag.lsb().to_bool() { tag + delta } else { tag }).to_bits())
        .collect()
}

#[test]
fn every_tree_of_every_round_has_a_root_of_its_own_that_v_draws() {
    let mut all = [roots(1), roots(4)].concat();
    assert_eq!(all.len(), 2 * ROUNDS as usize * TINY.trees as usize);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 2 * ROUNDS as usize * TINY.trees as usize);
}
