//! Why a visit ends without an attestation.

use volery_tls::{attestation, disclosure};

use super::Unmet;

/// Why there is no attestation. The variants differ in who can change that.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The session with the notary, or the connection to the website.
    #[error(transparent)]
    Session(#[from] crate::Error),
    /// The notary's limits do not allow what is wanted. Nothing was sent to the website.
    #[error(transparent)]
    Unmet(#[from] Unmet),
    /// A request shows that what is wanted cannot be proved. The request was not sent.
    #[error(transparent)]
    Unprovable(disclosure::Error),
    /// The selection does not fit the page: a part that it shows is not there, or a part that it does not
    /// show cannot be hidden. [`PageFault`](crate::PageFault) tells these from failures of the session.
    #[error(transparent)]
    Selection(crate::Error),
    /// A part that is hidden or claimed is not there, a claim is not true, or the session failed in the
    /// proof: [`PageFault`](crate::PageFault) tells which.
    #[error(transparent)]
    Page(crate::Error),
    /// What would be signed cannot be told to contracts, and somebody has to sign for them.
    #[error(transparent)]
    Contracts(attestation::Error),
    /// [`Observer::agrees`](super::Observer::agrees) refused. Nothing of the page was shown to the notary.
    #[error("{0}")]
    Declined(String),
}
