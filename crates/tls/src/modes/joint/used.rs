//! What both parties used during a connection, and V's check that the connection that P gives it is this one.
//!
//! V checks twice: before it opens its part everything that is in the clear, and in the end, in TLS 1.3, what
//! shows when the handshake is open. P cannot change its mind in between, because V holds all bytes.

use super::program;
use super::read::{self, ServerRecord};
use crate::page::disclosure::{Connection, OpenConnection, OwnPart, Refusal, Root};
use crate::wire::hash::HandshakeHash;
use crate::wire::key_exchange::PublicPoint;
use crate::wire::prf::{MasterSeed, Random};
use crate::wire::suite::Suite;
use crate::wire::transcript::{self, Transcript, tls13};
use crate::wire::version::TlsVersion;

/// The values that both parties used during the connection, and that V must find in its bytes.
pub(super) struct Used {
    pub(super) server_point: PublicPoint,
    /// The cipher suite that was prepared.
    pub(super) suite: Suite,
    pub(super) messages: UsedMessages,
    /// The client's records, in order.
    pub(super) ciphertexts: Vec<Vec<u8>>,
    /// The server's records that P read while the connection was open.
    pub(super) read: Vec<ServerRecord>,
    /// For each of the client's records, the number of the server's records that V held at that time.
    pub(super) held: Vec<usize>,
    /// Whether requests were sent at once.
    pub(super) pipelined: bool,
}

/// What of the handshake's messages keys were derived from.
pub(super) enum UsedMessages {
    Tls12 {
        seed: MasterSeed,
        randoms: [Random; 2],
        handshake_hash: HandshakeHash,
    },
    Tls13 {
        /// The hash of both hellos.
        hellos: HandshakeHash,
        /// The hash of all messages up to the server's Finished.
        finished: HandshakeHash,
    },
}

/// The first part that is not as it was.
fn first_other(parts: &[(&'static str, bool)]) -> Result<(), Refusal> {
    match parts.iter().find(|(_, equal)| !equal) {
        None => Ok(()),
        Some((part, _)) => Err(Refusal::Another(part)),
    }
}

impl Used {
    /// Checks that a connection is the one that both parties made, as far as it is in the clear.
    pub(super) fn check(&self, connection: &Connection) -> Result<(), Refusal> {
        first_other(&[("cipher suite", connection.suite() == self.suite)])?;
        match (connection, &self.messages) {
            (Connection::Tls12(transcript), UsedMessages::Tls12 { seed, randoms, handshake_hash }) => {
                self.check_tls12(transcript, seed, randoms, handshake_hash)
            }
            (Connection::Tls13(transcript), UsedMessages::Tls13 { hellos, .. }) => {
                self.check_tls13(transcript, hellos)
            }
            (Connection::Tls12(_), _) => Err(transcript::Error::Older(0x0303).into()),
            (Connection::Tls13(_), _) => Err(transcript::Error::Version(tls13::VERSION).into()),
        }
    }

    fn check_tls12(
        &self,
        transcript: &Transcript,
        used_seed: &MasterSeed,
        randoms: &[Random; 2],
        handshake_hash: &HandshakeHash,
    ) -> Result<(), Refusal> {
        let handshake = &transcript.handshake;
        let seed = if handshake.extended_master_secret {
            MasterSeed::SessionHash(handshake.session_hash)
        } else {
            MasterSeed::Randoms { client: handshake.client_random, server: handshake.server_random }
        };
        first_other(&[
            ("server's point", handshake.server_point == self.server_point),
            ("master secret's seed", seed == *used_seed),
            ("randoms", [handshake.client_random, handshake.server_random] == *randoms),
            ("handshake", handshake.client_finished_hash == *handshake_hash),
            ("client's records", self.has_tls12(&transcript.client)),
            ("server's records", read::are_first_tls12(&self.read, &transcript.server)),
        ])
    }

    /// V does not know yet where the client's handshake ends, but its last records must be those of data.
    fn check_tls13(&self, transcript: &tls13::Transcript, hellos: &HandshakeHash) -> Result<(), Refusal> {
        let tls13::Transcript { hello, client, .. } = transcript;
        let data = client.len().checked_sub(self.ciphertexts.len()).and_then(|first| client.get(first..));
        first_other(&[
            ("server's point", hello.server_point == self.server_point),
            ("hellos", hello.hash == *hellos),
            ("client's records", data.is_some_and(|data| self.has_tls13(data))),
        ])
    }

    /// Checks what shows when the handshake is open.
    fn check_open(&self, connection: &OpenConnection) -> Result<(), Refusal> {
        match (connection, &self.messages) {
            (OpenConnection::Tls12(_), _) => Ok(()),
            (OpenConnection::Tls13(opened), UsedMessages::Tls13 { finished, .. }) => first_other(&[
                ("handshake", opened.handshake.finished_hash == *finished),
                ("client's records", self.has_tls13(&opened.client)),
                ("server's records", read::are_first_tls13(&self.read, &opened.server)),
            ]),
            (OpenConnection::Tls13(_), _) => Err(transcript::Error::Version(tls13::VERSION).into()),
        }
    }

    fn has_tls12(&self, records: &[transcript::Record]) -> bool {
        let same = |(number, (record, ciphertext)): (usize, (&transcript::Record, &Vec<u8>))| {
            record.content_type == program::content_type(TlsVersion::Tls12, number)
                && record.explicit_nonce == (number as u64).to_be_bytes()
                && record.ciphertext == *ciphertext
        };
        records.len() == self.ciphertexts.len() && records.iter().zip(&self.ciphertexts).enumerate().all(same)
    }

    fn has_tls13(&self, records: &[tls13::Record]) -> bool {
        records.iter().map(|record| &record.ciphertext).eq(&self.ciphertexts)
    }
}

/// V's part in a connection.
pub(super) struct Part<'a, W> {
    pub(super) used: &'a Used,
    pub(super) root: &'a Root<W>,
}

impl<W: Clone> OwnPart for Part<'_, W> {
    fn root(&self, connection: &Connection) -> Result<Root<()>, Refusal> {
        self.used.check(connection)?;
        Ok(self.root.blind())
    }

    fn check(&self, connection: &OpenConnection) -> Result<(), Refusal> {
        self.used.check_open(connection)
    }
}
