//! The claims about a hidden string that both parties can express in words.

use core::fmt;
use core::ops::RangeInclusive;

use volery_circuit::gadgets::{any_one, not};
use volery_circuit::{Error, Prove as _, Recorded, Recorder};
use volery_field::F2;
use zeroize::Zeroizing;

use super::custom::CustomClaim;
use super::date::{self, Instant};
use super::number::{self, Bound, Interval};
use super::{Claim, Class, cannot_hold, characters, circuits, magnitude, pattern, spelling};
use crate::page::http::json;

/// The longest string or regular expression of an assertion.
pub(crate) const MAX_TEXT: usize = 1 << 9;

/// The most texts of [`Assertion::OneOf`]. Together they are at most as long as one text may be.
pub(crate) const MAX_TEXTS: usize = 32;

/// The greatest end of a range of lengths. No string is that long, so it is no bound.
pub(super) const MAX_COUNT: usize = u32::MAX as usize;

/// The most ANDs of a search for a string: its number of bits times the number of its possible positions.
const MAX_SEARCH: usize = 1 << 20;

/// A JSON value that is a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Word {
    /// `true`.
    True,
    /// `false`.
    False,
    /// `null`.
    Null,
}

impl Word {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::True, Self::False, Self::Null];

    /// The word's bytes.
    pub(super) fn text(self) -> &'static [u8] {
        self.word().as_bytes()
    }

    pub(super) fn code(self) -> u8 {
        match self {
            Self::True => 1,
            Self::False => 2,
            Self::Null => 3,
        }
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.code() == code)
    }

    /// The word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Null => "null",
        }
    }
}

/// A claim that the parties can express to each other.
///
/// Most compare bytes as they were sent. In a JSON string that is the text with its escapes. If a claim is
/// about a text *within* a JSON string, the proof also shows that the text does not begin within an escape,
/// so that the `n` of `\n` does not count as an `n`. [`json::spelling`] finds out how a text is written.
/// [What a text is](crate::claim#what-a-text-is) says which claims compare meanings instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// The bytes equal these, including the length. Of a number, P claims the digits in which the server
    /// wrote the value: `1500` becomes `1.5e3`.
    Equals(Vec<u8>),
    /// The string is not this text: a JSON string does not mean it, a number has another value, any other
    /// string has other bytes. A text with digits that is no [`Decimal`](json::Decimal) is not compared with
    /// a number, so that `5.` or `1e9999999999` is not said to be other than the number that it would be.
    NotEquals(Vec<u8>),
    /// The string is one of these texts, which are different: a JSON string means one of them, a number has
    /// the value of one, any other string has the bytes of one. A text that is no
    /// [`Decimal`](json::Decimal) is the value of no number. There are at most 32 texts, and at most 512
    /// bytes together.
    OneOf(Vec<Vec<u8>>),
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
    /// The number of characters is in this range. An escape of a JSON string is one character.
    Characters(RangeInclusive<usize>),
    /// The bytes are a decimal number in this interval. How it is written stays hidden. Its exponent has at
    /// most three digits after leading zeros; each bound has at most 123 digits between zeros.
    Number(Interval),
    /// The bytes are digits, at least one, without leading zeros.
    Digits,
    /// The value is this JSON word, and not a string of these letters.
    Is(Word),
    /// The bytes are a date, or a date and a time, before this. Which forms are read:
    ///
    /// `2026-01-31`, `2026-01-31T12:30:00`, the latter also with a fraction of a second, then with `Z` or an
    /// offset such as `+01:00`. A text without an offset is in UTC.
    Before(Instant),
    /// The same, at this or later.
    Since(Instant),
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
            Self::NotEquals(text) => write!(f, "is not \"{}\"", text.escape_ascii()),
            Self::OneOf(texts) => {
                let texts: Vec<_> = texts.iter().map(|text| format!("\"{}\"", text.escape_ascii())).collect();
                write!(f, "is one of {}", texts.join(", "))
            }
            Self::At { offset, text } => write!(f, "has \"{}\" at {offset}", text.escape_ascii()),
            Self::Contains(text) => write!(f, "contains \"{}\"", text.escape_ascii()),
            Self::Length(length) => write!(f, "has {} bytes", Count(length)),
            Self::Characters(count) => write!(f, "has {} characters", Count(count)),
            Self::Number(interval) => write!(f, "is a number {interval}"),
            Self::Digits => f.write_str("is digits only"),
            Self::Is(word) => write!(f, "is {}", word.word()),
            Self::Before(instant) => write!(f, "is a date before {instant}"),
            Self::Since(instant) => write!(f, "is a date not before {instant}"),
            Self::Matches(pattern) => write!(f, "matches \"{}\"", pattern.as_bytes().escape_ascii()),
            Self::Custom(own) => write!(f, "{own}"),
        }
    }
}

/// A number in a range: `from 3 to 20`, or `at least 3` where nothing but the form of claims bounds it.
struct Count<'a>(&'a RangeInclusive<usize>);

impl fmt::Display for Count<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, greatest) = (self.0.start(), self.0.end());
        if *greatest == MAX_COUNT {
            return write!(f, "at least {least}");
        }
        write!(f, "from {least} to {greatest}")
    }
}

impl Assertion {
    /// Checks that there are strings for which it holds, as far as its words say, and that it is not too
    /// large for any string. Whoever writes a claim can call this long before there is a string.
    ///
    /// # Errors
    /// [`Error::Public`] with the reason.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Equals(text) | Self::NotEquals(text) | Self::Contains(text) | Self::At { text, .. } => {
                proper((1..=MAX_TEXT).contains(&text.len()), || {
                    format!("a text of {} bytes; it must have from 1 to {MAX_TEXT}", text.len())
                })
            }
            Self::OneOf(texts) => check_texts(texts),
            Self::Length(range) | Self::Characters(range) => proper(!range.is_empty(), || {
                format!("from {} to {}: no number is in this range", range.start(), range.end())
            }),
            Self::Number(interval) => {
                proper(!interval.is_empty(), || {
                    format!("a number {interval}: no number is in this interval")
                })?;
                let bounds = [&interval.least, &interval.greatest].into_iter().flatten();
                bounds.map(|Bound { number, .. }| number).try_for_each(magnitude::check_bound)
            }
            Self::Matches(pattern) => pattern::automaton(pattern).map(drop),
            Self::Digits | Self::Is(_) | Self::Before(_) | Self::Since(_) | Self::Custom(_) => Ok(()),
        }
    }
}

fn proper(proper: bool, reason: impl FnOnce() -> String) -> Result<(), Error> {
    if proper { Ok(()) } else { Err(Error::Public(reason())) }
}

fn check_texts(texts: &[Vec<u8>]) -> Result<(), Error> {
    proper((1..=MAX_TEXTS).contains(&texts.len()), || {
        format!("one of {} texts; there must be from 1 to {MAX_TEXTS}", texts.len())
    })?;
    let length: usize = texts.iter().map(Vec::len).sum();
    proper(length <= MAX_TEXT, || format!("texts of {length} bytes in all; at most {MAX_TEXT}"))?;
    let twice =
        texts.iter().enumerate().find(|(at, text)| texts.iter().take(*at).any(|other| other == *text));
    proper(twice.is_none(), || {
        let text = twice.map(|(_, text)| text.as_slice()).unwrap_or_default();
        format!("one of several texts, and \"{}\" is there twice", text.escape_ascii())
    })
}

impl Claim for Assertion {
    fn assert(&self, recorder: &mut Recorder<F2>, class: Class, bytes: &[Recorded]) -> Result<(), Error> {
        let length = bytes.len() / 8;
        match self {
            // Its check is the making of its automaton.
            Self::Matches(_) => {}
            _ => self.check()?,
        }
        match self {
            Self::Equals(text) if length == text.len() => circuits::equals(recorder, bytes, text),
            Self::NotEquals(text) => differs(recorder, class, bytes, text),
            Self::OneOf(texts) if class == Class::JsonText => means_one(recorder, bytes, texts),
            Self::OneOf(texts) if class == Class::Number => number::one_of(recorder, bytes, texts),
            Self::OneOf(texts) => circuits::one_of(recorder, bytes, texts.iter().map(Vec::as_slice)),
            Self::At { offset, text } => at(recorder, class, bytes, *offset, text),
            Self::Contains(text) if text.len() <= length => contains(recorder, class, bytes, text),
            Self::Length(expected) if expected.contains(&length) => Ok(()),
            Self::Characters(expected) => characters::within(recorder, class, bytes, expected),
            Self::Number(interval) => number::within(recorder, bytes, interval),
            Self::Digits if length > 0 => circuits::digits(recorder, bytes),
            Self::Is(word) if class == Class::Word => circuits::one_of(recorder, bytes, [word.text()]),
            Self::Before(instant) => date::compare(recorder, bytes, instant, true),
            Self::Since(instant) => date::compare(recorder, bytes, instant, false),
            Self::Matches(pattern) => {
                let automaton = pattern::automaton(pattern)?;
                automaton.assert(recorder, &mut super::byte::Byte::all(bytes))
            }
            Self::Custom(own) => own.assert(recorder, class, bytes),
            Self::Equals(_) | Self::Contains(_) | Self::Length(_) | Self::Digits | Self::Is(_) => {
                Err(cannot_hold(length))
            }
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
            Self::Number(_) | Self::NotEquals(_) if magnitude::has_long_exponent(bytes) => {
                let most = magnitude::EXPONENT_DIGITS;
                Some(format!("its exponent has more than {most} digits, and such numbers are not compared"))
            }
            Self::Before(_) | Self::Since(_) if !date::is_read(bytes) => Some(
                "it is not in one of the forms that are read: 2026-01-31, or 2026-01-31T12:30:00 and then Z or \
                 an offset such as +01:00"
                    .into(),
            ),
            Self::Custom(own) => own.reason(bytes),
            _ => None,
        }
    }
}

/// Claims that the string is not this text.
fn differs(recorder: &mut Recorder<F2>, class: Class, bytes: &[Recorded], text: &[u8]) -> Result<(), Error> {
    match class {
        Class::JsonText => match spelling::means(recorder, bytes, text) {
            Ok(same) => recorder.assert_zero(&[same]),
            // No spelling of the text has this length.
            Err(Error::Contradicted { .. }) => Ok(()),
            Err(error) => Err(error),
        },
        Class::Number => {
            match number::decimal(text) {
                Some(number) => number::other_than(recorder, bytes, &number),
                // A text that could be taken for a number says nothing true about one if it is not compared.
                None if has_digits(text) => Err(Error::Public(format!(
                    "is not \"{}\": a number is compared with what JSON takes for one, and with no exponent of more than nine digits",
                    text.escape_ascii()
                ))),
                None => Ok(()),
            }
        }
        _ if bytes.len() == 8 * text.len() => circuits::differs(recorder, bytes, text),
        _ => Ok(()),
    }
}

/// Whether there are digits in this text, of any script.
fn has_digits(text: &[u8]) -> bool {
    core::str::from_utf8(text).is_ok_and(|text| text.chars().any(char::is_numeric))
}

/// Claims that a JSON string means one of these texts, which are different.
fn means_one(recorder: &mut Recorder<F2>, bytes: &[Recorded], texts: &[Vec<u8>]) -> Result<(), Error> {
    let mut found = Vec::new();
    for text in texts {
        match spelling::means(recorder, bytes, text) {
            Ok(same) => found.push(same),
            Err(Error::Contradicted { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    if found.is_empty() {
        return Err(cannot_hold(bytes.len() / 8));
    }
    let found = any_one(recorder, &found)?;
    let none = not(recorder, &found);
    recorder.assert_zero(&[none])
}

fn at(
    recorder: &mut Recorder<F2>,
    class: Class,
    bytes: &[Recorded],
    offset: usize,
    text: &[u8],
) -> Result<(), Error> {
    let length = bytes.len() / 8;
    let end = offset.checked_add(text.len()).filter(|end| *end <= length);
    let end = end.ok_or_else(|| cannot_hold(length))?;
    circuits::equals(recorder, bytes.get(8 * offset..8 * end).unwrap_or_default(), text)?;
    if class == Class::JsonText {
        is_whole(text)?;
        let before = bytes.get(..8 * offset).unwrap_or_default();
        circuits::assert_boundary(recorder, before)?;
    }
    Ok(())
}

fn contains(recorder: &mut Recorder<F2>, class: Class, bytes: &[Recorded], text: &[u8]) -> Result<(), Error> {
    if bytes.len().saturating_mul(text.len()) > MAX_SEARCH {
        let [text, all] = [text.len(), bytes.len() / 8];
        return Err(Error::Public(format!(
            "a text of {text} bytes is searched for in {all}, and the product may be at most 131,072 (2^17): search for a shorter text, \
             or say where it is (`at OFFSET TEXT`)"
        )));
    }
    if class == Class::JsonText {
        is_whole(text)?;
    }
    circuits::contains(recorder, bytes, text, class == Class::JsonText)
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
