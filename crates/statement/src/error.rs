//! What goes wrong with a statement that somebody names, and with proofs of it.

use volery_channel::handshake::Mismatch;
use volery_circuit::Error as StatementError;
use volery_zk::Error as ProofError;

use crate::refusal::Refusal;
use crate::spelling::{option, plain, spelled};

/// Why a statement could not be loaded, checked, proved or verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What is asked for makes no sense, or a file is not as it must be. The text is that of
    /// [`Error::message`].
    #[error("{}", spelled(.0, &plain))]
    Input(Marked),
    /// The kind of statement does not allow it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No proof of this statement is as sound as it must be.
    #[error("{}", spelled(&out_of_reach(*.rho, *.bits), &plain))]
    OutOfReach {
        /// The bits that are asked for.
        rho: u16,
        /// The bits of the best proof.
        bits: f64,
    },
    /// A file cannot be read.
    #[error("{what}: {reason}")]
    Io {
        /// The file.
        what: String,
        /// What the system says.
        reason: String,
    },
    /// The statement: a file of it, or that the witness does not satisfy it.
    #[error(transparent)]
    Statement(#[from] StatementError),
    /// The session, the proof in it included.
    #[error(transparent)]
    Session(#[from] volery::Error),
    /// Stored correlations, or a proof made of them.
    #[cfg(feature = "stored")]
    #[error(transparent)]
    Stored(#[from] volery::stored::Error),
    /// A public proof by ZKB++ or ZKBoo.
    #[cfg(feature = "public")]
    #[error(transparent)]
    Public(#[from] volery::public::Error),
    /// A public proof from VOLE in the head.
    #[cfg(feature = "public")]
    #[error(transparent)]
    InTheHead(#[from] volery::public::voleith::Error),
    /// The system has no threads to give, or the library contradicts itself.
    #[error("{0}")]
    Internal(String),
}

/// A message whose options have marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked(pub(crate) String);

impl core::ops::Deref for Marked {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// What an error means for whoever asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Wrong usage, or a file that is not as it must be.
    Input,
    /// A file cannot be read.
    Io,
    /// The witness does not satisfy the statement.
    Unsatisfied,
    /// The proof is wrong.
    Rejected,
    /// The statement or the parameters differ from those of the other party, or of the proof.
    Mismatch,
    /// The session failed: the connection, the peer, the operating system.
    Session,
}

impl Error {
    /// A bad input.
    pub(crate) fn input(reason: impl ToString) -> Self {
        Self::Input(Marked(reason.to_string()))
    }

    /// What cannot happen.
    pub(crate) fn internal(reason: impl ToString) -> Self {
        Self::Internal(reason.to_string())
    }

    /// What it means for whoever asked.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Input(_) | Self::Refused(_) | Self::OutOfReach { .. } => Kind::Input,
            Self::Io { .. } => Kind::Io,
            Self::Statement(error) => of_statement(error),
            Self::Session(error) => of_session(error),
            #[cfg(feature = "stored")]
            Self::Stored(error) => of_stored(error),
            #[cfg(feature = "public")]
            Self::Public(error) => of_public(error),
            #[cfg(feature = "public")]
            Self::InTheHead(error) => of_in_the_head(error),
            Self::Internal(_) => Kind::Session,
        }
    }

    /// The message, with options as `spell` writes them: it gets the name of an option, in lower case with
    /// dashes, and a word that stands for its value, which is empty if only the option is named. `Display`
    /// writes options between backquotes, with underscores.
    #[must_use]
    pub fn message(&self, spell: &dyn Fn(&str, &str) -> String) -> String {
        match self {
            Self::Input(Marked(text)) => spelled(text, spell),
            Self::Refused(refusal) => spelled(&refusal.marked(), spell),
            Self::OutOfReach { rho, bits } => spelled(&out_of_reach(*rho, *bits), spell),
            other => other.to_string(),
        }
    }

    /// Whether the proof is wrong, or the witness does not satisfy the statement.
    #[must_use]
    pub fn is_rejection(&self) -> bool {
        matches!(self.kind(), Kind::Rejected | Kind::Unsatisfied)
    }

    /// Where the witness fails, if that is the error.
    #[must_use]
    pub fn statement(&self) -> Option<&StatementError> {
        match self {
            Self::Statement(error)
            | Self::Session(
                volery::Error::Statement(error) | volery::Error::Proof(ProofError::Statement(error)),
            ) => Some(error),
            #[cfg(feature = "stored")]
            Self::Stored(volery::stored::Error::Statement(error)) => Some(error),
            #[cfg(feature = "public")]
            Self::Public(volery::public::Error::Statement(error))
            | Self::InTheHead(volery::public::voleith::Error::Statement(error)) => Some(error),
            _ => None,
        }
    }
}

fn out_of_reach(rho: u16, bits: f64) -> String {
    format!("{} {rho} is out of reach: this proof has {bits:.1} bits", option("rho"))
}

fn of_statement(error: &StatementError) -> Kind {
    match error {
        StatementError::Unsatisfied { .. } | StatementError::Contradicted { .. } => Kind::Unsatisfied,
        StatementError::Io { .. } => Kind::Io,
        _ => Kind::Input,
    }
}

fn of_session(error: &volery::Error) -> Kind {
    use volery::Error as Session;
    match error {
        Session::Proof(ProofError::Statement(error)) | Session::Statement(error) => of_statement(error),
        Session::Proof(ProofError::Rejected { .. }) => Kind::Rejected,
        Session::Options(_) => Kind::Input,
        Session::Channel(error) => of_channel(error),
        #[cfg(feature = "stored")]
        Session::Stored(error) => of_stored(error),
        _ => Kind::Session,
    }
}

fn of_channel(error: &volery_channel::Error) -> Kind {
    match error {
        volery_channel::Error::Address { .. } => Kind::Input,
        volery_channel::Error::Incompatible(Mismatch::Parameter { .. } | Mismatch::Statement { .. }) => {
            Kind::Mismatch
        }
        _ => Kind::Session,
    }
}

#[cfg(feature = "stored")]
fn of_stored(error: &volery::stored::Error) -> Kind {
    use volery::stored::Error as Stored;
    match error {
        Stored::Rejected { .. } => Kind::Rejected,
        Stored::Statement(error) => of_statement(error),
        Stored::Mismatch { .. } | Stored::OtherStatement { .. } | Stored::OtherCorrelations { .. } => {
            Kind::Mismatch
        }
        Stored::Io { .. } => Kind::Io,
        Stored::Format { .. }
        | Stored::Version { .. }
        | Stored::Damaged { .. }
        | Stored::WrongRole { .. }
        | Stored::Exists { .. }
        | Stored::Options(_) => Kind::Input,
        _ => Kind::Session,
    }
}

#[cfg(feature = "public")]
fn of_public(error: &volery::public::Error) -> Kind {
    use volery::public::Error as Public;
    match error {
        Public::Statement(error) => of_statement(error),
        Public::Parameters(_) | Public::Malformed { .. } | Public::Version { .. } => Kind::Input,
        Public::Message { .. }
        | Public::Soundness { .. }
        | Public::Mismatch { .. }
        | Public::OtherStatement { .. } => Kind::Mismatch,
        _ if error.is_rejection() => Kind::Rejected,
        _ => Kind::Session,
    }
}

#[cfg(feature = "public")]
fn of_in_the_head(error: &volery::public::voleith::Error) -> Kind {
    use volery::public::voleith::Error as Public;
    match error {
        Public::Statement(error) => of_statement(error),
        Public::Parameters(_) | Public::Malformed { .. } | Public::Version { .. } => Kind::Input,
        Public::Io { .. } => Kind::Io,
        Public::Message { .. }
        | Public::Soundness { .. }
        | Public::Mismatch { .. }
        | Public::OtherStatement { .. } => Kind::Mismatch,
        _ if error.is_rejection() => Kind::Rejected,
        _ => Kind::Session,
    }
}
