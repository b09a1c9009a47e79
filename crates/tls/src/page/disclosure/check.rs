//! V's checks in the clear, with public values derived from the keys: Finished messages and tags.

use subtle::ConstantTimeEq as _;
use volery_field::Gf128;

use super::Refusal;
use super::derive::{Facts, SIDES, finished_message, records};
use crate::Error;
use crate::wire::ghash::{from_block, hashed, to_block};
use crate::wire::prf::Side;
use crate::wire::record::header;
use crate::wire::transcript::{ALERT, Record, Transcript};

/// An alert of level warning that announces the end of the connection.
const CLOSE_NOTIFY: [u8; 2] = [1, 0];

/// Checks that both Finished messages are those of the handshake, and that all tags of all records are right.
///
/// `facts` are claims until the proof holds. A record's number is its position in its direction, and its tag
/// covers it, so no record is missing, out of order or from elsewhere. Its nonce is the one that it states,
/// on which the mask depends.
///
/// Returns whether the server ended the connection with `close_notify`.
///
/// # Errors
/// [`Refusal::Finished`], [`Refusal::Tag`], [`Refusal::Alert`].
pub(super) fn check(transcript: &Transcript, facts: &[Facts; 2]) -> Result<bool, Refusal> {
    let mut closed = false;
    for (side, facts) in SIDES.into_iter().zip(facts) {
        let finished = facts.control.first().map(Vec::as_slice);
        if finished != Some(&finished_message(&facts.verify_data)) {
            return Err(Refusal::Finished(side));
        }
        let records = records(transcript, side);
        if facts.masks.len() != records.len() {
            return Err(Refusal::Opened);
        }
        let hash_key = from_block(facts.hash_key);
        for (record, mask) in records.iter().zip(&facts.masks) {
            check_tag(side, record, hash_key, from_block(*mask))?;
        }
        closed = ends(side, records, facts)?;
    }
    // The server is the last.
    Ok(closed)
}

/// Checks that an alert is the last record of its direction. Returns whether it is `close_notify`, after
/// which nothing counts (RFC 5246, section 7.2.1).
fn ends(side: Side, records: &[Record], facts: &Facts) -> Result<bool, Refusal> {
    let Some(alert) = records.iter().position(|record| record.content_type == ALERT) else {
        return Ok(false);
    };
    if alert + 1 != records.len() {
        return Err(Refusal::Alert(side));
    }
    Ok(facts.control.get(alert).is_some_and(|alert| **alert == CLOSE_NOTIFY))
}

fn check_tag(side: Side, record: &Record, hash_key: Gf128, mask: Gf128) -> Result<(), Refusal> {
    let refusal = Refusal::Tag { side, sequence: record.sequence };
    let header = header(record.sequence, record.content_type, record.ciphertext.len());
    let Ok(header) = header else { return Err(refusal) };
    let sum =
        hashed(&header, &record.ciphertext).into_iter().fold(Gf128::ZERO, |sum, x| (sum + x) * hash_key);
    if bool::from(to_block(sum + mask).ct_eq(&record.tag)) { Ok(()) } else { Err(refusal) }
}

impl From<Error> for Refusal {
    fn from(_: Error) -> Self {
        Self::Opened
    }
}
