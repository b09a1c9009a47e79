//! Hidden parts and the structure around them: P finds where a part is, V finds it again in what it sees.

use core::ops::Range;

use zeroize::Zeroizing;

use super::{Hidden, Hide, Part, Shown};
use crate::claim::{Assertion, Class, MAX_DIGITS};
use crate::commitment::Form;
use crate::disclosure::Refusal;
use crate::http::json::{self, Kind, Path};
use crate::http::{self, Body, Exchange, Header, Request, Response};
use crate::prf::Side;

/// Header fields that say how a message is to be read, and of what it is a part or an answer to. Some servers take the target, the host or the
/// method from others than the request line and `Host`.
const NEVER_HIDDEN: [&str; 16] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "content-encoding",
    "content-type",
    "content-range",
    "range",
    "if-range",
    "x-original-url",
    "x-rewrite-url",
    "x-forwarded-host",
    "x-host",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// Statuses of answers that are parts of something, or changes to it.
const PARTIAL: [u16; 2] = [206, 226];

/// The most bytes of bodies that are read for hidden values, in all: each value is looked for anew.
const MAX_SEARCHED: usize = 1 << 27;

/// Whether V has to read a header field of this name.
pub(super) fn is_structure(name: &[u8]) -> bool {
    NEVER_HIDDEN.iter().any(|never| never.as_bytes().eq_ignore_ascii_case(name))
}

/// Request and response: of a whole connection, the only ones.
pub(in crate::disclosure) fn exchange(texts: [&[u8]; 2], closed: bool) -> Result<Exchange, Refusal> {
    let [request, response] = texts;
    let http = |side, reason: String| Refusal::Http { side, reason };
    // By itself first, so that an error names its side.
    Request::parse(request, 0).map_err(|error| http(Side::Client, error.to_string()))?;
    let exchanges = http::parse(request, response, closed);
    let exchanges = exchanges.map_err(|error| http(Side::Server, error.to_string()))?;
    match <[Exchange; 1]>::try_from(exchanges) {
        Ok([exchange]) if PARTIAL.contains(&exchange.response.status) => {
            let reason = format!("status {}: a part of a page is not read as one", exchange.response.status);
            Err(http(Side::Server, reason))
        }
        Ok([exchange]) => Ok(exchange),
        Err(exchanges) => {
            let reason = format!("{} requests on one connection; one is read", exchanges.len());
            Err(http(Side::Client, reason))
        }
    }
}

/// Whether a server that gave this response takes no further requests on its connection (RFC 9112, section 9.6).
pub(in crate::disclosure) fn is_last(exchange: &Exchange, response: &[u8]) -> bool {
    let connection = exchange.response.headers.iter().filter(|header| header.is(response, "connection"));
    connection
        .flat_map(|header| slice(response, &header.value).split(|byte| *byte == b','))
        .any(|option| option.trim_ascii().eq_ignore_ascii_case(b"close"))
}

/// One direction's message.
pub(super) struct Message<'a> {
    side: Side,
    pub(super) text: &'a [u8],
    /// The request's.
    pub(super) target: Option<&'a Range<usize>>,
    pub(super) headers: &'a [Header],
    pub(super) body: &'a Body,
}

impl<'a> Message<'a> {
    pub(super) fn new(side: Side, text: &'a [u8], exchange: &'a Exchange) -> Self {
        let Exchange { request, response } = exchange;
        match side {
            Side::Client => Self {
                side,
                text,
                target: Some(&request.target),
                headers: &request.headers,
                body: &request.body,
            },
            Side::Server => {
                let Response { headers, body, .. } = response;
                Self { side, text, target: None, headers, body }
            }
        }
    }

    /// Which bytes a part is, and of which class.
    fn locate(&self, part: &Part) -> Result<(Class, Vec<Range<usize>>), Refusal> {
        let refuse = |reason: &str| self.refusal(part, reason);
        let (class, ranges) = match part {
            Part::Json(path) => self.json(part, path)?,
            Part::Header(name) => (Class::HeaderValue, self.header(part, name)?),
            Part::Target => {
                let target = self.target.ok_or_else(|| refuse("only a request has one"))?;
                // The slash stays: it says that this is a path, and not another host.
                (Class::Target, core::iter::once(target.start.saturating_add(1)..target.end).collect())
            }
            Part::Body => (Class::Opaque, self.body.parts.clone()),
        };
        if ranges.is_empty() || ranges.iter().any(Range::is_empty) {
            return Err(refuse("it is empty, so there is nothing to hide"));
        }
        Ok((class, ranges))
    }

    fn json(&self, part: &Part, path: &str) -> Result<(Class, Vec<Range<usize>>), Refusal> {
        let parsed: Path = path.parse().map_err(|error| self.refusal(part, &format!("{error}")))?;
        if parsed.to_string() != path {
            return Err(self.refusal(part, &format!("the path is written {parsed}")));
        }
        let value = json::find(&self.body.bytes(self.text), &parsed);
        let value = value.map_err(|error| self.refusal(part, &error.to_string()))?;
        let class = match value.kind {
            Kind::String => Class::JsonText,
            Kind::Number => Class::Number,
            _ => return Err(self.refusal(part, "only strings and numbers can be hidden")),
        };
        Ok((class, self.body.locate(value.content())))
    }

    /// That looking for hidden values takes no more than it may.
    fn check_search(&self, hidden: &[Hidden]) -> Result<(), Refusal> {
        let values = hidden.iter().filter(|hidden| matches!(hidden.part, Part::Json(_))).count();
        if self.body.length().saturating_mul(values) > MAX_SEARCHED {
            let reason = "so many hidden values in a body of this size take too long to find";
            return Err(Refusal::Shown { side: self.side, reason });
        }
        Ok(())
    }

    /// The values of all fields of this name that have one.
    fn header(&self, part: &Part, name: &str) -> Result<Vec<Range<usize>>, Refusal> {
        if is_structure(name.as_bytes()) {
            return Err(self.refusal(part, "this field says how the message is to be read, so it is shown"));
        }
        let fields = self.headers.iter().filter(|header| header.is(self.text, name));
        let values: Vec<_> = fields.map(|header| header.value.clone()).collect();
        if self.body.trailers.iter().any(|trailer| trailer.is(self.text, name)) {
            return Err(self.refusal(part, "it comes again after the body, where nothing can be hidden"));
        }
        if values.is_empty() {
            return Err(self.refusal(part, "there is no field of this name"));
        }
        Ok(values.into_iter().filter(|value| !value.is_empty()).collect())
    }

    /// That claims and commitments, if there are any, are about one string: several fields of one name have no meaning as one.
    fn check_claims(&self, part: &Part, any: bool) -> Result<(), Refusal> {
        let Part::Header(name) = part else { return Ok(()) };
        let fields = self.headers.iter().filter(|header| header.is(self.text, name)).count();
        if fields > 1 && any {
            let reason =
                "there are several fields of this name, so nothing can be claimed of it, nor committed to";
            return Err(self.refusal(part, reason));
        }
        Ok(())
    }

    pub(super) fn refusal(&self, part: &Part, reason: &str) -> Refusal {
        Refusal::Part { side: self.side, part: part.to_string(), reason: reason.into() }
    }
}

/// What V gets to see of a payload, from what is to be hidden of it.
///
/// # Errors
/// [`Refusal::Part`] for a part that is not there or cannot be hidden.
pub(in crate::disclosure) fn find(
    side: Side,
    text: &[u8],
    exchange: &Exchange,
    hide: &[Hide],
) -> Result<Shown, Refusal> {
    let message = Message::new(side, text, exchange);
    let mut shown = Shown { text: text.to_vec(), hidden: Vec::new() };
    for Hide { part, claims, commit, .. } in hide.iter().filter(|hide| hide.side == side) {
        let (class, ranges) = message.locate(part)?;
        message.check_claims(part, !claims.is_empty() || *commit)?;
        for range in &ranges {
            shown.text.get_mut(range.clone()).unwrap_or_default().fill(class.filler());
        }
        let written: Zeroizing<Vec<u8>> =
            Zeroizing::new(ranges.iter().flat_map(|range| slice(text, range)).copied().collect());
        let mut claims = claims.clone();
        if class == Class::JsonText {
            claims.iter_mut().for_each(|claim| spell(claim, &written));
        }
        let commit = commit.then(|| form(class, &written));
        shown.hidden.push(Hidden { part: part.clone(), class, ranges, claims, commit });
    }
    shown.hidden.sort_by_key(|hidden| hidden.ranges.first().map(|range| range.start));
    Ok(shown)
}

/// What commitments to a string hold: a number if it is one that is written in digits alone, and not too many.
fn form(class: Class, written: &[u8]) -> Form {
    let digits = written.len() <= MAX_DIGITS && written.iter().all(u8::is_ascii_digit);
    if class == Class::Number && digits { Form::Number } else { Form::Bytes }
}

/// Puts the text that a claim about a JSON string is about as this string has it, whose escapes may be others.
fn spell(claim: &mut Assertion, written: &[u8]) {
    let (Assertion::Equals(text) | Assertion::Contains(text)) = claim else { return };
    let wanted = core::str::from_utf8(text).ok();
    let spelling = wanted.and_then(|wanted| json::spelling(written, wanted));
    // Of a text that equals the whole string, the first place is the beginning.
    if let Some(spelling) = spelling.and_then(|place| written.get(place)) {
        *text = spelling.to_vec();
    }
}

/// That what is shown is one request to this host and its whole response, and that the hidden strings are the parts that they are
/// said to be. `closed`: the server ended the connection with `close_notify`.
///
/// # Errors
/// [`Refusal::Shown`], [`Refusal::Http`], [`Refusal::Host`], [`Refusal::Part`].
pub(in crate::disclosure) fn check(shown: &[Shown; 2], host: &str, closed: bool) -> Result<(), Refusal> {
    let [request, response] = shown;
    request.check_shape(Side::Client)?;
    response.check_shape(Side::Server)?;
    let exchange = exchange([&request.text, &response.text], closed)?;
    check_host(&request.text, &exchange.request, host)?;
    for (side, shown) in [(Side::Client, request), (Side::Server, response)] {
        let message = Message::new(side, &shown.text, &exchange);
        message.check_search(&shown.hidden)?;
        for hidden in &shown.hidden {
            let (class, ranges) = message.locate(&hidden.part)?;
            message.check_claims(&hidden.part, !hidden.claims.is_empty() || hidden.commit.is_some())?;
            if (class, &ranges) != (hidden.class, &hidden.ranges) {
                return Err(
                    message.refusal(&hidden.part, "the hidden bytes are not this part, or more than it")
                );
            }
        }
    }
    Ok(())
}

/// That the request is to the host that was verified: its target is a path, and its Host is this one, with a port or without.
fn check_host(text: &[u8], request: &Request, host: &str) -> Result<(), Refusal> {
    let bracketed = format!("[{host}]");
    let expected = if host.contains(':') { &bracketed } else { host };
    let found = slice(text, &request.host);
    let rest = found.split_at_checked(expected.len());
    let rest = rest.filter(|(name, _)| name.eq_ignore_ascii_case(expected.as_bytes())).map(|(_, rest)| rest);
    let port = |rest: &[u8]| match rest {
        [] => true,
        [b':', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if rest.is_some_and(port) && slice(text, &request.target).starts_with(b"/") {
        return Ok(());
    }
    Err(Refusal::Host { expected: host.into() })
}

pub(super) fn slice<'a>(text: &'a [u8], range: &Range<usize>) -> &'a [u8] {
    text.get(range.clone()).unwrap_or_default()
}
