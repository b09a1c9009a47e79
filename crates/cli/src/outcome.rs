//! Prints how a command ended: in words, or with `--json` as one object. All objects follow one schema, which
//! docs/guide/json.md describes.
//!
//! A command that succeeds prints its object itself ([`json`]). A command that fails returns a failure with
//! the keys that it knows ([`Failure::with`]), and `main` prints the object ([`json_failure`]). So every exit
//! prints exactly one object.

use serde::Serialize;
use volery_statement::Ran;

use super::failure::Failure;
use super::output;
use super::session::Figures;

/// How a command succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Good {
    /// A proof, a witness or a signature was checked, and it is right.
    Accepted,
    /// Something was made, counted, measured or shown.
    Done,
}

/// A JSON object: the keys that every object has, then those of the command.
#[derive(Serialize)]
struct Object<'a, D> {
    /// `accepted`, `done`, `rejected` or `error`.
    result: &'static str,
    /// The command's exit code. For a session of a server: the code of that session alone.
    exit_code: u8,
    /// Why the result is `rejected` or `error`.
    error: Option<Reason>,
    #[serde(flatten)]
    details: &'a D,
}

#[derive(Serialize)]
struct Reason {
    /// `rejected`, `usage`, `input`, `page`, `mismatch`, `session` or `refused`.
    kind: &'static str,
    message: String,
}

/// Prints the object of a command that succeeded.
pub(crate) fn json(good: Good, details: &impl Serialize) -> Result<(), Failure> {
    let result = match good {
        Good::Accepted => "accepted",
        Good::Done => "done",
    };
    output::json(&Object { result, exit_code: 0, error: None, details })
}

/// Prints the object of a failure of this `kind`.
pub(crate) fn json_failure(
    failure: &Failure,
    kind: &'static str,
    details: &impl Serialize,
) -> Result<(), Failure> {
    let error = Some(Reason { kind, message: failure.reason() });
    output::json(&Object { result: word(failure), exit_code: failure.code(), error, details })
}

/// The `result` of a failure.
fn word(failure: &Failure) -> &'static str {
    if failure.is_rejection() { "rejected" } else { "error" }
}

/// The keys of a session, whether it succeeded or failed.
#[derive(Debug, Serialize)]
struct SessionObject<'a> {
    statement: &'a str,
    peer: Option<&'a str>,
    #[serde(flatten)]
    figures: Option<&'a Figures>,
}

/// Prints how the one session of a command ended. The verdict goes to standard output. Reasons go with the
/// failure, which `main` prints to standard error.
pub(crate) fn conclude(
    as_json: bool,
    statement: &str,
    peer: Option<&str>,
    result: Result<Figures, Failure>,
) -> Result<(), Failure> {
    match &result {
        Ok(figures) if as_json => {
            json(Good::Accepted, &SessionObject { statement, peer, figures: Some(figures) })?
        }
        Ok(figures) => {
            output::result(&format!("accepted: {}", figures.text()))?;
            figures.run.iter().flat_map(Ran::lines).try_for_each(|line| output::result(&line))?;
        }
        Err(failure) if failure.is_rejection() && !as_json => output::result("rejected")?,
        Err(_) => {}
    }
    result.map(drop).map_err(|failure| failure.with(&SessionObject { statement, peer, figures: None }))
}

/// Prints how one of a server's sessions ended, on one line.
pub(crate) fn report(
    as_json: bool,
    statement: &str,
    peer: &str,
    result: &Result<Figures, Failure>,
) -> Result<(), Failure> {
    let session = |figures| SessionObject { statement, peer: Some(peer), figures };
    match result {
        Ok(figures) if as_json => json(Good::Accepted, &session(Some(figures))),
        Ok(figures) => {
            output::result(&format!("accepted: {peer}: {}", figures.text()))?;
            let lines = figures.run.iter().flat_map(Ran::lines);
            lines.map(|line| format!("  {peer}: {line}")).try_for_each(|line| output::result(&line))
        }
        Err(failure) if as_json => json_failure(failure, failure.kind(), &session(None)),
        Err(failure) if failure.is_rejection() => {
            output::result(&format!("rejected: {peer}: {}", failure.reason()))
        }
        Err(failure) => output::result(&format!("failed: {peer}: {failure}")),
    }
}

/// The result of making or checking a proof in a file.
pub(crate) trait Summary {
    /// The result in words.
    fn text(&self) -> String;
    /// Its keys for `--json`.
    fn figures(&self) -> impl Serialize;
}

/// The keys of a command that makes or checks a proof in a file, whether it succeeded or failed.
#[derive(Debug, Serialize)]
struct FileObject<'a, F> {
    statement: &'a str,
    #[serde(flatten)]
    figures: Option<F>,
}

/// Prints how making or checking a proof in a file ended.
pub(crate) fn conclude_file(
    good: Good,
    statement: &str,
    result: Result<impl Summary, Failure>,
    as_json: bool,
) -> Result<(), Failure> {
    match &result {
        Ok(done) if as_json => json(good, &FileObject { statement, figures: Some(done.figures()) })?,
        Ok(done) => {
            let word = if good == Good::Accepted { "accepted" } else { "proved" };
            output::result(&format!("{word}: {}", done.text()))?;
        }
        Err(failure) if failure.is_rejection() && !as_json => output::result("rejected")?,
        Err(_) => {}
    }
    result.map(drop).map_err(|failure| failure.with(&FileObject::<()> { statement, figures: None }))
}
