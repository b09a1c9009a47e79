//! What P can make of V's trees, and what makes one tree different from the next.

use super::*;

/// A round's outputs at both parties, from correlations whose table is zero, so that the outputs are the
/// leaves, or not.
fn outputs(zero_table: bool) -> [Vec<Gf128>; 2] {
    let delta = delta();
    let (mut tags, mut keys) = deal(&delta, TINY.base_len(), 1);
    if zero_table {
        tags[..TINY.table_len()].fill(Gf128::ZERO);
        keys[..TINY.table_len()].fill(Gf128::ZERO);
    }
    let (m, k) = run_from((tags, keys), [0, 0], TINY, |_| {}, [untouched; 2]);
    [m.unwrap(), k.unwrap()]
}

/// What P knows about the lowest level that is hashed: with `x` the node above its path, `z = x + delta`, and
/// the value of the child that it knows: `H(x)`, or `x + H(x)` if that is the right one. All but the lowest
/// bits, which leaves lack.
fn targets(leaves: &[Gf128]) -> Vec<(Gf128, Gf128, bool)> {
    let half = TINY.block_len() / 2;
    let target = |tree: &[Gf128]| {
        // The one odd leaf is at the path's end.
        let path = tree.iter().position(|leaf| leaf.to_bits() & 1 == 1).unwrap();
        // Parents are the sums of their children, and a level's nodes add up to delta.
        let others = (0..half).filter(|parent| *parent != path % half);
        let z = others.fold(Gf128::ZERO, |sum, parent| sum + tree[parent] + tree[parent + half]);
        (z, tree[path ^ half], path < half)
    };
    leaves.chunks_exact(TINY.block_len()).map(target).collect()
}

/// The [search for delta](crate::delta_search), with its right guess: P evaluates the hash of tree 0 at
/// `delta + z` for each `z` that it knows. In how many trees does it see that the guess is right? Under one
/// key for all it was in all of them.
#[test]
fn one_evaluation_of_aes_tests_delta_against_one_tree() {
    let [leaves, _] = outputs(true);
    let aes = Public::new(&SESSION, 0, TINY).trees.of(0);
    let hit = |(z, value, is_right): (Gf128, Gf128, bool)| {
        [0, 1].into_iter().any(|lowest| {
            let x = delta().expose() + z + Gf128::from_bits(lowest);
            let mut h = [x];
            aes.hash(&mut h);
            let child = if is_right { h[0] + x } else { h[0] };
            (child + value).to_bits() >> 1 == 0
        })
    };
    let hits: Vec<bool> = targets(&leaves).into_iter().map(hit).collect();
    assert_eq!(hits.len(), TINY.trees as usize);
    assert!(hits[0], "the attack itself is right");
    assert!(hits[1..].iter().all(|hit| !hit), "{hits:?}");
}

#[test]
fn no_two_trees_share_rows_of_the_code() {
    // The leaves do not depend on the table, so what is left are the rows' sums over the table.
    let [with, without] = [outputs(false), outputs(true)];
    for (with, without) in with.iter().zip(&without) {
        let rows: Vec<u128> = with.iter().zip(without).map(|(a, b)| (*a + *b).to_bits() >> 1).collect();
        let mut blocks: Vec<&[u128]> = rows.chunks_exact(TINY.block_len()).collect();
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), TINY.trees as usize);
    }
}
