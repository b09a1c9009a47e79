//! P's side of a round.

use volery_channel::{Channel, tags};
use volery_field::{Authenticated, Gf128, Mac, Value, Wipe as _, equal};
use zeroize::{Zeroize, Zeroizing};

use super::super::base::push;
use super::leaves::{Leaves, Scratch, side_sums};
use super::{NONCE, Public, SEED, SUMS, base_len, check_bytes, levels_bytes, trees_bytes, unread};
use crate::Error;
use crate::ferret::{Params, paths_of};
use crate::lpn::LpnCode;
use crate::pprf::expand_punctured;

/// One round at P. It is made, checked, and then read block by block.
pub struct ProverRound<F: Copy + Default + Zeroize, M: Copy + Default + Zeroize> {
    public: Public,
    table: Vec<Authenticated<F, M>>,
    /// The noise value of each tree.
    noise: Vec<Authenticated<F, M>>,
    /// The correlation over M that masks the check: value and tag.
    mask: [M; 2],
    bits: Vec<Gf128>,
    /// For each tree, the leaf that P does not know.
    paths: Vec<u32>,
    /// For each tree and level above the last, the sum of the side that the path does not take.
    sums: Vec<Gf128>,
    /// For each tree, the values to add to the two leaves below the path's last node, left and right.
    missing: Vec<[M; 2]>,
    /// The tags of the leaves, including those at the paths.
    leaves: Leaves<M>,
    /// `None` until P has chosen it, in the check.
    code: Option<LpnCode>,
    /// P's value of the check and the nonce of its commitment, until the verdict.
    committed: Option<(M, [u8; NONCE])>,
}

/// Fresh randomness for P's check: the check's coefficients and the round's code come from it, and it hides
/// P's commitment.
pub(in crate::subfield) struct CheckRandomness {
    pub(in crate::subfield) seed: [u8; SEED],
    pub(in crate::subfield) nonce: [u8; NONCE],
}

impl<F: Value, M: Mac<F>> ProverRound<F, M> {
    /// Starts a round from correlations and, for the paths, from tags of random bits.
    pub(in crate::subfield) fn open(
        public: Public,
        mut base: Zeroizing<Vec<Authenticated<F, M>>>,
        bits: Vec<Gf128>,
    ) -> Result<Self, Error> {
        let params = public.params;
        if base.len() != base_len::<F, M>(&params) || bits.len() != params.paths_len() {
            return Err(Error::misuse(format!(
                "a round from {} correlations, {} bits",
                base.len(),
                bits.len()
            )));
        }
        let (rest, masks) = base.split_at(base.len() - M::DEGREE);
        let noise = rest[params.table_len()..].to_vec();
        let mask = [
            M::pack(&Zeroizing::new(Vec::from_iter(masks.iter().map(|a| M::embed(a.x))))),
            M::pack(&Zeroizing::new(Vec::from_iter(masks.iter().map(|a| a.m)))),
        ];
        base[params.table_len()..].iter_mut().for_each(Zeroize::zeroize);
        base.truncate(params.table_len());
        let paths = paths_of(&bits, public.height());
        let table = core::mem::take(&mut *base);
        let leaves = Leaves::new(&params);
        let (sums, missing) = (Vec::new(), Vec::new());
        Ok(Self {
            public,
            table,
            noise,
            mask,
            bits,
            paths,
            sums,
            missing,
            leaves,
            code: None,
            committed: None,
        })
    }

    /// Receives the trees and sends the check. The check's coefficients and the round's code come from the
    /// seed, which is so far unknown to V.
    pub(in crate::subfield) fn check(
        &mut self,
        randomness: &CheckRandomness,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        let params = self.public.params;
        let mut message = vec![0; trees_bytes::<M>(&params)];
        channel.recv_exact(tags::SUBFIELD_TREES, &mut message)?;
        let (levels, elements) = message.split_at(params.trees as usize * levels_bytes(&params));
        let height = self.public.height();
        // The tags of a tree are those of its levels, without those of the last one.
        let tags = self.bits.chunks_exact(height).flat_map(|tags| &tags[..height - 1]);
        self.sums = (levels.as_chunks().0.iter().zip(tags))
            .map(|(c, tag)| Gf128::from_bits(u128::from_le_bytes(*c)) + *tag)
            .collect();

        let (coefficients, code) = self.public.challenge::<M>(&randomness.seed);
        self.code = Some(code);
        let mut scratch = Scratch::new(&params);
        let mut values = Zeroizing::new(vec![M::ZERO; params.block_len()]);
        let mut value = M::ZERO - self.mask[1];
        let mut phi = M::ZERO - self.mask[0];
        for (tree, bytes) in elements.chunks_exact(SUMS * M::BYTES).enumerate() {
            let mut sent = [M::ZERO; SUMS];
            for (element, bytes) in sent.iter_mut().zip(bytes.chunks_exact(M::BYTES)) {
                *element = M::decode(bytes)
                    .map_err(|error| Error::malformed(tags::SUBFIELD_TREES, error.to_string()))?;
            }
            self.expand(tree, &mut scratch, &mut values);
            self.missing.push(self.repairs(tree, sent, &values));
            self.complete(tree, &mut values);
            let sum = M::inner_product(&coefficients.leaves, &values)
                .map_err(|error| Error::misuse(error.to_string()))?;
            value += coefficients.trees[tree] * sum;
            let noise = self.noise[tree].x;
            phi += (coefficients.trees[tree] * coefficients.at(self.paths[tree])).scale(noise);
            self.leaves.keep(&values);
        }
        self.bits.wipe();
        let mut check = Vec::with_capacity(check_bytes::<M>());
        check.extend_from_slice(&randomness.seed);
        push(&mut check, phi)?;
        check.extend_from_slice(&self.public.commitment(&randomness.nonce, value)?);
        self.committed = Some((value, randomness.nonce));
        channel.send(tags::SUBFIELD_CHECK, &check)?;
        // Flush: V waits for this, and P may send and receive nothing for a while.
        Ok(channel.flush()?)
    }

    /// Receives V's value, and opens P's if they are equal. After this the round may be read.
    pub(in crate::subfield) fn verdict(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let mut bytes = vec![0; M::BYTES];
        channel.recv_exact(tags::SUBFIELD_ANSWER, &mut bytes)?;
        let theirs =
            M::decode(&bytes).map_err(|error| Error::malformed(tags::SUBFIELD_ANSWER, error.to_string()))?;
        let Some((ours, nonce)) = self.committed.take() else {
            return Err(Error::misuse("a round's verdict before its check"));
        };
        if ours != theirs {
            return Err(Error::cheat(tags::SUBFIELD_ANSWER, "the check of the single-point correlations"));
        }
        channel.send(tags::SUBFIELD_OPENING, &nonce)?;
        Ok(channel.flush()?)
    }

    /// The values of tree `tree`'s leaves, with garbage at the path's and at its sibling.
    fn expand(&self, tree: usize, scratch: &mut Scratch, values: &mut [M]) {
        let levels = self.public.height() - 1;
        let sums = &self.sums[tree * levels..][..levels];
        expand_punctured(&self.public.trees.of(tree), self.node(tree), sums, &mut scratch.nodes);
        self.public.leaves.expand(tree, scratch, values);
    }

    /// The node above the path's leaf.
    fn node(&self, tree: usize) -> u32 {
        self.paths[tree] & ((1 << (self.public.height() - 1)) - 1)
    }

    /// The values that turn the garbage into the sibling's value and the noise's tag. The garbage is in the
    /// sums over `values`, so it cancels.
    fn repairs(&self, tree: usize, [left, right, d]: [M; SUMS], values: &[M]) -> [M; 2] {
        let height = self.public.height();
        let mask = self.public.leaves.mask::<M>(tree, self.bits[(tree + 1) * height - 1]);
        let sums = Zeroizing::new(side_sums(values));
        // All ones if the path goes right, in which case the left side is the other one.
        let goes_right = u64::from(self.paths[tree] >> (height - 1) & 1).wrapping_neg();
        let select = |if_right: M, if_left: M| if_right.masked(goes_right) + if_left.masked(!goes_right);
        let other = select(left, right) + mask;
        let sibling = other - select(sums[0], sums[1]);
        let path = self.noise[tree].m - d - other - select(sums[1], sums[0]);
        [select(sibling, path), select(path, sibling)]
    }

    /// Adds the missing values where the garbage is.
    fn complete(&self, tree: usize, values: &mut [M]) {
        let half = values.len() / 2;
        let node = self.node(tree);
        for (side, missing) in values.chunks_exact_mut(half).zip(self.missing[tree]) {
            M::add_at(side, node, missing);
        }
    }

    /// This round's size.
    pub(in crate::subfield) fn params(&self) -> Params {
        self.public.params
    }

    /// Block `tree` (below the number of trees): `2^h` correlations.
    ///
    /// # Errors
    /// [`Error::Misuse`] before the check.
    pub(in crate::subfield) fn block(
        &self,
        tree: usize,
        out: &mut [Authenticated<F, M>],
    ) -> Result<(), Error> {
        let code = self.code.as_ref().ok_or_else(unread)?;
        let make = |scratch: &mut Scratch, values: &mut [M]| {
            self.expand(tree, scratch, values);
            self.complete(tree, values);
        };
        let first = (tree * out.len()) as u64;
        self.leaves.with(tree, &self.public.params, make, |values| {
            let (path, noise) = (self.paths[tree], self.noise[tree].x);
            let leaves = values.iter().enumerate();
            let leaves = leaves.map(|(i, m)| Authenticated { x: noise.masked(equal(i, path)), m: *m });
            code.sum_rows(first, &self.table, leaves, out);
        });
        Ok(())
    }
}

impl<F: Copy + Default + Zeroize, M: Copy + Default + Zeroize> Drop for ProverRound<F, M> {
    fn drop(&mut self) {
        let Self { public: _, table, noise, mask, bits, paths, sums, missing, leaves: _, code: _, committed } =
            self;
        table.wipe();
        noise.wipe();
        mask.zeroize();
        bits.wipe();
        paths.zeroize();
        sums.wipe();
        missing.wipe();
        if let Some((value, nonce)) = committed {
            value.zeroize();
            nonce.zeroize();
        }
    }
}
