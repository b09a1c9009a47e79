//! The content of the raw bytes of a TLS 1.2 connection, for a reader who has no keys and trusts neither end.
//!
//! ```text
//! client  ->  ClientHello                                          [Certificate: empty] ClientKeyExchange  CCS  {Finished} {data}...
//! server  ->  ServerHello Certificate [CertificateStatus] ServerKeyExchange [CertificateRequest] ServerHelloDone  CCS  {Finished} {data}...
//! ```
//!
//! CCS is ChangeCipherSpec; messages in braces are encrypted. Messages may be spread over records and share
//! them (RFC 5246, section 6.2.1). The two directions are separate streams, but the order of the handshake's
//! messages is fixed, so its hashes are, too:
//!
//! ```text
//! session_hash         = H(ClientHello | ... | ClientKeyExchange)      the extended master secret's seed (RFC 7627, section 3)
//! client_finished_hash = the same, as no client authenticates itself        what the client's Finished is of
//! server_finished_hash = H(ClientHello | ... | ClientKeyExchange | client's Finished, in the clear)
//! ```
//!
//! `H` is the hash function of the suite.
//!
//! # What is refused, and why
//!
//! - other versions, suites, groups and signature schemes: nothing can be proved about them (yet);
//! - resumed sessions: the server does not sign them, so its identity would be unknown;
//! - session tickets: they would be part of the server's hash, and a client that does not ask for one gets
//!   none;
//! - renegotiation, and any handshake message after Finished: it would change keys;
//! - certificates of the client: they would show V, in the clear, who P is. A server may ask for one, and the
//!   client may answer with an empty list. That list says nothing and both Finished messages cover it, so
//!   servers that ask optionally work;
//! - alerts in the handshake: nothing protects them.
//!
//! With AES-GCM, the server's explicit nonces need not be its sequence numbers; each record states its nonce.
//! ChaCha20-Poly1305 has none (RFC 7905).

mod messages;
mod records;
mod server_hello;
#[cfg(test)]
mod tests;

use records::Direction;

use super::{CertificateDer, Error, Scheme, TAG_BYTES};
use crate::wire::hash::{HandshakeHash, RunningHash};
use crate::wire::key_exchange::PublicPoint;
use crate::wire::prf::{Random, Side, VERIFY_DATA_BYTES};
use crate::wire::suite::{Signer, Suite};

/// The length of a record's explicit nonce, in bytes.
pub(crate) const NONCE_BYTES: usize = 8;
/// Bytes of a Finished message: four of header, then the contents.
pub(crate) const FINISHED_BYTES: usize = 4 + VERIFY_DATA_BYTES;

/// A whole connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The handshake, which is in the clear.
    pub(crate) handshake: Handshake,
    /// The client's encrypted records. The first is its Finished, of 16 bytes; the rest are application data
    /// and alerts.
    pub client: Vec<Record>,
    /// The server's encrypted records, in the same form.
    pub server: Vec<Record>,
}

/// An encrypted record (RFC 5288, RFC 7905).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number in its direction, from 0.
    pub sequence: u64,
    /// [`HANDSHAKE`](super::HANDSHAKE) for the first one, [`ALERT`](super::ALERT) or
    /// [`APPLICATION_DATA`](super::APPLICATION_DATA) for the others.
    pub content_type: u8,
    /// The eight bytes of its nonce that are not the write IV. With ChaCha20-Poly1305, which states none, the
    /// record's number.
    pub explicit_nonce: [u8; NONCE_BYTES],
    /// The ciphertext, as long as its plaintext: at most 2^14 bytes; 16 in the first record, 2 in alerts.
    pub ciphertext: Vec<u8>,
    /// The tag.
    pub tag: [u8; TAG_BYTES],
}

/// A handshake's contents, well-formed and in order. Nothing that takes a key is verified; [`server::verify`]
/// verifies the certificates and the signature.
///
/// [`server::verify`]: crate::server::verify
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Handshake {
    /// The client's random.
    pub client_random: Random,
    /// The server's random.
    pub server_random: Random,
    /// The cipher suite that the server chose.
    pub suite: Suite,
    /// The kind of the server's key, which the suite's number says, too.
    pub signer: Signer,
    /// Whether both hellos have the extended master secret (RFC 7627).
    pub extended_master_secret: bool,
    /// The hash of all messages up to `ClientKeyExchange`.
    pub session_hash: HandshakeHash,
    /// The hash in the client's Finished.
    pub client_finished_hash: HandshakeHash,
    /// The server's chain, its own certificate first: 1 to [`MAX_CERTIFICATES`](super::MAX_CERTIFICATES)
    /// certificates, not parsed.
    pub certificates: Vec<CertificateDer<'static>>,
    /// The server's ephemeral point, with the group that the server named.
    pub server_point: PublicPoint,
    /// The client's ephemeral point, of the same group.
    pub client_point: PublicPoint,
    /// `ServerECDHParams` as sent, which the server signed after the randoms.
    pub params: Vec<u8>,
    /// The signature's scheme.
    pub scheme: Scheme,
    /// Its signature.
    pub signature: Vec<u8>,
    /// The host name that the client asked for in the clear (server name indication), if any: ASCII, without
    /// a dot at the end.
    pub sni: Option<String>,
    /// The protocol that the server chose for the payload (ALPN), if any.
    pub alpn: Option<Vec<u8>>,
    /// All messages up to `ClientKeyExchange`.
    messages: Vec<u8>,
}

/// The host that a client asks for (server name indication), if it asks for one, from its first bytes before
/// it has received anything. These must be a ClientHello and nothing else.
///
/// # Errors
/// Those of [`Error`] that concern the client's hello, which is the same in TLS 1.3.
pub(crate) fn opening(client: &[u8]) -> Result<Option<String>, Error> {
    messages::opening(&Direction::split(Side::Client, client)?)
}

impl Transcript {
    /// Reads all bytes that each end sent on a connection, from the first to the last.
    ///
    /// # Errors
    /// Those of [`Error`], for anything that is not one whole TLS 1.2 connection of a kind that can be
    /// proved.
    pub fn parse(client: &[u8], server: &[u8]) -> Result<Self, Error> {
        let client = Direction::split(Side::Client, client)?;
        let server = Direction::split(Side::Server, server)?;
        let handshake = messages::handshake(&client, &server)?;
        let aead = handshake.suite.aead();
        Ok(Self { handshake, client: client.complete(aead)?, server: server.complete(aead)? })
    }

    /// The hash in the server's Finished, given the client's whole Finished message in the clear:
    /// `14 00 00 0c`, then 12 bytes.
    #[must_use]
    pub fn server_finished_hash(&self, client_finished_message: &[u8; FINISHED_BYTES]) -> HandshakeHash {
        let mut hash = RunningHash::new(self.handshake.suite.hash());
        hash.update(&self.handshake.messages);
        hash.update(client_finished_message);
        hash.value()
    }
}
