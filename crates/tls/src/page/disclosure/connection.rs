//! A connection of either version of TLS, in the form that the statement about it has.
//!
//! ```text
//! raw bytes  --parse-->  Connection  --open-->  OpenConnection  --derive-->  records with their contents
//! ```
//!
//! In TLS 1.2 the handshake is in the clear, and each record says what it holds. In TLS 1.3 the handshake
//! opens with two secrets, which are the first bits that P opens, and what a record holds shows when its last
//! bytes are opened.

use super::Refusal;
use super::derive::{Root, handshake_secrets};
use super::machine::{List, Read};
use crate::wire::prf::Side;
use crate::wire::record::associated_data;
use crate::wire::server::Authenticated;
use crate::wire::suite::{Aead, Suite};
use crate::wire::transcript::{self, TAG_BYTES, Transcript, tls13};
use crate::wire::version::TlsVersion;

/// A connection, as anybody sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    Tls12(Transcript),
    Tls13(tls13::Transcript),
}

impl Connection {
    /// Reads all bytes that each end sent. The server's hello says which version they are of.
    ///
    /// # Errors
    /// Those of [`transcript::Error`].
    pub(crate) fn parse(client: &[u8], server: &[u8]) -> Result<Self, transcript::Error> {
        match Transcript::parse(client, server) {
            Err(transcript::Error::Version(tls13::VERSION)) => {
                tls13::Transcript::parse(client, server).map(Self::Tls13)
            }
            other => other.map(Self::Tls12),
        }
    }

    /// Its version.
    pub(crate) fn version(&self) -> TlsVersion {
        match self {
            Self::Tls12(_) => TlsVersion::Tls12,
            Self::Tls13(_) => TlsVersion::Tls13,
        }
    }

    /// Its cipher suite.
    pub(crate) fn suite(&self) -> Suite {
        match self {
            Self::Tls12(transcript) => transcript.handshake.suite,
            Self::Tls13(transcript) => transcript.hello.suite,
        }
    }

    /// The handshake, if it is in the clear.
    pub(super) fn handshake(&self) -> Option<&dyn Authenticated> {
        match self {
            Self::Tls12(transcript) => Some(&transcript.handshake),
            Self::Tls13(_) => None,
        }
    }

    /// The lengths of all ciphertexts, and of those whose contents may be payload.
    pub(super) fn ciphertexts(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        let (old, new) = match self {
            Self::Tls12(transcript) => (Some(transcript), None),
            Self::Tls13(transcript) => (None, Some(transcript)),
        };
        let old = old.into_iter().flat_map(|transcript| transcript.client.iter().chain(&transcript.server));
        let old =
            old.map(|record| (record.ciphertext.len(), record.content_type == transcript::APPLICATION_DATA));
        let new = new.into_iter().flat_map(|transcript| transcript.client.iter().chain(&transcript.server));
        old.chain(new.map(|record| (record.ciphertext.len(), true)))
    }

    /// Opens the handshake, with the first of the bits that P opens.
    ///
    /// # Errors
    /// [`Refusal::Opened`], [`Refusal::Transcript`].
    pub(super) fn open(self, opened: &[u8], root: &Root<()>) -> Result<OpenConnection, Refusal> {
        match self {
            Self::Tls12(transcript) => Ok(OpenConnection::Tls12(transcript)),
            Self::Tls13(transcript) => {
                let machine = &mut Read(List::new(opened));
                let (_, secrets) = handshake_secrets(machine, root, &transcript.hello.hash)?;
                Ok(OpenConnection::Tls13(transcript.open(&secrets)?))
            }
        }
    }
}

/// A connection whose handshake is open.
#[derive(Clone, Debug)]
pub(crate) enum OpenConnection {
    Tls12(Transcript),
    Tls13(tls13::Opened),
}

impl OpenConnection {
    /// Its version.
    pub(crate) fn version(&self) -> TlsVersion {
        match self {
            Self::Tls12(_) => TlsVersion::Tls12,
            Self::Tls13(_) => TlsVersion::Tls13,
        }
    }

    /// Its cipher suite.
    pub(crate) fn suite(&self) -> Suite {
        match self {
            Self::Tls12(transcript) => transcript.handshake.suite,
            Self::Tls13(opened) => opened.handshake.hello.suite,
        }
    }

    /// The handshake.
    pub(crate) fn handshake(&self) -> &dyn Authenticated {
        match self {
            Self::Tls12(transcript) => &transcript.handshake,
            Self::Tls13(opened) => &opened.handshake,
        }
    }
}

/// A protected record and its place in the connection, with what is known about its content.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataRecord<'a> {
    /// Its number under its key.
    pub(super) sequence: u64,
    /// The type of its content.
    pub(super) content_type: u8,
    /// What its nonce is made of, besides the IV.
    pub(super) nonce: u64,
    /// The ciphertext: of the content alone, or in TLS 1.3 of the content, its type and padding.
    pub(super) ciphertext: &'a [u8],
    /// The length of the content, at most that of the ciphertext.
    pub(super) length: usize,
    /// The tag.
    pub(super) tag: &'a [u8; TAG_BYTES],
    version: TlsVersion,
    aead: Aead,
}

impl<'a> DataRecord<'a> {
    /// A record of TLS 1.2 in this suite.
    pub(super) fn tls12(record: &'a transcript::Record, suite: Suite) -> Self {
        Self {
            sequence: record.sequence,
            content_type: record.content_type,
            nonce: u64::from_be_bytes(record.explicit_nonce),
            ciphertext: &record.ciphertext,
            length: record.ciphertext.len(),
            tag: &record.tag,
            version: TlsVersion::Tls12,
            aead: suite.aead(),
        }
    }

    /// A record of TLS 1.3 in this suite, with its number, whose content has this type and length.
    pub(super) fn tls13(
        record: &'a tls13::Record,
        aead: Aead,
        sequence: u64,
        (content_type, length): (u8, usize),
    ) -> Self {
        Self {
            sequence,
            content_type,
            nonce: sequence,
            ciphertext: &record.ciphertext,
            length: length.min(record.ciphertext.len()),
            tag: &record.tag,
            version: TlsVersion::Tls13,
            aead,
        }
    }

    /// The ciphertext of its content.
    pub(super) fn content(&self) -> &'a [u8] {
        self.ciphertext.get(..self.length).unwrap_or_default()
    }

    /// What the tag covers besides the ciphertext; `None` for a record that is too long.
    pub(super) fn header(&self) -> Option<Vec<u8>> {
        associated_data(self.version, self.sequence, self.content_type, self.ciphertext.len()).ok()
    }

    /// Its bytes on the wire.
    pub(super) fn wire_bytes(&self) -> usize {
        5 + self.aead.explicit_bytes(self.version) + self.ciphertext.len() + TAG_BYTES
    }
}

/// Both directions, in the order that everything here uses.
pub(super) const SIDES: [Side; 2] = [Side::Client, Side::Server];
