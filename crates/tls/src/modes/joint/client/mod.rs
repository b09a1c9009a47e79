//! P's connection to the server: an unmodified TLS library over an [`Engine`], the requests, and the raw
//! responses.
//!
//! ```text
//! P                                                                    server
//! ClientHello                                   ------------------>
//!                                               <------------------    ServerHello, Certificate, ServerKeyExchange, ServerHelloDone
//! verifies certificates, host, signature
//! engine: public_key, agree, master_secret, key_block, client_finished, encrypt
//! ClientKeyExchange, CCS, {Finished}            ------------------>
//!                                               <------------------    CCS, {Finished}
//! engine: encrypt, once for each record
//! {request}                                     ------------------>
//!                                               <------------------    {response}, {close_notify}, end of the connection
//! closes; has all bytes of both directions
//! ```
//!
//! Nothing that the server encrypts is decrypted here, unless the engine was prepared for it. So P cannot see
//! where a response ends. It takes records until the server ends the connection, either with an alert, whose
//! type is in the clear, or by closing it. The last request must ask for that (`Connection: close`), and
//! every request must ask for a body that its reader understands (`Accept-Encoding: identity`).
//!
//! With [several requests](converse), those that wait for no response are sent with the one before. If a
//! response is read first, `engine: decrypt` returns the content of each record, and the content shows where
//! the response ends ([`dialogue`](crate::dialogue)).
//!
//! In TLS 1.3 the engine is asked for `handshake_secrets` after ServerHello, and for `data_keys` when P has
//! verified the server's flight up to its Finished message, with the TLS library alone. Before the request is
//! said P opens the handshake once more, as V will: what V would refuse of it ends the connection here.
//! Alerts are encrypted, so nothing but the end of the connection shows that the server has said everything.
//!
//! # Servers that wait for the client's end (TLS 1.3)
//!
//! Some servers (OpenSSL's `s_server`) say everything and `close_notify`, and keep the connection until the
//! client ends it. In TLS 1.2 P sees the alert and closes. In TLS 1.3 it sees a record that is as long as an
//! alert. If nothing follows for a second, P ends its own direction of the TCP connection ([`Socket`]), as a
//! client does that has nothing more to say, and waits on for the server's end. P says no `close_notify`: its
//! record would have to be prepared.
//!
//! It costs no security, because nothing that either party believes rests on who ended the TCP connection, or
//! when.
//!
//! * *What it tells.* Whoever sees the connection sees lengths and pauses anyway, and the end depends on
//!   nothing else.
//! * *Somebody on the way*, V too, can make P end its direction early, with a record of this length or by
//!   keeping later ones back. It could as well end either direction itself. A record that is not the server's
//!   has a wrong tag, and ends the session. One that is missing shows: a response is whole by its length, by
//!   its last chunk or by `close_notify` under the server's keys, or it is refused.
//! * *The server* may take the end for a client that has gone, and break off a response in which it pauses
//!   after exactly two bytes. The response is then refused, unless the server itself says that it is whole.
//! * *P* can end its direction whenever it likes: V takes part in the client's records, and in nothing else
//!   of the connection. V opens its part when it holds all bytes of both directions, and checks them as
//!   before.
//! * *A server that still reads* gets nothing more from P. What V could put in the place of P's records
//!   afterwards is the same with a half-closed connection as with a closed one
//!   ([`disclosure`](crate::disclosure#what-v-learns-and-when)).
//!
//! A padded alert is longer, and its server's end is waited for in vain.
//!
//! The result, [`Captured`], is a connection that *parses*. It is not known yet whether the server's records
//! come from the server: P and V find out after V has opened its part.
//!
//! # Errors
//!
//! After any error nothing more is sent, not even an alert, nothing more is asked of the engine, and the
//! connection is closed. An error of the engine takes precedence over the TLS library's. The documentation of
//! the module `provider` describes what rustls is told, and what it would do without this module's care.

mod carried;
#[cfg(not(target_family = "wasm"))]
mod dialed;
mod error;
mod probe;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
mod wire;

pub use carried::Carried;
#[cfg(not(target_family = "wasm"))]
pub use dialed::{Dialed, dial};
pub use error::{Distrust, Failure};
pub(super) use probe::has_sentinel;
pub use probe::{Probe, probe};
pub use wire::{ConnectionLimits, Socket};

use std::sync::Arc;

use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::pki_types::ServerName;
use rustls::unbuffered::{ConnectionState, EncodeError, EncodeTlsData, InsufficientSizeError};
use rustls::version::{TLS12, TLS13};
use zeroize::Zeroizing;

use self::wire::Wire;
use super::provider::{Session, provider, with_engine};
use super::{Content, Engine, Error};
use crate::page::dialogue::{Dialogue, RequestSource};
use crate::page::disclosure::Connection;
use crate::wire::record::MAX_PLAINTEXT;
use crate::wire::rustls_client::{self, CertificateRequests};
use crate::wire::server::{self, Roots};
use crate::wire::suite::Suite;
use crate::wire::transcript::tls13::{self, HandshakeSecrets};
use crate::wire::transcript::{self, APPLICATION_DATA, HANDSHAKE, TAG_BYTES};
use crate::wire::version::TlsVersion;

/// The bytes of a record without its content: header, explicit nonce or the content's type, tag.
const fn record_overhead(version: TlsVersion, suite: Suite) -> usize {
    let inner = match version {
        TlsVersion::Tls12 => suite.aead().explicit_bytes(version),
        TlsVersion::Tls13 => 1,
    };
    wire::HEADER_BYTES + inner + TAG_BYTES
}

/// The server to connect to, and the authorities to trust.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The host that the certificate must be for: a DNS name or an IP address.
    pub host: &'a str,
    /// The authorities that P trusts. V has its own.
    pub roots: &'a Roots,
    /// Whether the version was found out by a [`probe`]. Then a server that chooses another one, or shows
    /// that it could speak a newer one, is [not as it was](Failure::NotAsProbed).
    pub probed: bool,
    /// ConnectionLimits on time and bytes.
    pub limits: ConnectionLimits,
    /// Whether the server may leave open which protocol it speaks (ALPN), which V has to allow, too: see
    /// [`Limits::no_alpn`](super::Limits::no_alpn). HTTP/1.1 is offered in any case.
    pub no_alpn: bool,
}

/// A connection that has ended. Nothing in it that needs a key is verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// All bytes that P sent.
    pub client: Vec<u8>,
    /// All bytes that P took from the server.
    pub server: Vec<u8>,
    /// The parsed connection.
    #[cfg_attr(not(test), allow(dead_code, reason = "whoever has the keys parses it again"))]
    pub(crate) connection: Connection,
}

/// The records of a request, and whether its response is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundRecords {
    /// The lengths of the request's records, which the engine has prepared: 1 to 2^14 bytes each.
    pub lengths: Vec<usize>,
    /// Whether the response is read before the next request is asked for. The engine must be prepared for
    /// that. The last response cannot be read, nor one after a response that was not read, because nobody
    /// knows where that one ends.
    pub read: bool,
}

/// Runs a connection on `stream`, which must be open (`dial` opens one, or [`Carried`]) and is dropped at the
/// end. Sends
/// `request` in records of `lengths`, which `engine` must have prepared, and takes everything that the server
/// answers until it ends the connection.
///
/// The engine is called in the order of its methods.
///
/// # Errors
/// The engine's; [`Error::Connection`] for everything that is the fault of the server, the network or the
/// caller. As the [module](self) says, nothing is sent after an error.
///
/// # Panics
/// Only if the engine or the stream panics.
pub fn query<S: Socket>(
    engine: &mut dyn Engine,
    stream: S,
    target: &Target<'_>,
    request: &[u8],
    lengths: &[usize],
) -> Result<Captured, Error> {
    let round = RoundRecords { lengths: lengths.to_vec(), read: false };
    converse(engine, stream, target, &[round], &mut |_, _| Ok(Zeroizing::new(request.to_vec())))
}

/// Runs a connection with several requests, which `ask` makes. The requests of the rounds up to the first
/// whose response is read are made before the connection is opened, and later ones after the responses that
/// they wait for were read. Otherwise as [`query`].
///
/// # Errors
/// As [`query`]; [`Failure::Dialogue`] if there is no request, or if a response that was read is malformed or
/// the server's last.
///
/// # Panics
/// Only if the engine, the stream or `ask` panics.
pub fn converse<S: Socket>(
    engine: &mut dyn Engine,
    stream: S,
    target: &Target<'_>,
    rounds: &[RoundRecords],
    ask: &mut RequestSource<'_>,
) -> Result<Captured, Error> {
    let in_order = rounds.iter().skip_while(|round| round.read).all(|round| !round.read);
    if !in_order || rounds.last().is_none_or(|last| last.read) {
        return Err(Failure::Misuse("responses are read from the first on, and not the last").into());
    }
    let mut requests = Requests { rounds, dialogue: Dialogue::new(rounds.len(), ask) };
    let first = requests.next_burst()?;
    let name = server::canonical_name(target.host).map_err(|_| Failure::Name)?;
    let name = ServerName::try_from(name).map_err(|_| Failure::Name)?;
    let protocol = engine.protocol();
    let tls = |session: &Session| {
        let result = Tls::new(session, stream, target, name, protocol)?.run(first, &mut requests);
        // Where V carries the connection, the engine's error is one of the connection, too.
        session.error()?;
        result
    };
    match with_engine(engine, target.probed, tls) {
        Err(Error::Connection(Failure::OnlyNewer | Failure::OnlyTls12 | Failure::NothingInCommon))
            if target.probed =>
        {
            Err(Failure::NotAsProbed.into())
        }
        result => result,
    }
}

/// The state of the requests on a connection.
struct Requests<'t, 'a, 'b> {
    /// The rounds whose requests have not been made.
    rounds: &'t [RoundRecords],
    dialogue: Dialogue<'a, 'b>,
}

/// Requests that are sent together, as records.
struct Burst {
    records: Vec<Zeroizing<Vec<u8>>>,
    /// Whether a response is read afterwards.
    read: bool,
}

impl Requests<'_, '_, '_> {
    /// The next requests, up to one whose response is read or to the last.
    fn next_burst(&mut self) -> Result<Burst, Failure> {
        let mut burst = Burst { records: Vec::new(), read: false };
        while let ([round, rest @ ..], false) = (self.rounds, burst.read) {
            let request = self.dialogue.request()?;
            let parts = records(&request, &round.lengths)?;
            burst.records.extend(parts.into_iter().map(|part| Zeroizing::new(part.to_vec())));
            (burst.read, self.rounds) = (round.read, rest);
        }
        Ok(burst)
    }
}

/// Splits a request; each part is one record.
fn records<'a>(request: &'a [u8], lengths: &[usize]) -> Result<Vec<&'a [u8]>, Failure> {
    let mut rest = request;
    let mut records = Vec::with_capacity(lengths.len());
    for length in lengths {
        if !(1..=MAX_PLAINTEXT).contains(length) {
            return Err(Failure::Misuse("a record of the request must have 1 to 2^14 bytes"));
        }
        let (record, after) = rest.split_at_checked(*length).ok_or(TOO_SHORT)?;
        records.push(record);
        rest = after;
    }
    if rest.is_empty() && !records.is_empty() { Ok(records) } else { Err(TOO_SHORT) }
}

const TOO_SHORT: Failure = Failure::Misuse("the request does not fill the records that were prepared for it");

/// A connection of a session.
struct Tls<'s, S> {
    session: &'s Session,
    version: TlsVersion,
    connection: UnbufferedClientConnection,
    wire: Wire<S>,
    /// The server's requests for a certificate.
    requests: Arc<CertificateRequests>,
    no_alpn: bool,
    /// The bytes that rustls wants to send.
    outgoing: Vec<u8>,
}

/// What rustls waits for.
enum Waiting {
    /// Nothing: it should be asked again.
    Ask,
    /// A record of the server.
    Record,
    /// The request.
    Request,
}

impl<'s, S: Socket> Tls<'s, S> {
    fn new(
        session: &'s Session,
        stream: S,
        target: &Target<'_>,
        name: ServerName<'static>,
        (version, suite): (TlsVersion, Suite),
    ) -> Result<Self, Error> {
        let early = |error| Failure::new(error, version, false);
        let offered = match version {
            TlsVersion::Tls12 => &TLS12,
            TlsVersion::Tls13 => &TLS13,
        };
        let config = rustls_client::config(provider(version, suite), &[offered], target.roots);
        let mut config = config.map_err(early)?;
        let requests = CertificateRequests::of(&mut config);
        let connection = UnbufferedClientConnection::new(Arc::new(config), name).map_err(early)?;
        let (wire, no_alpn) = (Wire::new(stream, &target.limits), target.no_alpn);
        Ok(Self { session, version, connection, wire, requests, no_alpn, outgoing: Vec::new() })
    }

    fn run(mut self, first: Burst, requests: &mut Requests<'_, '_, '_>) -> Result<Captured, Error> {
        self.handshake()?;
        // rustls refuses a protocol that was not offered.
        if self.connection.alpn_protocol().is_none() && !self.no_alpn {
            return Err(Failure::NoProtocol.into());
        }
        // What nobody can prove is refused before the request is said.
        let flight = self.open(self.wire.so_far())?;
        let mut burst = first;
        loop {
            self.send(&burst.records)?;
            if !burst.read {
                break;
            }
            self.read(&mut requests.dialogue)?;
            burst = requests.next_burst()?;
        }
        let (client, server) = self.wire.finish(self.version)?;
        let connection = Connection::parse(&client, &server).map_err(Failure::from)?;
        let answered = match &connection {
            Connection::Tls12(transcript) => {
                transcript.server.iter().any(|record| record.content_type == APPLICATION_DATA)
            }
            // Nobody sees yet what the records hold.
            Connection::Tls13(transcript) => transcript.server.len() > flight,
        };
        if !answered {
            return Err(Failure::NoResponse.into());
        }
        Ok(Captured { client, server, connection })
    }

    /// In TLS 1.3, opens the handshake of these bytes, of both directions, and checks that it is of a kind
    /// that can be proved. Returns the number of the server's protected records.
    fn open(&self, [client, server]: [&[u8]; 2]) -> Result<usize, Failure> {
        if self.version == TlsVersion::Tls12 {
            return Ok(0);
        }
        let transcript = tls13::Transcript::parse(client, server)?;
        let secrets = self.session.known_secrets();
        let secrets = secrets.map(|[client, server]| HandshakeSecrets { client, server });
        let count = transcript.server.len();
        transcript.open(&secrets.ok_or(Failure::Misuse("a handshake without secrets"))?)?;
        Ok(count)
    }

    /// Runs the handshake up to the server's Finished. rustls gets one record at a time, so that it never
    /// sees the next one, which it would want to have decrypted.
    fn handshake(&mut self) -> Result<(), Error> {
        let mut incoming = Vec::new();
        loop {
            match self.step(&mut incoming)? {
                Waiting::Ask => {}
                Waiting::Record => {
                    let record = self.wire.record()?.ok_or(Failure::Closed)?;
                    // The library would answer it, and the server need not say anything more.
                    if tls13::asks_for_another_hello(record) {
                        return Err(Failure::from(transcript::Error::HelloRetry).into());
                    }
                    incoming.extend_from_slice(record);
                }
                Waiting::Request => return Ok(()),
            }
        }
    }

    /// Lets rustls take one step.
    fn step(&mut self, incoming: &mut Vec<u8>) -> Result<Waiting, Error> {
        let chosen = self.connection.negotiated_cipher_suite().is_some();
        let status = self.connection.process_tls_records(incoming);
        self.session.error()?;
        let discard = status.discard;
        let failure = |error| Failure::after(error, self.version, chosen, &self.requests);
        let next = match status.state.map_err(failure)? {
            ConnectionState::EncodeTlsData(mut data) => {
                encode(&mut data, &mut self.outgoing)?;
                Waiting::Ask
            }
            ConnectionState::TransmitTlsData(data) => {
                self.session.check()?;
                self.wire.send(&self.outgoing)?;
                self.outgoing.clear();
                data.done();
                Waiting::Ask
            }
            ConnectionState::BlockedHandshake => Waiting::Record,
            ConnectionState::WriteTraffic(_) => Waiting::Request,
            other => return Err(Failure::Tls(format!("{other:?} in the handshake")).into()),
        };
        incoming.drain(..discard.min(incoming.len()));
        Ok(next)
    }

    /// Takes the server's records until they complete a response.
    fn read(&mut self, dialogue: &mut Dialogue<'_, '_>) -> Result<(), Error> {
        loop {
            let payload = match self.wire.record()? {
                Some([APPLICATION_DATA, _, _, _, _, payload @ ..]) => payload.to_vec(),
                // An alert, or the connection's end.
                _ => return Err(Failure::from(dialogue.ended()).into()),
            };
            let asked = self.session.ask(move |engine| engine.decrypt(&payload));
            self.session.check()?;
            let Content { content_type, bytes } = asked.map_err(|error| Failure::Tls(error.to_string()))?;
            match content_type {
                APPLICATION_DATA if dialogue.receive(&bytes).map_err(Failure::from)? => return Ok(()),
                APPLICATION_DATA => {}
                // They follow the handshake, and this client uses none.
                HANDSHAKE => tls13::check_tickets(&bytes).map_err(Failure::from)?,
                _ => return Err(Failure::from(dialogue.ended()).into()),
            }
        }
    }

    /// Encrypts all of these records before it sends any, because half a request is useless.
    fn send(&mut self, records: &[Zeroizing<Vec<u8>>]) -> Result<(), Error> {
        let unexpected = || Failure::Tls("it does not take the request after the handshake".into());
        for record in records {
            let status = self.connection.process_tls_records(&mut []);
            let ConnectionState::WriteTraffic(mut traffic) =
                status.state.map_err(|error| Failure::new(error, self.version, true))?
            else {
                return Err(unexpected().into());
            };
            let start = self.outgoing.len();
            let overhead = record_overhead(self.version, self.session.suite());
            self.outgoing.resize(start + record.len() + overhead, 0);
            let place = self.outgoing.get_mut(start..).unwrap_or_default();
            let written = traffic.encrypt(record, place);
            self.session.check()?;
            if !written.is_ok_and(|written| start + written == self.outgoing.len()) {
                return Err(unexpected().into());
            }
        }
        self.wire.send(&self.outgoing)?;
        self.outgoing.clear();
        Ok(())
    }
}

/// Appends the bytes that rustls wants to send.
fn encode(data: &mut EncodeTlsData<'_, ClientConnectionData>, outgoing: &mut Vec<u8>) -> Result<(), Failure> {
    let start = outgoing.len();
    if let Err(EncodeError::InsufficientSize(InsufficientSizeError { required_size })) = data.encode(&mut [])
    {
        outgoing.resize(start + required_size, 0);
    }
    let place = outgoing.get_mut(start..).unwrap_or_default();
    data.encode(place).map(drop).map_err(|error| Failure::Tls(error.to_string()))
}
