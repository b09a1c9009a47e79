//! P's side of a round: it knows every tree except for one path.

use volery_channel::{Channel, tags};
use volery_field::Gf128;
use zeroize::{Zeroize, Zeroizing};

use super::verifier::same_hash;
use super::{Base, CHECK_BYTES, Params, Public, VERDICT_BYTES, paths_of, unread};
use crate::Error;
use crate::lpn::LpnCode;
use crate::pprf::expand_punctured;

/// One round at P. It is made, checked, and then read block by block.
pub struct ProverRound {
    public: Public,
    base: Base,
    /// For each tree the path to the leaf that it does not know: the noise.
    paths: Vec<u32>,
    /// For each tree and level, the sum of the side that the path does not take; empty until V's message
    /// arrives.
    sums: Vec<Gf128>,
    /// `None` until P has chosen it, in the check.
    code: Option<LpnCode>,
    /// The hash that V must show; `None` until the check is sent.
    expected: Option<[u8; 32]>,
}

impl ProverRound {
    /// Starts a round from `correlations`.
    pub(crate) fn open(public: Public, correlations: Zeroizing<Vec<Gf128>>) -> Result<Self, Error> {
        let base = Base::split(&public.params, correlations)?;
        let height = public.params.log_block as usize;
        let paths = paths_of(&base.paths, height);
        Ok(Self { public, base, paths, sums: Vec::new(), code: None, expected: None })
    }

    /// Receives the trees and sends the check. The check's coefficients and the round's code come from
    /// `seed`, which is fresh and so far unknown to V.
    pub(crate) fn check(&mut self, seed: [u8; 16], channel: &mut dyn Channel) -> Result<(), Error> {
        let message = channel.recv(tags::FERRET_TREES, self.public.params.trees_bytes())?;
        if message.len() != self.public.params.trees_bytes() {
            let reason = format!("{} bytes, not {}", message.len(), self.public.params.trees_bytes());
            return Err(Error::malformed(tags::FERRET_TREES, reason));
        }
        self.sums = (message.as_chunks().0.iter().zip(&self.base.paths))
            .map(|(c, tag)| Gf128::from_bits(u128::from_le_bytes(*c)) + *tag)
            .collect();

        let (coefficients, code) = self.public.challenge(&seed);
        self.code = Some(code);
        let mut leaves = Zeroizing::new(vec![Gf128::ZERO; self.public.params.block_len()]);
        let mut value = self.base.mask;
        let mut phi = Gf128::ZERO;
        for (tree, s) in coefficients.trees.iter().enumerate() {
            self.leaves(tree, &mut leaves);
            value += coefficients.combine(&leaves)? * *s;
            phi += coefficients.at(self.paths[tree]) * *s;
        }
        self.expected = Some(self.public.verdict(value));
        let mut check = [0; CHECK_BYTES];
        check[..16].copy_from_slice(&seed);
        check[16..].copy_from_slice(&(phi + self.base.mask_bits).to_bits().to_le_bytes());
        channel.send(tags::FERRET_CHECK, &check)?;
        // Flush: V waits for this, and P may send and receive nothing for a while.
        Ok(channel.flush()?)
    }

    /// Receives V's answer. After this the round may be read.
    pub(crate) fn verdict(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let mut shown = [0; VERDICT_BYTES];
        channel.recv_exact(tags::FERRET_VERDICT, &mut shown)?;
        match self.expected.take() {
            Some(expected) if same_hash(&expected, &shown) => Ok(()),
            Some(_) => Err(Error::cheat(tags::FERRET_VERDICT, "the check of the punctured trees")),
            None => Err(Error::misuse("a round's verdict before its check")),
        }
    }

    fn leaves(&self, tree: usize, leaves: &mut [Gf128]) {
        let height = self.public.params.log_block as usize;
        let sums = &self.sums[tree * height..][..height];
        expand_punctured(&self.public.trees.of(tree), self.paths[tree], sums, leaves);
    }

    /// This round's size.
    pub(crate) fn params(&self) -> Params {
        self.public.params
    }

    /// The tags of block `tree` (below the number of trees): `2^h` of them, including their bits.
    ///
    /// # Errors
    /// [`Error::Misuse`] before the check.
    pub(crate) fn block(&self, tree: usize, out: &mut [Gf128]) -> Result<(), Error> {
        let code = self.code.as_ref().ok_or_else(unread)?;
        self.leaves(tree, out);
        code.add_rows((tree * out.len()) as u64, &self.base.table, out);
        Ok(())
    }
}

impl Drop for ProverRound {
    fn drop(&mut self) {
        // `base` wipes itself; the code is public.
        let Self { public: _, base: _, paths, sums, code: _, expected } = self;
        paths.zeroize();
        sums.zeroize();
        expected.zeroize();
    }
}
