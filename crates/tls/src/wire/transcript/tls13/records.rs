//! One direction's records: its hello in the clear, then protected records.

use volery_channel::Cursor;

use super::super::frame::{CHANGE_CIPHER_SPEC, Framed, MAX_RECORDS, PROTOCOL_VERSION, header, kind, limit};
use super::super::hello::LEGACY_VERSION;
use super::{MAX_INNER, Record};
use crate::wire::prf::Side;
use crate::wire::record::MAX_PLAINTEXT;
use crate::wire::transcript::{
    ALERT, APPLICATION_DATA, Error, HANDSHAKE, MAX_HANDSHAKE, MAX_STREAM, TAG_BYTES,
};

/// A direction.
pub(super) struct Direction {
    side: Side,
    /// The handshake messages in the clear, in one piece.
    pub(super) hello: Vec<u8>,
    /// The records after them, or why there are none. That error is reported only if the messages in the
    /// clear do not say something more useful, such as that the server chose TLS 1.2.
    protected: Result<Vec<Record>, Error>,
}

impl Direction {
    /// Splits a direction where its protected records begin.
    pub(super) fn split(side: Side, bytes: &[u8]) -> Result<Self, Error> {
        limit(side, "the recorded bytes", bytes.len(), MAX_STREAM)?;
        let (mut cursor, mut hello) = (Cursor::new(bytes), Vec::new());
        let first = clear(side, &mut cursor, &mut hello);
        let protected = first.and_then(|first| all_protected(side, first, cursor));
        Ok(Self { side, hello, protected })
    }

    /// The error if there are no more messages in the clear than those of [`Direction::hello`] although
    /// `expected` must come.
    pub(super) fn ended(&self, expected: &'static str) -> Error {
        match &self.protected {
            Ok(_) => Error::unexpected(self.side, expected, "a protected record"),
            Err(error) => error.clone(),
        }
    }

    /// The protected records.
    pub(super) fn protected(self) -> Result<Vec<Record>, Error> {
        self.protected
    }
}

/// Reads up to the first protected record and returns it. Records state TLS 1.2 as their version, except for
/// a client's first one, which may state TLS 1.0, and for alerts between sides that have no version in common
/// (RFC 8446, section 5.1). One ChangeCipherSpec may come after the messages in the clear, for the sake of
/// devices on the way (appendix D.4).
fn clear<'a>(side: Side, cursor: &mut Cursor<'a>, hello: &mut Vec<u8>) -> Result<Framed<'a>, Error> {
    let mut changed = false;
    loop {
        let framed = header(side, cursor)?;
        let Framed { content_type, version, payload } = framed;
        if content_type == APPLICATION_DATA && !hello.is_empty() {
            return Ok(framed);
        }
        let malformed = |reason: String| Error::malformed(side, "a record in the clear", reason);
        let early = content_type == ALERT || side == Side::Client && hello.is_empty();
        if version != LEGACY_VERSION && !(early && version == 0x0301) {
            return Err(malformed(format!("its version is {version:#06x}, not 0x0303")));
        }
        if payload.is_empty() || payload.len() > MAX_PLAINTEXT {
            return Err(malformed(format!("it has {} bytes, not 1 to {MAX_PLAINTEXT}", payload.len())));
        }
        match (content_type, payload) {
            (HANDSHAKE, _) if !changed => {
                limit(side, "the handshake", hello.len() + payload.len(), MAX_HANDSHAKE)?;
                hello.extend_from_slice(payload);
            }
            (CHANGE_CIPHER_SPEC, [1]) if !changed && !hello.is_empty() => changed = true,
            (CHANGE_CIPHER_SPEC, [_, _, ..] | [0 | 2..]) => {
                return Err(malformed("ChangeCipherSpec is not the byte 1".into()));
            }
            (ALERT, &[_, PROTOCOL_VERSION]) if side == Side::Server => return Err(Error::OnlyOlder),
            (ALERT, &[level, description]) => return Err(Error::Alert { side, level, description }),
            (ALERT, _) => return Err(malformed("an alert is not two bytes".into())),
            _ => {
                let expected = if changed { "a protected record" } else { "a handshake message" };
                return Err(Error::unexpected(side, expected, kind(content_type)));
            }
        }
    }
}

/// Reads the protected records, of which the first is framed already.
fn all_protected(side: Side, first: Framed<'_>, mut cursor: Cursor<'_>) -> Result<Vec<Record>, Error> {
    let mut records = vec![protected(side, first)?];
    while !cursor.is_empty() {
        limit(side, "the number of protected records", records.len() + 1, MAX_RECORDS)?;
        records.push(protected(side, header(side, &mut cursor)?)?);
    }
    Ok(records)
}

fn protected(side: Side, framed: Framed<'_>) -> Result<Record, Error> {
    let Framed { content_type, version, payload } = framed;
    if content_type != APPLICATION_DATA {
        let found = kind(content_type);
        return Err(Error::unexpected(side, "a protected record", format!("{found} in the clear")));
    }
    let malformed = |reason: String| Error::malformed(side, "a protected record", reason);
    if version != LEGACY_VERSION {
        return Err(malformed(format!("its version is {version:#06x}, not 0x0303")));
    }
    match payload.split_last_chunk::<TAG_BYTES>() {
        Some((ciphertext, tag)) if (1..=MAX_INNER).contains(&ciphertext.len()) => {
            Ok(Record { ciphertext: ciphertext.to_vec(), tag: *tag })
        }
        _ => {
            let (least, most) = (1 + TAG_BYTES, MAX_INNER + TAG_BYTES);
            Err(malformed(format!("it has {} bytes, not {least} to {most}", payload.len())))
        }
    }
}
