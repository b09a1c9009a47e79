//! The errors of public proofs.

use volery_channel::hex;

/// Why a proof cannot be made or is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The statement's own error: the witness does not satisfy it, or it asks for what these proofs cannot
    /// do.
    #[error(transparent)]
    Statement(#[from] volery_circuit::Error),
    /// A file could not be read or written.
    #[error("cannot {what} the proof: {reason}")]
    Io {
        /// What was to be done.
        what: &'static str,
        /// The operating system's reason.
        reason: String,
    },
    /// The caller asks for something impossible.
    #[error("{0}")]
    Parameters(String),
    /// The bytes are not a proof in a format that this version knows.
    #[error("the proof is malformed at {part}: {reason}")]
    Malformed {
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
    /// The proof is well-formed, and its counts are not those of the statement.
    #[error("this proof does not fit the statement: {what} of the proof is {proof}, not {expected}")]
    Mismatch {
        /// The name of what differs.
        what: &'static str,
        /// Its value in the proof.
        proof: String,
        /// The expected value.
        expected: String,
    },
    /// The opening of the trees is wrong.
    #[error("the proof is wrong: the opening of its trees: {0}")]
    Opening(&'static str),
    /// A check of the proof fails.
    #[error("the proof is wrong: {0}")]
    Rejected(String),
    /// A challenge is not the hash of what it depends on: the proof was changed, is about another message, or
    /// was never valid.
    #[error(
        "the proof is wrong: the challenge of {0} does not follow from what comes before it: the proof was changed, or \
             is about another message"
    )]
    Challenge(&'static str),
    /// A bug of this crate, never the input's fault.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

impl Error {
    /// Whether this means that a verifier has seen a wrong proof, as opposed to none, an unreadable one, or
    /// one of another statement.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        matches!(self, Self::Opening(_) | Self::Rejected(_) | Self::Challenge(_))
    }

    pub(crate) fn malformed(part: &'static str, reason: impl Into<String>) -> Self {
        Self::Malformed { part, reason: reason.into() }
    }

    pub(crate) fn mismatch(
        what: &'static str,
        proof: impl core::fmt::Display,
        expected: impl core::fmt::Display,
    ) -> Self {
        Self::Mismatch { what, proof: proof.to_string(), expected: expected.to_string() }
    }

    pub(crate) fn io(what: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |error| Self::Io { what, reason: error.to_string() }
    }
}
