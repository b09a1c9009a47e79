//! The openings of its commitments that the holder keeps and can show.

use core::ops::Range;

use zeroize::Zeroizing;

use super::file;
use super::layout::{Form, MAX_VALUES, Place};
use super::pedersen::Opening;
use crate::page::attestation::{Committed, Statement};
use crate::wire::prf::Side;

pub use super::file::MAX_BYTES;
use super::file::VERSION;

/// The greatest end of a place, the same as for an attestation's ranges.
const MAX_END: u64 = 1 << 48;

/// Why openings are invalid.
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
    /// Places that are not allowed in a file.
    #[error("openings: {0}")]
    Places(String),
    /// There is no opening for this part.
    #[error("these openings do not open the part from byte {start} of the {} on", side.message())]
    Missing {
        /// The sender of the bytes.
        side: Side,
        /// The first of them.
        start: u64,
    },
    /// The attestation has no such commitment.
    #[error(
        "the attestation has no commitment to these contents of the part from byte {start} of the {} on: the opening was changed, or \
         belongs to another attestation",
        side.message()
    )]
    NotCommitted {
        /// The sender of the bytes.
        side: Side,
        /// The first of them.
        start: u64,
    },
    /// The attestation has commitments that these openings do not open.
    #[error("the attestation has commitments to {attested} parts, and there are openings of {opened}")]
    Others {
        /// The number of parts that the attestation has commitments to.
        attested: usize,
        /// The number of parts that there are openings of.
        opened: usize,
    },
}

/// A place and the openings of its values.
#[derive(Clone)]
pub(super) struct Opened {
    pub(super) place: Place,
    pub(super) values: Vec<Opening>,
}

/// Openings of committed parts, each once, in order. They are secret, have no `Debug`, and are wiped on drop.
///
/// To show some of them, [`select`](Openings::select) them and hand over the bytes. The receiver reads them
/// and calls [`check`](Openings::check) with an attestation that it has verified. The commitments to the rest
/// stay closed.
pub struct Openings(Vec<Opened>);

/// A part of the payload that an opening has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disclosed {
    /// The sender.
    pub side: Side,
    /// Its name in the attestation.
    pub part: String,
    /// The positions of its bytes.
    pub ranges: Vec<Range<u64>>,
    /// The bytes; of a number, its digits.
    pub bytes: Vec<u8>,
}

impl Openings {
    /// The openings of these places: those of each place's values, one place after the other. The places may
    /// be in any order.
    ///
    /// # Errors
    /// [`OpeningsError::Places`] unless there is one opening for each value, 1 to [`MAX_VALUES`] in all, no
    /// two places begin at the same byte, none ends after byte `2^48`, and each opening holds bytes of its
    /// place's length, or a number with that many digits.
    pub fn new(places: &[Place], openings: Vec<Opening>) -> Result<Self, OpeningsError> {
        let wanted = places.iter().fold(0, |sum: u64, place| sum.saturating_add(place.values()));
        if wanted != openings.len() as u64 {
            return Err(OpeningsError::Places(format!("{} openings for {wanted} values", openings.len())));
        }
        let mut openings = openings.into_iter();
        let mut parts: Vec<_> = places
            .iter()
            .map(|place| Opened {
                place: *place,
                values: openings.by_ref().take(place.chunks().count()).collect(),
            })
            .collect();
        parts.sort_by_key(|part| key(&part.place));
        Self::from_parts(parts)
    }

    /// Checks all rules.
    pub(super) fn from_parts(parts: Vec<Opened>) -> Result<Self, OpeningsError> {
        let broken = |reason: String| Err(OpeningsError::Places(reason));
        let values: usize = parts.iter().map(|part| part.values.len()).sum();
        if !(1..=MAX_VALUES).contains(&values) {
            return broken(format!("{values} values, at least one and at most {MAX_VALUES}"));
        }
        if !parts.is_sorted_by(|a, b| key(&a.place) < key(&b.place)) {
            return broken("a place is there twice, or places are not in order".into());
        }
        for Opened { place, values } in &parts {
            let Place { start, length, form, .. } = place;
            if !place.is_possible() || start.checked_add(*length).is_none_or(|end| end > MAX_END) {
                return broken(format!("{length} bytes from {start} on are no place for {form:?}"));
            }
            if content(place, values).is_none() {
                return broken(format!(
                    "the opening of the part from byte {start} on does not hold so many bytes"
                ));
            }
        }
        Ok(Self(parts))
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
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        file::encode(&self.0)
    }

    /// The places, in order.
    pub fn places(&self) -> impl ExactSizeIterator<Item = &Place> {
        self.0.iter().map(|part| &part.place)
    }

    /// The opening of a number that begins at this byte.
    #[must_use]
    pub fn number(&self, side: Side, start: u64) -> Option<&Opening> {
        let part = self.find(side, start)?;
        (part.place.form == Form::Number).then(|| part.values.first()).flatten()
    }

    /// The openings of the parts that begin at these bytes, for showing them.
    ///
    /// # Errors
    /// [`OpeningsError::Missing`] if one of them has no opening; [`OpeningsError::Places`] if there is no
    /// part, or one is named twice.
    pub fn select(&self, parts: &[(Side, u64)]) -> Result<Self, OpeningsError> {
        let chosen = parts.iter().map(|(side, start)| {
            let found = self.find(*side, *start).cloned();
            found.ok_or(OpeningsError::Missing { side: *side, start: *start })
        });
        let mut chosen = chosen.collect::<Result<Vec<_>, _>>()?;
        chosen.sort_by_key(|part| key(&part.place));
        Self::from_parts(chosen)
    }

    /// The content of these openings, if they open commitments of `statement`, which must come from a
    /// verified attestation.
    ///
    /// # Errors
    /// [`OpeningsError::NotCommitted`] for an opening of anything else.
    pub fn check(&self, statement: &Statement) -> Result<Vec<Disclosed>, OpeningsError> {
        self.0.iter().map(|part| disclose(part, statement)).collect()
    }

    /// As [`Openings::check`], for all commitments of the statement. The holder calls this on a new
    /// attestation.
    ///
    /// # Errors
    /// As there; [`OpeningsError::Others`] if there are more commitments.
    pub fn check_all(&self, statement: &Statement) -> Result<(), OpeningsError> {
        self.check(statement)?;
        let attested = statement.query.commitments.len() + statement.response.commitments.len();
        if attested == self.0.len() {
            return Ok(());
        }
        Err(OpeningsError::Others { attested, opened: self.0.len() })
    }

    /// Checks that a statement has no commitments. A holder without openings calls this on a new attestation.
    ///
    /// # Errors
    /// [`OpeningsError::Others`].
    pub fn check_none(statement: &Statement) -> Result<(), OpeningsError> {
        match statement.query.commitments.len() + statement.response.commitments.len() {
            0 => Ok(()),
            attested => Err(OpeningsError::Others { attested, opened: 0 }),
        }
    }

    fn find(&self, side: Side, start: u64) -> Option<&Opened> {
        self.0.iter().find(|part| (part.place.side, part.place.start) == (side, start))
    }
}

/// The content of a place's values, if each fits.
fn content(place: &Place, values: &[Opening]) -> Option<Zeroizing<Vec<u8>>> {
    let length = usize::try_from(place.length).ok()?;
    // Room for everything at once: growing would leave copies behind.
    let mut content = Zeroizing::new(Vec::with_capacity(length));
    match place.form {
        Form::Bytes => {
            for (chunk, value) in place.chunks().zip(values) {
                content.extend_from_slice(&value.bytes(chunk)?);
            }
        }
        Form::Number => {
            let digits = Zeroizing::new(values.first()?.number()?.to_string());
            content.extend_from_slice(digits.as_bytes());
        }
    }
    (content.len() == length).then_some(content)
}

fn disclose(part: &Opened, statement: &Statement) -> Result<Disclosed, OpeningsError> {
    let Opened { place, values } = part;
    let Place { side, start, length, form } = *place;
    let missing = OpeningsError::NotCommitted { side, start };
    let Some(committed) = statement.committed(side, start) else { return Err(missing) };
    let Committed { part, ranges, points, .. } = committed;
    let opened: Vec<_> = values.iter().map(|opening| opening.commitment().to_bytes()).collect();
    match content(place, values) {
        Some(bytes) if (committed.length(), committed.form) == (length, form) && opened == *points => {
            Ok(Disclosed { side, part: part.clone(), ranges: ranges.clone(), bytes: bytes.to_vec() })
        }
        _ => Err(missing),
    }
}

/// The order of places.
fn key(place: &Place) -> (bool, u64) {
    (place.side == Side::Server, place.start)
}
