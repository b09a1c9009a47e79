//! Hidden parts and the structure around them: P finds where a part is, V finds it again in what it sees.

use core::ops::Range;

use zeroize::Zeroizing;

use super::{Hidden, Hide, Part, Shown, message_name};
use crate::claim::{Assertion, Class, MAX_DIGITS};
use crate::commitment::Form;
use crate::disclosure::Refusal;
use crate::http::json::{self, Kind, Path};
use crate::http::{self, Body, Exchange, Framing, Header, Request, Response};
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

/// Methods whose requests may have a body where other requests follow on the connection.
const WITH_BODY: [&[u8]; 3] = [b"POST", b"PUT", b"PATCH"];

/// Whether V has to read a header field of this name.
pub(super) fn is_structure(name: &[u8]) -> bool {
    NEVER_HIDDEN.iter().any(|never| never.as_bytes().eq_ignore_ascii_case(name))
}

/// Requests and responses of a whole connection, in order: at least one of each.
pub(in crate::disclosure) fn exchanges(texts: [&[u8]; 2], closed: bool) -> Result<Vec<Exchange>, Refusal> {
    let [request, response] = texts;
    let http = |side, reason: String| Refusal::Http { side, reason };
    // By themselves first, so that an error names its side.
    let mut start = 0;
    loop {
        let parsed = Request::parse(request, start).map_err(|error| http(Side::Client, error.to_string()))?;
        start = parsed.range.end;
        if start >= request.len() {
            break;
        }
    }
    let exchanges = http::parse(request, response, closed);
    let exchanges = exchanges.map_err(|error| http(Side::Server, error.to_string()))?;
    if let Some(status) =
        exchanges.iter().map(|exchange| exchange.response.status).find(|status| PARTIAL.contains(status))
    {
        return Err(http(Side::Server, format!("status {status}: a part of a page is not read as one")));
    }
    if exchanges.len() > 1 {
        check_framing(request, &exchanges)?;
    }
    Ok(exchanges)
}

/// That no server can take a request's body for the next request, or the next request for its body: the responses would be answers to
/// other requests than those that they stand for here.
///
/// Some servers ignore a body where the method has no use for one, and not all agree on bodies in chunks. With one request and one
/// response this does not matter: the first response is the first request's.
fn check_framing(request: &[u8], exchanges: &[Exchange]) -> Result<(), Refusal> {
    let usual = |exchange: &Exchange| match exchange.request.body.framing {
        Framing::None => true,
        Framing::Length => WITH_BODY.contains(&slice(request, &exchange.request.method)),
        Framing::Chunked | Framing::Close => false,
    };
    if exchanges.iter().all(usual) {
        return Ok(());
    }
    let reason =
        "where there are several, only POST, PUT and PATCH may have a body, and no body may come in chunks";
    Err(Refusal::Http { side: Side::Client, reason: reason.into() })
}

/// One direction's message.
pub(super) struct Message<'a> {
    side: Side,
    round: usize,
    pub(super) text: &'a [u8],
    /// The request's.
    pub(super) target: Option<&'a Range<usize>>,
    pub(super) headers: &'a [Header],
    pub(super) body: &'a Body,
}

impl<'a> Message<'a> {
    /// The direction's message of a round.
    ///
    /// # Errors
    /// [`Refusal::Part`] in the name of `part` if there are not so many rounds.
    pub(super) fn of(
        side: Side,
        text: &'a [u8],
        exchanges: &'a [Exchange],
        round: usize,
        part: &Part,
    ) -> Result<Self, Refusal> {
        let exchange = exchanges.get(round).ok_or_else(|| no_round(side, round, part, exchanges.len()))?;
        Ok(Self::new(side, text, round, exchange))
    }

    pub(super) fn new(side: Side, text: &'a [u8], round: usize, exchange: &'a Exchange) -> Self {
        let Exchange { request, response } = exchange;
        match side {
            Side::Client => Self {
                side,
                round,
                text,
                target: Some(&request.target),
                headers: &request.headers,
                body: &request.body,
            },
            Side::Server => {
                let Response { headers, body, .. } = response;
                Self { side, round, text, target: None, headers, body }
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
        refusal(self.side, self.round, part, reason)
    }
}

/// That a part is said to be of a message that is not there.
pub(in crate::disclosure) fn no_round(side: Side, round: usize, part: &Part, rounds: usize) -> Refusal {
    refusal(
        side,
        round,
        part,
        &format!("there is no such message; the connection has {rounds} of each direction"),
    )
}

fn refusal(side: Side, round: usize, part: &Part, reason: &str) -> Refusal {
    Refusal::Part { message: message_name(side, round), part: part.to_string(), reason: reason.into() }
}

/// That looking for hidden values takes no more than it may.
fn check_search(side: Side, hidden: &[Hidden], exchanges: &[Exchange]) -> Result<(), Refusal> {
    let searched = |hidden: &&Hidden| matches!(hidden.part, Part::Json(_));
    let length = |hidden: &Hidden| match (exchanges.get(hidden.round), side) {
        (Some(exchange), Side::Client) => exchange.request.body.length(),
        (Some(exchange), Side::Server) => exchange.response.body.length(),
        (None, _) => 0,
    };
    let all = hidden.iter().filter(searched).map(length).fold(0, usize::saturating_add);
    if all > MAX_SEARCHED {
        let reason = "so many hidden values in a body of this size take too long to find";
        return Err(Refusal::Shown { side, reason });
    }
    Ok(())
}

/// What V gets to see of a payload, from what is to be hidden of it.
///
/// # Errors
/// [`Refusal::Part`] for a part that is not there or cannot be hidden.
pub(in crate::disclosure) fn find(
    side: Side,
    text: &[u8],
    exchanges: &[Exchange],
    hide: &[Hide],
) -> Result<Shown, Refusal> {
    let mut shown = Shown { text: text.to_vec(), hidden: Vec::new() };
    for Hide { round, part, claims, commit, .. } in hide.iter().filter(|hide| hide.side == side) {
        let message = Message::of(side, text, exchanges, *round, part)?;
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
        let (round, part) = (*round, part.clone());
        shown.hidden.push(Hidden { round, part, class, ranges, claims, commit });
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

/// That what is shown are requests to this host and their whole responses, and that the hidden strings are the parts that they are
/// said to be; how many requests there are. `closed`: the server ended the connection with `close_notify`.
///
/// # Errors
/// [`Refusal::Shown`], [`Refusal::Http`], [`Refusal::Host`], [`Refusal::Part`].
pub(in crate::disclosure) fn check(shown: &[Shown; 2], host: &str, closed: bool) -> Result<usize, Refusal> {
    let [request, response] = shown;
    request.check_shape(Side::Client)?;
    response.check_shape(Side::Server)?;
    let exchanges = exchanges([&request.text, &response.text], closed)?;
    exchanges.iter().try_for_each(|exchange| check_host(&request.text, &exchange.request, host))?;
    for (side, shown) in [(Side::Client, request), (Side::Server, response)] {
        check_search(side, &shown.hidden, &exchanges)?;
        for hidden in &shown.hidden {
            let message = Message::of(side, &shown.text, &exchanges, hidden.round, &hidden.part)?;
            let (class, ranges) = message.locate(&hidden.part)?;
            message.check_claims(&hidden.part, !hidden.claims.is_empty() || hidden.commit.is_some())?;
            if (class, &ranges) != (hidden.class, &hidden.ranges) {
                return Err(
                    message.refusal(&hidden.part, "the hidden bytes are not this part, or more than it")
                );
            }
        }
    }
    Ok(exchanges.len())
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
