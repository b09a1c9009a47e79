//! The algorithms, for any multiplier. Each processes the whole vectors of its operands and leaves the rest
//! to the scalar code.

use super::lanes::{Lanes, Multiplier};
use crate::f61::{F61, P};

/// The parts of both slices that make up whole vectors.
#[inline(always)]
fn whole<'a, const N: usize>(a: &'a [F61], b: &'a [F61]) -> (&'a [[F61; N]], &'a [[F61; N]]) {
    let (a, b) = (a.as_chunks().0, b.as_chunks().0);
    let length = a.len().min(b.len());
    (&a[..length], &b[..length])
}

/// Adds the products of a group of vectors to the first sum. With `CROSS`, also adds the products with
/// exchanged neighbours to the second.
///
/// This is not a closure: a closure that is not inlined would be compiled without the instruction set.
#[inline(always)]
fn group<const N: usize, const CROSS: bool, M: Multiplier<N>>(
    m: M,
    [straight, crosswise]: &mut [M::Sum; 2],
    (a, b): (&[[F61; N]], &[[F61; N]]),
) {
    let s = m.lanes();
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (m.factor(s.load(a)), m.factor(s.load(b)));
        m.add_product(straight, a, b);
        if CROSS {
            m.add_product(crosswise, a, m.swap(b));
        }
    }
    m.fold(straight);
    if CROSS {
        m.fold(crosswise);
    }
}

/// The sums over all groups.
#[inline(always)]
fn products<const N: usize, const CROSS: bool, M: Multiplier<N>>(
    m: M,
    (a, b): (&[[F61; N]], &[[F61; N]]),
) -> [M::Sum; 2] {
    let mut sums = [m.zero(); 2];
    // Groups have a known length, so that short ones are unrolled.
    let (mut a, mut b) = (a.chunks_exact(M::GROUP), b.chunks_exact(M::GROUP));
    for groups in a.by_ref().zip(b.by_ref()) {
        group::<N, CROSS, M>(m, &mut sums, groups);
    }
    group::<N, CROSS, M>(m, &mut sums, (a.remainder(), b.remainder()));
    sums
}

/// `sum of a[i] * b[i]`.
#[inline(always)]
pub(super) fn inner_product<const N: usize, M: Multiplier<N>>(m: M, a: &[F61], b: &[F61]) -> F61 {
    let [sum, _] = products::<N, false, M>(m, whole(a, b));
    let [even, odd] = m.totals(sum);
    even + odd
}

/// For pairs of words: the sums of the products of first words, of second words, and of first and second
/// words crosswise.
#[inline(always)]
pub(super) fn pair_products<const N: usize, M: Multiplier<N>>(m: M, a: &[F61], b: &[F61]) -> [F61; 3] {
    let [straight, crosswise] = products::<N, true, M>(m, whole(a, b));
    let ([first, second], [left, right]) = (m.totals(straight), m.totals(crosswise));
    [first, second, left + right]
}

/// Adds the products of a group of pairs of words, `N` at a time, with elements of the field.
#[inline(always)]
fn combine_group<const N: usize, M: Multiplier<N>>(
    m: M,
    sum: &mut M::Sum,
    (pairs, elements): (&[[[F61; N]; 2]], &[[F61; N]]),
) {
    let s = m.lanes();
    for ([low, high], r) in pairs.iter().zip(elements) {
        let r = s.load(r);
        m.add_product(sum, m.factor(s.load(low)), m.factor(s.spread_low(r)));
        m.add_product(sum, m.factor(s.load(high)), m.factor(s.spread_high(r)));
    }
    m.fold(sum);
}

/// `sum of r[i] * x[i]` for pairs of words `x[i]`.
#[inline(always)]
pub(super) fn combine_pairs<const N: usize, M: Multiplier<N>>(m: M, x: &[F61], r: &[F61]) -> [F61; 2] {
    let mut sum = m.zero();
    let pairs: &[[[F61; N]; 2]] = x.as_chunks().0.as_chunks().0;
    let elements: &[[F61; N]] = r.as_chunks().0;
    let length = pairs.len().min(elements.len());
    // Two products for each vector of `r`.
    let mut pairs = pairs[..length].chunks_exact(M::GROUP / 2);
    let mut elements = elements[..length].chunks_exact(M::GROUP / 2);
    for groups in pairs.by_ref().zip(elements.by_ref()) {
        combine_group(m, &mut sum, groups);
    }
    combine_group(m, &mut sum, (pairs.remainder(), elements.remainder()));
    m.totals(sum)
}

/// `sums[i] += x[i]`.
#[inline(always)]
pub(super) fn add<const N: usize, L: Lanes<N>>(s: L, sums: &mut [F61], x: &[F61]) {
    for (sum, x) in sums.as_chunks_mut().0.iter_mut().zip(x.as_chunks().0) {
        let n = s.add(s.load(sum), s.load(x));
        s.store(s.lesser(n, s.sub(n, s.splat(P))), sum);
    }
}

/// `sums[i] += r * x[i]`. With `SWAPPED`, the operands are pairs of words, and those of `x` have the opposite
/// order.
#[inline(always)]
pub(super) fn accumulate<const N: usize, const SWAPPED: bool, M: Multiplier<N>>(
    m: M,
    sums: &mut [F61],
    x: &[F61],
    r: F61,
) {
    let s = m.lanes();
    let r = m.factor(s.splat(r.to_u64()));
    for (sum, x) in sums.as_chunks_mut().0.iter_mut().zip(x.as_chunks().0) {
        let x = m.factor(s.load(x));
        let x = if SWAPPED { m.swap(x) } else { x };
        s.store(m.multiply_add(s.load(sum), r, x), sum);
    }
}
