//! How a hidden string is divided into leaves: a function of what shows of it, and of nothing else.

use core::ops::Range;

use zeroize::Zeroizing;

use super::{CHUNK, MAX_VALUE, SALT};
use crate::page::claim::value_room;
use crate::page::disclosure::Part;
use crate::page::http::json;

/// Bytes of an index.
const INDEX: usize = 4;
/// Bytes of a block of SHA-256, and the least of its padding.
const BLOCK: usize = 64;
const PADDING: usize = 9;

/// The leaves of a hidden string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Pieces of the string, each of [`CHUNK`] bytes but perhaps the last.
    Chunks {
        /// The string's length.
        length: usize,
    },
    /// The values of a run, each padded to the same length.
    Values {
        /// Their number.
        count: usize,
        /// The bytes of each with its padding, at least one.
        room: usize,
    },
}

/// What a leaf is of its string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LeafKind {
    /// These bytes of it; all if it has no other leaf.
    Chunk(Range<usize>),
    /// The value of this number, from 0, of at most this many bytes with its padding.
    Value { number: usize, room: usize },
}

impl Shape {
    /// The leaves of a string of this part and length.
    pub(crate) fn of(part: &Part, length: usize) -> Self {
        if let Part::Values(values) = part
            && let Some(room) = value_room(length, values.between.iter().map(String::len))
            && room <= MAX_VALUE + 1
        {
            return Self::Values { count: values.between.len().saturating_add(1), room };
        }
        Self::Chunks { length }
    }

    /// The number of leaves.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Chunks { length } => length.div_ceil(CHUNK),
            Self::Values { count, .. } => *count,
        }
    }

    /// The leaf of this number, if there is one.
    pub(crate) fn leaf(&self, number: usize) -> Option<LeafKind> {
        if number >= self.count() {
            return None;
        }
        Some(match self {
            Self::Chunks { length } => {
                let start = number.saturating_mul(CHUNK);
                LeafKind::Chunk(start..start.saturating_add(CHUNK).min(*length))
            }
            Self::Values { room, .. } => LeafKind::Value { number, room: *room },
        })
    }

    /// The number of compressions of all digests.
    pub(crate) fn compressions(&self) -> usize {
        let of = |content: usize| (SALT + INDEX + PADDING).saturating_add(content).div_ceil(BLOCK);
        match self {
            Self::Chunks { length } => {
                let (whole, rest) = (length / CHUNK, length % CHUNK);
                let last = if rest == 0 { 0 } else { of(rest) };
                whole.saturating_mul(of(CHUNK)).saturating_add(last)
            }
            Self::Values { count, room } => count.saturating_mul(of(*room)),
        }
    }

    /// At P: the contents of all leaves of a string of these bytes, in order. Fewer if the string is not what
    /// its part says.
    pub(super) fn contents<'a>(&self, part: &Part, bytes: &'a [u8]) -> Vec<&'a [u8]> {
        match self {
            Self::Chunks { .. } => bytes.chunks(CHUNK).collect(),
            Self::Values { .. } => values(part, bytes).unwrap_or_default(),
        }
    }
}

impl LeafKind {
    /// The bytes that are hashed for this content; none if it has another length than the leaf can have.
    pub(crate) fn hashed(&self, content: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        match self {
            Self::Chunk(range) => (content.len() == range.len()).then(|| Zeroizing::new(content.to_vec())),
            Self::Value { room, .. } => Self::pad(content, *room),
        }
    }

    /// A value, 80, and zeros: as many bytes as there is room. A value is not empty.
    fn pad(value: &[u8], room: usize) -> Option<Zeroizing<Vec<u8>>> {
        if value.is_empty() || value.len() >= room {
            return None;
        }
        let mut padded = Zeroizing::new(Vec::with_capacity(room));
        padded.extend_from_slice(value);
        padded.push(0x80);
        padded.resize(room, 0);
        Some(padded)
    }
}

/// The values of a run of these bytes.
fn values<'a>(part: &Part, bytes: &'a [u8]) -> Option<Vec<&'a [u8]>> {
    let Part::Values(values) = part else { return None };
    // A value ends where JSON says, and the text after it is known.
    let (mut all, mut at) = (Vec::new(), 0_usize);
    for text in values.between.iter().map(String::as_bytes) {
        let end = json::value_end(bytes, at)?;
        all.push(bytes.get(at..end)?);
        at = end.checked_add(text.len())?;
        if bytes.get(end..at) != Some(text) {
            return None;
        }
    }
    all.push(bytes.get(at..)?);
    Some(all)
}
