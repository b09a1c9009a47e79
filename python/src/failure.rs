//! What a call can end with, and the exceptions that Python gets for it.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use volery::circuit::Error as StatementError;

/// Why a call failed, by what it means for the caller.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The proof is wrong.
    Rejected(String),
    /// The witness does not satisfy the statement.
    Unsatisfied { message: String, place: String, assertion: Option<u64>, claimed: Option<String> },
    /// The parties, or a proof and this party, name different statements or parameters.
    Mismatch(String),
    /// The connection, the peer, the operating system.
    Session(String),
    /// The call makes no sense, or a file is not as it must be.
    Input(String),
}

impl Failure {
    pub(crate) fn input(reason: impl ToString) -> Self {
        Self::Input(reason.to_string())
    }

    pub(crate) fn session(reason: impl ToString) -> Self {
        Self::Session(reason.to_string())
    }

    /// The name of its class in Python.
    fn class(&self) -> &'static str {
        match self {
            Self::Rejected(_) => "Rejected",
            Self::Unsatisfied { .. } => "Unsatisfied",
            Self::Mismatch(_) => "Mismatch",
            Self::Session(_) => "SessionFailed",
            Self::Input(_) => "BadInput",
        }
    }

    fn raised(self, py: Python<'_>) -> PyResult<PyErr> {
        let class = py.import("volery._errors")?.getattr(self.class())?;
        let exception = match self {
            Self::Unsatisfied { message, place, assertion, claimed } => {
                let details = PyDict::new(py);
                details.set_item("place", place)?;
                details.set_item("assertion", assertion)?;
                details.set_item("claimed", claimed)?;
                class.call((message,), Some(&details))?
            }
            Self::Rejected(reason) | Self::Mismatch(reason) | Self::Session(reason) | Self::Input(reason) => {
                class.call1((reason,))?
            }
        };
        Ok(PyErr::from_value(exception))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| failure.raised(py).unwrap_or_else(|error| error))
    }
}

impl From<StatementError> for Failure {
    fn from(error: StatementError) -> Self {
        let message = error.to_string();
        match error {
            StatementError::Unsatisfied { assertion, place } => {
                Self::Unsatisfied { message, place, assertion: Some(assertion), claimed: None }
            }
            StatementError::Contradicted { place, claimed } => {
                Self::Unsatisfied { message, place, assertion: None, claimed: Some(claimed) }
            }
            _ => Self::Input(message),
        }
    }
}

impl From<volery::channel::Error> for Failure {
    fn from(error: volery::channel::Error) -> Self {
        volery::Error::from(error).into()
    }
}

impl From<volery_statement::Error> for Failure {
    fn from(error: volery_statement::Error) -> Self {
        use volery_statement::Kind;
        let message = error.to_string();
        match (error.kind(), error.statement()) {
            (Kind::Unsatisfied, Some(error)) => error.clone().into(),
            (Kind::Rejected, _) => Self::Rejected(message),
            (Kind::Mismatch, _) => Self::Mismatch(message),
            (Kind::Input | Kind::Io, _) => Self::Input(message),
            _ => Self::Session(message),
        }
    }
}

impl From<volery::Error> for Failure {
    fn from(error: volery::Error) -> Self {
        volery_statement::Error::from(error).into()
    }
}
