//! The server of a transcript: the proof that its bytes come from a named host.
//!
//! ```text
//! certificates  --chain-->  a root that is trusted, at a time      webpki's rules, those of rustls
//!      |        --name--->  the host that the caller means
//!      |        --key---->  verifies the signature over  client_random | server_random | ServerECDHParams     TLS 1.2: RFC 8422, section 5.4
//!      |                                                 64 spaces | its name | 0 | hash of the messages      TLS 1.3: RFC 8446, section 4.4.3
//! ```
//!
//! The randoms, and the hash, are those of this connection, so the server, or somebody who has its key, took
//! part in it with this ephemeral point. The proofs and the server's Finished show that the records' keys
//! come from this point; neither is worth anything without the other.
//!
//! The host name that the client sent in the clear must be the intended one: one certificate may serve
//! several hosts, and the server uses that name to choose which of them it answers for. (The `Host` header of
//! a request is encrypted; it is part of the payload and checked there.)
//!
//! Revocation is not checked: most browsers do not either, and V would have to ask a third party. A root that
//! the caller adds is trusted for every name.

mod roots;
mod signature;
#[cfg(test)]
mod tests;

pub use roots::{Roots, RootsError};

use rustls_pki_types::{CertificateDer, ServerName, SignatureVerificationAlgorithm, UnixTime};
use sha2::{Digest, Sha256};
use webpki::{EndEntityCert, KeyUsage};

use crate::wire::library::signature as algorithm;

/// Why a server is not the intended one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The host's name is neither a DNS name nor an IP address.
    #[error("`{0}` is neither a host name nor an IP address")]
    Name(String),
    /// The client asked the server for another host.
    #[error("the client asked for {}, not for {expected}", found.as_deref().unwrap_or("no host by name"))]
    Sni {
        /// The intended host; `no host by name` if that is an IP address.
        expected: String,
        /// The name in the client's hello.
        found: Option<String>,
    },
    /// The chain does not lead from the server's certificate to a root, for a TLS server and at this time.
    #[error("the server's certificates are not valid: {0}")]
    Chain(webpki::Error),
    /// The server's certificate is for other hosts.
    #[error("the server's certificate is not for {host}: {error}")]
    Host {
        /// The intended host.
        host: String,
        /// What is wrong.
        error: webpki::Error,
    },
    /// The signature over the key exchange was not made with the certificate's key.
    #[error("the server's signature over its key exchange is not valid, so this is not its connection: {0}")]
    Signature(webpki::Error),
}

/// A server whose certificate and signature were verified. Verification is the only way to get one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    name: String,
    certificate: [u8; 32],
    time: u64,
}

impl Identity {
    /// The host: a DNS name in lower case or an IP address, in canonical form.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 of its certificate's DER.
    #[must_use]
    pub fn certificate(&self) -> &[u8; 32] {
        &self.certificate
    }

    /// The time at which the certificates are valid, in seconds since 1970 (UTC).
    #[must_use]
    pub fn time(&self) -> u64 {
        self.time
    }
}

/// What a handshake of either version says about its server.
pub(crate) trait Authenticated {
    /// The host that the client asked for, if it named one.
    fn sni(&self) -> Option<&str>;

    /// The server's chain, its own certificate first.
    fn certificates(&self) -> &[CertificateDer<'static>];

    /// The server's signature over the key exchange.
    fn signature(&self) -> Signature<'_>;

    /// The protocol that the server chose for the payload (ALPN), if any.
    fn alpn(&self) -> Option<&[u8]>;
}

/// A signature.
pub(crate) struct Signature<'a> {
    /// What was signed.
    pub(crate) message: Vec<u8>,
    /// The algorithms that the scheme may mean. More than one if it does not name the curve of its key.
    pub(crate) algorithms: Vec<&'static dyn SignatureVerificationAlgorithm>,
    /// The signature's bytes.
    pub(crate) signature: &'a [u8],
}

/// Verifies that the server of `handshake` is the host `name` at `time`, in seconds since 1970 (UTC).
///
/// # Errors
/// Those of [`enum@Error`], in the order in which they are listed.
pub(crate) fn verify(
    handshake: &dyn Authenticated,
    name: &str,
    roots: &Roots,
    time: u64,
) -> Result<Identity, Error> {
    let name = canonical(name)?;
    let shown = name.to_str().into_owned();
    same_host(handshake.sni(), &name)?;
    let [own, intermediates @ ..] = handshake.certificates() else {
        return Err(Error::Chain(webpki::Error::BadDer));
    };
    let certificate = EndEntityCert::try_from(own).map_err(Error::Chain)?;
    let at = UnixTime::since_unix_epoch(core::time::Duration::from_secs(time));
    certificate
        .verify_for_usage(CHAIN, roots.anchors(), intermediates, at, KeyUsage::server_auth(), None, None)
        .map_err(Error::Chain)?;
    certificate
        .verify_is_valid_for_subject_name(&name)
        .map_err(|error| Error::Host { host: shown.clone(), error })?;
    verify_signature(&certificate, &handshake.signature())?;
    Ok(Identity { name: shown, certificate: Sha256::digest(own).into(), time })
}

/// The canonical form of a host: a DNS name in lower case, or an IP address.
///
/// # Errors
/// [`Error::Name`] for anything else.
pub(crate) fn canonical_name(name: &str) -> Result<String, Error> {
    Ok(canonical(name)?.to_str().into_owned())
}

/// A name in the form in which it is compared and shown.
fn canonical(name: &str) -> Result<ServerName<'static>, Error> {
    let parsed = ServerName::try_from(name.to_owned()).ok().filter(|_| !name.ends_with('.'));
    match parsed.ok_or_else(|| Error::Name(name.into()))? {
        ServerName::DnsName(name) => Ok(ServerName::DnsName(name.to_lowercase_owned())),
        other => Ok(other),
    }
}

/// Checks that a client which asks for `sni`, or for no host by name, asks for this host.
///
/// # Errors
/// [`Error::Name`], [`Error::Sni`].
pub(crate) fn asks_for(sni: Option<&str>, host: &str) -> Result<(), Error> {
    same_host(sni, &canonical(host)?)
}

/// Checks that the client asked for this host: by name, or without a name for an IP address (RFC 6066,
/// section 3).
fn same_host(found: Option<&str>, name: &ServerName<'_>) -> Result<(), Error> {
    let (same, expected) = match name {
        ServerName::DnsName(name) => {
            (found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_ref())), name.as_ref())
        }
        _ => (found.is_none(), "no host by name"),
    };
    if same { Ok(()) } else { Err(Error::Sni { expected: expected.into(), found: found.map(str::to_owned) }) }
}

/// The algorithms that certificates may be signed with: all that rustls accepts, except for curves and
/// schemes that no public authority uses.
pub(crate) const CHAIN: &[&dyn SignatureVerificationAlgorithm] = &[
    algorithm::ECDSA_P256_SHA256,
    algorithm::ECDSA_P256_SHA384,
    algorithm::ECDSA_P384_SHA256,
    algorithm::ECDSA_P384_SHA384,
    algorithm::RSA_PKCS1_2048_8192_SHA256,
    algorithm::RSA_PKCS1_2048_8192_SHA384,
    algorithm::RSA_PKCS1_2048_8192_SHA512,
    algorithm::RSA_PSS_2048_8192_SHA256_LEGACY_KEY,
    algorithm::RSA_PSS_2048_8192_SHA384_LEGACY_KEY,
    algorithm::RSA_PSS_2048_8192_SHA512_LEGACY_KEY,
];

/// Checks that the server signed the key exchange of this connection.
fn verify_signature(certificate: &EndEntityCert<'_>, signed: &Signature<'_>) -> Result<(), Error> {
    let Signature { message, algorithms, signature } = signed;
    let mut result = Err(webpki::Error::InvalidSignatureForPublicKey);
    for algorithm in algorithms {
        result = certificate.verify_signature(*algorithm, message, signature);
        // The key may be on the scheme's other curve.
        if !matches!(result, Err(webpki::Error::UnsupportedSignatureAlgorithmForPublicKeyContext(_))) {
            break;
        }
    }
    result.map_err(Error::Signature)
}
