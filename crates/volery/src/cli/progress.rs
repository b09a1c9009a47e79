//! A progress bar for long proofs, on a terminal only.
//!
//! Every committed bit passes through the channel once, in frames of some thousand: so a channel that counts what
//! passes knows how far a proof is, and the proof itself knows nothing of it. What the bar goes up to takes a run of the
//! counter, which only a terminal pays for.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use volery::Channel;
use volery_channel::{Error, Stats, Tag, tags};

use super::failure::Failure;
use super::statement::Named;

/// How far a proof is.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar for `statement` if standard error is a terminal.
    pub(crate) fn new(statement: &Named) -> Result<Self, Failure> {
        if !stderr().is_terminal() {
            return Ok(Self(None));
        }
        let counts = statement.count()?.total();
        Self::up_to(counts.inputs.saturating_add(counts.multiplications))
    }

    /// A bar up to `total` if standard error is a terminal.
    pub(crate) fn up_to(total: u64) -> Result<Self, Failure> {
        if !stderr().is_terminal() {
            return Ok(Self(None));
        }
        let bar = ProgressBar::new(total);
        let style = ProgressStyle::with_template("{bar:40} {percent:>3}%  {human_pos}  {per_sec}  {eta}");
        bar.set_style(style.map_err(Failure::session)?);
        bar.enable_steady_tick(Duration::from_millis(200));
        Ok(Self(Some(bar)))
    }

    /// Without a bar.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Moves the bar to `position`.
    pub(crate) fn set(&self, position: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(position);
        }
    }

    /// A channel whose traffic moves the bar.
    pub(crate) fn watch<C: Channel>(&self, inner: C) -> Watched<C> {
        Watched { inner, bar: self.0.clone() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// A channel that counts masked bits.
pub(crate) struct Watched<C> {
    inner: C,
    bar: Option<ProgressBar>,
}

/// Moves `bar` on by what a message of this step carries.
fn count(bar: Option<&ProgressBar>, tag: Tag, bytes: usize) {
    if let Some(bar) = bar
        && tag == tags::MASKS
    {
        bar.inc(8 * bytes as u64);
    }
}

impl<C: Channel> Channel for Watched<C> {
    fn send(&mut self, tag: Tag, payload: &[u8]) -> Result<(), Error> {
        count(self.bar.as_ref(), tag, payload.len());
        self.inner.send(tag, payload)
    }

    fn recv(&mut self, tag: Tag, max: usize) -> Result<&[u8], Error> {
        let payload = self.inner.recv(tag, max)?;
        count(self.bar.as_ref(), tag, payload.len());
        Ok(payload)
    }

    fn recv_exact(&mut self, tag: Tag, out: &mut [u8]) -> Result<(), Error> {
        self.inner.recv_exact(tag, out)?;
        count(self.bar.as_ref(), tag, out.len());
        Ok(())
    }

    fn recv_into(&mut self, tag: Tag, max: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        self.inner.recv_into(tag, max, out)?;
        count(self.bar.as_ref(), tag, out.len());
        Ok(())
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
}
