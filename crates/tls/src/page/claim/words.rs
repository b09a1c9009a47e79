//! Assertions in the words of a command line.
//!
//! ```text
//! = TEXT                 at OFFSET TEXT          contains TEXT          length LEAST..GREATEST
//! in LEAST..GREATEST     > NUMBER   >= NUMBER    < NUMBER   <= NUMBER   is digits           matches REGULAR EXPRESSION
//! ```
//!
//! One end of a range may be left out. A text extends to the end, including blanks.

use core::str::FromStr;

use super::number::{Bound, Interval};
use super::{Assertion, MAX_TEXT};
use crate::page::http::json::Decimal;

/// Words that are not an assertion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected `= TEXT`, `contains TEXT`, `at OFFSET TEXT`, `matches REGEX`, `in LEAST..GREATEST`, `>= NUMBER` (or <=, >, <), \
     `is digits` or `length LEAST..GREATEST`"
)]
pub struct WordsError;

impl FromStr for Assertion {
    type Err = WordsError;

    fn from_str(words: &str) -> Result<Self, WordsError> {
        read(words).ok_or(WordsError)
    }
}

fn read(words: &str) -> Option<Assertion> {
    let (word, rest) = words.split_once(' ')?;
    let interval = match word {
        "=" => return text(rest).map(Assertion::Equals),
        "contains" => return text(rest).map(Assertion::Contains),
        "matches" => return text(rest).map(|_| Assertion::Matches(rest.into())),
        "is" => return (rest == "digits").then_some(Assertion::Digits),
        "at" => {
            let (offset, found) = rest.split_once(' ')?;
            return Some(Assertion::At { offset: whole(offset)?, text: text(found)? });
        }
        "length" => {
            let (least, greatest) = range(rest)?;
            let greatest = greatest.map_or(Some(u32::MAX as usize), whole)?;
            return Some(Assertion::Length(least.map_or(Some(0), whole)?..=greatest));
        }
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
