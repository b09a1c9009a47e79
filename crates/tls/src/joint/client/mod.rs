//! P's connection to the server: stock TLS over an [`Engine`], one request, and the response as it came.
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
//! Nothing that the server encrypts is decrypted here: nobody can, while the connection lives. So P cannot see where a response ends,
//! and takes records until the server ends the connection: with an alert, whose type is in the clear, or by closing it. The request has
//! to ask for that (`Connection: close`), and for a body that its reader will understand (`Accept-Encoding: identity`).
//!
//! What comes out, [`Captured`], is a connection that *parses*. That the server's records are the server's is not known yet: P and V
//! find out when V has opened its part.
//!
//! # Errors
//!
//! After any error nothing more is sent, not even an alert, and nothing more is asked of the engine; the connection is closed. An error
//! of the engine takes precedence over what the TLS library makes of it. What rustls is told, and what it would do without this
//! module's care, is in the documentation of the module `provider`.

mod error;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod wire;

pub use error::{Distrust, Failure};
pub use wire::{Limits, dial};

use std::io::{Read, Write};
use std::sync::Arc;

use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::pki_types::ServerName;
use rustls::unbuffered::{ConnectionState, EncodeError, EncodeTlsData, InsufficientSizeError};

use self::wire::Wire;
use super::provider::{Session, provider, with_engine};
use super::{Engine, Error};
use crate::record::MAX_PLAINTEXT;
use crate::server::{self, Roots};
use crate::stock;
use crate::transcript::{APPLICATION_DATA, NONCE_BYTES, TAG_BYTES, Transcript};

/// Bytes that a record has besides its plaintext: header, explicit nonce, tag.
const RECORD_OVERHEAD: usize = wire::HEADER_BYTES + NONCE_BYTES + TAG_BYTES;

/// Whom to speak with, and whom to believe.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The host whose certificate is demanded: a DNS name or an IP address.
    pub host: &'a str,
    /// The authorities that P believes. V has its own.
    pub roots: &'a Roots,
    /// How long, and how much.
    pub limits: Limits,
}

/// A connection that has ended. Nothing in it is verified that takes a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captured {
    /// All bytes that P sent.
    pub client: Vec<u8>,
    /// All bytes that P took from the server.
    pub server: Vec<u8>,
    /// What they say.
    pub transcript: Transcript,
}

/// Runs a connection on `stream`, which is open already (see [`dial`]) and is dropped at the end: sends `request` in records of
/// `lengths`, which are those that `engine` has prepared, and takes all that the server answers until it ends the connection.
///
/// The engine is called on this thread, in the order of its methods; rustls runs on another.
///
/// # Errors
/// The engine's; [`Error::Connection`] for everything that is the server's or the network's fault, or the caller's. The
/// [module](self) says what has been sent then: nothing after the error.
///
/// # Panics
/// Only if the engine or the stream panics.
pub fn query<S: Read + Write + Send>(
    engine: &mut dyn Engine,
    stream: S,
    target: &Target<'_>,
    request: &[u8],
    lengths: &[usize],
) -> Result<Captured, Error> {
    let records = records(request, lengths)?;
    let name = server::canonical_name(target.host).map_err(|_| Failure::Name)?;
    let name = ServerName::try_from(name).map_err(|_| Failure::Name)?;
    let tls = |session: &Session| Tls::new(session, stream, target, name)?.run(&records);
    with_engine(engine, tls).map_err(|error| Failure::Thread(error.kind()))?
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

/// A connection, on the thread of its session.
struct Tls<'s, S> {
    session: &'s Session,
    connection: UnbufferedClientConnection,
    wire: Wire<S>,
    /// What rustls wants to send.
    outgoing: Vec<u8>,
}

/// What rustls waits for.
enum Next {
    /// To be asked again.
    Ask,
    /// A record of the server.
    Record,
    /// The request.
    Request,
}

impl<'s, S: Read + Write> Tls<'s, S> {
    fn new(
        session: &'s Session,
        stream: S,
        target: &Target<'_>,
        name: ServerName<'static>,
    ) -> Result<Self, Error> {
        let early = |error| Failure::new(error, false);
        let config = stock::config(provider(), target.roots).map_err(early)?;
        let connection = UnbufferedClientConnection::new(Arc::new(config), name).map_err(early)?;
        Ok(Self { session, connection, wire: Wire::new(stream, &target.limits), outgoing: Vec::new() })
    }

    fn run(mut self, request: &[&[u8]]) -> Result<Captured, Error> {
        self.handshake()?;
        if self.connection.alpn_protocol() != Some(stock::HTTP) {
            return Err(Failure::NoProtocol.into());
        }
        self.request(request)?;
        let (client, server) = self.wire.finish()?;
        let transcript = Transcript::parse(&client, &server).map_err(Failure::from)?;
        if !transcript.server.iter().any(|record| record.content_type == APPLICATION_DATA) {
            return Err(Failure::NoResponse.into());
        }
        Ok(Captured { client, server, transcript })
    }

    /// Up to the server's Finished. rustls gets one record at a time, so that it never sees what comes after that one: it would
    /// want it decrypted.
    fn handshake(&mut self) -> Result<(), Error> {
        let mut incoming = Vec::new();
        loop {
            match self.step(&mut incoming)? {
                Next::Ask => {}
                Next::Record => incoming.extend_from_slice(self.wire.record()?.ok_or(Failure::Closed)?),
                Next::Request => return Ok(()),
            }
        }
    }

    /// Lets rustls do one thing.
    fn step(&mut self, incoming: &mut Vec<u8>) -> Result<Next, Error> {
        let chosen = self.connection.negotiated_cipher_suite().is_some();
        let status = self.connection.process_tls_records(incoming);
        self.session.error()?;
        let discard = status.discard;
        let next = match status.state.map_err(|error| Failure::new(error, chosen))? {
            ConnectionState::EncodeTlsData(mut data) => {
                encode(&mut data, &mut self.outgoing)?;
                Next::Ask
            }
            ConnectionState::TransmitTlsData(data) => {
                self.session.check()?;
                self.wire.send(&self.outgoing)?;
                self.outgoing.clear();
                data.done();
                Next::Ask
            }
            ConnectionState::BlockedHandshake => Next::Record,
            ConnectionState::WriteTraffic(_) => Next::Request,
            other => return Err(Failure::Tls(format!("{other:?} in the handshake")).into()),
        };
        incoming.drain(..discard.min(incoming.len()));
        Ok(next)
    }

    /// Encrypts all of the request before any of it is sent: half of a request is of no use.
    fn request(&mut self, records: &[&[u8]]) -> Result<(), Error> {
        let unexpected = || Failure::Tls("it does not take the request after the handshake".into());
        for record in records {
            let status = self.connection.process_tls_records(&mut []);
            let ConnectionState::WriteTraffic(mut traffic) =
                status.state.map_err(|error| Failure::new(error, true))?
            else {
                return Err(unexpected().into());
            };
            let start = self.outgoing.len();
            self.outgoing.resize(start + record.len() + RECORD_OVERHEAD, 0);
            let place = self.outgoing.get_mut(start..).unwrap_or_default();
            let written = traffic.encrypt(record, place);
            self.session.check()?;
            if !written.is_ok_and(|written| start + written == self.outgoing.len()) {
                return Err(unexpected().into());
            }
        }
        self.wire.send(&self.outgoing)?;
        Ok(())
    }
}

/// Appends what rustls wants to send.
fn encode(data: &mut EncodeTlsData<'_, ClientConnectionData>, outgoing: &mut Vec<u8>) -> Result<(), Failure> {
    let start = outgoing.len();
    if let Err(EncodeError::InsufficientSize(InsufficientSizeError { required_size })) = data.encode(&mut [])
    {
        outgoing.resize(start + required_size, 0);
    }
    let place = outgoing.get_mut(start..).unwrap_or_default();
    data.encode(place).map(drop).map_err(|error| Failure::Tls(error.to_string()))
}
