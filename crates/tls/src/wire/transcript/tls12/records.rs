//! One direction's records: handshake messages in the clear up to ChangeCipherSpec, encrypted records after
//! it.

use volery_channel::Cursor;

use super::{
    ALERT, APPLICATION_DATA, Error, FINISHED_BYTES, HANDSHAKE, MAX_HANDSHAKE, MAX_STREAM, NONCE_BYTES,
    Record, TAG_BYTES,
};
use crate::wire::prf::Side;
use crate::wire::record::MAX_PLAINTEXT;

const CHANGE_CIPHER_SPEC: u8 = 20;
const VERSION: u16 = 0x0303;
const PROTOCOL_VERSION: u8 = 70;

/// The part in which bytes end if they end between two records of the handshake.
const HANDSHAKE_CUT: &str = "the handshake";

/// The most encrypted records of a direction. Each costs both parties an AES block in the proof, however
/// little it contains.
pub(super) const MAX_RECORDS: usize = 1 << 13;

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
    pub(super) fn complete(self) -> Result<Vec<Record>, Error> {
        let side = self.side;
        let mut cursor = self.end?;
        let mut records = vec![encrypted(side, 0, header(side, &mut cursor)?)?];
        while !cursor.is_empty() {
            if records.len() == MAX_RECORDS {
                let what = "the number of encrypted records";
                return Err(Error::Limit { side, what, found: MAX_RECORDS + 1, limit: MAX_RECORDS });
            }
            let sequence = records.len() as u64;
            records.push(encrypted(side, sequence, header(side, &mut cursor)?)?);
        }
        Ok(records)
    }
}

/// A framed record.
struct Framed<'a> {
    content_type: u8,
    version: u16,
    payload: &'a [u8],
}

fn header<'a>(side: Side, cursor: &mut Cursor<'a>) -> Result<Framed<'a>, Error> {
    let cut = |_| Error::Truncated { side, what: "a record" };
    if cursor.is_empty() {
        return Err(Error::Truncated { side, what: HANDSHAKE_CUT });
    }
    let content_type = cursor.u8("its type").map_err(cut)?;
    // Check before the length is used: a server without TLS answers in text.
    if !(CHANGE_CIPHER_SPEC..=APPLICATION_DATA).contains(&content_type) {
        return Err(Error::malformed(
            side,
            "a record",
            format_args!("it has type {content_type}, not 20 to 23"),
        ));
    }
    let version = cursor.u16("its version").map_err(cut)?;
    let payload = cursor.vector16("its contents").map_err(cut)?;
    Ok(Framed { content_type, version, payload })
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

/// A record after ChangeCipherSpec, under AES-128-GCM.
fn encrypted(side: Side, sequence: u64, framed: Framed<'_>) -> Result<Record, Error> {
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
    let parts = payload.split_first_chunk::<NONCE_BYTES>();
    let parts = parts.and_then(|(nonce, rest)| Some((nonce, rest.split_last_chunk::<TAG_BYTES>()?)));
    let Some((nonce, (ciphertext, tag))) = parts else {
        return Err(malformed(format!("it has {} bytes, not the 24 of nonce and tag", payload.len())));
    };
    let length = ciphertext.len();
    if length > MAX_PLAINTEXT || expected.is_some_and(|expected| expected != length) {
        let expected = expected.map_or_else(|| format!("at most {MAX_PLAINTEXT}"), |n| n.to_string());
        return Err(malformed(format!("its plaintext has {length} bytes, not {expected}")));
    }
    Ok(Record { sequence, content_type, explicit_nonce: *nonce, ciphertext: ciphertext.to_vec(), tag: *tag })
}

fn kind(content_type: u8) -> &'static str {
    match content_type {
        CHANGE_CIPHER_SPEC => "ChangeCipherSpec",
        ALERT => "an alert",
        HANDSHAKE => "a handshake message",
        _ => "application data",
    }
}

pub(super) fn limit(side: Side, what: &'static str, found: usize, limit: usize) -> Result<(), Error> {
    if found > limit { Err(Error::Limit { side, what, found, limit }) } else { Ok(()) }
}
