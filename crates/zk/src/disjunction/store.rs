//! A buffer that hands over P's evaluation to storage, a block at a time.

use volery_circuit::{Error, MOST_BY_ADDERS, Witness};
use volery_field::Ring;
use zeroize::Zeroize;

use super::kept::{BLOCK, Kept};

/// `N` values at each place: storage for the branch that holds, and a buffer in front of it. The buffered
/// values replace the stored ones if their branch holds.
pub(super) struct Store<R: Ring, const N: usize> {
    kept: [Box<dyn Kept<R>>; N],
    /// The number of places of the current branch that were handed over.
    next: usize,
    waiting: Waiting<R, N>,
    /// The number of buffered places.
    filled: usize,
}

/// The number of values that can be buffered: few enough for the first-level cache.
pub(super) const ROOM: usize = 8 * BLOCK;

// A buffered remainder shorter than a block stays.
const _: () = assert!(MOST_BY_ADDERS <= ROOM - BLOCK);

const WORDS: usize = ROOM / 64 + 1;

/// Buffered values of each kind; wiped on drop.
enum Waiting<R: Ring, const N: usize> {
    /// Behind one pointer.
    Elements(Box<[[R; ROOM]; N]>),
    /// Bits, and one more word that may begin after the last of them. Unused bits are zero.
    Bits([[u64; WORDS]; N]),
}

impl<R: Ring, const N: usize> Drop for Waiting<R, N> {
    fn drop(&mut self) {
        match self {
            Self::Elements(values) => {
                let values = core::mem::replace(values, Box::new([[R::ZERO; ROOM]; N])) as Box<[[R; ROOM]]>;
                drop(Witness::new(values.into_vec().into_flattened()));
            }
            Self::Bits(words) => words.as_flattened_mut().zeroize(),
        }
    }
}

impl<R: Ring, const N: usize> Store<R, N> {
    pub(super) fn new(kept: [Box<dyn Kept<R>>; N]) -> Self {
        let waiting = match R::pack_bits(&[]) {
            Some(_) => Waiting::Bits([[0; WORDS]; N]),
            None => Waiting::Elements(Box::new([[R::ZERO; ROOM]; N])),
        };
        Self { kept, next: 0, waiting, filled: 0 }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, values: [R; N], mask: u64) -> Result<(), Error> {
        if self.filled >= ROOM {
            self.spill(ROOM, mask)?;
        }
        match &mut self.waiting {
            Waiting::Elements(waiting) => {
                let place = self.filled;
                for (waiting, value) in waiting.iter_mut().zip(values) {
                    // The place is below the length: the remainder only avoids a bounds check.
                    waiting[place % ROOM] = value;
                }
                self.filled = place + 1;
            }
            Waiting::Bits(_) => self.push_bits(values.map(|value| pack(&[value])), 1),
        }
        Ok(())
    }

    /// Appends the lowest `n` bits of each word, at most 64, for which there must be room. (Others are lost.)
    #[inline(always)]
    pub(super) fn push_bits(&mut self, words: [u64; N], n: usize) {
        let Waiting::Bits(waiting) = &mut self.waiting else { return };
        let (place, shift) = (self.filled / 64, self.filled % 64);
        let bits = u64::MAX.unbounded_shr(64_u32.saturating_sub(n as u32));
        for (waiting, word) in waiting.iter_mut().zip(words) {
            let word = word & bits;
            if let Some([low, high]) = waiting.get_mut(place..place + 2) {
                *low |= word << shift;
                *high |= word >> 1 >> (63 - shift);
            }
        }
        self.filled += n;
    }

    /// Whole blocks are handed over directly, unless something is buffered.
    pub(super) fn extend(&mut self, mut values: [&[R]; N], mask: u64) -> Result<(), Error> {
        loop {
            let n = values.iter().map(|values| values.len()).min().unwrap_or_default();
            if n == 0 {
                return Ok(());
            }
            if self.filled >= ROOM {
                self.spill(ROOM, mask)?;
            }
            let n = match &mut self.waiting {
                Waiting::Elements(_) if self.filled == 0 && n >= BLOCK => {
                    let (whole, from) = (n / BLOCK * BLOCK, self.next);
                    let keep =
                        |kept: &mut dyn Kept<R>, side: usize| kept.keep(from, &values[side][..whole], mask);
                    hand_over(&mut self.kept, &mut self.next, whole, keep)?;
                    whole
                }
                Waiting::Elements(waiting) => {
                    let n = n.min(ROOM - self.filled);
                    for (waiting, values) in waiting.iter_mut().zip(&values) {
                        waiting[self.filled..][..n].copy_from_slice(&values[..n]);
                    }
                    self.filled += n;
                    n
                }
                Waiting::Bits(_) => {
                    let n = n.min(ROOM - self.filled).min(64);
                    let mut words = [0; N];
                    words.iter_mut().zip(&values).for_each(|(word, values)| *word = pack(&values[..n]));
                    self.push_bits(words, n);
                    n
                }
            };
            values = values.map(|values| &values[n..]);
        }
    }

    /// Room for `n` more places, at most [`MOST_BY_ADDERS`].
    #[inline(always)]
    pub(super) fn make_room(&mut self, n: usize, mask: u64) -> Result<(), Error> {
        if n > ROOM - self.filled { self.spill(self.filled / BLOCK * BLOCK, mask) } else { Ok(()) }
    }

    /// Hands over the first `n` buffered places: whole blocks, or all.
    #[cold]
    #[inline(never)]
    fn spill(&mut self, n: usize, mask: u64) -> Result<(), Error> {
        let (from, filled) = (self.next, self.filled);
        match &mut self.waiting {
            Waiting::Elements(values) => {
                let keep = |kept: &mut dyn Kept<R>, side: usize| kept.keep(from, &values[side][..n], mask);
                hand_over(&mut self.kept, &mut self.next, n, keep)?;
                values.iter_mut().for_each(|values| values.copy_within(n..filled, 0));
            }
            Waiting::Bits(words) => {
                let whole = n.div_ceil(64);
                let keep =
                    |kept: &mut dyn Kept<R>, side: usize| kept.keep_bits(from, &words[side][..whole], mask);
                hand_over(&mut self.kept, &mut self.next, n, keep)?;
                for words in words {
                    words.copy_within(whole.., 0);
                    words[WORDS - whole..].fill(0);
                }
            }
        }
        self.filled -= n;
        Ok(())
    }

    /// Ends a branch.
    pub(super) fn end(&mut self, mask: u64) -> Result<(), Error> {
        self.spill(self.filled, mask)?;
        self.next = 0;
        Ok(())
    }

    pub(super) fn into_kept(self) -> [Box<dyn Kept<R>>; N] {
        self.kept
    }
}

/// Passes `n` places of each kind to storage, which keeps them or not.
fn hand_over<R: Ring, const N: usize>(
    kept: &mut [Box<dyn Kept<R>>; N],
    next: &mut usize,
    n: usize,
    keep: impl Fn(&mut dyn Kept<R>, usize),
) -> Result<(), Error> {
    for (side, kept) in kept.iter_mut().enumerate() {
        if n > kept.room().saturating_sub(*next) {
            return Err(too_large());
        }
        keep(kept.as_mut(), side);
    }
    *next += n;
    Ok(())
}

/// Bits as a word; zero for other rings.
#[inline(always)]
pub(super) fn pack<R: Ring>(values: &[R]) -> u64 {
    R::pack_bits(values).unwrap_or_default()
}

#[cold]
fn too_large() -> Error {
    Error::misuse("a branch has more values or products than the shape of its disjunction")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use volery_field::{F2, F61};

    use super::super::kept::{Elements, PackedBits};
    use super::*;

    /// One way in which values come.
    #[derive(Clone, Debug)]
    enum Call {
        Push,
        Extend(usize),
        Bits(usize),
    }

    fn call() -> impl Strategy<Value = Call> {
        prop_oneof![
            Just(Call::Push),
            (0..3 * ROOM).prop_map(Call::Extend),
            (0..=MOST_BY_ADDERS).prop_map(Call::Bits),
        ]
    }

    /// Three branches make the same calls, and the second one is kept: its values are where they belong.
    fn keeps_the_second<R: Ring>(
        calls: &[Call],
        bits: bool,
        value: impl Fn(usize) -> R,
        kept: impl Fn(usize) -> Box<dyn Kept<R>>,
    ) {
        let size = |call: &Call| match call {
            Call::Push => 1,
            Call::Extend(n) | Call::Bits(n) => *n,
        };
        let places: usize = calls.iter().map(size).sum();
        let mut store = Store::new([kept(places), kept(places)]);
        for (branch, mask) in [0, u64::MAX, 0].into_iter().enumerate() {
            let value = |side: usize, place: usize| value(7 * branch + 3 * side + 5 * place);
            let mut place = 0;
            for call in calls {
                let n = size(call);
                let [left, right] =
                    [0, 1].map(|side| Vec::from_iter((place..place + n).map(|i| value(side, i))));
                match call {
                    Call::Push => store.push([left[0], right[0]], mask).expect("there is room"),
                    Call::Bits(_) if bits => {
                        store.make_room(n, mask).expect("there is room");
                        for (left, right) in left.chunks(50).zip(right.chunks(50)) {
                            // What is above the bits does not count.
                            let above = u64::MAX << left.len();
                            store.push_bits([pack(left) | above, pack(right) | above], left.len());
                        }
                    }
                    _ => store.extend([&left, &right], mask).expect("there is room"),
                }
                place += n;
            }
            store.end(mask).expect("there is room");
        }
        let [left, right] = store.into_kept().map(|kept| kept.values(0..places));
        let expected = [0, 1].map(|side| Vec::from_iter((0..places).map(|i| value(7 + 3 * side + 5 * i))));
        assert!([left, right] == expected);
    }

    proptest! {
        #[test]
        fn what_is_kept_is_what_the_branch_that_holds_has(calls in prop::collection::vec(call(), 0..30), seed: u64) {
            let random = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(seed) >> 40;
            keeps_the_second(&calls, true, |i| F2::from_lsb(random(i)), |n| Box::new(PackedBits::new(n)));
            keeps_the_second(&calls, false, |i| F61::new(random(i)), |n| Box::new(Elements::new(n)));
        }
    }

    #[test]
    fn more_than_there_is_room_for_is_an_error() {
        fn overfull<R: Ring>(kept: Box<dyn Kept<R>>) {
            let mut store = Store::new([kept]);
            assert!(store.extend([&[R::ONE; ROOM]], 0).is_ok());
            assert!(store.push([R::ONE], 0).is_ok() && store.end(0).is_err());
        }
        overfull::<F2>(Box::new(PackedBits::new(ROOM)));
        overfull::<F61>(Box::new(Elements::new(ROOM)));
    }
}
