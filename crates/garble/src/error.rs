//! What can go wrong between garbler and evaluator, told so that each side knows whose fault it is.

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
    /// The function that is computed: misuse of a backend, wrong numbers of wires.
    #[error(transparent)]
    Function(#[from] volery_circuit::Error),
    /// The making of correlated randomness: a malformed message, a failed check.
    #[error(transparent)]
    Correlations(#[from] volery_vole::Error),
    /// The proof at the end; a rejection is one of the ways it can end.
    #[error(transparent)]
    Proof(#[from] volery_zk::Error),
    /// The peer's bytes are not a message of this step.
    #[error("{step}: malformed message from the peer: {reason}")]
    Malformed {
        /// The step whose message it was.
        step: Tag,
        /// What is wrong with it.
        reason: String,
    },
    /// The peer's message has the right form and fails a check that an honest peer always passes.
    #[error("{step}: {check} failed: the peer cheats, or the connection was tampered with; end the session")]
    Cheat {
        /// The step whose message it was.
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
        /// What would have been exceeded.
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

    /// Whether this says that the peer's proof is wrong, rather than that the session broke.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        matches!(self, Self::Proof(error) if error.is_rejection())
    }

    /// What the peer may be told: whose fault it was, never a value of this party's.
    #[must_use]
    pub fn public_reason(&self) -> &'static str {
        match self {
            Self::Channel(_) => "the connection failed",
            Self::Function(_) | Self::Limit { .. } | Self::Misuse(_) => "this party cannot go on",
            Self::Correlations(_) => "the correlated randomness failed",
            Self::Proof(_) => "the proof failed",
            Self::Malformed { .. } => "a message is malformed",
            Self::Cheat { .. } => "a check failed",
            Self::Diverged { .. } => "the parties run different programs",
        }
    }
}
