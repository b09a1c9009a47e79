//! The last level of a tree: from blocks to elements of the MAC field.
//!
//! A node `s` above it has two children, elements made from `H(s)`, which is cut in two if half a block is
//! enough for an element ([`Element::pair_from_blocks`]). `H` uses keys of its own here, one for each tree
//! and block, which breaks the correlation of the levels above (half-trees, ePrint 2022/1431, section 5.3).
//! An evaluation under such a key tests one value of delta. As in [`crate::pprf`], child `j` and child
//! `j + 2^(h-1)` are those of node `j`.
//!
//! The sums of the two sides `S_0, S_1` are elements and not correlated, so this level is an ordinary OT. V
//! sends `S_0 - R(k)` and `S_1 - R(k + delta)`, with `k` its key of the path's last random bit. P's tag is
//! `k + delta` if its path goes left and `k` if it goes right, so P can unmask only the sum of the other
//! side.

use std::sync::{Mutex, PoisonError};

use volery_field::{Element, Gf128, Wipe as _, Wiped};
use zeroize::Zeroizing;

use crate::ferret::Params;
use crate::hash::Oracle;
use crate::pprf::TreeKeys;

/// The keys that derive the last level of a round's trees.
pub(super) struct LastLevel {
    /// The keys, [`blocks`](Self::blocks) for each tree.
    keys: TreeKeys,
    /// The number of blocks that two elements take.
    blocks: usize,
    oracle: Oracle,
    number: u64,
}

impl LastLevel {
    pub(super) fn new<M: Element>(oracle: &Oracle, number: u64) -> Self {
        let keys = TreeKeys::new(oracle, number, "leaves");
        Self { keys, blocks: M::BLOCKS_OF_PAIR, oracle: oracle.clone(), number }
    }

    /// Computes the children of all nodes of tree `tree`, and consumes the nodes.
    pub(super) fn expand<M: Element>(&self, tree: usize, scratch: &mut Scratch, out: &mut [M]) {
        let Scratch { nodes, hashes } = scratch;
        let (left, right) = out.split_at_mut(nodes.len());
        let blocks = self.blocks;
        let aes = |block| self.keys.of(tree * blocks + block);
        if blocks == 1 {
            aes(0).hash(nodes);
            M::pairs_from_blocks(nodes, left, right);
            return;
        }
        hashes.resize(nodes.len() * blocks, Gf128::ZERO);
        for (block, hashes) in hashes.chunks_exact_mut(nodes.len()).enumerate() {
            hashes.copy_from_slice(nodes);
            aes(block).hash(hashes);
        }
        let mut words = Zeroizing::new([0; 8]);
        for (i, (left, right)) in left.iter_mut().zip(right).enumerate() {
            for (b, word) in words[..blocks].iter_mut().enumerate() {
                *word = hashes[b * nodes.len() + i].to_bits();
            }
            [*left, *right] = M::pair_from_blocks(&words[..blocks]);
        }
    }

    /// `R`: the mask of a side's sum of tree `tree` under a key or tag of the path's last bit.
    pub(super) fn mask<M: Element>(&self, tree: usize, tag: Gf128) -> M {
        let tag = Zeroizing::new(tag.to_bits().to_le_bytes());
        let parts: [&[u8]; 3] = [b"last level", &(tree as u64).to_le_bytes(), &*tag];
        let bytes = Zeroizing::new(self.oracle.hash::<64>(self.number, &parts));
        let words =
            Zeroizing::new(bytes.as_chunks().0.iter().map(|w| u128::from_le_bytes(*w)).collect::<Vec<_>>());
        M::from_blocks(&words[..M::BLOCKS.min(words.len())])
    }
}

/// The sums of the two sides of a last level.
pub(super) fn side_sums<M: Element>(values: &[M]) -> [M; 2] {
    let (left, right) = values.split_at(values.len() / 2);
    [left, right].map(M::total)
}

/// Buffers for one tree; wiped on drop.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) nodes: Vec<Gf128>,
    hashes: Vec<Gf128>,
}

impl Scratch {
    /// Buffers for the nodes of a tree above its last level.
    pub(super) fn new(params: &Params) -> Self {
        Self { nodes: vec![Gf128::ZERO; params.block_len() / 2], hashes: Vec::new() }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.nodes.wipe();
        self.hashes.wipe();
    }
}

/// The values of all leaves of a round, block after block. They are kept if they are few enough, and
/// otherwise computed again for each use.
pub(super) struct Leaves<M: Copy + Default> {
    kept: Vec<M>,
    keep: bool,
    /// Unused buffers.
    spare: Mutex<Vec<(Scratch, Wiped<M>)>>,
}

/// The most bytes of values that a round keeps. Larger sets take longer to compute again, but reading back
/// more than this would push the table out of the caches.
const KEPT: usize = 16 << 20;

impl<M: Element> Leaves<M> {
    pub(super) fn new(params: &Params) -> Self {
        let keep = params.outputs() * size_of::<M>() <= KEPT;
        let kept = Vec::with_capacity(if keep { params.outputs() } else { 0 });
        Self { kept, keep, spare: Mutex::default() }
    }

    /// Passes the values of block `tree` to `take`. If they are not kept, `make` computes them.
    pub(super) fn with<T>(
        &self,
        tree: usize,
        params: &Params,
        make: impl FnOnce(&mut Scratch, &mut [M]),
        take: impl FnOnce(&[M]) -> T,
    ) -> T {
        let n = params.block_len();
        if let Some(values) = self.kept.get(tree * n..(tree + 1) * n) {
            return take(values);
        }
        // It only holds buffers, so it does not matter whether the lock is poisoned.
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut scratch, mut values) =
            spare.pop().unwrap_or_else(|| (Scratch::new(params), Wiped::new(vec![M::ZERO; n])));
        drop(spare);
        make(&mut scratch, &mut values);
        let result = take(&values);
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push((scratch, values));
        result
    }

    /// Keeps the values of the next block.
    pub(super) fn keep(&mut self, values: &[M]) {
        if self.keep {
            self.kept.extend_from_slice(values);
        }
    }
}

impl<M: Copy + Default> Drop for Leaves<M> {
    fn drop(&mut self) {
        self.kept.wipe();
    }
}
