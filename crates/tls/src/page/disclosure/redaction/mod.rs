//! V's view of a payload, the hidden strings in it, and the claims about them.
//!
//! Everything is shown except what is hidden. So V, and anybody who reads the attestation, sees the text
//! around a hidden value: that `response.user.age` is a value with that name in that place, and not two
//! digits somewhere on a page. A hidden string has a name ([`Part`]), by which V finds it in the text that it
//! sees. `rest` decides about the parts that P does not name, `fields` about header fields; `values` hides
//! several values of a JSON body as one string.

mod codec;
mod empty;
mod fields;
mod group;
mod listing;
mod name;
mod parameters;
mod reading;
mod rest;
mod spelling;
mod structure;
#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of one range are meant")]
mod tests;
mod values;

pub(super) use codec::DisclosureMessage;
pub(crate) use codec::{put_all_hidden, read_all_hidden};
pub(super) use empty::refusals;
pub use fields::{Visibility, visibility};
pub(super) use listing::listed;
pub use listing::{Listed, PartKind};
pub use name::PartError;
pub(crate) use reading::{Found, Reading, view};
pub use rest::{Rest, Selection};
pub(crate) use spelling::spell;
pub(crate) use structure::Server;
pub(super) use structure::{
    ALWAYS_SHOWN, Checked, check, check_pipelined, exchanges, find, no_round, part_refusal,
};
pub use values::Values;

use core::ops::Range;

use serde::{Serialize, Serializer};
use zeroize::Zeroizing;

use super::Refusal;
use crate::page::claim::{Assertion, Class, Vocabulary};
use crate::page::commitment::{Form, Place};
use crate::wire::prf::Side;

/// The most hidden strings of a direction.
pub(crate) const MAX_HIDDEN: usize = 256;
/// The most ranges of one hidden string; it has several if its body comes in chunks.
const MAX_RANGES: usize = 64;
/// The most claims about one hidden string.
pub(super) const MAX_CLAIMS: usize = 16;
/// The most bytes of a direction's hidden strings about which something is proved, or that are committed to,
/// whatever V's own limit.
pub const MAX_HIDDEN_BYTES: usize = 1 << 18;

/// A part of a request or response that can be hidden.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A value of the JSON body, at a path as in [`http`](crate::http): the inside of a string, a number, or
    /// with claims about it `true`, `false` or `null`.
    Json(String),
    /// Consecutive values of the JSON body, with the text between them.
    Values(Values),
    /// The values of all header fields of this name. Claims about it are possible only if there is one.
    Header(String),
    /// The values of all header fields of this name after the body of a response. Otherwise as a header
    /// field.
    Trailer(String),
    /// The path of the request's target, after its slash and up to its question mark, which says which
    /// document is asked for.
    Path,
    /// The query of the request's target, after its question mark.
    Query,
    /// The values of all parameters of the query with this name, as they were sent; the name with `%XX` and
    /// `+` decoded. Claims about it are possible only if there is one, and no other name that some server may
    /// take for this one (in another case, or with a bracket).
    ///
    /// Servers do not agree on some queries, so these have no parameters here: those with `;`, with names of
    /// other characters than blanks and visible ones of ASCII, or with more than 256 parameters. A hidden
    /// value is proved to have none of `&`, `;` and `]=`. So whatever it is, V and the server find the same
    /// names.
    Parameter(String),
    /// The whole body. V then knows only its length.
    Body,
}

impl core::fmt::Display for Part {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Json(path) if path.is_empty() => f.write_str("json, all of it"),
            Self::Json(path) => write!(f, "json {path}"),
            Self::Values(values) => values.fmt(f),
            Self::Header(name) => write!(f, "header {name}"),
            Self::Trailer(name) => write!(f, "trailer {name}"),
            Self::Path => f.write_str("path"),
            Self::Query => f.write_str("query"),
            Self::Parameter(name) if is_plain(name) => write!(f, "query {name}"),
            // Signed commitments have this text, so its form is JSON's and nobody's own.
            Self::Parameter(name) => write!(f, "query {}", serde_json::Value::from(name.as_str())),
            Self::Body => f.write_str("body"),
        }
    }
}

/// Whether a parameter's name can stand among other words without quotation marks.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~[]$@".contains(&byte);
    !name.is_empty() && name.bytes().all(plain)
}

/// In its `Display` form.
impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A part of one message of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagePart {
    /// Whether it is in a request or a response.
    pub side: Side,
    /// The number of that message on the connection, from 0.
    pub round: usize,
    /// The part.
    pub part: Part,
}

/// A part that P wants hidden, the claims about it, and whether P commits to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redaction {
    /// Whether it is in a request or a response.
    pub side: Side,
    /// The number of that message on the connection, from 0.
    pub round: usize,
    /// The part that is hidden.
    pub part: Part,
    /// The claims about it.
    pub claims: Vec<Assertion>,
    /// Whether it is committed to, so that P can open it or prove something about it later. A JSON number
    /// written in at most [`MAX_DIGITS`](crate::claim::MAX_DIGITS) digits and nothing else is committed to as
    /// a number, everything else as its bytes. It is visible which of the two applies.
    pub commit: bool,
}

impl Redaction {
    /// Hides a part of the first request or response, without claims and without a commitment.
    #[must_use]
    pub fn new(side: Side, part: Part) -> Self {
        Self { side, round: 0, part, claims: Vec::new(), commit: false }
    }
}

/// A hidden string.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hidden {
    /// The number of its request or response on the connection, from 0.
    pub round: usize,
    /// Its name.
    pub part: Part,
    /// The class of its bytes.
    pub class: Class,
    /// Its positions in the payload: nonempty ranges, in order.
    pub ranges: Vec<Range<usize>>,
    /// The claims about it.
    pub claims: Vec<Assertion>,
    /// The content of the commitments to it, if there are any. A number is proved to be digits.
    pub commit: Option<Form>,
    /// The digests of its [leaves](crate::leaf), if P commits to everything.
    #[serde(serialize_with = "hexadecimal")]
    pub leaves: Vec<[u8; 32]>,
}

/// Digests as hexadecimal digits.
fn hexadecimal<S: Serializer>(digests: &[[u8; 32]], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(digests.iter().map(|digest| volery_channel::hex::encode(digest)))
}

/// The bytes in these ranges.
pub(crate) fn bytes_of(text: &[u8], ranges: &[Range<usize>]) -> Zeroizing<Vec<u8>> {
    let parts = ranges.iter().map(|range| text.get(range.clone()).unwrap_or_default());
    Zeroizing::new(parts.collect::<Vec<_>>().concat())
}

impl Hidden {
    /// Whether anything is proved about its bytes.
    pub(super) fn is_constrained(&self) -> bool {
        let committed = self.commit.is_some() || !self.leaves.is_empty();
        self.class != Class::Opaque || !self.claims.is_empty() || committed
    }

    /// The place that is committed to, if it is.
    pub(super) fn place(&self, side: Side) -> Option<Place> {
        let start = self.ranges.first()?.start as u64;
        Some(Place { side, start, length: self.length() as u64, form: self.commit? })
    }

    /// Its name among those of its side, like `json balance`, with the number of the message from the second
    /// request or response on.
    pub(crate) fn name(&self) -> String {
        match self.round {
            0 => self.part.to_string(),
            round => format!("{} {}", round.saturating_add(1), self.part),
        }
    }

    /// Its length in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.ranges.iter().map(ExactSizeIterator::len).sum()
    }

    /// Looks up the custom claims. Returns the name of one that is not known, if there is one.
    fn explain(&mut self, vocabulary: &dyn Vocabulary) -> Option<&str> {
        let mut own = self.claims.iter_mut().filter_map(|claim| match claim {
            Assertion::Custom(own) => Some(own),
            _ => None,
        });
        own.find_map(|own| (!own.explain(vocabulary)).then(|| own.name()))
    }
}

/// The name of a direction's payload.
pub(super) fn payload_name(side: Side) -> &'static str {
    match side {
        Side::Client => "request",
        Side::Server => "response",
    }
}

/// The name of a message: the first request is the request, the one after it request 2.
pub(crate) fn message_name(side: Side, round: usize) -> String {
    let name = payload_name(side);
    if round == 0 { name.into() } else { format!("{name} {}", round.saturating_add(1)) }
}

/// A direction's payload as V sees it: fillers are in place of the hidden bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedactedPayload {
    /// The payload, with fillers in place of hidden bytes.
    pub text: Vec<u8>,
    /// The hidden strings, in the order of their first bytes.
    pub hidden: Vec<Hidden>,
}

impl RedactedPayload {
    /// The ranges that are shown, in order.
    pub fn revealed(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut hidden: Vec<_> =
            self.hidden.iter().flat_map(|hidden| hidden.ranges.iter().cloned()).collect();
        hidden.sort_by_key(|range| range.start);
        hidden.push(self.text.len()..self.text.len());
        hidden
            .into_iter()
            .scan(0, |end, range| {
                let gap = *end..range.start;
                *end = range.end;
                Some(gap)
            })
            .filter(|gap| !gap.is_empty())
    }

    /// Looks up the custom claims.
    ///
    /// # Errors
    /// [`Refusal::Message`] with the name of one that is not known.
    pub(super) fn explain(&mut self, vocabulary: &dyn Vocabulary) -> Result<(), Refusal> {
        let unknown = self.hidden.iter_mut().find_map(|hidden| hidden.explain(vocabulary));
        match unknown {
            None => Ok(()),
            Some(name) => {
                Err(Refusal::Message(format!("the claim {name}, which this verifier does not know")))
            }
        }
    }

    /// The hidden strings about which something is proved.
    pub(super) fn constrained(&self) -> impl Iterator<Item = &Hidden> {
        self.hidden.iter().filter(|hidden| hidden.is_constrained())
    }

    /// The ranges about which nothing is proved.
    pub(super) fn opaque(&self) -> Vec<Range<usize>> {
        let opaque = self.hidden.iter().filter(|hidden| !hidden.is_constrained());
        let mut ranges: Vec<_> = opaque.flat_map(|hidden| hidden.ranges.iter().cloned()).collect();
        ranges.sort_by_key(|range| range.start);
        ranges
    }

    /// Checks that ranges are in order, do not overlap and are inside the payload, that fillers are where
    /// they must be, and that nothing exceeds the limits. The codec has checked numbers.
    fn check_shape(&self, side: Side) -> Result<(), Refusal> {
        let refuse = |reason| Err(Refusal::Payload { side, reason });
        let other = |bytes: &[u8], filler: u8| bytes.iter().any(|byte| *byte != filler);
        // `check` compares the bytes of values with their text.
        let mut all: Vec<(&Range<usize>, Class)> = Vec::new();
        for hidden in &self.hidden {
            all.extend(hidden.ranges.iter().map(|range| (range, hidden.class)));
            if !hidden.ranges.is_sorted_by(|a, b| a.end <= b.start) {
                return refuse("ranges of a hidden string that are not in order");
            }
        }
        all.sort_by_key(|(range, _)| range.start);
        if !all.is_sorted_by(|(a, _), (b, _)| a.end <= b.start) {
            return refuse("hidden strings that overlap");
        }
        for (range, class) in &all {
            match self.text.get((*range).clone()) {
                Some([]) | None => return refuse("a range that is empty or outside of the payload"),
                Some(bytes) if *class != Class::Values && other(bytes, class.filler()) => {
                    return refuse("bytes that are said to be hidden");
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// Checks that no more bytes of a direction are hidden with something proved about them than V takes, of
/// which there is a limit for all.
///
/// # Errors
/// [`Refusal::Hidden`].
pub(super) fn check_hidden(shown: &[RedactedPayload; 2], limit: usize) -> Result<(), Refusal> {
    let limit = limit.min(MAX_HIDDEN_BYTES);
    for (side, shown) in [Side::Client, Side::Server].into_iter().zip(shown) {
        let bytes = shown.constrained().map(Hidden::length).fold(0, usize::saturating_add);
        if bytes > limit {
            return Err(Refusal::Hidden { side, bytes, limit });
        }
    }
    Ok(())
}

/// The places of request and response that are committed to, in the order of their commitments.
pub(super) fn places([request, response]: [&RedactedPayload; 2]) -> Vec<Place> {
    let sides = [(Side::Client, request), (Side::Server, response)];
    let all =
        sides.into_iter().flat_map(|(side, shown)| shown.hidden.iter().map(move |hidden| hidden.place(side)));
    all.flatten().collect()
}
