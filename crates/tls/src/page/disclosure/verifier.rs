//! V's part before the proof: everything that it can check in the clear.

use volery_channel::Channel;
use volery_channel::tags::WEB_CLAIMS;
use volery_circuit::Folded;
use volery_field::F2;
use volery_zk::quicksilver::bits::VerifierWire;

use super::connection::{Connection, DataRecord, OpenConnection, SIDES};
use super::derive::{Root, derive};
use super::machine::{List, Read};
use super::order::{self, OrderEvidence};
use super::proven::{Accepted, Proven};
use super::redaction::{self, Checked, DisclosureMessage, RedactedPayload, Server};
use super::statement::ConnectionStatement;
use super::{Error, Refusal, check, payload};
use crate::memory::{Reservation, Shortage};
use crate::page::attestation::{Context, Mode};
use crate::page::claim::Vocabulary;
use crate::page::commitment::CommittedBits;
use crate::wire::rustls_client::HTTP;
use crate::wire::server::{self, Authenticated, Identity, Roots};
use crate::wire::suite::Suite;
use crate::wire::version::TlsVersion;

/// What V may believe about a connection once the statement returned with it is proved, and not before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    mode: Mode,
    tls: TlsVersion,
    suite: Suite,
    identity: Identity,
    port: u16,
    alpn: bool,
    rounds: usize,
    pipelined: bool,
    context: Context,
    holder: Option<[u8; 32]>,
    shown: [RedactedPayload; 2],
}

impl Pending {
    /// Call this if, and only if, V's verifier has accepted the proof. `committed_bits` are V's keys of
    /// the bits that P commits to, from the proof's statement.
    #[must_use]
    pub fn accept(self, committed_bits: Option<CommittedBits>) -> Accepted {
        let Self { mode, tls, suite, identity, port, alpn, rounds, pipelined, context, holder, shown } = self;
        let [request, response] = shown;
        let commitments = Vec::new();
        let proven = Proven {
            mode,
            tls,
            suite,
            identity,
            port,
            alpn,
            rounds,
            pipelined,
            context,
            holder,
            request,
            response,
            commitments,
        };
        Accepted { proven, committed_bits }
    }
}

/// What V accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Whether, with two parties, the server may leave open which protocol it speaks.
    pub(crate) no_alpn: bool,
    /// The most hidden bytes of each direction about which something is proved.
    pub(crate) hidden: usize,
}

/// V's view of a connection: its own record of the bytes, and the server that P names.
pub(crate) struct Observed<'a> {
    pub(crate) mode: Mode,
    /// V's conditions.
    pub(crate) terms: Terms,
    /// The server. Its host is the one that P names.
    pub(crate) with: Server<'a>,
    /// All that the client sent.
    pub(crate) client: &'a [u8],
    /// All that the server sent.
    pub(crate) server: &'a [u8],
    /// The order of both.
    pub(crate) seen: OrderEvidence<'a>,
    /// V's memory for the session, to which the memory of the claims is added.
    pub(crate) memory: Reservation,
}

/// V's own part in a connection: where the proof begins, and what V knows of the connection besides its
/// bytes.
pub(crate) trait OwnPart {
    /// Where the proof will begin.
    ///
    /// # Errors
    /// Why this connection is refused.
    fn root(&self, connection: &Connection) -> Result<Root<()>, Refusal>;

    /// Checks that this is the connection that V had a part in, as far as its handshake must be open for
    /// that.
    ///
    /// # Errors
    /// [`Refusal::Another`] if it is not.
    fn check(&self, _: &OpenConnection) -> Result<(), Refusal> {
        Ok(())
    }
}

/// V had no part in it.
impl<F: Fn(&Connection) -> Result<Root<()>, Refusal>> OwnPart for F {
    fn root(&self, connection: &Connection) -> Result<Root<()>, Refusal> {
        self(connection)
    }
}

/// Receives P's message about a connection, and checks everything in it that needs no proof: certificates,
/// host name, time (in seconds since 1970), signature, Finished messages, all tags, the structure of request
/// and response. `vocabulary` are the custom claims that V knows, `part` is V's own part in the connection.
///
/// Returns the statement to prove next.
///
/// # Errors
/// [`Error::Refused`], which P is told; the channel's.
pub(crate) fn receive(
    channel: &mut dyn Channel,
    observed: Observed<'_>,
    roots: &Roots,
    time: u64,
    vocabulary: &dyn Vocabulary,
    part: &impl OwnPart,
) -> Result<(ConnectionStatement, Pending), Error> {
    let result = try_receive(channel, observed, roots, time, vocabulary, part);
    if let Err(Error::Refused(refusal)) = &result {
        channel.fail(&refusal.to_string());
    }
    result
}

fn try_receive(
    channel: &mut dyn Channel,
    observed: Observed<'_>,
    roots: &Roots,
    time: u64,
    vocabulary: &dyn Vocabulary,
    part: &impl OwnPart,
) -> Result<(ConnectionStatement, Pending), Error> {
    let Observed { mode, terms, with, client, server, seen, mut memory } = observed;
    let connection = Connection::parse(client, server).map_err(Refusal::from)?;
    let root = part.root(&connection)?;
    let identify = |handshake: &dyn Authenticated| {
        let identity = server::verify(handshake, with.host, roots, time)?;
        let alpn = check_protocol(mode, terms.no_alpn, handshake.alpn())?;
        Ok::<_, Refusal>((identity, alpn))
    };
    let early = connection.handshake().map(identify).transpose()?;
    let (opened, payload) = bounds(&connection);
    let mut message =
        DisclosureMessage::decode(channel.recv(WEB_CLAIMS, DisclosureMessage::max_bytes(opened, payload))?)?;
    message.shown.iter_mut().try_for_each(|shown| shown.explain(vocabulary))?;
    // Each opened bit takes a byte while it is read.
    let bits = (message.opened.len() as u64).saturating_mul(8);
    let lack = |lack| Refusal::Memory { ever: matches!(lack, Shortage::Ever { .. }) };
    memory.grow(bits).map_err(lack)?;
    let connection = connection.open(&message.opened, &root)?;
    part.check(&connection)?;
    memory.grow(kept_bytes(&connection)).map_err(lack)?;
    let (identity, alpn) = match early {
        Some(identity) => identity,
        None => identify(connection.handshake())?,
    };
    let lengths = message.shown.each_ref().map(|shown| shown.text.len());
    let (closed, [from_client, from_server]) = check_opened(&connection, &message.opened, lengths, &root)?;
    let with = Server { host: identity.name(), ..with };
    let Checked { exchanges, port } = redaction::check(&message.shown, &with, closed)?;
    redaction::check_hidden(&message.shown, terms.hidden)?;
    let both = [&*from_client, &*from_server];
    let pipelined = order::check(seen, both, [client.len(), server.len()], &exchanges)?;
    if pipelined {
        let [request, _] = &message.shown;
        redaction::check_pipelined(request, &exchanges)?;
    }
    let rounds = exchanges.len();
    let (shown, context, holder) = (message.shown.clone(), message.context.clone(), message.holder);
    let (tls, suite) = (connection.version(), connection.suite());
    let statement = ConnectionStatement::new(connection, [client, server], message, memory)?;
    let pending =
        Pending { mode, tls, suite, identity, port, alpn, rounds, pipelined, context, holder, shown };
    Ok((statement, pending))
}

/// Checks that the bytes are HTTP by agreement. The same bytes may belong to another protocol, and their
/// meaning is the one on which client and server agreed. Returns whether they did: if not, the attestation
/// says so.
///
/// In the mode of two parties P alone chooses the server's port, and a server's certificate is valid for all
/// of its services. If one of them returned P's input without naming a protocol, P would be the author of a
/// "response". So V must have agreed to that (`no_alpn`), and readers must know that no service of this host
/// does it. In proxy mode V connects, to ports of its choice.
fn check_protocol(mode: Mode, no_alpn: bool, agreed: Option<&[u8]>) -> Result<bool, Refusal> {
    match agreed {
        Some(HTTP) => Ok(true),
        None if mode == Mode::Proxy || no_alpn => Ok(false),
        Some(protocol) => Err(Refusal::Protocol(protocol.escape_ascii().to_string())),
        None => Err(Refusal::NoProtocol),
    }
}

/// Upper bounds on the opened bits of a connection, in bytes, and on its payload. What is opened are
/// midstates, digests and secrets, hash keys, for each record at most a mask or one-time key and, unless it
/// is application data of TLS 1.2, its key stream, in whole blocks.
fn bounds(connection: &Connection) -> (usize, usize) {
    connection.ciphertexts().fold((1024, 0), |(opened, payload), (length, is_data)| {
        let stream = if is_data && connection.version() == TlsVersion::Tls12 { 0 } else { length };
        (opened + 128 + stream, payload + if is_data { length } else { 0 })
    })
}

/// The most bytes of memory that a wire takes in the proof.
const WIRE_BYTES: u64 = size_of::<Folded<F2, VerifierWire>>() as u64;

/// The memory of the key stream that V keeps while it verifies: of each record of TLS 1.3 the block with its
/// end.
fn kept_bytes(connection: &OpenConnection) -> u64 {
    let OpenConnection::Tls13(opened) = connection else { return 0 };
    let records = (opened.client.len() + opened.server.len()) as u64;
    let wires = 8 * connection.suite().aead().block_bytes() as u64;
    records.saturating_mul(wires).saturating_mul(WIRE_BYTES)
}

/// Checks P's claims about a connection's keys, given the claimed lengths of its payloads. Returns whether
/// the server ended the connection with `close_notify`, and the records with their contents.
///
/// # Errors
/// [`Refusal::Payload`], [`Refusal::Opened`]; as [`check::check`].
pub(super) fn check_opened<'a>(
    connection: &'a OpenConnection,
    opened: &[u8],
    lengths: [usize; 2],
    root: &Root<()>,
) -> Result<(bool, [Vec<DataRecord<'a>>; 2]), Refusal> {
    let mut machine = Read(List::new(opened));
    let derived = derive(&mut machine, connection, root)?;
    if !machine.0.is_at_end() {
        return Err(Refusal::Opened);
    }
    for ((side, length), records) in SIDES.into_iter().zip(lengths).zip(&derived.records) {
        if length != payload::length(records) {
            return Err(Refusal::Payload { side, reason: "not as long as the records' contents" });
        }
    }
    let closed = check::check(connection.version(), &derived)?;
    Ok((closed, derived.records))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_parties_demand_that_the_server_named_the_protocol_unless_v_agreed() {
        assert_eq!(check_protocol(Mode::TwoParty, false, None), Err(Refusal::NoProtocol));
        assert_eq!(check_protocol(Mode::TwoParty, true, None), Ok(false));
        for no_alpn in [false, true] {
            assert_eq!(check_protocol(Mode::Proxy, no_alpn, None), Ok(false));
            for mode in [Mode::TwoParty, Mode::Proxy] {
                assert_eq!(check_protocol(mode, no_alpn, Some(b"http/1.1")), Ok(true));
                let refused = Err(Refusal::Protocol("h2".into()));
                assert_eq!(check_protocol(mode, no_alpn, Some(b"h2")), refused);
            }
        }
    }
}
