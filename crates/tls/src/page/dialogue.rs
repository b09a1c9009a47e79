//! Several requests on one connection: what P asks next, and when the answer is complete.
//!
//! HTTP/1.1 answers in order (RFC 9112, section 9.3), so request `n` has the `n`-th response. A later request
//! may depend on earlier responses, so P has to read responses while the connection is open. The head of a
//! response says where it ends, so P reads a response only when it has read all before it. Each request waits
//! for the whole response to the one before it. V demands that
//! ([`disclosure`](crate::disclosure#several-requests)), and refuses messages that servers are known to
//! answer in other ways, so P checks each message before it goes on. Two parties can agree to send at once
//! the requests that depend on nothing (section 9.3.2, pipelining); an attestation says so.
//!
//! Both modes use this, but differ in how P gets the plaintext: in proxy mode it has the keys; for two
//! parties see [`joint`](crate::joint#several-requests).

use zeroize::Zeroizing;

use crate::page::http::{self, Request, Response};

/// The most requests of a connection.
pub const MAX_ROUNDS: usize = 16;

/// Why a connection with several requests cannot continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The caller has no request.
    #[error("request {} was not made: {reason}", .round + 1)]
    Request {
        /// The number of the request, from 0.
        round: usize,
        /// Why.
        reason: String,
    },
    /// A response is malformed, or must not be followed by others.
    #[error("response {}: {error}", .round + 1)]
    Response {
        /// The number of the response, from 0.
        round: usize,
        /// What is wrong.
        error: http::Error,
    },
    /// More bytes came than the response.
    #[error("the server sent more after response {}, before the next request", .round + 1)]
    Unasked {
        /// The number of the response, from 0.
        round: usize,
    },
    /// The server takes no further requests.
    #[error(
        "the server ends the connection with response {}, and there are {remaining} more requests: it does not take several on one connection",
        .round + 1
    )]
    Last {
        /// The number of the response, from 0.
        round: usize,
        /// The number of remaining requests.
        remaining: usize,
    },
    /// The connection ended within a response, or before it.
    #[error("the server ended the connection before response {} was complete", .round + 1)]
    Ended {
        /// The number of the response, from 0.
        round: usize,
    },
}

/// The responses so far, as far as P reads them while the connection is open.
#[derive(Default)]
pub struct ReceivedResponses {
    text: Zeroizing<Vec<u8>>,
    responses: Vec<Response>,
}

impl core::fmt::Debug for ReceivedResponses {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ReceivedResponses").field("responses", &self.responses.len()).finish_non_exhaustive()
    }
}

impl ReceivedResponses {
    /// All responses that were read, one after the other.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The parsed responses: ranges of [`ReceivedResponses::text`].
    #[must_use]
    pub fn responses(&self) -> &[Response] {
        &self.responses
    }

    /// Adds the only response of another connection, which has ended, given all its received bytes. `to_head`
    /// says whether the request had the method HEAD. So a request may depend on responses of earlier
    /// connections.
    ///
    /// # Errors
    /// [`Error::Response`] for a malformed response, [`Error::Unasked`] if more came than the response.
    /// Nothing is added then.
    pub fn add(&mut self, received: &[u8], to_head: bool) -> Result<(), Error> {
        let (round, start) = (self.responses.len(), self.text.len());
        append(&mut self.text, received);
        let added = match Response::parse(&self.text, start, to_head, true) {
            Ok(response) if response.range.end < self.text.len() => Err(Error::Unasked { round }),
            Ok(response) => Ok(response),
            Err(error) => Err(Error::Response { round, error }),
        };
        added.map(|response| self.responses.push(response)).inspect_err(|_| self.text.truncate(start))
    }
}

/// Makes the request with this number (from 0) from the responses so far, or says why there is none.
pub type RequestSource<'a> =
    dyn FnMut(usize, &ReceivedResponses) -> Result<Zeroizing<Vec<u8>>, String> + Send + 'a;

/// P's side of the dialogue.
pub(crate) struct Dialogue<'a, 'b> {
    ask: &'a mut RequestSource<'b>,
    rounds: usize,
    /// For each request so far, whether it has the method HEAD, whose responses have no body.
    to_head: Vec<bool>,
    received: ReceivedResponses,
}

impl<'a, 'b> Dialogue<'a, 'b> {
    /// A dialogue of this many requests.
    pub(crate) fn new(rounds: usize, ask: &'a mut RequestSource<'b>) -> Self {
        Self { ask, rounds, to_head: Vec::new(), received: ReceivedResponses::default() }
    }

    /// The next request.
    ///
    /// # Errors
    /// [`Error::Request`].
    pub(crate) fn request(&mut self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let round = self.to_head.len();
        let request = (self.ask)(round, &self.received).map_err(|reason| Error::Request { round, reason })?;
        let last = round + 1 >= self.rounds;
        // The other party refuses anything that is not a request.
        let parsed = Request::parse(&request, 0).ok().filter(|_| self.rounds > 1);
        let checked = parsed.map_or(Ok(()), |parsed| http::check_request(&request, &parsed, last));
        checked.map_err(|error| Error::Request { round, reason: error.to_string() })?;
        self.to_head.push(request.starts_with(b"HEAD "));
        Ok(request)
    }

    /// The number of responses that were read.
    pub(crate) fn responses_read(&self) -> usize {
        self.received.responses.len()
    }

    /// Takes bytes from the server. Returns whether they complete the expected response, after which the next
    /// request may follow.
    ///
    /// # Errors
    /// [`Error::Response`], [`Error::Unasked`], [`Error::Last`].
    pub(crate) fn receive(&mut self, plaintext: &[u8]) -> Result<bool, Error> {
        append(&mut self.received.text, plaintext);
        let round = self.responses_read();
        let start = self.received.responses.last().map_or(0, |response| response.range.end);
        let Some(to_head) = self.to_head.get(round) else { return Err(Error::Unasked { round }) };
        let response = match Response::parse(&self.received.text, start, *to_head, false) {
            Ok(response) => response,
            Err(http::Error::Incomplete { .. }) => return Ok(false),
            Err(error) => return Err(Error::Response { round, error }),
        };
        if response.range.end < self.received.text.len() {
            return Err(Error::Unasked { round });
        }
        let remaining = self.rounds.saturating_sub(round + 1);
        if remaining > 0 && response.is_last(&self.received.text) {
            return Err(Error::Last { round, remaining });
        }
        http::check_response(&self.received.text, &response, remaining == 0)
            .map_err(|error| Error::Response { round, error })?;
        self.received.responses.push(response);
        Ok(true)
    }

    /// The error for a connection that ended while a response was expected.
    pub(crate) fn ended(&self) -> Error {
        Error::Ended { round: self.responses_read() }
    }
}

/// Appends bytes, and leaves no copy of the old ones behind.
pub(crate) fn append(all: &mut Zeroizing<Vec<u8>>, more: &[u8]) {
    if all.capacity() - all.len() < more.len() {
        let mut grown = Zeroizing::new(Vec::with_capacity(2 * (all.len() + more.len())));
        grown.extend_from_slice(all);
        *all = grown;
    }
    all.extend_from_slice(more);
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";

    /// What comes of these bytes after one request of two, byte by byte.
    fn received(method: &str, bytes: &[u8]) -> Result<usize, Error> {
        let mut ask = |_: usize, _: &ReceivedResponses| {
            Ok(Zeroizing::new(format!("{method} / HTTP/1.1\r\n").into_bytes()))
        };
        let mut dialogue = Dialogue::new(2, &mut ask);
        dialogue.request()?;
        for (place, byte) in bytes.iter().enumerate() {
            if dialogue.receive(&[*byte])? {
                assert_eq!(dialogue.received.responses[0].range, 0..place + 1);
                return Ok(place + 1);
            }
        }
        Err(dialogue.ended())
    }

    #[test]
    fn responses_of_several_connections_are_heard_one_after_the_other() {
        let mut received = ReceivedResponses::default();
        received.add(FIRST, false).expect("whole");
        // Its end is the connection's.
        received.add(b"HTTP/1.1 200 OK\r\n\r\nmore", false).expect("whole");
        received.add(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", true).expect("no body");
        let before = received.text().to_vec();
        let more = [FIRST, b"x"].concat();
        assert_eq!(received.add(&more, false), Err(Error::Unasked { round: 3 }));
        assert!(matches!(received.add(&FIRST[..40], false), Err(Error::Response { round: 3, .. })));
        assert!(matches!(received.add(b"", false), Err(Error::Response { round: 3, .. })));
        assert_eq!(received.text(), before);
        let bodies =
            received.responses().iter().map(|response| response.body.bytes(received.text()).into_owned());
        assert_eq!(bodies.collect::<Vec<_>>(), [&b"body"[..], b"more", b""]);
    }

    #[test]
    fn a_response_is_whole_when_its_head_says_so() {
        assert_eq!(received("GET", FIRST), Ok(FIRST.len()));
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
        assert_eq!(received("GET", chunked), Ok(chunked.len()));
        // As long as the connection lives nobody knows where this ends.
        let open = b"HTTP/1.1 200 OK\r\n\r\nbody";
        for bytes in [&FIRST[..FIRST.len() - 1], open, b""] {
            assert_eq!(received("GET", bytes), Err(Error::Ended { round: 0 }));
        }
    }

    #[test]
    fn what_is_no_response_or_the_last_one_ends_the_talk() {
        assert!(matches!(received("GET", b"HTTP/2 200\r\n"), Err(Error::Response { round: 0, .. })));
        let last = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(received("GET", last), Err(Error::Last { round: 0, remaining: 1 }));
    }

    #[test]
    fn what_other_requests_must_not_follow_ends_the_talk() {
        let no_content = b"HTTP/1.1 204 No Content\r\n\r\n";
        for (method, response) in [("HEAD", FIRST), ("GET", no_content)] {
            assert!(
                matches!(
                    received(method, response),
                    Err(Error::Response { round: 0, error: http::Error::Unsupported(_) })
                ),
                "{method}"
            );
        }
        let text = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";
        let mut ask = |_: usize, _: &ReceivedResponses| Ok(Zeroizing::new(text.to_vec()));
        assert!(matches!(Dialogue::new(2, &mut ask).request(), Err(Error::Request { round: 0, .. })));
        assert!(Dialogue::new(1, &mut ask).request().is_ok());
    }

    #[test]
    fn bytes_that_nobody_asked_for_end_the_talk() {
        let mut ask = |_: usize, _: &ReceivedResponses| Ok(Zeroizing::new(b"GET".to_vec()));
        let mut dialogue = Dialogue::new(2, &mut ask);
        assert_eq!(dialogue.receive(FIRST), Err(Error::Unasked { round: 0 }));
        let mut ask = |_: usize, _: &ReceivedResponses| Ok(Zeroizing::new(b"GET".to_vec()));
        let mut dialogue = Dialogue::new(2, &mut ask);
        dialogue.request().unwrap();
        let more = [FIRST, b"H"].concat();
        assert_eq!(dialogue.receive(&more), Err(Error::Unasked { round: 0 }));
    }

    #[test]
    fn who_asks_sees_what_was_heard_and_may_have_nothing_to_ask() {
        let mut ask = |round: usize, received: &ReceivedResponses| match round {
            0 => Ok(Zeroizing::new(b"GET".to_vec())),
            _ => {
                Err(String::from_utf8_lossy(received.responses()[0].body.bytes(received.text()).as_ref())
                    .into())
            }
        };
        let mut dialogue = Dialogue::new(2, &mut ask);
        dialogue.request().unwrap();
        assert!(dialogue.receive(FIRST).unwrap());
        let reason = "body".to_owned();
        assert_eq!(dialogue.request().unwrap_err(), Error::Request { round: 1, reason });
    }
}
