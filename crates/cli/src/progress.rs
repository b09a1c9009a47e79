//! A progress bar for proofs, and the phases of a session with a notary; on a terminal only.
//!
//! Every committed value passes through the channel once, in frames of some thousand. So a channel that
//! counts bytes knows how far a proof is, and the proof needs no hooks. The length of the bar comes from one
//! more run of the statement, which happens on a terminal only. Of the run of a program nobody knows the
//! length before the session, and people count steps. So its proof tells how far it is.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use indicatif::ProgressBar;
use volery::Channel;
use volery::programs::proof::Progress as Steps;
use volery_channel::{Error, Layer, Layered, Tag, tags};

use super::failure::Failure;
use super::output;
use super::terminal::{self, ProgressLine};

/// How far a proof is.
pub(crate) struct Progress {
    /// The number of values; none if no bar of values is shown.
    total: Option<u64>,
    /// Bits of a committed value on the wire.
    bits: u64,
    /// Whether a bar of steps is shown.
    in_steps: bool,
    /// Appears with the first value, or once it is known how many steps there are.
    bar: OnceLock<Option<ProgressLine>>,
}

impl Progress {
    /// A bar up to `total` values of `bits` bits each, if progress is shown.
    pub(crate) fn new(bits: u64, total: impl FnOnce() -> Result<u64, Failure>) -> Result<Self, Failure> {
        let total = if terminal::shows_progress() { Some(total()?) } else { None };
        Ok(Self { total, bits, in_steps: false, bar: OnceLock::new() })
    }

    /// A bar of a program's steps, if progress is shown.
    pub(crate) fn in_steps() -> Self {
        Self { in_steps: true, ..Self::none() }
    }

    /// Progress that is not shown.
    pub(crate) fn none() -> Self {
        Self { total: None, bits: 1, in_steps: false, bar: OnceLock::new() }
    }

    fn bar(&self) -> Option<&ProgressBar> {
        let total = self.total?;
        self.bar.get_or_init(|| ProgressLine::bar(total)).as_ref().map(ProgressLine::line)
    }

    /// Moves the bar to these steps.
    pub(crate) fn steps(&self, Steps { done, total }: Steps) {
        if self.in_steps
            && let Some(line) = self.bar.get_or_init(|| ProgressLine::steps(total))
        {
            line.line().set_position(done);
        }
    }

    /// Moves the bar to `position`.
    pub(crate) fn set(&self, position: u64) {
        if let Some(bar) = self.bar() {
            bar.set_position(position);
        }
    }

    /// A channel whose traffic moves the bar.
    pub(crate) fn watch<C: Channel>(&self, channel: C) -> Watched<C> {
        let layer = ProofBytes { bar: self.bar().cloned(), bits: self.bits, bytes: [0; 2] };
        Layered { channel, layer }
    }
}

/// The phases of a session. The progress line names the current one. Each leaves a line with its time.
pub(crate) struct Phases {
    line: Option<ProgressLine>,
    now: Mutex<Option<(String, Instant)>>,
}

impl Phases {
    /// Before the first phase.
    pub(crate) fn new() -> Self {
        Self { line: ProgressLine::phase(), now: Mutex::new(None) }
    }

    /// Ends the current phase and begins the next one.
    pub(crate) fn begin(&self, what: &str) {
        self.finish();
        if let Some(line) = &self.line {
            line.line().set_message(what.to_owned());
            *self.now() = Some((what.to_owned(), Instant::now()));
        }
    }

    /// Adds `text` to the name of the current phase.
    pub(crate) fn note(&self, text: &str) {
        if let (Some(line), Some((what, _))) = (&self.line, &*self.now()) {
            line.line().set_message(format!("{what}: {text}"));
        }
    }

    /// Prints a line where phases are shown, and with `--verbose`.
    pub(crate) fn tell(&self, text: &str) {
        if self.line.is_some() { terminal::message(text) } else { terminal::detail(text) }
    }

    /// Ends the current phase.
    pub(crate) fn finish(&self) {
        if self.line.is_some()
            && let Some((what, start)) = self.now().take()
        {
            terminal::message(&format!("{what}: {}", output::time(start.elapsed())));
        }
    }

    fn now(&self) -> MutexGuard<'_, Option<(String, Instant)>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A channel that counts the bytes of proofs.
pub(crate) type Watched<C> = Layered<C, ProofBytes>;

/// The bytes of a proof that have passed.
pub(crate) struct ProofBytes {
    bar: Option<ProgressBar>,
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
    pub(crate) fn so_far(&self) -> [u64; 2] {
        self.bytes
    }

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

impl<C: Channel> Layer<C> for ProofBytes {
    fn send(&mut self, below: &mut C, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        self.count(SENT, tag, payload.len());
        below.send(tag, payload)
    }

    fn received(&mut self, tag: Tag, payload: &[u8]) {
        self.count(RECEIVED, tag, payload.len());
    }
}
