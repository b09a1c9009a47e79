//! What can go wrong.

/// Why a proof cannot be made or is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The statement's own: the witness does not satisfy it, or it cannot be written down as a circuit.
    #[error(transparent)]
    Statement(#[from] volery_circuit::Error),
    /// The caller asks for something impossible.
    #[error("{0}")]
    Parameters(String),
    /// The bytes are no proof of a format that this version knows.
    #[error("the proof is malformed at byte {offset}, {part}: {reason}")]
    Malformed {
        /// Where, in bytes from the proof's beginning.
        offset: usize,
        /// Which part of it.
        part: &'static str,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// A proof of a later or unknown version of the format.
    #[error("the proof has format version {version}; this program knows version {known}")]
    Version {
        /// The proof's.
        version: u16,
        /// The one that can be read.
        known: u16,
    },
    /// The proof is sound in form, but about something else or less than it is checked for.
    #[error("{what} of the proof is {proof}, not {expected}")]
    Mismatch {
        /// What differs.
        what: &'static str,
        /// What the proof says.
        proof: String,
        /// What it should say.
        expected: String,
    },
    /// The proof is wrong in one of its repetitions.
    #[error("the proof is wrong: repetition {repetition}: {reason}")]
    Repetition {
        /// Which, from 0.
        repetition: usize,
        /// What does not fit.
        reason: String,
    },
    /// The proof's challenge is not the hash of its commitments and output shares: something in it was
    /// changed, or it was never a proof.
    #[error("the proof is wrong: its challenge does not follow from its commitments and output shares")]
    Challenge,
    /// An interactive session failed.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// The other party broke the protocol.
    #[error("the {party} broke the protocol at {step}: {reason}")]
    Cheat {
        /// Who.
        party: &'static str,
        /// Where.
        step: volery_channel::Tag,
        /// How.
        reason: &'static str,
    },
    /// A bug of this crate: never the input's fault.
    #[error("internal error: {0}; please report it")]
    Internal(&'static str),
}

impl Error {
    /// Whether a verifier that gets this has seen a wrong proof, as opposed to none, an unreadable one or one
    /// of another statement.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        matches!(self, Self::Repetition { .. } | Self::Challenge | Self::Cheat { .. })
    }

    pub(crate) fn malformed(offset: usize, part: &'static str, reason: impl Into<String>) -> Self {
        Self::Malformed { offset, part, reason: reason.into() }
    }

    pub(crate) fn repetition(repetition: usize, reason: impl Into<String>) -> Self {
        Self::Repetition { repetition, reason: reason.into() }
    }

    pub(crate) fn mismatch(
        what: &'static str,
        proof: impl core::fmt::Display,
        expected: impl core::fmt::Display,
    ) -> Self {
        Self::Mismatch { what, proof: proof.to_string(), expected: expected.to_string() }
    }
}

/// Lengths inside the crate always fit; this is what is said should they not.
impl From<volery_field::LengthError> for Error {
    fn from(_: volery_field::LengthError) -> Self {
        Self::Internal("a buffer has the wrong length")
    }
}
