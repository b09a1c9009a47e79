//! What V would sign of requests and responses about which nothing is proved.
//!
//! P's choice of what to show, V's checks of it and the claims depend on the payload and on nothing else: no
//! key, no record, no V. So P can see beforehand what an attestation would say, and what is wrong with its
//! choice: [`Draft`]. Proving runs the same code ([`Traffic`]), so the two cannot differ.
//!
//! Proving stops at the first mistake, because nothing may be shown after it. A draft goes on
//! ([`Draft::mistakes`]): it takes out the part that is wrong, and checks what remains.

use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::connection::SIDES;
use super::derive::root_commitments;
use super::proven::parts;
use super::redaction::{
    self, Checked, DisclosureMessage, Listed, MAX_HIDDEN_BYTES, MessagePart, Part, RedactedPayload,
    Redaction, Selection, Server, find, listed,
};
use super::statement::{claim_commitments, not_true, payload_commitments, untrue};
use super::{Error, Refusal};
use crate::page::attestation::{Context, Mode, Statement};
use crate::page::http::Exchange;
use crate::page::http::json::Path;
use crate::page::leaf::{self, LeafOpenings, Seed};
use crate::wire::prf::Side;
use crate::wire::record::MAX_PLAINTEXT;
use crate::wire::server;
use crate::wire::suite::Suite;
use crate::wire::version::TlsVersion;

/// The most mistakes that are looked for: each takes another look at the whole payload.
const MAX_MISTAKES: usize = 32;

/// What went over a connection, as P sees it.
pub(super) struct Traffic<'a> {
    pub(super) mode: Mode,
    pub(super) tls: TlsVersion,
    pub(super) suite: Suite,
    pub(super) host: &'a str,
    /// The port, if V connected to it; otherwise the requests name it.
    pub(super) port: Option<u16>,
    /// Whether the server named the protocol, HTTP.
    pub(super) alpn: bool,
    /// The server's certificate.
    pub(super) certificate: &'a [u8],
    pub(super) pipelined: bool,
    /// Whether P relies on the server to take nothing after a request that asked it to close the connection.
    pub(super) trusts_close: bool,
    pub(super) context: &'a Context,
    /// The seed of the leaves, if P commits to everything.
    pub(super) leaves: Option<&'a Seed>,
    /// All requests, and all responses.
    pub(super) payload: [&'a [u8]; 2],
    /// Set by a cheating P to skip its own copies of V's checks.
    #[cfg(test)]
    pub(super) unchecked: bool,
}

impl Traffic<'_> {
    /// The hidden parts if P makes this selection.
    ///
    /// # Errors
    /// [`Error::Refused`] for a part that does not exist, and for one that is neither revealed nor can be
    /// hidden.
    pub(super) fn select(&self, selection: &Selection) -> Result<Vec<Redaction>, Error> {
        // Whether the server closed the connection affects what V may believe; `disclose` checks that.
        let exchanges = redaction::exchanges(self.payload, true)?;
        Ok(selection.of(self.payload, &exchanges)?)
    }

    /// V's view if P hides this.
    ///
    /// # Errors
    /// [`Error::Refused`] for a part that does not exist or cannot be hidden.
    fn shown(&self, redactions: &[Redaction]) -> Result<[RedactedPayload; 2], Error> {
        let exchanges = redaction::exchanges(self.payload, true)?;
        Ok(self.shown_of(&exchanges, redactions)?.0)
    }

    /// V's view of these messages if P hides this, and what opens its leaves, if P commits to everything.
    ///
    /// # Errors
    /// [`Error::Refused`] for a part that does not exist or cannot be hidden; [`Error::NotTrue`] for a claim
    /// about an empty part that does not hold.
    pub(super) fn shown_of(
        &self,
        exchanges: &[Exchange],
        redactions: &[Redaction],
    ) -> Result<([RedactedPayload; 2], Option<LeafOpenings>), Error> {
        let [request, response] = self.payload;
        let mut shown = [
            find(Side::Client, request, exchanges, redactions).map_err(not_true)?,
            find(Side::Server, response, exchanges, redactions).map_err(not_true)?,
        ];
        let Some(seed) = self.leaves else { return Ok((shown, None)) };
        let mut contents = Vec::new();
        for ((side, text), shown) in SIDES.into_iter().zip(self.payload).zip(&mut shown) {
            contents.extend(leaf::commit(shown, side, text, seed));
        }
        // If nothing of a page is hidden, there are no leaves, and nobody holds any.
        let openings = (!contents.is_empty()).then(|| LeafOpenings::new(seed.clone(), contents));
        Ok((shown, openings))
    }

    /// The statement that V will sign if P discloses the connection in this way at this time (in seconds
    /// since 1970), without commitments.
    ///
    /// # Errors
    /// [`Error::Refused`] for anything in it that V would refuse.
    pub(super) fn expected(&self, redactions: &[Redaction], time: u64) -> Result<Statement, Error> {
        let exchanges = redaction::exchanges(self.payload, true)?;
        let (shown, openings) = self.shown_of(&exchanges, redactions)?;
        let server_name = server::canonical_name(self.host).map_err(Refusal::from)?;
        let checked = self.check_shown(&shown, &server_name, true)?;
        if self.pipelined {
            let [request, _] = &shown;
            redaction::check_pipelined(request, &checked.exchanges)?;
        }
        redaction::check_hidden(&shown, MAX_HIDDEN_BYTES)?;
        let outside = Refusal::Payload { side: Side::Server, reason: "it lies outside of the payload" };
        let [query, response] = parts(shown.each_ref()).ok_or(outside)?;
        Ok(Statement {
            mode: self.mode,
            tls: self.tls,
            suite: self.suite,
            server_name,
            port: checked.port,
            alpn: self.alpn,
            certificate: Sha256::digest(self.certificate).into(),
            time,
            // At most the number of messages that are read.
            rounds: u32::try_from(checked.exchanges.len()).unwrap_or(u32::MAX),
            pipelined: self.pipelined,
            context: self.context.clone(),
            holder: openings.map(|openings| openings.holder().verifying_key().to_bytes()),
            query,
            response,
        })
    }

    /// Requests and responses, as V will read them.
    pub(super) fn exchanges(&self, closed: bool) -> Result<Vec<Exchange>, Refusal> {
        #[cfg(test)]
        if self.unchecked {
            let [request, response] = self.payload;
            return Ok(crate::page::http::parse(request, response, closed).unwrap_or_default());
        }
        redaction::exchanges(self.payload, closed)
    }

    /// Runs V's checks of what it is shown. V decides itself which ports it accepts.
    pub(super) fn check_shown(
        &self,
        shown: &[RedactedPayload; 2],
        host: &str,
        closed: bool,
    ) -> Result<Checked, Refusal> {
        #[cfg(test)]
        if self.unchecked {
            return Ok(Checked { exchanges: self.exchanges(closed)?, port: self.port.unwrap_or_default() });
        }
        redaction::check(shown, &Server { host, port: self.port, ports: &[] }, closed)
    }

    /// Whether the server takes no further requests, as its last response says, or, if P relies on that, as
    /// the last request asked.
    fn takes_no_more(&self, exchanges: &[Exchange]) -> bool {
        let [request, response] = self.payload;
        exchanges.last().is_some_and(|last| {
            let asked = last.request.is_last(request) && !last.response.stays_open(response);
            last.response.is_last(response) || self.trusts_close && asked
        })
    }

    /// Whether the server may still take requests, so that P shows nothing: it neither ended the connection
    /// (`closed`) nor takes any more.
    pub(super) fn is_open(&self, closed: bool, exchanges: &[Exchange]) -> bool {
        let open = !closed && !self.takes_no_more(exchanges);
        #[cfg(test)]
        let open = open && !self.unchecked;
        open
    }
}

/// Requests and responses about which P might prove something.
pub struct Draft {
    /// The mode that the statement names.
    pub mode: Mode,
    /// The version of TLS that it names.
    pub tls: TlsVersion,
    /// The cipher suite that it names.
    pub suite: Suite,
    /// The host: a DNS name or an IP address.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Whether the server named the protocol, HTTP (ALPN).
    pub alpn: bool,
    /// The server's certificate, in DER; empty if it is not known. A statement has its hash, or zeros.
    pub certificate: Vec<u8>,
    /// Whether a request was sent before the response to the one before it had come.
    pub pipelined: bool,
    /// The context that V is to sign.
    pub context: Context,
    /// The seed of the leaves, if P commits to everything.
    pub leaves: Option<Seed>,
    /// Whether the server ended the connection with `close_notify`.
    pub closed: bool,
    /// Whether to rely on the server to take nothing after a request that asked it to close the connection.
    pub trusts_close: bool,
    /// All requests, and all responses.
    pub payload: [Zeroizing<Vec<u8>>; 2],
}

impl core::fmt::Debug for Draft {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Draft").field("host", &self.host).finish_non_exhaustive()
    }
}

/// What a proof about a draft takes, besides what its connection takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DraftCost {
    /// The approximate number of bits that a proof of the payload and of all claims commits to.
    pub payload: u64,
    /// The same with everything from the connection's secret on: the whole proof of proxy mode.
    pub from_secret: u64,
    /// The approximate length of P's message to V, in bytes.
    pub message: usize,
}

impl Draft {
    /// Requests to this host and responses of a connection about which nothing else is known: two parties
    /// made it over TLS 1.3 to port 443, and the server ended it.
    #[must_use]
    pub fn of(host: &str, payload: [Zeroizing<Vec<u8>>; 2]) -> Self {
        Self {
            mode: Mode::TwoParty,
            tls: TlsVersion::Tls13,
            suite: Suite::Aes128GcmSha256,
            host: host.to_owned(),
            port: 443,
            alpn: true,
            certificate: Vec::new(),
            pipelined: false,
            context: Context::default(),
            leaves: None,
            closed: true,
            trusts_close: false,
            payload,
        }
    }

    fn traffic(&self) -> Traffic<'_> {
        let [request, response] = &self.payload;
        Traffic {
            mode: self.mode,
            tls: self.tls,
            suite: self.suite,
            host: &self.host,
            port: Some(self.port),
            alpn: self.alpn,
            certificate: &self.certificate,
            pipelined: self.pipelined,
            trusts_close: self.trusts_close,
            context: &self.context,
            leaves: self.leaves.as_ref(),
            payload: [request, response],
            #[cfg(test)]
            unchecked: false,
        }
    }

    /// All parts that P can name.
    ///
    /// # Errors
    /// [`Error::Refused`] for messages that cannot be read.
    pub fn parts(&self) -> Result<Vec<Listed>, Error> {
        let traffic = self.traffic();
        Ok(listed(traffic.payload, &traffic.exchanges(true)?))
    }

    /// The hidden parts if P makes this selection.
    ///
    /// # Errors
    /// [`Error::Refused`] for a part that does not exist, and for one that is neither revealed nor can be
    /// hidden.
    pub fn select(&self, selection: &Selection) -> Result<Vec<Redaction>, Error> {
        self.traffic().select(selection)
    }

    /// The statement that V would sign if P hid this at this time (in seconds since 1970), without
    /// commitments. It is everything that a recipient of the attestation would see.
    ///
    /// # Errors
    /// [`Error::Refused`] for anything in it that V would refuse.
    pub fn expected(&self, redactions: &[Redaction], time: u64) -> Result<Statement, Error> {
        let mut statement = self.traffic().expected(redactions, time)?;
        if self.certificate.is_empty() {
            statement.certificate = [0; 32];
        }
        Ok(statement)
    }

    /// What would open the leaves if P hid this; none unless P commits to everything.
    ///
    /// # Errors
    /// As [`Draft::expected`].
    pub fn leaf_openings(&self, redactions: &[Redaction]) -> Result<Option<LeafOpenings>, Error> {
        let traffic = self.traffic();
        Ok(traffic.shown_of(&traffic.exchanges(true)?, redactions)?.1)
    }

    /// What a proof would take if P hid this.
    ///
    /// # Errors
    /// [`Error::Refused`] for anything that V would refuse.
    pub fn cost(&self, redactions: &[Redaction]) -> Result<DraftCost, Error> {
        let shown = self.traffic().shown(redactions)?;
        let records = self.payload.each_ref().map(|payload| payload.len().div_ceil(MAX_PLAINTEXT));
        let mut payload = claim_commitments(&shown)?;
        for (records, shown) in records.into_iter().zip(&shown) {
            payload = payload.saturating_add(payload_commitments(self.tls, self.suite, records, shown)?);
        }
        let from_secret = payload.saturating_add(root_commitments(self.tls, self.suite, records)?);
        let (context, holder) = (self.context.clone(), self.leaves.as_ref().map(|_| [0; 32]));
        let message = DisclosureMessage { context, holder, opened: Vec::new(), shown };
        Ok(DraftCost { payload, from_secret, message: message.encode().len() })
    }

    /// Everything because of which a proof with this selection would fail, in the order in which it is found:
    /// messages that cannot be read first, claims that are not true last. Empty if it would not.
    #[must_use]
    pub fn mistakes(&self, selection: &Selection) -> Vec<Error> {
        let traffic = self.traffic();
        let mut found: Vec<Error> = Vec::new();
        match traffic.exchanges(self.closed) {
            Ok(exchanges) if traffic.is_open(self.closed, &exchanges) => found.push(Error::StillOpen),
            Ok(_) => {}
            // More can be read if the end of the connection counts as the end of a response.
            Err(refusal) if traffic.exchanges(true).is_ok() => found.push(refusal.into()),
            Err(refusal) => return vec![refusal.into()],
        }
        let mut selection = selection.clone();
        self.take_out_patterns(&mut selection, &mut found);
        self.take_out_empty(&mut selection, &mut found);
        // A part that P names is taken out, and may then have to be shown: two looks at most for each.
        for _ in 0..2 * MAX_MISTAKES {
            let attempt = traffic.select(&selection).and_then(|hide| {
                traffic.expected(&hide, 0)?;
                traffic.shown(&hide)
            });
            let error = match attempt {
                Ok(shown) => {
                    found.extend(untrue(&shown, self.payload.each_ref().map(|text| text.as_slice())));
                    break;
                }
                Err(error) => error,
            };
            let again = match &error {
                Error::Refused(Refusal::Part { message, part, .. }) => {
                    selection.take_out(message, part, self.rounds())
                }
                _ => false,
            };
            if !found.contains(&error) {
                found.push(error);
            }
            if !again || found.len() >= MAX_MISTAKES {
                break;
            }
        }
        found.truncate(MAX_MISTAKES);
        found
    }

    fn rounds(&self) -> usize {
        self.traffic().exchanges(true).map_or(0, |exchanges| exchanges.len())
    }

    /// Replaces hidden patterns by the values that they stand for. So a mistake is about one of these.
    fn take_out_patterns(&self, selection: &mut Selection, found: &mut Vec<Error>) {
        let Ok(exchanges) = self.traffic().exchanges(true) else { return };
        let [request, response] = &self.payload;
        let mut hide = Vec::new();
        for redaction in core::mem::take(&mut selection.hide) {
            let alone = Selection { hide: vec![redaction], ..Selection::default() };
            match alone.expanded([request, response], &exchanges) {
                Ok(all) => hide.extend(all),
                Err(refusal) => found.push(refusal.into()),
            }
        }
        selection.hide = hide;
    }

    /// Takes out empty parts about which something is claimed, so that all that is wrong with that is found.
    /// Values of bodies are shown instead, so that nothing else is wrong with them.
    fn take_out_empty(&self, selection: &mut Selection, found: &mut Vec<Error>) {
        let Ok(exchanges) = self.traffic().exchanges(true) else { return };
        let [request, response] = &self.payload;
        let Selection { hide, reveal, .. } = selection;
        hide.retain(|hide| {
            let text = if hide.side == Side::Client { request } else { response };
            let all = redaction::refusals(text, &exchanges, hide);
            let sound = all.is_empty();
            if !sound && matches!(hide.part, Part::Json(_)) {
                reveal.push(MessagePart { side: hide.side, round: hide.round, part: hide.part.clone() });
            }
            found.extend(all.into_iter().map(not_true));
            sound
        });
    }
}

impl Selection {
    /// Takes a part out about which there is an error: no name of it remains, or if there was none it is
    /// shown, so that the rest does not hide it. Returns whether that changed anything.
    fn take_out(&mut self, message: &str, part: &str, rounds: usize) -> bool {
        let is = |side: Side, round: usize, own: &Part| {
            redaction::message_name(side, round) == message && own.to_string() == part
        };
        let count = |selection: &Self| selection.hide.len() + selection.reveal.len() + selection.taken.len();
        let before = count(self);
        self.hide.retain(|hide| !is(hide.side, hide.round, &hide.part));
        self.reveal.retain(|named| !is(named.side, named.round, &named.part));
        self.taken.retain(|named| !is(named.side, named.round, &named.part));
        if count(self) < before {
            return true;
        }
        let Some(part) = shown_part(part) else { return false };
        let messages = SIDES.into_iter().flat_map(|side| (0..rounds).map(move |round| (side, round)));
        let of = messages.into_iter().find(|(side, round)| redaction::message_name(*side, *round) == message);
        let Some((side, round)) = of else { return false };
        self.reveal.push(MessagePart { side, round, part });
        true
    }
}

/// The part with this name, if it is one that may be shown instead: a value of a body, or a header field.
fn shown_part(name: &str) -> Option<Part> {
    match name.split_once(' ') {
        Some(("header", name)) => Some(Part::Header(name.into())),
        // Not several values, whose names have the text between them.
        Some(("json", path)) if path.parse::<Path>().is_ok() => Some(Part::Json(path.into())),
        _ => None,
    }
}
