//! A channel that records what its party sends and meddles with one message.

use volery_channel::{Channel, Error, Stats, Tag, tags};

/// What is done to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// This bit is flipped, counted modulo the message's bits; an empty message stays.
    Flip(usize),
    /// The last byte is cut off; of an empty message nothing.
    Truncate,
    /// One zero byte is appended.
    Extend,
    /// It is not sent.
    Drop,
    /// It is sent twice.
    Duplicate,
    /// It is sent after the message that follows it.
    Late,
    /// It is sent under another step's tag.
    Retag,
    /// An empty message of its step goes before it.
    Empty,
    /// All its bytes become this one.
    Fill(u8),
    /// The message given to [`Tap::replacing`] goes in its place.
    Replace,
}

/// A channel over `inner` whose message number `at` is changed.
pub(crate) struct Tap<C> {
    pub(crate) inner: C,
    change: Option<(usize, Change)>,
    late: Option<(Tag, Vec<u8>)>,
    replacement: Vec<u8>,
    /// What the party sent, as it meant it.
    pub(crate) sent: Vec<(Tag, Vec<u8>)>,
}

impl<C: Channel> Tap<C> {
    pub(crate) fn new(inner: C, change: Option<(usize, Change)>) -> Self {
        Self { inner, change, late: None, replacement: Vec::new(), sent: Vec::new() }
    }

    /// Sends `replacement` in place of message number `at`.
    pub(crate) fn replacing(inner: C, at: usize, replacement: Vec<u8>) -> Self {
        Self { replacement, ..Self::new(inner, Some((at, Change::Replace))) }
    }

    /// Only records.
    pub(crate) fn recorder(inner: C) -> Self {
        Self::new(inner, None)
    }

    fn meddle(&mut self, change: Change, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        let mut payload = payload.to_vec();
        match change {
            Change::Flip(bit) => {
                let bits = 8 * payload.len().max(1);
                if let Some(byte) = payload.get_mut(bit % bits / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            }
            Change::Truncate => drop(payload.pop()),
            Change::Extend => payload.push(0),
            Change::Drop => return Ok(()),
            Change::Duplicate => self.inner.send(tag, &payload)?,
            Change::Late => {
                self.late = Some((tag, payload));
                return Ok(());
            }
            Change::Retag => {
                let other = if tag == tags::CHALLENGE { tags::REVEAL } else { tags::CHALLENGE };
                return self.inner.send(other, &payload);
            }
            Change::Empty => self.inner.send(tag, &[])?,
            Change::Fill(byte) => payload.fill(byte),
            Change::Replace => payload.clone_from(&self.replacement),
        }
        self.inner.send(tag, &payload)
    }
}

impl<C: Channel> Channel for Tap<C> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        let number = self.sent.len();
        self.sent.push((tag, payload.to_vec()));
        match self.change {
            Some((at, change)) if at == number => self.meddle(change, tag, payload)?,
            _ => self.inner.send(tag, payload)?,
        }
        match self.late.take_if(|_| self.change.is_some_and(|(at, _)| at < number)) {
            Some((tag, payload)) => self.inner.send(tag, &payload),
            None => Ok(()),
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
