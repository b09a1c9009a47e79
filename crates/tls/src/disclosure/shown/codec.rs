//! P's message before the proof: the opened bits, and what V gets to see.

use core::ops::Range;

use super::{Hidden, MAX_CLAIMS, MAX_HIDDEN, MAX_RANGES, Part, Shown};
use crate::claim::{Assertion, Class, MAX_TEXT};
use crate::cursor::{Cursor, Flaw};
use crate::disclosure::Refusal;

const VERSION: u8 = 2;
/// The longest path or header name.
const MAX_NAME: usize = 1 << 10;
/// The most bytes of a hidden string's description in the message.
const MAX_DESCRIPTION: usize = 9 + MAX_NAME + 8 * MAX_RANGES + MAX_CLAIMS * (MAX_TEXT + 32);

/// What P sends before the proof. Both directions: the request's first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::disclosure) struct Message {
    pub(in crate::disclosure) opened: Vec<u8>,
    pub(in crate::disclosure) shown: [Shown; 2],
}

impl Message {
    /// The most bytes of a message with so many of each part.
    pub(in crate::disclosure) fn max_bytes(opened: usize, payload: usize) -> usize {
        64 + opened + payload + 2 * MAX_HIDDEN * MAX_DESCRIPTION
    }

    pub(in crate::disclosure) fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        long(&mut out, &self.opened);
        for shown in &self.shown {
            long(&mut out, &shown.text);
            number(&mut out, shown.hidden.len());
            shown.hidden.iter().for_each(|hidden| encode_hidden(&mut out, hidden));
        }
        out
    }

    /// # Errors
    /// [`Refusal::Message`].
    pub(in crate::disclosure) fn decode(bytes: &[u8]) -> Result<Self, Refusal> {
        let cursor = &mut Cursor::new(bytes);
        let message = Self::read(cursor)?;
        let rest = cursor.rest().len();
        if rest == 0 { Ok(message) } else { Err(Flaw::Trailing(rest).into()) }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Refusal> {
        if cursor.u8("the version")? != VERSION {
            return Err(Refusal::Message(
                "of another version: the two parties run different programs".into(),
            ));
        }
        let opened = read_long(cursor, "the opened bits")?.to_vec();
        Ok(Self { opened, shown: [read_shown(cursor)?, read_shown(cursor)?] })
    }
}

impl From<Flaw> for Refusal {
    fn from(flaw: Flaw) -> Self {
        Self::Message(flaw.to_string())
    }
}

/// A number that is far below 2^32 wherever it comes from: lengths and places of a bounded payload.
fn number(out: &mut Vec<u8>, number: usize) {
    out.extend((number as u32).to_be_bytes());
}

fn long(out: &mut Vec<u8>, bytes: &[u8]) {
    number(out, bytes.len());
    out.extend_from_slice(bytes);
}

fn read_number(cursor: &mut Cursor<'_>, what: &'static str, most: usize) -> Result<usize, Refusal> {
    let number = u32::from_be_bytes(cursor.array(what)?) as usize;
    if number > most {
        return Err(Refusal::Message(format!("{number} for {what}; at most {most} are allowed")));
    }
    Ok(number)
}

fn read_long<'a>(cursor: &mut Cursor<'a>, what: &'static str) -> Result<&'a [u8], Refusal> {
    let length = read_number(cursor, what, usize::MAX)?;
    Ok(cursor.bytes(length, what)?)
}

fn read_text(cursor: &mut Cursor<'_>, most: usize) -> Result<Vec<u8>, Refusal> {
    let length = read_number(cursor, "a text's length", most)?;
    Ok(cursor.bytes(length, "a text")?.to_vec())
}

fn encode_hidden(out: &mut Vec<u8>, hidden: &Hidden) {
    out.push(hidden.class.code());
    let (code, name) = match &hidden.part {
        Part::Json(path) => (1, path.as_str()),
        Part::Header(name) => (2, name.as_str()),
        Part::Target => (3, ""),
        Part::Body => (4, ""),
    };
    out.push(code);
    long(out, name.as_bytes());
    out.push(u8::from(hidden.commit));
    number(out, hidden.ranges.len());
    for range in &hidden.ranges {
        number(out, range.start);
        number(out, range.len());
    }
    number(out, hidden.claims.len());
    hidden.claims.iter().for_each(|claim| encode_claim(out, claim));
}

fn encode_claim(out: &mut Vec<u8>, claim: &Assertion) {
    match claim {
        Assertion::Equals(text) => {
            out.push(1);
            long(out, text);
        }
        Assertion::At { offset, text } => {
            out.push(2);
            number(out, *offset);
            long(out, text);
        }
        Assertion::Contains(text) => {
            out.push(3);
            long(out, text);
        }
        Assertion::Between { least, greatest } => {
            out.push(4);
            out.extend(least.to_be_bytes());
            out.extend(greatest.to_be_bytes());
        }
    }
}

fn read_shown(cursor: &mut Cursor<'_>) -> Result<Shown, Refusal> {
    let text = read_long(cursor, "a payload")?.to_vec();
    let count = read_number(cursor, "the number of hidden strings", MAX_HIDDEN)?;
    let hidden = (0..count).map(|_| read_hidden(cursor)).collect::<Result<_, _>>()?;
    Ok(Shown { text, hidden })
}

fn read_hidden(cursor: &mut Cursor<'_>) -> Result<Hidden, Refusal> {
    let unknown = |what: &str| Refusal::Message(format!("an unknown {what}"));
    let class = Class::from_code(cursor.u8("a class")?).ok_or_else(|| unknown("class of bytes"))?;
    let code = cursor.u8("a part")?;
    let name = String::from_utf8(read_text(cursor, MAX_NAME)?).map_err(|_| unknown("kind of text"))?;
    let part = match (code, name.is_empty()) {
        (1, _) => Part::Json(name),
        (2, false) => Part::Header(name),
        (3, true) => Part::Target,
        (4, true) => Part::Body,
        _ => return Err(unknown("part of a message")),
    };
    let commit = match cursor.u8("a flag")? {
        0 => false,
        1 => true,
        _ => return Err(unknown("flag")),
    };
    let count = read_number(cursor, "the number of ranges", MAX_RANGES)?;
    let ranges = (0..count).map(|_| read_range(cursor)).collect::<Result<_, _>>()?;
    let count = read_number(cursor, "the number of claims", MAX_CLAIMS)?;
    let claims = (0..count).map(|_| read_claim(cursor)).collect::<Result<_, _>>()?;
    Ok(Hidden { part, class, ranges, claims, commit })
}

fn read_range(cursor: &mut Cursor<'_>) -> Result<Range<usize>, Refusal> {
    let start = read_number(cursor, "a range's place", usize::MAX)?;
    let length = read_number(cursor, "a range's length", usize::MAX)?;
    let end = start.checked_add(length).ok_or(Flaw::Ends("a range"))?;
    Ok(start..end)
}

fn read_claim(cursor: &mut Cursor<'_>) -> Result<Assertion, Refusal> {
    Ok(match cursor.u8("a claim")? {
        1 => Assertion::Equals(read_text(cursor, MAX_TEXT)?),
        2 => Assertion::At {
            offset: read_number(cursor, "a claim's place", usize::MAX)?,
            text: read_text(cursor, MAX_TEXT)?,
        },
        3 => Assertion::Contains(read_text(cursor, MAX_TEXT)?),
        4 => Assertion::Between {
            least: u64::from_be_bytes(cursor.array("a bound")?),
            greatest: u64::from_be_bytes(cursor.array("a bound")?),
        },
        _ => return Err(Refusal::Message("an unknown claim".into())),
    })
}
