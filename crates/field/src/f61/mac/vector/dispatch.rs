//! Which vector code this CPU gets.

use std::sync::OnceLock;

use super::{x86_avx2, x86_ifma};
use crate::Authenticated;
use crate::f61::{F61, F61x2};

/// Fewer elements than this are left to the scalar code: setting up sums and adding up their lanes would cost
/// more.
const LEAST: usize = 32;

/// The functions of one instruction set. Each takes the whole vectors of its operands; pairs are given word
/// by word.
///
/// # Safety
/// Calling one is sound on a CPU that has the instructions. No lengths are undefined behaviour.
pub(super) struct Table {
    /// Lanes: as many elements are taken at once. Half as many pairs are.
    pub(super) lanes: usize,
    pub(super) inner_product: unsafe fn(&[F61], &[F61]) -> F61,
    pub(super) pair_products: unsafe fn(&[F61], &[F61]) -> [F61; 3],
    pub(super) combine_pairs: unsafe fn(&[F61], &[F61]) -> [F61; 2],
    pub(super) accumulate: unsafe fn(&mut [F61], &[F61], F61),
    pub(super) accumulate_swapped: unsafe fn(&mut [F61], &[F61], F61),
}

/// Two elements next to each other in memory.
///
/// # Safety
/// The type is `#[repr(C)]` of exactly two [`F61`], or has the layout of an array of two.
pub(crate) unsafe trait Pair: Copy {}

// SAFETY: `repr(C)`, and its fields are two elements.
unsafe impl Pair for Authenticated<F61, F61> {}
// SAFETY: `repr(C)`, and its fields are two elements.
unsafe impl Pair for F61x2 {}

/// The elements of `pairs`, one after the other.
fn flat<T: Pair>(pairs: &[T]) -> &[F61] {
    // SAFETY: each pair is two elements and nothing else, so there are twice as many in the same memory, at
    // the same alignment, borrowed for as long.
    unsafe { core::slice::from_raw_parts(pairs.as_ptr().cast(), 2 * pairs.len()) }
}

/// The vector code of one instruction set: a pointer, to be copied around. Each function also says how many
/// elements it took, from the first on; the others are the caller's.
// Invariant: this CPU has the instructions.
#[derive(Clone, Copy)]
pub(crate) struct Vectors(&'static Table);

impl Vectors {
    /// The best of this CPU for vectors of `length` elements; none if there is none, or they are too short
    /// for it.
    #[inline]
    pub(crate) fn best(length: usize) -> Option<Self> {
        static BEST: OnceLock<Option<Vectors>> = OnceLock::new();
        if length < LEAST { None } else { *BEST.get_or_init(|| Self::available().next()) }
    }

    /// All that this CPU can run, the fastest first.
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        let ifma = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma");
        let all = [(&x86_ifma::TABLE, ifma), (&x86_avx2::TABLE, is_x86_feature_detected!("avx2"))];
        all.into_iter().filter(|(_, runs)| *runs).map(|(table, _)| Self(table))
    }

    /// How many of `length` are in whole vectors of `each`.
    fn taken(length: usize, each: usize) -> usize {
        length - length % each
    }

    /// `sum of a[i] * b[i]`.
    #[inline]
    pub(crate) fn inner_product(self, a: &[F61], b: &[F61]) -> (usize, F61) {
        // SAFETY: a value exists only where the CPU has its instructions.
        let sum = unsafe { (self.0.inner_product)(a, b) };
        (Self::taken(a.len().min(b.len()), self.0.lanes), sum)
    }

    /// The sums of the products of first words, of second ones, and of first and second ones crosswise.
    #[inline]
    pub(crate) fn pair_products<T: Pair>(self, a: &[T], b: &[T]) -> (usize, [F61; 3]) {
        // SAFETY: a value exists only where the CPU has its instructions.
        let sums = unsafe { (self.0.pair_products)(flat(a), flat(b)) };
        (Self::taken(a.len().min(b.len()), self.0.lanes / 2), sums)
    }

    /// `sum of r[i] * x[i]`, the first word and the second.
    #[inline]
    pub(crate) fn combine_pairs<T: Pair>(self, x: &[T], r: &[F61]) -> (usize, [F61; 2]) {
        // SAFETY: a value exists only where the CPU has its instructions.
        let sums = unsafe { (self.0.combine_pairs)(flat(x), r) };
        (Self::taken(x.len().min(r.len()), self.0.lanes), sums)
    }

    /// `sums[i] += r * x[i]`.
    #[inline]
    pub(crate) fn accumulate(self, sums: &mut [F61], x: &[F61], r: F61) -> usize {
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.accumulate)(sums, x, r) };
        Self::taken(sums.len().min(x.len()), self.0.lanes)
    }

    /// `sums[i] += r * x[i]`, where the second word of each `x[i]` is added to the first sum and the first to
    /// the second.
    #[inline]
    pub(crate) fn accumulate_swapped<T: Pair>(self, sums: &mut [[F61; 2]], x: &[T], r: F61) -> usize {
        let taken = Self::taken(sums.len().min(x.len()), self.0.lanes / 2);
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.accumulate_swapped)(sums.as_flattened_mut(), flat(x), r) };
        taken
    }
}
