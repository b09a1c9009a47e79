//! The cipher suites in the clear.

use rustls::crypto::KeyExchangeAlgorithm;
use rustls::crypto::tls12::PrfUsingHmac;
use rustls::crypto::tls13::HkdfUsingHmac;
use rustls::{
    CipherSuite, CipherSuiteCommon, SignatureScheme, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite,
};

use super::hash::{Function, SHA256, SHA384};
use super::records::{AES_128_GCM, AES_256_GCM, CHACHA20_POLY1305, Records};

/// The most records under one key of AES-GCM that rustls sends.
const GCM_RECORDS: u64 = 1 << 24;

const ECDSA_SCHEMES: &[SignatureScheme] =
    &[SignatureScheme::ECDSA_NISTP384_SHA384, SignatureScheme::ECDSA_NISTP256_SHA256];

const RSA_SCHEMES: &[SignatureScheme] = &[
    SignatureScheme::RSA_PSS_SHA512,
    SignatureScheme::RSA_PSS_SHA384,
    SignatureScheme::RSA_PSS_SHA256,
    SignatureScheme::RSA_PKCS1_SHA512,
    SignatureScheme::RSA_PKCS1_SHA384,
    SignatureScheme::RSA_PKCS1_SHA256,
];

const fn common(suite: CipherSuite, hash: &'static Function, limit: u64) -> CipherSuiteCommon {
    CipherSuiteCommon { suite, hash_provider: hash, confidentiality_limit: limit }
}

const fn tls13(
    common: CipherSuiteCommon,
    hkdf: &'static HkdfUsingHmac<'static>,
    records: &'static Records,
) -> Tls13CipherSuite {
    Tls13CipherSuite { common, hkdf_provider: hkdf, aead_alg: records, quic: None }
}

const fn tls12(
    common: CipherSuiteCommon,
    prf: &'static PrfUsingHmac<'static>,
    sign: &'static [SignatureScheme],
    records: &'static Records,
) -> Tls12CipherSuite {
    Tls12CipherSuite { common, prf_provider: prf, kx: KeyExchangeAlgorithm::ECDHE, sign, aead_alg: records }
}

static HKDF_SHA256: HkdfUsingHmac<'static> = HkdfUsingHmac(&SHA256);
static HKDF_SHA384: HkdfUsingHmac<'static> = HkdfUsingHmac(&SHA384);
static PRF_SHA256: PrfUsingHmac<'static> = PrfUsingHmac(&SHA256);
static PRF_SHA384: PrfUsingHmac<'static> = PrfUsingHmac(&SHA384);

/// Declares suites, each with a static of its own behind it.
macro_rules! suites {
    ($($name:ident = $version:ident($function:ident, $hash:ident, $limit:expr, $derivation:ident $(, $sign:ident)?; $records:ident);)*) => {
        $(
            /// The suite of this name.
            pub(crate) static $name: SupportedCipherSuite = {
                static SUITE: rustls_suite!($version) = $function(
                    common(CipherSuite::$name, &$hash, $limit), &$derivation, $($sign,)? &$records,
                );
                SupportedCipherSuite::$version(&SUITE)
            };
        )*

        /// All of them.
        pub(crate) static ALL: &[SupportedCipherSuite] = &[$($name),*];
    };
}

/// The type of a version's suites.
macro_rules! rustls_suite {
    (Tls12) => {
        Tls12CipherSuite
    };
    (Tls13) => {
        Tls13CipherSuite
    };
}

suites! {
    TLS13_AES_256_GCM_SHA384 = Tls13(tls13, SHA384, GCM_RECORDS, HKDF_SHA384; AES_256_GCM);
    TLS13_AES_128_GCM_SHA256 = Tls13(tls13, SHA256, GCM_RECORDS, HKDF_SHA256; AES_128_GCM);
    TLS13_CHACHA20_POLY1305_SHA256 = Tls13(tls13, SHA256, u64::MAX, HKDF_SHA256; CHACHA20_POLY1305);
    TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 =
        Tls12(tls12, SHA384, GCM_RECORDS, PRF_SHA384, ECDSA_SCHEMES; AES_256_GCM);
    TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 =
        Tls12(tls12, SHA256, GCM_RECORDS, PRF_SHA256, ECDSA_SCHEMES; AES_128_GCM);
    TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 =
        Tls12(tls12, SHA256, u64::MAX, PRF_SHA256, ECDSA_SCHEMES; CHACHA20_POLY1305);
    TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 =
        Tls12(tls12, SHA384, GCM_RECORDS, PRF_SHA384, RSA_SCHEMES; AES_256_GCM);
    TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 =
        Tls12(tls12, SHA256, GCM_RECORDS, PRF_SHA256, RSA_SCHEMES; AES_128_GCM);
    TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 =
        Tls12(tls12, SHA256, u64::MAX, PRF_SHA256, RSA_SCHEMES; CHACHA20_POLY1305);
}
