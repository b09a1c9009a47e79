//! The memory of a run: regions of words, which read as zero until something is written.
//!
//! A region spans whole words of 4 bytes. It holds pages of 4 KiB, which are made when the program first
//! writes to them, so a large region costs nothing until it is used. Everything outside of the regions traps.

use zeroize::{Zeroize, ZeroizeOnDrop};

/// Words of a page.
const PAGE: usize = 1024;

/// What a page takes, in bytes.
pub(crate) const PAGE_BYTES: u64 = 4 * PAGE as u64;

/// A page. It may hold secrets.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Page([u32; PAGE]);

/// Words from `start` on.
struct Region {
    /// A multiple of 4.
    start: u32,
    words: u32,
    writable: bool,
    pages: Vec<Option<Box<Page>>>,
}

impl Region {
    /// The place of an address, if the region has it.
    #[inline]
    fn place(&self, address: u32) -> Option<(usize, usize)> {
        let word = address.wrapping_sub(self.start) >> 2;
        (word < self.words).then_some((word as usize / PAGE, word as usize % PAGE))
    }
}

/// Why a word cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No region has it.
    Outside,
    /// Its region is read-only.
    ReadOnly,
    /// The run has used all memory that it may.
    Full,
}

/// At most four bytes, little-endian.
fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

/// All regions, which do not overlap.
pub(crate) struct Memory {
    regions: Vec<Region>,
    /// Pages that may still be made.
    left: u64,
}

impl Memory {
    /// A memory without regions, which may grow by this number of pages.
    pub(crate) fn new(pages: u64) -> Self {
        Self { regions: Vec::new(), left: pages }
    }

    /// Adds a region of zeros. `start` is a multiple of 4.
    pub(crate) fn add(&mut self, start: u32, words: u32, writable: bool) {
        let pages = (words as usize).div_ceil(PAGE);
        let region = Region { start, words, writable, pages: (0..pages).map(|_| None).collect() };
        // Most accesses are to the stack and to data, so those are looked at first.
        let place = if writable { 0 } else { self.regions.len() };
        self.regions.insert(place, region);
    }

    /// Fills a new region that begins at `start` with `before` zeros, fewer than 4, and `bytes`. What is
    /// there before a run does not count as the run's memory.
    pub(crate) fn fill(&mut self, start: u32, before: usize, bytes: &[u8]) {
        let Some(region) = self.regions.iter_mut().find(|region| region.start == start) else { return };
        let (first, rest) = bytes.split_at((4 - before).min(bytes.len()));
        let shift = 8 * before as u32;
        let words = std::iter::once(word(first) << shift).chain(rest.chunks(4).map(word));
        for (index, word) in words.enumerate() {
            let Some(page) = region.pages.get_mut(index / PAGE) else { return };
            page.get_or_insert_with(|| Box::new(Page([0; PAGE]))).0[index % PAGE] = word;
        }
    }

    /// The word that holds this address; `None` outside of the regions.
    #[inline]
    pub(crate) fn word(&self, address: u32) -> Option<u32> {
        for region in &self.regions {
            if let Some((page, word)) = region.place(address) {
                return Some(region.pages.get(page)?.as_ref().map_or(0, |page| page.0[word]));
            }
        }
        None
    }

    /// The word that holds this address, to be written.
    #[inline]
    pub(crate) fn word_mut(&mut self, address: u32) -> Result<&mut u32, Fault> {
        for region in &mut self.regions {
            if let Some((page, word)) = region.place(address) {
                if !region.writable {
                    return Err(Fault::ReadOnly);
                }
                let page = region.pages.get_mut(page).ok_or(Fault::Outside)?;
                if page.is_none() {
                    self.left = self.left.checked_sub(1).ok_or(Fault::Full)?;
                }
                return Ok(&mut page.get_or_insert_with(|| Box::new(Page([0; PAGE]))).0[word]);
            }
        }
        Err(Fault::Outside)
    }

    /// The first address of a range that is in no region or, for a write, in one that is read-only, with the
    /// reason. The range may end beyond the last address; that one comes after it, then, which is 0.
    pub(crate) fn first_fault(&self, start: u32, length: u32, write: bool) -> Option<(u32, Fault)> {
        let (mut at, end) = (u64::from(start), u64::from(start) + u64::from(length));
        while at < end {
            let Ok(address) = u32::try_from(at) else { return Some((0, Fault::Outside)) };
            let Some(region) = self.regions.iter().find(|region| region.place(address).is_some()) else {
                return Some((address, Fault::Outside));
            };
            if write && !region.writable {
                return Some((address, Fault::ReadOnly));
            }
            at = u64::from(region.start) + 4 * u64::from(region.words);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A read-only region right before a writable one that ends with the address space.
    fn memory() -> Memory {
        let mut memory = Memory::new(2);
        memory.add(0xfffe_fff8, 2, false);
        memory.add(0xffff_0000, 1 << 14, true);
        memory.fill(0xfffe_fff8, 1, &[2, 3, 4, 5]);
        memory
    }

    #[test]
    fn untouched_words_are_zero_and_written_ones_stay() {
        let mut memory = memory();
        assert_eq!(memory.word(0xfffe_fff8), Some(0x0403_0200));
        assert_eq!((memory.word(0xfffe_fffe), memory.word(0xffff_ffff)), (Some(5), Some(0)));
        assert_eq!((memory.word(0xfffe_fff7), memory.word(0)), (None, None));
        *memory.word_mut(0xffff_fffc).expect("writable") = 7;
        assert_eq!((memory.word(0xffff_fffd), memory.word(0xffff_fff8)), (Some(7), Some(0)));
    }

    #[test]
    fn writes_outside_and_to_what_is_read_only_fail() {
        let mut memory = memory();
        assert_eq!(memory.word_mut(0xfffe_fffc), Err(Fault::ReadOnly));
        assert_eq!(memory.word_mut(0xfffe_fff4), Err(Fault::Outside));
        assert_eq!(memory.word_mut(0), Err(Fault::Outside));
    }

    #[test]
    fn only_so_many_pages_are_made() {
        let mut memory = memory();
        for (page, made) in [(0, true), (1, true), (2, false), (1, true)] {
            let written = memory.word_mut(0xffff_0000 + 4096 * page);
            assert_eq!(written.map(|_| ()), if made { Ok(()) } else { Err(Fault::Full) }, "{page}");
        }
    }

    #[test]
    fn ranges_are_looked_at_over_regions_and_around_the_end() {
        let memory = memory();
        assert_eq!(memory.first_fault(0xfffe_fff9, 0x1_0007, false), None);
        assert_eq!(memory.first_fault(0xfffe_fff9, 0x1_0008, false), Some((0, Fault::Outside)));
        assert_eq!(memory.first_fault(0xffff_0000, 0x1_0000, true), None);
        assert_eq!(memory.first_fault(0xfffe_ffff, 2, true), Some((0xfffe_ffff, Fault::ReadOnly)));
        assert_eq!(memory.first_fault(0xfffe_fff0, 20, false), Some((0xfffe_fff0, Fault::Outside)));
        assert_eq!(memory.first_fault(3, 0, true), None);
    }
}
