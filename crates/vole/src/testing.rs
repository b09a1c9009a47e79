//! Cheating by mail: a channel that changes what its party sends.

use volery_channel::{Channel, Error as ChannelError, Stats, Tag};

/// A channel whose sent payloads pass through `tap`.
pub(crate) struct Tap<C> {
    pub(crate) inner: C,
    pub(crate) tap: fn(Tag, &mut Vec<u8>),
}

impl<C: Channel> Channel for Tap<C> {
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
