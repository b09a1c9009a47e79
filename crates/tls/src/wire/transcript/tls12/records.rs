//! One direction's records: handshake messages in the clear up to ChangeCipherSpec, encrypted records after
//! it.

use volery_channel::Cursor;

use super::super::frame::{
    CHANGE_CIPHER_SPEC, Framed, HANDSHAKE_CUT, MAX_RECORDS, PROTOCOL_VERSION, header, kind, limit,
};
use super::super::hello::LEGACY_VERSION as VERSION;
use super::{FINISHED_BYTES, NONCE_BYTES, Record};
use crate::wire::prf::Side;
use crate::wire::record::MAX_PLAINTEXT;
use crate::wire::suite::Aead;
use crate::wire::transcript::{
    ALERT, APPLICATION_DATA, Error, HANDSHAKE, MAX_HANDSHAKE, MAX_STREAM, TAG_BYTES,
};
use crate::wire::version::TlsVersion;

/// A direction, with its encrypted part not parsed yet.
pub(super) struct Direction<'a> {
    pub(super) side: Side,
    /// The handshake messages in the clear, in one piece.
    pub(super) handshake: Vec<u8>,
    /// The bytes after ChangeCipherSpec, or why there are none. That error is reported only if the messages
    /// before it do not say something more useful, such as that the server chose TLS 1.3.
    end: Result<Cursor<'a>, Error>,
}

impl<'a> Direction<'a> {
    /// Splits a direction at its ChangeCipherSpec.
    pub(super) fn split(side: Side, bytes: &'a [u8]) -> Result<Self, Error> {
        limit(side, "the recorded bytes", bytes.len(), MAX_STREAM)?;
        let (mut cursor, mut handshake) = (Cursor::new(bytes), Vec::new());
        let end = clear(side, &mut cursor, &mut handshake).map(|()| cursor);
        Ok(Self { side, handshake, end })
    }

    /// The error if there are no more messages in the clear than those of [`Direction::handshake`] although
    /// `expected` must come.
    pub(super) fn ended(&self, expected: &'static str) -> Error {
        match &self.end {
            Ok(_) => Error::unexpected(self.side, expected, "ChangeCipherSpec"),
            Err(error) => error.clone(),
        }
    }

    /// Whether ChangeCipherSpec follows the messages in the clear.
    pub(super) fn is_complete(&self) -> bool {
        self.end.is_ok()
    }

    /// Checks that nothing follows the messages in the clear, not even a part of a record.
    pub(super) fn is_cut_off(&self) -> Result<(), Error> {
        match &self.end {
            Err(Error::Truncated { what: HANDSHAKE_CUT, .. }) => Ok(()),
            Err(error) => Err(error.clone()),
            Ok(_) => Err(Error::unexpected(self.side, "the end of its first flight", "ChangeCipherSpec")),
        }
    }

    /// The encrypted records.
    pub(super) fn complete(self, aead: Aead) -> Result<Vec<Record>, Error> {
        let side = self.side;
        let mut cursor = self.end?;
        let mut records = vec![encrypted(side, 0, header(side, &mut cursor)?, aead)?];
        while !cursor.is_empty() {
            if records.len() == MAX_RECORDS {
                let what = "the number of encrypted records";
                return Err(Error::Limit { side, what, found: MAX_RECORDS + 1, limit: MAX_RECORDS });
            }
            let sequence = records.len() as u64;
            records.push(encrypted(side, sequence, header(side, &mut cursor)?, aead)?);
        }
        Ok(records)
    }
}

/// Reads up to ChangeCipherSpec. Records have TLS 1.2's version, except for a client's first record, which
/// comes before a version is chosen (RFC 5246, appendix E), and for alerts between sides that have no version
/// in common.
fn clear(side: Side, cursor: &mut Cursor<'_>, handshake: &mut Vec<u8>) -> Result<(), Error> {
    loop {
        let Framed { content_type, version, payload } = header(side, cursor)?;
        let malformed = |reason: String| Error::malformed(side, "a record of the handshake", reason);
        let early = content_type == ALERT || side == Side::Client && handshake.is_empty();
        if version != VERSION && !(early && matches!(version, 0x0301 | 0x0302)) {
            return Err(malformed(format!("its version is {version:#06x}, not 0x0303")));
        }
        if payload.is_empty() || payload.len() > MAX_PLAINTEXT {
            return Err(malformed(format!("it has {} bytes, not 1 to {MAX_PLAINTEXT}", payload.len())));
        }
        match (content_type, payload) {
            (CHANGE_CIPHER_SPEC, [1]) => return Ok(()),
            (CHANGE_CIPHER_SPEC, _) => return Err(malformed("ChangeCipherSpec is not the byte 1".into())),
            (HANDSHAKE, _) => {
                limit(side, "the handshake", handshake.len() + payload.len(), MAX_HANDSHAKE)?;
                handshake.extend_from_slice(payload);
            }
            (ALERT, &[_, PROTOCOL_VERSION]) if side == Side::Server => return Err(Error::OnlyNewer),
            (ALERT, &[level, description]) => return Err(Error::Alert { side, level, description }),
            (ALERT, _) => return Err(malformed("an alert is not two bytes".into())),
            _ => return Err(Error::unexpected(side, "a handshake message", "application data")),
        }
    }
}

/// A record after ChangeCipherSpec.
fn encrypted(side: Side, sequence: u64, framed: Framed<'_>, aead: Aead) -> Result<Record, Error> {
    let Framed { content_type, version, payload } = framed;
    let expected = match (sequence, content_type) {
        (0, HANDSHAKE) => Some(FINISHED_BYTES),
        (0, _) => return Err(Error::unexpected(side, "Finished", kind(content_type))),
        (_, HANDSHAKE) => return Err(Error::Renegotiation(side)),
        (_, ALERT) => Some(2),
        (_, APPLICATION_DATA) => None,
        _ => {
            return Err(Error::unexpected(
                side,
                "an encrypted record of data or an alert",
                kind(content_type),
            ));
        }
    };
    let malformed = |reason: String| Error::malformed(side, "an encrypted record", reason);
    if version != VERSION {
        return Err(malformed(format!("its version is {version:#06x}, not 0x0303")));
    }
    let nonce_bytes = aead.explicit_bytes(TlsVersion::Tls12);
    let parts = payload.split_at_checked(nonce_bytes);
    let parts = parts.and_then(|(nonce, rest)| Some((nonce, rest.split_last_chunk::<TAG_BYTES>()?)));
    let Some((nonce, (ciphertext, tag))) = parts else {
        let least = nonce_bytes + TAG_BYTES;
        return Err(malformed(format!("it has {} bytes, not the {least} of nonce and tag", payload.len())));
    };
    let explicit_nonce = <[u8; NONCE_BYTES]>::try_from(nonce).unwrap_or(sequence.to_be_bytes());
    let length = ciphertext.len();
    if length > MAX_PLAINTEXT || expected.is_some_and(|expected| expected != length) {
        let expected = expected.map_or_else(|| format!("at most {MAX_PLAINTEXT}"), |n| n.to_string());
        return Err(malformed(format!("its plaintext has {length} bytes, not {expected}")));
    }
    Ok(Record { sequence, content_type, explicit_nonce, ciphertext: ciphertext.to_vec(), tag: *tag })
}
