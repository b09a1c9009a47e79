//! The authorities whose certificates are trusted.

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, TrustAnchor};

/// Why bytes cannot be used as roots.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RootsError {
    /// Text that is not PEM.
    #[error("the text of roots is not PEM: {0}")]
    Pem(String),
    /// Text without a certificate.
    #[error("there is no certificate in the text of roots; one begins with -----BEGIN CERTIFICATE-----")]
    Empty,
    /// Bytes that are not a certificate, or not that of an authority.
    #[error("root {number} is not a certificate that can be trusted: {error}")]
    Certificate {
        /// The certificate's number in the file, from 1.
        number: usize,
        /// What is wrong with it.
        error: webpki::Error,
    },
}

/// The authorities whose certificates are trusted.
#[derive(Clone, Debug, Default)]
pub struct Roots(Vec<TrustAnchor<'static>>);

impl Roots {
    /// No roots: no certificate is valid until some are added.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The roots of Mozilla's programme at the time of the build.
    #[must_use]
    pub fn public() -> Self {
        Self(webpki_roots::TLS_SERVER_ROOTS.to_vec())
    }

    /// Adds a certificate in DER.
    ///
    /// # Errors
    /// [`RootsError::Certificate`].
    pub fn add_der(&mut self, der: &[u8]) -> Result<(), RootsError> {
        let certificate = CertificateDer::from(der);
        let anchor = webpki::anchor_from_trusted_cert(&certificate);
        let anchor = anchor.map_err(|error| RootsError::Certificate { number: 1, error })?;
        self.0.push(anchor.to_owned());
        Ok(())
    }

    /// Adds all certificates of a PEM text, or none if one of them is invalid.
    ///
    /// # Errors
    /// Those of [`RootsError`].
    pub fn add_pem(&mut self, text: &[u8]) -> Result<(), RootsError> {
        let mut new = Self::none();
        for (i, certificate) in CertificateDer::pem_slice_iter(text).enumerate() {
            let certificate = certificate.map_err(|error| RootsError::Pem(error.to_string()))?;
            new.add_der(&certificate).map_err(|error| match error {
                RootsError::Certificate { error, .. } => RootsError::Certificate { number: i + 1, error },
                other => other,
            })?;
        }
        if new.0.is_empty() {
            return Err(RootsError::Empty);
        }
        self.0.append(&mut new.0);
        Ok(())
    }

    pub(crate) fn anchors(&self) -> &[TrustAnchor<'static>] {
        &self.0
    }
}
