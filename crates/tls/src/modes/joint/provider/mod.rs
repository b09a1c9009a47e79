//! An [`Engine`](super::Engine) in the form in which unmodified rustls takes its cryptography: a
//! `CryptoProvider`.
//!
//! rustls is the TLS state machine: it writes and reads the handshake, verifies the server's certificates,
//! its name and its signature over the key exchange, and frames records. Whenever it would compute with a
//! secret, it calls an object of its provider, and these objects call the engine. What rustls takes for
//! secrets are *handles*: 16 bytes that name the session and contain nothing secret.
//!
//! ```text
//! rustls 0.23, client of TLS 1.2           object                          engine               what rustls gets
//!
//! ServerHelloDone: certificates, name,
//!   signature are verified first           webpki
//!   start of the key exchange              SupportedKxGroup::start         public_key           the point, for ClientKeyExchange
//!   its end                                ActiveKeyExchange::complete     agree                handle
//!                                          Prf::for_key_exchange           master_secret        handle, then zeros
//!   "key expansion"                        Prf::for_secret                 key_block, once      handle, handle, zeros
//!   "client finished"                      Prf::for_secret                 client_finished      the contents of Finished
//!   Finished, first record                 MessageEncrypter                encrypt              the record
//! server's Finished, its first record      MessageDecrypter                                     a placeholder
//!   "server finished"                      Prf::for_secret                                      the same placeholder
//! the request, each record                 MessageEncrypter                encrypt              the record
//! ```
//!
//! rustls verifies the certificates first (`client/tls12.rs`, `ExpectServerDone`: the chain, then the
//! signature, only then `start`), and tests rely on that: whatever is altered in the server's certificate or
//! key exchange, the engine gets no call.
//!
//! # Caveats
//!
//! - **Objects of a provider are `'static`** and their methods take no session. So each session runs on a
//!   thread of its own ([`with_engine`]), as that thread's current session. The engine, which borrows a
//!   channel and more, stays on its owner's thread and answers the calls from there. Handles of any other
//!   session are refused.
//! - **Some calls cannot fail**: `for_secret`, `encrypter` and `decrypter` have no error to return, and
//!   rustls unwraps what `encrypt` returns. So the first error is *latched* in the [`Session`], no further
//!   call reaches the engine, and rustls gets filler from then on. The driver asks [`Session::check`] before
//!   it sends anything, and sends nothing once there is an error.
//! - **rustls encrypts alerts on its own**, which would use up records that were prepared for the request.
//!   They become filler, too, and the same check holds them back. (After an error not even an alert in the
//!   clear is sent.)
//! - **The key block may be requested more than once** (for the record layer, and again when secrets are
//!   extracted). The engine derives it once.
//! - **The server's Finished cannot be verified while the connection is open**, because P cannot decrypt it.
//!   rustls compares one placeholder with another. Only after V has opened its part do the checks of both
//!   parties decide whether the handshake, and everything else, came from the server; nothing here replaces
//!   these checks. Until then P relies on the server's signature over its ephemeral key, so only the owner of
//!   that key's secret can read the request. The [module above](super) explains why that is enough even if V
//!   is on the path.
//! - **Nothing after that Finished can be decrypted at once**, so rustls must not see it. The driver gives
//!   rustls one record at a time, and none after that.

mod cipher;
mod group;
mod prf;
mod session;
#[cfg(test)]
mod tests;

pub(super) use session::{Session, with_engine};

use rustls::crypto::{CryptoProvider, KeyExchangeAlgorithm, WebPkiSupportedAlgorithms, ring};
use rustls::{CipherSuite, CipherSuiteCommon, SignatureScheme, SupportedCipherSuite, Tls12CipherSuite};
use webpki::ring as algorithms;

use crate::wire::key_exchange::Group;
use crate::wire::server;

/// The suites, groups and signatures about which something can be proved, over the current session's engine.
pub(super) fn provider() -> CryptoProvider {
    CryptoProvider {
        cipher_suites: vec![SupportedCipherSuite::Tls12(&ECDSA), SupportedCipherSuite::Tls12(&RSA)],
        kx_groups: vec![&group::Ecdhe(Group::P256), &group::Ecdhe(Group::X25519)],
        signature_verification_algorithms: SIGNATURES,
        ..ring::default_provider()
    }
}

static ECDSA: Tls12CipherSuite = suite(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, ECDSA_SCHEMES);

static RSA: Tls12CipherSuite = suite(CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, RSA_SCHEMES);

const fn suite(suite: CipherSuite, sign: &'static [SignatureScheme]) -> Tls12CipherSuite {
    // The hash is of public messages.
    let SupportedCipherSuite::Tls12(pool) = ring::cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 else {
        panic!("a suite of TLS 1.2");
    };
    let CipherSuiteCommon { hash_provider, confidentiality_limit, .. } = pool.common;
    Tls12CipherSuite {
        common: CipherSuiteCommon { suite, hash_provider, confidentiality_limit },
        prf_provider: &prf::Derivation,
        kx: KeyExchangeAlgorithm::ECDHE,
        sign,
        aead_alg: &cipher::Records,
    }
}

const ECDSA_SCHEMES: &[SignatureScheme] =
    &[SignatureScheme::ECDSA_NISTP256_SHA256, SignatureScheme::ECDSA_NISTP384_SHA384];

const RSA_SCHEMES: &[SignatureScheme] = &[
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PSS_SHA384,
    SignatureScheme::RSA_PSS_SHA512,
    SignatureScheme::RSA_PKCS1_SHA256,
    SignatureScheme::RSA_PKCS1_SHA384,
    SignatureScheme::RSA_PKCS1_SHA512,
];

/// Exactly what V accepts in [`server`]: a server with another signature should fail here, not after all the
/// work is done.
const SIGNATURES: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
    all: server::CHAIN,
    mapping: &[
        (
            SignatureScheme::ECDSA_NISTP256_SHA256,
            &[algorithms::ECDSA_P256_SHA256, algorithms::ECDSA_P384_SHA256],
        ),
        (
            SignatureScheme::ECDSA_NISTP384_SHA384,
            &[algorithms::ECDSA_P384_SHA384, algorithms::ECDSA_P256_SHA384],
        ),
        (SignatureScheme::RSA_PSS_SHA256, &[algorithms::RSA_PSS_2048_8192_SHA256_LEGACY_KEY]),
        (SignatureScheme::RSA_PSS_SHA384, &[algorithms::RSA_PSS_2048_8192_SHA384_LEGACY_KEY]),
        (SignatureScheme::RSA_PSS_SHA512, &[algorithms::RSA_PSS_2048_8192_SHA512_LEGACY_KEY]),
        (SignatureScheme::RSA_PKCS1_SHA256, &[algorithms::RSA_PKCS1_2048_8192_SHA256]),
        (SignatureScheme::RSA_PKCS1_SHA384, &[algorithms::RSA_PKCS1_2048_8192_SHA384]),
        (SignatureScheme::RSA_PKCS1_SHA512, &[algorithms::RSA_PKCS1_2048_8192_SHA512]),
    ],
};
