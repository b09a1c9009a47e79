//! Hidden parts and the structure around them: P finds where a part is, and V finds it again in its view.

use core::ops::Range;

use zeroize::Zeroizing;

use super::fields::{Visibility, visibility};
use super::rest::MAX_LEAVES;
use super::spelling::spell;
use super::{Hidden, Part, RedactedPayload, Redaction, Values, message_name};
use crate::page::claim::{Class, MAX_DIGITS};
use crate::page::commitment::Form;
use crate::page::disclosure::Refusal;
use crate::page::http::json::{self, Path, Value, ValueType};
use crate::page::http::{self, Body, Exchange, Header, Request, Response};
use crate::wire::prf::Side;

/// Statuses of answers that are a part of a document, or a change to it.
const PARTIAL: [u16; 2] = [206, 226];

/// Why a field of a request cannot be hidden.
pub(super) const UNKNOWN: &str =
    "what servers do with this field is not known, so it cannot be hidden: reveal it, or leave it out";

/// Why a word of JSON is not hidden alone: only a claim about it is a reason to.
const WORD: &str =
    "its length would tell whether it is true, false or null: reveal it, or make a claim about it";

/// Why a field that says how a message is to be read cannot be hidden.
pub(in crate::page::disclosure) const ALWAYS_SHOWN: &str =
    "this field says how the message is to be read, so it is shown";

/// Why an array or an object is not hidden.
const LIST: &str = "an array or an object can only be hidden value by value: name its values ([*] is every item of an array, as in a[*].b), \
                    or --reveal other parts, which hides all that you do not name";

/// Why an empty part is not hidden.
pub(super) const EMPTY: &str = "it is empty, so there is nothing to hide";

/// The port of a URL that names none.
const HTTPS: u16 = 443;

/// The most bytes of bodies that are searched for hidden values in all: each value is searched for
/// separately.
const MAX_SEARCHED: usize = 1 << 27;

/// Character sets in which the bytes of a JSON text have the meaning assumed here.
const CHARSETS: [&str; 4] = ["utf-8", "utf8", "us-ascii", "ascii"];

/// Requests and responses of a whole connection, in order: at least one of each.
pub(in crate::page::disclosure) fn exchanges(
    texts: [&[u8]; 2],
    closed: bool,
) -> Result<Vec<Exchange>, Refusal> {
    let [request, response] = texts;
    let http = |side, reason: String| Refusal::Http { side, reason };
    // Each direction is parsed alone first, so that an error names its side.
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
    for (round, exchange) in exchanges.iter().enumerate() {
        let last = round + 1 == exchanges.len();
        let checked = http::check_request(request, &exchange.request, last);
        checked.map_err(|error| http(Side::Client, error.to_string()))?;
        let checked = http::check_response(response, &exchange.response, last);
        checked.map_err(|error| http(Side::Server, error.to_string()))?;
    }
    let unusual = |exchange: &Exchange| !http::has_usual_body(request, &exchange.request);
    if exchanges.len() > 1 && exchanges.last().is_some_and(unusual) {
        let reason = "where there are several, only POST, PUT and PATCH may have a body, with Content-Length";
        return Err(http(Side::Client, reason.into()));
    }
    Ok(exchanges)
}

/// Checks that no server can take hidden bytes of a request's body for another request, whose response might
/// be taken for this one's: V does not see these bytes.
fn check_hidden_body(request: &RedactedPayload, exchanges: &[Exchange]) -> Result<(), Refusal> {
    let hides = |body: &Body| {
        let mut hidden = request.hidden.iter().flat_map(|hidden| &hidden.ranges);
        hidden.any(|range| body.parts.iter().any(|part| overlap(range, part)))
    };
    let mut requests = exchanges.iter().map(|exchange| &exchange.request);
    if requests.all(|other| http::has_usual_body(&request.text, other) || !hides(&other.body)) {
        return Ok(());
    }
    let reason =
        "only POST, PUT and PATCH may have a body of which something is hidden, and with Content-Length";
    Err(Refusal::Http { side: Side::Client, reason: reason.into() })
}

/// Checks that V sees all of each target before the last. A query may make the server use another method, and
/// if requests are sent at once nothing else prevents a response without its body.
///
/// # Errors
/// [`Refusal::Http`].
pub(in crate::page::disclosure) fn check_pipelined(
    request: &RedactedPayload,
    exchanges: &[Exchange],
) -> Result<(), Refusal> {
    let before_last = exchanges.iter().take(exchanges.len().saturating_sub(1));
    let mut targets = before_last.map(|exchange| &exchange.request.target);
    let hidden = |target: &Range<usize>| {
        request.hidden.iter().flat_map(|hidden| &hidden.ranges).any(|range| overlap(range, target))
    };
    if !targets.any(hidden) {
        return Ok(());
    }
    let reason = "where requests are sent at once, all targets but the last have to be shown";
    Err(Refusal::Http { side: Side::Client, reason: reason.into() })
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// One direction's message.
pub(super) struct HttpMessage<'a> {
    pub(super) side: Side,
    pub(super) round: usize,
    pub(super) text: &'a [u8],
    /// The request, if it is one.
    pub(super) request: Option<&'a Request>,
    pub(super) headers: &'a [Header],
    pub(super) body: &'a Body,
    /// The header fields after the body.
    pub(super) trailers: &'a [Header],
}

impl<'a> HttpMessage<'a> {
    /// The direction's message of a round.
    ///
    /// # Errors
    /// [`Refusal::Part`] in the name of `part` if there are fewer rounds.
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
                request: Some(request),
                headers: &request.headers,
                body: &request.body,
                trailers: &[],
            },
            Side::Server => {
                let Response { headers, body, trailers, .. } = response;
                Self { side, round, text, request: None, headers, body, trailers }
            }
        }
    }

    /// The bytes of a part, and their class.
    fn locate(&self, part: &Part) -> Result<(Class, Vec<Range<usize>>), Refusal> {
        let (class, ranges) = self.find(part)?;
        if ranges.is_empty() {
            return Err(self.refusal(part, EMPTY));
        }
        Ok((class, ranges))
    }

    /// As [`HttpMessage::locate`], but an existing empty part has no bytes instead of being an error.
    pub(super) fn find(&self, part: &Part) -> Result<(Class, Vec<Range<usize>>), Refusal> {
        let refuse = |reason: &str| self.refusal(part, reason);
        let request = || self.request.ok_or_else(|| refuse("only a request has one"));
        let (class, mut ranges) = match part {
            Part::Json(path) => self.json(part, path)?,
            Part::Values(values) => (Class::Values, self.values(part, values)?),
            Part::Header(name) => (Class::HeaderValue, self.header(part, name)?),
            Part::Trailer(name) => (Class::HeaderValue, self.fields(part, self.trailers, name)?),
            Part::Path => {
                let path = request()?.path(self.text);
                // The slash stays visible: it shows that this is a path, and not another host.
                let after_slash = path.start.saturating_add(1).min(path.end)..path.end;
                (Class::Path, vec![after_slash])
            }
            Part::Query => {
                let query = request()?.query(self.text);
                (Class::Query, vec![query.ok_or_else(|| refuse("the target has none"))?])
            }
            Part::Parameter(name) => (Class::Parameter, self.parameter(part, request()?, name)?),
            Part::Body => (Class::Opaque, self.body.parts.clone()),
        };
        ranges.retain(|range| !range.is_empty());
        Ok((class, ranges))
    }

    /// The value at a path of the body, which is `body`.
    fn value(&self, part: &Part, path: &str, body: &[u8]) -> Result<Value, Refusal> {
        self.check_coding().map_err(|reason| self.refusal(part, reason))?;
        let parsed: Path = path.parse().map_err(|error| self.refusal(part, &format!("{error}")))?;
        if parsed.to_string() != path {
            return Err(self.refusal(part, &format!("the path is written {parsed}")));
        }
        json::find(body, &parsed).map_err(|error| self.refusal(part, &error.to_string()))
    }

    /// Values, from the first to the end of the last. Checks that they are consecutive, and that the text
    /// between them is what is said.
    fn values(&self, part: &Part, values: &Values) -> Result<Vec<Range<usize>>, Refusal> {
        let body = self.body.bytes(self.text);
        let first = self.value(part, &values.first, &body)?.range;
        let leaves = json::leaf_ranges(&body, MAX_LEAVES);
        let leaves = leaves.map_err(|error| self.refusal(part, &error.to_string()))?;
        let mut run = leaves.into_iter().skip_while(|leaf| *leaf != first);
        let mut end = run.next().filter(|_| !values.between.is_empty()).map(|leaf| leaf.end);
        for text in &values.between {
            end = end.zip(run.next()).and_then(|(end, leaf)| {
                (body.get(end..leaf.start) == Some(text.as_bytes())).then_some(leaf.end)
            });
        }
        let end = end.ok_or_else(|| self.refusal(part, "the body does not have these values and text"))?;
        Ok(self.body.locate(first.start..end))
    }

    fn json(&self, part: &Part, path: &str) -> Result<(Class, Vec<Range<usize>>), Refusal> {
        let value = self.value(part, path, &self.body.bytes(self.text))?;
        let class = match value.kind {
            ValueType::String => Class::JsonText,
            ValueType::Number => Class::Number,
            ValueType::Bool | ValueType::Null => Class::Word,
            _ => return Err(self.refusal(part, LIST)),
        };
        Ok((class, self.body.locate(value.content())))
    }

    /// Checks that every reader takes the body's bytes for the same JSON: as far as the header says, they are
    /// UTF-8 and not compressed.
    ///
    /// In another character set the same bytes are another text: in UTF-7 `+ACI-` is a quotation mark.
    pub(super) fn check_coding(&self) -> Result<(), &'static str> {
        let fields = |name: &'static str| {
            let fields = self.headers.iter().filter(move |header| header.is(self.text, name));
            fields.map(|header| String::from_utf8_lossy(slice(self.text, &header.value)))
        };
        if fields("content-encoding").any(|coding| !coding.eq_ignore_ascii_case("identity")) {
            return Err(
                "the body is compressed or encoded (Content-Encoding), although the program asks for it as it is; so only all of it can be \
                 shown, hidden or claimed about (body), as it was sent, and nothing in it by name",
            );
        }
        let mut types = fields("content-type");
        let (kind, more) = (types.next(), types.next());
        if more.is_some() {
            return Err("there are several Content-Type fields, so the body is not read as JSON");
        }
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        let is_charset = |parameter: &&str| parameter.contains("charset");
        let sound = |parameter: &str| {
            let value = parameter.trim().strip_prefix("charset=").unwrap_or_default();
            let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
            CHARSETS.contains(&value)
        };
        if kind.split(';').filter(is_charset).all(sound) && kind.matches("charset").count() <= 1 {
            Ok(())
        } else {
            Err(
                "its character set (Content-Type) is neither UTF-8 nor ASCII, so the body is not read as JSON",
            )
        }
    }

    /// The nonempty values of all fields of this name.
    fn header(&self, part: &Part, name: &str) -> Result<Vec<Range<usize>>, Refusal> {
        match visibility(self.side, name) {
            Visibility::AlwaysShown => {
                return Err(self.refusal(part, ALWAYS_SHOWN));
            }
            Visibility::Unknown => return Err(self.refusal(part, UNKNOWN)),
            Visibility::Secret | Visibility::Hideable => {}
        }
        self.fields(part, self.headers, name)
    }

    /// The nonempty values of those of `fields` that have this name.
    pub(super) fn fields(
        &self,
        part: &Part,
        fields: &[Header],
        name: &str,
    ) -> Result<Vec<Range<usize>>, Refusal> {
        let fields = fields.iter().filter(|field| field.is(self.text, name));
        let values: Vec<_> = fields.map(|field| field.value.clone()).collect();
        if values.is_empty() {
            return Err(self.refusal(part, "there is no field of this name"));
        }
        Ok(values.into_iter().filter(|value| !value.is_empty()).collect())
    }

    /// Checks that claims and commitments, if there are any, are about one string: several fields or
    /// parameters of one name have no meaning as one.
    pub(super) fn check_claims(&self, part: &Part, any: bool) -> Result<(), Refusal> {
        match part {
            _ if !any => Ok(()),
            Part::Header(name) => self.check_one(part, self.headers, name),
            Part::Trailer(name) => self.check_one(part, self.trailers, name),
            Part::Values(_) => {
                Err(self.refusal(part, "nothing can be claimed of several values, nor committed to"))
            }
            Part::Parameter(name) => self.check_only(part, name),
            _ => Ok(()),
        }
    }

    /// Checks that no two of `fields` have this name.
    fn check_one(&self, part: &Part, fields: &[Header], name: &str) -> Result<(), Refusal> {
        if fields.iter().filter(|field| field.is(self.text, name)).count() > 1 {
            let reason =
                "there are several fields of this name, so nothing can be claimed of it, nor committed to";
            return Err(self.refusal(part, reason));
        }
        Ok(())
    }

    pub(super) fn refusal(&self, part: &Part, reason: &str) -> Refusal {
        part_refusal(self.side, self.round, part, reason)
    }
}

/// The error for a part of a message that does not exist.
pub(in crate::page::disclosure) fn no_round(side: Side, round: usize, part: &Part, rounds: usize) -> Refusal {
    part_refusal(
        side,
        round,
        part,
        &format!("there is no such message; the connection has {rounds} of each direction"),
    )
}

/// The error for a part of a message with which something is wrong.
pub(in crate::page::disclosure) fn part_refusal(
    side: Side,
    round: usize,
    part: &Part,
    reason: &str,
) -> Refusal {
    Refusal::Part { message: message_name(side, round), part: part.to_string(), reason: reason.into() }
}

/// Checks that searching for hidden values stays within the limit.
fn check_search(side: Side, hidden: &[Hidden], exchanges: &[Exchange]) -> Result<(), Refusal> {
    let searched = |hidden: &&Hidden| matches!(hidden.part, Part::Json(_) | Part::Values(_));
    let length = |hidden: &Hidden| match (exchanges.get(hidden.round), side) {
        (Some(exchange), Side::Client) => exchange.request.body.length(),
        (Some(exchange), Side::Server) => exchange.response.body.length(),
        (None, _) => 0,
    };
    let all = hidden.iter().filter(searched).map(length).fold(0, usize::saturating_add);
    if all > MAX_SEARCHED {
        let reason = "so many hidden values in a body of this size take too long to find";
        return Err(Refusal::Payload { side, reason });
    }
    Ok(())
}

/// V's view of a payload, given what is to be hidden.
///
/// # Errors
/// [`Refusal::Part`] for a part that does not exist or cannot be hidden; [`Refusal::Claim`] for a claim about
/// an empty one that is not true.
pub(in crate::page::disclosure) fn find(
    side: Side,
    text: &[u8],
    exchanges: &[Exchange],
    redactions: &[Redaction],
) -> Result<RedactedPayload, Refusal> {
    let mut shown = RedactedPayload { text: text.to_vec(), hidden: Vec::new() };
    for Redaction { round, part, claims, commit, .. } in
        redactions.iter().filter(|redaction| redaction.side == side)
    {
        let message = HttpMessage::of(side, text, exchanges, *round, part)?;
        let (class, ranges) = message.find(part)?;
        if ranges.is_empty() {
            return Err(message.refusal_of_empty(part, class, claims));
        }
        message.check_claims(part, !claims.is_empty() || *commit)?;
        if class == Class::Word && (claims.is_empty() || *commit) {
            return Err(message.refusal(part, WORD));
        }
        let written: Zeroizing<Vec<u8>> =
            Zeroizing::new(ranges.iter().flat_map(|range| slice(text, range)).copied().collect());
        let mut filler = filler(class, part, written.len()).into_iter();
        for range in &ranges {
            let bytes = shown.text.get_mut(range.clone()).unwrap_or_default();
            bytes.iter_mut().zip(&mut filler).for_each(|(byte, filler)| *byte = filler);
        }
        let mut claims = claims.clone();
        claims.iter_mut().for_each(|claim| spell(claim, class, &written));
        let commit = commit.then(|| form(class, &written));
        let (round, part) = (*round, part.clone());
        shown.hidden.push(Hidden { round, part, class, ranges, claims, commit, leaves: Vec::new() });
    }
    shown.hidden.sort_by_key(|hidden| hidden.ranges.first().map(|range| range.start));
    Ok(shown)
}

/// What V sees in place of a hidden string.
pub(super) fn filler(class: Class, part: &Part, length: usize) -> Vec<u8> {
    match part {
        Part::Values(values) => values.filler(length).unwrap_or_default(),
        _ => vec![class.filler(); length],
    }
}

/// The form of commitments to a string: a number if it consists of digits only, and not too many.
fn form(class: Class, written: &[u8]) -> Form {
    let digits = written.len() <= MAX_DIGITS && written.iter().all(u8::is_ascii_digit);
    if class == Class::Number && digits { Form::Number } else { Form::Bytes }
}

/// The server of a connection, as far as V knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Server<'a> {
    /// The verified host.
    pub(crate) host: &'a str,
    /// The port, if V has connected to it; otherwise the requests name it.
    pub(crate) port: Option<u16>,
    /// The ports that V accepts; all if this is empty.
    pub(crate) ports: &'a [u16],
}

/// What is known about shown messages that passed the checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::page::disclosure) struct Checked {
    pub(in crate::page::disclosure) exchanges: Vec<Exchange>,
    pub(in crate::page::disclosure) port: u16,
}

/// Checks that what is shown is requests to this server and their whole responses, and that the hidden
/// strings are the parts that they claim to be. Returns the messages and their port. `closed` says whether
/// the server ended the connection with `close_notify`.
///
/// # Errors
/// [`Refusal::Payload`], [`Refusal::Http`], [`Refusal::Host`], [`Refusal::Port`], [`Refusal::Part`].
pub(in crate::page::disclosure) fn check(
    shown: &[RedactedPayload; 2],
    server: &Server<'_>,
    closed: bool,
) -> Result<Checked, Refusal> {
    let [request, response] = shown;
    request.check_shape(Side::Client)?;
    response.check_shape(Side::Server)?;
    let exchanges = exchanges([&request.text, &response.text], closed)?;
    let port = check_server(&request.text, &exchanges, server)?;
    check_hidden_body(request, &exchanges)?;
    for (side, shown) in [(Side::Client, request), (Side::Server, response)] {
        check_search(side, &shown.hidden, &exchanges)?;
        for hidden in &shown.hidden {
            let message = HttpMessage::of(side, &shown.text, &exchanges, hidden.round, &hidden.part)?;
            let (class, ranges) = message.locate(&hidden.part)?;
            message.check_claims(&hidden.part, !hidden.claims.is_empty() || hidden.commit.is_some())?;
            // The filler of a word is a number, so V cannot see which of the two it is. The proof says it.
            let seen =
                if hidden.class == Class::Word && class == Class::Number { Class::Word } else { class };
            let bytes = || ranges.iter().flat_map(|range| slice(&shown.text, range)).copied();
            if matches!(hidden.part, Part::Values(_))
                && !bytes().eq(filler(class, &hidden.part, hidden.length()))
            {
                return Err(message.refusal(&hidden.part, "bytes that are said to be hidden"));
            }
            if (seen, &ranges) != (hidden.class, &hidden.ranges) {
                return Err(
                    message.refusal(&hidden.part, "the hidden bytes are not this part, or more than it")
                );
            }
        }
    }
    Ok(Checked { exchanges, port })
}

/// Checks that all requests are to this server. Returns its port.
fn check_server(text: &[u8], exchanges: &[Exchange], server: &Server<'_>) -> Result<u16, Refusal> {
    let Server { host, port: known, ports } = *server;
    let mut all = known;
    for exchange in exchanges {
        let named = check_host(text, &exchange.request, host)?;
        // If V has connected to the port, the requests need not name it.
        let port = named.or(known).unwrap_or(HTTPS);
        if *all.get_or_insert(port) != port {
            return Err(Refusal::Port {
                port,
                reason: "it is not the connection's, or not the other requests'",
            });
        }
    }
    let port = all.unwrap_or(HTTPS);
    if ports.is_empty() || ports.contains(&port) {
        return Ok(port);
    }
    Err(Refusal::Port { port, reason: "the notary has nothing to do with this port" })
}

/// Checks that the request is to the verified host: its target is a path, and its Host is this one. Returns
/// the port that it names, if it does.
fn check_host(text: &[u8], request: &Request, host: &str) -> Result<Option<u16>, Refusal> {
    let bracketed = format!("[{host}]");
    let expected = if host.contains(':') { &bracketed } else { host };
    let found = slice(text, &request.host);
    let rest = found.split_at_checked(expected.len());
    let rest = rest.filter(|(name, _)| name.eq_ignore_ascii_case(expected.as_bytes())).map(|(_, rest)| rest);
    let port = |rest: &[u8]| match rest {
        [] => Some(None),
        [b':', digits @ ..] => number(digits).map(Some),
        _ => None,
    };
    let port = rest.and_then(port).filter(|_| slice(text, &request.target).starts_with(b"/"));
    port.ok_or_else(|| Refusal::Host { expected: host.into() })
}

/// A port in canonical form.
fn number(digits: &[u8]) -> Option<u16> {
    let canonical = digits.iter().all(u8::is_ascii_digit) && !digits.starts_with(b"0");
    core::str::from_utf8(digits).ok().filter(|_| canonical)?.parse().ok()
}

pub(super) fn slice<'a>(text: &'a [u8], range: &Range<usize>) -> &'a [u8] {
    text.get(range.clone()).unwrap_or_default()
}
