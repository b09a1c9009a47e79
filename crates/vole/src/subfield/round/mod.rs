//! One round: many correlations from few, by LPN over `F` with regular noise (Wolverine, ePrint 2020/925,
//! sections 4 and 5).
//!
//! ```text
//! k_i = sum over row i of A of K_j + v_i          K; (X, M): 2^log_k correlations made earlier (the LPN secret)
//! m_i = sum over row i of A of M_j + w_i
//! x_i = sum over row i of A of X_j + e_i          v_i = w_i + e_i * delta, e: one random value in each block of 2^h
//! ```
//!
//! A is the public local code of [`crate::lpn`], a different one in each round. **Single-point VOLE**: the
//! trees are those of random COT ([`crate::pprf`]) under V's *binary* delta, with one level less, and P's
//! path in each comes from the bits of `h` random COTs. The last level (see `leaves`) hashes each node to two
//! elements of M, so V has `v_j` for all `2^h` leaves. P learns the sum of the side that its path does not
//! take, and with it all values except `v` at the path's leaf. The noise value is an earlier correlation,
//! `k = m + e * delta`; V sends `d = k - sum_j v_j`, so P gets the missing tag
//! `w = m - d - sum of the others = v - e * delta`.
//!
//! ```text
//! P                                                     V
//!                       <---------------------------------------------  SubfieldTrees: sums of each level, of the last level's sides, d
//! seed, x', commitment to its value  -------------------------------->  SubfieldCheck
//!                       <---------------------------------------------  SubfieldAnswer: V's value
//! aborts unless the values are equal; opens  ------------------------>  SubfieldOpening: aborts unless it opens to V's value
//! ```
//!
//! **The check** (Wolverine, figure 7): with coefficients `chi` that P draws after it holds V's message,
//! `sum chi v = sum chi w + delta * sum chi e`. P sends `x' = sum chi e - x*`, masked by a correlation over M
//! (packed from `r` fresh ones); V's value is `sum chi v - (k* + x' delta)`, P's `sum chi w - m*`. The
//! coefficient of leaf `i` in tree `j` is `s_j t_i` with `t_i` the product of `r_b` over the bits set in `i`:
//! wrong leaves pass with probability at most `(h + 2) / p^r`.
//!
//! P's seed also determines the key of A, as in `ferret` and for the same reasons.
//!
//! *A cheating V* can make the check depend on guesses about P's paths, as in Ferret (LPN with static
//! leakage), and a wrong guess ends the session. *A cheating P* may send another `x'`. V's value then tells
//! it delta, but P committed to its own value before, so V sees no valid opening and destroys everything
//! under delta. P's messages depend on its paths only through masked values.

mod leaves;
mod prover;
#[cfg(test)]
mod tests;
mod verifier;

pub(super) use prover::{CheckRandomness, ProverRound};
pub(super) use verifier::VerifierRound;

use leaves::LastLevel;
use volery_field::{Element, Mac, Value};
use zeroize::Zeroizing;

use super::base::push;
use crate::ferret::Params;
use crate::hash::Oracle;
use crate::lpn::LpnCode;
use crate::pprf::TreeKeys;
use crate::transcript::SessionId;
use crate::{Error, Prg};

/// The number of correlations over `F` that a round of this size starts from.
pub(super) fn base_len<F: Value, M: Mac<F>>(params: &Params) -> usize {
    params.table_len() + params.trees as usize + M::DEGREE
}

/// The bytes that V sends for the levels of one tree above the last.
const fn levels_bytes(params: &Params) -> usize {
    16 * (params.log_block as usize - 1)
}

/// The number of elements that V sends for one tree: the sums of both sides of the last level, and `d`.
const SUMS: usize = 3;

/// The bytes that V sends for all trees.
pub(super) fn trees_bytes<M: Element>(params: &Params) -> usize {
    params.trees as usize * (levels_bytes(params) + SUMS * M::BYTES)
}

/// The public randomness that both parties derive from the session and the parameters of a round.
pub(super) struct Public {
    params: Params,
    number: u64,
    trees: TreeKeys,
    leaves: LastLevel,
    oracle: Oracle,
}

impl Public {
    /// The randomness of round `number` of `session`, over fields with these names.
    pub(super) fn new<F: Value, M: Mac<F>>(session: &SessionId, number: u64, params: Params) -> Self {
        let oracle = Oracle::new(&format!("subfield: {} in {}", F::NAME, M::NAME), session);
        let trees = TreeKeys::new(&oracle, number, "trees");
        let leaves = LastLevel::new::<M>(&oracle, number);
        Self { params, number, trees, leaves, oracle }
    }

    fn height(&self) -> usize {
        self.params.log_block as usize
    }

    /// The values derived from P's seed: the check's coefficients and the round's code.
    fn challenge<M: Element>(&self, seed: &[u8; SEED]) -> (Coefficients<M>, LpnCode) {
        let hash = |label: &[u8]| self.oracle.hash(self.number, &[label, seed]);
        let code = LpnCode::new(hash(b"matrix"), self.params.log_k);
        (Coefficients::expand(&self.params, hash(b"coefficients")), code)
    }

    /// P's commitment: to its value, under a nonce.
    fn commitment<M: Element>(&self, nonce: &[u8; NONCE], value: M) -> Result<[u8; DIGEST], Error> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(M::BYTES));
        push(&mut bytes, value)?;
        Ok(self.oracle.hash(self.number, &[b"commitment", nonce, &bytes]))
    }
}

/// The error of reading a round before P's seed is known.
fn unread() -> Error {
    Error::misuse("a round read before its check")
}

pub(super) const NONCE: usize = 32;
const DIGEST: usize = 32;
const SEED: usize = 16;

/// The bytes of P's check: its seed, its share of the sum and its commitment.
pub(super) const fn check_bytes<M: Element>() -> usize {
    SEED + M::BYTES + DIGEST
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
