//! How far a proof is.
//!
//! Every committed value passes through the channel once, in frames of some thousand. So a channel that
//! counts bytes knows how far a proof is, and the proof needs no hooks. Of the run of a program nobody knows
//! the length before the session, and people count steps. So its proof tells how far it is.

use std::fmt;
use std::sync::Arc;

use volery::Channel;
use volery_channel::{Error, Layer, Layered, Tag, tags};

/// Hears how far a proof is. It is called from the thread that proves or verifies.
pub trait Progress: Send + Sync {
    /// So many more values were committed to; once with zero before the first.
    /// [`Settled::commitments`](crate::Settled::commitments) says how many there will be.
    fn committed(&self, _values: u64) {}

    /// A program's run is proved up to the first number of steps; the second is the number of all steps.
    fn steps(&self, _done: u64, _total: u64) {}
}

/// Who hears how far a proof is, if anybody does.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<dyn Progress>>);

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(..)" } else { "Watch(nobody)" })
    }
}

impl Watch {
    /// Tells `progress`.
    #[must_use]
    pub fn new(progress: Arc<dyn Progress>) -> Self {
        Self(Some(progress))
    }

    /// Tells nobody.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// The channel of a session, whose traffic is told as values of `bits` bits each.
    #[must_use]
    pub fn wire(&self, channel: Box<dyn Channel + Send>, bits: u64) -> Wire {
        if let Some(progress) = &self.0 {
            progress.committed(0);
        }
        Layered { channel, layer: ProofBytes { watch: self.clone(), bits, bytes: [0; 2] } }
    }

    /// Tells how many steps of a program's run are proved.
    pub fn steps(&self, done: u64, total: u64) {
        if let Some(progress) = &self.0 {
            progress.steps(done, total);
        }
    }
}

/// The channel of a session: any channel, and a count of the bytes of proofs ([`Watch::wire`]).
pub type Wire = Layered<Box<dyn Channel + Send>, ProofBytes>;

/// The bytes of a proof that have passed.
#[derive(Debug)]
pub struct ProofBytes {
    watch: Watch,
    /// Of a value.
    bits: u64,
    /// Bytes of payload sent and received.
    bytes: [u64; 2],
}

/// The messages that belong to proofs. All others prepare them.
const MESSAGES: [Tag; 8] = [
    tags::MASKS,
    tags::CHALLENGE,
    tags::CHECK_OPENING,
    tags::ASSERTIONS,
    tags::ELEMENTS,
    tags::ELEMENTS_CHALLENGE,
    tags::ELEMENTS_OPENING,
    tags::ELEMENTS_ASSERTIONS,
];

const SENT: usize = 0;
const RECEIVED: usize = 1;

impl ProofBytes {
    /// Bytes in messages of proofs so far, sent and received, without headers.
    #[must_use]
    pub fn so_far(&self) -> [u64; 2] {
        self.bytes
    }

    /// Counts a message, and tells of the values that it carries.
    fn count(&mut self, direction: usize, tag: Tag, bytes: usize) {
        if !MESSAGES.contains(&tag) {
            return;
        }
        if let Some(sum) = self.bytes.get_mut(direction) {
            *sum += bytes as u64;
        }
        if let Some(progress) = &self.watch.0
            && (tag == tags::MASKS || tag == tags::ELEMENTS)
        {
            progress.committed(8 * bytes as u64 / self.bits.max(1));
        }
    }
}

impl<C: Channel> Layer<C> for ProofBytes {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.count(SENT, tag, payload.len());
        below.send(tag, payload)
    }

    fn received(&mut self, tag: Tag, payload: &[u8]) {
        self.count(RECEIVED, tag, payload.len());
    }
}
