//! The handshake's messages, in the only order that is accepted.

use volery_channel::Cursor;

use super::super::frame::limit;
use super::super::hello::ClientHello;
use super::Handshake;
use super::records::Direction;
use super::server_hello::ServerHello;
use crate::wire::key_exchange::{Group, PublicPoint};
use crate::wire::prf::Side;
use crate::wire::suite::Signer;
use crate::wire::transcript::{CertificateDer, Error, MAX_CERTIFICATES, MAX_MESSAGE, Scheme};

/// Numbers of messages.
mod kind {
    pub(super) const HELLO_REQUEST: u8 = 0;
    pub(super) const CLIENT_HELLO: u8 = 1;
    pub(super) const SERVER_HELLO: u8 = 2;
    pub(super) const NEW_SESSION_TICKET: u8 = 4;
    pub(super) const CERTIFICATE: u8 = 11;
    pub(super) const SERVER_KEY_EXCHANGE: u8 = 12;
    pub(super) const CERTIFICATE_REQUEST: u8 = 13;
    pub(super) const SERVER_HELLO_DONE: u8 = 14;
    pub(super) const CLIENT_KEY_EXCHANGE: u8 = 16;
    pub(super) const CERTIFICATE_STATUS: u8 = 22;
}

const NAMED_CURVE: u8 = 3;

/// One end's messages.
struct Messages<'s, 'a> {
    stream: &'s Direction<'a>,
    cursor: Cursor<'s>,
}

impl<'s, 'a> Messages<'s, 'a> {
    fn new(stream: &'s Direction<'a>) -> Self {
        Self { stream, cursor: Cursor::new(&stream.handshake) }
    }

    /// The next message, if it is of this kind.
    fn optional(&mut self, kind: u8, name: &'static str) -> Result<Option<&'s [u8]>, Error> {
        if self.cursor.rest().first() == Some(&kind) { self.next(kind, name).map(Some) } else { Ok(None) }
    }

    /// The next message, which must be of this kind.
    fn next(&mut self, kind: u8, name: &'static str) -> Result<&'s [u8], Error> {
        let side = self.stream.side;
        let ended = |_| self.stream.ended(name);
        let found = self.cursor.u8("a message").map_err(ended)?;
        if found != kind {
            return Err(self.misplaced(found, name));
        }
        let length = self.cursor.u24("a message").map_err(ended)?;
        limit(side, name, length, MAX_MESSAGE)?;
        self.cursor.bytes(length, "a message").map_err(ended)
    }

    /// The error for a message of kind `found` where `expected` must come.
    fn misplaced(&self, found: u8, expected: &'static str) -> Error {
        let side = self.stream.side;
        match found {
            kind::NEW_SESSION_TICKET if side == Side::Server => Error::Ticket,
            kind::HELLO_REQUEST => Error::Renegotiation(side),
            _ => Error::unexpected(side, expected, format!("handshake message {found}")),
        }
    }

    /// Checks that nothing more follows in the clear.
    fn finish(self) -> Result<(), Error> {
        match self.cursor.rest().first() {
            None => Ok(()),
            Some(found) => Err(self.misplaced(*found, "ChangeCipherSpec")),
        }
    }
}

/// Reads a client's first bytes, before it has received anything: a ClientHello and nothing else. Returns the
/// host that it asks for.
pub(super) fn opening(client: &Direction<'_>) -> Result<Option<String>, Error> {
    let mut messages = Messages::new(client);
    let hello = ClientHello::read(messages.next(kind::CLIENT_HELLO, "ClientHello")?)?;
    messages.finish()?;
    client.is_cut_off()?;
    Ok(hello.sni)
}

/// Reads the handshake of both directions.
pub(super) fn handshake(client: &Direction<'_>, server: &Direction<'_>) -> Result<Handshake, Error> {
    let mut from_client = Messages::new(client);
    let mut from_server = Messages::new(server);
    let hello = ClientHello::read(from_client.next(kind::CLIENT_HELLO, "ClientHello")?)?;
    let hello_bytes = client.handshake.len() - from_client.cursor.rest().len();
    let answer = ServerHello::read(from_server.next(kind::SERVER_HELLO, "ServerHello")?, &hello)?;
    if from_server.cursor.is_empty() && server.is_complete() {
        return Err(Error::Resumed);
    }
    let flight = Flight::read(&mut from_server, &answer)?;
    from_server.finish()?;
    if flight.certificate_requested {
        no_certificate(from_client.next(kind::CERTIFICATE, "Certificate")?)?;
    }
    let exchange = from_client.next(kind::CLIENT_KEY_EXCHANGE, "ClientKeyExchange")?;
    let client_point = client_point(exchange, flight.exchange.point.group())?;
    from_client.finish()?;

    let (first, last) = client.handshake.split_at_checked(hello_bytes).unwrap_or_default();
    let messages = [first, &server.handshake, last].concat();
    let hash = answer.suite.hash().hash(&messages);
    Ok(Handshake {
        client_random: hello.random,
        server_random: answer.random,
        suite: answer.suite,
        signer: answer.signer,
        extended_master_secret: answer.extended_master_secret,
        session_hash: hash,
        client_finished_hash: hash,
        certificates: flight.certificates,
        server_point: flight.exchange.point,
        client_point,
        params: flight.exchange.params,
        scheme: flight.exchange.scheme,
        signature: flight.exchange.signature,
        sni: hello.sni,
        alpn: answer.alpn,
        messages,
    })
}

/// The server's messages from its certificates to ServerHelloDone.
struct Flight {
    certificates: Vec<CertificateDer<'static>>,
    exchange: KeyExchange,
    certificate_requested: bool,
}

impl Flight {
    fn read(messages: &mut Messages<'_, '_>, hello: &ServerHello) -> Result<Self, Error> {
        let certificates = certificates(messages.next(kind::CERTIFICATE, "Certificate")?)?;
        if hello.status {
            // Stapled revocation data: the hashes cover it, but nothing uses it, as in browsers and in rustls
            // by default.
            messages.optional(kind::CERTIFICATE_STATUS, "CertificateStatus")?;
        }
        let body = messages.next(kind::SERVER_KEY_EXCHANGE, "ServerKeyExchange")?;
        let exchange = KeyExchange::read(body, hello.signer)?;
        let request = messages.optional(kind::CERTIFICATE_REQUEST, "CertificateRequest")?;
        request.map(certificate_request).transpose()?;
        let done = messages.next(kind::SERVER_HELLO_DONE, "ServerHelloDone")?;
        let flaw = Error::in_message(Side::Server, "ServerHelloDone");
        Cursor::new(done).finish().map_err(flaw)?;
        Ok(Self { certificates, exchange, certificate_requested: request.is_some() })
    }
}

fn certificates(body: &[u8]) -> Result<Vec<CertificateDer<'static>>, Error> {
    let (side, what) = (Side::Server, "Certificate");
    let flaw = Error::in_message(side, what);
    let mut cursor = Cursor::new(body);
    let mut list = Cursor::new(cursor.vector24("the list").map_err(&flaw)?);
    cursor.finish().map_err(&flaw)?;
    let mut certificates = Vec::new();
    while !list.is_empty() {
        limit(side, "the number of certificates", certificates.len() + 1, MAX_CERTIFICATES)?;
        certificates.push(CertificateDer::from(list.vector24("a certificate").map_err(&flaw)?.to_vec()));
    }
    if certificates.is_empty() {
        return Err(Error::malformed(side, what, "it holds no certificate"));
    }
    Ok(certificates)
}

/// Reads a request for the client's certificate (RFC 5246, section 7.4.4). Only its form matters.
fn certificate_request(body: &[u8]) -> Result<(), Error> {
    let flaw = Error::in_message(Side::Server, "CertificateRequest");
    let mut cursor = Cursor::new(body);
    cursor.vector8("the kinds").map_err(&flaw)?;
    cursor.vector16("the signature schemes").map_err(&flaw)?;
    cursor.vector16("the authorities").map_err(&flaw)?;
    cursor.finish().map_err(flaw)
}

/// The client's answer to a request for its certificate: an empty list.
fn no_certificate(body: &[u8]) -> Result<(), Error> {
    if body == [0; 3] { Ok(()) } else { Err(Error::ClientCertificate) }
}

/// A ServerKeyExchange (RFC 8422, section 5.4).
struct KeyExchange {
    params: Vec<u8>,
    point: PublicPoint,
    scheme: Scheme,
    signature: Vec<u8>,
}

impl KeyExchange {
    fn read(body: &[u8], signer: Signer) -> Result<Self, Error> {
        let (side, what) = (Side::Server, "ServerKeyExchange");
        let flaw = Error::in_message(side, what);
        let mut cursor = Cursor::new(body);
        if cursor.u8("the kind of curve").map_err(&flaw)? != NAMED_CURVE {
            return Err(Error::malformed(side, what, "its curve has no name"));
        }
        let group = cursor.u16("the group").map_err(&flaw)?;
        let group = Group::from_number(group).ok_or(Error::Group(group))?;
        let point = point(side, what, group, cursor.vector8("the point").map_err(&flaw)?)?;
        let params = body.get(..body.len() - cursor.rest().len()).unwrap_or_default().to_vec();
        let scheme = cursor.u16("the signature scheme").map_err(&flaw)?;
        let scheme =
            Scheme::of(scheme).filter(|scheme| scheme.signer() == signer).ok_or(Error::Scheme(scheme))?;
        let signature = cursor.vector16("the signature").map_err(&flaw)?.to_vec();
        cursor.finish().map_err(flaw)?;
        Ok(Self { params, point, scheme, signature })
    }
}

fn client_point(body: &[u8], group: Group) -> Result<PublicPoint, Error> {
    let (side, what) = (Side::Client, "ClientKeyExchange");
    let flaw = Error::in_message(side, what);
    let mut cursor = Cursor::new(body);
    let bytes = cursor.vector8("the point").map_err(&flaw)?;
    cursor.finish().map_err(flaw)?;
    point(side, what, group, bytes)
}

/// A point of the group that the server chose.
fn point(side: Side, what: &'static str, group: Group, bytes: &[u8]) -> Result<PublicPoint, Error> {
    PublicPoint::read(group, bytes)
        .map_err(|reason| Error::malformed(side, what, format_args!("its point is not valid: {reason}")))
}

impl Scheme {
    /// The kind of the keys that sign with this scheme.
    fn signer(self) -> Signer {
        match self {
            Self::EcdsaSha256 | Self::EcdsaSha384 => Signer::Ecdsa,
            _ => Signer::Rsa,
        }
    }
}
