//! What memory holds before the first step: the words of the file, which are public, and regions of zeros.

use super::subject::{Bounds, Subject};
use super::tables::READ_ONLY;
use crate::program::{Kind, STACK_BYTES, STACK_END};
use crate::{Program, Segment};

/// How many words the file fills, or begins to.
fn filled(segment: &Segment) -> usize {
    let before = (segment.address - segment.start()) as usize;
    if segment.bytes.is_empty() { 0 } else { (before + segment.bytes.len()).div_ceil(4) }
}

/// The words of the file, by segments: address and value.
pub(super) fn file_words(program: &Program) -> impl Iterator<Item = (u32, u32)> {
    program.segments().iter().flat_map(|segment| {
        let before = (segment.address - segment.start()) as usize;
        (0..filled(segment)).map(move |word| {
            let byte = |i: usize| {
                let index = (4 * word + i).checked_sub(before);
                index.and_then(|index| segment.bytes.get(index)).copied().unwrap_or(0)
            };
            (segment.start() + 4 * word as u32, u32::from_le_bytes([0, 1, 2, 3].map(byte)))
        })
    })
}

/// How many words the file fills: those that are read-only, and others.
pub(super) fn file_sizes(program: &Program) -> [u64; 2] {
    let sizes = |read_only| {
        let segments = program.segments().iter().filter(|segment| is_read_only(segment) == read_only);
        segments.map(|segment| filled(segment) as u64).sum()
    };
    [true, false].map(sizes)
}

fn is_read_only(segment: &Segment) -> bool {
    segment.kind != Kind::Writable
}

/// The regions of a program's memory.
pub(super) struct Regions {
    /// First address and end of the words that are read-only.
    read_only: Vec<(u64, u64)>,
    /// First address and end of words that are zero at first, as tuples have them.
    zero: Vec<(u64, u64)>,
}

impl Regions {
    pub(super) fn of(program: &Program) -> Self {
        let bounds = |segment: &Segment| {
            let start = u64::from(segment.start());
            (start, start + 4 * u64::from(segment.words()))
        };
        let read_only =
            program.segments().iter().filter(|segment| is_read_only(segment)).map(bounds).collect();
        let zero = program.segments().iter().map(|segment| {
            let (start, end) = bounds(segment);
            let aside = if is_read_only(segment) { READ_ONLY as u64 } else { 0 };
            (aside + start + 4 * filled(segment) as u64, aside + end)
        });
        let stack = (u64::from(STACK_END - STACK_BYTES), u64::from(STACK_END));
        let zero = zero.filter(|(start, end)| start < end).chain([stack]).collect();
        Self { read_only, zero }
    }

    /// Those of a secret program: all that is not its image.
    pub(super) fn around(bounds: &Bounds) -> Self {
        let zero = [(0, u64::from(bounds.text)), (bounds.end(), 1 << 32)];
        let zero = zero.into_iter().filter(|(start, end)| start < end).collect();
        Self { read_only: Vec::new(), zero }
    }

    /// Those of what is known of a program.
    pub(super) fn of_subject(subject: &Subject) -> Self {
        match subject {
            Subject::Public(program) => Self::of(program),
            Subject::Secret(bounds) => Self::around(bounds),
        }
    }

    /// First address and end of what is read-only.
    pub(super) fn read_only(&self) -> impl Iterator<Item = (u64, u64)> {
        self.read_only.iter().copied()
    }

    /// Whether a word is read-only.
    pub(super) fn is_read_only(&self, address: u32) -> bool {
        let address = u64::from(address);
        self.read_only.iter().any(|(start, end)| (*start..*end).contains(&address))
    }

    /// The addresses of the words that are zero at first.
    pub(super) fn zero_words(&self) -> impl Iterator<Item = u32> {
        // Addresses have 32 bits, so this takes off `READ_ONLY`.
        self.zero.iter().flat_map(|(start, end)| (*start..*end).step_by(4).map(|address| address as u32))
    }

    /// How many words are zero at first.
    pub(super) fn zero_count(&self) -> u64 {
        self.zero.iter().map(|(start, end)| end.saturating_sub(*start) / 4).sum()
    }

    /// First address and end of the words that are zero at first; read-only ones are [`READ_ONLY`] above.
    pub(super) fn zero(&self) -> &[(u64, u64)] {
        &self.zero
    }
}

/// The address of a word in tuples.
pub(super) fn place(address: u32, read_only: bool) -> i64 {
    i64::from(address) + if read_only { READ_ONLY } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_a_secret_program_that_is_zero_at_first_is_all_but_its_image() {
        let zero = |text, words| Regions::around(&Bounds { text, words, data: 0 }).zero().to_vec();
        assert_eq!(zero(0x1_0000, 0x100), [(0, 0x1_0000), (0x1_0400, 1 << 32)]);
        assert_eq!(zero(0, 1), [(4, 1 << 32)]);
    }
}
