//! Why a connection to a server fails, apart from failures of the two parties.

use std::io;

use rustls::{AlertDescription, CertificateError, Error as TlsError, PeerIncompatible};

use crate::modes::relay;
use crate::page::dialogue;
use crate::wire::rustls_client::CertificateRequests;
use crate::wire::transcript;
use crate::wire::version::TlsVersion;

/// Why the connection failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The host is neither a DNS name nor an IP address.
    #[error("the host is neither a DNS name nor an IP address")]
    Name,
    /// The host's name cannot be resolved.
    #[error("no connection to the server: its name has no address that is found here ({0})")]
    Unknown(String),
    /// The host has no address that accepts the connection.
    #[error("no connection to the server: {0}")]
    Connect(io::ErrorKind),
    /// The connection broke.
    #[error("the connection to the server broke: {0}")]
    Broken(io::ErrorKind),
    /// V, which carries the connection, cannot connect, or has lost it.
    #[error("the connection to the server, which the notary carries: {0}")]
    Carried(relay::Failure),
    /// V's answer about the connection that it carries is none.
    #[error("the notary's answer about the connection that it carries is malformed: {0}")]
    Carrier(&'static str),
    /// Nothing came, or nothing could be sent, for too long.
    #[error(
        "the server took too long: it neither answers nor ends the connection, which the request must ask for with \
         `Connection: close`. If it needs the time to think: --timeout"
    )]
    Time,
    /// More bytes than the limit.
    #[error(
        "the server sent more than {limit} bytes, and no more are taken of one connection (a notary's limit: --max-received)"
    )]
    Size {
        /// The limit.
        limit: usize,
    },
    /// The server's bytes are not TLS.
    #[error("the server does not speak TLS on this port")]
    NotTls,
    /// The server closed the connection before the handshake was complete.
    #[error("the server closed the connection in the middle of the handshake")]
    Closed,
    /// The server refuses TLS 1.2.
    #[error(
        "the server refuses TLS 1.2; it seems to speak TLS 1.3 only, for which a connection is prepared with --tls 1.3"
    )]
    OnlyNewer,
    /// The server refuses TLS 1.3.
    #[error(
        "the server refuses TLS 1.3; it seems to speak TLS 1.2 only, for which a connection is prepared with --tls 1.2"
    )]
    OnlyTls12,
    /// The server does not choose what it chose before.
    #[error(
        "the server does not choose the version of TLS or the cipher suite that it chose a moment ago: it has several \
         machines that differ, or somebody on the way interferes; try again, or name them with --tls and --cipher"
    )]
    NotAsProbed,
    /// The server only speaks an older version.
    #[error("the server speaks only versions before TLS 1.2")]
    OnlyOlder,
    /// The server accepts nothing of what was offered.
    #[error(
        "the server accepts none of what can be proved: TLS 1.2 or 1.3 as prepared, key exchange on P-256 (secp256r1) or X25519, \
         the cipher suite as prepared \
         (--cipher aes128 is AES_128_GCM_SHA256, aes256 is AES_256_GCM_SHA384, auto asks the server), a certificate with an RSA, P-256 \
         or P-384 key"
    )]
    NothingInCommon,
    /// The server is not the intended one, or cannot prove that it is.
    #[error("the server cannot be trusted: {reason} ({detail})")]
    Untrusted {
        /// What is wrong.
        reason: Distrust,
        /// The details, in words.
        detail: String,
    },
    /// The server ended the handshake with an alert.
    #[error("the server ended the handshake with the alert {0}")]
    Alert(String),
    /// The server asked for a certificate of the client's, got none, and ended the handshake with an alert.
    #[error(
        "the server demands a certificate of the client's (it ended TLS with the alert {0}); connections with one, which would show who \
         you are, can't be proved"
    )]
    DemandsCertificate(String),
    /// The server does not confirm its protocol.
    #[error(
        "the server does not agree on http/1.1 (ALPN), so nobody could tell its words from those of another service of its host. \
         Proxy mode does without; in two-party mode --no-alpn does, if the notary allows it, and the attestation then says so"
    )]
    NoProtocol,
    /// Any other error of the handshake.
    #[error("TLS with the server: {0}")]
    Tls(String),
    /// The server's bytes are not a connection about which anything can be proved.
    #[error(transparent)]
    Transcript(#[from] transcript::Error),
    /// The server ended the connection after the handshake without sending anything.
    #[error("the server ended the connection without a response")]
    NoResponse,
    /// With several requests: there is no next one, or a response that was read is not the expected one.
    #[error(transparent)]
    Dialogue(#[from] dialogue::Error),
    /// The calling code is wrong.
    #[error("the client is misused: {0}")]
    Misuse(&'static str),
}

/// Why a server is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Distrust {
    /// Its certificate is for other hosts.
    #[error("its certificate is for another host")]
    Host,
    /// A certificate has expired, or is not valid yet.
    #[error("its certificate is not valid at this time")]
    Time,
    /// No chain leads to a trusted root.
    #[error("its certificate is of an unknown authority")]
    Issuer,
    /// A signature of a certificate, or that over the key exchange, is wrong.
    #[error("a signature is wrong")]
    Signature,
    /// Something else about its certificates.
    #[error("its certificate can't be used")]
    Certificate,
}

impl Failure {
    /// Translates an error of the TLS library that occurred before or after the server had chosen among the
    /// offers.
    pub(super) fn new(error: TlsError, version: TlsVersion, chosen: bool) -> Self {
        use AlertDescription::{HandshakeFailure, InsufficientSecurity, ProtocolVersion};
        match error {
            TlsError::AlertReceived(ProtocolVersion)
            | TlsError::PeerIncompatible(PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig)
                if version == TlsVersion::Tls13 =>
            {
                Self::OnlyTls12
            }
            TlsError::AlertReceived(ProtocolVersion)
            | TlsError::PeerIncompatible(PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig) => {
                Self::OnlyNewer
            }
            TlsError::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13) => Self::OnlyOlder,
            TlsError::AlertReceived(HandshakeFailure | InsufficientSecurity) if !chosen => {
                Self::NothingInCommon
            }
            TlsError::AlertReceived(alert) => Self::Alert(format!("{alert:?}")),
            TlsError::InvalidCertificate(error) => {
                Self::Untrusted { reason: Distrust::from(&error), detail: error.to_string() }
            }
            error => Self::Tls(error.to_string()),
        }
    }

    /// As [`Failure::new`], of a server that has asked for a certificate of the client's, or has not.
    pub(super) fn after(
        error: TlsError,
        version: TlsVersion,
        chosen: bool,
        requests: &CertificateRequests,
    ) -> Self {
        match error {
            TlsError::AlertReceived(alert) if requests.any() => {
                Self::DemandsCertificate(format!("{alert:?}"))
            }
            error => Self::new(error, version, chosen),
        }
    }
}

impl From<&CertificateError> for Distrust {
    fn from(error: &CertificateError) -> Self {
        use CertificateError as E;
        match error {
            E::NotValidForName | E::NotValidForNameContext { .. } => Self::Host,
            E::Expired | E::ExpiredContext { .. } | E::NotValidYet | E::NotValidYetContext { .. } => {
                Self::Time
            }
            E::UnknownIssuer => Self::Issuer,
            E::BadSignature => Self::Signature,
            _ => Self::Certificate,
        }
    }
}
