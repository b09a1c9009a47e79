//! The cipher suites about which something can be proved.
//!
//! A suite names how records are protected ([`Aead`]) and how keys are derived ([`HashFunction`]). TLS 1.3's
//! suites name no more than that. Those of TLS 1.2 also name the key exchange, which is ECDHE here, and the
//! kind of the server's key. So each [`Suite`] has one number in TLS 1.3, and two in TLS 1.2.
//!
//! | suite | TLS 1.3 | TLS 1.2, ECDSA | TLS 1.2, RSA | key | write IV in 1.3, 1.2 | nonce in 1.2 |
//! |---|---|---|---|---|---|---|
//! | `AES_128_GCM_SHA256` | `0x1301` | `0xc02b` | `0xc02f` | 16 bytes | 12, 4 bytes | IV, explicit part |
//! | `AES_256_GCM_SHA384` | `0x1302` | `0xc02c` | `0xc030` | 32 bytes | 12, 4 bytes | IV, explicit part |
//! | `CHACHA20_POLY1305_SHA256` | `0x1303` | `0xcca9` | `0xcca8` | 32 bytes | 12, 12 bytes | IV plus the record's number, as in 1.3 |
//!
//! The numbers are those of RFC 8446 (appendix B.4), RFC 5289 and RFC 7905.

use super::hash::HashFunction;
use super::version::TlsVersion;

/// A cipher suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Suite {
    /// AES-128-GCM, with SHA-256.
    Aes128GcmSha256,
    /// AES-256-GCM, with SHA-384.
    Aes256GcmSha384,
    /// ChaCha20-Poly1305, with SHA-256.
    ChaCha20Poly1305Sha256,
}

/// How records are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aead {
    /// AES-GCM.
    Gcm(KeySize),
    /// ChaCha20-Poly1305.
    ChaCha20Poly1305,
}

/// The size of an AES key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeySize {
    Bits128,
    Bits256,
}

/// The kind of the key of a server's certificate, which TLS 1.2's suites name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signer {
    Ecdsa,
    Rsa,
}

/// Bytes of a nonce, in all suites.
pub(crate) const NONCE_BYTES: usize = 12;

impl Suite {
    /// All suites, in the order in which a client offers them: those that cost least first.
    pub const ALL: [Self; 3] = [Self::Aes128GcmSha256, Self::Aes256GcmSha384, Self::ChaCha20Poly1305Sha256];

    /// How its records are protected.
    pub(crate) const fn aead(self) -> Aead {
        match self {
            Self::Aes128GcmSha256 => Aead::Gcm(KeySize::Bits128),
            Self::Aes256GcmSha384 => Aead::Gcm(KeySize::Bits256),
            Self::ChaCha20Poly1305Sha256 => Aead::ChaCha20Poly1305,
        }
    }

    /// The hash function of its key derivation.
    #[must_use]
    pub const fn hash(self) -> HashFunction {
        match self {
            Self::Aes128GcmSha256 | Self::ChaCha20Poly1305Sha256 => HashFunction::Sha256,
            Self::Aes256GcmSha384 => HashFunction::Sha384,
        }
    }

    /// Its number in TLS 1.3.
    pub(crate) const fn tls13_number(self) -> u16 {
        match self {
            Self::Aes128GcmSha256 => 0x1301,
            Self::Aes256GcmSha384 => 0x1302,
            Self::ChaCha20Poly1305Sha256 => 0x1303,
        }
    }

    /// Its number in TLS 1.2, with ECDHE.
    pub(crate) const fn tls12_number(self, signer: Signer) -> u16 {
        match (self, signer) {
            (Self::Aes128GcmSha256, Signer::Ecdsa) => 0xc02b,
            (Self::Aes128GcmSha256, Signer::Rsa) => 0xc02f,
            (Self::Aes256GcmSha384, Signer::Ecdsa) => 0xc02c,
            (Self::Aes256GcmSha384, Signer::Rsa) => 0xc030,
            (Self::ChaCha20Poly1305Sha256, Signer::Ecdsa) => 0xcca9,
            (Self::ChaCha20Poly1305Sha256, Signer::Rsa) => 0xcca8,
        }
    }

    /// The suite with this number in TLS 1.3.
    pub(crate) fn from_tls13(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.tls13_number() == number)
    }

    /// The suite with this number in TLS 1.2, and the kind of the server's key.
    pub(crate) fn from_tls12(number: u16) -> Option<(Self, Signer)> {
        let both = |suite| [Signer::Ecdsa, Signer::Rsa].map(|signer| (suite, signer));
        let mut all = Self::ALL.into_iter().flat_map(both);
        all.find(|(suite, signer)| suite.tls12_number(*signer) == number)
    }

    /// The byte that stands for it in messages and attestations: the last one of its number in TLS 1.3.
    pub(crate) const fn code(self) -> u8 {
        self.tls13_number() as u8
    }

    /// The suite of this byte.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.code() == code)
    }
}

impl core::fmt::Display for Suite {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Aes128GcmSha256 => "AES_128_GCM_SHA256",
            Self::Aes256GcmSha384 => "AES_256_GCM_SHA384",
            Self::ChaCha20Poly1305Sha256 => "CHACHA20_POLY1305_SHA256",
        })
    }
}

/// In its `Display` form.
impl serde::Serialize for Suite {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Aead {
    /// Bytes of a key.
    pub(crate) const fn key_bytes(self) -> usize {
        match self {
            Self::Gcm(KeySize::Bits128) => 16,
            Self::Gcm(KeySize::Bits256) | Self::ChaCha20Poly1305 => 32,
        }
    }

    /// Bytes of the part of a nonce that TLS 1.2's records state. A nonce without that part is the write IV
    /// plus the record's number, as all of TLS 1.3's are.
    pub(crate) const fn explicit_bytes(self, version: TlsVersion) -> usize {
        match (self, version) {
            (Self::Gcm(_), TlsVersion::Tls12) => 8,
            _ => 0,
        }
    }

    /// Bytes of a write IV.
    pub(crate) const fn iv_bytes(self, version: TlsVersion) -> usize {
        NONCE_BYTES - self.explicit_bytes(version)
    }

    /// The bits of a key and of a write IV.
    pub(crate) const fn bits(self, version: TlsVersion) -> [usize; 2] {
        [8 * self.key_bytes(), 8 * self.iv_bytes(version)]
    }

    /// Bytes of key stream in a block.
    pub(crate) const fn block_bytes(self) -> usize {
        match self {
            Self::Gcm(_) => 16,
            Self::ChaCha20Poly1305 => 64,
        }
    }
}

impl KeySize {
    /// Bits of a key.
    pub(crate) const fn bits(self) -> usize {
        match self {
            Self::Bits128 => 128,
            Self::Bits256 => 256,
        }
    }

    /// Bits of the round keys: 128 more than 128 for each round.
    pub(crate) const fn round_key_bits(self) -> usize {
        match self {
            Self::Bits128 => 11 * 128,
            Self::Bits256 => 15 * 128,
        }
    }
}

#[cfg(test)]
mod tests {
    use rustls::CipherSuite;
    use rustls::crypto::ring::cipher_suite as ring;
    use rustls::{SupportedCipherSuite, Tls13CipherSuite};

    use super::*;

    /// As the TLS library numbers them, and as it calls their hash functions.
    #[test]
    fn numbers_and_hashes_are_those_of_the_library() {
        let tls13 = [
            ring::TLS13_AES_128_GCM_SHA256,
            ring::TLS13_AES_256_GCM_SHA384,
            ring::TLS13_CHACHA20_POLY1305_SHA256,
        ];
        for (suite, library) in Suite::ALL.into_iter().zip(tls13) {
            assert_eq!(CipherSuite::from(suite.tls13_number()), library.suite());
            assert_eq!(format!("{:?}", library.suite()), format!("TLS13_{suite}"));
            assert_eq!(Suite::from_tls13(suite.tls13_number()), Some(suite));
            assert_eq!(Suite::from_code(suite.code()), Some(suite));
            let SupportedCipherSuite::Tls13(Tls13CipherSuite { common, aead_alg, .. }) = library else {
                panic!("a suite of TLS 1.3");
            };
            assert_eq!(common.hash_provider.output_len(), suite.hash().digest_bytes());
            assert_eq!(aead_alg.key_len(), suite.aead().key_bytes());
        }
        let tls12 = [
            [ring::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, ring::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256],
            [ring::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, ring::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384],
            [
                ring::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
                ring::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
            ],
        ];
        for (suite, library) in Suite::ALL.into_iter().zip(tls12) {
            for (signer, library) in [Signer::Ecdsa, Signer::Rsa].into_iter().zip(library) {
                assert_eq!(CipherSuite::from(suite.tls12_number(signer)), library.suite());
                assert_eq!(Suite::from_tls12(suite.tls12_number(signer)), Some((suite, signer)));
                let SupportedCipherSuite::Tls12(library) = library else { panic!("a suite of TLS 1.2") };
                let shape = library.aead_alg.key_block_shape();
                let aead = suite.aead();
                assert_eq!(shape.enc_key_len, aead.key_bytes());
                assert_eq!(shape.fixed_iv_len, aead.iv_bytes(TlsVersion::Tls12));
            }
        }
        for unknown in [0, 0x1300, 0x1304, 0xc02d, 0xcca7, 0xffff] {
            assert_eq!((Suite::from_tls13(unknown), Suite::from_tls12(unknown)), (None, None));
        }
        assert_eq!(Suite::from_code(0), None);
    }
}
