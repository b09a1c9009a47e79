//! The interface between the TLS state machine and the two-party protocol.

use zeroize::Zeroizing;

use super::Error;
use crate::wire::key_exchange::Group;
use crate::wire::prf::{MasterSeed, Random};

/// The operations that the TLS state machine asks of the two parties. P's side of the protocol implements
/// them.
pub trait Engine: Send {
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
    fn client_finished(&mut self, handshake_hash: &[u8; 32]) -> Result<[u8; 12], Error>;

    /// Protects the client's next record. Sequence numbers count from 0. The result is explicit nonce |
    /// ciphertext | tag.
    ///
    /// # Errors
    /// The engine's, including that for a length or type that was not prepared.
    fn encrypt(&mut self, content_type: u8, plaintext: &[u8]) -> Result<Vec<u8>, Error>;

    /// Reads the server's next record of application data while the connection is open. Sequence numbers
    /// count from 1, because the server's Finished is not read. `payload` is explicit nonce | ciphertext |
    /// tag. Verifies the tag and returns the plaintext.
    ///
    /// # Errors
    /// The engine's, including that for a record that is not the server's, or for more than was prepared.
    fn decrypt(&mut self, payload: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error>;
}
