//! The errors of the two parties of a client. Each says whose fault it is.

use volery_channel::Tag;

/// An error of this crate.
///
/// After any of them the session is over, and everything that the two parties share about the connection must
/// be destroyed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The channel between the parties failed, or the peer ended the session.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// Products of shared secrets failed: a malformed message, or too few prepared.
    #[error(transparent)]
    Products(#[from] volery_vole::Error),
    /// The peer's bytes are not a message of this step.
    #[error("{step}: malformed message from the peer: {reason}")]
    Malformed {
        /// The step that the message belongs to.
        step: Tag,
        /// What is wrong with it.
        reason: String,
    },
    /// The peer's message has the right form but fails a check that an honest peer always passes.
    #[error("{step}: {check} failed: the peer cheats, or the connection was tampered with; end the session")]
    Cheat {
        /// The step that the message belongs to.
        step: Tag,
        /// The check that failed.
        check: &'static str,
    },
    /// The TLS server's bytes violate the protocol.
    #[error("the server's {what} is not valid: {reason}; nothing can be proved about this server")]
    Server {
        /// The part of its messages.
        what: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The calling code is wrong; neither the peer nor the server is to blame.
    #[error("the two-party client is misused: {0}")]
    Misuse(String),
}

impl Error {
    pub(crate) fn malformed(step: Tag, reason: impl Into<String>) -> Self {
        Self::Malformed { step, reason: reason.into() }
    }

    pub(crate) fn cheat(step: Tag, check: &'static str) -> Self {
        Self::Cheat { step, check }
    }
}
