//! P's message before the proof: the opened bits, and V's view of the payload.

use core::ops::Range;

use volery_channel::{Cursor, Flaw};

use super::values::{MAX_BETWEEN, MAX_VALUES};
use super::{Hidden, MAX_CLAIMS, MAX_HIDDEN, MAX_HIDDEN_BYTES, MAX_RANGES, Part, RedactedPayload, Values};
use crate::page::attestation::{Context, MAX_CONTEXT};
use crate::page::claim::{self, Class, MAX_ENCODED, Malformed, put_number, put_text, read_number, read_text};
use crate::page::commitment::Form;
use crate::page::disclosure::Refusal;
use crate::page::http::MAX_MESSAGES;
use crate::page::leaf::{CHUNK, Shape};

const VERSION: u8 = 5;
/// The longest path or header name.
const MAX_NAME: usize = 1 << 10;
/// The most leaves of a hidden string: one for each value of a run, or the chunks of the longest string.
const MAX_LEAVES: usize = MAX_HIDDEN_BYTES.div_ceil(CHUNK);
const _: () = assert!(MAX_LEAVES >= MAX_VALUES);
/// The most bytes of a hidden string's description in the message.
const MAX_DESCRIPTION: usize = 21
    + MAX_NAME
    + 4 * MAX_VALUES
    + MAX_BETWEEN
    + 8 * MAX_RANGES
    + MAX_CLAIMS * MAX_ENCODED
    + 32 * MAX_LEAVES;

/// P's message before the proof, for both directions, the request's first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::page::disclosure) struct DisclosureMessage {
    /// The context that V is to sign.
    pub(in crate::page::disclosure) context: Context,
    /// The public key of whoever will make presentations, if P commits to everything.
    pub(in crate::page::disclosure) holder: Option<[u8; 32]>,
    pub(in crate::page::disclosure) opened: Vec<u8>,
    pub(in crate::page::disclosure) shown: [RedactedPayload; 2],
}

impl DisclosureMessage {
    /// The most bytes of a message with this many opened bits and payload bytes, including its few numbers
    /// and the context.
    pub(in crate::page::disclosure) fn max_bytes(opened: usize, payload: usize) -> usize {
        128 + opened + payload + 2 * MAX_HIDDEN * MAX_DESCRIPTION
    }

    pub(in crate::page::disclosure) fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        put_text(&mut out, self.context.as_bytes());
        put_text(&mut out, self.holder.as_ref().map_or(&[][..], |key| key));
        put_text(&mut out, &self.opened);
        for shown in &self.shown {
            put_text(&mut out, &shown.text);
            put_all_hidden(&mut out, &shown.hidden);
        }
        out
    }

    /// # Errors
    /// [`Refusal::Message`].
    pub(in crate::page::disclosure) fn decode(bytes: &[u8]) -> Result<Self, Refusal> {
        let cursor = &mut Cursor::new(bytes);
        let message = Self::read(cursor)?;
        let rest = cursor.rest().len();
        if rest == 0 { Ok(message) } else { Err(Flaw::Trailing(rest).into()) }
    }

    /// For fuzzing: reads any bytes as this message. What it accepts must encode back to the same bytes.
    #[cfg(feature = "fuzzing")]
    pub(in crate::page::disclosure) fn fuzz(bytes: &[u8]) {
        if let Ok(message) = Self::decode(bytes) {
            assert_eq!(message.encode(), bytes);
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Refusal> {
        if cursor.u8("the version")? != VERSION {
            return Err(Refusal::Message(
                "of another version: the two parties run different programs".into(),
            ));
        }
        let context = Context::new(read_text(cursor, "the context", MAX_CONTEXT)?);
        let context = context.map_err(|error| Refusal::Message(error.to_string()))?;
        let holder = match read_text(cursor, "the holder's key", 32)? {
            [] => None,
            key => Some(
                key.try_into()
                    .map_err(|_| Refusal::Message("a holder's key of other than 32 bytes".into()))?,
            ),
        };
        let opened = read_text(cursor, "the opened bits", usize::MAX)?.to_vec();
        let shown = [read_shown(cursor)?, read_shown(cursor)?];
        let leaves = shown.iter().flat_map(|shown| &shown.hidden).any(|hidden| !hidden.leaves.is_empty());
        if leaves != holder.is_some() {
            return Err(Refusal::Message("leaves without a holder, or a holder without leaves".into()));
        }
        Ok(Self { context, holder, opened, shown })
    }
}

impl From<Flaw> for Refusal {
    fn from(flaw: Flaw) -> Self {
        Self::Message(flaw.to_string())
    }
}

impl From<Malformed> for Refusal {
    fn from(Malformed(reason): Malformed) -> Self {
        Self::Message(reason)
    }
}

fn put_hidden(out: &mut Vec<u8>, hidden: &Hidden) {
    put_number(out, hidden.round);
    out.push(hidden.class.code());
    let (code, name) = match &hidden.part {
        Part::Json(path) => (1, path.as_str()),
        Part::Header(name) => (2, name.as_str()),
        Part::Path => (3, ""),
        Part::Body => (4, ""),
        Part::Query => (5, ""),
        Part::Values(values) => (6, values.first.as_str()),
        Part::Parameter(name) => (7, name.as_str()),
        Part::Trailer(name) => (8, name.as_str()),
    };
    out.push(code);
    put_text(out, name.as_bytes());
    if let Part::Values(Values { between, .. }) = &hidden.part {
        put_number(out, between.len());
        between.iter().for_each(|text| put_text(out, text.as_bytes()));
    }
    out.push(match hidden.commit {
        None => 0,
        Some(Form::Bytes) => 1,
        Some(Form::Number) => 2,
    });
    put_number(out, hidden.ranges.len());
    for range in &hidden.ranges {
        put_number(out, range.start);
        put_number(out, range.len());
    }
    put_number(out, hidden.claims.len());
    hidden.claims.iter().for_each(|claim| claim::put_assertion(out, claim));
    put_number(out, hidden.leaves.len());
    out.extend_from_slice(hidden.leaves.as_flattened());
}

/// All hidden strings of a direction.
pub(crate) fn put_all_hidden(out: &mut Vec<u8>, hidden: &[Hidden]) {
    put_number(out, hidden.len());
    hidden.iter().for_each(|hidden| put_hidden(out, hidden));
}

fn read_shown(cursor: &mut Cursor<'_>) -> Result<RedactedPayload, Refusal> {
    let text = read_text(cursor, "a payload", usize::MAX)?.to_vec();
    Ok(RedactedPayload { text, hidden: read_all_hidden(cursor)? })
}

/// All hidden strings of a direction. Custom claims that are read are not explained yet.
pub(crate) fn read_all_hidden(cursor: &mut Cursor<'_>) -> Result<Vec<Hidden>, Malformed> {
    let count = read_number(cursor, "the number of hidden strings", MAX_HIDDEN)?;
    (0..count).map(|_| read_hidden(cursor)).collect()
}

fn read_hidden(cursor: &mut Cursor<'_>) -> Result<Hidden, Malformed> {
    let unknown = |what: &str| Malformed(format!("an unknown {what}"));
    let round = read_number(cursor, "a round", MAX_MESSAGES)?;
    let class = Class::from_code(cursor.u8("a class")?).ok_or_else(|| unknown("class of bytes"))?;
    let code = cursor.u8("a part")?;
    let name = read_text(cursor, "a part's name", MAX_NAME)?.to_vec();
    let name = String::from_utf8(name).map_err(|_| unknown("kind of text"))?;
    let part = match (code, name.is_empty()) {
        (1, _) => Part::Json(name),
        (2, false) => Part::Header(name),
        (3, true) => Part::Path,
        (4, true) => Part::Body,
        (5, true) => Part::Query,
        (7, false) => Part::Parameter(name),
        (8, false) => Part::Trailer(name),
        (6, _) => Part::Values(Values { first: name, between: read_between(cursor)? }),
        _ => return Err(unknown("part of a message")),
    };
    let commit = match cursor.u8("a form")? {
        0 => None,
        1 => Some(Form::Bytes),
        2 => Some(Form::Number),
        _ => return Err(unknown("form of commitments")),
    };
    let count = read_number(cursor, "the number of ranges", MAX_RANGES)?;
    let ranges = (0..count).map(|_| read_range(cursor)).collect::<Result<_, _>>()?;
    let count = read_number(cursor, "the number of claims", MAX_CLAIMS)?;
    let claims = (0..count).map(|_| claim::read_assertion(cursor)).collect::<Result<_, _>>()?;
    let mut hidden = Hidden { round, part, class, ranges, claims, commit, leaves: Vec::new() };
    hidden.leaves = read_leaves(cursor, &hidden)?;
    Ok(hidden)
}

/// The digests of all leaves of a string, or none.
fn read_leaves(cursor: &mut Cursor<'_>, hidden: &Hidden) -> Result<Vec<[u8; 32]>, Malformed> {
    let count = read_number(cursor, "the number of leaves", MAX_LEAVES)?;
    let expected = Shape::of(&hidden.part, hidden.length()).count();
    if count != 0 && count != expected {
        return Err(Malformed(format!("{count} leaves of a hidden string that has {expected}")));
    }
    (0..count).map(|_| Ok(cursor.array("the digest of a leaf")?)).collect()
}

/// The text between values.
fn read_between(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Malformed> {
    let count = read_number(cursor, "the number of texts between values", MAX_VALUES - 1)?;
    let (mut between, mut left) = (Vec::new(), MAX_BETWEEN);
    for _ in 0..count {
        let text = read_text(cursor, "the text between values", left)?;
        left = left.saturating_sub(text.len());
        let text = core::str::from_utf8(text);
        between.push(text.map_err(|_| Malformed("text between values that is not UTF-8".into()))?.into());
    }
    Ok(between)
}

fn read_range(cursor: &mut Cursor<'_>) -> Result<Range<usize>, Malformed> {
    let start = read_number(cursor, "a range's place", usize::MAX)?;
    let length = read_number(cursor, "a range's length", usize::MAX)?;
    let end = start.checked_add(length).ok_or(Flaw::Ends("a range"))?;
    Ok(start..end)
}
