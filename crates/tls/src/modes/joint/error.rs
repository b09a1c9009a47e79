//! The errors of a connection of two parties.

use std::borrow::Cow;

use volery_channel::Tag;

use super::client::Failure;
use crate::modes::relay;
use crate::page::disclosure;
use crate::wire::transcript;

/// An error of the mode in which two parties are the TLS client.
///
/// After any of them the session is over: its secrets are destroyed, and the peer is told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A joint computation of the parties failed.
    #[error(transparent)]
    Parties(#[from] crate::Error),
    /// Garbling or the proof failed; a rejection is one such failure.
    #[error(transparent)]
    Garbling(#[from] volery_garble::Error),
    /// The connection, or what a party says about it, cannot be proved.
    #[error(transparent)]
    Disclosure(#[from] disclosure::Error),
    /// The peer asks for more than this party's limits allow.
    #[error("{what} of {asked} bytes is over this party's limit of {limit}")]
    Limit {
        /// The name of what is too large.
        what: &'static str,
        /// The size that the peer wants.
        asked: usize,
        /// The limit.
        limit: usize,
    },
    /// At V: other sessions use the memory that this one needs.
    #[error("other sessions use the memory for garbled circuits that this one needs")]
    Busy,
    /// At P: the connection to the server failed.
    #[error(transparent)]
    Connection(#[from] Failure),
    /// The TLS client's steps are not in the order of a connection, or its records are not those prepared.
    #[error("the TLS client asks for {asked} where {expected} is next")]
    Order {
        /// The step that it asked for.
        asked: &'static str,
        /// The steps that it may ask for.
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

    /// The proof's error, if it is one: the statement's, a rejection, or another.
    ///
    /// # Errors
    /// Any other error, unchanged.
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

    /// The part that the peer may be told: whose fault it was, and none of this party's values.
    pub(super) fn public_reason(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            // The peer's own number, and a limit that it has to know.
            Self::Limit { .. } => return Cow::Owned(self.to_string()),
            Self::Parties(crate::Error::Cheat { .. }) => "a check failed",
            Self::Parties(crate::Error::Malformed { .. }) => "a message is malformed",
            Self::Parties(crate::Error::Server { .. }) => "the server's key exchange is not valid",
            Self::Parties(crate::Error::Channel(_)) => "the connection between the parties failed",
            Self::Parties(crate::Error::Products(_)) => "the products of shared secrets failed",
            Self::Garbling(error) => error.public_reason(),
            Self::Disclosure(_) => "what is said about the connection is refused",
            // V's own limit, or P's that follows from it.
            Self::Connection(Failure::Size { limit }) => {
                return Cow::Owned(format!(
                    "the server sent more than {limit} bytes, which is the limit (--max-received)"
                ));
            }
            Self::Connection(_) => "the connection to the server failed at the prover",
            Self::Busy => "too many others are served now, come again later",
            Self::Parties(crate::Error::Misuse(_)) | Self::Order { .. } | Self::Over => {
                "this party cannot continue"
            }
        })
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

/// At P, of a connection that V carries.
impl From<relay::Error> for Error {
    fn from(error: relay::Error) -> Self {
        match error {
            relay::Error::Channel(error) => error.into(),
            relay::Error::Malformed { step, reason } => Self::malformed(step, reason),
            error => Failure::from(error).into(),
        }
    }
}

impl From<transcript::Error> for Error {
    fn from(error: transcript::Error) -> Self {
        disclosure::Error::from(disclosure::Refusal::from(error)).into()
    }
}
