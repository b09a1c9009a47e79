//! The errors of garbler and evaluator. Each says whose fault it is.

use volery_channel::Tag;

/// An error of this crate.
///
/// After any of them the session is over: labels, offset and correlations are destroyed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The channel failed, or the peer ended the session.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// An error of the computed function: misuse of a backend, or a wrong number of wires.
    #[error(transparent)]
    Function(#[from] volery_circuit::Error),
    /// An error of making correlated randomness: a malformed message or a failed check.
    #[error(transparent)]
    Correlations(#[from] volery_vole::Error),
    /// An error of the final proof, possibly a rejection.
    #[error(transparent)]
    Proof(#[from] volery_zk::Error),
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
    /// The parties do not make the same calls.
    #[error("{step}: the parties run different programs; use the same version and the same parameters")]
    Diverged {
        /// The step at which it was noticed.
        step: Tag,
    },
    /// A limit of this party is reached.
    #[error("{what} is over this party's limit of {limit}; raise the limit or compute less ahead")]
    Limit {
        /// The quantity that would have exceeded it.
        what: &'static str,
        /// The limit, in the unit that `what` names.
        limit: u64,
    },
    /// The calling code is wrong; the peer is not to blame.
    #[error("garbling is misused: {0}")]
    Misuse(String),
}

impl Error {
    pub(crate) fn malformed(step: Tag, reason: impl Into<String>) -> Self {
        Self::Malformed { step, reason: reason.into() }
    }

    pub(crate) fn cheat(step: Tag, check: &'static str) -> Self {
        Self::Cheat { step, check }
    }

    pub(crate) fn misuse(reason: impl Into<String>) -> Self {
        Self::Misuse(reason.into())
    }

    /// Whether the peer's proof is wrong, as opposed to a session that broke.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        matches!(self, Self::Proof(error) if error.is_rejection())
    }

    /// The part that the peer may be told: whose fault it was, and none of this party's values.
    #[must_use]
    pub fn public_reason(&self) -> &'static str {
        match self {
            Self::Channel(_) => "the connection failed",
            Self::Function(_) | Self::Limit { .. } | Self::Misuse(_) => "this party cannot continue",
            Self::Correlations(_) => "the correlated randomness failed",
            Self::Proof(_) => "the proof failed",
            Self::Malformed { .. } => "a message is malformed",
            Self::Cheat { .. } => "a check failed",
            Self::Diverged { .. } => "the parties run different programs",
        }
    }
}
