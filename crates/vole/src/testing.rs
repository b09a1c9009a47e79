//! Cheating by mail: a channel that changes what its party sends; and the pairs of fields that tests go over.

use std::collections::HashSet;

use volery_channel::{Channel, Error as ChannelError, Stats, Tag, tags};

use crate::Error;
use crate::supply::{Chain, Item, Stock};

/// Calls a function that is generic over a pair of fields for each pair that the system serves.
macro_rules! for_every_pair {
    ($check:ident) => {{
        use volery_field::{
            Bls12381Scalar, Bn254Scalar, F32, F32x4, F61, F61x2, Gf128, Gf256, P256Base, RistrettoScalar,
            Secp256k1Base,
        };
        $check::<F61, F61>();
        $check::<F61, F61x2>();
        $check::<F32, F32x4>();
        $check::<Gf256, Gf128>();
        $check::<Bn254Scalar, Bn254Scalar>();
        $check::<Bls12381Scalar, Bls12381Scalar>();
        $check::<Secp256k1Base, Secp256k1Base>();
        $check::<P256Base, P256Base>();
        $check::<RistrettoScalar, RistrettoScalar>();
    }};
}
pub(crate) use for_every_pair;

/// Like [`for_every_pair`], for a pair whose MACs are in the field itself and one with MACs in an extension;
/// with the feature `every-field` also for other pairs, each of which takes seconds to compile. For what does
/// not depend on the field: lies, orders of steps, lengths.
macro_rules! for_every_kind_of_pair {
    ($check:ident) => {{
        use volery_field::{F32, F32x4, F61};
        $check::<F61, F61>();
        $check::<F32, F32x4>();
        #[cfg(feature = "every-field")]
        {
            use volery_field::{Bn254Scalar, F61x2, Gf128, Gf256};
            $check::<F61, F61x2>();
            $check::<Gf256, Gf128>();
            $check::<Bn254Scalar, Bn254Scalar>();
        }
    }};
}
pub(crate) use for_every_kind_of_pair;

/// What a [`Tap`] may do with a message, for taps of different kinds in one place.
pub(crate) type Tampering<'a> = Box<dyn FnMut(Tag, &mut Vec<u8>) + Send + 'a>;

/// A channel whose sent payloads pass through `tap`.
pub(crate) struct Tap<C, T = fn(Tag, &mut Vec<u8>)> {
    pub(crate) inner: C,
    pub(crate) tap: T,
}

impl<C: Channel, T: FnMut(Tag, &mut Vec<u8>)> Channel for Tap<C, T> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), ChannelError> {
        let mut payload = payload.to_vec();
        (self.tap)(tag, &mut payload);
        self.inner.send(tag, &payload)
    }
    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], ChannelError> {
        self.inner.recv(tag, max)
    }
    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), ChannelError> {
        self.inner.recv_exact(tag, out)
    }
    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), ChannelError> {
        self.inner.recv_into(tag, max, out)
    }
    fn flush(&mut self) -> Result<(), ChannelError> {
        self.inner.flush()
    }
    fn fail(&mut self, reason: &str) {
        self.inner.fail(reason);
    }
    fn stats(&self) -> Stats {
        self.inner.stats()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.inner.binding()
    }
}

/// A party's chains.
pub(crate) type Chains = Result<Vec<Chain>, Error>;

/// The chain of a linked supply at every index that is a multiple of `step`, up to `n`; now and then it
/// settles.
pub(crate) fn chains<T: Item>(
    mut stock: Stock<T>,
    [n, step]: [usize; 2],
    channel: &mut dyn Channel,
) -> Chains {
    let mut chains = vec![stock.chain(channel)?];
    let mut taken = vec![T::default(); step];
    for i in 0..n / step {
        stock.fill(channel, &mut taken)?;
        chains.push(stock.chain(channel)?);
        if i % 3 == 0 {
            stock.settle(channel)?;
        }
    }
    stock.settle(channel)?;
    // Nobody leaves while the other still sends.
    channel.send(tags::GOODBYE, &[])?;
    channel.recv(tags::GOODBYE, 0)?;
    channel.flush()?;
    Ok(chains)
}

/// Changes the first and the second message of each of these kinds, which P sends or V, in its first byte and
/// in its last. Whatever changes ends the supply, or the parties have different chains and so different
/// challenges: the kinds for which it was the latter.
pub(crate) fn kinds_that_part<'a>(
    kinds: &[(Tag, bool)],
    run: impl Fn([Tampering<'a>; 2]) -> [Chains; 2],
) -> HashSet<Tag> {
    let mut parted = HashSet::new();
    for (kind, from_p) in kinds.iter().copied() {
        for (which, last) in [(0, false), (0, true), (1, false), (1, true)] {
            let mut seen = 0;
            let flip: Tampering<'a> = Box::new(move |tag, payload| {
                if tag == kind {
                    let at = if last { payload.len() - 1 } else { 0 };
                    payload[at] ^= u8::from(seen == which) << 2;
                    seen += 1;
                }
            });
            let other: Tampering<'a> = Box::new(|_, _| {});
            if let [Ok(p), Ok(v)] = run(if from_p { [flip, other] } else { [other, flip] }) {
                assert_ne!(p.last(), v.last(), "{kind} {which}");
                parted.insert(kind);
            }
        }
    }
    parted
}
