//! How the end of a session, and of work on a proof's file, is told.

use serde::Serialize;

use super::failure::Failure;
use super::output;
use super::session::Figures;

/// One session's end, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Outcome<'a> {
    /// `accepted`, `rejected` or `failed`.
    result: &'static str,
    statement: &'a str,
    peer: Option<&'a str>,
    reason: Option<String>,
    #[serde(flatten)]
    figures: Option<&'a Figures>,
}

/// Which word of [`Outcome::result`] a session ended with, and why.
fn word(result: &Result<Figures, Failure>) -> (&'static str, Option<String>) {
    match result {
        Ok(_) => ("accepted", None),
        Err(Failure::Rejected(reason)) => ("rejected", Some(reason.clone())),
        Err(failure) => ("failed", Some(failure.to_string())),
    }
}

/// Tells the end of a session on standard output as a JSON object.
fn tell_json(statement: &str, peer: Option<&str>, result: &Result<Figures, Failure>) -> Result<(), Failure> {
    let (word, reason) = word(result);
    output::json(&Outcome { result: word, statement, peer, reason, figures: result.as_ref().ok() })
}

/// Tells how the one session of a command ended. A verdict is a result; why there is none, or why it is no,
/// goes where errors go.
pub(crate) fn conclude(
    json: bool,
    statement: &str,
    peer: Option<&str>,
    result: Result<Figures, Failure>,
) -> Result<(), Failure> {
    match (&result, json) {
        // Found before anything was sent: nothing is written.
        (Err(Failure::Input(_)), _) => {}
        (_, true) => tell_json(statement, peer, &result)?,
        (Ok(figures), false) => output::result(&format!("accepted: {}", figures.text()))?,
        (Err(Failure::Rejected(_)), false) => output::result("rejected")?,
        (Err(Failure::Session(_)), false) => {}
    }
    result.map(drop)
}

/// Tells how one of many sessions ended, on a line of its own.
pub(crate) fn report(
    json: bool,
    statement: &str,
    peer: &str,
    result: &Result<Figures, Failure>,
) -> Result<(), Failure> {
    if json {
        return tell_json(statement, Some(peer), result);
    }
    let (word, reason) = word(result);
    let details = result.as_ref().map_or_else(|_| reason.unwrap_or_default(), Figures::text);
    output::result(&format!("{word}: {peer}: {details}"))
}

/// What work on a file of a proof took.
pub(crate) trait Told {
    /// In words.
    fn text(&self) -> String;
    /// For `--json`.
    fn figures(&self) -> impl Serialize;
}

/// The end of work on a file of a proof, as `--json` prints it.
#[derive(Debug, Serialize)]
struct FileOutcome<'a, F> {
    /// `proved`, `accepted`, `rejected`, or `failed` where the proof is of something else.
    result: &'static str,
    statement: &'a str,
    reason: Option<&'a str>,
    #[serde(flatten)]
    figures: Option<F>,
}

/// Tells how work on a file of a proof ended; `well` is the word for a good end. What hindered it is told
/// where errors go.
pub(crate) fn of_file(
    well: &'static str,
    statement: &str,
    result: Result<impl Told, Failure>,
    json: bool,
) -> Result<(), Failure> {
    match (&result, json) {
        (Ok(done), true) => {
            let figures = Some(done.figures());
            output::json(&FileOutcome { result: well, statement, reason: None, figures })?;
        }
        (Ok(done), false) => output::result(&format!("{well}: {}", done.text()))?,
        (Err(Failure::Rejected(reason)), true) => tell("rejected", statement, reason)?,
        (Err(Failure::Session(reason)), true) => tell("failed", statement, reason)?,
        (Err(Failure::Rejected(_)), false) => output::result("rejected")?,
        (Err(Failure::Session(_) | Failure::Input(_)), _) => {}
    }
    result.map(drop)
}

/// As a JSON object, that work on a file of a proof came to no good end.
fn tell(result: &'static str, statement: &str, reason: &str) -> Result<(), Failure> {
    output::json(&FileOutcome::<()> { result, statement, reason: Some(reason), figures: None })
}
