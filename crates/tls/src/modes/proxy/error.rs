//! Why a connection through V fails. Each error says whose fault it is.

use super::relay;
use crate::page::{dialogue, disclosure};

/// An error of proxy mode, at either party.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The channel between the parties failed, or the peer ended the session and gave a reason.
    #[error(transparent)]
    Channel(#[from] volery_channel::Error),
    /// The connection through V failed.
    #[error(transparent)]
    Relay(relay::Error),
    /// At P: TLS failed. Either the server does not offer what P needs, or V altered what it relayed.
    #[error(
        "TLS with the server: {0}; either the server does not offer what is needed, or the notary altered what it relayed"
    )]
    Tls(String),
    /// At P: the server, or V in its place, ended TLS with an alert.
    #[error("the server, or a notary that altered what it relayed, ended TLS with the alert {0}")]
    Alert(String),
    /// At P: the server asked for a certificate of the client's, got none, and ended TLS with an alert.
    #[error(
        "the server demands a certificate of the client's (it ended TLS with the alert {0}); connections with one, which would show who \
         you are, can't be proved"
    )]
    DemandsCertificate(String),
    /// At P: the server refuses TLS 1.2.
    #[error(
        "the server refuses TLS 1.2, or has other cipher suites than those that were offered for it; try TLS 1.3, and --cipher auto"
    )]
    OnlyNewer,
    /// At P: the server refuses TLS 1.3.
    #[error(
        "the server refuses TLS 1.3, or has other cipher suites than those that were offered for it; try TLS 1.2, and --cipher auto"
    )]
    OnlyOlder,
    /// At P: the server refuses everything that was offered.
    #[error(
        "the server accepts none of what can be proved: TLS 1.3 or 1.2 with the cipher suite that --cipher \
         names (or any of AES_128_GCM_SHA256, AES_256_GCM_SHA384 and CHACHA20_POLY1305_SHA256), key exchange on X25519 or P-256, a certificate with an RSA, P-256 or P-384 key"
    )]
    NothingInCommon,
    /// The connection, or what a party says about it, cannot be proved.
    #[error(transparent)]
    Disclosure(disclosure::Error),
    /// At P, with several requests: there is no next one, or a response is not the expected one.
    #[error(transparent)]
    Dialogue(#[from] dialogue::Error),
    /// The calling code is wrong.
    #[error("proxy mode is misused: {0}")]
    Misuse(&'static str),
}

impl From<relay::Error> for Error {
    fn from(error: relay::Error) -> Self {
        match error {
            relay::Error::Channel(error) => Self::Channel(error),
            other => Self::Relay(other),
        }
    }
}

impl From<disclosure::Error> for Error {
    fn from(error: disclosure::Error) -> Self {
        match error {
            disclosure::Error::Channel(error) => Self::Channel(error),
            other => Self::Disclosure(other),
        }
    }
}
