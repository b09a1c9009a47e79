//! The encoding of openings.
//!
//! ```text
//! file   =  "volery openings" LF | version, 2 bytes | number of parts, 4 bytes | parts, in order of their places
//! part   =  0 for the query, 1 for the response | 0 for bytes, 1 for a number | first byte's place, 8 bytes | length, 4 bytes | values
//! value  =  up to 31 bytes, or a number, 8 bytes | blinding, 32 bytes
//! ```
//!
//! Numbers are big-endian. A blinding is little-endian, like Ristretto's scalars, and below the group's
//! order.

use curve25519_dalek::scalar::Scalar;
use volery_channel::{Cursor, Flaw};
use zeroize::Zeroizing;

use super::layout::{Form, MAX_VALUES, Place, VALUE_BYTES};
use super::openings::{Opened, Openings, OpeningsError};
use super::pedersen::Opening;
use crate::wire::prf::Side;

/// The first bytes of a file.
const MAGIC: &[u8] = b"volery openings\n";
/// The version of the format that is written and read.
pub(crate) const VERSION: u16 = 2;
/// Bytes before the parts.
const HEAD: usize = MAGIC.len() + 2 + 4;
/// Bytes of a part besides its values.
const PART: usize = 1 + 1 + 8 + 4;
/// Bytes of a blinding.
const BLINDING: usize = 32;
/// The longest file, in bytes.
pub const MAX_BYTES: usize = HEAD + MAX_VALUES * (PART + VALUE_BYTES as usize + BLINDING);

impl From<Flaw> for OpeningsError {
    fn from(flaw: Flaw) -> Self {
        Self::Malformed(flaw.to_string())
    }
}

pub(super) fn encode(parts: &[Opened]) -> Zeroizing<Vec<u8>> {
    let values: usize = parts.iter().map(|part| part.values.len()).sum();
    // Room for everything at once: growing would leave copies behind.
    let room = HEAD + parts.len() * PART + values * (VALUE_BYTES as usize + BLINDING);
    let mut out = Zeroizing::new(Vec::with_capacity(room));
    out.extend_from_slice(MAGIC);
    out.extend(VERSION.to_be_bytes());
    out.extend((parts.len() as u32).to_be_bytes());
    for Opened { place, values } in parts {
        let Place { side, start, length, form } = place;
        out.push(u8::from(*side == Side::Server));
        out.push(u8::from(*form == Form::Number));
        out.extend(start.to_be_bytes());
        // There are at most 2^16 values.
        out.extend((*length as u32).to_be_bytes());
        for (bytes, value) in place.chunks().zip(values) {
            // The rules of `Openings` ensure that it fits.
            let mut content = value.bytes(bytes).unwrap_or_default();
            if *form == Form::Number {
                content.reverse();
            }
            out.extend_from_slice(&content);
            out.extend_from_slice(value.blinding().as_bytes());
        }
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
    let count = cursor.u32("the number of parts")? as usize;
    if count > MAX_VALUES {
        return Err(OpeningsError::Malformed(format!("{count} parts, at most {MAX_VALUES} are read")));
    }
    // The list grows as its parts are read, so the input has to contain them.
    let parts = (0..count).map(|_| part(&mut cursor)).collect::<Result<_, _>>()?;
    cursor.finish()?;
    Openings::from_parts(parts)
}

fn part(cursor: &mut Cursor<'_>) -> Result<Opened, OpeningsError> {
    let malformed = |reason: &str| OpeningsError::Malformed(reason.into());
    let side = match cursor.u8("a side")? {
        0 => Side::Client,
        1 => Side::Server,
        _ => return Err(malformed("a side that is neither 0 nor 1")),
    };
    let form = match cursor.u8("a form")? {
        0 => Form::Bytes,
        1 => Form::Number,
        _ => return Err(malformed("a form that is neither 0 nor 1")),
    };
    let (start, length) = (cursor.u64("a place")?, cursor.u32("a length")?.into());
    let place = Place { side, start, length, form };
    // The first missing value ends this, whatever number the length asks for.
    let values = place.chunks().map(|bytes| value(cursor, form, bytes)).collect::<Result<_, _>>()?;
    Ok(Opened { place, values })
}

fn value(cursor: &mut Cursor<'_>, form: Form, bytes: usize) -> Result<Opening, OpeningsError> {
    let malformed = |reason: &str| OpeningsError::Malformed(reason.into());
    let mut content = Zeroizing::new(cursor.bytes(bytes, "an opened value")?.to_vec());
    if form == Form::Number {
        content.reverse();
    }
    let blinding = Scalar::from_canonical_bytes(cursor.array("a blinding")?).into_option();
    let blinding = blinding.ok_or_else(|| malformed("a blinding that is not below the group's order"))?;
    Opening::of_bytes(&content, blinding).map_err(|_| malformed("a value of more than 31 bytes"))
}
