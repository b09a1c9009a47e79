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
//! In TLS 1.3 P may know the secrets of the handshake, so rustls gets them as they are and computes with them
//! by itself: it opens the server's flight, verifies everything, and makes its Finished message. Secrets of
//! which neither party knows anything are handles again.
//!
//! ```text
//! rustls 0.23, client of TLS 1.3           object                          engine               what rustls gets
//!
//! ClientHello
//!   start, for both groups                 SupportedKxGroup::start         public_key           the points
//! ServerHello: the end of the exchange     ActiveKeyExchange::complete     agree                handle
//!   Extract                                Hkdf::extract_from_secret                            the handshake secret's object
//!   "c hs traffic", "s hs traffic"         HkdfExpander::expand_block      handshake_secrets    both secrets
//! the server's flight: certificates, name, signature, Finished are verified by rustls alone
//!   "derived", Extract                     HkdfExpander, Hkdf                                   handle, the master secret's object
//!   "c ap traffic", "s ap traffic"         HkdfExpander::expand_block      data_keys, once      handles
//!   "exp master", "res master"             HkdfExpander::expand_block                           zeros
//! Finished                                 rustls alone
//! the request, each record                 MessageEncrypter                encrypt              the record
//! ```
//!
//! In TLS 1.2 rustls verifies the certificates first (`client/tls12.rs`, `ExpectServerDone`: the chain, then
//! the signature, only then `start`), and tests rely on that: whatever is altered in the server's certificate
//! or key exchange, the engine gets no call.
//!
//! # Caveats
//!
//! - **Objects of a provider are `'static`** and their methods take no session. So a connection's session,
//!   and the engine, which borrows a channel and more, are lent to the thread for as long as the connection
//!   lives ([`with_engine`]), and the objects find both there. Handles of any other session are refused, and
//!   so are calls of an object that belongs to another one.
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
mod hkdf;
mod prf;
mod session;
#[cfg(test)]
mod tests;

pub(super) use session::{Session, with_engine};

use rustls::crypto::{CryptoProvider, KeyExchangeAlgorithm, SupportedKxGroup, WebPkiSupportedAlgorithms};
use rustls::{CipherSuiteCommon, SignatureScheme, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};

use crate::wire::library::{self, signature as algorithms};
use crate::wire::server;
use crate::wire::suite::Suite;
use crate::wire::version::TlsVersion;

/// The suite that was prepared, with the groups and signatures of this version about which something can be
/// proved, over the current session's engine.
pub(super) fn provider(version: TlsVersion, suite: Suite) -> CryptoProvider {
    let (cipher_suites, kx_groups): (Vec<_>, Vec<&'static dyn SupportedKxGroup>) = match version {
        TlsVersion::Tls12 => (
            tls12(suite).into_iter().map(SupportedCipherSuite::Tls12).collect(),
            vec![&group::P256_ALONE, &group::X25519_ALONE],
        ),
        TlsVersion::Tls13 => {
            (vec![SupportedCipherSuite::Tls13(tls13(suite))], vec![&group::BOTH, &group::P256_ALONE])
        }
    };
    let signature_verification_algorithms = SIGNATURES;
    CryptoProvider {
        cipher_suites,
        kx_groups,
        signature_verification_algorithms,
        ..library::default_provider()
    }
}

/// This suite of TLS 1.2, for keys of each kind.
fn tls12(suite: Suite) -> [&'static Tls12CipherSuite; 2] {
    match suite {
        Suite::Aes128GcmSha256 => [&ECDSA_AES_128, &RSA_AES_128],
        Suite::Aes256GcmSha384 => [&ECDSA_AES_256, &RSA_AES_256],
        Suite::ChaCha20Poly1305Sha256 => [&ECDSA_CHACHA20, &RSA_CHACHA20],
    }
}

/// This suite of TLS 1.3.
fn tls13(suite: Suite) -> &'static Tls13CipherSuite {
    match suite {
        Suite::Aes128GcmSha256 => &AES_128,
        Suite::Aes256GcmSha384 => &AES_256,
        Suite::ChaCha20Poly1305Sha256 => &CHACHA20,
    }
}

/// The library's own suites, for what P may know.
const LIBRARY_AES_128: &Tls13CipherSuite = library(&library::cipher_suite::TLS13_AES_128_GCM_SHA256);
const LIBRARY_AES_256: &Tls13CipherSuite = library(&library::cipher_suite::TLS13_AES_256_GCM_SHA384);
const LIBRARY_CHACHA20: &Tls13CipherSuite = library(&library::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256);

const fn library(suite: &'static SupportedCipherSuite) -> &'static Tls13CipherSuite {
    match suite {
        SupportedCipherSuite::Tls13(suite) => suite,
        _ => panic!("a suite of TLS 1.3"),
    }
}

/// The same suites for data that nobody knows.
static AES_128: Tls13CipherSuite =
    suite_tls13(LIBRARY_AES_128, &hkdf::Derivation(LIBRARY_AES_128), &cipher::RecordsTls13(LIBRARY_AES_128));
static AES_256: Tls13CipherSuite =
    suite_tls13(LIBRARY_AES_256, &hkdf::Derivation(LIBRARY_AES_256), &cipher::RecordsTls13(LIBRARY_AES_256));

static CHACHA20: Tls13CipherSuite = suite_tls13(
    LIBRARY_CHACHA20,
    &hkdf::Derivation(LIBRARY_CHACHA20),
    &cipher::RecordsTls13(LIBRARY_CHACHA20),
);

const fn suite_tls13(
    library: &'static Tls13CipherSuite,
    hkdf_provider: &'static hkdf::Derivation,
    aead_alg: &'static cipher::RecordsTls13,
) -> Tls13CipherSuite {
    let CipherSuiteCommon { suite, hash_provider, confidentiality_limit } = library.common;
    Tls13CipherSuite {
        common: CipherSuiteCommon { suite, hash_provider, confidentiality_limit },
        hkdf_provider,
        aead_alg,
        quic: None,
    }
}

static ECDSA_AES_128: Tls12CipherSuite =
    suite_tls12(&library::cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, ECDSA_SCHEMES, &cipher::GCM);
static RSA_AES_128: Tls12CipherSuite =
    suite_tls12(&library::cipher_suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, RSA_SCHEMES, &cipher::GCM);
static ECDSA_AES_256: Tls12CipherSuite =
    suite_tls12(&library::cipher_suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, ECDSA_SCHEMES, &cipher::GCM);
static RSA_AES_256: Tls12CipherSuite =
    suite_tls12(&library::cipher_suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, RSA_SCHEMES, &cipher::GCM);

static ECDSA_CHACHA20: Tls12CipherSuite = suite_tls12(
    &library::cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    ECDSA_SCHEMES,
    &cipher::CHACHA20,
);
static RSA_CHACHA20: Tls12CipherSuite = suite_tls12(
    &library::cipher_suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    RSA_SCHEMES,
    &cipher::CHACHA20,
);

const fn suite_tls12(
    library: &'static SupportedCipherSuite,
    sign: &'static [SignatureScheme],
    aead_alg: &'static cipher::Records,
) -> Tls12CipherSuite {
    // The hash is of public messages.
    let SupportedCipherSuite::Tls12(library) = library else { panic!("a suite of TLS 1.2") };
    let CipherSuiteCommon { suite, hash_provider, confidentiality_limit } = library.common;
    Tls12CipherSuite {
        common: CipherSuiteCommon { suite, hash_provider, confidentiality_limit },
        prf_provider: &prf::Derivation,
        kx: KeyExchangeAlgorithm::ECDHE,
        sign,
        aead_alg,
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
pub(super) const SIGNATURES: WebPkiSupportedAlgorithms = WebPkiSupportedAlgorithms {
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
