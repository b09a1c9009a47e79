//! Connections that are made up, with secrets that are made up: nobody needs a key for those. Tests and fuzz
//! targets reach with them what tags and Finished messages would keep from them.

use super::protected::header;
#[cfg(test)]
use super::{Flight, Transcript};
use super::{HandshakeSecrets, kind};
use crate::wire::aead::{RecordCipher, xored_nonce};
use crate::wire::key_schedule::TrafficSecret;
#[cfg(test)]
use crate::wire::prf::Side;
use crate::wire::suite::Suite;
#[cfg(feature = "fuzzing")]
use crate::wire::transcript::HANDSHAKE;

/// The content of a record: its type, its bytes, the number of zeros after them.
pub(crate) type Content<'a> = (u8, &'a [u8], usize);

/// The suite of made-up connections, in tests.
#[cfg(test)]
pub(crate) const SUITE: Suite = Suite::Aes128GcmSha256;

/// The secrets of made-up connections.
#[must_use]
#[allow(clippy::missing_panics_doc, clippy::expect_used, reason = "the secrets have the right length")]
pub fn secrets_of(suite: Suite) -> HandshakeSecrets {
    let hash = suite.hash();
    let secret = |byte| TrafficSecret::from_bytes(hash, &vec![byte; hash.digest_bytes()]).expect("as long");
    HandshakeSecrets { client: secret(1), server: secret(2) }
}

/// The secrets of connections that are made up of [`SUITE`].
#[cfg(test)]
pub(crate) fn secrets() -> HandshakeSecrets {
    secrets_of(SUITE)
}

/// A handshake message.
pub(crate) fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let [.., a, b, c] = body.len().to_be_bytes();
    [&[kind, a, b, c], body].concat()
}

/// A record.
pub(crate) fn record(content_type: u8, bytes: &[u8]) -> Vec<u8> {
    [&[content_type, 3, 3], &(bytes.len() as u16).to_be_bytes()[..], bytes].concat()
}

/// A protected record of [`SUITE`].
#[cfg(test)]
pub(crate) fn seal(secret: &TrafficSecret, sequence: u64, content: Content<'_>) -> Vec<u8> {
    seal_in(SUITE, secret, sequence, content)
}

/// A protected record of any suite.
pub(crate) fn seal_in(
    suite: Suite,
    secret: &TrafficSecret,
    sequence: u64,
    (content_type, bytes, padding): Content<'_>,
) -> Vec<u8> {
    let inner = [bytes, &[content_type], &vec![0; padding]].concat();
    let header = header(inner.len());
    let cipher = RecordCipher::new(suite.aead(), &secret.key(suite));
    let sealed = cipher.and_then(|cipher| cipher.seal(xored_nonce(&secret.iv(), sequence), &header, &inner));
    sealed.map(|sealed| [&header[..], &sealed].concat()).unwrap_or_default()
}

/// The server's messages before its Finished.
#[cfg(test)]
pub(crate) fn flight(transcript: &Transcript, secrets: &HandshakeSecrets) -> Vec<u8> {
    let suite = transcript.hello.suite;
    let flight = Flight::open(Side::Server, suite, &secrets.server, &transcript.server).unwrap();
    let mut messages = flight.messages;
    messages.truncate(messages.len() - 4 - suite.hash().digest_bytes());
    messages
}

/// The number of records of the server's handshake.
#[cfg(test)]
pub(crate) fn flight_records(transcript: &Transcript, secrets: &HandshakeSecrets) -> usize {
    let suite = transcript.hello.suite;
    Flight::open(Side::Server, suite, &secrets.server, &transcript.server).unwrap().records
}

/// The server's `flight` with the Finished that belongs to it, in [`SUITE`].
#[cfg(test)]
pub(crate) fn with_server_finished(hellos: &[Vec<u8>; 2], flight: &[u8]) -> Vec<u8> {
    server_messages(SUITE, hellos, flight)
}

/// The client's Finished after all of the server's messages, in [`SUITE`].
#[cfg(test)]
pub(crate) fn client_finished(hellos: &[Vec<u8>; 2], server: &[u8]) -> Vec<u8> {
    client_messages(SUITE, hellos, server)
}

/// The server's `flight` with the Finished that belongs to it.
fn server_messages(suite: Suite, hellos: &[Vec<u8>; 2], flight: &[u8]) -> Vec<u8> {
    let hash = suite.hash().hash(&[&*hellos.concat(), flight].concat());
    [flight, &message(kind::FINISHED, &secrets_of(suite).server.verify_data(&hash))].concat()
}

/// The client's Finished after all of the server's messages.
fn client_messages(suite: Suite, hellos: &[Vec<u8>; 2], server: &[u8]) -> Vec<u8> {
    let hash = suite.hash().hash(&[&*hellos.concat(), server].concat());
    message(kind::FINISHED, &secrets_of(suite).client.verify_data(&hash))
}

/// For fuzzing: both directions of a connection of this suite with these messages in the clear, with these of
/// the server's under its secret, and with the right Finished messages.
#[must_use]
#[cfg(feature = "fuzzing")]
pub fn connection(suite: Suite, hellos: &[Vec<u8>; 2], flight: &[u8]) -> [Vec<u8>; 2] {
    let server = server_messages(suite, hellos, flight);
    let client = client_messages(suite, hellos, &server);
    let HandshakeSecrets { client: own, server: other } = secrets_of(suite);
    let mut directions = hellos.each_ref().map(|hello| record(HANDSHAKE, hello));
    for ((bytes, secret), messages) in directions.iter_mut().zip([own, other]).zip([client, server]) {
        for (sequence, part) in (0..).zip(messages.chunks(1 << 14)) {
            bytes.extend(seal_in(suite, &secret, sequence, (HANDSHAKE, part, 0)));
        }
    }
    directions
}
