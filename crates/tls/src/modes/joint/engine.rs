//! The interface between the TLS state machine and the two-party protocol.

use zeroize::Zeroizing;

use super::Error;
use crate::wire::hash::HandshakeHash;
use crate::wire::key_exchange::Group;
use crate::wire::key_schedule::TrafficSecret;
use crate::wire::prf::{MasterSeed, Random};
use crate::wire::suite::Suite;
use crate::wire::version::TlsVersion;

/// The operations that the TLS state machine asks of the two parties. P's side of the protocol implements
/// them.
pub trait Engine {
    /// The version of TLS and the cipher suite that were prepared.
    fn protocol(&self) -> (TlsVersion, Suite);

    /// The connection's public key in the group that the server chose, in TLS's encoding: the sum of both
    /// parties' shares.
    ///
    /// # Errors
    /// The engine's. After an error of this or any other call the connection is over, and nothing more is
    /// sent on it.
    fn public_key(&mut self, group: Group) -> Result<Vec<u8>, Error>;

    /// ECDH with the server's point as it was sent. This checks that the point is in the group and not its
    /// neutral element. Afterwards both parties hold shares.
    ///
    /// # Errors
    /// The engine's, including that for an invalid point.
    fn agree(&mut self, group: Group, server_point: &[u8]) -> Result<(), Error>;

    /// Derives the master secret (`MasterSeed` of `prf`).
    ///
    /// # Errors
    /// The engine's.
    fn master_secret(&mut self, seed: &MasterSeed) -> Result<(), Error>;

    /// Derives both directions' keys. It is called once.
    ///
    /// # Errors
    /// The engine's.
    fn key_block(&mut self, client_random: &Random, server_random: &Random) -> Result<(), Error>;

    /// The contents of the client's Finished message.
    ///
    /// # Errors
    /// The engine's.
    fn client_finished(&mut self, handshake_hash: &HandshakeHash) -> Result<[u8; 12], Error>;

    /// The traffic secrets of TLS 1.3's handshake, client's first, given the hash of both hellos. P may know
    /// them at once.
    ///
    /// # Errors
    /// The engine's.
    fn handshake_secrets(&mut self, hash: &HandshakeHash) -> Result<[TrafficSecret; 2], Error>;

    /// Derives TLS 1.3's keys of data, given the hash of all messages up to the server's Finished. It is
    /// called once.
    ///
    /// # Errors
    /// The engine's.
    fn data_keys(&mut self, hash: &HandshakeHash) -> Result<(), Error>;

    /// Protects the client's next record. Sequence numbers count from 0, in TLS 1.3 after the handshake. The
    /// result is explicit nonce | ciphertext | tag, or ciphertext | tag in TLS 1.3.
    ///
    /// # Errors
    /// The engine's, including that for a length or type that was not prepared.
    fn encrypt(&mut self, content_type: u8, plaintext: &[u8]) -> Result<Vec<u8>, Error>;

    /// Reads the server's next record while the connection is open. `payload` is explicit nonce | ciphertext
    /// | tag, or ciphertext | tag in TLS 1.3. In TLS 1.2 only records of application data are read. Sequence
    /// numbers count from 1 there, because the server's Finished is not read, and in TLS 1.3 from 0 after the
    /// handshake. Verifies the tag and returns the content.
    ///
    /// # Errors
    /// The engine's, including that for a record that is not the server's, or for more than was prepared.
    fn decrypt(&mut self, payload: &[u8]) -> Result<Content, Error>;

    /// Has V do this for a connection that it carries, and returns V's answer, or nothing if there is none.
    /// It has no meaning for the protocol: see [`relay`](crate::relay).
    ///
    /// # Errors
    /// The engine's; [`Error::Parties`] for an engine without a V that carries.
    fn carry(&mut self, _request: &[u8], _answered: bool) -> Result<Vec<u8>, Error> {
        Err(Error::misuse("nobody carries a connection for this engine"))
    }
}

/// What a record of the server's holds.
pub struct Content {
    /// Its type: 23 for application data.
    pub content_type: u8,
    /// The bytes.
    pub bytes: Zeroizing<Vec<u8>>,
}

impl core::fmt::Debug for Content {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Content").field("content_type", &self.content_type).finish_non_exhaustive()
    }
}
