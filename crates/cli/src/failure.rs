//! What a command can end with other than well.

use std::process::ExitCode;

use volery::tls::{disclosure, joint, proxy};
use volery::{Error, stored};
use volery_circuit::Error as StatementError;

/// Why a command failed; decides the exit code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    /// The proof is wrong, or there is none for this witness: exit code 1.
    #[error("rejected: {0}")]
    Rejected(String),
    /// Wrong usage or a bad input file: exit code 2.
    #[error("{0}")]
    Input(String),
    /// The session failed (network, peer gave up, mismatch), or the system did: exit code 3.
    #[error("{0}")]
    Session(String),
}

impl Failure {
    /// The code that tells a script which kind of end this is.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Rejected(_) => 1,
            Self::Input(_) => 2,
            Self::Session(_) => 3,
        })
    }

    /// The same of one of several things.
    pub(crate) fn of(self, what: &str) -> Self {
        match self {
            Self::Rejected(reason) => Self::Rejected(format!("{what}: {reason}")),
            Self::Input(reason) => Self::Input(format!("{what}: {reason}")),
            Self::Session(reason) => Self::Session(format!("{what}: {reason}")),
        }
    }

    /// A bad input.
    pub(crate) fn input(reason: impl ToString) -> Self {
        Self::Input(reason.to_string())
    }

    /// A failed session.
    pub(crate) fn session(reason: impl ToString) -> Self {
        Self::Session(reason.to_string())
    }
}

impl From<StatementError> for Failure {
    fn from(error: StatementError) -> Self {
        match error {
            StatementError::Unsatisfied { .. } => Self::Rejected(error.to_string()),
            _ => Self::input(error),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Proof(volery_zk::Error::Statement(error)) | Error::Statement(error) => error.into(),
            Error::Proof(volery_zk::Error::Rejected { reason }) => Self::Rejected(reason),
            Error::Web(proxy::Error::Disclosure(disclosure::Error::NotTrue(reason)))
            | Error::Joint(joint::Error::Disclosure(disclosure::Error::NotTrue(reason))) => {
                Self::Rejected(format!("not true: {reason}"))
            }
            Error::Options(reason) => Self::Input(reason),
            Error::Stored(error) => error.into(),
            _ => Self::session(error),
        }
    }
}

impl From<stored::Error> for Failure {
    fn from(error: stored::Error) -> Self {
        use stored::Error as Stored;
        match error {
            Stored::Rejected { .. } => Self::Rejected(error.to_string()),
            Stored::Statement(error) => error.into(),
            Stored::Io { .. }
            | Stored::Format { .. }
            | Stored::Version { .. }
            | Stored::Damaged { .. }
            | Stored::WrongRole { .. }
            | Stored::Exists { .. }
            | Stored::Options(_) => Self::input(error),
            _ => Self::session(error),
        }
    }
}

impl From<volery::public::Error> for Failure {
    fn from(error: volery::public::Error) -> Self {
        use volery::public::Error as Public;
        match error {
            Public::Statement(error) => error.into(),
            Public::Parameters(_) | Public::Malformed { .. } | Public::Version { .. } => Self::input(error),
            _ if error.is_rejection() => Self::Rejected(error.to_string()),
            _ => Self::session(error),
        }
    }
}

impl From<volery_channel::Error> for Failure {
    fn from(error: volery_channel::Error) -> Self {
        match error {
            volery_channel::Error::Address { .. } => Self::input(error),
            _ => Self::session(error),
        }
    }
}
