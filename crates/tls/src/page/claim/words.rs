//! Assertions in the words of a command line.
//!
//! ```text
//! = TEXT                 != TEXT                 one of TEXT|TEXT|...    contains TEXT           at OFFSET TEXT
//! in LEAST..GREATEST     > NUMBER   >= NUMBER    < NUMBER   <= NUMBER    is true                 is false   is null
//! before DATE            since DATE              is digits               matches REGULAR EXPRESSION
//! characters LEAST..GREATEST                     length LEAST..GREATEST
//! ```
//!
//! One end of a range may be left out. A text extends to the end, including blanks, and is not empty. In the
//! texts of `one of`, `\|` is a bar and `\\` a backslash.

use core::ops::RangeInclusive;
use core::str::FromStr;

use volery_circuit::Error;

use super::assertion::MAX_COUNT;
use super::number::{Bound, Interval};
use super::{Assertion, MAX_TEXT, Word};
use crate::page::http::json::Decimal;

/// Words that are not an assertion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WordsError {
    /// They have none of the forms.
    #[error(
        "expected `= TEXT`, `!= TEXT`, `one of TEXT|TEXT`, `contains TEXT`, `at OFFSET TEXT`, `matches REGEX`, `in LEAST..GREATEST`, \
         `>= NUMBER` (or <=, >, <), `before DATE`, `since DATE`, `is true` (or false, null), `is digits`, \
         `characters LEAST..GREATEST` or `length LEAST..GREATEST`"
    )]
    Form,
    /// They have one of the forms, and what they say holds for no string, or is too large.
    #[error("{0}")]
    Claim(String),
}

impl FromStr for Assertion {
    type Err = WordsError;

    /// Also [checks](Assertion::check) the assertion.
    fn from_str(words: &str) -> Result<Self, WordsError> {
        let assertion = read(words)?;
        assertion.check().map_err(|error| match error {
            Error::Public(reason) => WordsError::Claim(reason),
            error => WordsError::Claim(error.to_string()),
        })?;
        Ok(assertion)
    }
}

/// Why a text of a claim is not empty.
const EMPTY: &str = "its text is empty, and whether a part is empty shows by its length: `length 0..0` says that it is, `length 1..` that it is not";

fn read(words: &str) -> Result<Assertion, WordsError> {
    let (word, rest) = words.split_once(' ').unwrap_or((words, ""));
    match word {
        "=" | "!=" | "contains" | "matches" if rest.is_empty() => Err(WordsError::Claim(EMPTY.into())),
        "before" | "since" => {
            let instant = rest.parse().map_err(|error| WordsError::Claim(format!("{error}")))?;
            Ok(if word == "before" { Assertion::Before(instant) } else { Assertion::Since(instant) })
        }
        "one" => {
            let all = rest.strip_prefix("of ").and_then(texts).ok_or(WordsError::Form)?;
            if all.iter().any(Vec::is_empty) {
                return Err(WordsError::Claim(format!("one of several texts: {EMPTY}")));
            }
            Ok(Assertion::OneOf(all))
        }
        _ => form(word, rest).ok_or(WordsError::Form),
    }
}

fn form(word: &str, rest: &str) -> Option<Assertion> {
    let interval = match word {
        "=" => return text(rest).map(Assertion::Equals),
        "!=" => return text(rest).map(Assertion::NotEquals),
        "contains" => return text(rest).map(Assertion::Contains),
        "matches" => return text(rest).map(|_| Assertion::Matches(rest.into())),
        "is" if rest == "digits" => return Some(Assertion::Digits),
        "is" => return Word::ALL.into_iter().find(|word| word.word() == rest).map(Assertion::Is),
        "at" => {
            let (offset, found) = rest.split_once(' ')?;
            return Some(Assertion::At { offset: whole(offset)?, text: text(found)? });
        }
        "length" => return counts(rest).map(Assertion::Length),
        "characters" => return counts(rest).map(Assertion::Characters),
        "in" => {
            let (least, greatest) = range(rest)?;
            Interval { least: bound(least, false)?, greatest: bound(greatest, false)? }
        }
        ">=" | ">" => Interval { least: bound(Some(rest), word == ">")?, greatest: None },
        "<=" | "<" => Interval { least: None, greatest: bound(Some(rest), word == "<")? },
        _ => return None,
    };
    Some(Assertion::Number(interval))
}

/// Texts between bars.
fn texts(words: &str) -> Option<Vec<Vec<u8>>> {
    let (mut texts, mut text) = (Vec::new(), String::new());
    let mut characters = words.chars();
    while let Some(c) = characters.next() {
        match c {
            '|' => texts.push(core::mem::take(&mut text).into_bytes()),
            '\\' => text.push(characters.next().filter(|next| matches!(next, '|' | '\\'))?),
            c => text.push(c),
        }
    }
    texts.push(text.into_bytes());
    Some(texts)
}

fn counts(text: &str) -> Option<RangeInclusive<usize>> {
    let (least, greatest) = range(text)?;
    let greatest = greatest.map_or(Some(MAX_COUNT), whole)?;
    Some(least.map_or(Some(0), whole)?..=greatest)
}

fn text(text: &str) -> Option<Vec<u8>> {
    (1..=MAX_TEXT).contains(&text.len()).then(|| text.into())
}

/// The ends of a range; at most one is left out.
fn range(text: &str) -> Option<(Option<&str>, Option<&str>)> {
    let (least, greatest) = text.split_once("..")?;
    let [least, greatest] = [least, greatest].map(|end| Some(end).filter(|end| !end.is_empty()));
    (least.is_some() || greatest.is_some()).then_some((least, greatest))
}

/// The inner `None` is an end that is left out; the outer `None` is text that is not a number.
fn bound(text: Option<&str>, open: bool) -> Option<Option<Bound>> {
    let Some(text) = text else { return Some(None) };
    let number: Decimal = text.parse().ok()?;
    Some(Some(Bound { number, open }))
}

/// A number of bytes.
fn whole(text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse::<u32>().ok().filter(|_| digits).map(|number| number as usize)
}
