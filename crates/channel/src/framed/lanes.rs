//! Eight lanes in one stream. They let a party prepare correlations while a proof runs, and run a proof over
//! bits beside one over a field.
//!
//! A protocol that makes correlated randomness and one that uses it take turns in an order that depends on
//! how far each party has come. So their messages are kept apart. The lane of a tag is [`Lane::of`], and
//! messages are ordered within a lane only. A receive that meets a frame of another lane puts it aside, up to
//! [`MOST`] bytes in all. A step belongs in a lane in which both parties take all steps in the same order. A
//! step that a protocol takes between two of its other steps, however far its correlations have come, must
//! not be in a lane of rounds, because rounds proceed at their own pace.

use std::collections::VecDeque;

use crate::error::Error;
use crate::frame::{Bound, Header};
use crate::tag::{Tag, tags};

/// Which sequence of messages a frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// The session and the proofs.
    Main,
    /// Base OT, its replacement, and OT extension: tags from 0x10 to 0x17. Both parties extend at the same
    /// places.
    Extension,
    /// Rounds of bits that are prepared in the background, and nothing else: tags from 0x18 to 0x1f.
    Rounds,
    /// Rounds of field elements: tags from 0x28 to 0x2f.
    SubfieldRounds,
    /// The arithmetic part of a proof: tags from 0x30 to 0x37.
    Elements,
    /// The verifier's bytes for the chain of bits, which the prover reads when it needs them: tags from 0x38
    /// to 0x3f.
    BitLinks,
    /// The verifier's bytes for the chain of field elements: tags from 0x48 to 0x4f.
    SubfieldLinks,
    /// A connection to a server that the verifier carries: tags from 0xb0 to 0xb7.
    Carried,
}

impl Lane {
    /// Whether `got` is a known tag of a lane other than `expected`'s. A verdict ends every wait, because
    /// nothing comes after it.
    pub(crate) fn differ(expected: u8, got: u8) -> bool {
        Self::of(expected) != Self::of(got) && Tag::from_byte(got).is_some() && got != tags::VERDICT.byte()
    }

    pub(super) fn of(tag: u8) -> Self {
        match tag & 0xf8 {
            0x10 => Self::Extension,
            0x18 => Self::Rounds,
            0x28 => Self::SubfieldRounds,
            0x30 => Self::Elements,
            0x38 => Self::BitLinks,
            0x48 => Self::SubfieldLinks,
            0xb0 => Self::Carried,
            _ => Self::Main,
        }
    }
}

/// Frames that arrived before their lane was asked for.
#[derive(Debug, Default)]
pub(super) struct Aside {
    lanes: [VecDeque<(Header, Vec<u8>)>; 8],
    bytes: usize,
}

/// The most bytes put aside. The longest message of any lane except the main one is well below one MiB, and
/// neither party is ahead of the other by more than a few of them.
const MOST: usize = 8 << 20;

/// What an entry counts in addition to its payload, so that a peer cannot flood this party with empty frames
/// for free.
const ENTRY: usize = 64;

impl Aside {
    fn lane(&mut self, tag: u8) -> &mut VecDeque<(Header, Vec<u8>)> {
        let [main, extension, rounds, subfield_rounds, elements, bit_links, subfield_links, carried] =
            &mut self.lanes;
        match Lane::of(tag) {
            Lane::Main => main,
            Lane::Extension => extension,
            Lane::Rounds => rounds,
            Lane::SubfieldRounds => subfield_rounds,
            Lane::Elements => elements,
            Lane::BitLinks => bit_links,
            Lane::SubfieldLinks => subfield_links,
            Lane::Carried => carried,
        }
    }

    /// Whether a frame with this header may be kept.
    pub(super) fn has_room(&self, header: Header) -> bool {
        let length = usize::try_from(header.length).unwrap_or(usize::MAX);
        self.bytes.saturating_add(length).saturating_add(ENTRY) <= MOST
    }

    /// Keeps a frame.
    pub(super) fn put(&mut self, header: Header, payload: Vec<u8>) {
        self.bytes = self.bytes.saturating_add(payload.len() + ENTRY);
        self.lane(header.tag).push_back((header, payload));
    }

    /// Whether a frame of `tag`'s lane is kept.
    pub(super) fn holds(&mut self, tag: Tag) -> bool {
        !self.lane(tag.byte()).is_empty()
    }

    /// The oldest frame of `tag`'s lane, which must be what is expected.
    pub(super) fn take(&mut self, tag: Tag, bound: Bound) -> Option<Result<Vec<u8>, Error>> {
        let (header, payload) = self.lane(tag.byte()).pop_front()?;
        self.bytes = self.bytes.saturating_sub(payload.len() + ENTRY);
        Some(header.check(tag, bound).map(|_| payload))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_rounds_and_links_have_nothing_else() {
        for tag in tags::ALL {
            let rounds = match Lane::of(tag.byte()) {
                Lane::Rounds => "Ferret",
                Lane::SubfieldRounds => "Subfield",
                Lane::BitLinks => "BitsLink",
                Lane::SubfieldLinks => "SubfieldLink",
                Lane::Carried => "Carry",
                Lane::Main | Lane::Extension | Lane::Elements => {
                    assert!(!tag.name().starts_with("Ferret"), "{tag:?}");
                    continue;
                }
            };
            assert!(tag.name().starts_with(rounds), "{tag:?}");
        }
    }
}
