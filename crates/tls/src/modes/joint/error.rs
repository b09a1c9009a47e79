//! What a connection of two parties can fail with.

use volery_channel::Tag;

use super::client::Failure;
use crate::page::disclosure;
use crate::wire::transcript;

/// An error of the mode in which two parties are the TLS client.
///
/// After any of them the session is over: its secrets are destroyed, and the peer is told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What the parties do together failed.
    #[error(transparent)]
    Parties(#[from] crate::Error),
    /// Garbling failed, or the proof; a rejection is one of its ways to end.
    #[error(transparent)]
    Garbling(#[from] volery_garble::Error),
    /// What the connection says, or what a party says about it, is not what can be proved.
    #[error(transparent)]
    Disclosure(#[from] disclosure::Error),
    /// The peer asks for more than this party's limits allow.
    #[error("{what} of {asked} bytes is over this party's limit of {limit}")]
    Limit {
        /// What is too large.
        what: &'static str,
        /// How large the peer wants it.
        asked: usize,
        /// The limit.
        limit: usize,
    },
    /// At V: other sessions have the memory that this one needs.
    #[error("other sessions have the memory for garbled circuits that this one needs")]
    Busy,
    /// At P: the connection to the server failed.
    #[error(transparent)]
    Connection(#[from] Failure),
    /// The TLS client asks for steps in another order than that of a connection, or for records other than
    /// those prepared.
    #[error("the TLS client asks for {asked} where {expected} is next")]
    Order {
        /// What it asked for.
        asked: &'static str,
        /// What it may ask for.
        expected: String,
    },
    /// An earlier error ended the session.
    #[error("the session is over: an earlier error ended it; start another")]
    Over,
}

impl Error {
    pub(super) fn misuse(reason: impl Into<String>) -> Self {
        crate::Error::Misuse(reason.into()).into()
    }

    pub(super) fn malformed(step: Tag, reason: impl Into<String>) -> Self {
        crate::Error::malformed(step, reason).into()
    }

    pub(super) fn cheat(step: Tag, check: &'static str) -> Self {
        crate::Error::cheat(step, check).into()
    }

    /// The proof's error, if it is one: the statement's, or a rejection among others.
    ///
    /// # Errors
    /// Any other error, as it is.
    pub fn into_proof(self) -> Result<volery_zk::Error, Self> {
        match self {
            Self::Garbling(volery_garble::Error::Proof(error)) => Ok(error),
            other => Err(other),
        }
    }

    /// Whether V found the proof wrong.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        matches!(self, Self::Garbling(error) if error.is_rejection())
    }

    /// What the peer may be told: whose fault it was, never a value of this party's.
    pub(super) fn public_reason(&self) -> &'static str {
        match self {
            Self::Parties(crate::Error::Cheat { .. }) => "a check failed",
            Self::Parties(crate::Error::Malformed { .. }) => "a message is malformed",
            Self::Parties(crate::Error::Server { .. }) => "the server's key exchange is not valid",
            Self::Parties(crate::Error::Channel(_)) => "the connection between the parties failed",
            Self::Parties(crate::Error::Products(_)) => "the products of shared secrets failed",
            Self::Garbling(error) => error.public_reason(),
            Self::Disclosure(_) => "what is said about the connection is refused",
            Self::Connection(_) => "the connection to the server failed",
            Self::Busy => "too many others are served now, come again later",
            Self::Limit { .. } => "more is asked than the limits allow",
            Self::Parties(crate::Error::Misuse(_)) | Self::Order { .. } | Self::Over => {
                "this party cannot go on"
            }
        }
    }
}

impl From<volery_channel::Error> for Error {
    fn from(error: volery_channel::Error) -> Self {
        Self::Parties(error.into())
    }
}

impl From<volery_vole::Error> for Error {
    fn from(error: volery_vole::Error) -> Self {
        Self::Parties(error.into())
    }
}

impl From<transcript::Error> for Error {
    fn from(error: transcript::Error) -> Self {
        disclosure::Error::from(disclosure::Refusal::from(error)).into()
    }
}
