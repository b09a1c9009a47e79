//! Which wires of a file are set.

/// The number of wires in one page.
const PAGE: usize = 1 << 15;

/// A set of wire numbers. It suits files that set wires mostly in order: such a gate costs two comparisons
/// and no memory. Other files take a bit for each wire, in pages that are allocated on the first write.
#[derive(Debug, Default)]
pub(super) struct WireSet {
    /// All wires below are in the set.
    mark: u32,
    pages: Vec<Option<Box<[u64; PAGE / 64]>>>,
}

impl WireSet {
    /// The set of all wires below `mark`.
    pub(super) fn below(mark: u32) -> Self {
        Self { mark, pages: Vec::new() }
    }

    #[inline(always)]
    pub(super) fn contains(&self, wire: u32) -> bool {
        wire < self.mark || (!self.pages.is_empty() && self.in_page(wire))
    }

    /// Adds `wire`. Returns `false` if it was in the set already.
    #[inline(always)]
    pub(super) fn insert(&mut self, wire: u32) -> bool {
        if wire == self.mark && self.pages.is_empty() {
            self.mark += 1;
            return true;
        }
        self.insert_out_of_order(wire)
    }

    fn insert_out_of_order(&mut self, wire: u32) -> bool {
        if self.contains(wire) {
            return false;
        }
        if wire == self.mark {
            self.mark += 1;
            while self.in_page(self.mark) {
                self.mark += 1;
            }
            return true;
        }
        let (page, word, bit) = split(wire);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, || None);
        }
        let words = self.pages[page].get_or_insert_with(|| Box::new([0; PAGE / 64]));
        words[word] |= 1 << bit;
        true
    }

    fn in_page(&self, wire: u32) -> bool {
        let (page, word, bit) = split(wire);
        match self.pages.get(page) {
            Some(Some(words)) => (words[word] >> bit) & 1 == 1,
            _ => false,
        }
    }
}

fn split(wire: u32) -> (usize, usize, usize) {
    let wire = wire as usize;
    (wire / PAGE, wire % PAGE / 64, wire % 64)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_set(start in 0..50_u32, wires in prop::collection::vec(prop_oneof![0..100_u32, 0..200_000_u32], 0..300)) {
            let mut plain: HashSet<u32> = (0..start).collect();
            let mut set = WireSet::below(start);
            for wire in wires {
                prop_assert_eq!(set.contains(wire), plain.contains(&wire));
                prop_assert_eq!(set.insert(wire), plain.insert(wire));
                prop_assert!(set.contains(wire));
            }
        }
    }

    #[test]
    fn filling_backwards_ends_complete() {
        let mut set = WireSet::below(3);
        assert!((3..100_000).rev().all(|wire| set.insert(wire)));
        assert!((0..100_000).all(|wire| set.contains(wire)) && !set.contains(100_000));
    }
}
