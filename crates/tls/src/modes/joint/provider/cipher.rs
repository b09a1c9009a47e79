//! The record layer: the engine encrypts, and nothing is decrypted.

use std::sync::Arc;

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, KeyBlockShape, MessageDecrypter,
    MessageEncrypter, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    Tls13AeadAlgorithm, UnsupportedOperationError,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion, Tls13CipherSuite};
use zeroize::Zeroizing;

use super::prf::PLACEHOLDER;
use super::session::{HANDLE_BYTES, Session, is_handle};
use crate::wire::suite::{Aead, KeySize};
use crate::wire::transcript::{FINISHED_BYTES, NONCE_BYTES, TAG_BYTES};
use crate::wire::version::TlsVersion;

/// Records of TLS 1.2 in the current session.
pub(super) struct Records {
    /// How they are protected; with AES-GCM, by keys of either size.
    aead: Aead,
}

/// AES-GCM of the current session.
pub(super) static GCM: Records = Records { aead: Aead::Gcm(KeySize::Bits128) };
/// ChaCha20-Poly1305 of the current session.
pub(super) static CHACHA20: Records = Records { aead: Aead::ChaCha20Poly1305 };

impl Records {
    /// The number of bytes that protection adds to a record.
    fn overhead(&self) -> usize {
        self.aead.explicit_bytes(TlsVersion::Tls12) + TAG_BYTES
    }
}

impl Tls12AeadAlgorithm for Records {
    fn encrypter(&self, key: AeadKey, _iv: &[u8], _extra: &[u8]) -> Box<dyn MessageEncrypter> {
        let session = Session::current().ok();
        if let Some(session) = &session {
            // A wrong length is latched.
            let _ = session.own(key.as_ref());
        }
        let (version, overhead) = (TlsVersion::Tls12, self.overhead());
        Box::new(Encrypter { session, version, overhead })
    }

    fn decrypter(&self, _key: AeadKey, _iv: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Decrypter { overhead: self.overhead() })
    }

    /// Two keys and two write IVs (RFC 5288, RFC 7905). No explicit nonce is derived: the engine counts.
    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape {
            enc_key_len: HANDLE_BYTES,
            fixed_iv_len: self.aead.iv_bytes(TlsVersion::Tls12),
            explicit_nonce_len: 0,
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

/// Records of TLS 1.3: the current session's for data, and that of the library's own suite for the handshake.
pub(super) struct RecordsTls13(pub(super) &'static Tls13CipherSuite);

/// The current session, if this key is its handle; no session for any other handle. `None` for a key that P
/// may know.
fn session_of(key: &AeadKey) -> Option<Option<Arc<Session>>> {
    if !is_handle(key.as_ref()) {
        return None;
    }
    // Another one's is latched.
    Some(Session::current().ok().filter(|session| session.own(key.as_ref()).is_ok()))
}

impl Tls13AeadAlgorithm for RecordsTls13 {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        match session_of(&key) {
            None => self.0.aead_alg.encrypter(key, iv),
            Some(session) => {
                // The content's type and the tag.
                let (version, overhead) = (TlsVersion::Tls13, 1 + TAG_BYTES);
                Box::new(Encrypter { session, version, overhead })
            }
        }
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        match session_of(&key) {
            None => self.0.aead_alg.decrypter(key, iv),
            Some(_) => Box::new(Nothing),
        }
    }

    /// That of the suite. A handle is followed by zeros.
    fn key_len(&self) -> usize {
        self.0.aead_alg.key_len()
    }

    fn extract_keys(
        &self,
        _key: AeadKey,
        _iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Err(UnsupportedOperationError)
    }
}

/// The server's data, which rustls never sees.
struct Nothing;

impl MessageDecrypter for Nothing {
    fn decrypt<'a>(
        &mut self,
        _message: InboundOpaqueMessage<'a>,
        _sequence: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        Err(Error::DecryptError)
    }
}

/// Encrypts the client's records. It lacks a session only if rustls is used without one, and then the key
/// exchange has failed before.
struct Encrypter {
    session: Option<Arc<Session>>,
    version: TlsVersion,
    /// The number of bytes that protection adds to a record.
    overhead: usize,
}

impl Encrypter {
    /// The payload of the record with this message.
    fn protect(
        &self,
        session: &Session,
        message: &OutboundPlainMessage<'_>,
        sequence: u64,
    ) -> Result<Vec<u8>, Error> {
        if message.typ == ContentType::Alert {
            session.alert();
            return Err(Error::EncryptError);
        }
        let (kind, plaintext) = (message.typ.into(), Zeroizing::new(message.payload.to_vec()));
        let length = plaintext.len() + self.overhead;
        let record = session.ask(move |engine| engine.encrypt(kind, &plaintext))?;
        // The driver's buffer is for this length, and the server counts with rustls's number.
        let states_nonce = self.overhead == NONCE_BYTES + TAG_BYTES;
        let next = !states_nonce || record.starts_with(&sequence.to_be_bytes());
        if record.len() != length || !next {
            return Err(session.misuse("the engine's record is not the next one, or of another length"));
        }
        Ok(record)
    }
}

impl MessageEncrypter for Encrypter {
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        sequence: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let session = self.session.as_ref().ok_or(Error::EncryptError)?;
        let length = self.encrypted_payload_len(message.payload.len());
        // rustls unwraps the result, so after an error, which is latched, this returns filler.
        let record = self.protect(session, &message, sequence).unwrap_or_else(|_| vec![0; length]);
        let (typ, version) = match self.version {
            TlsVersion::Tls12 => (message.typ, message.version),
            TlsVersion::Tls13 => (ContentType::ApplicationData, ProtocolVersion::TLSv1_2),
        };
        Ok(OutboundOpaqueMessage::new(typ, version, PrefixedPayload::from(record.as_slice())))
    }

    fn encrypted_payload_len(&self, length: usize) -> usize {
        length + self.overhead
    }
}

/// The server's records. rustls sees only the first, its Finished, with a placeholder for its contents.
struct Decrypter {
    /// The number of bytes that protection adds to a record.
    overhead: usize,
}

impl MessageDecrypter for Decrypter {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        sequence: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let expected = message.payload.len() == FINISHED_BYTES + self.overhead;
        if sequence != 0 || message.typ != ContentType::Handshake || !expected {
            return Err(Error::DecryptError);
        }
        let header = [20, 0, 0, PLACEHOLDER.len() as u8];
        message.payload.iter_mut().zip(header.iter().chain(&PLACEHOLDER)).for_each(|(to, from)| *to = *from);
        message.payload.truncate(FINISHED_BYTES);
        Ok(message.into_plain_message())
    }
}
