//! The kernels of MACs in `F_{2^61-1}` and in its quadratic extension: sums of products, reduced late.
//!
//! A product of two elements has 122 bits, so 64 of them fit in a `u128`. Factors may be *loose*: below
//! `3 * 2^61` instead of `2^61`, which is the range of a sum of two products after a single fold at bit 61. A
//! kernel takes its vectors in groups of [`GROUP`], folds the sum of each group, and reduces the sum of all
//! groups once.
//!
//! ```text
//! reduced * reduced < 2^122       reduced * loose < 3 * 2^122       2 (reduced * loose) * GROUP < 2^128
//! ```
//!
//! The kernels in which sessions spend their time (inner products, and multiples added to vectors) use
//! [`vector`] code for whole vectors if the CPU has any, and scalar code for the rest. The checks of whole
//! multiplications are scalar, because streaming backends put their products into inner products.

mod prime;
mod quadratic;
mod vector;

use super::{F61, P, eightfold, loose};
use crate::wide::product;

pub(super) use vector::Vectors;

/// The number of elements whose terms are added between two folds.
const GROUP: usize = 8;

/// A sum of any public number of groups.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// The sum of the current group.
    group: u128,
    /// The sum of the groups before, folded: each is below `2^68`.
    total: u128,
}

impl Sum {
    /// Adds a product of a reduced factor and one that may be loose, at most two for each element of a group.
    #[inline(always)]
    fn add(&mut self, product: u128) {
        self.group += product;
    }

    /// The sum of all finished groups.
    #[inline(always)]
    fn reduce(self) -> F61 {
        F61::from_u128(self.total)
    }
}

/// One or several sums that end their groups together.
trait Sums {
    /// Ends a group.
    fn fold(&mut self);
}

impl Sums for Sum {
    #[inline(always)]
    fn fold(&mut self) {
        self.total += (self.group & u128::from(P)) + (self.group >> 61);
        self.group = 0;
    }
}

impl<S: Sums, const N: usize> Sums for [S; N] {
    #[inline(always)]
    fn fold(&mut self) {
        self.iter_mut().for_each(S::fold);
    }
}

impl<S: Sums, T: Sums> Sums for (S, T) {
    #[inline(always)]
    fn fold(&mut self) {
        self.0.fold();
        self.1.fold();
    }
}

/// `sum + a * b`. It fits, since `p^2 + p = p * 2^61`.
#[inline(always)]
fn multiply_add(sum: F61, a: F61, b: F61) -> F61 {
    let n = u128::from(sum.0 << 3) + eightfold(a.0, b.0);
    // Below 2 p: if the upper part is p, the lower part is zero.
    F61(super::below(loose(n)))
}

/// Adds the `term` of each place of two vectors to `sums`.
#[inline(always)]
fn over_pairs<A: Sums, S, T>(sums: &mut A, (a, b): (&[S], &[T]), term: impl Fn(&mut A, &S, &T)) {
    // Whole groups are arrays, so that their loop is unrolled.
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<GROUP>(), b.as_chunks::<GROUP>());
    for (a, b) in a.iter().zip(b) {
        a.iter().zip(b).for_each(|(a, b)| term(sums, a, b));
        sums.fold();
    }
    a_rest.iter().zip(b_rest).for_each(|(a, b)| term(sums, a, b));
    sums.fold();
}

/// Adds the `term` of each multiplication of a check and its coefficient to `sums`.
#[inline(always)]
fn over_products<A: Sums, S, T>(
    sums: &mut A,
    ([a, b, c], chi): ([&[S]; 3], &[T]),
    term: impl Fn(&mut A, &S, &S, &S, &T),
) {
    let [(a, a_rest), (b, b_rest), (c, c_rest)] = [a, b, c].map(|vector| vector.as_chunks::<GROUP>());
    let (chi, chi_rest) = chi.as_chunks::<GROUP>();
    for (((a, b), c), chi) in a.iter().zip(b).zip(c).zip(chi) {
        a.iter().zip(b).zip(c).zip(chi).for_each(|(((a, b), c), chi)| term(sums, a, b, c, chi));
        sums.fold();
    }
    let rest = a_rest.iter().zip(b_rest).zip(c_rest).zip(chi_rest);
    rest.for_each(|(((a, b), c), chi)| term(sums, a, b, c, chi));
    sums.fold();
}
