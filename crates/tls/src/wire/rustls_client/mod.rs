//! The configuration of unmodified rustls as a client, in each mode: one version of TLS with what can be
//! proved, and nothing else.

pub(crate) mod exchange;

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, Error, RootCertStore, SupportedProtocolVersion};

use crate::wire::server::Roots;

/// The only protocol that client and server may agree on, if they agree on one (ALPN).
pub(crate) const HTTP: &[u8] = b"http/1.1";

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
