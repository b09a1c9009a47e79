//! Provers that lie, with nothing but the library's public face.
//!
//! The library's prover stops when its witness does not satisfy the statement, so these have to be cleverer:
//! one runs another program than the one that it names, one changes a message on its way out.

use volery::{Channel, Statement};
use volery_channel::{Error, Stats, Tag, tags};
use volery_circuit::{Backend, Digest};

/// Names one statement and runs another, whose witness it has.
pub(super) struct Impostor<'a, S> {
    pub(super) claimed: &'a S,
    pub(super) known: &'a S,
}

impl<B: Backend + ?Sized, S: Statement<B>> Statement<B> for Impostor<'_, S> {
    fn identify(&self, digest: &mut Digest) {
        self.claimed.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.claimed.commitments()
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.known.run(backend)
    }
}

/// Flips one of the masked bits that the prover sends: the result of one AND gate becomes the other bit.
pub(super) struct Flip<C> {
    inner: C,
    /// Masked bits to go until the one to flip.
    left: Option<u64>,
}

impl<C> Flip<C> {
    /// Flips the bit with this index.
    pub(super) fn new(inner: C, index: u64) -> Self {
        Self { inner, left: Some(index) }
    }

    fn flip(&mut self, payload: &[u8]) -> Option<Vec<u8>> {
        let (index, bits) = (self.left?, 8 * payload.len() as u64);
        if index >= bits {
            self.left = Some(index - bits);
            return None;
        }
        self.left = None;
        let mut changed = payload.to_vec();
        *changed.get_mut(usize::try_from(index / 8).ok()?)? ^= 1 << (index % 8);
        Some(changed)
    }
}

impl<C: Channel> Channel for Flip<C> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        match if tag == tags::MASKS { self.flip(payload) } else { None } {
            Some(changed) => self.inner.send(tag, &changed),
            None => self.inner.send(tag, payload),
        }
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        self.inner.recv(tag, max)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        self.inner.recv_exact(tag, out)
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.inner.recv_into(tag, max, out)
    }

    fn flush(&mut self) -> Result<(), Error> {
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
