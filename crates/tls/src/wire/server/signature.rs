//! What the server of each version signs, and with which algorithms.

use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};

use super::{Authenticated, Signature};
use crate::wire::library::signature as library;
use crate::wire::transcript::tls13;
use crate::wire::transcript::{Handshake, Scheme};

impl Authenticated for Handshake {
    fn sni(&self) -> Option<&str> {
        self.sni.as_deref()
    }

    fn certificates(&self) -> &[CertificateDer<'static>] {
        &self.certificates
    }

    fn signature(&self) -> Signature<'_> {
        let Self { client_random, server_random, params, scheme, signature, .. } = self;
        let message = [&client_random[..], server_random, params].concat();
        let algorithms = match scheme {
            // In TLS 1.2 the scheme does not name the curve.
            Scheme::EcdsaSha256 => vec![library::ECDSA_P256_SHA256, library::ECDSA_P384_SHA256],
            Scheme::EcdsaSha384 => vec![library::ECDSA_P256_SHA384, library::ECDSA_P384_SHA384],
            other => vec![algorithm(*other)],
        };
        Signature { message, algorithms, signature }
    }

    fn alpn(&self) -> Option<&[u8]> {
        self.alpn.as_deref()
    }
}

impl Authenticated for tls13::Handshake {
    fn sni(&self) -> Option<&str> {
        self.hello.sni.as_deref()
    }

    fn certificates(&self) -> &[CertificateDer<'static>] {
        &self.certificates
    }

    fn signature(&self) -> Signature<'_> {
        let message =
            [&[b' '; 64][..], b"TLS 1.3, server CertificateVerify\0", self.signed_hash.as_ref()].concat();
        Signature { message, algorithms: vec![algorithm(self.scheme)], signature: &self.signature }
    }

    fn alpn(&self) -> Option<&[u8]> {
        self.alpn.as_deref()
    }
}

/// The algorithm of a scheme whose curve, if it has one, has the size of its hash.
fn algorithm(scheme: Scheme) -> &'static dyn SignatureVerificationAlgorithm {
    match scheme {
        Scheme::EcdsaSha256 => library::ECDSA_P256_SHA256,
        Scheme::EcdsaSha384 => library::ECDSA_P384_SHA384,
        Scheme::Pkcs1Sha256 => library::RSA_PKCS1_2048_8192_SHA256,
        Scheme::Pkcs1Sha384 => library::RSA_PKCS1_2048_8192_SHA384,
        Scheme::Pkcs1Sha512 => library::RSA_PKCS1_2048_8192_SHA512,
        Scheme::PssSha256 => library::RSA_PSS_2048_8192_SHA256_LEGACY_KEY,
        Scheme::PssSha384 => library::RSA_PSS_2048_8192_SHA384_LEGACY_KEY,
        Scheme::PssSha512 => library::RSA_PSS_2048_8192_SHA512_LEGACY_KEY,
    }
}
