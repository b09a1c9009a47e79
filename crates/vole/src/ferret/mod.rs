//! Ferret: many random correlated OTs from few, by LPN with regular noise (ePrint 2020/924).
//!
//! After a round P holds bits `x_i` and tags `m_i`, and V keys `k_i`, with `k_i = m_i + x_i * delta` in
//! GF(2^128). `x_i` is the least significant bit of `m_i` (delta is odd, every key is even):
//!
//! ```text
//! k_i = sum over row i of A of K_j + v_i          K, M: 2^log_k correlations made earlier (the LPN secret)
//! m_i = sum over row i of A of M_j + w_i          w_i = v_i + e_i * delta, e: one 1 in each block of 2^h
//! ```
//!
//! A is a public local code ([`crate::lpn`]), a different one in each round. The correlations `(v, w)` of a
//! block are the leaves of a punctured tree ([`crate::pprf`]). P's path in each tree comes from the random
//! bits of `h` earlier correlations, so nothing has to be sent for it. A round has these messages:
//!
//! ```text
//! P                                                     V
//!                                     c_i = (sum of left nodes of level i) + K_i, for each level of each tree
//!                       <---------------------------------------------  FerretTrees
//! sums = c_i + M_i: those of the sides its path does not take
//! seed, x' = phi + X    --------------------------------------------->  FerretCheck
//!                       <---------------------------------------------  FerretVerdict: H(value)
//! aborts unless H is that of its own value
//! ```
//!
//! **P's seed** gives the check's coefficients and the code's key, by two hashes that bind session and
//! round. V learns it after the last of its messages that matters. So it can fit neither its trees to the
//! coefficients nor anything to the code. One seed is enough for both. In the random oracle model its
//! hashes are independent, and both protect P, which chooses the seed: the coefficients against wrong
//! trees, the code against a party that tries to learn `x`. [`Chain`](crate::correlations::Chain) explains
//! what P's freedom of choice means for proofs, and why challenges that are hashes need a chain. Since
//! each round has its own code, nobody can study it before, and what is found out about one round's code
//! does not help against another's.
//!
//! **The check** (Ferret, figure 7, batched over all trees) catches a V whose `c_i` are not those of any
//! tree, unless V guesses right. With coefficients `chi` that P draws after it holds all `c_i`,
//! `sum chi w = sum chi v + phi * delta` where `phi = sum over trees of chi at the path's leaf`. P sends
//! `phi` masked by 128 fresh correlations packed into one of the field (`Z = Y + X * delta`); V moves its sum
//! accordingly and shows a hash. The coefficient of leaf `i` in tree `j` is `s_j * t_i` with `t_i` the
//! product of `r_b` over the bits `b` that are set in `i`, all `s_j` and `r_b` uniform: any fixed non-zero
//! vector of errors is a non-zero polynomial of degree at most `h + 1` in them, so it vanishes with
//! probability at most `(h + 1) / 2^128` (Schwartz, Zippel), where Ferret's independent coefficients give
//! `1 / 2^128` but cost an AES block each. As in Ferret, a cheating V can make the check pass or fail
//! depending on a guess about P's paths; a wrong guess ends the session, so it learns one bit on average, and
//! the noise model allows for that. A cheating P learns whether a guess of delta was right; a wrong guess
//! does not end the session, so `q / 2^127` is added to every bound for `q` hash computations (delta's lowest
//! bit is fixed), and `q (h - 1) / 2^127` for `q` evaluations of AES, each of which tests the levels of one
//! tree (see [`crate::pprf`]).
//!
//! **Memory.** Leaves are never stored. A round keeps the table and, for each tree, its root (V) or `h` sums
//! and a path (P). A tree is expanded once for the check and once more when its block is read, each time in
//! the first-level cache.

mod params;
mod prover;
mod verifier;

pub use params::Params;
pub(crate) use prover::ProverRound;
pub(crate) use verifier::VerifierRound;

use volery_field::{Gf128, Wipe as _, gf128::Kernel};

use crate::hash::Oracle;
use crate::lpn::LpnCode;
use crate::pprf::TreeKeys;
use crate::transcript::SessionId;
use crate::{Error, Prg};

/// The number of correlations that mask `phi` in the check.
const CHECK_MASK: usize = 128;

/// The length of P's check and of V's answer, in bytes.
pub(crate) const CHECK_BYTES: usize = 32;
pub(crate) const VERDICT_BYTES: usize = 32;

/// The public randomness that both parties derive from the session and the parameters of a round.
pub(crate) struct Public {
    pub(crate) params: Params,
    number: u64,
    trees: TreeKeys,
    oracle: Oracle,
}

impl Public {
    /// The randomness of round `number` of `session`.
    pub(crate) fn new(session: &SessionId, number: u64, params: Params) -> Self {
        let oracle = Oracle::new("ferret", session);
        Self { params, number, trees: TreeKeys::new(&oracle, number, "trees"), oracle }
    }

    /// The values derived from P's seed: the check's coefficients and the round's code.
    fn challenge(&self, seed: &[u8; 16]) -> (Coefficients, LpnCode) {
        let hash = |label: &[u8]| self.oracle.hash(self.number, &[label, seed]);
        let code = LpnCode::new(hash(b"matrix"), self.params.log_k);
        (Coefficients::expand(&self.params, hash(b"coefficients")), code)
    }

    /// The hash of a check value, bound to session and round.
    fn verdict(&self, value: Gf128) -> [u8; VERDICT_BYTES] {
        self.oracle.hash(self.number, &[b"check", &value.to_bits().to_le_bytes()])
    }
}

/// The error of reading a round before P's seed is known.
fn unread() -> Error {
    Error::misuse("a round read before its check")
}

/// The LPN table and the other correlations that a round starts from.
struct Base {
    /// `2^log_k` correlations.
    table: Vec<Gf128>,
    /// `trees * h` correlations for the paths.
    paths: Vec<Gf128>,
    /// [`CHECK_MASK`] correlations, packed: `sum a_i X^i`.
    mask: Gf128,
    /// Their bits, packed in the same way; zero at V, whose keys are even.
    mask_bits: Gf128,
}

impl Base {
    /// Splits `correlations` into these parts.
    fn split(params: &Params, mut correlations: zeroize::Zeroizing<Vec<Gf128>>) -> Result<Self, Error> {
        if correlations.len() != params.base_len() {
            return Err(Error::misuse(format!(
                "a round starts from {} correlations, not {}",
                params.base_len(),
                correlations.len()
            )));
        }
        let paths = correlations[params.table_len()..][..params.paths_len()].to_vec();
        let Some(last) = correlations.last_chunk() else {
            return Err(Error::misuse("a base without a mask"));
        };
        let (mask, mask_bits) = (pack(last), pack_bits(last));
        correlations.truncate(params.table_len());
        Ok(Self { table: core::mem::take(&mut correlations), paths, mask, mask_bits })
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        use zeroize::Zeroize;
        let Self { table, paths, mask, mask_bits } = self;
        table.wipe();
        paths.zeroize();
        mask.zeroize();
        mask_bits.zeroize();
    }
}

/// P's path in each tree of height `height`, from the tags of random bits. The path takes the side whose sum
/// P will not learn, which is the complement of the bit.
pub(crate) fn paths_of(tags: &[Gf128], height: usize) -> Vec<u32> {
    let path =
        |tags: &[Gf128]| tags.iter().rev().fold(0, |path, tag| path << 1 | (tag.to_bits() as u32 & 1 ^ 1));
    tags.chunks_exact(height.max(1)).map(path).collect()
}

/// `sum a_i X^i`: packs 128 correlations into one over the field.
#[must_use]
pub fn pack(a: &[Gf128; 128]) -> Gf128 {
    // The kernel accepts up to 128 elements, so it never fails; if it did, the formula itself would be used.
    Kernel::detect().pack(a).unwrap_or_else(|_| a.iter().rev().fold(Gf128::ZERO, |sum, a| sum.mul_x() + *a))
}

/// `sum b_i X^i` for the least significant bits `b_i` of 128 elements.
#[must_use]
pub fn pack_bits(a: &[Gf128; 128]) -> Gf128 {
    Gf128::from_bits(a.iter().rev().fold(0, |bits, a| bits << 1 | (a.to_bits() & 1)))
}

/// The coefficients of the check; see the module's documentation.
struct Coefficients {
    /// `r_b` for each bit of a leaf's number.
    bits: Vec<Gf128>,
    /// `t_i` for each leaf.
    leaves: Vec<Gf128>,
    /// `s_j` for each tree.
    trees: Vec<Gf128>,
}

impl Coefficients {
    fn expand(params: &Params, seed: [u8; 16]) -> Self {
        let mut prg = Prg::new(seed);
        let mut bits = vec![Gf128::ZERO; params.log_block as usize];
        let mut trees = vec![Gf128::ZERO; params.trees as usize];
        prg.blocks(&mut bits);
        prg.blocks(&mut trees);
        let mut leaves = Vec::with_capacity(params.block_len());
        leaves.push(Gf128::ONE);
        for r in &bits {
            for i in 0..leaves.len() {
                leaves.push(leaves[i] * *r);
            }
        }
        Self { bits, leaves, trees }
    }

    /// `t_i` for a secret `i`, without an access that depends on it.
    fn at(&self, path: u32) -> Gf128 {
        self.bits.iter().enumerate().fold(Gf128::ONE, |product, (b, r)| {
            let mask = u128::from((path >> b) & 1).wrapping_neg();
            product * Gf128::from_bits((r.to_bits() & mask) | (1 & !mask))
        })
    }

    /// `sum t_i * leaf_i`.
    fn combine(&self, leaves: &[Gf128]) -> Result<Gf128, Error> {
        Kernel::detect().inner_product(&self.leaves, leaves).map_err(|error| Error::misuse(error.to_string()))
    }
}

#[cfg(test)]
// A tap may change the length of a message, so it takes the vector even if it flips only one bit.
#[allow(clippy::ptr_arg)]
mod tests;
