//! A channel that counts what its party sends and meddles with one message.

use volery_channel::{Channel, Error, Stats, Tag, tags};

/// What is done to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// This bit is flipped, counted modulo the message's bits.
    Flip(usize),
    /// Its bytes are inverted.
    Invert,
    /// The last byte is cut off.
    Truncate,
    /// One zero byte is appended.
    Extend,
    /// It is not sent.
    Drop,
    /// It is sent twice.
    Duplicate,
    /// It is sent under another step's tag.
    Retag,
    /// The two hashes of each bit's decoding information change places.
    SwapHashes,
}

impl Change {
    fn apply(self, payload: &mut Vec<u8>) {
        match self {
            Self::Flip(bit) => {
                let bits = 8 * payload.len().max(1);
                if let Some(byte) = payload.get_mut(bit % bits / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Self::Invert => payload.iter_mut().for_each(|byte| *byte = !*byte),
            Self::Truncate => drop(payload.pop()),
            Self::Extend => payload.push(0),
            Self::SwapHashes => {
                for pair in payload[32..].chunks_exact_mut(40) {
                    let (zero, one) = pair.split_at_mut(20);
                    zero.swap_with_slice(one);
                }
            }
            Self::Drop | Self::Duplicate | Self::Retag => {}
        }
    }
}

/// A channel over `inner`; the message with number `at` among those of `of` (or of all steps) is changed.
pub(super) struct Tap<C> {
    inner: C,
    of: Option<Tag>,
    at: usize,
    change: Option<Change>,
    /// The steps of the messages so far.
    pub(super) sent: Vec<Tag>,
}

impl<C: Channel> Tap<C> {
    pub(super) fn new(inner: C, of: Option<Tag>, at: usize, change: Change) -> Self {
        Self { inner, of, at, change: Some(change), sent: Vec::new() }
    }

    /// Only counts.
    pub(super) fn counting(inner: C) -> Self {
        Self { inner, of: None, at: 0, change: None, sent: Vec::new() }
    }
}

impl<C: Channel> Channel for Tap<C> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        let counted = |sent: &&Tag| self.of.is_none_or(|of| of == **sent);
        let number = self.sent.iter().filter(counted).count();
        let mine = counted(&&tag) && number == self.at;
        self.sent.push(tag);
        let Some(change) = self.change.filter(|_| mine) else { return self.inner.send(tag, payload) };
        let mut payload = payload.to_vec();
        change.apply(&mut payload);
        match change {
            Change::Drop => return Ok(()),
            Change::Duplicate => self.inner.send(tag, &payload)?,
            Change::Retag => {
                let other = if tag == tags::CHALLENGE { tags::REVEAL } else { tags::CHALLENGE };
                return self.inner.send(other, &payload);
            }
            _ => {}
        }
        self.inner.send(tag, &payload)
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
