//! The claims about a hidden string that both parties can express in words.

use core::fmt;
use core::ops::RangeInclusive;

use volery_circuit::{Error, Recorded, Recorder};
use volery_field::F2;
use zeroize::Zeroizing;

use super::custom::CustomClaim;
use super::number::{self, Interval};
use super::{Claim, Class, circuits, pattern};
use crate::page::http::json;

/// The longest string or regular expression of an assertion.
pub(crate) const MAX_TEXT: usize = 1 << 9;

/// The most ANDs of a search for a string: its number of bits times the number of its possible positions.
const MAX_SEARCH: usize = 1 << 20;

/// A claim that the parties can express to each other.
///
/// Bytes are compared as they were sent. In a JSON string that is the text with its escapes. If a claim is
/// about a text *within* a JSON string, the proof also shows that the text does not begin within an escape,
/// so that the `n` of `\n` does not count as an `n`. [`json::spelling`] finds out how a text is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// The bytes equal these, including the length.
    Equals(Vec<u8>),
    /// These bytes are at this offset, from 0.
    At {
        /// The offset, in bytes from the string's start.
        offset: usize,
        /// The bytes at the offset.
        text: Vec<u8>,
    },
    /// These bytes are somewhere in the string; the position stays hidden.
    Contains(Vec<u8>),
    /// The length in bytes is in this range. V sees the length anyway; this expresses it in words.
    Length(RangeInclusive<usize>),
    /// The bytes are a decimal number without exponent in this interval. How it is written stays hidden.
    Number(Interval),
    /// The bytes are digits, at least one, without leading zeros.
    Digits,
    /// This regular expression describes the whole string (of bytes; `\d`, `\w`, `\s` and cases are ASCII's).
    ///
    /// Each byte takes one AND for each different edge between states of the smallest automaton, and some to
    /// classify the byte: 10 to 50 for most. An automaton of more than 128 states is refused.
    Matches(String),
    /// A claim that the programs of both parties know by name.
    Custom(CustomClaim),
}

impl fmt::Display for Assertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equals(text) => write!(f, "equals \"{}\"", text.escape_ascii()),
            Self::At { offset, text } => write!(f, "has \"{}\" at {offset}", text.escape_ascii()),
            Self::Contains(text) => write!(f, "contains \"{}\"", text.escape_ascii()),
            Self::Length(length) => write!(f, "has from {} to {} bytes", length.start(), length.end()),
            Self::Number(interval) => write!(f, "is a number {interval}"),
            Self::Digits => f.write_str("is digits only"),
            Self::Matches(pattern) => write!(f, "matches \"{}\"", pattern.as_bytes().escape_ascii()),
            Self::Custom(own) => write!(f, "{own}"),
        }
    }
}

impl Claim for Assertion {
    fn assert(&self, recorder: &mut Recorder<F2>, class: Class, bytes: &[Recorded]) -> Result<(), Error> {
        let length = bytes.len() / 8;
        match self {
            Self::Equals(text) => {
                fits(text, length == text.len(), length)?;
                circuits::equals(recorder, bytes, text)
            }
            Self::At { offset, text } => {
                let end = offset.checked_add(text.len()).filter(|end| *end <= length);
                fits(text, end.is_some(), length)?;
                let end = end.unwrap_or_default();
                circuits::equals(recorder, bytes.get(8 * offset..8 * end).unwrap_or_default(), text)?;
                if class == Class::JsonText {
                    is_whole(text)?;
                    let before = bytes.get(..8 * offset).unwrap_or_default();
                    circuits::assert_boundary(recorder, before)?;
                }
                Ok(())
            }
            Self::Contains(text) => {
                fits(text, text.len() <= length, length)?;
                if bytes.len().saturating_mul(text.len()) > MAX_SEARCH {
                    let reason = format!("{} bytes searched for in {length}", text.len());
                    return Err(Error::Public(format!(
                        "{reason}: the product may be 2^17; say where they are"
                    )));
                }
                if class == Class::JsonText {
                    is_whole(text)?;
                }
                circuits::contains(recorder, bytes, text, class == Class::JsonText)
            }
            Self::Length(expected) if expected.contains(&length) => Ok(()),
            Self::Length(_) => Err(Error::Public(format!("a hidden string of {length} bytes {self}"))),
            Self::Number(interval) if interval.is_empty() => {
                Err(Error::Public(format!("a hidden string {self}: no number is in this interval")))
            }
            Self::Number(interval) => number::within(recorder, bytes, interval),
            Self::Digits => circuits::digits(recorder, bytes),
            Self::Matches(pattern) => {
                let automaton = pattern::automaton(pattern)?;
                automaton.assert(recorder, &mut super::byte::Byte::all(bytes))
            }
            Self::Custom(own) => own.assert(recorder, class, bytes),
        }
    }

    fn witness(&self, bytes: &[u8]) -> Result<Zeroizing<Vec<F2>>, Error> {
        match self {
            Self::Custom(own) => own.witness(bytes),
            _ => Ok(Zeroizing::default()),
        }
    }

    fn reason(&self, bytes: &[u8]) -> Option<String> {
        match self {
            Self::Number(_) if bytes.iter().any(|byte| matches!(byte, b'e' | b'E')) => {
                Some("it is written with an exponent, and such numbers are not compared".into())
            }
            Self::Custom(own) => own.reason(bytes),
            _ => None,
        }
    }
}

/// Checks that a string for a comparison is neither empty nor too long for its place.
fn fits(text: &[u8], fits: bool, length: usize) -> Result<(), Error> {
    if fits && !text.is_empty() && text.len() <= MAX_TEXT {
        return Ok(());
    }
    let reason = format!("a claim about {} bytes on a hidden string of {length}", text.len());
    Err(Error::Public(format!("{reason}: it must fit there, and have from 1 to 512 bytes")))
}

/// Checks that a text within a JSON string consists of whole characters, as JSON writes them.
fn is_whole(text: &[u8]) -> Result<(), Error> {
    if json::is_string_text(text) {
        return Ok(());
    }
    let text = text.escape_ascii();
    Err(Error::Public(format!(
        "\"{text}\" is not text of a JSON string, whose characters are whole and escaped where they must be"
    )))
}
