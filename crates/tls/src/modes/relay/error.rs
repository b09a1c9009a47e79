//! Why a connection through the other party failed.

use volery_channel::Tag;

use crate::wire::transcript::Error as TranscriptError;

/// An error of the relay, at either party.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The channel between the parties failed.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// The peer's bytes are not a message of the relay.
    #[error("{step}: malformed message from the peer: {reason}")]
    Malformed {
        /// The step that the message belongs to.
        step: Tag,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// At P: the server asked for another ClientHello.
    #[error("{}", TranscriptError::HelloRetry)]
    HelloRetry,
    /// The connection to the server failed: at V, its own error; at P, the error that V reported.
    #[error("the connection to the server: {0}")]
    Server(Failure),
}

/// Why the connection to the server failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The name is not a host name.
    #[error("not a host name; give a DNS name or an address")]
    Name,
    /// The name has no address.
    #[error("the name has no address that the notary finds")]
    Unknown,
    /// All addresses are in networks that V does not connect to.
    #[error("the notary does not connect to addresses in private, local or reserved networks")]
    Address,
    /// V does not connect to this port.
    #[error("the notary does not connect to this port")]
    Port,
    /// V does not connect to this host.
    #[error("the notary does not connect to this host")]
    Host,
    /// The server does not answer, or refuses.
    #[error("the server does not accept the connection")]
    Connect,
    /// Nothing came for too long, or nothing could be sent.
    #[error(
        "the server took too long: it neither answers nor ends the connection within the time that it may take (--timeout, and at most the \
         notary's --max-wait)"
    )]
    Time,
    /// The server broke off the connection.
    #[error("the server broke off the connection")]
    Broken,
    /// More bytes to the server than V relays, or in too many pieces.
    #[error("the requests have more bytes than the notary relays for one connection")]
    Size,
    /// P's first bytes are not the start of TLS with this host.
    #[error("the notary relays nothing but TLS: a ClientHello for this host has to come first, alone")]
    Hello,
    /// More bytes from the server than V takes.
    #[error(
        "the server sent more bytes than the notary takes of one connection; its operator sets --max-received"
    )]
    Received,
    /// More connections than V carries for one session.
    #[error("the notary carries no further connection in this session")]
    Often,
    /// At P: more bytes from the server than it takes itself.
    #[error("the server sent more bytes than this program takes of one connection")]
    Taken,
}

impl Failure {
    /// What V may report.
    const ALL: [Self; 12] = [
        Self::Name,
        Self::Unknown,
        Self::Address,
        Self::Port,
        Self::Connect,
        Self::Time,
        Self::Broken,
        Self::Size,
        Self::Hello,
        Self::Received,
        Self::Often,
        Self::Host,
    ];

    /// Its byte in an answer.
    pub(super) fn code(self) -> u8 {
        // The position among twelve.
        Self::ALL.iter().position(|other| *other == self).unwrap_or_default() as u8
    }

    pub(super) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }
}
