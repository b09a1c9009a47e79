//! The errors with which a proof can end.

use volery_channel::tags;

/// Why a proof failed, at either party.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of the statement: a witness that does not fit, an assertion that does not hold, misuse.
    #[error(transparent)]
    Statement(#[from] volery_circuit::Error),
    /// An error of making correlated randomness: a malformed message or a failed check.
    #[error(transparent)]
    Correlations(#[from] volery_vole::Error),
    /// An error of the connection, or an unexpected message.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// V found the proof wrong. The statement may or may not hold; this prover has not proved it.
    #[error("the proof is rejected: {reason}")]
    Rejected {
        /// The check that failed.
        reason: String,
    },
    /// The parties do not run the same program, although they agreed on its name.
    #[error(
        "the parties run different programs: {what} is {ours} here and {theirs} at the peer; use the same version"
    )]
    Diverged {
        /// The name of the count.
        what: &'static str,
        /// This party's count.
        ours: u64,
        /// The peer's count.
        theirs: u64,
    },
    /// A message from the peer has the right length but not the right content.
    #[error("{step}: malformed message from the peer: {reason}")]
    Malformed {
        /// The step of the protocol.
        step: volery_channel::Tag,
        /// What is wrong.
        reason: String,
    },
}

impl Error {
    /// Whether the proof is wrong, as opposed to a session that broke.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        matches!(self, Self::Rejected { .. })
    }

    /// P's view of an error of its own: a verdict from V in the place of any other message means that V found
    /// an earlier block wrong.
    pub(crate) fn at_prover(self) -> Self {
        let lost = match &self {
            Self::Channel(lost) | Self::Correlations(volery_vole::Error::Channel(lost)) => lost,
            _ => return self,
        };
        match lost {
            volery_channel::Error::UnexpectedFrame { got, .. } if *got == tags::VERDICT.byte() => {
                Self::Rejected { reason: "the verifier's check of an earlier block failed".into() }
            }
            _ => self,
        }
    }
}
