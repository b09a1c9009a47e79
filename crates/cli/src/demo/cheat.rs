//! Provers that cheat. They only use the library's public interface.
//!
//! The library's prover stops if its witness does not satisfy the statement. So one cheat names one program
//! and runs another, and the other cheat changes a message after the prover has sent it.

use volery::{Channel, Statement};
use volery_channel::{Error, Layer, Tag, tags};
use volery_circuit::{Backend, Digest};

/// A statement that names one claim and runs another, whose witness it has.
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

/// Flips one of the masked bits that the prover sends, which flips the result of one AND gate.
pub(super) struct Flip {
    /// Masked bits before the one to flip; none once it is flipped.
    left: Option<u64>,
}

impl Flip {
    /// Flips the bit with this index.
    pub(super) fn at(index: u64) -> Self {
        Self { left: Some(index) }
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

impl<C: Channel> Layer<C> for Flip {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        match if tag == tags::MASKS { self.flip(payload) } else { None } {
            Some(changed) => below.send(tag, &changed),
            None => below.send(tag, payload),
        }
    }
}
