//! Why a connection of two parties fails.

use super::client::Failure;

/// An error of the mode in which two parties are the TLS client.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// What the parties do together failed.
    #[error(transparent)]
    Parties(#[from] crate::Error),
    /// At P: the connection to the server failed.
    #[error(transparent)]
    Connection(#[from] Failure),
}
