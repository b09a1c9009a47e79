//! Whether this CPU has the instructions, and safe calls of the kernels.

use std::sync::OnceLock;

use super::kernels;
use super::lanes::LANES;
use super::limbs::Constants;
use crate::Authenticated;
use crate::prime256::limbs::{Limbs, Unreduced};
use crate::prime256::{Modulus, Prime256};

/// Shorter vectors go to the scalar code.
const LEAST: usize = LANES;

/// The prover's share of an authenticated value.
type Pair<P> = Authenticated<Prime256<P>, Prime256<P>>;

/// The limbs of elements.
fn flat<P>(elements: &[Prime256<P>]) -> &[[Limbs; 1]] {
    // SAFETY: an element is `repr(transparent)` over its limbs, so this is the same memory at the same
    // alignment and with the same lifetime.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), elements.len()) }
}

/// The limbs of values and tags.
fn pairs<P>(pairs: &[Pair<P>]) -> &[[Limbs; 2]] {
    // SAFETY: as in [`flat`]; a pair is `repr(C)`, and its fields are two elements.
    unsafe { core::slice::from_raw_parts(pairs.as_ptr().cast(), pairs.len()) }
}

/// The limbs of elements.
fn flat_mut<P>(elements: &mut [Prime256<P>]) -> &mut [[Limbs; 1]] {
    // SAFETY: as in [`flat`]; the kernels write limbs below the prime, and the slice is borrowed mutably.
    unsafe { core::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), elements.len()) }
}

/// The limbs of values and tags.
fn pairs_mut<P>(pairs: &mut [Pair<P>]) -> &mut [[Limbs; 2]] {
    // SAFETY: as in [`pairs`] and [`flat_mut`].
    unsafe { core::slice::from_raw_parts_mut(pairs.as_mut_ptr().cast(), pairs.len()) }
}

/// Proof that this CPU has AVX-512 F and IFMA. Each function also returns how many elements or rows it
/// processed, counted from the first; the caller handles the rest.
#[derive(Clone, Copy)]
pub(in crate::prime256) struct Vectors(());

impl Vectors {
    /// `None` if this CPU lacks the instructions, or the vectors are too short for them.
    #[inline]
    pub(in crate::prime256) fn best(length: usize) -> Option<Self> {
        static BEST: OnceLock<Option<Vectors>> = OnceLock::new();
        if length < LEAST { None } else { *BEST.get_or_init(Self::available) }
    }

    /// `None` if this CPU lacks the instructions.
    pub(in crate::prime256) fn available() -> Option<Self> {
        (crate::detected!("avx512f") && crate::detected!("avx512ifma")).then_some(Self(()))
    }

    /// How many of `length` elements are in whole groups.
    fn taken(length: usize) -> usize {
        length - length % LANES
    }

    /// `sum of a_i * b_i`.
    #[inline]
    pub(in crate::prime256) fn inner_product<P>(
        self,
        a: &[Prime256<P>],
        b: &[Prime256<P>],
    ) -> (usize, Unreduced) {
        // SAFETY: a value exists only where the CPU has the instructions.
        let sum = unsafe { kernels::inner_product(flat(a), flat(b)) };
        (Self::taken(a.len().min(b.len())), Unreduced::from_columns(&sum))
    }

    /// The sums of [`Mac::dot_prover`](crate::Mac::dot_prover).
    #[inline]
    pub(in crate::prime256) fn dot_prover<P>(self, x: &[Pair<P>], y: &[Pair<P>]) -> (usize, [Unreduced; 3]) {
        // SAFETY: a value exists only where the CPU has the instructions.
        let [tags, mixed, values] = unsafe { kernels::dot_prover(pairs(x), pairs(y)) };
        let sums = [&tags, &mixed, &values].map(Unreduced::from_columns);
        (Self::taken(x.len().min(y.len())), sums)
    }

    /// The sums of [`Mac::combine_prover`](crate::Mac::combine_prover).
    #[inline]
    pub(in crate::prime256) fn combine_prover<P>(
        self,
        x: &[Pair<P>],
        r: &[Prime256<P>],
    ) -> (usize, [Unreduced; 2]) {
        // SAFETY: a value exists only where the CPU has the instructions.
        let [tags, values] = unsafe { kernels::combine_prover(pairs(x), flat(r)) };
        (Self::taken(x.len().min(r.len())), [&tags, &values].map(Unreduced::from_columns))
    }

    /// [`Mac::multiply_prover`](crate::Mac::multiply_prover), of slices of one length.
    #[inline]
    pub(in crate::prime256) fn multiply_prover<P: Modulus>(
        self,
        [x, y, random]: [&[Pair<P>]; 3],
        z: &mut [Pair<P>],
        [masked, a_0, a_1]: [&mut [Prime256<P>]; 3],
    ) -> usize {
        let (operands, out) =
            ([pairs(x), pairs(y), pairs(random)], [flat_mut(masked), flat_mut(a_0), flat_mut(a_1)]);
        // SAFETY: a value exists only where the CPU has the instructions.
        unsafe { kernels::multiply_prover(const { &Constants::of::<P>() }, operands, pairs_mut(z), out) };
        Self::taken(x.len())
    }

    /// [`Mac::multiply_verifier`](crate::Mac::multiply_verifier), of slices of one length.
    #[inline]
    pub(in crate::prime256) fn multiply_verifier<P: Modulus>(
        self,
        [x, y, random, masked]: [&[Prime256<P>]; 4],
        delta: Prime256<P>,
        [z, values]: [&mut [Prime256<P>]; 2],
    ) -> usize {
        let (operands, out) =
            ([flat(x), flat(y), flat(random), flat(masked)], [flat_mut(z), flat_mut(values)]);
        let delta = [&delta.limbs, &(-delta).limbs];
        // SAFETY: a value exists only where the CPU has the instructions.
        unsafe { kernels::multiply_verifier(const { &Constants::of::<P>() }, operands, delta, out) };
        Self::taken(x.len())
    }

    /// [`Mac::relate_prover`](crate::Mac::relate_prover), of slices of one length.
    #[inline]
    pub(in crate::prime256) fn relate_prover<P: Modulus>(
        self,
        [x, y, z]: [&[Pair<P>]; 3],
        [a_0, a_1]: [&mut [Prime256<P>]; 2],
    ) -> (usize, bool) {
        let (operands, out) = ([pairs(x), pairs(y), pairs(z)], [flat_mut(a_0), flat_mut(a_1)]);
        // SAFETY: a value exists only where the CPU has the instructions.
        let hold = unsafe { kernels::relate_prover(const { &Constants::of::<P>() }, operands, out) };
        (Self::taken(x.len()), hold)
    }

    /// [`Mac::relate_verifier`](crate::Mac::relate_verifier), of slices of one length.
    #[inline]
    pub(in crate::prime256) fn relate_verifier<P: Modulus>(
        self,
        [x, y, z]: [&[Prime256<P>]; 3],
        delta: Prime256<P>,
        values: &mut [Prime256<P>],
    ) -> usize {
        let (operands, out) = ([flat(x), flat(y), flat(z)], flat_mut(values));
        // SAFETY: a value exists only where the CPU has the instructions.
        unsafe { kernels::relate_verifier(const { &Constants::of::<P>() }, operands, &(-delta).limbs, out) };
        Self::taken(x.len())
    }

    /// [`Mac::accumulate_prover`](crate::Mac::accumulate_prover), of slices of one length.
    #[inline]
    pub(in crate::prime256) fn accumulate_prover<P: Modulus>(
        self,
        sums: &mut [[Prime256<P>; 2]],
        x: &[Pair<P>],
        r: Prime256<P>,
    ) -> usize {
        let taken = Self::taken(sums.len().min(x.len()));
        let sums = flat_mut(sums.as_flattened_mut()).as_flattened_mut().as_chunks_mut().0;
        // SAFETY: a value exists only where the CPU has the instructions.
        unsafe { kernels::accumulate_prover(const { &Constants::of::<P>() }, sums, pairs(x), &r.limbs) };
        taken
    }

    /// [`Mac::accumulate_verifier`](crate::Mac::accumulate_verifier), of slices of one length.
    #[inline]
    pub(in crate::prime256) fn accumulate_verifier<P: Modulus>(
        self,
        sums: &mut [Prime256<P>],
        k: &[Prime256<P>],
        r: Prime256<P>,
    ) -> usize {
        let taken = Self::taken(sums.len().min(k.len()));
        // SAFETY: a value exists only where the CPU has the instructions.
        unsafe {
            kernels::accumulate_verifier(const { &Constants::of::<P>() }, flat_mut(sums), flat(k), &r.limbs);
        }
        taken
    }
}
