//! The errors of a statement, apart from those of its backend.

/// An error of a statement, of a circuit file or of a witness.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or text does not have its format.
    #[error("{what}, line {line}, column {column}: {reason}")]
    Malformed {
        /// The input: a file name or a description.
        what: String,
        /// 1-based line.
        line: u64,
        /// 1-based column, in bytes.
        column: u64,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// A binary file does not have its format.
    #[error("{what}, byte {offset}: {reason}")]
    Binary {
        /// The input: a file name or a description.
        what: String,
        /// The offset from the start of the file, in bytes.
        offset: u64,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// The witness does not have the form that the statement requires.
    #[error("witness: {0}")]
    Witness(String),
    /// The public inputs do not have the form that the statement requires.
    #[error("public inputs: {0}")]
    Public(String),
    /// The statement does not hold for this witness.
    #[error("the statement does not hold: assertion {assertion} failed in {place}")]
    Unsatisfied {
        /// The number of assertions before it.
        assertion: u64,
        /// The named parts around it, outermost first, separated by `/`.
        place: String,
    },
    /// The statement does not hold for this witness: it gives another value than the public side claims.
    #[error("the statement does not hold: {place}: claimed {claimed}")]
    Contradicted {
        /// The value: an output and which of its bits, or a public wire.
        place: String,
        /// What it must be.
        claimed: String,
    },
    /// The program uses the backend incorrectly.
    #[error("the statement misuses the backend: {0}")]
    Misuse(String),
    /// A flat circuit is not valid: an index is out of range, a wire is used before it is set, or sizes
    /// disagree.
    #[error("the circuit is not valid: {0}")]
    Circuit(String),
    /// The content of a circuit file changed after it was opened.
    #[error("{what} changed while it was in use; put the original back or start again")]
    Changed {
        /// The file.
        what: String,
    },
    /// An input file could not be read.
    #[error("{what}: {reason}")]
    Io {
        /// The file.
        what: String,
        /// The operating system's message.
        reason: String,
    },
}

impl Error {
    /// An [`Error::Misuse`].
    pub fn misuse(reason: impl Into<String>) -> Self {
        Self::Misuse(reason.into())
    }

    /// An [`Error::Circuit`].
    pub(crate) fn circuit(reason: impl Into<String>) -> Self {
        Self::Circuit(reason.into())
    }

    /// The error for a statement that asserts nothing about a secret: every proof of it would be accepted,
    /// whatever the prover knows.
    #[must_use]
    pub fn nothing_claimed() -> Self {
        let reason = "nothing is claimed about a secret, so there is nothing to prove: the statement asserts nothing, or \
                      only what follows from public values, which anyone can check";
        Self::Public(reason.into())
    }

    /// The error for a statement that puts nothing out.
    pub(crate) fn no_outputs() -> Self {
        let reason = "the statement puts nothing out: it claims no wire to be equal to a public value (`assert_equal`)";
        Self::Public(reason.into())
    }

    /// An [`Error::Io`].
    pub(crate) fn io(what: &str, error: &std::io::Error) -> Self {
        Self::Io { what: what.to_owned(), reason: error.to_string() }
    }
}
