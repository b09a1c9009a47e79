//! The record layer: the engine encrypts, and nothing is decrypted.

use std::sync::Arc;

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, KeyBlockShape, MessageDecrypter, MessageEncrypter,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls12AeadAlgorithm,
    UnsupportedOperationError,
};
use rustls::{ConnectionTrafficSecrets, ContentType, Error};
use zeroize::Zeroizing;

use super::prf::PLACEHOLDER;
use super::session::{HANDLE_BYTES, Session};
use crate::wire::transcript::{FINISHED_BYTES, NONCE_BYTES, TAG_BYTES};

/// The number of bytes that protection adds to a record.
const OVERHEAD: usize = NONCE_BYTES + TAG_BYTES;

/// AES-128-GCM of the current session.
pub(super) struct Records;

impl Tls12AeadAlgorithm for Records {
    fn encrypter(&self, key: AeadKey, _iv: &[u8], _extra: &[u8]) -> Box<dyn MessageEncrypter> {
        let session = Session::current().ok();
        if let Some(session) = &session {
            // A wrong length is latched.
            let _ = session.own(key.as_ref());
        }
        Box::new(Encrypter { session })
    }

    fn decrypter(&self, _key: AeadKey, _iv: &[u8]) -> Box<dyn MessageDecrypter> {
        Box::new(Decrypter)
    }

    /// Two keys and two write IVs (RFC 5288). No explicit nonce is derived: the engine counts.
    fn key_block_shape(&self) -> KeyBlockShape {
        KeyBlockShape { enc_key_len: HANDLE_BYTES, fixed_iv_len: 4, explicit_nonce_len: 0 }
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

/// Encrypts the client's records. It lacks a session only if rustls is used without one, and then the key
/// exchange has failed before.
struct Encrypter {
    session: Option<Arc<Session>>,
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
        let record = protect(session, &message, sequence).unwrap_or_else(|_| vec![0; length]);
        Ok(OutboundOpaqueMessage::new(message.typ, message.version, PrefixedPayload::from(record.as_slice())))
    }

    fn encrypted_payload_len(&self, length: usize) -> usize {
        length + OVERHEAD
    }
}

fn protect(session: &Session, message: &OutboundPlainMessage<'_>, sequence: u64) -> Result<Vec<u8>, Error> {
    if message.typ == ContentType::Alert {
        session.alert();
        return Err(Error::EncryptError);
    }
    let (kind, plaintext) = (message.typ.into(), Zeroizing::new(message.payload.to_vec()));
    let length = plaintext.len() + OVERHEAD;
    let record = session.ask(move |engine| engine.encrypt(kind, &plaintext))?;
    // The driver's buffer is for this length, and the server counts with rustls's number.
    if record.len() != length || !record.starts_with(&sequence.to_be_bytes()) {
        return Err(session.misuse("the engine's record is not the next one, or of another length"));
    }
    Ok(record)
}

/// The server's records. rustls sees only the first, its Finished, with a placeholder for its contents.
struct Decrypter;

impl MessageDecrypter for Decrypter {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        sequence: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let expected = message.payload.len() == FINISHED_BYTES + OVERHEAD;
        if sequence != 0 || message.typ != ContentType::Handshake || !expected {
            return Err(Error::DecryptError);
        }
        let header = [20, 0, 0, PLACEHOLDER.len() as u8];
        message.payload.iter_mut().zip(header.iter().chain(&PLACEHOLDER)).for_each(|(to, from)| *to = *from);
        message.payload.truncate(FINISHED_BYTES);
        Ok(message.into_plain_message())
    }
}
