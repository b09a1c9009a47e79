//! Chooses the vector code for this CPU.

use std::sync::OnceLock;

use super::packing::ELEMENTS;
use super::{x86_avx2, x86_ifma};
use crate::f61::{F61, F61x2};
use crate::{Authenticated, Gf128};

/// Shorter vectors go to the scalar code: preparing the sums and adding up their lanes would cost more.
const LEAST: usize = 32;

/// The keys of two factors and a random value, the masked products, and delta; to keys and values.
type MultiplyVerifier = unsafe fn([&[F61]; 4], F61, [&mut [F61]; 2]);

/// The functions of one instruction set. Each processes the whole vectors of its operands; pairs are passed
/// word by word.
///
/// # Safety
/// Calling one is sound on a CPU that has the instructions. No lengths cause undefined behaviour.
pub(super) struct Table {
    /// The number of lanes, and so of elements taken at once; half as many for pairs.
    pub(super) lanes: usize,
    pub(super) inner_product: unsafe fn(&[F61], &[F61]) -> F61,
    pub(super) pair_products: unsafe fn(&[F61], &[F61]) -> [F61; 3],
    pub(super) combine_pairs: unsafe fn(&[F61], &[F61]) -> [F61; 2],
    pub(super) add: unsafe fn(&mut [F61], &[F61]),
    pub(super) accumulate: unsafe fn(&mut [F61], &[F61], F61),
    pub(super) accumulate_swapped: unsafe fn(&mut [F61], &[F61], F61),
    pub(super) multiply_prover: unsafe fn([&[F61]; 3], [&mut [F61]; 4]),
    pub(super) multiply_verifier: MultiplyVerifier,
    pub(super) pack: unsafe fn(&[F61], &mut [[u8; 8]]),
    pub(super) unpack: unsafe fn(&[[u8; 8]], &mut [F61]) -> bool,
    pub(super) pairs: unsafe fn(&[[u8; 8]], &mut [F61], &mut [F61]),
    pub(super) total: unsafe fn(&[F61]) -> F61,
    pub(super) add_at: unsafe fn(&mut [F61], u32, F61),
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
    // SAFETY: each pair is two elements and nothing else, so the same memory holds twice as many elements, at
    // the same alignment and with the same lifetime.
    unsafe { core::slice::from_raw_parts(pairs.as_ptr().cast(), 2 * pairs.len()) }
}

/// The elements of `pairs`, one after the other.
fn flat_mut<T: Pair>(pairs: &mut [T]) -> &mut [F61] {
    // SAFETY: as in [`flat`]; any elements make up a pair, and the slice is borrowed mutably.
    unsafe { core::slice::from_raw_parts_mut(pairs.as_mut_ptr().cast(), 2 * pairs.len()) }
}

/// The vector code of one instruction set: a pointer, cheap to copy. Each function also returns how many
/// elements it processed, counted from the first; the caller handles the rest.
// Invariant: this CPU has the instructions.
#[derive(Clone, Copy)]
pub(crate) struct Vectors(&'static Table);

impl Vectors {
    /// The best code that this CPU has for vectors of `length` elements, or `None` if there is none or the
    /// vectors are too short for it.
    #[inline]
    pub(crate) fn best(length: usize) -> Option<Self> {
        static BEST: OnceLock<Option<Vectors>> = OnceLock::new();
        if length < LEAST { None } else { *BEST.get_or_init(|| Self::available().next()) }
    }

    /// All the code that this CPU can run, the fastest first.
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        let ifma = crate::detected!("avx512f") && crate::detected!("avx512ifma");
        let all = [(&x86_ifma::TABLE, ifma), (&x86_avx2::TABLE, crate::detected!("avx2"))];
        all.into_iter().filter(|(_, runs)| *runs).map(|(table, _)| Self(table))
    }

    /// How many of `length` elements are in whole vectors of `each`.
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

    /// Three sums of products: of first words, of second words, and of first and second words crosswise.
    #[inline]
    pub(crate) fn pair_products<T: Pair>(self, a: &[T], b: &[T]) -> (usize, [F61; 3]) {
        // SAFETY: a value exists only where the CPU has its instructions.
        let sums = unsafe { (self.0.pair_products)(flat(a), flat(b)) };
        (Self::taken(a.len().min(b.len()), self.0.lanes / 2), sums)
    }

    /// `sum of r[i] * x[i]`, for the first word and for the second.
    #[inline]
    pub(crate) fn combine_pairs<T: Pair>(self, x: &[T], r: &[F61]) -> (usize, [F61; 2]) {
        // SAFETY: a value exists only where the CPU has its instructions.
        let sums = unsafe { (self.0.combine_pairs)(flat(x), r) };
        (Self::taken(x.len().min(r.len()), self.0.lanes), sums)
    }

    /// `sums[i] += x[i]`.
    #[inline]
    pub(crate) fn add(self, sums: &mut [F61], x: &[F61]) -> usize {
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.add)(sums, x) };
        Self::taken(sums.len().min(x.len()), self.0.lanes)
    }

    /// `sums[i] += x[i]`, word by word.
    #[inline]
    pub(crate) fn add_pairs<T: Pair>(self, sums: &mut [T], x: &[T]) -> usize {
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.add)(flat_mut(sums), flat(x)) };
        Self::taken(sums.len().min(x.len()), self.0.lanes / 2)
    }

    /// `sums[i] += r * x[i]`.
    #[inline]
    pub(crate) fn accumulate(self, sums: &mut [F61], x: &[F61], r: F61) -> usize {
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.accumulate)(sums, x, r) };
        Self::taken(sums.len().min(x.len()), self.0.lanes)
    }

    /// `sums[i] += r * x[i]` with swapped words: the second word of each `x[i]` is added to the first sum,
    /// and the first word to the second.
    #[inline]
    pub(crate) fn accumulate_swapped<T: Pair>(self, sums: &mut [[F61; 2]], x: &[T], r: F61) -> usize {
        let taken = Self::taken(sums.len().min(x.len()), self.0.lanes / 2);
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.accumulate_swapped)(sums.as_flattened_mut(), flat(x), r) };
        taken
    }

    /// [`Mac::multiply_prover`](crate::Mac::multiply_prover), of slices of one length.
    #[inline]
    pub(crate) fn multiply_prover<T: Pair>(
        self,
        [x, y, random]: [&[T]; 3],
        z: &mut [T],
        [masked, a_0, a_1]: [&mut [F61]; 3],
    ) -> usize {
        let taken = Self::taken(x.len(), self.0.lanes);
        let out = [flat_mut(z), masked, a_0, a_1];
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.multiply_prover)([flat(x), flat(y), flat(random)], out) };
        taken
    }

    /// [`Mac::multiply_verifier`](crate::Mac::multiply_verifier), of slices of one length.
    #[inline]
    pub(crate) fn multiply_verifier(self, operands: [&[F61]; 4], delta: F61, out: [&mut [F61]; 2]) -> usize {
        let taken = Self::taken(operands[0].len(), self.0.lanes);
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.multiply_verifier)(operands, delta, out) };
        taken
    }

    /// [`Element::pairs_from_blocks`](crate::Element::pairs_from_blocks), of slices of one length.
    pub(crate) fn pairs(self, blocks: &[Gf128], first: &mut [F61], second: &mut [F61]) -> usize {
        // SAFETY: a block is 16 bytes and nothing else, so the same memory holds twice as many words of 8.
        let words = unsafe { core::slice::from_raw_parts(blocks.as_ptr().cast(), 2 * blocks.len()) };
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.pairs)(words, first, second) };
        Self::taken(blocks.len().min(first.len()).min(second.len()), self.0.lanes)
    }

    /// The sum of elements.
    pub(crate) fn total(self, elements: &[F61]) -> (usize, F61) {
        // SAFETY: a value exists only where the CPU has its instructions.
        let sum = unsafe { (self.0.total)(elements) };
        (Self::taken(elements.len(), self.0.lanes), sum)
    }

    /// `elements[index] += x`, without an access that depends on `index`.
    pub(crate) fn add_at(self, elements: &mut [F61], index: u32, x: F61) -> usize {
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.add_at)(elements, index, x) };
        Self::taken(elements.len(), self.0.lanes)
    }

    /// Packs whole groups of [`ELEMENTS`] elements. Returns how many of them.
    pub(crate) fn pack(self, elements: &[F61], out: &mut [u8]) -> usize {
        let taken = elements.len() / ELEMENTS * ELEMENTS;
        // SAFETY: a value exists only where the CPU has its instructions.
        unsafe { (self.0.pack)(elements, out.as_chunks_mut().0) };
        taken
    }

    /// Unpacks whole groups of [`ELEMENTS`] elements. Returns how many of them, or `None` if not all are
    /// canonical.
    pub(crate) fn unpack(self, bytes: &[u8], out: &mut [F61]) -> Option<usize> {
        let taken = out.len() / ELEMENTS * ELEMENTS;
        // SAFETY: a value exists only where the CPU has its instructions.
        let canonical = unsafe { (self.0.unpack)(bytes.as_chunks().0, out) };
        canonical.then_some(taken)
    }
}
