//! Several requests on one connection: what P asks next, and when it has heard the answer.
//!
//! HTTP/1.1 answers in order (RFC 9112, section 9.3), so request `n` has the `n`-th response. A later request
//! may depend on what the server said before, for which P has to read responses while the connection lives:
//! where a response ends is what its head says, so P reads a response only when it has read all before it.
//! Each request waits for the whole response to the one before it: V demands that
//! ([`disclosure`](crate::disclosure#several-requests)), and refuses what servers are known to answer in
//! other ways, so P looks at each message before it goes on. Two parties can agree to send requests at once
//! that depend on nothing (section 9.3.2, pipelining); an attestation says so.
//!
//! Both modes use this. How P comes to the plaintext is theirs: in proxy mode it has the keys; of two parties
//! see [`joint`](crate::joint#several-requests).

use zeroize::Zeroizing;

use crate::page::http::{self, Request, Response};

/// The most requests of a connection.
pub const MAX_ROUNDS: usize = 16;

/// Why a connection with several requests does not go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Whoever asks has no request.
    #[error("request {} was not made: {reason}", .round + 1)]
    Request {
        /// Which one, from 0.
        round: usize,
        /// Why.
        reason: String,
    },
    /// A response is not one, or not one that others may follow.
    #[error("response {}: {error}", .round + 1)]
    Response {
        /// Which one, from 0.
        round: usize,
        /// What is wrong.
        error: http::Error,
    },
    /// More came than the response.
    #[error("after response {} the server went on before it was asked", .round + 1)]
    Unasked {
        /// Which one, from 0.
        round: usize,
    },
    /// The server takes no further requests.
    #[error(
        "the server ends the connection with response {}, and there are {left} more requests: it does not take several on one connection",
        .round + 1
    )]
    Last {
        /// Which one, from 0.
        round: usize,
        /// How many requests are left.
        left: usize,
    },
    /// The connection ended within a response, or before it.
    #[error("the server ended the connection before response {} was whole", .round + 1)]
    Ended {
        /// Which one, from 0.
        round: usize,
    },
}

/// What the server said so far, as far as P reads it while the connection lives.
#[derive(Default)]
pub struct Heard {
    text: Zeroizing<Vec<u8>>,
    responses: Vec<Response>,
}

impl core::fmt::Debug for Heard {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Heard").field("responses", &self.responses.len()).finish_non_exhaustive()
    }
}

impl Heard {
    /// All responses that were read, one after the other.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// What they say: ranges of [`Heard::text`].
    #[must_use]
    pub fn responses(&self) -> &[Response] {
        &self.responses
    }

    /// Adds the only response of another connection, which has ended: all that was received on it. `to_head`
    /// if the request was of method HEAD. So a request may depend on what was said on connections before its
    /// own.
    ///
    /// # Errors
    /// [`Error::Response`] for what is none, [`Error::Unasked`] if more came than it; nothing is added then.
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

/// Makes the request with this number (from 0), from what was heard so far; or says why there is none.
pub type Ask<'a> = dyn FnMut(usize, &Heard) -> Result<Zeroizing<Vec<u8>>, String> + Send + 'a;

/// P's side of the talk.
pub(crate) struct Dialogue<'a, 'b> {
    ask: &'a mut Ask<'b>,
    rounds: usize,
    /// Of the requests so far, whether they are of method HEAD, whose responses have no body.
    to_head: Vec<bool>,
    heard: Heard,
}

impl<'a, 'b> Dialogue<'a, 'b> {
    /// Of so many requests.
    pub(crate) fn new(rounds: usize, ask: &'a mut Ask<'b>) -> Self {
        Self { ask, rounds, to_head: Vec::new(), heard: Heard::default() }
    }

    /// The next request.
    ///
    /// # Errors
    /// [`Error::Request`].
    pub(crate) fn request(&mut self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let round = self.to_head.len();
        let request = (self.ask)(round, &self.heard).map_err(|reason| Error::Request { round, reason })?;
        let last = round + 1 >= self.rounds;
        // What is no request the other party refuses.
        let parsed = Request::parse(&request, 0).ok().filter(|_| self.rounds > 1);
        let checked = parsed.map_or(Ok(()), |parsed| http::check_request(&request, &parsed, last));
        checked.map_err(|error| Error::Request { round, reason: error.to_string() })?;
        self.to_head.push(request.starts_with(b"HEAD "));
        Ok(request)
    }

    /// How many responses were read.
    pub(crate) fn heard(&self) -> usize {
        self.heard.responses.len()
    }

    /// Takes bytes that the server said; whether they complete the response that was waited for, after which
    /// others may be asked for.
    ///
    /// # Errors
    /// [`Error::Response`], [`Error::Unasked`], [`Error::Last`].
    pub(crate) fn hear(&mut self, plaintext: &[u8]) -> Result<bool, Error> {
        append(&mut self.heard.text, plaintext);
        let round = self.heard();
        let start = self.heard.responses.last().map_or(0, |response| response.range.end);
        let Some(to_head) = self.to_head.get(round) else { return Err(Error::Unasked { round }) };
        let response = match Response::parse(&self.heard.text, start, *to_head, false) {
            Ok(response) => response,
            Err(http::Error::Incomplete { .. }) => return Ok(false),
            Err(error) => return Err(Error::Response { round, error }),
        };
        if response.range.end < self.heard.text.len() {
            return Err(Error::Unasked { round });
        }
        let left = self.rounds.saturating_sub(round + 1);
        if left > 0 && response.is_last(&self.heard.text) {
            return Err(Error::Last { round, left });
        }
        http::check_response(&self.heard.text, &response, left == 0)
            .map_err(|error| Error::Response { round, error })?;
        self.heard.responses.push(response);
        Ok(true)
    }

    /// That the connection has ended where a response was waited for.
    pub(crate) fn ended(&self) -> Error {
        Error::Ended { round: self.heard() }
    }
}

/// Appends, leaving no copy of the old bytes behind.
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
    fn heard(method: &str, bytes: &[u8]) -> Result<usize, Error> {
        let mut ask =
            |_: usize, _: &Heard| Ok(Zeroizing::new(format!("{method} / HTTP/1.1\r\n").into_bytes()));
        let mut dialogue = Dialogue::new(2, &mut ask);
        dialogue.request()?;
        for (place, byte) in bytes.iter().enumerate() {
            if dialogue.hear(&[*byte])? {
                assert_eq!(dialogue.heard.responses[0].range, 0..place + 1);
                return Ok(place + 1);
            }
        }
        Err(dialogue.ended())
    }

    #[test]
    fn responses_of_several_connections_are_heard_one_after_the_other() {
        let mut heard = Heard::default();
        heard.add(FIRST, false).expect("whole");
        // Its end is the connection's.
        heard.add(b"HTTP/1.1 200 OK\r\n\r\nmore", false).expect("whole");
        heard.add(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", true).expect("no body");
        let before = heard.text().to_vec();
        let more = [FIRST, b"x"].concat();
        assert_eq!(heard.add(&more, false), Err(Error::Unasked { round: 3 }));
        assert!(matches!(heard.add(&FIRST[..40], false), Err(Error::Response { round: 3, .. })));
        assert!(matches!(heard.add(b"", false), Err(Error::Response { round: 3, .. })));
        assert_eq!(heard.text(), before);
        let bodies = heard.responses().iter().map(|response| response.body.bytes(heard.text()).into_owned());
        assert_eq!(bodies.collect::<Vec<_>>(), [&b"body"[..], b"more", b""]);
    }

    #[test]
    fn a_response_is_whole_when_its_head_says_so() {
        assert_eq!(heard("GET", FIRST), Ok(FIRST.len()));
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
        assert_eq!(heard("GET", chunked), Ok(chunked.len()));
        // As long as the connection lives nobody knows where this ends.
        let open = b"HTTP/1.1 200 OK\r\n\r\nbody";
        for bytes in [&FIRST[..FIRST.len() - 1], open, b""] {
            assert_eq!(heard("GET", bytes), Err(Error::Ended { round: 0 }));
        }
    }

    #[test]
    fn what_is_no_response_or_the_last_one_ends_the_talk() {
        assert!(matches!(heard("GET", b"HTTP/2 200\r\n"), Err(Error::Response { round: 0, .. })));
        let last = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
        assert_eq!(heard("GET", last), Err(Error::Last { round: 0, left: 1 }));
    }

    #[test]
    fn what_other_requests_must_not_follow_ends_the_talk() {
        let no_content = b"HTTP/1.1 204 No Content\r\n\r\n";
        for (method, response) in [("HEAD", FIRST), ("GET", no_content)] {
            assert!(
                matches!(
                    heard(method, response),
                    Err(Error::Response { round: 0, error: http::Error::Unsupported(_) })
                ),
                "{method}"
            );
        }
        let text = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx";
        let mut ask = |_: usize, _: &Heard| Ok(Zeroizing::new(text.to_vec()));
        assert!(matches!(Dialogue::new(2, &mut ask).request(), Err(Error::Request { round: 0, .. })));
        assert!(Dialogue::new(1, &mut ask).request().is_ok());
    }

    #[test]
    fn bytes_that_nobody_asked_for_end_the_talk() {
        let mut ask = |_: usize, _: &Heard| Ok(Zeroizing::new(b"GET".to_vec()));
        let mut dialogue = Dialogue::new(2, &mut ask);
        assert_eq!(dialogue.hear(FIRST), Err(Error::Unasked { round: 0 }));
        let mut ask = |_: usize, _: &Heard| Ok(Zeroizing::new(b"GET".to_vec()));
        let mut dialogue = Dialogue::new(2, &mut ask);
        dialogue.request().unwrap();
        let more = [FIRST, b"H"].concat();
        assert_eq!(dialogue.hear(&more), Err(Error::Unasked { round: 0 }));
    }

    #[test]
    fn who_asks_sees_what_was_heard_and_may_have_nothing_to_ask() {
        let mut ask = |round: usize, heard: &Heard| match round {
            0 => Ok(Zeroizing::new(b"GET".to_vec())),
            _ => Err(String::from_utf8_lossy(heard.responses()[0].body.bytes(heard.text()).as_ref()).into()),
        };
        let mut dialogue = Dialogue::new(2, &mut ask);
        dialogue.request().unwrap();
        assert!(dialogue.hear(FIRST).unwrap());
        let reason = "body".to_owned();
        assert_eq!(dialogue.request().unwrap_err(), Error::Request { round: 1, reason });
    }
}
