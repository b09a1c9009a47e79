//! Cheating by mail: a channel that changes what its party sends; and the pairs of fields that tests go over.

use volery_channel::{Channel, Error as ChannelError, Stats, Tag};

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

/// Like [`for_every_pair`], for a pair whose MACs are in the field itself and one with MACs in an extension; with the feature `every-field`
/// also for other pairs, each of which takes seconds to compile. For what does not depend on the field: lies, orders of steps, lengths.
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
}
