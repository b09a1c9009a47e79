//! Where V's trees begin.

use volery_channel::memory_pair;
use zeroize::Zeroizing;

use super::*;
use crate::correlations::Party;

const TINY: Params = Params { log_k: 9, log_block: 6, trees: 20 };

/// V's roots of all trees of three rounds, as its messages show them, with V's randomness from `seed`.
fn roots(seed: u64) -> Vec<Vec<u8>> {
    let (mut p, mut v) = memory_pair(&Limits::default());
    let mut party = std::thread::scope(|scope| {
        scope.spawn(|| {
            Receiver::setup(&mut p, &SESSION, FieldBits::Eight, &mut rng(2)).unwrap();
            p.flush().unwrap();
        });
        let mut rng = rng(seed);
        let delta = Delta::random(&mut rng);
        let extension =
            Sender::setup(&mut v, &SESSION, FieldBits::Eight, delta.duplicate(), &mut rng).unwrap();
        VerifierParty::new(SESSION, extension, delta, &mut rng)
    });
    let mut roots = Vec::new();
    for number in 0..3 {
        // Keys of zero hide nothing: the first sum that V sends for a tree is its root.
        let base = Zeroizing::new(vec![Gf128::ZERO; TINY.base_len()]);
        let _ = party.open(number, TINY, base, &mut v).unwrap();
        v.flush().unwrap();
        let message = p.recv(tags::FERRET_TREES, TINY.trees_bytes()).unwrap();
        let trees = message.chunks_exact(16 * TINY.log_block as usize);
        roots.extend(trees.map(|tree| tree[..16].to_vec()));
    }
    roots
}

#[test]
fn every_tree_of_every_round_has_a_root_of_its_own_that_v_draws() {
    let mut all = [roots(3), roots(4)].concat();
    assert_eq!(all.len(), 2 * 3 * TINY.trees as usize);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 2 * 3 * TINY.trees as usize);
}
