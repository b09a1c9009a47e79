//! How a linked generator makes its [`Chain`]: messages are recorded batch by batch, and V adds bytes for
//! each batch.

use std::collections::{BTreeMap, VecDeque};

use volery_channel::{Channel, ChannelExt as _, Error as ChannelError, Layer, Layered, Tag};
use zeroize::Zeroizing;

use super::Chain;
use crate::hash::item;
use crate::{Error, Oracle, SessionId};

/// After this many chunks of the first stage, P reads V's bytes even if it does not need them, so that no
/// more than these wait to be read.
pub(super) const MOST_UNREAD: usize = 64;

/// The messages of the parties for one batch so far.
pub(super) struct Batch {
    /// Batches are numbered as they begin, which is not the order in which they are read: a round begins long
    /// before it is read.
    id: u64,
    from_p: blake3::Hasher,
    from_v: blake3::Hasher,
}

impl Batch {
    fn digest(&self) -> [u8; 32] {
        let mut both = blake3::Hasher::new_derive_key("volery 2026 correlations: messages v1");
        both.update(self.from_p.finalize().as_bytes()).update(self.from_v.finalize().as_bytes());
        *both.finalize().as_bytes()
    }
}

/// A batch that can be read, starting at correlation number `start`.
struct Record {
    start: u64,
    /// The batch's number and the hash of its messages.
    id: u64,
    digest: [u8; 32],
}

/// One party's part in the chain.
pub(super) struct Link {
    /// The tag of V's bytes.
    tag: Tag,
    kind: String,
    oracle: Oracle,
    /// The key of V's bytes; `None` at P.
    key: Option<Zeroizing<[u8; 32]>>,
    /// The number of batches begun.
    begun: u64,
    /// The chain up to the last batch that was asked for, and the number of batches in it.
    chain: Chain,
    number: u64,
    /// The batches after it, in the order in which they are read.
    records: VecDeque<Record>,
    /// V's bytes for batches that the chain does not include yet, by the batches' ids.
    bytes: BTreeMap<u64, [u8; 32]>,
    /// At P: the batches whose bytes V sends next, in order.
    unread: VecDeque<u64>,
}

impl Link {
    pub(super) fn new(session: &SessionId, kind: String, tag: Tag, key: Option<Zeroizing<[u8; 32]>>) -> Self {
        let oracle = Oracle::new("correlations: chain", session);
        let chain = Chain::from_bytes(oracle.hash(0, &[b"start", kind.as_bytes()]));
        Self {
            tag,
            kind,
            oracle,
            key,
            begun: 0,
            chain,
            number: 0,
            records: VecDeque::new(),
            bytes: BTreeMap::new(),
            unread: VecDeque::new(),
        }
    }

    /// A new batch without messages.
    pub(super) fn begin(&mut self) -> Batch {
        self.begun += 1;
        Batch { id: self.begun, from_p: blake3::Hasher::new(), from_v: blake3::Hasher::new() }
    }

    /// Called when V has read and checked P's last message of `batch`. V draws its bytes and sends them; P
    /// notes that they will come.
    pub(super) fn close(&mut self, batch: &Batch, channel: &mut dyn Channel) -> Result<(), Error> {
        let Some(key) = &self.key else {
            self.unread.push_back(batch.id);
            channel.foresee(self.tag, 32);
            return Ok(());
        };
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(&batch.id.to_le_bytes()).update(&batch.digest());
        let bytes = *hasher.finalize().as_bytes();
        self.bytes.insert(batch.id, bytes);
        channel.send(self.tag, &bytes)?;
        // Flush: P may wait for them, and V may send and receive nothing for a while.
        Ok(channel.flush()?)
    }

    /// Appends `batch` as the next in the chain; its correlations start at number `start`.
    pub(super) fn append(&mut self, start: u64, batch: &Batch) {
        self.records.push_back(Record { start, id: batch.id, digest: batch.digest() });
    }

    /// The number of batches whose bytes from V have not been read by P.
    #[cfg(test)]
    pub(super) fn unread(&self) -> usize {
        self.unread.len()
    }

    /// P reads V's bytes for the batches that began before `batch` and have ended, or for all that have
    /// ended.
    pub(super) fn read(&mut self, batch: Option<&Batch>, channel: &mut dyn Channel) -> Result<(), Error> {
        let end = batch.map_or(u64::MAX, |batch| batch.id);
        while self.unread.front().is_some_and(|id| *id < end) {
            self.read_next(channel)?;
        }
        Ok(())
    }

    fn read_next(&mut self, channel: &mut dyn Channel) -> Result<(), Error> {
        let Some(id) = self.unread.pop_front() else {
            return Err(Error::misuse("a batch read before its end"));
        };
        self.bytes.insert(id, channel.recv_array(self.tag)?);
        Ok(())
    }

    /// The chain of the first `taken` correlations.
    pub(super) fn chain(&mut self, channel: &mut dyn Channel, taken: u64) -> Result<Chain, Error> {
        while self.records.front().is_some_and(|record| record.start < taken) {
            let Some(Record { id, digest, .. }) = self.records.pop_front() else { break };
            let bytes = loop {
                match self.bytes.remove(&id) {
                    Some(bytes) => break bytes,
                    None => self.read_next(channel)?,
                }
            };
            #[cfg(any(test, feature = "cheats"))]
            if crate::cheats::chains_stand() {
                continue;
            }
            self.number += 1;
            let parts: [&[u8]; 4] = [self.chain.as_bytes(), self.kind.as_bytes(), &digest, &bytes];
            self.chain = Chain::from_bytes(self.oracle.hash(self.number, &parts));
        }
        Ok(self.chain)
    }
}

/// A channel that records everything that goes over it, so that no message of a batch escapes its chain.
pub(super) type Recorded<'a> = Layered<&'a mut dyn Channel, Recorder<'a>>;

/// What [`Recorded`] does with each message.
pub(super) struct Recorder<'a> {
    /// `None` in a generator that is not linked.
    pub(super) batch: Option<&'a mut Batch>,
    /// Whether this party is V.
    pub(super) at_v: bool,
}

impl Recorder<'_> {
    fn note(&mut self, from_v: bool, tag: Tag, payload: &[u8]) {
        if let Some(batch) = &mut self.batch {
            let hasher = if from_v { &mut batch.from_v } else { &mut batch.from_p };
            hasher.update(&[tag.byte()]);
            item(hasher, payload);
        }
    }
}

impl<C: Channel> Layer<C> for Recorder<'_> {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), ChannelError> {
        self.note(self.at_v, tag, payload);
        below.send(tag, payload)
    }

    fn received(&mut self, tag: Tag, payload: &[u8]) {
        self.note(!self.at_v, tag, payload);
    }
}
