//! The content of the raw bytes of a TLS connection, for a reader who trusts neither end.
//!
//! Both modes need this. V reads its own record of the connection, and then knows what must be proved about
//! the keys, and from [`server`](crate::server) what the server signed. Nothing here is a proof: anybody can
//! make up a transcript without keys. It is only what the proofs are about, so each byte has one reading or
//! none.
//!
//! | module | what it holds |
//! |---|---|
//! | `tls12` | TLS 1.2, whose handshake is in the clear |
//! | `tls13` | TLS 1.3, of whose handshake only the hellos are in the clear |
//! | `hello`, `frame` | what the versions have in common: the client's hello, extensions; records' frames |

mod error;
mod frame;
mod hello;
#[cfg(test)]
pub(crate) mod testing;
mod tls12;
pub mod tls13;

pub use error::Error;
pub use rustls_pki_types::CertificateDer;
pub(crate) use tls12::{FINISHED_BYTES, Handshake, NONCE_BYTES, opening};
pub use tls12::{Record, Transcript};

/// The largest number of bytes of a direction.
pub(crate) const MAX_STREAM: usize = 1 << 28;
/// The largest handshake message.
pub(crate) const MAX_MESSAGE: usize = 1 << 16;
/// The most bytes of handshake messages in the clear, of a direction.
pub(crate) const MAX_HANDSHAKE: usize = 1 << 17;
/// The most certificates of a chain.
pub(crate) const MAX_CERTIFICATES: usize = 16;
/// Bytes of a record's tag.
pub(crate) const TAG_BYTES: usize = 16;

/// The type of records with handshake messages: a direction's record 0, which is its Finished.
pub const HANDSHAKE: u8 = 22;
/// The type of records with alerts, whose plaintext is two bytes.
pub const ALERT: u8 = 21;
/// The type of records with application data.
pub const APPLICATION_DATA: u8 = 23;

/// The scheme of the server's signature over its key exchange (RFC 8446, section 4.2.3, has the numbers). In
/// TLS 1.2 the ECDSA schemes do not name the curve; in TLS 1.3 they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `ecdsa_secp256r1_sha256`, `0x0403`: on P-256, in TLS 1.2 also on P-384.
    EcdsaSha256,
    /// `ecdsa_secp384r1_sha384`, `0x0503`: on P-384, in TLS 1.2 also on P-256.
    EcdsaSha384,
    /// `rsa_pkcs1_sha256`, `0x0401`.
    Pkcs1Sha256,
    /// `rsa_pkcs1_sha384`, `0x0501`.
    Pkcs1Sha384,
    /// `rsa_pkcs1_sha512`, `0x0601`.
    Pkcs1Sha512,
    /// `rsa_pss_rsae_sha256`, `0x0804`.
    PssSha256,
    /// `rsa_pss_rsae_sha384`, `0x0805`.
    PssSha384,
    /// `rsa_pss_rsae_sha512`, `0x0806`.
    PssSha512,
}

impl Scheme {
    /// The scheme with this number.
    fn of(number: u16) -> Option<Self> {
        Some(match number {
            0x0403 => Self::EcdsaSha256,
            0x0503 => Self::EcdsaSha384,
            0x0401 => Self::Pkcs1Sha256,
            0x0501 => Self::Pkcs1Sha384,
            0x0601 => Self::Pkcs1Sha512,
            0x0804 => Self::PssSha256,
            0x0805 => Self::PssSha384,
            0x0806 => Self::PssSha512,
            _ => return None,
        })
    }

    /// Whether it is one of PKCS #1, which TLS 1.3 does not have.
    fn is_pkcs1(self) -> bool {
        matches!(self, Self::Pkcs1Sha256 | Self::Pkcs1Sha384 | Self::Pkcs1Sha512)
    }
}
