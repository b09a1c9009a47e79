//! What a reader of an attestation finds in it.
//!
//! The reader has the text that V saw, so it parses the messages again, checks again that hidden strings are
//! the parts that they are said to be, and looks parts up by name.

use core::ops::Range;
use std::borrow::Cow;

use super::fields::{Visibility, visibility};
use super::rest::MAX_LEAVES;
use super::structure::{HttpMessage, Server, check, filler, slice};
use super::{Hidden, MessagePart, Part, RedactedPayload};
use crate::page::claim::Class;
use crate::page::disclosure::Refusal;
use crate::page::http::Exchange;
use crate::page::http::json;
use crate::wire::prf::Side;

/// The longest direction that is read again.
const MAX_READ: usize = 1 << 26;

/// What [`Reading::query`] has for a hidden byte. It is in no target.
const HIDDEN: u8 = 0xff;

/// The messages of an attested connection.
pub(crate) struct Reading {
    shown: [RedactedPayload; 2],
    exchanges: Vec<Exchange>,
    /// For each byte of a direction 1 if it is hidden, and otherwise 0.
    hidden: [Vec<u8>; 2],
}

/// A part that a reader looks up.
pub(crate) enum Found<'a> {
    /// All of it is shown.
    Shown {
        /// The class of its bytes.
        class: Class,
        /// Its bytes.
        text: Vec<u8>,
    },
    /// It is hidden as one string, perhaps with claims.
    Hidden(Cow<'a, Hidden>),
}

/// V's view of a direction, made from what is shown of it and the hidden strings. `None` if these are not all
/// of it, or it is too long.
pub(crate) fn view<'a>(
    length: u64,
    revealed: impl Iterator<Item = (u64, &'a [u8])>,
    hidden: &[Hidden],
) -> Option<RedactedPayload> {
    let length = usize::try_from(length).ok().filter(|length| *length <= MAX_READ)?;
    let (mut text, mut known) = (vec![0; length], 0_usize);
    for (start, bytes) in revealed {
        let start = usize::try_from(start).ok()?;
        text.get_mut(start..start.checked_add(bytes.len())?)?.copy_from_slice(bytes);
        known = known.checked_add(bytes.len())?;
    }
    for string in hidden {
        let mut filler = filler(string.class, &string.part, string.length()).into_iter();
        for range in &string.ranges {
            text.get_mut(range.clone())?
                .iter_mut()
                .zip(&mut filler)
                .for_each(|(byte, filler)| *byte = filler);
        }
        known = known.checked_add(string.length())?;
    }
    // They do not overlap.
    (known == length).then(|| RedactedPayload { text, hidden: hidden.to_vec() })
}

impl Reading {
    /// Reads both directions of a connection to this server.
    ///
    /// # Errors
    /// Why V would not have accepted them.
    pub(crate) fn new(shown: [RedactedPayload; 2], host: &str, port: u16) -> Result<Self, Refusal> {
        let server = Server { host, port: Some(port), ports: &[] };
        let exchanges = check(&shown, &server, true)?.exchanges;
        let hidden = shown.each_ref().map(mask);
        Ok(Self { shown, exchanges, hidden })
    }

    /// The number of requests.
    pub(crate) fn rounds(&self) -> usize {
        self.exchanges.len()
    }

    /// Method and target of a request, and the status of its response. In the target `<hidden>` is for each
    /// hidden string; a `<` that was sent is written `%3C`.
    pub(crate) fn outline(&self, round: usize) -> Option<(String, String, u16)> {
        let Exchange { request, response } = self.exchanges.get(round)?;
        let [shown, _] = &self.shown;
        let method = String::from_utf8_lossy(slice(&shown.text, &request.method)).into_owned();
        let (mut target, mut at) = (String::new(), request.target.start);
        let put = |target: &mut String, end: usize, at: usize| {
            // Targets are ASCII.
            target.push_str(&String::from_utf8_lossy(slice(&shown.text, &(at..end))).replace('<', "%3C"));
        };
        let mut hidden: Vec<_> = shown.hidden.iter().flat_map(|hidden| &hidden.ranges).collect();
        hidden.sort_by_key(|range| range.start);
        for range in hidden.into_iter().filter(|range| request.target.contains(&range.start)) {
            put(&mut target, range.start, at);
            target.push_str("<hidden>");
            at = range.end;
        }
        put(&mut target, request.target.end, at);
        Some((method, target, response.status))
    }

    /// The path of a request, if it is shown.
    pub(crate) fn path(&self, round: usize) -> Option<String> {
        let request = &self.exchanges.get(round)?.request;
        let [shown, _] = &self.shown;
        let path = request.path(&shown.text);
        (!self.hides(Side::Client, &path))
            .then(|| String::from_utf8_lossy(slice(&shown.text, &path)).into_owned())
    }

    /// The query of a request, with [`HIDDEN`] for the bytes of hidden parameters; empty if there is none. It
    /// is `None` if it is hidden as a whole, and then may consist of any parameters.
    pub(crate) fn query(&self, round: usize) -> Option<Vec<u8>> {
        let request = &self.exchanges.get(round)?.request;
        let ([shown, _], [mask, _]) = (&self.shown, &self.hidden);
        if shown.hidden.iter().any(|hidden| (hidden.round, &hidden.part) == (round, &Part::Query)) {
            return None;
        }
        let Some(place) = request.query(&shown.text) else { return Some(Vec::new()) };
        let bytes = slice(&shown.text, &place).iter().zip(slice(mask, &place));
        Some(bytes.map(|(byte, hidden)| if *hidden == 0 { *byte } else { HIDDEN }).collect())
    }

    /// Whether a request has a body of at least a byte.
    pub(crate) fn has_body(&self, round: usize) -> bool {
        self.exchanges.get(round).is_some_and(|exchange| exchange.request.body.length() > 0)
    }

    /// The header fields of a request of which it is not known what servers do with them.
    pub(crate) fn unknown_fields(&self, round: usize) -> Vec<String> {
        let Some(message) = self.message(Side::Client, round) else { return Vec::new() };
        let names = message.field_names().into_iter();
        names.filter(|name| visibility(Side::Client, name) == Visibility::Unknown).collect()
    }

    /// The values of a JSON body that are shown, with their paths.
    pub(crate) fn values(&self, side: Side, round: usize) -> Vec<(String, String)> {
        let Some(message) = self.message(side, round) else { return Vec::new() };
        let body = message.body.bytes(message.text);
        let hidden = message.body.bytes(self.mask(side));
        let leaves = match message.check_coding() {
            Ok(()) => json::leaves(&body, MAX_LEAVES).unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        let shown = leaves
            .into_iter()
            .filter(|(_, value)| slice(&hidden, &value.range).iter().all(|hidden| *hidden == 0));
        shown
            .map(|(path, value)| {
                (path.to_string(), String::from_utf8_lossy(slice(&body, &value.range)).into_owned())
            })
            .collect()
    }

    /// Checks that this is one string, of which something can be said: not several fields of one name, nor a
    /// parameter that some servers read elsewhere.
    ///
    /// # Errors
    /// [`Refusal::Part`].
    pub(crate) fn check_one(&self, named: &MessagePart) -> Result<(), Refusal> {
        let MessagePart { side, round, part } = named;
        let text = &self.payload(*side).text;
        HttpMessage::of(*side, text, &self.exchanges, *round, part)?.check_claims(part, true)
    }

    /// The paths of all values of a message's JSON body that contain no others, in order; none if it has no
    /// such body.
    pub(crate) fn value_paths(&self, side: Side, round: usize) -> Vec<String> {
        let Some(message) = self.message(side, round) else { return Vec::new() };
        let leaves = json::leaves(&message.body.bytes(message.text), MAX_LEAVES).unwrap_or_default();
        leaves.into_iter().map(|(path, _)| path.to_string()).collect()
    }

    /// A part.
    ///
    /// # Errors
    /// [`Refusal::Part`] if there is none, or no one string of this name, or only a part of it is hidden.
    pub(crate) fn find(&self, named: &MessagePart) -> Result<Found<'_>, Refusal> {
        let MessagePart { side, round, part } = named;
        let text = &self.payload(*side).text;
        let message = HttpMessage::of(*side, text, &self.exchanges, *round, part)?;
        let (class, ranges) = match part {
            // Also one that is always shown.
            Part::Header(name) => (Class::HeaderValue, message.fields(part, message.headers, name)?),
            _ => message.find(part)?,
        };
        message.check_claims(part, true)?;
        let same = |hidden: &&Hidden| hidden.round == *round && is_same(&hidden.part, part);
        if let Some(hidden) = self.payload(*side).hidden.iter().find(same) {
            return Ok(Found::Hidden(Cow::Borrowed(hidden)));
        }
        if ranges.iter().any(|range| self.hides(*side, range)) {
            return Err(message.refusal(part, "it is hidden, together with other bytes or in part"));
        }
        let text = ranges.iter().flat_map(|range| slice(text, range)).copied().collect();
        Ok(Found::Shown { class, text })
    }

    fn payload(&self, side: Side) -> &RedactedPayload {
        let [request, response] = &self.shown;
        if side == Side::Client { request } else { response }
    }

    fn message(&self, side: Side, round: usize) -> Option<HttpMessage<'_>> {
        Some(HttpMessage::new(side, &self.payload(side).text, round, self.exchanges.get(round)?))
    }

    fn mask(&self, side: Side) -> &[u8] {
        let [request, response] = &self.hidden;
        if side == Side::Client { request } else { response }
    }

    /// Whether some of these bytes are hidden.
    fn hides(&self, side: Side, place: &Range<usize>) -> bool {
        slice(self.mask(side), place).contains(&1)
    }
}

/// For each byte of a direction 1 if it is hidden, and otherwise 0.
fn mask(shown: &RedactedPayload) -> Vec<u8> {
    let mut mask = vec![0; shown.text.len()];
    for range in shown.hidden.iter().flat_map(|hidden| &hidden.ranges) {
        mask.get_mut(range.clone()).unwrap_or_default().fill(1);
    }
    mask
}

fn is_same(a: &Part, b: &Part) -> bool {
    match (a, b) {
        (Part::Header(a), Part::Header(b)) | (Part::Trailer(a), Part::Trailer(b)) => {
            a.eq_ignore_ascii_case(b)
        }
        (a, b) => a == b,
    }
}
