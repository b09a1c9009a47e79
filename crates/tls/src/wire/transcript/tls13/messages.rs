//! The handshake's messages, in the only order that is accepted.

use subtle::ConstantTimeEq as _;
use volery_channel::Cursor;

use super::super::frame::limit;
use super::super::hello::{Extensions, alpn};
use super::hello::{Offer, ServerHello};
use super::protected::Flight;
use super::records::Direction;
use super::{Handshake, HandshakeSecrets, Hello, MESSAGE_HEADER_BYTES, extension, kind};
use crate::wire::hash::{HandshakeHash, RunningHash};
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::prf::Side;
use crate::wire::transcript::{CertificateDer, Error, MAX_CERTIFICATES, MAX_MESSAGE, Scheme};

/// The only message in the clear of a direction: its body.
fn only<'d>(
    side: Side,
    direction: &'d Direction,
    expected_kind: u8,
    name: &'static str,
) -> Result<(&'d [u8], Cursor<'d>), Error> {
    let ended = |_| direction.ended(name);
    let mut cursor = Cursor::new(&direction.hello);
    let found = cursor.u8("a message").map_err(ended)?;
    if found != expected_kind {
        return Err(misplaced(side, found, name));
    }
    let length = cursor.u24("a message").map_err(ended)?;
    limit(side, name, length, MAX_MESSAGE)?;
    Ok((cursor.bytes(length, "a message").map_err(ended)?, cursor))
}

/// Checks that nothing more follows in the clear.
fn alone(side: Side, rest: &Cursor<'_>) -> Result<(), Error> {
    match rest.rest().first() {
        None => Ok(()),
        Some(found) => Err(misplaced(side, *found, "a protected record")),
    }
}

/// The error for a message of kind `found` where `expected` must come.
fn misplaced(side: Side, found: u8, expected: &'static str) -> Error {
    match (side, found) {
        (Side::Server, kind::COMPRESSED_CERTIFICATE) => Error::CompressedCertificate,
        (Side::Server, kind::CERTIFICATE_REQUEST) => Error::CertificateRequest,
        (Side::Client, kind::CERTIFICATE) => Error::ClientCertificate,
        (Side::Client, kind::END_OF_EARLY_DATA) => Error::EarlyData(side),
        (_, kind::KEY_UPDATE) => Error::KeyUpdate(side),
        _ => Error::unexpected(side, expected, format!("handshake message {found}")),
    }
}

/// Checks that messages with these headers may come after the handshake: session tickets of the server's.
/// Returns the length of them all.
///
/// # Errors
/// [`Error::KeyUpdate`], [`Error::CertificateRequest`], [`Error::Unexpected`].
pub(crate) fn after_handshake(side: Side, headers: &[[u8; MESSAGE_HEADER_BYTES]]) -> Result<usize, Error> {
    headers.iter().try_fold(0, |sum, [found, a, b, c]| match (side, *found) {
        (Side::Server, kind::NEW_SESSION_TICKET) => {
            // Of at most as many bytes as a record.
            Ok(sum + MESSAGE_HEADER_BYTES + u32::from_be_bytes([0, *a, *b, *c]) as usize)
        }
        (_, found) => Err(misplaced(side, found, "application data")),
    })
}

/// Checks that the content of a handshake record of the server's after the handshake is session tickets,
/// whole ones.
///
/// # Errors
/// As [`after_handshake`]; [`Error::Truncated`].
pub(crate) fn check_tickets(content: &[u8]) -> Result<(), Error> {
    let (side, what) = (Side::Server, "a session ticket");
    let cut = |_| Error::Truncated { side, what };
    let mut cursor = Cursor::new(content);
    while !cursor.is_empty() {
        let header = cursor.array("a message").map_err(cut)?;
        let length = after_handshake(side, &[header])?.saturating_sub(MESSAGE_HEADER_BYTES);
        cursor.bytes(length, "a message").map_err(cut)?;
    }
    Ok(())
}

/// Reads both hellos, of whole directions.
pub(super) fn hellos(client: &Direction, server: &Direction) -> Result<Hello, Error> {
    let (body, after_client) = only(Side::Client, client, kind::CLIENT_HELLO, "ClientHello")?;
    let offer = Offer::read(body)?;
    let (body, after_server) = only(Side::Server, server, kind::SERVER_HELLO, "ServerHello")?;
    let answer = ServerHello::read(body, &offer)?;
    // After the answer, because messages of another version follow each other in the clear.
    alone(Side::Client, &after_client)?;
    alone(Side::Server, &after_server)?;
    let messages = [&*client.hello, &server.hello].concat();
    Ok(Hello {
        client_random: offer.hello.random,
        server_random: answer.random,
        suite: answer.suite,
        server_point: answer.server_point,
        client_point: answer.client_point,
        sni: offer.hello.sni.clone(),
        offered: offer.hello.extensions.numbers().collect(),
        hash: answer.suite.hash().hash(&messages),
        messages,
    })
}

/// A direction's protected messages, and the hash of the handshake's messages.
struct Messages<'a> {
    side: Side,
    cursor: Cursor<'a>,
    hash: RunningHash,
}

impl<'a> Messages<'a> {
    /// The next message, which must be of this kind. The hash then covers it.
    fn next(&mut self, expected_kind: u8, name: &'static str) -> Result<&'a [u8], Error> {
        let side = self.side;
        let cut = |_| Error::Truncated { side, what: name };
        let message = self.cursor.rest();
        let found = self.cursor.u8("a message").map_err(cut)?;
        if found != expected_kind {
            return Err(misplaced(side, found, name));
        }
        let length = self.cursor.u24("a message").map_err(cut)?;
        let body = self.cursor.bytes(length, "a message").map_err(cut)?;
        self.hash.update(message.get(..4 + length).unwrap_or_default());
        Ok(body)
    }

    /// The hash of all messages so far.
    fn hash(&self) -> HandshakeHash {
        self.hash.value()
    }

    /// The next message, which must be Finished, the last one, and right.
    fn finished(&mut self, secret: &TrafficSecret) -> Result<(), Error> {
        let expected = secret.verify_data(&self.hash());
        let found = self.next(kind::FINISHED, "Finished")?;
        let side = self.side;
        self.cursor.finish().map_err(Error::in_message(side, "Finished"))?;
        if bool::from(expected.ct_eq(found)) { Ok(()) } else { Err(Error::Finished(side)) }
    }
}

/// Reads the protected messages of both sides.
pub(super) fn handshake(
    hello: Hello,
    client: &Flight,
    server: &Flight,
    secrets: &HandshakeSecrets,
) -> Result<Handshake, Error> {
    let mut hash = RunningHash::new(hello.suite.hash());
    hash.update(&hello.messages);
    let mut messages = Messages { side: Side::Server, cursor: Cursor::new(&server.messages), hash };
    let alpn =
        encrypted_extensions(messages.next(kind::ENCRYPTED_EXTENSIONS, "EncryptedExtensions")?, &hello)?;
    let certificates = certificates(messages.next(kind::CERTIFICATE, "Certificate")?, &hello)?;
    let signed_hash = messages.hash();
    let (scheme, signature) =
        certificate_verify(messages.next(kind::CERTIFICATE_VERIFY, "CertificateVerify")?)?;
    messages.finished(&secrets.server)?;
    let finished_hash = messages.hash();
    let cursor = Cursor::new(&client.messages);
    let mut messages = Messages { side: Side::Client, cursor, ..messages };
    messages.finished(&secrets.client)?;
    Ok(Handshake { hello, alpn, certificates, signed_hash, scheme, signature, finished_hash })
}

/// Reads EncryptedExtensions as the answer to what the client offered. Returns the protocol that the server
/// chose.
fn encrypted_extensions(body: &[u8], hello: &Hello) -> Result<Option<Vec<u8>>, Error> {
    let (side, what) = (Side::Server, "EncryptedExtensions");
    if body.is_empty() {
        return Err(Error::malformed(side, what, "it has no list of extensions"));
    }
    let extensions = Extensions::read(side, what, Cursor::new(body))?;
    if extensions.has(extension::EARLY_DATA) {
        return Err(Error::EarlyData(side));
    }
    let known =
        [extension::SERVER_NAME, extension::SUPPORTED_GROUPS, extension::ALPN, extension::RECORD_SIZE_LIMIT];
    answers(&extensions, &known, hello)?;
    extensions.flag(extension::SERVER_NAME)?;
    alpn(&extensions)
}

/// Checks that each extension is one of those that are `known`, and answers one of the client's.
fn answers(extensions: &Extensions<'_>, known: &[u16], hello: &Hello) -> Result<(), Error> {
    for number in extensions.numbers() {
        let reason = match (known.contains(&number), hello.offered.contains(&number)) {
            (true, true) => continue,
            (true, false) => "which the client does not offer",
            (false, _) => "with which nothing can be proved",
        };
        return Err(extensions.malformed(format_args!("it has extension {number}, {reason}")));
    }
    Ok(())
}

/// Reads the server's chain. Whatever else comes with a certificate (revocation data, logs) is covered by the
/// signature and not used.
fn certificates(body: &[u8], hello: &Hello) -> Result<Vec<CertificateDer<'static>>, Error> {
    let (side, what) = (Side::Server, "Certificate");
    let flaw = Error::in_message(side, what);
    let mut cursor = Cursor::new(body);
    if !cursor.vector8("the context").map_err(&flaw)?.is_empty() {
        return Err(Error::malformed(side, what, "it answers a request, and there was none"));
    }
    let mut list = Cursor::new(cursor.vector24("the list").map_err(&flaw)?);
    cursor.finish().map_err(&flaw)?;
    let mut certificates = Vec::new();
    while !list.is_empty() {
        limit(side, "the number of certificates", certificates.len() + 1, MAX_CERTIFICATES)?;
        certificates.push(CertificateDer::from(list.vector24("a certificate").map_err(&flaw)?.to_vec()));
        let extensions = list.vector16("a certificate's extensions").map_err(&flaw)?;
        let extensions = Extensions::list(side, what, extensions)?;
        answers(&extensions, &[extension::STATUS_REQUEST, extension::CERTIFICATE_TIMESTAMP], hello)?;
    }
    if certificates.is_empty() {
        return Err(Error::malformed(side, what, "it holds no certificate"));
    }
    Ok(certificates)
}

fn certificate_verify(body: &[u8]) -> Result<(Scheme, Vec<u8>), Error> {
    let flaw = Error::in_message(Side::Server, "CertificateVerify");
    let mut cursor = Cursor::new(body);
    let number = cursor.u16("the signature scheme").map_err(&flaw)?;
    let scheme = Scheme::of(number).filter(|scheme| !scheme.is_pkcs1()).ok_or(Error::Scheme(number))?;
    let signature = cursor.vector16("the signature").map_err(&flaw)?.to_vec();
    cursor.finish().map_err(flaw)?;
    Ok((scheme, signature))
}
