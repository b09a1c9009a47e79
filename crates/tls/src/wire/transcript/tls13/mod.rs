//! The content of the raw bytes of a TLS 1.3 connection, for a reader who trusts neither end and has no keys
//! at first, and the secrets of the handshake later.
//!
//! ```text
//! client  ->  ClientHello                                                                      [CCS]  {Finished}  <data>...
//! server  ->  ServerHello  [CCS]  {EncryptedExtensions  Certificate  CertificateVerify  Finished}     <data>...
//! ```
//!
//! Messages in braces are protected under the *handshake traffic secrets*, one for each direction; data is
//! protected under other secrets ([`key_schedule`](crate::wire::key_schedule)). Without secrets a reader sees
//! the hellos, and records of which it knows nothing but their length ([`Transcript`]). With the secrets of
//! the handshake, it opens the server's flight and both Finished messages ([`Transcript::open`]), and then
//! knows where data begins ([`Opened`]).
//!
//! ```text
//! protected record  =  header | AEAD(content | type of the content | zeros) | tag            RFC 8446, section 5.2
//! nonce = iv xor number of the record under its key                     the tag covers the header
//!
//! what the server signs  =  64 spaces | "TLS 1.3, server CertificateVerify" | 0 | hash up to Certificate
//! ```
//!
//! What `open` returns fits the secrets that it was given: tags and Finished messages are right. *Whether
//! they are the connection's secrets* is not known here. Anybody can make up secrets, and records that
//! they open. It is for the caller to have a proof.
//!
//! # What is refused, and why
//!
//! - other versions, suites, groups and signature schemes: nothing can be proved about them (yet);
//! - HelloRetryRequest: the hashes would cover a summary of the first hello. A client offers keys of both
//!   groups, so no server that can be proved needs it;
//! - pre-shared keys, and with them resumption and early data: the server signs none of those sessions;
//! - Encrypted ClientHello: V could not see which host the client asks for;
//! - compressed certificates: whoever reads them would have to decompress what a stranger made;
//! - requests for a certificate of the client's, in the handshake or after it, and such certificates: they
//!   show who P is. In TLS 1.3 even the answer that there is none would be a further message under a key;
//! - KeyUpdate: it would change keys;
//! - extensions of the server's that the client did not offer, or that could change the meaning of what
//!   follows, such as raw public keys in the place of certificates;
//! - ChangeCipherSpec but once, between a direction's hello and its first protected record; all other records
//!   that are not protected;
//! - anything after Finished in its record, since keys change there.
//!
//! # The downgrade sentinel
//!
//! A server of TLS 1.3 that is asked for TLS 1.2 alone writes this into the last bytes of its random (RFC
//! 8446, section 4.1.3). It always does so for a client that asks for TLS 1.2, so a reader of
//! [TLS 1.2](super::tls12) cannot refuse it. It matters where the *version* was found out before, by a
//! handshake of its own: if that said TLS 1.2, and the connection's random has the sentinel, then somebody on
//! the way changed what was found out. No such handshake exists yet, so nothing checks the sentinel.

#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod forge;
mod hello;
mod messages;
mod protected;
mod records;
#[cfg(test)]
mod tests;

pub(crate) use hello::asks_for_another_hello;
pub(crate) use messages::{after_handshake, check_tickets};
pub(crate) use protected::{Content, content, data, header};
use protected::{Flight, MAX_INNER};
use records::Direction;

use super::{CertificateDer, Error, Scheme, TAG_BYTES};
use crate::wire::hash::HandshakeHash;
use crate::wire::key_exchange::PublicPoint;
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::prf::{Random, Side};
use crate::wire::suite::Suite;

/// TLS 1.3.
pub(crate) const VERSION: u16 = 0x0304;

/// Numbers of extensions.
mod extension {
    pub(super) use super::super::hello::extension::{ALPN, SERVER_NAME, STATUS_REQUEST, SUPPORTED_VERSIONS};

    pub(super) const SUPPORTED_GROUPS: u16 = 10;
    pub(super) const CERTIFICATE_TIMESTAMP: u16 = 18;
    pub(super) const RECORD_SIZE_LIMIT: u16 = 28;
    pub(super) const PRE_SHARED_KEY: u16 = 41;
    pub(super) const EARLY_DATA: u16 = 42;
    pub(super) const COOKIE: u16 = 44;
    pub(super) const POST_HANDSHAKE_AUTH: u16 = 49;
    pub(super) const KEY_SHARE: u16 = 51;
    pub(super) const ENCRYPTED_CLIENT_HELLO: u16 = 0xfe0d;
}

/// Numbers of messages.
mod kind {
    pub(super) const CLIENT_HELLO: u8 = 1;
    pub(super) const SERVER_HELLO: u8 = 2;
    pub(super) const NEW_SESSION_TICKET: u8 = 4;
    pub(super) const END_OF_EARLY_DATA: u8 = 5;
    pub(super) const ENCRYPTED_EXTENSIONS: u8 = 8;
    pub(super) const CERTIFICATE: u8 = 11;
    pub(super) const CERTIFICATE_REQUEST: u8 = 13;
    pub(super) const CERTIFICATE_VERIFY: u8 = 15;
    pub(super) const FINISHED: u8 = 20;
    pub(super) const KEY_UPDATE: u8 = 24;
    pub(super) const COMPRESSED_CERTIFICATE: u8 = 25;
}

/// Bytes of a handshake message's header: its type and its length.
pub(crate) const MESSAGE_HEADER_BYTES: usize = 4;

/// A protected record. Its number under its key is its position among the records of that key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The ciphertext of content, its type and padding: 1 to 2^14 + 1 bytes.
    pub ciphertext: Vec<u8>,
    /// The tag.
    pub tag: [u8; TAG_BYTES],
}

/// A whole connection, as it is seen without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// Both hellos.
    pub hello: Hello,
    /// The client's protected records.
    pub client: Vec<Record>,
    /// The server's protected records.
    pub server: Vec<Record>,
}

/// What both hellos say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The client's random.
    pub client_random: Random,
    /// The server's random.
    pub server_random: Random,
    /// The cipher suite that the server chose.
    pub suite: Suite,
    /// The server's ephemeral point, of the group that it chose.
    pub server_point: PublicPoint,
    /// The client's ephemeral point, of the same group.
    pub client_point: PublicPoint,
    /// The host name that the client asked for in the clear (server name indication), if any: ASCII, without
    /// a dot at the end.
    pub sni: Option<String>,
    /// The hash of both, from which the handshake's traffic secrets are derived.
    pub hash: HandshakeHash,
    /// The extensions that the client offered.
    offered: Vec<u16>,
    /// Both messages.
    messages: Vec<u8>,
}

/// The traffic secrets of the handshake.
#[derive(Clone, Debug)]
pub struct HandshakeSecrets {
    /// The client's, `client_handshake_traffic_secret`.
    pub client: TrafficSecret,
    /// The server's, `server_handshake_traffic_secret`.
    pub server: TrafficSecret,
}

/// A whole handshake. Both Finished messages are right. Nothing is known about the certificates yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// Both hellos.
    pub hello: Hello,
    /// The protocol that the server chose for the payload (ALPN), if any.
    pub alpn: Option<Vec<u8>>,
    /// The server's chain, its own certificate first: 1 to [`MAX_CERTIFICATES`](super::MAX_CERTIFICATES)
    /// certificates, not parsed.
    pub certificates: Vec<CertificateDer<'static>>,
    /// The hash of all messages up to Certificate, which the server signed.
    pub signed_hash: HandshakeHash,
    /// The signature's scheme, not one of PKCS #1.
    pub scheme: Scheme,
    /// Its signature.
    pub signature: Vec<u8>,
    /// The hash of all messages up to the server's Finished, from which the traffic secrets of data are
    /// derived.
    pub finished_hash: HandshakeHash,
}

/// A connection whose handshake is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The handshake.
    pub handshake: Handshake,
    /// The client's records after its Finished.
    pub client: Vec<Record>,
    /// The server's records after its Finished.
    pub server: Vec<Record>,
}

impl Transcript {
    /// Reads all bytes that each end sent on a connection, from the first to the last.
    ///
    /// # Errors
    /// Those of [`Error`], for anything that is not one whole TLS 1.3 connection of a kind that can be
    /// proved, as far as that can be seen without secrets.
    pub fn parse(client: &[u8], server: &[u8]) -> Result<Self, Error> {
        let client = Direction::split(Side::Client, client)?;
        let server = Direction::split(Side::Server, server)?;
        let hello = messages::hellos(&client, &server)?;
        Ok(Self { hello, server: server.protected()?, client: client.protected()? })
    }

    /// Opens the handshake.
    ///
    /// # Errors
    /// [`Error::Sealed`] if the secrets are not those of the records, [`Error::Finished`] if a Finished
    /// message is not that of the handshake; those of [`Error`] for a handshake of a kind that can't be
    /// proved.
    pub fn open(self, secrets: &HandshakeSecrets) -> Result<Opened, Error> {
        let Self { hello, mut client, mut server } = self;
        let server_flight = Flight::open(Side::Server, hello.suite, &secrets.server, &server)?;
        let client_flight = Flight::open(Side::Client, hello.suite, &secrets.client, &client)?;
        let handshake = messages::handshake(hello, &client_flight, &server_flight, secrets)?;
        client.drain(..client_flight.records);
        server.drain(..server_flight.records);
        Ok(Opened { handshake, client, server })
    }
}
