//! TLS settings, read from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{AlwaysResolvesServerRawPublicKeys, WantsServerCert};
use rustls::sign::CertifiedKey;
use rustls::version::TLS13;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, ServerConfig};

use super::pin::{Fingerprint, Pinned};
use super::raw_key::{RawKey, key_and_spki};
use crate::error::Error;

/// Keeps a client of this protocol from talking to another TLS service that holds the same certificate.
const ALPN: &[u8] = b"volery";

/// What browsers offer. A client that has agreed on it begins a WebSocket.
pub(super) const HTTP: &[u8] = b"http/1.1";

/// What the connecting side trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Certificates issued by one of the authorities in this PEM file, for the name connected to.
    Roots(PathBuf),
    /// Exactly the certificate with this fingerprint, whatever its name, issuer or dates.
    Pin(Fingerprint),
    /// Exactly this Ed25519 public key, which the peer presents without a certificate (RFC 7250).
    Key([u8; 32]),
}

/// Settings of the connecting side.
///
/// # Errors
/// [`Error::Tls`] if the file of authorities is missing, empty or malformed.
pub fn client_config(trust: &Trust) -> Result<Arc<ClientConfig>, Error> {
    let provider = provider();
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| Error::Tls(error.to_string()))?;
    let mut config = match trust {
        Trust::Roots(path) => builder.with_root_certificates(roots(path)?),
        Trust::Pin(pin) => {
            let verifier = Arc::new(Pinned { pin: *pin, provider });
            builder.dangerous().with_custom_certificate_verifier(verifier)
        }
        Trust::Key(key) => {
            let verifier = Arc::new(RawKey::new(key, &provider));
            builder.dangerous().with_custom_certificate_verifier(verifier)
        }
    }
    .with_no_client_auth();
    config.resumption = Resumption::disabled();
    config.alpn_protocols = vec![ALPN.to_vec()];
    Ok(Arc::new(config))
}

/// Settings of the listening side. The first PEM file has its certificate, followed by the issuers' up to the
/// root; the second has its private key. Also returns the certificate's fingerprint, for peers that pin it.
///
/// # Errors
/// [`Error::Tls`] if a file is missing, empty or malformed, or the key does not belong to the certificate.
pub fn server_config(chain: &Path, key: &Path) -> Result<(Arc<ServerConfig>, Fingerprint), Error> {
    let certificates = certificates(chain)?;
    let fingerprint = certificates.first().map(|first| Fingerprint::of(first));
    let fingerprint = fingerprint.ok_or_else(|| in_file(chain, "no certificate"))?;
    let key_der = PrivateKeyDer::from_pem_file(key).map_err(|error| in_file(key, &error))?;
    let config = server()?.with_single_cert(certificates, key_der).map_err(|error| in_file(key, &error))?;
    Ok((finish(config, &[ALPN, HTTP]), fingerprint))
}

/// Settings of a listening side that presents an Ed25519 public key and no certificate (RFC 7250), for peers
/// that know the key ([`Trust::Key`]). `seed` is the secret key, as RFC 8032 defines it.
///
/// # Errors
/// [`Error::Tls`] if the TLS library does not accept the key.
pub fn raw_key_server_config(seed: &[u8; 32]) -> Result<Arc<ServerConfig>, Error> {
    let (key, spki) = key_and_spki(seed)?;
    let shown = Arc::new(CertifiedKey::new(vec![spki], key));
    let resolver = Arc::new(AlwaysResolvesServerRawPublicKeys::new(shown));
    // No browser takes a key without a certificate.
    Ok(finish(server()?.with_cert_resolver(resolver), &[ALPN]))
}

/// The public key of the secret key `seed`: what peers of [`raw_key_server_config`] know ([`Trust::Key`]).
///
/// # Errors
/// [`Error::Tls`] if the TLS library does not accept the key.
pub fn raw_public_key(seed: &[u8; 32]) -> Result<[u8; 32], Error> {
    let (_, spki) = key_and_spki(seed)?;
    let key = spki.last_chunk().copied();
    key.ok_or_else(|| Error::Tls("a public key of fewer than 32 bytes".into()))
}

/// A listening side that speaks only TLS 1.3 and asks for no client certificate.
fn server() -> Result<ConfigBuilder<ServerConfig, WantsServerCert>, Error> {
    let builder = ServerConfig::builder_with_provider(provider()).with_protocol_versions(&[&TLS13]);
    Ok(builder.map_err(|error| Error::Tls(error.to_string()))?.with_no_client_auth())
}

fn finish(mut config: ServerConfig, protocols: &[&[u8]]) -> Arc<ServerConfig> {
    config.send_tls13_tickets = 0;
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    Arc::new(config)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn roots(path: &Path) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|error| in_file(path, &error))?;
    }
    Ok(roots)
}

/// Reads at least one certificate.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| in_file(path, &error))?;
    if certificates.is_empty() {
        return Err(in_file(path, "no certificate in PEM format"));
    }
    Ok(certificates)
}

fn in_file(path: &Path, reason: impl ToString) -> Error {
    Error::Tls(format!("{}: {}", path.display(), reason.to_string()))
}
