//! The errors of public proofs.

use volery_channel::hex;

/// Why a proof cannot be made or is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The statement's own error: the witness does not satisfy it, or it cannot be recorded as a circuit.
    #[error(transparent)]
    Statement(#[from] volery_circuit::Error),
    /// The caller asks for something impossible.
    #[error("{0}")]
    Parameters(String),
    /// The bytes are not a proof in a format that this version knows.
    #[error("the proof is malformed at byte {offset}, {part}: {reason}")]
    Malformed {
        /// The offset from the proof's start, in bytes.
        offset: usize,
        /// The part of the proof.
        part: &'static str,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// The proof has a later or unknown version of the format.
    #[error("the proof has format version {version}; this program knows version {known}")]
    Version {
        /// The proof's.
        version: u16,
        /// The version that can be read.
        known: u16,
    },
    /// The proof is well-formed, and is about another statement than the one at hand.
    #[error(
        "this proof is of another statement: its digest is {}, that of the statement at hand {}; \
         program, circuit file and public inputs must be those that were proved",
        hex::short(.proof), hex::short(.expected)
    )]
    OtherStatement {
        /// The digest in the proof.
        proof: [u8; 32],
        /// That of the statement at hand.
        expected: [u8; 32],
    },
    /// The proof is about a message and the verifier expects none, or the other way round.
    #[error("this proof is about {}", if *.bound { "a message, and none is expected" } else { "no message, and one is expected" })]
    Message {
        /// Whether the proof is about a message.
        bound: bool,
    },
    /// The proof has less soundness than the verifier demands.
    #[error("this proof has {proof} bits of soundness, {demanded} are demanded")]
    Soundness {
        /// The bits that the proof has.
        proof: u16,
        /// The bits that the verifier demands.
        demanded: u16,
    },
    /// The proof is well-formed, and was made with other parameters than expected.
    #[error("this proof was made with other parameters: {what} of the proof is {proof}, not {expected}")]
    Mismatch {
        /// The name of what differs.
        what: &'static str,
        /// Its value in the proof.
        proof: String,
        /// The expected value.
        expected: String,
    },
    /// The proof is wrong in one of its repetitions.
    #[error("the proof is wrong: repetition {repetition}: {reason}")]
    Repetition {
        /// The repetition, from 0.
        repetition: usize,
        /// What is wrong.
        reason: String,
    },
    /// The proof's challenge is not the hash of its commitments and output shares: the proof was changed, is
    /// about another message, or was never valid.
    #[error(
        "the proof is wrong: its challenge does not follow from its commitments and output shares: the proof was \
             changed, or is about another message"
    )]
    Challenge,
    /// An interactive session failed.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// The other party broke the protocol.
    #[error("the {party} broke the protocol at {step}: {reason}")]
    Cheat {
        /// The party.
        party: &'static str,
        /// The step.
        step: volery_channel::Tag,
        /// The reason.
        reason: &'static str,
    },
    /// A bug of this crate, never the input's fault.
    #[error("internal error: {0}; please report it")]
    Internal(&'static str),
}

impl Error {
    /// Whether this means that a verifier has seen a wrong proof, as opposed to none, an unreadable one, or
    /// one of another statement.
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

/// Lengths inside the crate always fit, so this should never be needed.
impl From<volery_field::LengthError> for Error {
    fn from(_: volery_field::LengthError) -> Self {
        Self::Internal("a buffer has the wrong length")
    }
}
