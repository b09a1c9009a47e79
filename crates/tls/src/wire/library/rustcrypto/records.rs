//! Records in the clear, of every suite in both versions.

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter,
    MessageEncrypter, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    Tls13AeadAlgorithm, UnsupportedOperationError, make_tls12_aad, make_tls13_aad,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};
use zeroize::Zeroizing;

use crate::wire::aead::{RecordCipher, xored_nonce};
use crate::wire::record::MAX_PLAINTEXT;
use crate::wire::suite::{Aead, KeySize, NONCE_BYTES};
use crate::wire::transcript::TAG_BYTES;
use crate::wire::version::TlsVersion;

/// The record layer of suites that protect like this.
pub(super) struct Records(Aead);

pub(super) static AES_128_GCM: Records = Records(Aead::Gcm(KeySize::Bits128));
pub(super) static AES_256_GCM: Records = Records(Aead::Gcm(KeySize::Bits256));
pub(super) static CHACHA20_POLY1305: Records = Records(Aead::ChaCha20Poly1305);

impl Records {
    /// One direction of a connection. rustls brings keys and IVs of the lengths that it was told.
    fn direction(&self, version: TlsVersion, key: &AeadKey, iv: &[&[u8]]) -> Direction {
        let mut all = Zeroizing::new([0; NONCE_BYTES]);
        all.iter_mut().zip(iv.iter().copied().flatten()).for_each(|(to, from)| *to = *from);
        let cipher = RecordCipher::new(self.0, key.as_ref());
        Direction { cipher, iv: all, version, explicit: self.0.explicit_bytes(version) }
    }
}

impl Tls12AeadAlgorithm for Records {
    fn encrypter(&self, key: AeadKey, iv: &[u8], explicit: &[u8]) -> Box<dyn MessageEncrypter> {
        Box::new(self.direction(TlsVersion::Tls12, &key, &[iv, explicit]))
    }

    fn decrypter(&self, key: AeadKey, iv: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(self.direction(TlsVersion::Tls12, &key, &[iv]))
    }

    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape {
            enc_key_len: self.0.key_bytes(),
            fixed_iv_len: self.0.iv_bytes(TlsVersion::Tls12),
            // Where explicit nonces start; derived as well, so that they need no randomness.
            explicit_nonce_len: self.0.explicit_bytes(TlsVersion::Tls12),
        }
    }

    fn extract_keys(
        &self,
        _key: AeadKey,
        _iv: &[u8],
        _explicit: &[u8],
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Err(UnsupportedOperationError)
    }
}

impl Tls13AeadAlgorithm for Records {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(self.direction(TlsVersion::Tls13, &key, &[iv.as_ref()]))
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(self.direction(TlsVersion::Tls13, &key, &[iv.as_ref()]))
    }

    fn key_len(&self) -> usize {
        self.0.key_bytes()
    }

    fn extract_keys(
        &self,
        _key: AeadKey,
        _iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Err(UnsupportedOperationError)
    }
}

/// One direction's records.
struct Direction {
    /// None if the key has another length than the suite's, and then nothing is protected or opened.
    cipher: Option<RecordCipher>,
    /// The write IV; with explicit nonces what their first one is, after the part that is not sent.
    iv: Zeroizing<[u8; NONCE_BYTES]>,
    version: TlsVersion,
    /// Bytes of a nonce that the record states.
    explicit: usize,
}

impl MessageEncrypter for Direction {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        sequence: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let cipher = self.cipher.as_ref().ok_or(Error::EncryptError)?;
        let nonce = xored_nonce(&self.iv, sequence);
        // With room for the type, so that the bytes are not moved and left behind.
        let mut content = Zeroizing::new(Vec::with_capacity(message.payload.len() + 1));
        message.payload.copy_to_vec(&mut content);
        let (kind, version) = match self.version {
            TlsVersion::Tls12 => (message.typ, message.version),
            TlsVersion::Tls13 => {
                content.push(message.typ.into());
                (ContentType::ApplicationData, ProtocolVersion::TLSv1_2)
            }
        };
        let header = match self.version {
            TlsVersion::Tls12 => make_tls12_aad(sequence, kind, version, content.len()).to_vec(),
            TlsVersion::Tls13 => make_tls13_aad(content.len() + TAG_BYTES).to_vec(),
        };
        let sealed = cipher.seal(nonce, &header, &content).ok_or(Error::EncryptError)?;
        let mut payload = PrefixedPayload::with_capacity(self.explicit + sealed.len());
        payload.extend_from_slice(nonce.get(NONCE_BYTES - self.explicit..).unwrap_or_default());
        payload.extend_from_slice(&sealed);
        Ok(OutboundOpaqueMessage::new(kind, version, payload))
    }

    fn encrypted_payload_len(&self, length: usize) -> usize {
        let kind = usize::from(self.version == TlsVersion::Tls13);
        self.explicit + length + kind + TAG_BYTES
    }
}

impl MessageDecrypter for Direction {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        sequence: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let content = self.open(&message, sequence).ok_or(Error::DecryptError)?;
        if self.version == TlsVersion::Tls12 && content.len() > MAX_PLAINTEXT {
            return Err(Error::PeerSentOversizedRecord);
        }
        message.payload.iter_mut().zip(&*content).for_each(|(to, from)| *to = *from);
        message.payload.truncate(content.len());
        match self.version {
            TlsVersion::Tls12 => Ok(message.into_plain_message()),
            TlsVersion::Tls13 => message.into_tls13_unpadded_message(),
        }
    }
}

impl Direction {
    /// The content of a record; `None` if its tag is wrong.
    fn open(&self, message: &InboundOpaqueMessage<'_>, sequence: u64) -> Option<Zeroizing<Vec<u8>>> {
        let payload: &[u8] = &message.payload;
        let (stated, sealed) = payload.split_at_checked(self.explicit)?;
        let (ciphertext, tag) = sealed.split_last_chunk::<TAG_BYTES>()?;
        let mut nonce = xored_nonce(&self.iv, sequence);
        nonce.iter_mut().rev().zip(stated.iter().rev()).for_each(|(to, from)| *to = *from);
        let header = match self.version {
            TlsVersion::Tls12 => {
                make_tls12_aad(sequence, message.typ, message.version, ciphertext.len()).to_vec()
            }
            TlsVersion::Tls13 => make_tls13_aad(payload.len()).to_vec(),
        };
        self.cipher.as_ref()?.open(nonce, &header, ciphertext, tag)
    }
}
