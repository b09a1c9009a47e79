//! The correlated GGM tree: a punctured PRF whose leaves add up to delta.
//!
//! V knows the whole tree, P all of it except for the path to one leaf. The two nodes of the first level are
//! `s` and `s + delta`. Below, a node `x` has children `H(x)` and `x + H(x)`, so that **every level adds up
//! to delta** (half-trees, ePrint 2022/1431, figures 5 and 6). P's path bits are `a_0, .., a_{h-1}`. For each
//! level P is given the sum of the nodes on the side that its path does not take, and recomputes everything
//! except the path. Its leaf `a` is then set to the sum of all others, which is V's leaf plus delta. This
//! gives one correlation `w = v + e * delta` for each leaf, where `e` is one at `a` and zero elsewhere.
//!
//! **Order of nodes.** The children of node `j` of a level with `m` nodes are at `j` and `j + m`. So bit `i`
//! of a leaf's number is the side taken at level `i`, and a level expands in place.
//!
//! **Secret path.** P's path is the noise of its LPN instance. It is never an index or a branch condition:
//! repairs of the path's sibling go over the whole level under a mask (see [`crate::aes::Fix`]).
//!
//! **One key for each tree.** P knows every node of a level except one, `x = z + delta`, with `z` the sum of
//! the others. By the next level's sum it also knows the sibling of the node that it lacks there: `H(x)`, or
//! `x + H(x)`. So `z` and that value are a *target*: anybody who evaluates `H` at any `x'` has a candidate
//! `delta = x' + z`, and sees whether it is right. With the known values in a table, one evaluation is
//! compared with all targets under its key. With one key for a session, those would be all levels of all
//! trees so far: thousands, and soon millions. Adding a number of the tree to the input of `H` would not
//! help, because `z` plus that number takes the place of `z`. So tree `j` of a round has its own AES key,
//!
//! ```text
//! K_j = AES_K(j)        K = Oracle(session, the round's number)
//! ```
//!
//! ([`TreeKeys`]). No two trees of a round have the same key, two trees of different rounds have the same key
//! with probability `2^-128`, and nothing can be computed before the session has its identifier. *What
//! remains*: the levels of one tree share their key. With AES as an ideal cipher, on which the argument for
//! `H` rests anyway, each evaluation (either way: the inverse, too, gives one `x'` and its `H(x')`) is under
//! one key and tests one candidate for each of the `h - 1` levels that are expanded under it. So `q` of them
//! find delta, whose lowest bit is known, with probability at most
//!
//! ```text
//! q (h - 1) / 2^127        a loss of log2(h - 1) bits: 3.2 for 2^10 leaves, 3.5 for 2^12       ([`crate::DeltaSearch`])
//! ```
//!
//! (to first order: a miss also rules out at most two values for each level, one by its block and one by its
//! image), whatever the number of trees, rounds and sessions. (A key for each level would remove this factor,
//! too, but cost 10 key schedules for each tree.)
//!
//! **Roots.** V draws them from a seed of its own for each round ([`roots`]). P knows the root of every tree
//! whose path goes right at the first level; if it knew the seed, it would know delta. So the stream has a
//! salt of session and round, and one guess of a seed only tests this round's.
//!
//! **Bits in tags.** Both parties clear the least significant bit of every leaf, except that P sets it in its
//! leaf `a`. Since delta is odd, the relation still holds, and the bit `e` is the least significant bit of
//! P's leaf.

use volery_field::Gf128;

use crate::Prg;
use crate::aes::{Aes, Fix};
use crate::hash::Oracle;

/// The AES keys of a round's trees; see the module's documentation. They are public, like everything that is
/// derived only from the session's identifier.
pub(crate) struct TreeKeys(Aes);

impl TreeKeys {
    /// The keys for round `number`. `purpose` separates different uses in one round.
    pub(crate) fn new(oracle: &Oracle, number: u64, purpose: &str) -> Self {
        Self(Aes::new(oracle.hash(number, &[purpose.as_bytes()])))
    }

    /// AES under the key of `tree`.
    pub(crate) fn of(&self, tree: usize) -> Aes {
        let mut key = [Gf128::ZERO];
        self.0.ctr(tree as u64, &mut key);
        Aes::new(key[0].to_bytes())
    }
}

/// V's roots of the trees of round `number`, from a fresh `seed`.
pub(crate) fn roots(oracle: &Oracle, number: u64, seed: &[u8; 16], trees: usize) -> Vec<Gf128> {
    let salt = u64::from_le_bytes(oracle.hash(number, &[b"roots"]));
    let mut roots = vec![Gf128::ZERO; trees];
    Prg::salted(*seed, salt).blocks(&mut roots);
    roots
}

/// Clears the least significant bit.
const EVEN: u128 = !1;

/// V's side: fills `nodes`, `2^h` of them, from the root `s`, and passes the sum of the left nodes of each
/// level, first to last, to `on_level`.
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
/// This accepts any sums, but gives correlations only if they are V's.
pub(crate) fn expand_punctured(aes: &Aes, path: u32, sums: &[Gf128], nodes: &mut [Gf128]) {
    debug_assert!(nodes.len() >= 2 && nodes.len() == 1 << sums.len());
    let Some((first, rest)) = sums.split_first() else { return };
    nodes[..2].fill(Gf128::ZERO);
    // The nodes on the path hold garbage that is in both sides' sums, so it cancels. The sibling's error is
    // the difference of its side's sum, and at the end all nodes except the path's leaf are right.
    let mut fix = Fix { index: (path & 1) ^ 1, value: *first };
    let mut total = *first;
    for (i, sum) in rest.iter().enumerate() {
        let level = i + 1;
        let left = aes.expand(&mut nodes[..2 << level], fix);
        // The sibling is a right node if the path goes left; the right nodes add up to the parents plus the
        // left nodes.
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
    use crate::SessionId;

    #[test]
    fn no_two_trees_rounds_uses_or_sessions_share_a_key() {
        let mut images = Vec::new();
        for session in 0..3 {
            let oracle = Oracle::new("trees", &SessionId::new([session; 32]));
            for (number, purpose) in [(0, "trees"), (1, "trees"), (0, "leaves")] {
                let keys = TreeKeys::new(&oracle, number, purpose);
                images.extend((0..100).map(|tree| {
                    let mut image = [Gf128::ZERO];
                    keys.of(tree).ctr(0, &mut image);
                    image[0].to_bits()
                }));
            }
        }
        let all = images.len();
        images.sort_unstable();
        images.dedup();
        assert_eq!(images.len(), all);
    }

    #[test]
    fn one_seed_gives_other_roots_in_another_round_or_session() {
        let oracles = [0, 1].map(|session| Oracle::new("trees", &SessionId::new([session; 32])));
        let all =
            [(0, 0), (0, 1), (1, 0)].map(|(session, number)| roots(&oracles[session], number, &[5; 16], 3));
        assert!((0..3).all(|i| all[0][i] != all[1][i] && all[0][i] != all[2][i]));
        assert!(all[0][0] != all[0][1] && all[0] == roots(&oracles[0], 0, &[5; 16], 3));
    }

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
