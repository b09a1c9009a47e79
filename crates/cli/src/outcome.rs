//! How a command ends: in words, or with `--json` as one object. Every object has the keys of one schema,
//! which the guide's page on `--json` lists.
//!
//! A command prints the object of its good end itself ([`json`]). A failure goes up to `main`, with what
//! there is to say about it ([`Failure::with`]), and `main` prints its object ([`json_failure`]). So every
//! exit has an object, and only one.

use serde::Serialize;

use super::failure::Failure;
use super::output;
use super::session::Figures;

/// What a good end means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Good {
    /// A proof, a witness or a signature was checked, and it is right.
    Accepted,
    /// Something was made, counted, measured or shown.
    Done,
}

/// What `--json` prints: the keys that every object has, and those of the command.
#[derive(Serialize)]
struct Object<'a, D> {
    /// `accepted`, `done`, `rejected` or `error`.
    result: &'static str,
    /// Of the command; of one session of a server, what it would be for that session alone.
    exit_code: u8,
    /// Why the result is `rejected` or `error`.
    error: Option<Reason>,
    #[serde(flatten)]
    details: &'a D,
}

#[derive(Serialize)]
struct Reason {
    /// `rejected`, `usage`, `input`, `mismatch`, `session` or `refused`.
    kind: &'static str,
    message: String,
}

/// Prints the object of a good end.
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

/// The word for a failure.
fn word(failure: &Failure) -> &'static str {
    if failure.is_rejection() { "rejected" } else { "error" }
}

/// What is said of any session, however it ended.
#[derive(Debug, Serialize)]
struct SessionObject<'a> {
    statement: &'a str,
    peer: Option<&'a str>,
    #[serde(flatten)]
    figures: Option<&'a Figures>,
}

/// Tells how the one session of a command ended. A verdict is a result; why there is none, or why it is no,
/// goes where errors go.
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
        Ok(figures) => output::result(&format!("accepted: {}", figures.text()))?,
        Err(failure) if failure.is_rejection() && !as_json => output::result("rejected")?,
        Err(_) => {}
    }
    result.map(drop).map_err(|failure| failure.with(&SessionObject { statement, peer, figures: None }))
}

/// Tells how one of many sessions ended, on a line of its own.
pub(crate) fn report(
    as_json: bool,
    statement: &str,
    peer: &str,
    result: &Result<Figures, Failure>,
) -> Result<(), Failure> {
    let session = |figures| SessionObject { statement, peer: Some(peer), figures };
    match result {
        Ok(figures) if as_json => json(Good::Accepted, &session(Some(figures))),
        Ok(figures) => output::result(&format!("accepted: {peer}: {}", figures.text())),
        Err(failure) if as_json => json_failure(failure, failure.kind(), &session(None)),
        Err(failure) if failure.is_rejection() => {
            output::result(&format!("rejected: {peer}: {}", failure.reason()))
        }
        Err(failure) => output::result(&format!("failed: {peer}: {failure}")),
    }
}

/// What work on a file of a proof took.
pub(crate) trait Summary {
    /// In words.
    fn text(&self) -> String;
    /// For `--json`.
    fn figures(&self) -> impl Serialize;
}

/// What is said of work on a file of a proof, however it ended.
#[derive(Debug, Serialize)]
struct FileObject<'a, F> {
    statement: &'a str,
    #[serde(flatten)]
    figures: Option<F>,
}

/// Tells how work on a file of a proof ended.
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
