//! The errors that can occur between two parties. Each says whose fault it is and what to do.

use std::time::Duration;

use crate::handshake::Mismatch;
use crate::tag::Tag;

/// An error of a channel or of the session handshake.
///
/// Errors of a channel are sticky: after the first error every later call on that channel returns the same
/// error. A caller that goes on by mistake cannot fall back into step with the peer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The peer's bytes do not have the format of this step.
    #[error("{step}: malformed message from the peer: {reason}")]
    Malformed {
        /// The step that the message belongs to.
        step: Tag,
        /// What is wrong with it.
        reason: String,
    },
    /// The peer sent the message of another step.
    #[error(
        "expected {expected} from the peer, got {} with {length} bytes: the parties are not at the same step",
        Tag::describe(*.got)
    )]
    UnexpectedFrame {
        /// The step that this party is at.
        expected: Tag,
        /// The tag that came; it may be unknown.
        got: u8,
        /// The payload length that its header claims, in bytes.
        length: u32,
    },
    /// A frame is longer than this step allows. Nothing was allocated for it.
    #[error("{step}: the peer announced {length} bytes, at most {max} are allowed here")]
    TooLong {
        /// The step that this party is at.
        step: Tag,
        /// The payload length that the header claims, in bytes.
        length: u32,
        /// The longest payload allowed, in bytes.
        max: usize,
    },
    /// A frame does not have the exact length that this step requires.
    #[error("{step}: the peer sent {length} bytes, this step has exactly {expected}")]
    WrongLength {
        /// The step that this party is at.
        step: Tag,
        /// The payload length that the header claims, in bytes.
        length: u32,
        /// The payload length of this step, in bytes.
        expected: usize,
    },
    /// Both parties are honest, but they want to run different sessions.
    #[error(transparent)]
    Incompatible(#[from] Mismatch),
    /// The peer ended the session and gave a reason. The text is the peer's claim, bounded and stripped of
    /// control characters.
    #[error("the peer ended the session: {reason}")]
    Peer {
        /// The step that this party was at.
        step: Tag,
        /// The peer's reason.
        reason: String,
    },
    /// This party ended the session with [`Channel::fail`](crate::Channel::fail), and then used the channel
    /// again.
    #[error("this party ended the session: {reason}")]
    Ended {
        /// The reason that was sent to the peer.
        reason: String,
    },
    /// The peer closed the connection.
    #[error("the peer closed the connection {}", if *.mid_frame { "in the middle of a message" } else { "before its next message" })]
    Closed {
        /// The step that this party was at.
        step: Tag,
        /// Whether a part of a frame had arrived.
        mid_frame: bool,
    },
    /// The peer, or the network, took too long.
    #[error("{} did not complete within {} s{}; is the peer still running?", .operation.in_words(), .after.as_secs_f32(), .operation.limit())]
    TimedOut {
        /// The step that this party was at.
        step: Tag,
        /// The operation that was under way.
        operation: Operation,
        /// The time that was allowed.
        after: Duration,
    },
    /// The operating system or the TLS layer reported an error.
    #[error("{operation}: {reason}")]
    Transport {
        /// The operation that was under way.
        operation: Operation,
        /// What kind of error it was.
        kind: std::io::ErrorKind,
        /// The lower layer's message.
        reason: String,
    },
    /// A limit of this party ([`Limits`](crate::Limits)) is reached.
    #[error("{step}: {what} is over this party's limit of {limit}")]
    Limit {
        /// The step that this party was at.
        step: Tag,
        /// The name of the limit.
        what: &'static str,
        /// Its value, in the unit that `what` names.
        limit: u64,
    },
    /// An address is not of the form `HOST:PORT` or `unix:PATH`.
    #[error("address `{text}`: {reason}")]
    Address {
        /// The text that was given.
        text: String,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// A certificate, key or TLS setting cannot be used.
    #[error("TLS: {0}")]
    Tls(String),
    /// The calling code is wrong; the peer is not to blame.
    #[error("the channel is misused: {0}")]
    Misuse(String),
}

/// What a party was doing when an error occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Making a connection.
    Connect,
    /// Waiting for a connection.
    Listen,
    /// Negotiating TLS.
    TlsHandshake,
    /// Negotiating a WebSocket.
    WebSocketHandshake,
    /// Waiting for a frame.
    Read,
    /// Sending.
    Write,
}

impl Operation {
    /// What did not complete.
    fn in_words(self) -> &'static str {
        match self {
            Self::Connect => "connecting",
            Self::Listen => "the wait for somebody to connect",
            Self::TlsHandshake => "the TLS handshake",
            Self::WebSocketHandshake => "the WebSocket handshake",
            Self::Read => "the wait for the peer's next message",
            Self::Write => "sending a message",
        }
    }

    /// Whose time it took, if that is a limit of its own.
    fn limit(self) -> &'static str {
        match self {
            Self::Read | Self::Write => ", the time for any one message",
            Self::Connect | Self::Listen | Self::TlsHandshake | Self::WebSocketHandshake => "",
        }
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connect => "connect",
            Self::Listen => "listen",
            Self::TlsHandshake => "TLS handshake",
            Self::WebSocketHandshake => "WebSocket handshake",
            Self::Read => "read",
            Self::Write => "write",
        })
    }
}

impl Error {
    /// An [`Error::Malformed`].
    pub fn malformed(step: Tag, reason: impl Into<String>) -> Self {
        Self::Malformed { step, reason: reason.into() }
    }

    /// An [`Error::Misuse`].
    pub fn misuse(reason: impl Into<String>) -> Self {
        Self::Misuse(reason.into())
    }

    pub(crate) fn transport(operation: Operation, error: &std::io::Error) -> Self {
        Self::Transport { operation, kind: error.kind(), reason: error.to_string() }
    }
}
