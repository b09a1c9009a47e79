//! What is wrong with P's choice as far as its requests alone show it, so before anything is sent.
//!
//! A request may change something at the server. It must not be made for a proof that nobody can give. The
//! requests are known beforehand, so whatever P says of them is looked at before the connection opens:
//!
//! | known before the request | known only after the response |
//! |---|---|
//! | whether the parts of requests exist, can be hidden, are one string | the same of the parts of responses, but that no structure can be hidden |
//! | whether claims about requests are true | whether claims about responses are |
//! | whether a part is named as shown and as hidden; whether there is such a message | whether a value's length would tell it, whether all of it is too much |
//! | whether requests are such as V reads, to this host | whether responses are, and whether the server ends the connection |
//!
//! This is for P alone: V checks everything again. The checks are those of a [`Draft`]. Its responses are
//! empty, and P says nothing about them, so no rule is written twice.

use zeroize::Zeroizing;

use super::redaction::{ALWAYS_SHOWN, MAX_CLAIMS, MessagePart, Part, Redaction, no_round, part_refusal};
use super::words::{SHOWN_AND_HIDDEN, is_same};
use super::{Draft, Error, Refusal, Rest, Selection, Visibility, visibility};
use crate::page::http::Request;
use crate::page::http::request::{Page, RequestParts};
use crate::wire::prf::Side;

/// A response without content.
const NO_RESPONSE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// Requests that have not been sent.
#[derive(Clone, Copy)]
pub struct Preflight<'a> {
    /// The host that they are for: a DNS name or an IP address.
    pub host: &'a str,
    /// Its port.
    pub port: u16,
    /// The requests of a connection, one after the other, from the first to the last that is known.
    pub requests: &'a [u8],
    /// The number of all requests of the connection. Nothing is said about parts of requests that are not
    /// known yet.
    pub rounds: usize,
}

/// Without the requests, which have secrets.
impl core::fmt::Debug for Preflight<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Preflight")
            .field("host", &self.host)
            .field("rounds", &self.rounds)
            .finish_non_exhaustive()
    }
}

impl Preflight<'_> {
    /// Checks that a proof with this selection does not fail for a reason that is known already.
    ///
    /// # Errors
    /// The first of the [`Preflight::mistakes`].
    pub fn check(&self, selection: &Selection) -> Result<(), Error> {
        self.mistakes(selection).into_iter().next().map_or(Ok(()), Err)
    }

    /// Everything that is known already because of which a proof with this selection would fail: names that
    /// lead nowhere first, claims that are not true last.
    #[must_use]
    pub fn mistakes(&self, selection: &Selection) -> Vec<Error> {
        let known = match self.known() {
            Ok(known) => known,
            Err(refusal) => return vec![refusal.into()],
        };
        let rounds = self.rounds.max(known.len());
        let mut found: Vec<Error> =
            self.misnamed(selection, &known, rounds).into_iter().map(Error::from).collect();
        match self.draft(known.len(), rounds) {
            Ok(draft) => found.extend(draft.mistakes(&of_requests(selection, known.len()))),
            Err(refusal) => found.push(refusal.into()),
        }
        found
    }

    /// The requests that are known.
    fn known(&self) -> Result<Vec<Request>, Refusal> {
        let (mut known, mut start) = (Vec::new(), 0);
        while start < self.requests.len() {
            let request = Request::parse(self.requests, start).map_err(|error| of_http(&error))?;
            start = request.range.end;
            known.push(request);
        }
        Ok(known)
    }

    /// What is wrong with names alone, whatever the messages are.
    fn misnamed(&self, selection: &Selection, known: &[Request], rounds: usize) -> Vec<Refusal> {
        let Selection { hide, reveal, .. } = selection;
        let hidden = hide.iter().map(|hide| (hide.side, hide.round, &hide.part, true));
        let shown = reveal.iter().map(|shown| (shown.side, shown.round, &shown.part, false));
        let mut found: Vec<Refusal> = Vec::new();
        for (side, round, part, hides) in hidden.chain(shown) {
            if round >= rounds {
                found.push(no_round(side, round, part, rounds));
            } else if side == Side::Server {
                let to_head = known.get(round).is_some_and(|request| self.is_head(request));
                let reason = misnamed_response(part, hides, to_head);
                found.extend(reason.map(|reason| part_refusal(side, round, part, reason)));
            }
        }
        for one @ Redaction { side, round, part, claims, .. } in hide {
            if reveal.iter().any(|shown| is_same(one, shown)) {
                found.push(part_refusal(*side, *round, part, SHOWN_AND_HIDDEN));
            }
            if claims.len() > MAX_CLAIMS {
                let reason =
                    format!("{} claims about one part; at most {MAX_CLAIMS} can be proved", claims.len());
                found.push(part_refusal(*side, *round, part, &reason));
            }
        }
        found
    }

    fn is_head(&self, request: &Request) -> bool {
        self.requests.get(request.method.clone()) == Some(b"HEAD")
    }

    /// A connection with these requests. Requests that are not known yet are replaced by the shortest ones,
    /// and all responses are empty.
    fn draft(&self, known: usize, rounds: usize) -> Result<Draft, Refusal> {
        let page = Page { host: self.host.to_owned(), port: self.port, target: "/".to_owned() };
        let mut requests = Zeroizing::new(self.requests.to_vec());
        for round in known..rounds {
            let (target, last) = (&*page.target, round + 1 == rounds);
            let parts = RequestParts { method: "GET", target, fields: &[], body: None, last };
            requests.extend_from_slice(&page.request(&parts).map_err(|error| of_http(&error))?);
        }
        let payload = [requests, Zeroizing::new(NO_RESPONSE.repeat(rounds))];
        Ok(Draft { port: self.port, ..Draft::of(self.host, payload) })
    }
}

fn of_http(error: &dyn core::fmt::Display) -> Refusal {
    Refusal::Http { side: Side::Client, reason: error.to_string() }
}

/// Why no response has a part of this name, or not one that can be hidden.
fn misnamed_response(part: &Part, hides: bool, to_head: bool) -> Option<&'static str> {
    match part {
        Part::Path | Part::Query | Part::Parameter(_) => Some("only a request has one"),
        Part::Body | Part::Json(_) | Part::Values(_) | Part::Trailer(_) if to_head => {
            Some("the response to a HEAD request has no body")
        }
        Part::Header(name) if hides && visibility(Side::Server, name) == Visibility::AlwaysShown => {
            Some(ALWAYS_SHOWN)
        }
        _ => None,
    }
}

/// What a selection says of the first `known` requests.
fn of_requests(selection: &Selection, known: usize) -> Selection {
    let own = |side: Side, round: usize| side == Side::Client && round < known;
    let parts = |all: &[MessagePart]| -> Vec<MessagePart> {
        all.iter().filter(|named| own(named.side, named.round)).cloned().collect()
    };
    Selection {
        hide: selection.hide.iter().filter(|hide| own(hide.side, hide.round)).cloned().collect(),
        reveal: parts(&selection.reveal),
        taken: parts(&selection.taken),
        responses: Rest::Revealed,
        show_rest: selection.show_rest,
        commit_all: selection.commit_all,
    }
}
