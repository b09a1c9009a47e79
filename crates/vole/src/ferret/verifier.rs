//! V's side of a round: it knows delta and every tree.

use subtle::ConstantTimeEq as _;
use volery_channel::{Channel, tags};
use volery_field::Gf128;
use zeroize::{Zeroize, Zeroizing};

use super::{Base, CHECK_BYTES, Params, Public, unread};
use crate::Error;
use crate::delta::Delta;
use crate::lpn::LpnCode;
use crate::pprf::{self, expand_full};

/// One round at V. It is made, checked, and then read block by block.
pub struct VerifierRound {
    public: Public,
    base: Base,
    delta: Delta,
    roots: Vec<Gf128>,
    /// `None` until P's check determines it.
    code: Option<LpnCode>,
}

impl VerifierRound {
    /// Starts a round from `correlations` and sends the trees' sums; `seed` must be fresh.
    pub(crate) fn open(
        public: Public,
        delta: &Delta,
        seed: Zeroizing<[u8; 16]>,
        correlations: Zeroizing<Vec<Gf128>>,
        channel: &mut dyn Channel,
    ) -> Result<Self, Error> {
        let base = Base::split(&public.params, correlations)?;
        let roots = pprf::roots(&public.oracle, public.number, &seed, public.params.trees as usize);
        let round = Self { public, base, delta: delta.duplicate(), roots, code: None };
        channel.send(tags::FERRET_TREES, &round.sums())?;
        Ok(round)
    }

    /// `c_i` of every level of every tree, as sent.
    fn sums(&self) -> Vec<u8> {
        let params = &self.public.params;
        let height = params.log_block as usize;
        let mut message = Vec::with_capacity(params.trees_bytes());
        let mut leaves = Zeroizing::new(vec![Gf128::ZERO; params.block_len()]);
        let keys = self.base.paths.chunks_exact(height);
        for (tree, (root, keys)) in self.roots.iter().zip(keys).enumerate() {
            let aes = self.public.trees.of(tree);
            expand_full(&aes, *root, self.delta.expose(), &mut leaves, |level, sum| {
                message.extend_from_slice(&(sum + keys[level]).to_bits().to_le_bytes());
            });
        }
        message
    }

    /// Answers P's check.
    pub(crate) fn answer(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let mut message = [0; CHECK_BYTES];
        channel.recv_exact(tags::FERRET_CHECK, &mut message)?;
        let (seed, masked) = message.split_at(16);
        let (coefficients, code) = self.public.challenge(&seed.try_into().unwrap_or_default());
        self.code = Some(code);
        let masked = Gf128::from_bits(u128::from_le_bytes(masked.try_into().unwrap_or_default()));
        let mut leaves = Zeroizing::new(vec![Gf128::ZERO; self.public.params.block_len()]);
        let mut value = self.base.mask + masked * self.delta.expose();
        for (tree, s) in coefficients.trees.iter().enumerate() {
            self.leaves(tree, &mut leaves);
            value += coefficients.combine(&leaves)? * *s;
        }
        channel.send(tags::FERRET_VERDICT, &self.public.verdict(value))?;
        Ok(channel.flush()?)
    }

    fn leaves(&self, tree: usize, leaves: &mut [Gf128]) {
        expand_full(&self.public.trees.of(tree), self.roots[tree], self.delta.expose(), leaves, |_, _| {});
    }

    /// For tests of cheating verifiers.
    #[cfg(test)]
    pub(super) fn set_delta(&mut self, delta: Delta) {
        self.delta = delta;
    }

    /// For tests of cheating verifiers.
    #[cfg(test)]
    pub(super) fn set_root(&mut self, tree: usize, root: Gf128) {
        self.roots[tree] = root;
    }

    /// This round's size.
    pub(crate) fn params(&self) -> Params {
        self.public.params
    }

    /// The keys of block `tree` (below the number of trees): `2^h` of them.
    ///
    /// # Errors
    /// [`Error::Misuse`] before P's check has arrived.
    pub(crate) fn block(&self, tree: usize, out: &mut [Gf128]) -> Result<(), Error> {
        let code = self.code.as_ref().ok_or_else(unread)?;
        self.leaves(tree, out);
        code.add_rows((tree * out.len()) as u64, &self.base.table, out);
        Ok(())
    }
}

impl Drop for VerifierRound {
    fn drop(&mut self) {
        // `base` and `delta` wipe themselves.
        let Self { public: _, base: _, delta: _, roots, code: _ } = self;
        roots.zeroize();
    }
}

/// Compares hashes in constant time: both come from secrets until they are shown.
pub(super) fn same_hash(a: &[u8; 32], b: &[u8; 32]) -> bool {
    bool::from(a.ct_eq(b))
}
