//! Trust in one certificate whose fingerprint is known beforehand.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, PeerIncompatible, SignatureScheme};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::hex;

/// The SHA-256 of a certificate's DER encoding, as `openssl x509 -fingerprint -sha256` shows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The fingerprint of a certificate in DER.
    #[must_use]
    pub fn of(certificate: &[u8]) -> Self {
        Self(Sha256::digest(certificate).into())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl FromStr for Fingerprint {
    type Err = Error;

    /// Reads 64 hexadecimal digits, in either case, with or without colons between bytes.
    fn from_str(text: &str) -> Result<Self, Error> {
        let error = || {
            let text = text.escape_debug();
            Error::Tls(format!("`{text}` is no SHA-256 fingerprint: expected 64 hexadecimal digits"))
        };
        let pairs: Vec<&str> = match text.contains(':') {
            true => text.split(':').collect(),
            false => (0..text.len()).step_by(2).filter_map(|at| text.get(at..at + 2)).collect(),
        };
        let byte = |pair: &str| hex::decode_array(pair.as_bytes()).map(|[byte]| byte);
        let bytes = pairs.into_iter().map(byte).collect::<Option<Vec<u8>>>().ok_or_else(error)?;
        // An odd digit at the end belongs to no pair, so the number of characters is checked too.
        let whole = matches!(text.len(), 64 | 95);
        bytes.try_into().ok().filter(|_| whole).map(Self).ok_or_else(error)
    }
}

/// Accepts exactly one certificate and ignores its content. The peer must still prove that it holds the key.
#[derive(Debug)]
pub(super) struct Pinned {
    pub(super) pin: Fingerprint,
    pub(super) provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        match Fingerprint::of(end_entity) == self.pin {
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
        verify_tls13_signature(message, cert, dss, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // printf abc | sha256sum; also FIPS 180-4's first example.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn fingerprint_is_the_sha256_and_reads_back_in_both_notations() {
        let fingerprint = Fingerprint::of(b"abc");
        assert_eq!(fingerprint.to_string(), ABC);
        assert_eq!(ABC.parse::<Fingerprint>().unwrap(), fingerprint);
        let pairs: Vec<String> = (0..32).map(|i| ABC[2 * i..2 * i + 2].to_uppercase()).collect();
        assert_eq!(pairs.join(":").parse::<Fingerprint>().unwrap(), fingerprint);
    }

    #[test]
    fn anything_else_is_no_fingerprint() {
        let colons = format!("{}:", "ab:".repeat(31));
        for text in [
            "",
            "ab",
            &ABC[1..],
            &format!("{ABC}0"),
            &format!("{ABC}00"),
            &ABC.replace('a', "g"),
            &colons,
            &ABC.replace("ba", "+a"),
            "\u{e9}",
        ] {
            assert!(matches!(text.parse::<Fingerprint>(), Err(Error::Tls(_))), "{text}");
        }
    }
}
