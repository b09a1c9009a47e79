//! Assertions as bytes, for messages and attestations. Each has one encoding.
//!
//! ```text
//! equals       01 | text                     length     05 | least, 4 bytes | greatest, 4 bytes
//! at           02 | offset, 4 bytes | text   number     06 | bound | bound        bound: 00, or 01 (closed) or 02 (open) | text
//! contains     03 | text                     digits     07
//! matches      04 | text                     own        08 | text of its name | text of its parameters
//! not equals   09 | text                     one of     0a | number of texts, 4 bytes | texts
//! is           0b | 01 true, 02 false, 03 null            characters  0c | least, 4 bytes | greatest, 4 bytes
//! before       0d | text of a time           since      0e | text of a time
//! ```
//!
//! A text is its length in 4 bytes followed by its bytes. Numbers are big-endian. A bound's number is text as
//! [`Decimal`] writes it, a time text as [`Instant`] writes it.

use core::ops::RangeInclusive;

use volery_channel::{Cursor, Flaw};

use super::custom::CustomClaim;
use super::number::{Bound, Interval};
use super::{Assertion, Instant, MAX_NAME, MAX_PARAMETERS, MAX_TEXT, MAX_TEXTS, Word};
use crate::page::http::json::Decimal;

/// The longest text of a decimal number: a sign, a point, 512 digits and an exponent, or 21 zeros more.
const MAX_DECIMAL: usize = 540;
/// The most bytes of an assertion.
pub(crate) const MAX_ENCODED: usize = 16 + 2 * MAX_DECIMAL;
/// The longest text of a time.
const MAX_INSTANT: usize = 20;
const _: () = assert!(MAX_ENCODED >= 16 + MAX_TEXT + 4 * MAX_TEXTS);
const _: () = assert!(MAX_ENCODED >= 16 + MAX_TEXT && MAX_ENCODED >= 16 + MAX_NAME + MAX_PARAMETERS);

/// Bytes that are not an encoding, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) String);

impl From<Flaw> for Malformed {
    fn from(flaw: Flaw) -> Self {
        Self(flaw.to_string())
    }
}

/// Writes a number. It is always far below 2^32: lengths and positions are those of a bounded payload.
pub(crate) fn put_number(out: &mut Vec<u8>, number: usize) {
    out.extend((number as u32).to_be_bytes());
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    put_number(out, text.len());
    out.extend_from_slice(text);
}

pub(crate) fn read_number(
    cursor: &mut Cursor<'_>,
    what: &'static str,
    most: usize,
) -> Result<usize, Malformed> {
    let number = cursor.u32(what)? as usize;
    if number > most {
        return Err(Malformed(format!("{number} for {what}; at most {most} are allowed")));
    }
    Ok(number)
}

pub(crate) fn read_text<'a>(
    cursor: &mut Cursor<'a>,
    what: &'static str,
    most: usize,
) -> Result<&'a [u8], Malformed> {
    let length = read_number(cursor, what, most)?;
    Ok(cursor.bytes(length, what)?)
}

pub(crate) fn put_assertion(out: &mut Vec<u8>, assertion: &Assertion) {
    match assertion {
        Assertion::Equals(text) => {
            out.push(1);
            put_text(out, text);
        }
        Assertion::At { offset, text } => {
            out.push(2);
            put_number(out, *offset);
            put_text(out, text);
        }
        Assertion::Contains(text) => {
            out.push(3);
            put_text(out, text);
        }
        Assertion::Matches(pattern) => {
            out.push(4);
            put_text(out, pattern.as_bytes());
        }
        Assertion::Length(length) => {
            out.push(5);
            put_number(out, *length.start());
            put_number(out, *length.end());
        }
        Assertion::Number(Interval { least, greatest }) => {
            out.push(6);
            [least, greatest].into_iter().for_each(|bound| put_bound(out, bound.as_ref()));
        }
        Assertion::Digits => out.push(7),
        Assertion::Custom(own) => {
            out.push(8);
            put_text(out, own.name().as_bytes());
            put_text(out, own.parameters());
        }
        Assertion::NotEquals(text) => {
            out.push(9);
            put_text(out, text);
        }
        Assertion::OneOf(texts) => {
            out.push(10);
            put_number(out, texts.len());
            texts.iter().for_each(|text| put_text(out, text));
        }
        Assertion::Is(word) => out.extend([11, word.code()]),
        Assertion::Characters(count) => {
            out.push(12);
            put_number(out, *count.start());
            put_number(out, *count.end());
        }
        Assertion::Before(instant) => put_instant(out, 13, instant),
        Assertion::Since(instant) => put_instant(out, 14, instant),
    }
}

fn put_instant(out: &mut Vec<u8>, code: u8, instant: &Instant) {
    out.push(code);
    put_text(out, instant.to_string().as_bytes());
}

fn put_bound(out: &mut Vec<u8>, bound: Option<&Bound>) {
    let Some(Bound { number, open }) = bound else { return out.push(0) };
    out.push(1 + u8::from(*open));
    put_text(out, number.to_string().as_bytes());
}

/// # Errors
/// [`Malformed`]; a claim that cannot hold is still read.
pub(crate) fn read_assertion(cursor: &mut Cursor<'_>) -> Result<Assertion, Malformed> {
    const WHAT: &str = "a claim's text";
    Ok(match cursor.u8("a claim")? {
        1 => Assertion::Equals(read_text(cursor, WHAT, MAX_TEXT)?.to_vec()),
        2 => Assertion::At {
            offset: read_number(cursor, "a claim's place", usize::MAX)?,
            text: read_text(cursor, WHAT, MAX_TEXT)?.to_vec(),
        },
        3 => Assertion::Contains(read_text(cursor, WHAT, MAX_TEXT)?.to_vec()),
        4 => {
            let pattern = core::str::from_utf8(read_text(cursor, WHAT, MAX_TEXT)?);
            Assertion::Matches(
                pattern.map_err(|_| Malformed("a regular expression is not UTF-8".into()))?.into(),
            )
        }
        5 => Assertion::Length(read_range(cursor)?),
        6 => Assertion::Number(Interval { least: read_bound(cursor)?, greatest: read_bound(cursor)? }),
        7 => Assertion::Digits,
        8 => {
            let name = read_text(cursor, "a claim's name", MAX_NAME)?;
            let parameters = read_text(cursor, "a claim's parameters", MAX_PARAMETERS)?;
            Assertion::Custom(
                CustomClaim::read(name, parameters).map_err(|error| Malformed(error.to_string()))?,
            )
        }
        9 => Assertion::NotEquals(read_text(cursor, WHAT, MAX_TEXT)?.to_vec()),
        10 => {
            let count = read_number(cursor, "the number of a claim's texts", MAX_TEXTS)?;
            let texts = (0..count).map(|_| read_text(cursor, WHAT, MAX_TEXT).map(<[u8]>::to_vec));
            let texts = texts.collect::<Result<Vec<_>, _>>()?;
            if texts.iter().map(Vec::len).sum::<usize>() > MAX_TEXT {
                return Err(Malformed(format!("texts of a claim with more than {MAX_TEXT} bytes in all")));
            }
            Assertion::OneOf(texts)
        }
        11 => {
            let word = Word::from_code(cursor.u8("a word")?);
            Assertion::Is(word.ok_or_else(|| Malformed("an unknown word".into()))?)
        }
        12 => Assertion::Characters(read_range(cursor)?),
        13 => Assertion::Before(read_instant(cursor)?),
        14 => Assertion::Since(read_instant(cursor)?),
        _ => return Err(Malformed("an unknown claim".into())),
    })
}

fn read_range(cursor: &mut Cursor<'_>) -> Result<RangeInclusive<usize>, Malformed> {
    let least = read_number(cursor, "a length", usize::MAX)?;
    Ok(least..=read_number(cursor, "a length", usize::MAX)?)
}

fn read_instant(cursor: &mut Cursor<'_>) -> Result<Instant, Malformed> {
    let text = core::str::from_utf8(read_text(cursor, "a time", MAX_INSTANT)?).ok();
    let instant =
        text.and_then(|text| text.parse::<Instant>().ok().filter(|instant| instant.to_string() == text));
    instant.ok_or_else(|| Malformed("a bound that is no time in its usual form".into()))
}

fn read_bound(cursor: &mut Cursor<'_>) -> Result<Option<Bound>, Malformed> {
    let open = match cursor.u8("a bound")? {
        0 => return Ok(None),
        1 => false,
        2 => true,
        _ => return Err(Malformed("an unknown bound".into())),
    };
    let text = read_text(cursor, "a bound", MAX_DECIMAL)?;
    let text = core::str::from_utf8(text).ok();
    let number =
        text.and_then(|text| text.parse::<Decimal>().ok().filter(|number| number.to_string() == text));
    let number =
        number.ok_or_else(|| Malformed("a bound that is no decimal number in its usual form".into()))?;
    Ok(Some(Bound { number, open }))
}
