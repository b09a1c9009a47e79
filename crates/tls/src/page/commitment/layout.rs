//! Which authenticated bits make up which committed values.

use core::ops::Range;

use serde::Serialize;

use crate::Error;
use crate::page::claim::{INTEGER_BITS, MAX_DIGITS};
use crate::wire::prf::Side;

/// The most bits of a value: all numbers of this many bits are below the group's order, which is slightly
/// above `2^252`.
pub const VALUE_BITS: usize = 252;
/// The most values of a conversion, and the most places in a file of openings.
pub const MAX_VALUES: usize = 1 << 16;
/// The most whole bytes of a value.
pub(super) const VALUE_BYTES: u64 = VALUE_BITS as u64 / 8;
/// The number of values whose bits share one message, at most 64 kB.
const TOGETHER: usize = 8;

/// Bits in order, cut into values of at most [`VALUE_BITS`] bits each, lowest bit first. It is public, and
/// both parties must use the same.
///
/// A value may be a part of the payload ([`Layout::of_places`]), or any number that the two parties computed
/// on authenticated bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    widths: Vec<u8>,
    bits: usize,
}

impl Layout {
    /// Values of these widths in bits.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless there are 1 to [`MAX_VALUES`] values of 1 to [`VALUE_BITS`] bits.
    pub fn new(widths: &[usize]) -> Result<Self, Error> {
        if !(1..=MAX_VALUES).contains(&widths.len()) {
            let reason =
                format!("commitments to {} values, at least one and at most {MAX_VALUES}", widths.len());
            return Err(Error::Misuse(reason));
        }
        let narrow = |width: &usize| u8::try_from(*width).ok().filter(|_| (1..=VALUE_BITS).contains(width));
        let narrowed: Option<Vec<u8>> = widths.iter().map(narrow).collect();
        let widths = narrowed
            .ok_or_else(|| Error::Misuse(format!("a value has 1 to {VALUE_BITS} bits, not others")))?;
        let bits = widths.iter().map(|width| usize::from(*width)).sum();
        Ok(Self { widths, bits })
    }

    /// The values of these places, one place after the other.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a place that is empty, or a number of too many digits; as [`Layout::new`].
    pub fn of_places(places: &[Place]) -> Result<Self, Error> {
        if let Some(place) = places.iter().find(|place| !place.is_possible()) {
            return Err(Error::Misuse(format!("a commitment to {} bytes as {:?}", place.length, place.form)));
        }
        // Count first: up to here a place may have any length.
        let values = places.iter().fold(0_u64, |sum, place| sum.saturating_add(place.values()));
        if values > MAX_VALUES as u64 {
            return Err(Error::Misuse(format!("commitments to {values} values, at most {MAX_VALUES}")));
        }
        Self::new(&places.iter().flat_map(Place::widths).collect::<Vec<_>>())
    }

    /// The number of bits.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The number of values, and of commitments.
    #[must_use]
    pub fn values(&self) -> usize {
        self.widths.len()
    }

    /// One byte for each value. Layouts are equal if their encodings are.
    pub(super) fn encode(&self) -> &[u8] {
        &self.widths
    }

    /// The positions of each value's bits, followed by those of the mask.
    pub(super) fn spans(&self) -> Vec<Range<usize>> {
        let widths = self.widths.iter().map(|width| usize::from(*width)).chain([VALUE_BITS]);
        widths
            .scan(0, |at, width| {
                let start = *at;
                *at += width;
                Some(start..*at)
            })
            .collect()
    }
}

/// The values of each message of differences.
pub(super) fn messages(spans: &[Range<usize>]) -> impl Iterator<Item = &[Range<usize>]> {
    spans.chunks(TOGETHER)
}

/// What the commitments to a part of the payload hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Its bytes, 31 in each value: the first byte lowest, each byte's lowest bit first, in the order of
    /// [`bytes_to_bits`](volery_circuit::gadgets::bytes_to_bits).
    Bytes,
    /// The number whose decimal digits its bytes are: one value of 64 bits. The place has at most
    /// [`MAX_DIGITS`] digits, which are proved to be digits without leading zeros, so the number determines
    /// the bytes.
    Number,
}

/// A part of the payload that is committed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The sender.
    pub side: Side,
    /// The position of its first byte in this side's plaintext. Other bytes may lie between its bytes, if it
    /// came in chunks.
    pub start: u64,
    /// Its number of bytes.
    pub length: u64,
    /// What the commitments hold.
    pub form: Form,
}

impl Place {
    /// The number of values, each with a commitment.
    #[must_use]
    pub fn values(&self) -> u64 {
        match self.form {
            Form::Bytes => self.length.div_ceil(VALUE_BYTES),
            Form::Number => 1,
        }
    }

    /// Whether it is not empty, and not longer than its form allows.
    pub(crate) fn is_possible(&self) -> bool {
        match self.form {
            Form::Bytes => self.length > 0,
            Form::Number => (1..=MAX_DIGITS as u64).contains(&self.length),
        }
    }

    /// The bytes of each value.
    pub(super) fn chunks(&self) -> impl Iterator<Item = usize> + use<> {
        let (length, form) = (self.length, self.form);
        (0..self.values()).map(move |i| match form {
            // At most 31.
            Form::Bytes => (length - i * VALUE_BYTES).min(VALUE_BYTES) as usize,
            Form::Number => INTEGER_BITS / 8,
        })
    }

    fn widths(&self) -> impl Iterator<Item = usize> + use<> {
        self.chunks().map(|bytes| 8 * bytes)
    }
}
