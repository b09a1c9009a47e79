//! Elements of 61 bits, packed without gaps ([`crate::pack_elements`]), a vector at a time.
//!
//! 64 elements fill 61 words. A word has the rest of one element and the start of one or two more; an element
//! comes from one or two words:
//!
//! ```text
//! i = w + floor(3 w / 61),  s = 3 w mod 61
//! word w = e[i] >> s | e[i + 1] << (61 - s) | e[i + 2] << (122 - s)
//!
//! i = j - ceil(3 j / 64),   s = -3 j mod 64
//! element j = (w[i] >> s | w[i + 1] << (64 - s)) mod 2^61
//! ```
//!
//! A shift by 64 and more gives zero. Neighbours come from neighbouring places, except that twice in a group
//! one place is left out (words) or comes twice (elements). So a vector is made from three vectors that begin
//! one place apart, each lane shifted by a number of bits from a table:
//!
//! ```text
//! v = a >> right[0] | b >> right[1] | b << left[0] | c << left[1]
//! a, b, c: from place base, base + 1, base + 2
//! ```

use super::lanes::Lanes;
use crate::f61::{F61, P};

/// The number of elements in a group.
pub(super) const ELEMENTS: usize = 64;
/// The number of words that they fill.
pub(super) const WORDS: usize = 61;

/// A lane's shift, as the bytes of a word.
type Shift = [u8; 8];
/// A shift that leaves nothing.
const NOTHING: Shift = 64_u64.to_le_bytes();

/// How to make a vector of a group.
#[derive(Clone, Copy)]
struct Step<const N: usize> {
    /// The first word or element of it.
    at: usize,
    /// Where its operands begin.
    base: usize,
    right: [[Shift; N]; 2],
    left: [[Shift; N]; 2],
}

impl<const N: usize> Step<N> {
    const fn new(at: usize, base: usize) -> Self {
        Self { at, base, right: [[NOTHING; N]; 2], left: [[NOTHING; N]; 2] }
    }

    /// The vector of the words from `at` on.
    const fn of_words(at: usize) -> Self {
        let mut step = Self::new(at, at + 3 * at / WORDS);
        let mut lane = 0;
        while lane < N {
            let word = at + lane;
            let (first, s) = (word + 3 * word / WORDS, (3 * word % WORDS) as u64);
            // 1 behind a place that is left out.
            let ahead = first - step.base - lane;
            step.right[ahead][lane] = s.to_le_bytes();
            step.left[ahead][lane] = (61 - s).to_le_bytes();
            if ahead == 0 {
                step.left[1][lane] = (122 - s).to_le_bytes();
            }
            lane += 1;
        }
        step
    }

    /// The vector of the elements from `at` on, which is not 0.
    const fn of_elements(at: usize) -> Self {
        let last = at + N - 1;
        let mut step = Self::new(at, last - (3 * last).div_ceil(64) + 1 - N);
        let mut lane = 0;
        while lane < N {
            let element = at + lane;
            let word = element - (3 * element).div_ceil(64);
            let s = (61 * element - 64 * word) as u64;
            // 1 before a place that comes twice.
            let ahead = word - step.base - lane;
            step.right[ahead][lane] = s.to_le_bytes();
            step.left[ahead][lane] = (64 - s).to_le_bytes();
            lane += 1;
        }
        step
    }

    /// The vectors that cover the places from `first` to before `end`; the last one overlaps its neighbour.
    /// There are at most 16, for four lanes.
    const fn covering(first: usize, end: usize, elements: bool) -> [Self; 16] {
        let mut steps = [Self::new(0, 0); 16];
        let mut number = 0;
        while number < (end - first).div_ceil(N) {
            let at = first + number * N;
            let at = if at + N > end { end - N } else { at };
            steps[number] = if elements { Self::of_elements(at) } else { Self::of_words(at) };
            number += 1;
        }
        steps
    }

    /// All words of a group.
    const ALL_WORDS: [Self; 16] = Self::covering(0, WORDS, false);
    /// All elements of a group but the first and the last, which have no word before and after theirs.
    const INNER_ELEMENTS: [Self; 16] = Self::covering(1, ELEMENTS - 1, true);

    /// The vector, from its operands.
    #[inline(always)]
    fn make<L: Lanes<N>>(&self, s: L, [a, b, c]: [L::V; 3]) -> L::V {
        let [right, left] = [&self.right, &self.left].map(|[x, y]| [s.load_words(x), s.load_words(y)]);
        s.or(
            s.or(s.shift_right_each(a, right[0]), s.shift_right_each(b, right[1])),
            s.or(s.shift_left_each(b, left[0]), s.shift_left_each(c, left[1])),
        )
    }

    /// The operands' places in a group of `length`. The last vector of a group has no bit from its third
    /// operand, which would not fit.
    #[inline(always)]
    fn places(&self, length: usize) -> [usize; 3] {
        [self.base, self.base + 1, (self.base + 2).min(length - N)]
    }
}

/// `N` places of a group from `at` on. All steps stay in their groups, so there are as many.
#[inline(always)]
fn window<T, const N: usize>(group: &[T], at: usize) -> Option<&[T; N]> {
    group.get(at..)?.first_chunk()
}

/// As [`window`], to write there.
#[inline(always)]
fn window_mut<T, const N: usize>(group: &mut [T], at: usize) -> Option<&mut [T; N]> {
    group.get_mut(at..)?.first_chunk_mut()
}

/// Packs whole groups of elements.
#[inline(always)]
pub(super) fn pack<const N: usize, L: Lanes<N>>(s: L, elements: &[F61], out: &mut [[u8; 8]]) {
    let groups = elements.as_chunks::<ELEMENTS>().0.iter().zip(out.as_chunks_mut::<WORDS>().0);
    for (elements, words) in groups {
        for step in &Step::<N>::ALL_WORDS[..const { WORDS.div_ceil(N) }] {
            let operands = step.places(ELEMENTS).map(|at| window(elements, at));
            if let ([Some(a), Some(b), Some(c)], Some(to)) = (operands, window_mut(words, step.at)) {
                s.store_words(step.make(s, [s.load(a), s.load(b), s.load(c)]), to);
            }
        }
    }
}

/// Unpacks whole groups of words. Returns whether all elements are canonical; one that is not becomes zero.
#[inline(always)]
pub(super) fn unpack<const N: usize, L: Lanes<N>>(s: L, words: &[[u8; 8]], out: &mut [F61]) -> bool {
    let mut wrong = s.splat(0);
    let mut ends_wrong = 0;
    for (words, elements) in words.as_chunks::<WORDS>().0.iter().zip(out.as_chunks_mut::<ELEMENTS>().0) {
        for step in &Step::<N>::INNER_ELEMENTS[..const { (ELEMENTS - 2).div_ceil(N) }] {
            let operands = step.places(WORDS).map(|at| window(words, at));
            if let ([Some(a), Some(b), Some(c)], Some(to)) = (operands, window_mut(elements, step.at)) {
                let made = step.make(s, [s.load_words(a), s.load_words(b), s.load_words(c)]);
                let made = s.and(made, s.splat(P));
                // One where it is p.
                wrong = s.or(wrong, s.shift_right::<61>(s.add(made, s.splat(1))));
                s.store(s.lesser(made, s.sub(made, s.splat(P))), to);
            }
        }
        let ends = [u64::from_le_bytes(words[0]) & P, u64::from_le_bytes(words[WORDS - 1]) >> 3];
        ends_wrong |= u64::from(ends[0] == P) | u64::from(ends[1] == P);
        [elements[0], elements[ELEMENTS - 1]] = ends.map(F61::new);
    }
    ends_wrong == 0 && s.words(wrong).iter().all(|wrong| *wrong == 0)
}
