//! The correlated GGM tree: a punctured PRF whose leaves add up to delta.
//!
//! V knows the whole tree, P all of it but the path to one leaf. The two nodes of the first level are `s` and
//! `s + delta`; below, a node `x` has children `H(x)` and `x + H(x)`, so that **every level adds up to delta**
//! (half-trees, ePrint 2022/1431, figures 5 and 6). P, whose path bits are `a_0, .., a_{h-1}`, is given for each level
//! the sum of the nodes on the side that its path does not take, and recomputes all but the path. Its leaf `a` is then
//! set to the sum of all others, which is V's leaf plus delta: one correlation `w = v + e * delta` a leaf, where
//! `e` is one at `a` and zero elsewhere.
//!
//! **Order of nodes.** Children of node `j` of a level with `m` nodes stand at `j` and `j + m`: bit `i` of a leaf's
//! number is the side taken at level `i`, and a level expands in place.
//!
//! **Secret path.** P's path is the noise of its LPN instance. It is never an index or a branch: repairs of the
//! path's sibling go over the whole level under a mask (see [`crate::aes::Fix`]).
//!
//! **Bits in tags.** Both parties clear the least significant bit of every leaf but P's leaf `a`, where it is set:
//! since delta is odd, the relation still holds, and the bit `e` is the least significant bit of P's leaf.

use volery_field::Gf128;

use crate::aes::{Aes, Fix};

/// Clears the least significant bit.
const EVEN: u128 = !1;

/// V's side: fills `nodes`, `2^h` of them, from the root `s`, and hands the sum of the left nodes of each level,
/// first to last, to `on_level`.
pub(crate) fn expand_full(
    aes: &Aes,
    root: Gf128,
    delta: Gf128,
    nodes: &mut [Gf128],
    mut on_level: impl FnMut(usize, Gf128),
) {
    debug_assert!(nodes.len() >= 2 && nodes.len().is_power_of_two());
    let levels = nodes.len().trailing_zeros() as usize;
    if let [left, right, ..] = nodes {
        (*left, *right) = (root, root + delta);
    }
    on_level(0, root);
    for level in 1..levels {
        let sum = aes.expand(&mut nodes[..2 << level], Fix::NONE);
        on_level(level, sum);
    }
    for node in nodes {
        *node = Gf128::from_bits(node.to_bits() & EVEN);
    }
}

/// P's side: fills `nodes`, `2^h` of them, from the `h` sums of the sides that `path` does not take.
///
/// Right whatever the sums are; they give correlations only if the sums are V's.
pub(crate) fn expand_punctured(aes: &Aes, path: u32, sums: &[Gf128], nodes: &mut [Gf128]) {
    debug_assert!(nodes.len() >= 2 && nodes.len() == 1 << sums.len());
    let Some((first, rest)) = sums.split_first() else { return };
    nodes[..2].fill(Gf128::ZERO);
    // The nodes on the path hold garbage that both sides' sums contain, so it cancels: the sibling's error is what is
    // missing from its side's sum, and at the end all nodes but the path's leaf are right.
    let mut fix = Fix { index: (path & 1) ^ 1, value: *first };
    let mut total = *first;
    for (i, sum) in rest.iter().enumerate() {
        let level = i + 1;
        let left = aes.expand(&mut nodes[..2 << level], fix);
        // The sibling is a right node where the path goes left; the right nodes add up to parents plus left nodes.
        let goes_left = u128::from((path >> level) & 1 ^ 1);
        let side = left.to_bits() ^ (total.to_bits() & goes_left.wrapping_neg());
        let value = *sum + Gf128::from_bits(side);
        let below = path & ((1 << (level + 1)) - 1);
        fix = Fix { index: below ^ (1 << level), value };
        total += value;
    }
    aes.repair(nodes, path, total, fix.value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prg;

    #[test]
    fn leaves_correlate_and_only_the_path_s_leaf_is_odd() {
        let delta = Gf128::from_bits(0xfeed_face_0123_4567_89ab_cdef_dead_beef | 1);
        let mut prg = Prg::new([8; 16]);
        for h in 1..=9_usize {
            for _ in 0..20 {
                let (aes, root) = (Aes::new([4; 16]), prg.block());
                let path = (prg.block().to_bits() as u32) & ((1 << h) - 1);
                let mut full = vec![Gf128::ZERO; 1 << h];
                let mut left = vec![Gf128::ZERO; h];
                expand_full(&aes, root, delta, &mut full, |level, sum| left[level] = sum);
                // The sibling's side: the left one where the path goes right.
                let sums: Vec<_> =
                    (0..h).map(|i| if path >> i & 1 == 1 { left[i] } else { left[i] + delta }).collect();
                let mut punctured = vec![Gf128::ONE; 1 << h];
                expand_punctured(&aes, path, &sums, &mut punctured);
                for (j, (v, w)) in full.iter().zip(&punctured).enumerate() {
                    let e = j as u32 == path;
                    assert_eq!(*w, if e { *v + delta } else { *v }, "height {h}, leaf {j}");
                    assert_eq!((v.to_bits() & 1, w.to_bits() & 1), (0, u128::from(e)));
                }
            }
        }
    }
}
