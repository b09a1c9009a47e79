//! Signatures of certificates and servers: ECDSA on P-256 and P-384, RSA.
//!
//! What is accepted is what ring accepts: points in the uncompressed form alone; keys and signatures in
//! strict DER; RSA with a modulus of 2,048 to 8,192 bits (a few less, as long as it takes as many bytes) and
//! an odd exponent from 3 to `2^33 - 1`; PSS with a salt as long as the hash.

use core::ops::RangeInclusive;

use p256::ecdsa::signature::hazmat::PrehashVerifier;
use rsa::pkcs1::RsaPublicKeyRef;
use rsa::pkcs1::der::Decode;
use rsa::{BoxedUint, Pkcs1v15Sign, Pss, PublicKey};
use rustls_pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// The bits of an RSA modulus.
const MODULUS_BITS: RangeInclusive<usize> = 2048 - 7..=8192;

/// The smallest exponent of RSA.
const MIN_EXPONENT: u64 = 3;

/// Whether these are a key's bytes, and a message with its signature.
type Verify = fn(&[u8], &[u8], &[u8]) -> Option<()>;

/// An algorithm, by the identifiers of its keys and signatures.
#[derive(Debug)]
struct Algorithm {
    key: AlgorithmIdentifier,
    signature: AlgorithmIdentifier,
    verify: Verify,
}

impl SignatureVerificationAlgorithm for Algorithm {
    fn verify_signature(&self, key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        (self.verify)(key, message, signature).ok_or(InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.key
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.signature
    }
}

/// A point in the uncompressed form: ring takes no other.
fn uncompressed(key: &[u8]) -> Option<&[u8]> {
    key.starts_with(&[4]).then_some(key)
}

fn p256<H: Digest>(key: &[u8], message: &[u8], signature: &[u8]) -> Option<()> {
    let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(uncompressed(key)?).ok()?;
    let signature = p256::ecdsa::Signature::from_der(signature).ok()?;
    key.verify_prehash(&H::digest(message), &signature).ok()
}

fn p384<H: Digest>(key: &[u8], message: &[u8], signature: &[u8]) -> Option<()> {
    let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(uncompressed(key)?).ok()?;
    let signature = p384::ecdsa::Signature::from_der(signature).ok()?;
    key.verify_prehash(&H::digest(message), &signature).ok()
}

/// A key of RSA from its DER (RFC 8017, appendix A.1.1).
fn rsa_key(der: &[u8]) -> Option<PublicKey> {
    let key = RsaPublicKeyRef::from_der(der).ok()?;
    let number = |bytes: &[u8]| BoxedUint::from_be_slice(bytes, 8 * u32::try_from(bytes.len()).ok()?).ok();
    let (modulus, exponent) = (key.modulus.as_bytes(), key.public_exponent.as_bytes());
    // Before numbers of any length are computed with.
    if modulus.len() > MODULUS_BITS.end() / 8 || exponent.len() > size_of::<u64>() {
        return None;
    }
    let exponent = number(exponent)?;
    if exponent < BoxedUint::from(MIN_EXPONENT) {
        return None;
    }
    PublicKey::new_with_size_limits(number(modulus)?, exponent, MODULUS_BITS).ok()
}

fn pkcs1<H: Digest + sha2::digest::const_oid::AssociatedOid>(
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Option<()> {
    rsa_key(key)?.verify(Pkcs1v15Sign::new::<H>(), &H::digest(message), signature).ok()
}

fn pss<H: Digest + sha2::digest::FixedOutputReset>(
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> Option<()> {
    rsa_key(key)?.verify(Pss::<H>::new(), &H::digest(message), signature).ok()
}

/// Declares algorithms.
macro_rules! algorithms {
    ($($(#[$doc:meta])* $name:ident = $key:ident, $signature:ident, $verify:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) static $name: &dyn SignatureVerificationAlgorithm =
                &Algorithm { key: alg_id::$key, signature: alg_id::$signature, verify: $verify };
        )*

        /// All of them.
        pub(crate) static ALL: &[&dyn SignatureVerificationAlgorithm] = &[$($name),*];
    };
}

algorithms! {
    /// ECDSA on P-256 with SHA-256.
    ECDSA_P256_SHA256 = ECDSA_P256, ECDSA_SHA256, p256::<Sha256>;
    /// ECDSA on P-256 with SHA-384, whose output is cut off.
    ECDSA_P256_SHA384 = ECDSA_P256, ECDSA_SHA384, p256::<Sha384>;
    /// ECDSA on P-384 with SHA-256.
    ECDSA_P384_SHA256 = ECDSA_P384, ECDSA_SHA256, p384::<Sha256>;
    /// ECDSA on P-384 with SHA-384.
    ECDSA_P384_SHA384 = ECDSA_P384, ECDSA_SHA384, p384::<Sha384>;
    /// RSA by PKCS #1, version 1.5, with SHA-256.
    RSA_PKCS1_2048_8192_SHA256 = RSA_ENCRYPTION, RSA_PKCS1_SHA256, pkcs1::<Sha256>;
    /// RSA by PKCS #1, version 1.5, with SHA-384.
    RSA_PKCS1_2048_8192_SHA384 = RSA_ENCRYPTION, RSA_PKCS1_SHA384, pkcs1::<Sha384>;
    /// RSA by PKCS #1, version 1.5, with SHA-512.
    RSA_PKCS1_2048_8192_SHA512 = RSA_ENCRYPTION, RSA_PKCS1_SHA512, pkcs1::<Sha512>;
    /// RSA by PSS with SHA-256, for keys that are for RSA in general.
    RSA_PSS_2048_8192_SHA256_LEGACY_KEY = RSA_ENCRYPTION, RSA_PSS_SHA256, pss::<Sha256>;
    /// RSA by PSS with SHA-384, for keys that are for RSA in general.
    RSA_PSS_2048_8192_SHA384_LEGACY_KEY = RSA_ENCRYPTION, RSA_PSS_SHA384, pss::<Sha384>;
    /// RSA by PSS with SHA-512, for keys that are for RSA in general.
    RSA_PSS_2048_8192_SHA512_LEGACY_KEY = RSA_ENCRYPTION, RSA_PSS_SHA512, pss::<Sha512>;
}
