//! A public key instead of a certificate (RFC 7250): for peers that know the key beforehand, and have no use
//! for names and dates.
//!
//! The key may sign other things too: a notary's key also signs attestations. No signature can serve for
//! both. What TLS 1.3 signs begins with 64 spaces and its own name (RFC 8446, section 4.4.3), so nothing else
//! that the key signs may begin like that.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::sign::any_eddsa_type;
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls13_signature_with_raw_key};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::sign::SigningKey;
use rustls::{CertificateError, DigitallySignedStruct, PeerIncompatible, SignatureScheme};
use zeroize::Zeroizing;

use crate::error::Error;

/// The bytes before the 32 bytes of an Ed25519 public key in its `SubjectPublicKeyInfo` (RFC 8410).
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The bytes before the 32 bytes of an Ed25519 secret key in PKCS #8, version 1 (RFC 8410).
const PKCS8: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// A secret key in the form that the TLS library takes, and the public key that the listening side presents.
pub(super) fn key_and_spki(seed: &[u8; 32]) -> Result<(Arc<dyn SigningKey>, CertificateDer<'static>), Error> {
    let mut der = Zeroizing::new([0; PKCS8.len() + 32]);
    let (head, tail) = der.split_at_mut(PKCS8.len());
    head.copy_from_slice(&PKCS8);
    tail.copy_from_slice(seed);
    let der = PrivatePkcs8KeyDer::from(&der[..]);
    let key = any_eddsa_type(&der).map_err(|error| Error::Tls(error.to_string()))?;
    let spki = key.public_key().map(|spki| CertificateDer::from(spki.to_vec()));
    let spki = spki.ok_or_else(|| Error::Tls("a key that does not tell its public half".into()))?;
    Ok((key, spki))
}

/// Accepts exactly one key. The peer must still prove that it holds the secret half.
#[derive(Debug)]
pub(super) struct RawKey {
    spki: Vec<u8>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl RawKey {
    pub(super) fn new(key: &[u8; 32], provider: &CryptoProvider) -> Self {
        Self { spki: [&SPKI[..], key].concat(), algorithms: provider.signature_verification_algorithms }
    }
}

impl ServerCertVerifier for RawKey {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match **end_entity == *self.spki && intermediates.is_empty() {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(PeerIncompatible::ServerDoesNotSupportTls12Or13.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let spki = SubjectPublicKeyInfoDer::from(cert.as_ref());
        verify_tls13_signature_with_raw_key(message, &spki, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
