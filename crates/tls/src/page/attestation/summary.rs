//! What a statement says, in a sentence for each request, for people who want to know nothing else:
//!
//! ```text
//! https://data.example.com/account?<hidden>, 200, at 2026-05-28T20:26:40Z: currency = "EUR", balance is at least 5000 (hidden)
//! ```
//!
//! Values are written as JSON, so strings are in quotation marks, and none of them can pass for a claim. A
//! quotation mark within a string has a backslash before it, and *one*: with two the string would seem to end
//! there. Where a long string is cut, its quotation mark stands before the dots.

use volery_channel::hex;

use super::show::{utc, visible};
use super::{AttestedPayload, Statement};
use crate::page::claim::{Assertion, Class};
use crate::page::disclosure::{Hidden, MessagePart, Part, Reading, view};
use crate::page::presentation::{ClaimedPart, OpenedPart};
use crate::wire::prf::Side;

/// The most shown values that a sentence has.
const MAX_VALUES: usize = 12;
/// The most characters of a shown value.
const MAX_CHARACTERS: usize = 60;

impl Statement {
    /// A sentence for each request: what was asked for, when, and what is shown and claimed. The text is safe
    /// on a terminal. If the messages cannot be read again, the sentence says only which server it was.
    #[must_use]
    pub fn summary(&self) -> Vec<String> {
        self.summary_with(&|_| Vec::new())
    }

    /// The same, with `more` that a request's sentence says.
    pub(crate) fn summary_with(&self, more: &dyn Fn(usize) -> Vec<String>) -> Vec<String> {
        let address = self.address();
        let Some(reading) = self.reading() else {
            return vec![format!("https://{address}, at {}", utc(self.time))];
        };
        (0..reading.rounds())
            .filter_map(|round| self.sentence(&reading, &address, round, more(round)))
            .collect()
    }

    /// The messages again; none if they are too long, or are not what V must have seen.
    pub(crate) fn reading(&self) -> Option<Reading> {
        let shown = |part: &AttestedPayload| {
            let revealed = part.revealed.iter().map(|revealed| (revealed.start, &*revealed.bytes));
            view(part.length, revealed, &part.hidden)
        };
        let shown = [shown(&self.query)?, shown(&self.response)?];
        let reading = Reading::new(shown, &self.server_name, self.port).ok()?;
        (reading.rounds() == self.rounds as usize).then_some(reading)
    }

    /// The header fields of requests of which it is not known what servers do with them, each with the number
    /// of its request, from 0. Some servers take path, host or method from such fields (`X-Original-URL`), so
    /// the meaning of the path must not depend on them. None if the messages cannot be read again.
    #[must_use]
    pub fn unknown_fields(&self) -> Vec<(usize, String)> {
        self.unknown_fields_of(self.reading().as_ref())
    }

    /// The same of messages that were read again.
    pub(super) fn unknown_fields_of(&self, reading: Option<&Reading>) -> Vec<(usize, String)> {
        let Some(reading) = reading else { return Vec::new() };
        let fields = |round| reading.unknown_fields(round).into_iter().map(move |name| (round, name));
        (0..reading.rounds()).flat_map(fields).collect()
    }

    /// Host and port as in a URL.
    fn address(&self) -> String {
        let host = &self.server_name;
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        if self.port == 443 { host } else { format!("{host}:{}", self.port) }
    }

    fn sentence(&self, reading: &Reading, address: &str, round: usize, own: Vec<String>) -> Option<String> {
        let (method, target, status) = reading.outline(round)?;
        let mut text = match round {
            0 => String::new(),
            _ => format!("request {}: ", round.saturating_add(1)),
        };
        if method != "GET" {
            text = format!("{text}{method} ");
        }
        text = format!("{text}https://{address}{target}, {status}, at {}", utc(self.time));
        let mut parts: Vec<String> = Vec::new();
        for (side, word) in [(Side::Client, "request "), (Side::Server, "")] {
            let mut values = reading.values(side, round);
            let more = values.len().saturating_sub(MAX_VALUES);
            values.truncate(MAX_VALUES);
            let of = |path: &str| if path.is_empty() { "body".to_owned() } else { path.to_owned() };
            parts.extend(values.iter().map(|(path, value)| format!("{word}{} = {}", of(path), short(value))));
            if more > 0 {
                parts.push(format!("{more} more {word}values"));
            }
            let hidden = self.part(side).hidden.iter().filter(|hidden| hidden.round == round);
            parts.extend(hidden.flat_map(|hidden| claims(word, hidden)));
        }
        parts.extend(own);
        let parts = if parts.is_empty() { "no value is shown or claimed".into() } else { parts.join(", ") };
        Some(visible(&format!("{text}: {parts}")))
    }
}

/// A part's name in a sentence.
fn name(part: &Part) -> String {
    match part {
        Part::Json(path) if !path.is_empty() => path.clone(),
        part => part.to_string(),
    }
}

/// What a presentation shows of the messages of a round.
pub(crate) fn presented(opened: &[OpenedPart], claimed: &[ClaimedPart], round: usize) -> Vec<String> {
    let named = |part: &MessagePart| {
        let word = if part.side == Side::Client { "request " } else { "" };
        format!("{word}{}", name(&part.part))
    };
    let mut parts = Vec::new();
    let own = opened.iter().filter(|opened| opened.part.round == round);
    for OpenedPart { part, class, range, bytes } in own.clone().take(MAX_VALUES) {
        let text = String::from_utf8_lossy(bytes);
        let value = match class {
            Class::JsonText => format!("\"{text}\""),
            Class::Number | Class::Word => text.into_owned(),
            // As JSON, too, so that it ends where it seems to end.
            _ => serde_json::Value::from(text).to_string(),
        };
        let from = range.as_ref().map(|range| format!(" from byte {} on", range.start));
        parts.push(format!("{}{} = {} (opened)", named(part), from.unwrap_or_default(), short(&value)));
    }
    let more = own.count().saturating_sub(MAX_VALUES);
    if more > 0 {
        parts.push(format!("{more} more values (opened)"));
    }
    let claimed = claimed.iter().filter(|claimed| claimed.part.round == round);
    parts.extend(
        claimed.map(|claimed| format!("{} {} (proved)", named(&claimed.part), words(&claimed.claim))),
    );
    parts
}

/// What is said of a hidden string.
fn claims(word: &str, hidden: &Hidden) -> Vec<String> {
    let name = name(&hidden.part);
    let commit = hidden.commit.map(|_| "is committed to".to_owned());
    let all = hidden.claims.iter().map(words).chain(commit);
    all.map(|claim| format!("{word}{name} {claim} (hidden)")).collect()
}

/// A claim in few words.
fn words(claim: &Assertion) -> String {
    match claim {
        Assertion::Number(interval) => match interval.to_string().replace(" and of ", " and ") {
            any if any == "of any value" => "is a number".into(),
            bounds => format!("is {}", bounds.strip_prefix("of ").unwrap_or(&bounds)),
        },
        other => other.to_string(),
    }
}

/// The beginning of a long value. A string ends before the dots, and is not cut within an escape.
fn short(value: &str) -> String {
    let Some((end, _)) = value.char_indices().nth(MAX_CHARACTERS) else { return value.to_owned() };
    let begin = value.get(..end).unwrap_or_default();
    if !begin.starts_with('"') {
        return format!("{begin}... ({} bytes)", value.len());
    }
    let (mut end, mut missing) = (0, 0);
    for (at, c) in begin.char_indices() {
        // The characters that are missing of an escape: one after the backslash, four digits after a u.
        missing = match (missing, c) {
            (0, '\\') => 1,
            (1, 'u') => 4,
            (missing, _) => u32::saturating_sub(missing, 1),
        };
        if missing == 0 {
            end = at.saturating_add(c.len_utf8());
        }
    }
    format!("{}\"... ({} bytes)", begin.get(..end).unwrap_or_default(), value.len())
}

/// The id of a public key: the first 8 bytes of its SHA-256 in hexadecimal digits.
#[must_use]
pub fn key_id(key: &[u8; 32]) -> String {
    use sha2::Digest as _;
    let digest: [u8; 32] = sha2::Sha256::digest(key).into();
    hex::encode(digest.get(..8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_string_ends_before_the_dots_and_not_within_an_escape() {
        let long = |head: &str| short(&format!("\"{head}{}\"", "y".repeat(80)));
        assert_eq!(short("\"x\""), "\"x\"");
        assert_eq!(short(&"7".repeat(70)), format!("{}... (70 bytes)", "7".repeat(60)));
        for escape in ["\\\"", "\\\\", "\\n", "\\u0041"] {
            for before in 50..60 {
                let (x, left) = ("x".repeat(before), 59_usize.checked_sub(before + escape.len()));
                let kept = left.map_or_else(|| x.clone(), |left| format!("{x}{escape}{}", "y".repeat(left)));
                let cut = long(&format!("{x}{escape}"));
                assert!(cut.starts_with(&format!("\"{kept}\"... (")), "{cut}");
            }
        }
        // The text of a string cannot pass for its end.
        assert!(long("... (99 bytes), balance is at least 5000 (hidden)").ends_with("yyyy\"... (131 bytes)"));
    }
}
