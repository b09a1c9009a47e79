//! How a session's end is told.

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

/// Tells how the one session of a command ended. A verdict is a result; why there is none, or why it is no, goes where
/// errors go.
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
