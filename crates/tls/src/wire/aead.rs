//! Records in the clear, for whoever has their key, in every suite.

use aes_gcm::aead::{Aead as _, KeyInit as _, Nonce, Payload};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use chacha20poly1305::ChaCha20Poly1305;
use zeroize::Zeroizing;

use super::suite::{Aead, KeySize, NONCE_BYTES};
use super::transcript::TAG_BYTES;

/// The key of one direction's records.
pub(crate) enum RecordCipher {
    Aes128(Box<Aes128Gcm>),
    Aes256(Box<Aes256Gcm>),
    ChaCha20(Box<ChaCha20Poly1305>),
}

impl core::fmt::Debug for RecordCipher {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("RecordCipher").finish_non_exhaustive()
    }
}

impl RecordCipher {
    /// `None` unless the key has as many bytes as the suite says.
    pub(crate) fn new(aead: Aead, key: &[u8]) -> Option<Self> {
        Some(match aead {
            Aead::Gcm(KeySize::Bits128) => Self::Aes128(Box::new(Aes128Gcm::new_from_slice(key).ok()?)),
            Aead::Gcm(KeySize::Bits256) => Self::Aes256(Box::new(Aes256Gcm::new_from_slice(key).ok()?)),
            Aead::ChaCha20Poly1305 => Self::ChaCha20(Box::new(ChaCha20Poly1305::new_from_slice(key).ok()?)),
        })
    }

    /// The plaintext of a record; `None` if its tag is wrong.
    pub(crate) fn open(
        &self,
        nonce: [u8; NONCE_BYTES],
        aad: &[u8],
        ciphertext: &[u8],
        tag: &[u8; TAG_BYTES],
    ) -> Option<Zeroizing<Vec<u8>>> {
        let msg = [ciphertext, tag].concat();
        let payload = Payload { msg: &msg, aad };
        match self {
            Self::Aes128(cipher) => cipher.decrypt(&nonce.into(), payload),
            Self::Aes256(cipher) => cipher.decrypt(&nonce.into(), payload),
            Self::ChaCha20(cipher) => cipher.decrypt(&Nonce::<ChaCha20Poly1305>::from(nonce), payload),
        }
        .ok()
        .map(Zeroizing::new)
    }

    /// A record's ciphertext and tag.
    #[cfg(any(test, feature = "fuzzing", target_family = "wasm"))]
    pub(crate) fn seal(&self, nonce: [u8; NONCE_BYTES], aad: &[u8], msg: &[u8]) -> Option<Vec<u8>> {
        let payload = Payload { msg, aad };
        match self {
            Self::Aes128(cipher) => cipher.encrypt(&nonce.into(), payload),
            Self::Aes256(cipher) => cipher.encrypt(&nonce.into(), payload),
            Self::ChaCha20(cipher) => cipher.encrypt(&Nonce::<ChaCha20Poly1305>::from(nonce), payload),
        }
        .ok()
    }
}

/// A write IV plus a record's number: the nonce of TLS 1.3, and of ChaCha20-Poly1305 in TLS 1.2.
pub(crate) fn xored_nonce(iv: &[u8; NONCE_BYTES], sequence: u64) -> [u8; NONCE_BYTES] {
    let number = u128::from(sequence).to_be_bytes();
    let mut nonce = *iv;
    nonce.iter_mut().rev().zip(number.iter().rev()).for_each(|(byte, number)| *byte ^= number);
    nonce
}
