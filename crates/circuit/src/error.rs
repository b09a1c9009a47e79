//! What can go wrong in a statement, apart from what its backend adds.

/// An error of a statement, of a circuit file or of a witness.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or text is not what its format demands.
    #[error("{what}, line {line}, column {column}: {reason}")]
    Malformed {
        /// Which input: a file name, or what it is.
        what: String,
        /// 1-based line.
        line: u64,
        /// 1-based column, in bytes.
        column: u64,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// A binary file is not what its format demands.
    #[error("{what}, byte {offset}: {reason}")]
    Binary {
        /// Which input: a file name, or what it is.
        what: String,
        /// Where, in bytes from the file's beginning.
        offset: u64,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// The witness does not have the form that the statement needs.
    #[error("witness: {0}")]
    Witness(String),
    /// The public inputs do not have the form that the statement needs.
    #[error("public inputs: {0}")]
    Public(String),
    /// The statement does not hold for this witness.
    #[error("the statement does not hold: assertion {assertion} failed in {place}")]
    Unsatisfied {
        /// How many assertions came before it.
        assertion: u64,
        /// The named parts around it, outermost first, separated by `/`.
        place: String,
    },
    /// The program over the backend is wrong.
    #[error("the statement misuses the backend: {0}")]
    Misuse(String),
    /// A flat circuit breaks its own rules: an index out of range, a wire used before it is set, sizes that
    /// disagree.
    #[error("the circuit is not valid: {0}")]
    Circuit(String),
    /// A circuit file is not the one that was opened: its content changed in between.
    #[error("{what} changed while it was in use; put the original back or start again")]
    Changed {
        /// Which file.
        what: String,
    },
    /// An input file could not be read.
    #[error("{what}: {reason}")]
    Io {
        /// Which file.
        what: String,
        /// What the operating system said.
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

    /// The refusal of a statement that asserts nothing: every proof of it would be accepted, whatever the
    /// prover knows.
    #[must_use]
    pub fn nothing_claimed() -> Self {
        Self::Public(
            "nothing is claimed: the statement asserts nothing, so it would hold for every witness".into(),
        )
    }

    /// An [`Error::Io`].
    pub(crate) fn io(what: &str, error: &std::io::Error) -> Self {
        Self::Io { what: what.to_owned(), reason: error.to_string() }
    }
}
