//! Records as they lie in a direction's bytes, and limits.

use volery_channel::Cursor;

use super::{ALERT, APPLICATION_DATA, Error, HANDSHAKE};
use crate::wire::prf::Side;

/// The type of a ChangeCipherSpec.
pub(super) const CHANGE_CIPHER_SPEC: u8 = 20;
/// The alert of a side that has no version in common with the other.
pub(super) const PROTOCOL_VERSION: u8 = 70;

/// The part in which bytes end if they end between two records of the handshake.
pub(super) const HANDSHAKE_CUT: &str = "the handshake";

/// The most encrypted records of a direction. Each costs both parties an AES block in the proof, however
/// little it contains.
pub(super) const MAX_RECORDS: usize = 1 << 13;

/// A framed record.
pub(super) struct Framed<'a> {
    pub(super) content_type: u8,
    pub(super) version: u16,
    pub(super) payload: &'a [u8],
}

/// Takes the next record.
pub(super) fn header<'a>(side: Side, cursor: &mut Cursor<'a>) -> Result<Framed<'a>, Error> {
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

/// The name of a kind of record.
pub(super) fn kind(content_type: u8) -> &'static str {
    match content_type {
        CHANGE_CIPHER_SPEC => "ChangeCipherSpec",
        ALERT => "an alert",
        HANDSHAKE => "a handshake message",
        _ => "application data",
    }
}

/// Checks a size.
pub(super) fn limit(side: Side, what: &'static str, found: usize, limit: usize) -> Result<(), Error> {
    if found > limit { Err(Error::Limit { side, what, found, limit }) } else { Ok(()) }
}
