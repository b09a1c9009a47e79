//! RustCrypto's crates, in the form in which rustls and webpki take their cryptography.

pub(crate) mod cipher_suite;
mod hash;
pub(crate) mod kx_group;
mod records;
pub(crate) mod signature;

#[cfg(test)]
pub(super) use hash::SHA256;

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, GetRandomFailed, KeyProvider, SecureRandom, WebPkiSupportedAlgorithms};
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::SigningKey;
use rustls::{Error, SignatureScheme};

/// All suites, groups and signatures of this module.
pub(crate) fn default_provider() -> CryptoProvider {
    CryptoProvider {
        cipher_suites: cipher_suite::ALL.to_vec(),
        kx_groups: vec![kx_group::X25519, kx_group::SECP256R1],
        signature_verification_algorithms: SIGNATURES,
        secure_random: &System,
        key_provider: &System,
    }
}

/// What a scheme of TLS stands for. In TLS 1.2 it does not name the curve.
const SIGNATURES: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: signature::ALL,
    mapping: &[
        (
            SignatureScheme::ECDSA_NISTP384_SHA384,
            &[signature::ECDSA_P384_SHA384, signature::ECDSA_P256_SHA384],
        ),
        (
            SignatureScheme::ECDSA_NISTP256_SHA256,
            &[signature::ECDSA_P256_SHA256, signature::ECDSA_P384_SHA256],
        ),
        (SignatureScheme::RSA_PSS_SHA512, &[signature::RSA_PSS_2048_8192_SHA512_LEGACY_KEY]),
        (SignatureScheme::RSA_PSS_SHA384, &[signature::RSA_PSS_2048_8192_SHA384_LEGACY_KEY]),
        (SignatureScheme::RSA_PSS_SHA256, &[signature::RSA_PSS_2048_8192_SHA256_LEGACY_KEY]),
        (SignatureScheme::RSA_PKCS1_SHA512, &[signature::RSA_PKCS1_2048_8192_SHA512]),
        (SignatureScheme::RSA_PKCS1_SHA384, &[signature::RSA_PKCS1_2048_8192_SHA384]),
        (SignatureScheme::RSA_PKCS1_SHA256, &[signature::RSA_PKCS1_2048_8192_SHA256]),
    ],
};

/// The operating system, or the engine of JavaScript.
#[derive(Debug)]
struct System;

impl SecureRandom for System {
    fn fill(&self, place: &mut [u8]) -> Result<(), GetRandomFailed> {
        getrandom::fill(place).map_err(|_| GetRandomFailed)
    }
}

/// A client of ours has no key of its own.
impl KeyProvider for System {
    fn load_private_key(&self, _: PrivateKeyDer<'static>) -> Result<Arc<dyn SigningKey>, Error> {
        Err(Error::General("there are no keys of clients here".into()))
    }
}
