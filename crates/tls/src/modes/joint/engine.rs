//! What the TLS state machine and the two-party protocol know of each other.

use zeroize::Zeroizing;

use super::Error;
use crate::wire::key_exchange::Group;
use crate::wire::prf::{MasterSeed, Random};

/// What the TLS state machine asks of the two parties: P's end of the protocol.
pub trait Engine: Send {
    /// The connection's public key in the group that the server chose, the sum of both parties' shares, as
    /// TLS has it.
    ///
    /// # Errors
    /// The engine's, as with all calls: the connection is over, and nothing is sent on it any more.
    fn public_key(&mut self, group: Group) -> Result<Vec<u8>, Error>;

    /// ECDH with the server's point (as it was sent; checked here: of the group, not its neutral element).
    /// Afterwards both parties hold shares.
    ///
    /// # Errors
    /// The engine's; for a point that is none, too.
    fn agree(&mut self, group: Group, server_point: &[u8]) -> Result<(), Error>;

    /// The master secret (`MasterSeed` of `prf`).
    ///
    /// # Errors
    /// The engine's.
    fn master_secret(&mut self, seed: &MasterSeed) -> Result<(), Error>;

    /// Both directions' keys; called once.
    ///
    /// # Errors
    /// The engine's.
    fn key_block(&mut self, client_random: &Random, server_random: &Random) -> Result<(), Error>;

    /// The contents of the client's Finished message.
    ///
    /// # Errors
    /// The engine's.
    fn client_finished(&mut self, handshake_hash: &[u8; 32]) -> Result<[u8; 12], Error>;

    /// Protects the client's next record: sequence numbers count from 0; the result is explicit nonce |
    /// ciphertext | tag.
    ///
    /// # Errors
    /// The engine's; for a length or type other than those prepared, too.
    fn encrypt(&mut self, content_type: u8, plaintext: &[u8]) -> Result<Vec<u8>, Error>;

    /// Reads the server's next record of application data while the connection lives: sequence numbers count
    /// from 1, as the server's Finished is not read. `payload` is explicit nonce | ciphertext | tag; what
    /// comes back is what the server said, the tag verified.
    ///
    /// # Errors
    /// The engine's; for a record that is not the server's, or more than was prepared, too.
    fn decrypt(&mut self, payload: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error>;
}
