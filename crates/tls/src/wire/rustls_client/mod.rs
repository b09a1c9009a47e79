//! The configuration of unmodified rustls as a client, in each mode: one version of TLS with what can be
//! proved, and nothing else.

pub(crate) mod exchange;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustls::client::{ResolvesClientCert, Resumption};
use rustls::crypto::CryptoProvider;
use rustls::sign::CertifiedKey;
use rustls::{
    ClientConfig, Error, RootCertStore, SignatureScheme, SupportedCipherSuite, SupportedProtocolVersion,
};

use crate::wire::library::cipher_suite;
use crate::wire::server::Roots;
use crate::wire::suite::Suite;
use crate::wire::version::TlsVersion;

/// The only protocol that client and server may agree on, if they agree on one (ALPN).
pub(crate) const HTTP: &[u8] = b"http/1.1";

/// The library's own suites of a version that are these of ours, in their order: with TLS 1.2, for each kind
/// of the server's key.
pub(crate) fn suites(version: TlsVersion, suites: &[Suite]) -> Vec<SupportedCipherSuite> {
    let of = |suite: &Suite| match (version, suite) {
        (TlsVersion::Tls12, Suite::Aes128GcmSha256) => vec![
            cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
            cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        ],
        (TlsVersion::Tls12, Suite::Aes256GcmSha384) => vec![
            cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
            cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        ],
        (TlsVersion::Tls12, Suite::ChaCha20Poly1305Sha256) => vec![
            cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
            cipher_suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ],
        (TlsVersion::Tls13, Suite::Aes128GcmSha256) => vec![cipher_suite::TLS13_AES_128_GCM_SHA256],
        (TlsVersion::Tls13, Suite::Aes256GcmSha384) => vec![cipher_suite::TLS13_AES_256_GCM_SHA384],
        (TlsVersion::Tls13, Suite::ChaCha20Poly1305Sha256) => {
            vec![cipher_suite::TLS13_CHACHA20_POLY1305_SHA256]
        }
    };
    suites.iter().flat_map(of).collect()
}

/// Whether the server asked for a certificate of the client's. It gets none.
#[derive(Debug, Default)]
pub(crate) struct CertificateRequests(AtomicBool);

impl CertificateRequests {
    /// Notes the requests to clients of this configuration, which has no certificate.
    pub(crate) fn of(config: &mut ClientConfig) -> Arc<Self> {
        let requests = Arc::new(Self::default());
        config.client_auth_cert_resolver = Arc::clone(&requests) as Arc<dyn ResolvesClientCert>;
        requests
    }

    /// Whether there was one.
    pub(crate) fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl ResolvesClientCert for CertificateRequests {
    fn resolve(&self, _: &[&[u8]], _: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.0.store(true, Ordering::Relaxed);
        None
    }

    fn has_certs(&self) -> bool {
        false
    }
}

/// A client of these versions that trusts `roots` and computes with `provider`. It resumes no sessions,
/// because a server does not sign those.
///
/// # Errors
/// If the provider has nothing for these versions.
pub(crate) fn config(
    provider: CryptoProvider,
    versions: &[&'static SupportedProtocolVersion],
    roots: &Roots,
) -> Result<ClientConfig, Error> {
    let roots = RootCertStore { roots: roots.anchors().to_vec() };
    let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(versions)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    config.alpn_protocols = vec![HTTP.to_vec()];
    Ok(config)
}
