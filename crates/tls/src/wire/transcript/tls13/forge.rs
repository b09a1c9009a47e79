//! Connections that are made up, with secrets that are made up: nobody needs a key for those. Tests and fuzz
//! targets reach with them what tags and Finished messages would keep from them.

use aes_gcm::aead::{Aead as _, Payload};
use aes_gcm::{Aes128Gcm, KeyInit as _};
use sha2::{Digest as _, Sha256};

use super::protected::{header, nonce};
#[cfg(test)]
use super::{Flight, Transcript};
use super::{HandshakeSecrets, kind};

use crate::wire::key_schedule::TrafficSecret;
#[cfg(test)]
use crate::wire::prf::Side;
#[cfg(feature = "fuzzing")]
use crate::wire::transcript::HANDSHAKE;

/// The content of a record: its type, its bytes, the number of zeros after them.
pub(crate) type Content<'a> = (u8, &'a [u8], usize);

/// The secrets of made-up connections.
#[must_use]
#[allow(clippy::missing_panics_doc, clippy::expect_used, reason = "the secrets have the right length")]
pub fn secrets() -> HandshakeSecrets {
    let secret = |byte| TrafficSecret::from_bytes(&[byte; 32]).expect("32 bytes");
    HandshakeSecrets { client: secret(1), server: secret(2) }
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

/// A protected record.
pub(crate) fn seal(
    secret: &TrafficSecret,
    sequence: u64,
    (content_type, bytes, padding): Content<'_>,
) -> Vec<u8> {
    let inner = [bytes, &[content_type], &vec![0; padding]].concat();
    let header = header(inner.len());
    let cipher = Aes128Gcm::new((&*secret.key::<16>()).into());
    let nonce = nonce(&secret.iv(), sequence).into();
    let sealed = cipher.encrypt(&nonce, Payload { msg: &inner, aad: &header });
    sealed.map(|sealed| [&header[..], &sealed].concat()).unwrap_or_default()
}

/// The server's messages before its Finished.
#[cfg(test)]
pub(crate) fn flight(transcript: &Transcript, secrets: &HandshakeSecrets) -> Vec<u8> {
    let mut messages = Flight::open(Side::Server, &secrets.server, &transcript.server).unwrap().messages;
    messages.truncate(messages.len() - 4 - 32);
    messages
}

/// The number of records of the server's handshake.
#[cfg(test)]
pub(crate) fn flight_records(transcript: &Transcript, secrets: &HandshakeSecrets) -> usize {
    Flight::open(Side::Server, &secrets.server, &transcript.server).unwrap().records
}

/// The server's `flight` with the Finished that belongs to it.
pub(crate) fn with_server_finished(hellos: &[Vec<u8>; 2], flight: &[u8]) -> Vec<u8> {
    let hash = Sha256::digest([&*hellos.concat(), flight].concat());
    [flight, &message(kind::FINISHED, &secrets().server.verify_data(&hash))].concat()
}

/// The client's Finished after all of the server's messages.
pub(crate) fn client_finished(hellos: &[Vec<u8>; 2], server: &[u8]) -> Vec<u8> {
    let hash = Sha256::digest([&*hellos.concat(), server].concat());
    message(kind::FINISHED, &secrets().client.verify_data(&hash))
}

/// For fuzzing: both directions of a connection with these messages in the clear, with these of the server's
/// under its secret, and with the right Finished messages.
#[must_use]
#[cfg(feature = "fuzzing")]
pub fn connection(hellos: &[Vec<u8>; 2], flight: &[u8]) -> [Vec<u8>; 2] {
    let server = with_server_finished(hellos, flight);
    let client = client_finished(hellos, &server);
    let HandshakeSecrets { client: own, server: other } = secrets();
    let mut directions = hellos.each_ref().map(|hello| record(HANDSHAKE, hello));
    for ((bytes, secret), messages) in directions.iter_mut().zip([own, other]).zip([client, server]) {
        for (sequence, part) in (0..).zip(messages.chunks(1 << 14)) {
            bytes.extend(seal(&secret, sequence, (HANDSHAKE, part, 0)));
        }
    }
    directions
}
