//! One round: many correlations from few, by LPN over `F` with regular noise (Wolverine, ePrint 2020/925, sections 4 and 5).
//!
//! ```text
//! k_i = sum over row i of A of K_j + v_i          K; (X, M): 2^log_k correlations made earlier (the LPN secret)
//! m_i = sum over row i of A of M_j + w_i
//! x_i = sum over row i of A of X_j + e_i          v_i = w_i + e_i * delta, e: one random value in each block of 2^h
//! ```
//!
//! A is the public local code of [`crate::lpn`]. **Single-point VOLE**: the trees are those of random COT ([`crate::pprf`]) under V's
//! *binary* delta, and P's path in each is given by the bits of `h` random COTs. A hash `H` of each leaf, under another key
//! than the tree's, breaks the correlation (half-trees, ePrint 2022/1431, section 5.3): V has `v_j = H(leaf_j)` for all
//! leaves, P for all but the one its path leads to, of which it knows leaf plus binary delta. The noise value is an earlier
//! correlation, `k = m + e * delta`; V sends `d = k - sum_j v_j`, so P gets the missing tag `w = m - d - sum of the others = v - e * delta`.
//!
//! ```text
//! P                                                     V
//!                       <---------------------------------------------  SubfieldTrees: sums of each level, d of each tree
//! seed, x', commitment to its value  -------------------------------->  SubfieldCheck
//!                       <---------------------------------------------  SubfieldAnswer: V's value
//! aborts unless the values are equal; opens  ------------------------>  SubfieldOpening: aborts unless it opens to V's value
//! ```
//!
//! **The check** (Wolverine, figure 7): with coefficients `chi` that P draws after it holds V's message,
//! `sum chi v = sum chi w + delta * sum chi e`. P sends `x' = sum chi e - x*`, masked by a correlation over M (packed from `r`
//! fresh ones); V's value is `sum chi v - (k* + x' delta)`, P's `sum chi w - m*`. The coefficient of leaf `i` in tree `j` is `s_j t_i`
//! with `t_i` the product of `r_b` over the bits set in `i`: wrong leaves pass with probability at most `(h + 2) / p^r`.
//!
//! *A cheating V* makes the check depend on guesses about P's paths, as in Ferret (LPN with static leakage), and a wrong guess
//! ends the session. *A cheating P* may send another `x'`; then V's value tells it delta, but it committed to its own
//! before, so V sees no opening and destroys everything under delta. P's messages depend on its paths only through
//! masked values.

mod prover;
mod verifier;

pub(super) use prover::{CheckRandomness, ProverRound};
pub(super) use verifier::VerifierRound;

use std::sync::{Mutex, PoisonError};

use volery_field::{Element, Gf128, Mac, Value};
use zeroize::{Zeroize, Zeroizing};

use super::base::push;
use crate::aes::Aes;
use crate::ferret::Params;
use crate::hash::Oracle;
use crate::lpn::LpnCode;
use crate::transcript::SessionId;
use crate::{Error, Prg};

/// Correlations over `F` that a round of this size starts from.
pub(super) fn base_len<F: Value, M: Mac<F>>(params: &Params) -> usize {
    params.table_len() + params.trees as usize + M::DEGREE
}

/// Bytes that V sends for the trees.
fn trees_bytes<F: Value, M: Mac<F>>(params: &Params) -> usize {
    params.trees_bytes() + params.trees as usize * M::BYTES
}

/// What both parties derive from the session and the parameters of a round.
pub(super) struct Public {
    params: Params,
    number: u64,
    code: LpnCode,
    trees: Aes,
    leaves: Vec<Aes>,
    oracle: Oracle,
}

impl Public {
    /// For round `number` of `session` over fields of these names.
    pub(super) fn new<F: Value, M: Mac<F>>(session: &SessionId, number: u64, params: Params) -> Self {
        let oracle = Oracle::new(&format!("subfield: {} in {}", F::NAME, M::NAME), session);
        let trees = Aes::new(oracle.hash(0, &[b"trees"]));
        let leaves = (0..M::BLOCKS as u64).map(|i| Aes::new(oracle.hash(i, &[b"leaves"]))).collect();
        Self { params, number, code: LpnCode::of_dimension(params.log_k), trees, leaves, oracle }
    }

    fn height(&self) -> usize {
        self.params.log_block as usize
    }

    /// `H` of every leaf.
    fn hash_leaves<M: Element>(&self, scratch: &mut Scratch, out: &mut [M]) {
        let Scratch { leaves, hashes } = scratch;
        if let [aes] = &self.leaves[..] {
            aes.hash(leaves);
            for (out, h) in out.iter_mut().zip(leaves.iter()) {
                *out = M::from_blocks(&[h.to_bits()]);
            }
            return;
        }
        // One hash for each block that an element takes.
        let blocks = self.leaves.len();
        hashes.resize(leaves.len() * blocks, Gf128::ZERO);
        for (aes, hashes) in self.leaves.iter().zip(hashes.chunks_exact_mut(leaves.len())) {
            hashes.copy_from_slice(leaves);
            aes.hash(hashes);
        }
        let mut words = Zeroizing::new([0; 8]);
        for (i, out) in out.iter_mut().enumerate() {
            for (b, word) in words[..blocks].iter_mut().enumerate() {
                *word = hashes[b * leaves.len() + i].to_bits();
            }
            *out = M::from_blocks(&words[..blocks]);
        }
    }

    /// What P commits to: its value under a nonce.
    fn commitment<M: Element>(&self, nonce: &[u8; NONCE], value: M) -> Result<[u8; DIGEST], Error> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(M::BYTES));
        push(&mut bytes, value)?;
        Ok(self.oracle.hash(self.number, &[b"commitment", nonce, &bytes]))
    }
}

const NONCE: usize = 32;
const DIGEST: usize = 32;
const SEED: usize = 16;

/// Room for a tree; wiped on drop.
#[derive(Default)]
struct Scratch {
    leaves: Vec<Gf128>,
    hashes: Vec<Gf128>,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.leaves.zeroize();
        self.hashes.zeroize();
    }
}

/// The values of all leaves of a round, block after block: kept if they are few enough, else made again for each use.
struct Leaves<M: Zeroize> {
    kept: Vec<M>,
    keep: bool,
    /// Room that is not in use.
    spare: Mutex<Vec<(Scratch, Zeroizing<Vec<M>>)>>,
}

/// Values that a round keeps at most. Making them again takes longer the longer they are, and reading back more than this
/// pushes the table out of the caches.
const KEPT: usize = 1 << 20;

impl<M: Element> Leaves<M> {
    fn new(params: &Params) -> Self {
        let keep = params.outputs() <= KEPT;
        let kept = Vec::with_capacity(if keep { params.outputs() } else { 0 });
        Self { kept, keep, spare: Mutex::default() }
    }

    /// Hands the values of block `tree` to `take`; `make` makes them if they are not kept.
    fn with<T>(
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
        // Poisoned or not, what is in there is only room.
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut scratch, mut values) = spare.pop().unwrap_or_default();
        drop(spare);
        scratch.leaves.resize(n, Gf128::ZERO);
        values.resize(n, M::ZERO);
        make(&mut scratch, &mut values);
        let result = take(&values);
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).push((scratch, values));
        result
    }

    /// Keeps the values of the next block.
    fn keep(&mut self, values: &[M]) {
        if self.keep {
            self.kept.extend_from_slice(values);
        }
    }
}

impl<M: Zeroize> Drop for Leaves<M> {
    fn drop(&mut self) {
        self.kept.zeroize();
    }
}

/// The coefficients of the check.
struct Coefficients<M> {
    /// `r_b` for each bit of a leaf's number.
    bits: Vec<M>,
    /// `t_i` for each leaf.
    leaves: Vec<M>,
    /// `s_j` for each tree.
    trees: Vec<M>,
}

impl<M: Element> Coefficients<M> {
    fn expand(params: &Params, seed: [u8; SEED]) -> Self {
        let mut prg = Prg::new(seed);
        let mut draw = |n: usize| {
            let mut out = vec![M::ZERO; n];
            prg.coefficients(&mut out);
            out
        };
        let (bits, trees): (Vec<M>, Vec<M>) = (draw(params.log_block as usize), draw(params.trees as usize));
        let mut leaves = Vec::with_capacity(params.block_len());
        leaves.push(M::ONE);
        for r in &bits {
            for i in 0..leaves.len() {
                leaves.push(leaves[i] * *r);
            }
        }
        Self { bits, leaves, trees }
    }

    /// `t_i` for a secret `i`, without an access that depends on it.
    fn at(&self, path: u32) -> M {
        self.bits.iter().enumerate().fold(M::ONE, |product, (b, r)| {
            let mask = u64::from((path >> b) & 1).wrapping_neg();
            product * (r.masked(mask) + M::ONE.masked(!mask))
        })
    }
}
