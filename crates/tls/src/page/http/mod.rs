//! Requests and responses of HTTP/1.1 as ranges of the plaintext, because what is revealed, committed to or
//! proved is always a range.
//!
//! ```text
//! client's plaintext = request request ...          message = start line CRLF (name ":" value CRLF)* CRLF body
//! server's plaintext = response response ...        body    = nothing | as many bytes as Content-Length says | chunks | all to the end
//! ```
//!
//! V signs what is read here, so a message has one reading or none. Anything that another reader may parse
//! differently is refused (bare line feeds, folded lines, spaces before colons, two lengths, a length and
//! chunks). References are to RFC 9112.
//!
//! **Completeness.** A response proves what the server said only if it is complete: all bytes of
//! Content-Length, the last chunk with the empty line after it, or, if the body extends to the end of the
//! connection, the server's `close_notify`. Otherwise the rest may have been cut off.
//!
//! **Trailers.** Somebody who can insert lines into a server's head (a redirect's target, a file name in
//! `Content-Disposition`) could begin a body there, in chunks, and let the rest of the true head pass as
//! header fields after the last chunk. Then one complete response would consist of that person's words. So
//! only fields that cannot be the rest of a head are read there (`trailer`). Anything else is refused, and so
//! is what is left over after a response.
//!
//! **HTTP/1.0.** A response may be of this version. It has no chunks. The connection ends with it unless it
//! says `keep-alive` (section 9.3), and no other response may come after it.
//!
//! **Hidden bytes.** A reader who does not know all bytes puts another byte of the same class into each
//! hidden place (a digit for a digit; for a character of a string, a letter, which is not a quote, a
//! backslash or a control character). If the prover has shown that the hidden bytes are in that class, both
//! readers get the same ranges. Start lines, header names and lengths must be known.
//!
//! **Unusual methods and bodies** can make servers answer in a different way than the response's head says:
//! `rules` refuses them. `query` says which parameters a query has.
//!
//! [`json`] finds values in bodies.

mod body;
mod error;
mod head;
pub mod json;
mod query;
pub mod request;
mod rules;
#[cfg(test)]
mod tests;
mod trailer;

pub use error::Error;

pub use rules::{check_request, has_usual_body};

pub(crate) use query::{MAX_PARAMETERS, may_be_same};
pub(crate) use rules::{check_response, decoded};

use core::ops::Range;
use std::borrow::Cow;

/// The most bytes of a start line and headers.
pub(crate) const MAX_HEAD: usize = 1 << 16;
/// The most headers of a message.
pub(crate) const MAX_HEADERS: usize = 256;
/// The most messages of a direction.
pub(crate) const MAX_MESSAGES: usize = 1 << 10;

/// A header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its name, as written.
    pub name: Range<usize>,
    /// Its value, without the space around it.
    pub value: Range<usize>,
}

impl Header {
    /// Whether it has this name, ignoring case.
    #[must_use]
    pub fn is(&self, plaintext: &[u8], name: &str) -> bool {
        slice(plaintext, &self.name).eq_ignore_ascii_case(name.as_bytes())
    }
}

/// How the end of a body is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// There is no body.
    None,
    /// By Content-Length.
    Length,
    /// By the last chunk.
    Chunked,
    /// By the end of the connection.
    Close,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// How its end is determined.
    pub framing: Framing,
    /// The positions of its bytes, in order: one range, or one for each chunk. None is empty.
    pub parts: Vec<Range<usize>>,
}

impl Body {
    /// Its length in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.parts.iter().map(ExactSizeIterator::len).sum()
    }

    /// Its bytes in one piece. `plaintext` must be the one that was parsed.
    #[must_use]
    pub fn bytes<'a>(&self, plaintext: &'a [u8]) -> Cow<'a, [u8]> {
        match &*self.parts {
            [] => Cow::Borrowed(&[]),
            [part] => Cow::Borrowed(slice(plaintext, part)),
            parts => parts.iter().flat_map(|part| slice(plaintext, part)).copied().collect(),
        }
    }

    /// The positions of bytes `range` of the body in the plaintext: several ranges if they cross a chunk
    /// boundary, none if there are no such bytes.
    #[must_use]
    pub fn locate(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let (mut found, mut before) = (Vec::new(), 0);
        for part in &self.parts {
            let from = range.start.max(before);
            let to = range.end.min(before + part.len());
            if from < to {
                found.push(part.start + (from - before)..part.start + (to - before));
            }
            before += part.len();
        }
        found
    }
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// All of it.
    pub range: Range<usize>,
    /// Its method, such as `GET`.
    pub method: Range<usize>,
    /// Its target, such as `/path?query`.
    pub target: Range<usize>,
    /// Its only `Host`.
    pub host: Range<usize>,
    /// Its headers.
    pub headers: Vec<Header>,
    /// Its body.
    pub body: Body,
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// All of it.
    pub range: Range<usize>,
    /// Its status, 200 to 599.
    pub status: u16,
    /// The status line, without its end.
    pub status_line: Range<usize>,
    /// Its headers.
    pub headers: Vec<Header>,
    /// Its body.
    pub body: Body,
    /// The header fields after a body in chunks.
    pub trailers: Vec<Header>,
}

/// A request and its response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Ranges of the client's plaintext.
    pub request: Request,
    /// Ranges of the server's plaintext.
    pub response: Response,
}

impl Request {
    /// Reads the request that begins at byte `start`.
    ///
    /// # Errors
    /// Those of [`Error`].
    pub fn parse(plaintext: &[u8], start: usize) -> Result<Self, Error> {
        let mut lines = head::Lines::new(plaintext, start);
        let [method, target] = lines.request_line()?;
        let headers = lines.headers()?;
        let host = head::host(plaintext, start, &headers)?;
        let framing = body::of_request(plaintext, start, &headers)?;
        let (body, trailers) = body::read(&mut lines, framing, false)?;
        trailer::check_none(&trailers)?;
        Ok(Self { range: start..lines.at, method, target, host, headers, body })
    }

    /// Whether it asks the server to take no further requests on the connection (section 9.6).
    #[must_use]
    pub fn is_last(&self, plaintext: &[u8]) -> bool {
        rules::has_option(plaintext, &self.headers, b"close")
    }

    /// The path: the target up to, and without, its first question mark.
    #[must_use]
    pub fn path(&self, plaintext: &[u8]) -> Range<usize> {
        let target = slice(plaintext, &self.target);
        let length = target.iter().position(|byte| *byte == b'?').unwrap_or(target.len());
        self.target.start..self.target.start.saturating_add(length)
    }

    /// The query: the target after its first question mark, if there is one.
    #[must_use]
    pub fn query(&self, plaintext: &[u8]) -> Option<Range<usize>> {
        let start = self.path(plaintext).end.saturating_add(1);
        (start <= self.target.end).then_some(start..self.target.end)
    }
}

impl Response {
    /// Reads the response that begins at byte `start`. `to_head`: it answers a HEAD request, so it has no
    /// body whatever its headers say. `closed`: the plaintext is everything that the server said, as its
    /// `close_notify` shows.
    ///
    /// # Errors
    /// Those of [`Error`].
    pub fn parse(plaintext: &[u8], start: usize, to_head: bool, closed: bool) -> Result<Self, Error> {
        let mut lines = head::Lines::new(plaintext, start);
        let line = lines.status_line()?;
        let headers = lines.headers()?;
        let framing = body::of_response(plaintext, start, &headers, &line, to_head)?;
        let (body, trailers) = body::read(&mut lines, framing, closed)?;
        trailer::check(plaintext, line.status, &headers, &trailers)?;
        let (range, status, status_line) = (start..lines.at, line.status, line.range);
        Ok(Self { range, status, status_line, headers, body, trailers })
    }
}

impl Response {
    /// Whether a server that gives this response takes no further requests on its connection: it says `close`
    /// (section 9.6), or its version is HTTP/1.0 and it does not say `keep-alive` (section 9.3).
    #[must_use]
    pub fn is_last(&self, plaintext: &[u8]) -> bool {
        let says = |option: &[u8]| rules::has_option(plaintext, &self.headers, option);
        says(b"close") || self.is_old(plaintext) && !says(b"keep-alive")
    }

    /// Whether the server says that it waits for further requests on the connection.
    pub(crate) fn stays_open(&self, plaintext: &[u8]) -> bool {
        !self.is_last(plaintext) && rules::has_option(plaintext, &self.headers, b"keep-alive")
    }

    /// Whether its version is HTTP/1.0.
    fn is_old(&self, plaintext: &[u8]) -> bool {
        slice(plaintext, &self.status_line).starts_with(b"HTTP/1.0")
    }
}

/// Reads a whole connection: the same number of requests and responses, and nothing between or after them.
/// `closed`: the server's `close_notify` shows that this is everything it said.
///
/// # Errors
/// Those of [`Error`].
pub fn parse(client: &[u8], server: &[u8], closed: bool) -> Result<Vec<Exchange>, Error> {
    let (mut requests, mut start) = (Vec::new(), 0);
    while start < client.len() {
        if requests.len() == MAX_MESSAGES {
            return Err(Error::Limit { what: "requests of a connection", limit: MAX_MESSAGES });
        }
        let request = Request::parse(client, start)?;
        start = request.range.end;
        requests.push(request);
    }
    let (count, mut exchanges, mut start) = (requests.len(), Vec::new(), 0);
    for request in requests {
        if start == server.len() {
            return Err(Error::Unanswered { requests: count, responses: exchanges.len() });
        }
        let to_head = slice(client, &request.method) == b"HEAD";
        let response = Response::parse(server, start, to_head, closed)?;
        start = response.range.end;
        exchanges.push(Exchange { request, response });
    }
    if start == server.len() {
        Ok(exchanges)
    } else {
        Err(Error::Malformed {
            what: "the server's plaintext",
            offset: start,
            reason: "it goes on after the last response",
        })
    }
}

/// A range of the plaintext that it was made from; empty for any other plaintext.
fn slice<'a>(plaintext: &'a [u8], range: &Range<usize>) -> &'a [u8] {
    plaintext.get(range.clone()).unwrap_or_default()
}
