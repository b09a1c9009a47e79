//! What the holder keeps of its commitments, and shows.

use core::ops::Range;

use super::file;
use super::layout::{MAX_VALUES, Place, VALUE_BYTES};
use super::pedersen::Opening;
use crate::attestation::Statement;
use crate::prf::Side;

pub use super::file::{MAX_BYTES, VERSION};

/// The greatest end of a place, as of an attestation's ranges.
const MAX_END: u64 = 1 << 48;

/// Why openings are not what they should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningsError {
    /// The bytes are not a file of openings.
    #[error("this is not a file of openings: {0}")]
    Malformed(String),
    /// The file is of another version.
    #[error(
        "these openings have format version {0}, and this program reads version {VERSION}; use another version of the program"
    )]
    Version(u16),
    /// Places that no file may have.
    #[error("openings: {0}")]
    Places(String),
    /// There is no opening for some of these bytes.
    #[error("bytes {range:?} of the {} are not all committed to; show other bytes, or the whole of a committed range", name(*side))]
    Missing {
        /// Whose bytes.
        side: Side,
        /// The bytes that were asked for.
        range: Range<u64>,
    },
    /// The attestation has no such commitment.
    #[error("the attestation has no commitment to these contents of bytes {range:?} of the {}: the opening was changed, or belongs to another attestation", name(*side))]
    NotCommitted {
        /// Whose bytes.
        side: Side,
        /// The bytes.
        range: Range<u64>,
    },
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Client => "query",
        Side::Server => "response",
    }
}

/// Openings of committed bytes, each place once, in order. Secret; without `Debug`, and wiped on drop.
///
/// To show some of them, [`select`](Openings::select) them and hand the bytes over: the receiver reads them and calls
/// [`check`](Openings::check) with an attestation that it has verified. The commitments to the rest stay closed.
pub struct Openings(Vec<(Place, Opening)>);

/// Bytes of the payload that an opening has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosed {
    /// Where they are.
    pub place: Place,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Openings {
    /// The openings of these places, whatever their order.
    ///
    /// # Errors
    /// [`OpeningsError::Places`] unless there is one opening for each place, there are 1 to [`MAX_VALUES`] places, each is of 1 to
    /// 31 bytes and before byte `2^48`, none is there twice, and each opening holds bytes of this length.
    pub fn new(places: Vec<Place>, openings: Vec<Opening>) -> Result<Self, OpeningsError> {
        if places.len() != openings.len() {
            let reason = format!("{} openings for {} places", openings.len(), places.len());
            return Err(OpeningsError::Places(reason));
        }
        let mut entries: Vec<_> = places.into_iter().zip(openings).collect();
        entries.sort_by_key(|(place, _)| key(place));
        Self::from_entries(entries)
    }

    /// Checks all rules.
    pub(super) fn from_entries(entries: Vec<(Place, Opening)>) -> Result<Self, OpeningsError> {
        let broken = |reason: String| Err(OpeningsError::Places(reason));
        if !(1..=MAX_VALUES).contains(&entries.len()) {
            return broken(format!("{} places, at least one and at most {MAX_VALUES}", entries.len()));
        }
        if !entries.is_sorted_by(|(a, _), (b, _)| key(a) < key(b)) {
            return broken("a place is there twice, or places are not in order".into());
        }
        for (place, opening) in &entries {
            let range = &place.range;
            if !(1..=VALUE_BYTES).contains(&place.length()) || range.end > MAX_END {
                return broken(format!(
                    "bytes {range:?} are no place: 1 to {VALUE_BYTES} bytes, none after byte 2^48"
                ));
            }
            if opening.bytes(place.length() as usize).is_none() {
                return broken(format!("the opening of bytes {range:?} holds a number that is longer"));
            }
        }
        Ok(Self(entries))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`OpeningsError::Malformed`], [`OpeningsError::Version`], and [`OpeningsError::Places`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, OpeningsError> {
        file::decode(bytes)
    }

    /// The file, as secret as what it opens.
    #[must_use]
    pub fn to_bytes(&self) -> zeroize::Zeroizing<Vec<u8>> {
        file::encode(self)
    }

    /// The places and their openings, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&Place, &Opening)> {
        self.0.iter().map(|(place, opening)| (place, opening))
    }

    /// The openings of all places within a range, to show.
    ///
    /// # Errors
    /// [`OpeningsError::Missing`] if they leave out a part of the range.
    pub fn select(&self, side: Side, range: Range<u64>) -> Result<Self, OpeningsError> {
        let within = |place: &Place| {
            place.side == side && range.start <= place.range.start && place.range.end <= range.end
        };
        let chosen: Vec<_> = self.0.iter().filter(|(place, _)| within(place)).cloned().collect();
        // In order of their starts: a gap shows as a place that begins after all before it have ended.
        let covered = chosen.iter().fold(
            range.start,
            |at, (Place { range, .. }, _)| {
                if range.start <= at { at.max(range.end) } else { at }
            },
        );
        if chosen.is_empty() || covered < range.end {
            return Err(OpeningsError::Missing { side, range });
        }
        Self::from_entries(chosen)
    }

    /// What these openings show, if they open commitments of `statement`, which must come from a verified attestation.
    ///
    /// # Errors
    /// [`OpeningsError::NotCommitted`] for an opening of anything else.
    pub fn check(&self, statement: &Statement) -> Result<Vec<Disclosed>, OpeningsError> {
        self.0.iter().map(|(place, opening)| disclose(place, opening, statement)).collect()
    }
}

fn disclose(place: &Place, opening: &Opening, statement: &Statement) -> Result<Disclosed, OpeningsError> {
    let part = match place.side {
        Side::Client => &statement.query,
        Side::Server => &statement.response,
    };
    let wanted = (place.range.start, place.range.end, opening.commitment().to_bytes());
    let found = part
        .commitments
        .binary_search_by_key(&wanted, |entry| (entry.range.start, entry.range.end, entry.point));
    match (found, opening.bytes(place.length() as usize)) {
        (Ok(_), Some(bytes)) => Ok(Disclosed { place: place.clone(), bytes: bytes.to_vec() }),
        _ => Err(OpeningsError::NotCommitted { side: place.side, range: place.range.clone() }),
    }
}

/// The order of places.
fn key(place: &Place) -> (bool, u64, u64) {
    (place.side == Side::Server, place.range.start, place.range.end)
}
