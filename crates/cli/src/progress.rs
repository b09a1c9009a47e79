//! A progress bar for proofs, and the phases of a session with a notary; on a terminal only.
//!
//! The length of the bar comes from one more run of the statement, which happens on a terminal only. Of the
//! run of a program nobody knows the length before the session, and people count steps.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use indicatif::ProgressBar;
use volery_statement::{Settled, Watch};

use super::failure::Failure;
use super::output;
use super::terminal::{self, ProgressLine};

/// How far a proof is.
#[derive(Clone)]
pub(crate) struct Progress(Arc<Bar>);

struct Bar {
    /// The number of values; none if no bar of values is shown.
    total: Option<u64>,
    /// Whether a bar of steps is shown.
    in_steps: bool,
    /// Appears with the first value, or once it is known how many steps there are.
    bar: OnceLock<Option<ProgressLine>>,
}

impl Progress {
    /// A bar up to `total` values, if progress is shown.
    pub(crate) fn new(total: impl FnOnce() -> Result<u64, Failure>) -> Result<Self, Failure> {
        let total = if terminal::shows_progress() { Some(total()?) } else { None };
        Ok(Self(Arc::new(Bar { total, in_steps: false, bar: OnceLock::new() })))
    }

    /// A bar for a proof, if progress is shown: of its values, or of a program's steps.
    pub(crate) fn of(statement: &Settled<'_>) -> Result<Self, Failure> {
        if statement.statement().is_foreseen() {
            return Self::new(|| Ok(statement.commitments()?.unwrap_or_default()));
        }
        Ok(Self(Arc::new(Bar { total: None, in_steps: true, bar: OnceLock::new() })))
    }

    /// Moves the bar to `position`.
    pub(crate) fn set(&self, position: u64) {
        if let Some(bar) = self.0.bar() {
            bar.set_position(position);
        }
    }

    /// What moves the bar while a proof is made.
    pub(crate) fn watch(&self) -> Watch {
        Watch::new(Arc::clone(&self.0) as _)
    }
}

impl Bar {
    fn bar(&self) -> Option<&ProgressBar> {
        let total = self.total?;
        self.bar.get_or_init(|| ProgressLine::bar(total)).as_ref().map(ProgressLine::line)
    }
}

impl volery_statement::Progress for Bar {
    fn committed(&self, values: u64) {
        if let Some(bar) = self.bar() {
            bar.inc(values);
        }
    }

    fn steps(&self, done: u64, total: u64) {
        if self.in_steps
            && let Some(line) = self.bar.get_or_init(|| ProgressLine::steps(total))
        {
            line.line().set_position(done);
        }
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
