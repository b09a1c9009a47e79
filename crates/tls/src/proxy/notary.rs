//! V's part, between the relay and the proof: everything that it can check in the clear.

use volery_channel::Channel;
use volery_channel::tags::WEB_CLAIMS;

use super::derive::{SIDES, derive, records};
use super::disclosure::{self, Message, Shown};
use super::machine::{List, Read};
use super::relay::Relayed;
use super::session::Session;
use super::{Error, Refusal, check, payload};
use crate::attestation::{Mode, Part, Statement};
use crate::prf::Side;
use crate::server::{self, Identity, Roots};
use crate::step::MASTER_BITS;
use crate::stock::HTTP;
use crate::transcript::{APPLICATION_DATA, Transcript};

/// What V will believe about a connection once the [`Session`] that came with it is proved, and not before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    identity: Identity,
    shown: [Shown; 2],
}

/// What is true of a connection through V, under the trust that the [module](super) speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    /// Who the server is.
    pub identity: Identity,
    /// The request: what V saw of it, and what holds of the rest.
    pub request: Shown,
    /// The response, likewise. It is whole.
    pub response: Shown,
}

impl Pending {
    /// To be called if, and only if, V's verifier has accepted the session's proof.
    #[must_use]
    pub fn proven(self) -> Proven {
        let [request, response] = self.shown;
        Proven { identity: self.identity, request, response }
    }
}

impl Proven {
    /// What V can sign: all that is shown, where the rest is, and what holds of it. `None` if what is shown does not lie in what it is
    /// shown of, which checks before the proof rule out.
    #[must_use]
    pub fn statement(&self) -> Option<Statement> {
        let part = |shown: &Shown| Part::revealing(&shown.text, &shown.revealed().collect::<Vec<_>>());
        let sides = [(Side::Client, &self.request), (Side::Server, &self.response)];
        let hidden =
            sides.iter().flat_map(|(side, shown)| shown.hidden.iter().map(move |hidden| (side, hidden)));
        Some(Statement {
            mode: Mode::Proxy,
            server_name: self.identity.name().into(),
            time: self.identity.time(),
            query: part(&self.request)?,
            response: part(&self.response)?,
            claims: hidden.flat_map(|(side, hidden)| hidden.texts(*side)).collect(),
        })
    }
}

/// Receives what P says about a connection that V relayed, and checks all of it that needs no proof: certificates, host name, time
/// (in seconds since 1970), signature, Finished messages, all tags, the structure of request and response.
///
/// The statement that comes back is to be verified next.
///
/// # Errors
/// [`Error::Refused`], of which P is told; the channel's.
pub fn receive(
    channel: &mut dyn Channel,
    relayed: &Relayed,
    roots: &Roots,
    time: u64,
) -> Result<(Session, Pending), Error> {
    let result = try_receive(channel, relayed, roots, time);
    if let Err(Error::Refused(refusal)) = &result {
        channel.fail(&refusal.to_string());
    }
    result
}

fn try_receive(
    channel: &mut dyn Channel,
    relayed: &Relayed,
    roots: &Roots,
    time: u64,
) -> Result<(Session, Pending), Error> {
    let transcript = Transcript::parse(&relayed.client, &relayed.server).map_err(Refusal::from)?;
    let identity =
        server::verify(&transcript.handshake, &relayed.host, roots, time).map_err(Refusal::from)?;
    // The same bytes may be another protocol's words: what they mean is what client and server agreed on.
    if let Some(protocol) = transcript.handshake.alpn.as_ref().filter(|protocol| protocol.as_slice() != HTTP)
    {
        return Err(Refusal::Protocol(protocol.escape_ascii().to_string()).into());
    }
    let payload: usize = SIDES.into_iter().map(|side| payload::length(records(&transcript, side))).sum();
    let max = Message::max_bytes(opened_bound(&transcript), payload);
    let message = Message::decode(channel.recv(WEB_CLAIMS, max)?)?;
    let lengths = message.shown.each_ref().map(|shown| shown.text.len());
    let closed = check_opened(&transcript, &message.opened, lengths)?;
    disclosure::check(&message.shown, identity.name(), closed)?;
    let shown = message.shown.clone();
    let session = Session::new(transcript, [&relayed.client, &relayed.server], message, None)?;
    Ok((session, Pending { identity, shown }))
}

/// No connection takes more bytes of opened bits: midstates and digests, hash keys, and for each record at most a mask and, for
/// those that are not application data, their key stream.
fn opened_bound(transcript: &Transcript) -> usize {
    let records = transcript.client.iter().chain(&transcript.server);
    1024 + records
        .map(|record| 64 + if record.content_type == APPLICATION_DATA { 0 } else { record.ciphertext.len() })
        .sum::<usize>()
}

/// Checks what P says of a connection's keys, whose payloads are said to have these lengths; returns whether the server ended the
/// connection with `close_notify`.
///
/// # Errors
/// [`Refusal::Shown`], [`Refusal::Opened`]; as [`check::check`].
pub(super) fn check_opened(
    transcript: &Transcript,
    opened: &[u8],
    lengths: [usize; 2],
) -> Result<bool, Refusal> {
    for (side, length) in SIDES.into_iter().zip(lengths) {
        if length != payload::length(records(transcript, side)) {
            return Err(Refusal::Shown { side, reason: "not as long as the records' contents" });
        }
    }
    let mut machine = Read(List::new(opened));
    let derived = derive(&mut machine, transcript, &[(); MASTER_BITS])?;
    if !machine.0.is_at_end() {
        return Err(Refusal::Opened);
    }
    check::check(transcript, &derived.facts)
}
