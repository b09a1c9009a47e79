//! V's side of a round.

use subtle::ConstantTimeEq as _;
use volery_channel::{Channel, ChannelExt as _, tags};
use volery_field::{Gf128, Mac, Value, Wipe as _};
use zeroize::{Zeroize, Zeroizing};

use super::super::base::push;
use super::leaves::{Leaves, Scratch, side_sums};
use super::{DIGEST, NONCE, Public, SEED, base_len, check_bytes, trees_bytes, unread};
use crate::ferret::Params;
use crate::lpn::LpnCode;
use crate::pprf::{self, expand_full};
use crate::subfield::FieldDelta;
use crate::{Delta, Error};

/// One round at V. It is made, checked, and then read block by block.
pub struct VerifierRound<F, M: Copy + Default + Zeroize> {
    public: Public,
    table: Vec<M>,
    /// The key of the correlation over M that masks the check.
    mask: M,
    /// The binary key of the trees.
    tree_delta: Delta,
    roots: Vec<Gf128>,
    /// The keys of the leaves.
    leaves: Leaves<M>,
    /// `None` until P's check determines it.
    code: Option<LpnCode>,
    /// V's value of the check and P's commitment, until the verdict.
    answered: Option<(M, [u8; DIGEST])>,
    values: core::marker::PhantomData<F>,
}

impl<F: Value, M: Mac<F>> VerifierRound<F, M> {
    /// Starts a round from keys, and from keys of random bits for the paths, and sends the trees' sums.
    /// `seed` must be fresh.
    pub(in crate::subfield) fn open(
        public: Public,
        tree_delta: &Delta,
        seed: Zeroizing<[u8; 16]>,
        mut base: Zeroizing<Vec<M>>,
        bits: Zeroizing<Vec<Gf128>>,
        channel: &mut dyn Channel,
    ) -> Result<Self, Error> {
        let params = public.params;
        if base.len() != base_len::<F, M>(&params) || bits.len() != params.paths_len() {
            return Err(Error::misuse(format!("a round from {} keys, {} bits", base.len(), bits.len())));
        }
        let (rest, masks) = base.split_at(base.len() - M::DEGREE);
        let mask = M::pack(masks);
        let noise = Zeroizing::new(rest[params.table_len()..].to_vec());
        base[params.table_len()..].iter_mut().for_each(Zeroize::zeroize);
        base.truncate(params.table_len());
        let roots = pprf::roots(&public.oracle, public.number, &seed, params.trees as usize);
        let mut round = Self {
            public,
            table: core::mem::take(&mut *base),
            mask,
            tree_delta: tree_delta.duplicate(),
            roots,
            leaves: Leaves::new(&params),
            code: None,
            answered: None,
            values: core::marker::PhantomData,
        };
        let message = round.trees(&noise, &bits)?;
        channel.send(tags::SUBFIELD_TREES, &message)?;
        Ok(round)
    }

    /// The sums of every level of every tree, masked for P's path, and the difference of each tree.
    fn trees(&mut self, noise: &[M], bits: &[Gf128]) -> Result<Vec<u8>, Error> {
        let params = self.public.params;
        let mut message = Vec::with_capacity(trees_bytes::<M>(&params));
        let mut elements = Vec::new();
        let mut scratch = Scratch::new(&params);
        let mut values = Zeroizing::new(vec![M::ZERO; params.block_len()]);
        let delta = self.tree_delta.expose();
        let keys = bits.chunks_exact(self.public.height()).filter_map(|keys| keys.split_last());
        for (tree, ((last, keys), noise)) in keys.zip(noise).enumerate() {
            let aes = self.public.trees.of(tree);
            expand_full(&aes, self.roots[tree], delta, &mut scratch.nodes, |level, sum| {
                message.extend_from_slice(&(sum + keys[level]).to_bits().to_le_bytes());
            });
            self.public.leaves.expand(tree, &mut scratch, &mut values);
            let [left, right] = side_sums(&values);
            // P can remove the mask of the side that its path does not take.
            push(&mut elements, left - self.public.leaves.mask(tree, *last))?;
            push(&mut elements, right - self.public.leaves.mask(tree, *last + delta))?;
            push(&mut elements, *noise - left - right)?;
            self.leaves.keep(&values);
        }
        message.extend_from_slice(&elements);
        Ok(message)
    }

    /// Answers P's check.
    pub(in crate::subfield) fn answer(
        &mut self,
        delta: &FieldDelta<M>,
        channel: &mut dyn Channel,
    ) -> Result<(), Error> {
        let mut message = vec![0; check_bytes::<M>()];
        channel.recv_exact(tags::SUBFIELD_CHECK, &mut message)?;
        let (mut seed, mut commitment) = ([0; SEED], [0; DIGEST]);
        seed.copy_from_slice(&message[..SEED]);
        commitment.copy_from_slice(&message[SEED + M::BYTES..]);
        let shifted = M::decode(&message[SEED..SEED + M::BYTES])
            .map_err(|error| Error::malformed(tags::SUBFIELD_CHECK, error.to_string()))?;
        let (coefficients, code) = self.public.challenge::<M>(&seed);
        self.code = Some(code);
        let mut value = M::ZERO - self.mask - shifted * delta.expose();
        for (tree, s) in coefficients.trees.iter().enumerate() {
            let sum = self.with_values(tree, |values| M::inner_product(&coefficients.leaves, values));
            let sum = sum.map_err(|error| Error::misuse(error.to_string()))?;
            value += *s * sum;
        }
        self.answered = Some((value, commitment));
        let mut bytes = Zeroizing::new(Vec::with_capacity(M::BYTES));
        push(&mut bytes, value)?;
        channel.send(tags::SUBFIELD_ANSWER, &bytes)?;
        Ok(channel.flush()?)
    }

    /// Receives the opening of P's commitment, which must be to V's value.
    pub(in crate::subfield) fn verdict(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let nonce: [u8; NONCE] = channel.recv_array(tags::SUBFIELD_OPENING)?;
        let Some((value, commitment)) = self.answered.take() else {
            return Err(Error::misuse("a round's verdict before its answer"));
        };
        if !bool::from(self.public.commitment(&nonce, value)?.ct_eq(&commitment)) {
            return Err(Error::cheat(tags::SUBFIELD_OPENING, "the check of the single-point correlations"));
        }
        Ok(())
    }

    /// Passes the keys of tree `tree`'s leaves to `take`.
    fn with_values<T>(&self, tree: usize, take: impl FnOnce(&[M]) -> T) -> T {
        let make = |scratch: &mut Scratch, values: &mut [M]| {
            let delta = self.tree_delta.expose();
            let aes = self.public.trees.of(tree);
            expand_full(&aes, self.roots[tree], delta, &mut scratch.nodes, |_, _| {});
            self.public.leaves.expand(tree, scratch, values);
        };
        self.leaves.with(tree, &self.public.params, make, take)
    }

    /// This round's size.
    pub(in crate::subfield) fn params(&self) -> Params {
        self.public.params
    }

    /// The keys of block `tree` (below the number of trees): `2^h` of them.
    ///
    /// # Errors
    /// [`Error::Misuse`] before P's check has arrived.
    pub(in crate::subfield) fn block(&self, tree: usize, out: &mut [M]) -> Result<(), Error> {
        let code = self.code.as_ref().ok_or_else(unread)?;
        let first = (tree * out.len()) as u64;
        self.with_values(tree, |values| code.sum_rows(first, &self.table, values.iter().copied(), out));
        Ok(())
    }
}

impl<F, M: Copy + Default + Zeroize> Drop for VerifierRound<F, M> {
    fn drop(&mut self) {
        // `tree_delta` wipes itself.
        let Self { public: _, table, mask, tree_delta: _, roots, leaves: _, code: _, answered, values: _ } =
            self;
        table.wipe();
        mask.zeroize();
        roots.wipe();
        if let Some((value, commitment)) = answered {
            value.zeroize();
            commitment.zeroize();
        }
    }
}
