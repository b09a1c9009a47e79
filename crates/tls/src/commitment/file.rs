//! The one encoding of openings.
//!
//! ```text
//! file   =  "volery openings" LF | version, 2 bytes | number of entries, 4 bytes | entries, in order of their places
//! entry  =  0 for the query, 1 for the response | first byte's place, 8 bytes | length, 1 byte | bytes | blinding, 32 bytes
//! ```
//!
//! Numbers are big-endian; a blinding is little-endian, as Ristretto's scalars are, and below the group's order.

use curve25519_dalek::scalar::Scalar;
use zeroize::Zeroizing;

use super::layout::{MAX_VALUES, Place, VALUE_BYTES};
use super::openings::{Openings, OpeningsError};
use super::pedersen::Opening;
use crate::cursor::{Cursor, Flaw};
use crate::prf::Side;

/// What a file begins with.
const MAGIC: &[u8] = b"volery openings\n";
/// The version of the format that is written and read.
pub const VERSION: u16 = 1;
/// Bytes before the entries.
const HEAD: usize = MAGIC.len() + 2 + 4;
/// Bytes of an entry besides the opened ones.
const ENTRY: usize = 1 + 8 + 1 + 32;
/// The longest file, in bytes.
pub const MAX_BYTES: usize = HEAD + MAX_VALUES * (ENTRY + VALUE_BYTES as usize);

impl From<Flaw> for OpeningsError {
    fn from(flaw: Flaw) -> Self {
        Self::Malformed(flaw.to_string())
    }
}

pub(super) fn encode(openings: &Openings) -> Zeroizing<Vec<u8>> {
    let entries = openings.entries();
    let count = entries.len();
    // All room at once: growing would leave copies behind.
    let mut out = Zeroizing::new(Vec::with_capacity(HEAD + count * (ENTRY + VALUE_BYTES as usize)));
    out.extend_from_slice(MAGIC);
    out.extend(VERSION.to_be_bytes());
    out.extend((count as u32).to_be_bytes());
    for (Place { side, range }, opening) in entries {
        // The rules of `Openings` say that the length fits, and that the value does.
        let length = range.end.saturating_sub(range.start) as u8;
        let bytes = opening.bytes(length.into()).unwrap_or_default();
        out.push(u8::from(*side == Side::Server));
        out.extend(range.start.to_be_bytes());
        out.push(length);
        out.extend_from_slice(&bytes);
        out.extend_from_slice(opening.blinding.as_bytes());
    }
    out
}

pub(super) fn decode(bytes: &[u8]) -> Result<Openings, OpeningsError> {
    if bytes.len() > MAX_BYTES {
        let reason = format!("it has {} bytes, at most {MAX_BYTES} are read", bytes.len());
        return Err(OpeningsError::Malformed(reason));
    }
    let mut cursor = Cursor::new(bytes);
    if cursor.bytes(MAGIC.len(), "its first line") != Ok(MAGIC) {
        return Err(OpeningsError::Malformed("its first line is not `volery openings`".into()));
    }
    let version = cursor.u16("the version")?;
    if version != VERSION {
        return Err(OpeningsError::Version(version));
    }
    let count = cursor.u32("the number of entries")? as usize;
    if count > MAX_VALUES {
        return Err(OpeningsError::Malformed(format!("{count} entries, at most {MAX_VALUES} are read")));
    }
    // It grows as its entries are read, so the input pays for its memory.
    let entries = (0..count).map(|_| entry(&mut cursor)).collect::<Result<_, _>>()?;
    cursor.finish()?;
    Openings::from_entries(entries)
}

fn entry(cursor: &mut Cursor<'_>) -> Result<(Place, Opening), OpeningsError> {
    let malformed = |reason: &str| OpeningsError::Malformed(reason.into());
    let side = match cursor.u8("a side")? {
        0 => Side::Client,
        1 => Side::Server,
        _ => return Err(malformed("a side that is neither 0 nor 1")),
    };
    let start = cursor.u64("a place")?;
    let length = cursor.u8("a length")?;
    let bytes = cursor.bytes(length.into(), "opened bytes")?;
    let blinding = Scalar::from_canonical_bytes(cursor.array("a blinding")?).into_option();
    let blinding = blinding.ok_or_else(|| malformed("a blinding that is not below the group's order"))?;
    let opening =
        Opening::of_bytes(bytes, blinding).map_err(|_| malformed("an opening of more than 31 bytes"))?;
    let end = start.checked_add(length.into()).ok_or_else(|| malformed("a place without an end"))?;
    Ok((Place { side, range: start..end }, opening))
}
