//! A progress bar for long proofs, and the phases of a session; on a terminal only.
//!
//! Every committed value passes through the channel once, in frames of some thousand: so a channel that
//! counts what passes knows how far a proof is, and the proof itself knows nothing of it. What the bar goes
//! up to takes a run of the statement, which only a terminal pays for.

use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use volery::Channel;
use volery_channel::{Error, Stats, Tag, tags};

use super::failure::Failure;
use super::output;

/// How often what is shown moves.
const TICK: Duration = Duration::from_millis(200);

/// How far a proof is.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    /// Bits of a committed value on the wire.
    bits: u64,
}

impl Progress {
    /// If standard error is a terminal, a bar up to `total` values of so many bits.
    pub(crate) fn new(bits: u64, total: impl FnOnce() -> Result<u64, Failure>) -> Result<Self, Failure> {
        if !stderr().is_terminal() {
            return Ok(Self::none());
        }
        let bar = ProgressBar::new(total()?);
        let style = ProgressStyle::with_template("{bar:40} {percent:>3}%  {human_pos}  {per_sec}  {eta}");
        bar.set_style(style.map_err(Failure::session)?);
        bar.enable_steady_tick(TICK);
        Ok(Self { bar: Some(bar), bits })
    }

    /// Without a bar.
    pub(crate) fn none() -> Self {
        Self { bar: None, bits: 1 }
    }

    /// Moves the bar to `position`.
    pub(crate) fn set(&self, position: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(position);
        }
    }

    /// A channel whose traffic moves the bar.
    pub(crate) fn watch<C: Channel>(&self, inner: C) -> Watched<C> {
        Watched { inner, proof: Proof { bar: self.bar.clone(), bits: self.bits, bytes: [0; 2] } }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What is being done: a line for each phase, with the time that it took in the end.
pub(crate) struct Phases {
    bar: Option<ProgressBar>,
    now: Mutex<Option<(String, Instant)>>,
}

impl Phases {
    /// Shown if standard error is a terminal and nobody wants quiet.
    pub(crate) fn new(quiet: bool) -> Result<Self, Failure> {
        let now = Mutex::new(None);
        if quiet || !stderr().is_terminal() {
            return Ok(Self { bar: None, now });
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}").map_err(Failure::session)?);
        bar.enable_steady_tick(TICK);
        Ok(Self { bar: Some(bar), now })
    }

    /// The next phase.
    pub(crate) fn begin(&self, what: &str) {
        let Some(bar) = &self.bar else { return };
        self.end(bar);
        bar.set_message(what.to_owned());
        *self.now() = Some((what.to_owned(), Instant::now()));
    }

    /// Something about this phase.
    pub(crate) fn note(&self, text: &str) {
        if let (Some(bar), Some((what, _))) = (&self.bar, &*self.now()) {
            bar.set_message(format!("{what}: {text}"));
        }
    }

    /// Does something else at the terminal meanwhile.
    pub(crate) fn pause<T>(&self, other: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(other),
            None => other(),
        }
    }

    /// The last one has ended.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            self.end(bar);
        }
    }

    fn end(&self, bar: &ProgressBar) {
        if let Some((what, start)) = self.now().take() {
            bar.println(format!("{what}: {}", output::time(start.elapsed())));
        }
    }

    fn now(&self) -> MutexGuard<'_, Option<(String, Instant)>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Phases {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A channel that counts what belongs to proofs.
pub(crate) struct Watched<C> {
    inner: C,
    proof: Proof,
}

/// What has passed of a proof.
struct Proof {
    bar: Option<ProgressBar>,
    bits: u64,
    /// Payloads: sent, received.
    bytes: [u64; 2],
}

/// The messages of proofs; all others prepare them.
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

impl<C> Watched<C> {
    /// Bytes in messages of proofs so far, sent and received, without headers.
    pub(crate) fn proof_bytes(&self) -> [u64; 2] {
        self.proof.bytes
    }
}

impl Proof {
    /// Counts a message, and moves the bar on by the values that it carries.
    fn count(&mut self, direction: usize, tag: Tag, bytes: usize) {
        if !MESSAGES.contains(&tag) {
            return;
        }
        if let Some(sum) = self.bytes.get_mut(direction) {
            *sum += bytes as u64;
        }
        if let Some(bar) = &self.bar
            && (tag == tags::MASKS || tag == tags::ELEMENTS)
        {
            bar.inc(8 * bytes as u64 / self.bits.max(1));
        }
    }
}

impl<C: Channel> Channel for Watched<C> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.proof.count(SENT, tag, payload.len());
        self.inner.send(tag, payload)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        let payload = self.inner.recv(tag, max)?;
        self.proof.count(RECEIVED, tag, payload.len());
        Ok(payload)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        self.inner.recv_exact(tag, out)?;
        self.proof.count(RECEIVED, tag, out.len());
        Ok(())
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.inner.recv_into(tag, max, out)?;
        self.proof.count(RECEIVED, tag, out.len());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.inner.flush()
    }

    fn fail(&mut self, reason: &str) {
        self.inner.fail(reason);
    }

    fn foresee(&mut self, tag: Tag, length: usize) {
        self.inner.foresee(tag, length);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }

    fn binding(&self) -> Option<[u8; 32]> {
        self.inner.binding()
    }
}
