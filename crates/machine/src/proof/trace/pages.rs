//! The words of memory that a run has used, in folders of pages.

use zeroize::Zeroize;

/// A word that is in use.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    pub(super) value: u32,
    /// The last segment that touched it.
    pub(super) segment: u32,
    /// Where it is among the words of that segment.
    pub(super) slot: u32,
}

impl Zeroize for Entry {
    fn zeroize(&mut self) {
        let Self { value, segment, slot } = self;
        [value, segment, slot].into_iter().for_each(Zeroize::zeroize);
    }
}

/// Words of a page, and pages of a folder.
const PAGE: usize = 1 << 10;

struct Page {
    entries: [Entry; PAGE],
    /// A bit for each word: whether it is among the live words. Apart, since there is memory for each word.
    live: [u64; PAGE / 64],
}

impl Drop for Page {
    fn drop(&mut self) {
        self.entries.iter_mut().for_each(Zeroize::zeroize);
        self.live.zeroize();
    }
}

impl Page {
    fn new() -> Self {
        Self { entries: [Entry::default(); PAGE], live: [0; PAGE / 64] }
    }

    /// The live words with their places.
    fn live(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.entries.iter().enumerate().filter(|(place, _)| self.live[place / 64] >> (place % 64) & 1 == 1)
    }
}

type Folder = [Option<Box<Page>>; PAGE];

/// The words of memory.
pub(super) struct Pages(Vec<Option<Box<Folder>>>);

impl Pages {
    pub(super) fn new() -> Self {
        Self((0..PAGE).map(|_| None).collect())
    }

    #[inline(always)]
    fn page(&mut self, address: u32) -> (&mut Page, usize) {
        let word = address as usize / 4;
        let folder = self.0[word / PAGE / PAGE].get_or_insert_with(|| Box::new([const { None }; PAGE]));
        (folder[word / PAGE % PAGE].get_or_insert_with(|| Box::new(Page::new())), word % PAGE)
    }

    /// A word, if one near it has been touched.
    pub(super) fn get(&self, address: u32) -> Option<&Entry> {
        let word = address as usize / 4;
        let folder = self.0.get(word / PAGE / PAGE)?.as_ref()?;
        Some(&folder.get(word / PAGE % PAGE)?.as_ref()?.entries[word % PAGE])
    }

    #[inline(always)]
    pub(super) fn entry(&mut self, address: u32) -> &mut Entry {
        let (page, place) = self.page(address);
        &mut page.entries[place]
    }

    /// Makes a word live. Returns whether it was not.
    #[inline(always)]
    pub(super) fn bring(&mut self, address: u32) -> bool {
        let (page, place) = self.page(address);
        let (bits, bit) = (&mut page.live[place / 64], 1 << (place % 64));
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    /// The live words by address.
    pub(super) fn live(&self) -> impl Iterator<Item = (u32, &Entry)> {
        let folders = self.0.iter().enumerate().filter_map(|(i, folder)| Some((i, folder.as_ref()?)));
        let pages = folders.flat_map(|(i, folder)| {
            let pages = folder.iter().enumerate().filter_map(|(j, page)| Some((j, page.as_ref()?)));
            pages.map(move |(j, page)| (PAGE * i + j, page))
        });
        pages.flat_map(|(number, page)| {
            page.live().map(move |(place, entry)| ((4 * (PAGE * number + place)) as u32, entry))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn live_words_are_those_that_were_brought_by_address() {
        let mut pages = Pages::new();
        let addresses = [0xffff_fffc, 0, 0x1000, 4, 0x0fff_fffc, 0x40_0000, 0xfc, 0x100];
        for (value, address) in (1..).zip(addresses) {
            pages.entry(address).value = value;
            assert!(pages.bring(address) && !pages.bring(address), "{address:#x}");
        }
        // In use, but not live.
        pages.entry(8).value = 100;
        let mut expected: Vec<_> = addresses.into_iter().zip(1..).collect();
        expected.sort_unstable();
        assert!(pages.live().map(|(address, entry)| (address, entry.value)).eq(expected));
    }
}
