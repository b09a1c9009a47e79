//! Storage for P's values of the branch that holds.

use core::ops::Range;

use volery_circuit::Witness;
use volery_field::{Element, F2, Ring};
use zeroize::Zeroizing;

/// Values are handed over in multiples of this number, except for the last ones, and at multiples of it:
/// whole words of bits.
pub(super) const BLOCK: usize = 1 << 6;

/// Values of one kind, initially zeros; wiped on drop.
pub trait Kept<R: Ring>: Send {
    /// The number of values.
    fn room(&self) -> usize;

    /// Where `mask` is all ones, replaces the values from `at` (a multiple of 64) on by `values`. Where it is
    /// zero, leaves them unchanged. There is no branch on the mask. Values beyond the room are ignored.
    fn keep(&mut self, at: usize, values: &[R], mask: u64);

    /// As [`Kept::keep`] for bits, 64 in a word. Only backends over F2 have this.
    fn keep_bits(&mut self, at: usize, words: &[u64], mask: u64) {
        for (i, word) in words.iter().enumerate() {
            let mut values = vec![R::ZERO; 64];
            R::unpack_bits(*word, &mut values);
            self.keep(at + 64 * i, Witness::new(values).values(), mask);
        }
    }

    /// The values at these places; there are none beyond the room.
    fn values(&self, places: Range<usize>) -> Vec<R>;
}

/// Elements of a field, unpacked.
pub(super) struct Elements<F: Element>(Zeroizing<Vec<F>>);

impl<F: Element> Elements<F> {
    /// A vector of this many zeros.
    pub(super) fn new(n: usize) -> Self {
        Self::of(vec![F::ZERO; n])
    }

    /// A vector of these values.
    pub(super) fn of(values: Vec<F>) -> Self {
        Self(Zeroizing::new(values))
    }
}

impl<F: Element> Kept<F> for Elements<F> {
    fn room(&self) -> usize {
        self.0.len()
    }

    fn keep(&mut self, at: usize, values: &[F], mask: u64) {
        let to = self.0.get_mut(at..).unwrap_or_default();
        to.iter_mut().zip(values).for_each(|(to, value)| *to = to.select(*value, mask));
    }

    fn values(&self, places: Range<usize>) -> Vec<F> {
        self.0.get(places).unwrap_or_default().to_vec()
    }
}

/// Bits, 64 in a word, so that one mask selects 64 at once.
pub(super) struct PackedBits {
    words: Zeroizing<Vec<u64>>,
    bits: usize,
}

impl PackedBits {
    /// A run of this many zero bits.
    pub(super) fn new(bits: usize) -> Self {
        Self { words: Zeroizing::new(vec![0; bits.div_ceil(64)]), bits }
    }
}

impl Kept<F2> for PackedBits {
    fn room(&self) -> usize {
        self.bits
    }

    fn keep(&mut self, at: usize, values: &[F2], mask: u64) {
        for (i, bits) in values.chunks(64).enumerate() {
            self.keep_bits(at + 64 * i, &[F2::pack_bits(bits).unwrap_or_default()], mask);
        }
    }

    fn keep_bits(&mut self, at: usize, words: &[u64], mask: u64) {
        let to = self.words.get_mut(at / 64..).unwrap_or_default();
        to.iter_mut().zip(words).for_each(|(to, word)| *to = (*to & !mask) | (word & mask));
    }

    fn values(&self, places: Range<usize>) -> Vec<F2> {
        let places = places.start..places.end.min(self.bits);
        let word = |place: usize| self.words.get(place / 64).copied().unwrap_or_default();
        places.map(|place| F2::from_lsb(word(place) >> (place % 64))).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_field::{Bn254Scalar, F61, Value};
    use volery_vole::Prg;

    use super::*;

    /// Keeps the second of three lists of values in the storage that `new` makes.
    fn keeps_one_of_three<R: Ring>(mut kept: impl Kept<R>, lists: &[Vec<R>; 3]) {
        let room = kept.room();
        for (list, mask) in lists.iter().zip([0, u64::MAX, 0]) {
            for (i, values) in list.chunks(BLOCK).enumerate() {
                kept.keep(BLOCK * i, values, mask);
            }
        }
        let expected: Vec<R> =
            lists[1].iter().copied().chain(core::iter::repeat(R::ZERO)).take(room).collect();
        assert!(kept.values(0..room) == expected);
        let (start, end) = (room / 3, room - room / 5);
        assert!(kept.values(start..end) == expected[start..end]);
    }

    fn elements_of<F: Value>(room: usize, lengths: [usize; 3]) {
        let mut prg = Prg::new([9; 16]);
        let lists = lengths.map(|n| {
            let mut list = vec![F::ZERO; n.min(room)];
            prg.elements(&mut list);
            list
        });
        keeps_one_of_three(Elements::new(room), &lists);
    }

    proptest! {
        #[test]
        fn what_is_kept_are_the_values_under_the_mask(room in 0..900_usize, lengths: [usize; 3], seed: [u8; 16]) {
            let lengths = lengths.map(|n| n % 900);
            elements_of::<F61>(room, lengths);
            elements_of::<Bn254Scalar>(room, lengths);
            let mut prg = Prg::new(seed);
            let lists = lengths.map(|n| {
                let mut bytes = vec![0; n.min(room)];
                prg.bytes(&mut bytes);
                bytes.iter().map(|byte| F2::from_lsb((*byte).into())).collect()
            });
            keeps_one_of_three(PackedBits::new(room), &lists);
        }
    }
}
