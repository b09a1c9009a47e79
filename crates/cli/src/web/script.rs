//! All requests of `volery web prove`, in order: that of the command line, then those of files
//! ([`Template`]).
//!
//! All requests share one connection, or each has its own ([`Order`]). The program counts requests over all
//! connections in both cases; within a connection rounds are counted from its first request.
//!
//! Sizes are fixed before a connection opens, so a padding field fills up requests whose values are shorter
//! than planned.

use core::ops::Range;

use volery::visit::Round;
use volery::web::Side;
use volery::web::dialogue::{MAX_ROUNDS, ReceivedResponses};
use volery::web::disclosure::{MessagePart, Part, Selection, Suite, TlsVersion};
use volery::web::http::{self, Request};
use volery::web::joint::Sizes;
use zeroize::Zeroizing;

use super::checks;
use super::parts;
use super::placeholder::{Placeholder, fill};
use super::template::{Template, parameter_names};
use crate::failure::Failure;
use volery::web::http::request::Page;

/// The field that pads a request.
const PADDING: &str = "X-Padding: ";
/// The methods after which further requests may be sent without waiting (RFC 9112, section 9.3.2).
const SAFE: [&str; 3] = ["GET", "HEAD", "OPTIONS"];

/// When a request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// After the previous response, on the same connection.
    InTurn,
    /// At once if possible, on the same connection.
    AtOnce,
    /// On a connection of its own, after the previous connection.
    Apart,
}

/// Something wrong with what is shown, hidden or claimed.
#[derive(Debug)]
pub(super) struct Mistake {
    /// The part that it is about, if it is about one.
    pub(super) part: Option<MessagePart>,
    pub(super) failure: Failure,
}

/// A list of mistakes.
struct Found(Vec<Mistake>);

impl Found {
    fn add(&mut self, part: Option<MessagePart>, checked: Result<(), Failure>) {
        if let Err(failure) = checked
            && !self.0.iter().any(|known| known.failure == failure)
        {
            self.0.push(Mistake { part, failure });
        }
    }
}

/// All requests of a flow, in order.
#[derive(Debug)]
pub(super) struct Script {
    page: Page,
    requests: Vec<Template>,
    order: Order,
    /// The length of each request in bytes.
    sizes: Vec<usize>,
    /// The number of responses, from the first on, that are read before the next request.
    read: usize,
}

impl Script {
    /// Takes the page and its requests, in order.
    pub(super) fn new(page: Page, requests: Vec<Template>, order: Order) -> Result<Self, Failure> {
        let count = requests.len();
        if count > MAX_ROUNDS {
            return Err(Failure::input(format!("{count} requests; at most {MAX_ROUNDS} are possible")));
        }
        let mut script = Self { page, requests, order, sizes: Vec::new(), read: 0 };
        (script.sizes, script.read) = script.measure()?;
        Ok(script)
    }

    /// The length of each request, and the number of responses that are read before the next request.
    fn measure(&self) -> Result<(Vec<usize>, usize), Failure> {
        let Self { page, requests, order, .. } = self;
        let count = requests.len();
        let (mut sizes, mut read) =
            (Vec::new(), if *order == Order::InTurn { count.saturating_sub(1) } else { 0 });
        for (round, request) in requests.iter().enumerate() {
            let failed = |reason: String| match round {
                0 => Failure::input(reason),
                later => Failure::input(format!("request {}: {reason}", later + 1)),
            };
            for place in request.placeholders().map_err(failed)? {
                if place.round >= round {
                    return Err(failed(format!("no response {} comes before it", place.round + 1)));
                }
                read = read.max(place.round + 1);
            }
            if round + 1 < count && !SAFE.contains(&request.method.as_str()) {
                read = read.max(round + 1);
            }
            let whole = request.longest(page, self.is_last(round)).map_err(failed)?;
            check(&whole, self.is_last(round), self.connection(round).len()).map_err(failed)?;
            let padded =
                if request.placeholders().map_err(failed)?.is_empty() { 0 } else { PADDING.len() + 2 };
            sizes.push(whole.len() + padded);
        }
        Ok((sizes, if *order == Order::Apart { 0 } else { read }))
    }

    /// The numbers of the requests that share a connection with request `round`.
    fn connection(&self, round: usize) -> Range<usize> {
        if self.order == Order::Apart { round..round + 1 } else { 0..self.requests.len() }
    }

    /// Whether request `round` takes values of responses on its own connection, so that it is not known
    /// before that is open.
    pub(super) fn waits(&self, round: usize) -> Result<bool, String> {
        let Some(request) = self.requests.get(round) else { return Ok(false) };
        let connection = self.connection(round);
        Ok(request.placeholders()?.iter().any(|place| connection.contains(&place.round)))
    }

    /// Whether request `round` is the last of its connection.
    fn is_last(&self, round: usize) -> bool {
        round + 1 == self.connection(round).end
    }

    /// The connections, as the numbers of their requests.
    pub(super) fn connections(&self) -> Vec<Range<usize>> {
        let starts = if self.order == Order::Apart { self.requests.len() } else { 1 };
        (0..starts).map(|start| self.connection(start)).collect()
    }

    /// The parts that requests take from responses, and the paths that they put values into. They stay secret
    /// unless the user reveals them.
    pub(super) fn taken(&self) -> Result<Vec<MessagePart>, Failure> {
        let mut taken = Vec::new();
        for (round, request) in self.requests.iter().enumerate() {
            let placeholders = request.placeholders().map_err(Failure::Input)?;
            taken.extend(placeholders.iter().map(Placeholder::part));
            if request.puts_into_path().map_err(Failure::Input)? {
                taken.push(MessagePart { side: Side::Client, round, part: Part::Path });
            }
        }
        Ok(taken)
    }

    /// Checks that all parts of the requests that this selection hides can be hidden, before anything is
    /// sent.
    pub(super) fn check(&self, selection: &Selection) -> Result<(), Failure> {
        self.mistakes(selection).into_iter().next().map_or(Ok(()), |mistake| Err(mistake.failure))
    }

    /// Everything that is wrong with this selection, as far as it shows before anything is sent.
    pub(super) fn mistakes(&self, selection: &Selection) -> Vec<Mistake> {
        let mut found = Found(Vec::new());
        for (named, alone) in parts::each(selection) {
            found.add(Some(named.clone()), checks::check_rounds(&alone, self.requests.len()));
            found.add(Some(named), checks::check_names(&alone));
        }
        for (round, request) in self.requests.iter().enumerate() {
            if let Err(failure) = self.check_request(selection, (round, request), &mut found) {
                found.add(None, Err(failure));
            }
        }
        found.0
    }

    /// Looks at a request of which something may be hidden that cannot be.
    fn check_request(
        &self,
        selection: &Selection,
        (round, request): (usize, &Template),
        found: &mut Found,
    ) -> Result<(), Failure> {
        let named = |part| Some(MessagePart { side: Side::Client, round, part });
        let header = |name: &str| named(Part::Header(name.into()));
        for name in request.field_names() {
            found.add(header(name), checks::check_fields(selection, round, core::iter::once(name)));
        }
        for name in request.filled_fields().map_err(Failure::Input)? {
            found.add(header(name), checks::check_filled(selection, round, &[name]));
        }
        if request.puts_into_name().map_err(Failure::Input)? {
            found.add(named(Part::Body), checks::check_body_names(selection, round));
        }
        if request.puts_into_parameter_name().map_err(Failure::Input)? {
            found.add(named(Part::Query), checks::check_query_names(selection, round));
        }
        let last = self.is_last(round);
        let whole = request.longest(&self.page, last).map_err(Failure::Input)?;
        let parsed = Request::parse(&whole, 0).map_err(Failure::input)?;
        if parsed.body.length() > 0 && !http::has_usual_body(&whole, &parsed) {
            found.add(named(Part::Body), checks::check_body(selection, round, &request.method));
        }
        if !last && self.read + 1 < self.requests.len() {
            let query = parsed.query(&whole).is_some_and(|query| !query.is_empty());
            found.add(named(Part::Path), checks::check_target(selection, round, query));
        }
        Ok(())
    }

    /// Checks that the values in a request have not made other names of its query's parameters, which show:
    /// what comes after `&` in a value would be one.
    pub(super) fn check_query_names(&self, round: usize, made: &[u8]) -> Result<(), String> {
        let template = self.requests.get(round).ok_or("there is no such request")?;
        let parsed = Request::parse(made, 0).map_err(|error| error.to_string())?;
        let names = parameter_names(made.get(parsed.target).unwrap_or_default());
        let plain = fill(template.target.as_bytes(), &mut |_| Ok(Zeroizing::default()))?;
        if names.eq(parameter_names(&plain)) {
            return Ok(());
        }
        Err(format!(
            "request {}: a value of an earlier response has & or ; in it, so a part of it would show as the name of a parameter; name no parameter of this query",
            round.saturating_add(1)
        ))
    }

    /// What [`Script::check_query_names`] finds in the requests that were made on this connection, whose part
    /// of the selection is `own`.
    pub(super) fn made_names(
        &self,
        connection: &Range<usize>,
        own: &Selection,
        made: &[u8],
    ) -> Result<(), String> {
        let mut start = 0;
        for round in 0..connection.len() {
            let request = Request::parse(made, start).map_err(|error| error.to_string())?;
            let end = request.range.end;
            if checks::shows_query_names(own, round) {
                self.check_query_names(connection.start + round, made.get(start..end).unwrap_or_default())?;
            }
            start = end;
        }
        Ok(())
    }

    /// The page.
    pub(super) fn page(&self) -> &Page {
        &self.page
    }

    /// The requests of this connection. `read` bytes can be read of each response that a request waits for.
    pub(super) fn rounds(&self, connection: &Range<usize>, read: usize) -> Vec<Round> {
        let sizes = self.sizes.iter().enumerate().filter(|(round, _)| connection.contains(round));
        sizes
            .map(|(round, query)| Round { query: *query, read: (round < self.read).then_some(read) })
            .collect()
    }

    /// The sizes for the connection of these requests, which proves about `proved` bytes.
    pub(super) fn sizes(
        &self,
        connection: &Range<usize>,
        protocol: (TlsVersion, Suite),
        read: usize,
        proved: usize,
    ) -> Sizes {
        Round::sizes(&self.rounds(connection, read), protocol, proved)
    }

    /// Adds the responses on the connection of these requests to `heard`, for requests on later connections.
    pub(super) fn hear(
        &self,
        connection: &Range<usize>,
        received: &[u8],
        heard: &mut ReceivedResponses,
    ) -> Result<(), Failure> {
        let later = self.requests.get(connection.end..).unwrap_or_default();
        let placeholders = later
            .iter()
            .map(Template::placeholders)
            .collect::<Result<Vec<_>, _>>()
            .map_err(Failure::Input)?;
        if !placeholders.iter().flatten().any(|place| connection.contains(&place.round)) {
            // No request reads it. It only keeps the numbers of later responses.
            return heard.add(b"HTTP/1.1 204 No Content\r\n\r\n", false).map_err(Failure::session);
        }
        let to_head = self.requests.get(connection.start).is_some_and(|request| request.method == "HEAD");
        heard.add(received, to_head).map_err(Failure::session)
    }

    /// The request with this number, padded to its size.
    pub(super) fn request(
        &self,
        round: usize,
        heard: &ReceivedResponses,
    ) -> Result<Zeroizing<Vec<u8>>, String> {
        let (Some(request), Some(size)) = (self.requests.get(round), self.sizes.get(round)) else {
            return Err("there is no such request".into());
        };
        let made = request.with(&self.page, self.is_last(round), &mut |place| place.value(heard))?;
        let made = match size.checked_sub(made.len() + PADDING.len() + 2) {
            Some(padding) if !request.placeholders()?.is_empty() => padded(&made, padding),
            _ => made,
        };
        // With its values a request may be invalid although its template is valid.
        check(&made, self.is_last(round), self.connection(round).len())?;
        Ok(made)
    }
}

/// Checks that the notary will accept this request as one of `count` on a connection, before it is sent.
fn check(request: &[u8], last: bool, count: usize) -> Result<(), String> {
    let parsed = Request::parse(request, 0).map_err(|error| error.to_string())?;
    http::check_request(request, &parsed, last).map_err(|error| error.to_string())?;
    if count > 1 && !http::has_usual_body(request, &parsed) {
        return Err(
            "where there are several requests on a connection, only POST, PUT and PATCH may have a body"
                .into(),
        );
    }
    Ok(())
}

/// Puts the padding field before the empty line that ends the head.
fn padded(request: &[u8], padding: usize) -> Zeroizing<Vec<u8>> {
    let end = request.windows(4).position(|end| end == b"\r\n\r\n").map_or(request.len(), |end| end + 2);
    let (head, rest) = request.split_at(end);
    let field = [PADDING.as_bytes(), &vec![b'x'; padding], b"\r\n"].concat();
    Zeroizing::new([head, &field, rest].concat())
}

#[cfg(test)]
mod tests;
