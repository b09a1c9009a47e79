//! The last level of a tree, and its sums: elements from blocks, and what is done with them place by place.

use super::lanes::{Lanes, loose, reduce};
use crate::Ring;
use crate::f61::{F61, P};

/// [`Element::pairs_from_blocks`](crate::Element::pairs_from_blocks), for the words of blocks.
#[inline(always)]
pub(super) fn pairs<const N: usize, L: Lanes<N>>(
    s: L,
    words: &[[u8; 8]],
    first: &mut [F61],
    second: &mut [F61],
) {
    // Two vectors of blocks for a vector of either.
    let words = words.as_chunks::<N>().0.as_chunks::<2>().0;
    let out = first.as_chunks_mut().0.iter_mut().zip(second.as_chunks_mut().0);
    for (words, (first, second)) in words.iter().zip(out) {
        let (low, high) = (s.load_words(&words[0]), s.load_words(&words[1]));
        s.store(reduce(s, s.evens(low, high)), first);
        s.store(reduce(s, s.odds(low, high)), second);
    }
}

/// The sum of all elements.
#[inline(always)]
pub(super) fn total<const N: usize, L: Lanes<N>>(s: L, elements: &[F61]) -> F61 {
    // A lane stays below 2^61 + 8.
    let mut sum = s.splat(0);
    for elements in elements.as_chunks().0 {
        sum = loose(s, s.add(sum, s.load(elements)));
    }
    s.words(sum).iter().fold(F61::ZERO, |total, word| total + F61::new(*word))
}

/// `elements[index] += x`, over all elements.
#[inline(always)]
pub(super) fn add_at<const N: usize, L: Lanes<N>>(s: L, elements: &mut [F61], index: u32, x: F61) {
    let mut numbers = [[0; 8]; N];
    for (i, number) in numbers.iter_mut().enumerate() {
        *number = (i as u64).to_le_bytes();
    }
    let (mut number, step) = (s.load_words(&numbers), s.splat(N as u64));
    let (index, x) = (s.splat(index.into()), s.splat(x.to_u64()));
    let (zero, one) = (s.splat(0), s.splat(1));
    for elements in elements.as_chunks_mut().0 {
        let apart = s.sub(number, index);
        // One of a number and its negative is negative, unless it is zero.
        let differs = s.shift_right::<63>(s.or(apart, s.sub(zero, apart)));
        let added = s.add(s.load(elements), s.and(x, s.sub(differs, one)));
        s.store(s.lesser(added, s.sub(added, s.splat(P))), elements);
        number = s.add(number, step);
    }
}
