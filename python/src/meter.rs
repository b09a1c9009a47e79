//! Where the time and the bytes of a session go: by stage, from the messages that pass.
//!
//! Each message belongs to a stage. The time since the one before is counted for the stage of the one that
//! comes next: that is what this party computed for it, or how long it waited for it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use volery::Channel;
use volery::channel::{Error, Layer, Layered, Tag, tags};

use crate::worker::locked;

/// A part of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Handshake and base OT.
    SetUp,
    /// The making of correlations.
    Correlations,
    /// What carries the proof itself.
    Proof,
    /// All else, such as web pages and garbled circuits.
    Other,
}

/// In the order of [`Figures`].
pub(crate) const STAGES: [(Stage, &str); 4] = [
    (Stage::SetUp, "set-up"),
    (Stage::Correlations, "correlations"),
    (Stage::Proof, "proof"),
    (Stage::Other, "other"),
];

impl Stage {
    fn of(tag: Tag) -> Self {
        match tag.byte() {
            0x01..=0x0f | 0x10..=0x12 | 0x14 | 0x16 => Self::SetUp,
            0x13 | 0x15 | 0x17..=0x1f | 0x28..=0x2f | 0x38..=0x3f | 0x48..=0x4f => Self::Correlations,
            0x20..=0x27 | 0x30..=0x37 | 0x40..=0x47 => Self::Proof,
            _ => Self::Other,
        }
    }
}

/// What a stage took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taken {
    pub(crate) time: Duration,
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

/// What all stages took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) stages: [Taken; STAGES.len()],
    /// Committed values that have passed, as bits of payload: over bits, and over a field.
    pub(crate) bits: [u64; 2],
}

/// The figures of a session, which several threads look at, and when the last message passed.
#[derive(Clone)]
pub(crate) struct Meter(Arc<Mutex<(Figures, Instant)>>);

impl Meter {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new((Figures::default(), Instant::now()))))
    }

    pub(crate) fn figures(&self) -> Figures {
        locked(&self.0).0
    }

    /// Begins anew, for the next proof.
    pub(crate) fn reset(&self) {
        *locked(&self.0) = (Figures::default(), Instant::now());
    }

    /// A channel that is metered.
    pub(crate) fn watch(&self, channel: Box<dyn Channel + Send>) -> Box<dyn Channel + Send> {
        Box::new(Layered { channel, layer: Metered(self.clone()) })
    }
}

/// Bytes of a frame's header.
const HEADER: u64 = 5;

/// The layer that counts.
struct Metered(Meter);

impl Metered {
    fn count(&mut self, tag: Tag, bytes: usize, is_sent: bool) {
        let now = Instant::now();
        let stage = Stage::of(tag);
        let mut shared = locked(&self.0.0);
        let (figures, last) = &mut *shared;
        let place = STAGES.iter().position(|(own, _)| *own == stage);
        if let Some(taken) = place.and_then(|place| figures.stages.get_mut(place)) {
            taken.time += now.duration_since(*last);
            let bytes = HEADER + bytes as u64;
            *(if is_sent { &mut taken.sent } else { &mut taken.received }) += bytes;
        }
        if tag == tags::MASKS {
            figures.bits[0] += 8 * bytes as u64;
        } else if tag == tags::ELEMENTS {
            figures.bits[1] += 8 * bytes as u64;
        }
        *last = now;
    }
}

impl<C: Channel> Layer<C> for Metered {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.count(tag, payload.len(), true);
        below.send(tag, payload)
    }

    fn received(&mut self, tag: Tag, payload: &[u8]) {
        self.count(tag, payload.len(), false);
    }
}
