//! Two ends of a conversation of which one is only bytes.

use std::sync::{Arc, Mutex, PoisonError};

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use volery_channel::transport::{Memory, Transport};
use volery_channel::{Channel, Error, Framed, Limits, Stats, Tag};

/// A generator that gives the same in every run, so that an honest peer's bytes stay honest. Only for
/// fuzzing.
#[must_use]
pub fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// Room for what a party sends to a peer that is not there; more than any target sends.
const ROOM: usize = 1 << 22;

/// Runs `party` with a peer that sent `bytes` and then closed its side, reading nothing.
pub fn against<T>(bytes: &[u8], party: impl FnOnce(&mut Framed<Memory>) -> T) -> T {
    let (mut peer, end) = Memory::pair(ROOM.max(bytes.len()));
    // It all fits.
    let _ = peer.try_write(bytes);
    peer.shutdown();
    party(&mut Framed::new(end, Limits::default()))
}

/// A channel that keeps a copy of the frames it sends.
pub struct Recording<C> {
    inner: C,
    sent: Arc<Mutex<Vec<u8>>>,
}

impl<C> Recording<C> {
    /// Around `inner`; what is sent can be read through the second value.
    pub fn new(inner: C) -> (Self, Arc<Mutex<Vec<u8>>>) {
        let sent = Arc::default();
        (Self { inner, sent: Arc::clone(&sent) }, sent)
    }
}

impl<C: Channel> Channel for Recording<C> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.push(tag.byte());
        sent.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        sent.extend_from_slice(payload);
        drop(sent);
        self.inner.send(tag, payload)
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

/// What two honest parties send each other: the frames of `left`, those of `right`.
pub fn record(
    left: impl FnOnce(&mut dyn Channel) + Send,
    right: impl FnOnce(&mut dyn Channel),
) -> (Vec<u8>, Vec<u8>) {
    let (a, b) = volery_channel::memory_pair(&Limits::default());
    let ((mut a, from_left), (mut b, from_right)) = (Recording::new(a), Recording::new(b));
    std::thread::scope(|scope| {
        scope.spawn(move || {
            left(&mut a);
            let _ = a.flush();
        });
        right(&mut b);
        let _ = b.flush();
    });
    let take =
        |sent: Arc<Mutex<Vec<u8>>>| std::mem::take(&mut *sent.lock().unwrap_or_else(PoisonError::into_inner));
    (take(from_left), take(from_right))
}

/// The payloads of recorded frames.
#[must_use]
pub fn payloads(mut frames: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let Some(([_tag, length @ ..], rest)) = frames.split_first_chunk::<5>() {
        let (payload, rest) = rest.split_at(u32::from_le_bytes(*length) as usize);
        all.push(payload.to_vec());
        frames = rest;
    }
    all
}
