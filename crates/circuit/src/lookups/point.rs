//! One point of a challenge: inverses of what lookups and rows stand for there, and their sums.

use volery_field::{Element, Value};
use zeroize::Zeroizing;

use crate::records::{FIRST, Records};
use crate::{Challenge, Expression as _};

/// The number of pairs whose inverses are made at once.
const PAIRS: usize = 1 << 9;

// Otherwise a tuple at the end of each chunk of records had no other one.
const _: () = assert!(FIRST.is_multiple_of(2 * PAIRS));

/// `<x>` of values.
pub(super) fn value<F: Value, B: Challenge<F> + ?Sized>(gammas: &[B::Scalar], x: &[F]) -> B::Scalar {
    let Some((first, rest)) = x.split_first() else { return Default::default() };
    rest.iter().zip(gammas).fold(B::embed(*first), |sum, (x, gamma)| sum + *gamma * B::embed(*x))
}

/// Replaces each element by its inverse, with one inversion for all, as the sums of inverses of a lookup
/// argument need them. Returns whether all had one; those that had none become zero, and where some had none
/// the others need not be right.
pub fn invert_all<S: Element>(x: &mut [S]) -> bool {
    // Products of all before each.
    let mut before = Zeroizing::new(Vec::with_capacity(x.len()));
    let mut product = S::ONE;
    for x in x.iter() {
        before.push(product);
        product *= *x;
    }
    let all = !product.is_zero();
    let mut inverse = product.inverse_or_zero();
    for (x, before) in x.iter_mut().zip(before.iter()).rev() {
        let next = inverse * *x;
        *x = inverse * *before;
        inverse = next;
    }
    all
}

/// The point of a challenge and its coefficients.
pub(super) struct Point<'a, S, X> {
    pub(super) at: S,
    /// What is added to the point without V's knowledge.
    pub(super) mask: Option<&'a X>,
    pub(super) gammas: &'a [S],
}

impl<S: Element, X> Point<'_, S, X> {
    /// `point - <tuple>`.
    #[inline(always)]
    fn denominator<const N: usize, F: Value, B>(&self, b: &B, tuple: &[B::Wire]) -> B::Expression<N>
    where
        B: Challenge<F, Scalar = S, ScalarWire = X>,
    {
        let Some((first, rest)) = tuple.split_first() else { return B::Expression::<N>::constant(self.at) };
        // The coefficients have the opposite sign, so the sum is subtracted.
        let sum = b.linear::<N>(-self.at, self.gammas, rest) + b.expression::<N>(first);
        let zero = B::Expression::<N>::constant(S::ZERO);
        match self.mask {
            None => zero - sum,
            Some(mask) => b.scalar::<N>(mask) - sum,
        }
    }

    /// `<x>` of a tuple's values, where they exist.
    #[inline(always)]
    fn tuple<F: Value, B: Challenge<F, Scalar = S>>(&self, b: &B, tuple: &[B::Wire]) -> Option<S> {
        let Some((first, rest)) = tuple.split_first() else { return Some(S::ZERO) };
        let mut terms = rest.iter().zip(self.gammas);
        terms.try_fold(B::embed(b.peek(first)?), |sum, (x, gamma)| Some(sum + *gamma * B::embed(b.peek(x)?)))
    }

    /// The point's value, where it exists.
    fn value<F: Value, B: Challenge<F, Scalar = S, ScalarWire = X>>(&self, b: &B) -> S {
        let mut at = self.at;
        if let Some(mask) = self.mask {
            b.peek_scalar(mask, &mut |mask| at += mask);
        }
        at
    }

    /// Commits to the inverses of the tuples' denominators, two at a time, and returns their sum.
    pub(super) fn inverses<F: Value, B: Challenge<F, Scalar = S, ScalarWire = X>>(
        &self,
        b: &mut B,
        tuples: &Records<B::Wire>,
    ) -> Result<B::Expression<2>, B::Error> {
        let columns = tuples.stride();
        let mut sum = B::Expression::<2>::constant(S::ZERO);
        let at = Zeroizing::new(self.value::<F, B>(b));
        for tuples in tuples.chunks().flat_map(|chunk| chunk.chunks(2 * PAIRS * columns)) {
            let mut values = Zeroizing::new(Vec::with_capacity(tuples.len() / columns));
            // Where there are no values, this adds none.
            values.extend(tuples.chunks_exact(columns).map_while(|tuple| Some(*at - self.tuple(b, tuple)?)));
            let inverses = b.scalars(tuples.len().div_ceil(2 * columns), &mut |_| {
                invert_all(&mut values);
                Ok(values.chunks(2).map(|pair| pair.iter().fold(S::ZERO, |sum, x| sum + *x)).collect())
            })?;
            for (pair, inverse) in tuples.chunks(2 * columns).zip(&inverses) {
                let (d, e) = pair.split_at(columns);
                if e.is_empty() {
                    let d = self.denominator::<3, F, B>(b, d);
                    let one = B::Expression::<3>::constant(S::ONE);
                    b.claim(d * b.scalar::<3>(inverse) - one)?;
                } else {
                    // One by one: the compiler does not inline a closure over both.
                    let d = self.denominator::<4, F, B>(b, d);
                    let e = self.denominator::<4, F, B>(b, e);
                    b.claim(d * e * b.scalar::<4>(inverse) - d - e)?;
                }
                sum = sum + b.scalar::<2>(inverse);
            }
        }
        Ok(sum)
    }

    /// Commits to the fraction of each row, and returns their sum.
    pub(super) fn fractions<F: Value, B: Challenge<F, Scalar = S, ScalarWire = X>>(
        &self,
        b: &mut B,
        columns: usize,
        rows: &[B::Wire],
        multiplicities: &[B::Wire],
    ) -> Result<B::Expression<2>, B::Error> {
        let mut sum = B::Expression::<2>::constant(S::ZERO);
        let at = Zeroizing::new(self.value::<F, B>(b));
        for (rows, multiplicities) in rows.chunks(PAIRS * columns).zip(multiplicities.chunks(PAIRS)) {
            let fractions = b.scalars(multiplicities.len(), &mut |peek| {
                let mut values = Zeroizing::new(vec![F::ZERO; columns]);
                let mut fractions: Vec<S> = rows
                    .chunks_exact(columns)
                    .map(|row| {
                        values.iter_mut().zip(row).for_each(|(x, wire)| *x = peek.value(wire));
                        *at - value::<F, B>(self.gammas, &values)
                    })
                    .collect();
                invert_all(&mut fractions);
                let numbers = multiplicities.iter().map(|number| B::embed(peek.value(number)));
                fractions.iter_mut().zip(numbers).for_each(|(fraction, number)| *fraction *= number);
                Ok(fractions)
            })?;
            for ((row, number), fraction) in rows.chunks_exact(columns).zip(multiplicities).zip(&fractions) {
                let d = self.denominator::<3, F, B>(b, row);
                b.claim(d * b.scalar::<3>(fraction) - b.expression::<3>(number))?;
                sum = sum + b.scalar::<2>(fraction);
            }
        }
        Ok(sum)
    }
}
