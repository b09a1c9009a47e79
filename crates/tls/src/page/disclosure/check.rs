//! V's checks in the clear, with public values derived from the keys: Finished messages and tags.

use subtle::ConstantTimeEq as _;

use super::Refusal;
use super::connection::{DataRecord, SIDES};
use super::derive::{ALERT_BYTES, Derived, Facts, TagKeys, finished_message};
use crate::Error;
use crate::wire::prf::Side;
use crate::wire::transcript::tls13::{MESSAGE_HEADER_BYTES, after_handshake};
use crate::wire::transcript::{ALERT, APPLICATION_DATA, HANDSHAKE};
use crate::wire::version::TlsVersion;

/// An alert of level warning that announces the end of the connection.
const CLOSE_NOTIFY: [u8; ALERT_BYTES] = [1, 0];

/// Checks that both Finished messages are those of the handshake, that all tags of all records are right,
/// and, in TLS 1.3, that all contents are such as may come after the handshake.
///
/// What is `derived` are claims until the proof holds. A record's number is its position in its direction,
/// and its tag covers it or depends on it, so no record is missing, out of order or from elsewhere.
///
/// Returns whether the server ended the connection with `close_notify`.
///
/// # Errors
/// [`Refusal::Finished`], [`Refusal::Tag`], [`Refusal::Alert`], [`Refusal::Content`],
/// [`Refusal::Unanswered`], [`Refusal::Transcript`].
pub(super) fn check<W>(version: TlsVersion, derived: &Derived<'_, W>) -> Result<bool, Refusal> {
    let mut closed = false;
    for ((side, facts), records) in SIDES.into_iter().zip(&derived.facts).zip(&derived.records) {
        if facts.tags.len() != records.len() || facts.control.len() != records.len() {
            return Err(Refusal::Opened);
        }
        match version {
            TlsVersion::Tls12 => check_finished(side, facts)?,
            TlsVersion::Tls13 => check_contents(side, records, facts)?,
        }
        for (place, record) in records.iter().enumerate() {
            check_tag(side, record, &facts.tags, place)?;
        }
        closed = ends(side, records, facts)?;
    }
    // The server is the last.
    Ok(closed)
}

/// Checks that record 0 is Finished. In TLS 1.3 that is known when the handshake is open.
fn check_finished(side: Side, facts: &Facts) -> Result<(), Refusal> {
    let expected = facts.verify_data.as_ref().map(|contents| finished_message(contents).to_vec());
    let finished = facts.control.first();
    if expected.is_none() || finished != expected.as_ref() {
        return Err(Refusal::Finished(side));
    }
    Ok(())
}

/// Checks that the contents of TLS 1.3's records are data, alerts, or whole messages that may come after the
/// handshake, and that the server sent something.
fn check_contents(side: Side, records: &[DataRecord<'_>], facts: &Facts) -> Result<(), Refusal> {
    if side == Side::Server && records.is_empty() {
        return Err(Refusal::Unanswered);
    }
    for (record, control) in records.iter().zip(&facts.control) {
        let refuse = |reason| Refusal::Content { side, sequence: record.sequence, reason };
        match record.content_type {
            APPLICATION_DATA => {}
            ALERT if control.len() == ALERT_BYTES => {}
            ALERT => return Err(refuse("an alert that is not two bytes")),
            HANDSHAKE => {
                let (headers, []) = control.as_chunks::<MESSAGE_HEADER_BYTES>() else {
                    return Err(Refusal::Opened);
                };
                let length = after_handshake(side, headers)?;
                if length != record.length || length == 0 {
                    return Err(refuse("a handshake message that is not whole in it"));
                }
            }
            _ => return Err(refuse("a content of no known type")),
        }
    }
    Ok(())
}

/// Checks that an alert is the last record of its direction. Returns whether it is `close_notify`, after
/// which nothing counts (RFC 5246, section 7.2.1; RFC 8446, section 6.1).
fn ends(side: Side, records: &[DataRecord<'_>], facts: &Facts) -> Result<bool, Refusal> {
    let Some(alert) = records.iter().position(|record| record.content_type == ALERT) else {
        return Ok(false);
    };
    if alert + 1 != records.len() {
        return Err(Refusal::Alert(side));
    }
    Ok(facts.control.get(alert).is_some_and(|alert| **alert == CLOSE_NOTIFY))
}

/// Checks the tag of the record of this place in its direction.
fn check_tag(side: Side, record: &DataRecord<'_>, tags: &TagKeys, place: usize) -> Result<(), Refusal> {
    let header = record.header();
    let tag = header.and_then(|header| tags.tag(place, &header, record.ciphertext));
    let refusal = Refusal::Tag { side, sequence: record.sequence };
    if tag.is_some_and(|tag| tag.ct_eq(record.tag).into()) { Ok(()) } else { Err(refusal) }
}

impl From<Error> for Refusal {
    fn from(_: Error) -> Self {
        Self::Opened
    }
}
