//! The errors of making correlated randomness. Each says whose fault it is.

use volery_channel::Tag;

/// An error of a protocol of this crate.
///
/// After any of them the session is over. The correlations made so far under the same [`Delta`](crate::Delta)
/// must be destroyed, since an abort may have told the peer something about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The channel failed, or the peer ended the session.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
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
    /// The calling code is wrong; the peer is not to blame.
    #[error("correlated randomness is misused: {0}")]
    Misuse(String),
}

impl Error {
    /// An [`Error::Malformed`].
    pub(crate) fn malformed(step: Tag, reason: impl Into<String>) -> Self {
        Self::Malformed { step, reason: reason.into() }
    }

    /// An [`Error::Cheat`].
    #[must_use]
    pub fn cheat(step: Tag, check: &'static str) -> Self {
        Self::Cheat { step, check }
    }

    /// An [`Error::Misuse`].
    pub fn misuse(reason: impl Into<String>) -> Self {
        Self::Misuse(reason.into())
    }
}
