//! The terminal: messages, colours and the progress line.
//!
//! The command line decides once, before the first message ([`set`]). There is at most one progress line. All
//! other output goes through [`aside`], which removes that line and draws it again.

use std::cell::Cell;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::args::TerminalArgs;
use super::output;

/// How often the progress line is drawn again.
const TICK: Duration = Duration::from_millis(200);

/// How much the program writes to standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Verbosity {
    /// Errors and questions only.
    Quiet,
    #[default]
    Normal,
    /// Also what happens inside.
    Verbose,
}

/// What the command line asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Settings {
    volume: Verbosity,
    colored: bool,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// The progress line, if there is one now.
static MOVING: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Takes the settings of a command line; only the first call counts.
pub(crate) fn set(args: &TerminalArgs) {
    let volume = match (args.quiet, args.verbose) {
        (true, _) => Verbosity::Quiet,
        (false, true) => Verbosity::Verbose,
        (false, false) => Verbosity::Normal,
    };
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let colored = colored(args.color, stderr().is_terminal(), |name| variable(name).is_some())
        && (args.color == ColorChoice::Always || variable("TERM").is_some_and(|term| term != "dumb"));
    let _ = SETTINGS.set(Settings { volume, colored });
}

/// Whether to colour, by the command line's choice, whether it is a terminal, and which variables are set.
fn colored(choice: ColorChoice, terminal: bool, is_set: impl Fn(&str) -> bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => terminal && !is_set("NO_COLOR"),
    }
}

fn settings() -> Settings {
    SETTINGS.get().copied().unwrap_or_default()
}

/// Prints a message, unless `--quiet` was given.
pub(crate) fn message(line: &str) {
    if settings().volume >= Verbosity::Normal {
        question(line);
    }
}

/// Prints a message if `--verbose` was given.
pub(crate) fn detail(line: &str) {
    if settings().volume >= Verbosity::Verbose {
        question(line);
    }
}

/// Prints why the program fails.
pub(crate) fn error(line: &str) {
    let style = if settings().colored {
        Style::new().bold().fg_color(Some(AnsiColor::Red.into()))
    } else {
        Style::new()
    };
    question(&format!("{style}volery:{style:#} {line}"));
}

/// Prints a message even with `--quiet`: a question, and what it is about. Ignores errors of writing.
pub(crate) fn question(line: &str) {
    aside(|| {
        let _ = stderr().lock().write_all(format!("{line}\n").as_bytes());
    });
}

/// Whether progress is shown: standard error is a terminal, and there is no `--quiet`.
pub(crate) fn shows_progress() -> bool {
    settings().volume > Verbosity::Quiet && stderr().is_terminal()
}

/// Runs `other`, which may write to the terminal, while the progress line is removed.
pub(crate) fn aside<T>(other: impl FnOnce() -> T) -> T {
    thread_local! {
        /// Whether this thread is inside such a call, so that the line is removed already.
        static AWAY: Cell<bool> = const { Cell::new(false) };
    }
    let bar = moving().clone();
    match bar {
        Some(bar) if !AWAY.get() => {
            AWAY.set(true);
            let result = bar.suspend(other);
            AWAY.set(false);
            result
        }
        _ => other(),
    }
}

/// The progress line. Dropping it removes it from the terminal.
pub(crate) struct ProgressLine(ProgressBar);

impl ProgressLine {
    /// A bar up to `total`. None if no progress is shown, or if there is a progress line already.
    pub(crate) fn bar(total: u64) -> Option<Self> {
        Self::counting(total, "{human_pos}")
    }

    /// A bar of `total` steps. None as for [`Self::bar`].
    pub(crate) fn steps(total: u64) -> Option<Self> {
        Self::counting(total, "{human_pos} of {human_len} steps")
    }

    fn counting(total: u64, position: &str) -> Option<Self> {
        let template = |bar| format!("{{bar:{bar}}} {{percent:>3}}%  {position}  {{rate}}  {{eta}}");
        Self::start(|| ProgressBar::new(total), [&template("40"), &template("40.green")])
    }

    /// A line for the phases of a session. None as for [`Self::bar`].
    pub(crate) fn phase() -> Option<Self> {
        Self::start(ProgressBar::new_spinner, ["{spinner} {msg}", "{spinner:.green} {msg}"])
    }

    /// A line that names a task and shows how long it has taken. None as for [`Self::bar`].
    pub(crate) fn task(what: &str) -> Option<Self> {
        let spinner = || ProgressBar::new_spinner().with_message(what.to_owned());
        Self::start(spinner, ["{spinner} {msg} ({elapsed})", "{spinner:.green} {msg} ({elapsed})"])
    }

    fn start(make: impl FnOnce() -> ProgressBar, [plain, colored]: [&str; 2]) -> Option<Self> {
        let mut moving = moving();
        if !shows_progress() || moving.is_some() {
            return None;
        }
        let template = if settings().colored { colored } else { plain };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A line that cannot be written is drawn again soon.
            let _ = write!(out, "{}/s", output::rate(state.per_sec()));
        };
        let bar = make().with_style(style.with_key("rate", rate));
        bar.force_draw();
        bar.enable_steady_tick(TICK);
        *moving = Some(bar.clone());
        Some(Self(bar))
    }

    /// The bar itself, to change its position or message.
    pub(crate) fn line(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.0.finish_and_clear();
        *moving() = None;
    }
}

/// Locks the progress line. It is consistent between any two statements, so a panic of another holder does no
/// harm.
fn moving() -> MutexGuard<'static, Option<ProgressBar>> {
    MOVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work`. On a terminal a line says what it is and how long it has taken.
pub(crate) fn during<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let _line = ProgressLine::task(what);
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_and_no_color_turns_them_off_but_the_option_decides() {
        let none = |_: &str| false;
        let no_color = |name: &str| name == "NO_COLOR";
        assert!(colored(ColorChoice::Auto, true, none));
        assert!(!colored(ColorChoice::Auto, false, none));
        assert!(!colored(ColorChoice::Auto, true, no_color));
        assert!(colored(ColorChoice::Always, false, no_color));
        assert!(!colored(ColorChoice::Never, true, none));
    }
}
