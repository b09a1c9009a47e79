//! Which authenticated bits make up which committed values.

use core::ops::Range;

use crate::Error;
use crate::attestation::{self, Statement};
use crate::prf::Side;

/// The most bits of a value: all numbers of so many bits are below the group's order, which is `2^252` and a little.
pub const VALUE_BITS: usize = 252;
/// The most values of a conversion, and the most places in a file of openings.
pub const MAX_VALUES: usize = 1 << 16;
/// The most whole bytes of a value.
pub(super) const VALUE_BYTES: u64 = VALUE_BITS as u64 / 8;
/// Values whose bits share one message: 64 kB at most.
const TOGETHER: usize = 8;

/// Bits in order, cut into values, each at most [`VALUE_BITS`] wide: lowest bit first. Public; both parties must use the same.
///
/// A value may be bytes of the payload ([`Layout::of_places`]), or any number that the two parties computed on authenticated bits.
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

    /// The bytes at these places, each place a value: its first byte lowest, each byte's lowest bit first, as
    /// [`bytes_to_bits`](volery_circuit::gadgets::bytes_to_bits) orders them.
    ///
    /// # Errors
    /// As [`Layout::new`]; use [`Place::split`] to make places short enough.
    pub fn of_places(places: &[Place]) -> Result<Self, Error> {
        // A length that does not fit is too long, as the greatest number is.
        let width =
            |place: &Place| usize::try_from(place.length()).map_or(usize::MAX, |n| n.saturating_mul(8));
        Self::new(&places.iter().map(width).collect::<Vec<_>>())
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

    /// One byte for each value: equal encodings are equal layouts.
    pub(super) fn encode(&self) -> &[u8] {
        &self.widths
    }

    /// Where the bits of each value stand, and after them those of the mask.
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

/// Bytes of the payload: where a committed value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Who sent them.
    pub side: Side,
    /// Where they are in the plaintext of this side.
    pub range: Range<u64>,
}

impl Place {
    /// The places that make up a range of any length: all but the last have 31 bytes, the most that go into one value.
    #[must_use]
    pub fn split(side: Side, range: Range<u64>) -> Vec<Self> {
        let starts = core::iter::successors(Some(range.start), |start| start.checked_add(VALUE_BYTES));
        let starts = starts.take_while(|start| *start < range.end);
        starts
            .map(|start| Self { side, range: start..start.saturating_add(VALUE_BYTES).min(range.end) })
            .collect()
    }

    /// Bytes.
    pub(super) fn length(&self) -> u64 {
        self.range.end.saturating_sub(self.range.start)
    }

    /// Puts `commitments`, one for each place, into what V is about to sign; in the order that an attestation asks for.
    ///
    /// # Errors
    /// [`Error::Misuse`] if there are not as many commitments as places.
    pub fn attest(
        places: &[Self],
        commitments: &[super::Commitment],
        statement: &mut Statement,
    ) -> Result<(), Error> {
        if places.len() != commitments.len() {
            return Err(Error::Misuse(format!(
                "{} commitments for {} places",
                commitments.len(),
                places.len()
            )));
        }
        for (place, commitment) in places.iter().zip(commitments) {
            let part = match place.side {
                Side::Client => &mut statement.query,
                Side::Server => &mut statement.response,
            };
            let point = commitment.to_bytes();
            part.commitments.push(attestation::Commitment { range: place.range.clone(), point });
        }
        for part in [&mut statement.query, &mut statement.response] {
            part.commitments.sort_by_key(|entry| (entry.range.start, entry.range.end, entry.point));
        }
        Ok(())
    }
}
