//! What makes one tree of a round different from the next.

use super::super::leaves::Scratch;
use super::*;
use crate::pprf::{TreeKeys, expand_full};

fn oracle<F: Value, M: Mac<F>>() -> Oracle {
    Oracle::new(&format!("subfield: {} in {}", F::NAME, M::NAME), &SESSION)
}

#[test]
fn each_tree_of_a_round_is_hashed_under_its_own_key() {
    fn check<F: Value, M: Mac<F>>() {
        // Keys of zero hide nothing: V's message is the sums of the left nodes themselves, and the first
        // level's is the root.
        let mut deal = Deal::<F, M>::new(3);
        deal.keys.fill(Gf128::ZERO);
        let (mut p, mut v) = memory_pair(&Limits::default());
        let _ = deal.verifier(&mut v);
        v.flush().unwrap();
        let message = p.recv(tags::SUBFIELD_TREES, trees_bytes::<M>(&TINY)).unwrap();
        let levels = &message[..TINY.trees as usize * levels_bytes(&TINY)];
        let sums: Vec<Gf128> =
            levels.as_chunks().0.iter().map(|c| Gf128::from_bits(u128::from_le_bytes(*c))).collect();
        let keys = TreeKeys::new(&oracle::<F, M>(), 3, "trees");
        for (tree, sums) in sums.chunks_exact(TINY.log_block as usize - 1).enumerate() {
            let mut nodes = vec![Gf128::ZERO; TINY.block_len() / 2];
            expand_full(&keys.of(tree), sums[0], delta().expose(), &mut nodes, |level, sum| {
                assert!(sum == sums[level], "{} tree {tree}, level {level}", M::NAME);
            });
        }
    }
    every_kind_of_pair!(check);
}

#[test]
fn each_last_level_is_hashed_under_its_own_keys() {
    fn check<F: Value, M: Mac<F>>() {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        for number in 0..2 {
            let level = LastLevel::new::<M>(&oracle::<F, M>(), number);
            for tree in 0..3 {
                let mut scratch = Scratch::new(&TINY);
                scratch.nodes.fill(Gf128::X);
                let mut values = vec![M::ZERO; TINY.block_len()];
                level.expand(tree, &mut scratch, &mut values);
                for value in [values[0], values[TINY.block_len() / 2]] {
                    let mut bytes = Vec::new();
                    push(&mut bytes, value).unwrap();
                    seen.push(bytes);
                }
            }
        }
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        // Elements of 32 bits may meet by chance, but with fixed keys do not.
        assert_eq!(seen.len(), all, "{}", M::NAME);
    }
    every_pair!(check);
}

#[test]
fn no_two_trees_share_rows_of_the_code() {
    fn check<F: Value, M: Mac<F>>() {
        // The leaves do not depend on the table, so what is left are the rows' sums over the table.
        let keys = |deal: Deal<F, M>| run(&deal, [untouched(), untouched()]).v.unwrap();
        let (with, without) = (Deal::<F, M>::new(0), Deal::<F, M>::of_leaves(0));
        let rows: Vec<M> = keys(with).into_iter().zip(keys(without)).map(|(a, b)| a - b).collect();
        let blocks: Vec<&[M]> = rows.chunks_exact(TINY.block_len()).collect();
        for (i, block) in blocks.iter().enumerate() {
            assert!(blocks[..i].iter().all(|other| other != block), "{} tree {i}", M::NAME);
        }
    }
    every_kind_of_pair!(check);
}
