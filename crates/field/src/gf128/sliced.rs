//! Products of runs of [`RUN`] elements without carry-less multiplication: bitsliced, by logic alone, for any
//! instruction set.
//!
//! ```text
//! bit i of slice j  =  the coefficient of x^j of element i        (the matrix of bits, transposed)
//! ```
//!
//! So one operation on slices is that operation on a coefficient of every element. Products of polynomials
//! with 128 coefficients are made by Karatsuba's method down to 8: in all about 91 operations for each
//! product. A slice is itself a polynomial, in the number of the element. So the sum of `x^i` times element
//! `i` is the sum of `x^j` times slice `j`, and a run of products is packed without being transposed back.

use super::portable::{self, Unreduced};
use super::vector::{Simd, padded};
use super::{Gf128, RUN, runs, transpose};

/// The length of factors that are multiplied in registers.
const LEAF: usize = 8;

/// From this length on a part of a run is multiplied as a whole one: then that takes less time than its
/// elements one by one.
const WHOLE: usize = 48;

/// The slices of a run.
#[inline(always)]
fn slices<S: Simd<1>>(s: S, run: &[Gf128; RUN]) -> [S::V; RUN] {
    let mut out = [[Gf128::ZERO; RUN]];
    transpose::transpose_block(s, super::dispatch::little_endian(run), 16, &mut out);
    let mut slices = [s.splat(Gf128::ZERO); RUN];
    for (slice, element) in slices.iter_mut().zip(&out[0]) {
        *slice = s.load(core::array::from_ref(element));
    }
    slices
}

/// `a * b` of eight coefficients each, added to nothing. The last place is zero.
#[inline(always)]
fn leaf<S: Simd<1>>(s: S, a: &[S::V; LEAF], b: &[S::V; LEAF], out: &mut [S::V]) {
    let zero = s.splat(Gf128::ZERO);
    for (k, out) in out.iter_mut().enumerate() {
        let mut sum = zero;
        for (i, a) in a.iter().enumerate() {
            // The compiler unrolls both loops, and nothing is left of this condition.
            if k >= i && k - i < LEAF {
                sum = s.xor(sum, s.and(*a, b[k - i]));
            }
        }
        *out = sum;
    }
}

/// `out = a * b`, for factors of one length, a power of two and at least [`LEAF`]. `out` has twice that
/// length, and `scratch` four times.
fn multiply<S: Simd<1>>(s: S, a: &[S::V], b: &[S::V], out: &mut [S::V], scratch: &mut [S::V]) {
    if let (Some(a), Some(b), LEAF) = (a.first_chunk(), b.first_chunk(), a.len()) {
        return leaf(s, a, b, &mut out[..2 * LEAF]);
    }
    let (n, half) = (a.len(), a.len() / 2);
    let ((a_0, a_1), (b_0, b_1)) = (a.split_at(half), b.split_at(half));
    let (low, high) = out[..2 * n].split_at_mut(n);
    multiply(s, a_0, b_0, low, scratch);
    multiply(s, a_1, b_1, high, scratch);
    let (middle, rest) = scratch.split_at_mut(n);
    let (sums, rest) = rest.split_at_mut(n);
    let (a_sum, b_sum) = sums.split_at_mut(half);
    for ((sum, x), y) in a_sum.iter_mut().zip(a_0).zip(a_1) {
        *sum = s.xor(*x, *y);
    }
    for ((sum, x), y) in b_sum.iter_mut().zip(b_0).zip(b_1) {
        *sum = s.xor(*x, *y);
    }
    multiply(s, a_sum, b_sum, middle, rest);
    let ((low_0, low_1), (high_0, high_1)) = (low.split_at_mut(half), high.split_at_mut(half));
    let (middle_0, middle_1) = middle.split_at(half);
    for i in 0..half {
        let both = s.xor(low_1[i], high_0[i]);
        low_1[i] = s.xor(both, s.xor(low_0[i], middle_0[i]));
        high_0[i] = s.xor(both, s.xor(high_1[i], middle_1[i]));
    }
}

/// Room for the products of two runs, used again and again.
struct Room<V> {
    products: [V; 2 * RUN],
    scratch: [V; 4 * RUN],
}

impl<V: Copy> Room<V> {
    #[inline(always)]
    fn new(s: impl Simd<1, V = V>) -> Self {
        let zero = s.splat(Gf128::ZERO);
        Self { products: [zero; 2 * RUN], scratch: [zero; 4 * RUN] }
    }

    /// The products of two runs, as slices, before reduction.
    #[inline(always)]
    fn multiply(&mut self, s: impl Simd<1, V = V>, a: &[V; RUN], b: &[V; RUN]) -> &mut [V; 2 * RUN] {
        multiply(s, a, b, &mut self.products, &mut self.scratch);
        &mut self.products
    }
}

/// `sum of x^i element_i` over a run, from its slices.
#[inline(always)]
fn pack<S: Simd<1>>(s: S, slices: &[S::V]) -> Gf128 {
    let mut elements = [Gf128::ZERO; RUN];
    for (element, slice) in elements.iter_mut().zip(slices) {
        s.store(*slice, core::array::from_mut(element));
    }
    runs::pack::<false, 1, S>(s, &elements)[0]
}

/// Reduces slices of products: `x^j = x^(j - 128) (x^7 + x^2 + x + 1)`, from the highest one down.
#[inline(always)]
fn reduce<S: Simd<1>>(s: S, slices: &mut [S::V; 2 * RUN]) {
    for j in (RUN..2 * RUN - 1).rev() {
        for to in [j - 128, j - 127, j - 126, j - 121] {
            slices[to] = s.xor(slices[to], slices[j]);
        }
    }
}

/// `sum of a[i] * b[i]`.
#[inline(always)]
pub(super) fn inner_product<S: Simd<1>>(s: S, a: &[Gf128], b: &[Gf128]) -> Gf128 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<RUN>(), b.as_chunks::<RUN>());
    let (mut sums, mut room) = ([s.splat(Gf128::ZERO); 2 * RUN], Room::new(s));
    let mut add = |a: &[Gf128; RUN], b: &[Gf128; RUN]| {
        let products = room.multiply(s, &slices(s, a), &slices(s, b));
        for (sum, product) in sums.iter_mut().zip(products) {
            *sum = s.xor(*sum, *product);
        }
    };
    for (a, b) in a.iter().zip(b) {
        add(a, b);
    }
    let mut rest = Gf128::ZERO;
    if a_rest.len() < WHOLE {
        rest = portable::inner_product(a_rest, b_rest);
    } else {
        add(&padded(a_rest), &padded(b_rest));
    }
    if a.is_empty() && a_rest.len() < WHOLE {
        return rest;
    }
    // The sum over the elements is the parity of each slice.
    let mut sum = Unreduced::default();
    for slice in sums.into_iter().rev() {
        let mut bits = [Gf128::ZERO];
        s.store(slice, &mut bits);
        sum.horner(u128::from(bits[0].to_bits().count_ones() & 1), 0);
    }
    sum.reduce() + rest
}

/// The sums of [`Kernel::check_prover`](super::Kernel::check_prover) and of
/// [`Kernel::check_verifier`](super::Kernel::check_verifier).
#[inline(always)]
pub(super) fn check<const PROVER: bool, S: Simd<1>>(
    s: S,
    weights: &[Gf128],
    [a, b, c]: [&[Gf128]; 3],
) -> (Gf128, Gf128) {
    let (mut sums, mut room) = ([Gf128::ZERO; 2], Room::new(s));
    let mut add = |weight: Gf128, a: &[Gf128; RUN], b: &[Gf128; RUN], c: &[Gf128; RUN]| {
        let (a, b) = (slices(s, a), slices(s, b));
        let products = room.multiply(s, &a, &b);
        reduce(s, products);
        let mut linear = runs::pack::<false, 1, S>(s, c)[0];
        if PROVER {
            // Slice 0 has the values.
            let mut slices = [s.splat(Gf128::ZERO); RUN];
            for ((slice, x), y) in slices.iter_mut().zip(a).zip(b) {
                *slice = s.xor(s.and(a[0], y), s.and(b[0], x));
            }
            linear += pack(s, &slices);
        }
        sums[0] += portable::mul(weight, pack(s, &products[..RUN]));
        sums[1] += portable::mul(weight, linear);
    };
    let [(a, a_rest), (b, b_rest), (c, c_rest)] = [a, b, c].map(|all| all.as_chunks::<RUN>());
    for (((weight, a), b), c) in weights.iter().zip(a).zip(b).zip(c) {
        add(*weight, a, b, c);
    }
    if let (Some(weight), false) = (weights.last(), a_rest.is_empty()) {
        if a_rest.len() < WHOLE {
            let rest = core::slice::from_ref(weight);
            let (products, linear) = match PROVER {
                true => portable::check_prover(rest, a_rest, b_rest, c_rest),
                false => portable::check_verifier(rest, a_rest, b_rest, c_rest),
            };
            sums[0] += products;
            sums[1] += linear;
        } else {
            add(*weight, &padded(a_rest), &padded(b_rest), &padded(c_rest));
        }
    }
    (sums[0], sums[1])
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::gf128::Kernel;
    use crate::gf128::dispatch::Level;
    use crate::gf128::x86_clmul::Clmul;
    use crate::laws::Words;

    /// On the registers of another instruction set; WebAssembly's are tested by the harness.
    #[target_feature(enable = "sse2,pclmulqdq")]
    #[allow(clippy::expect_used, reason = "in a test, outside its function")]
    fn agree(length: usize) {
        let s = Clmul::new();
        let mut words = Words(length as u64 + 1);
        let mut vector = |length: usize| -> Vec<Gf128> {
            let mut element = || Gf128::from_bits(u128::from(words.word()) << 64 | u128::from(words.word()));
            (0..length).map(|_| element()).collect()
        };
        let (a, b, c) = (vector(length), vector(length), vector(length));
        let weights = vector(length.div_ceil(RUN));
        let portable = Kernel::new(Level::Portable).expect("it runs everywhere");
        assert_eq!(portable.inner_product(&a, &b), Ok(inner_product(s, &a, &b)), "{length}");
        let prover = check::<true, _>(s, &weights, [&a, &b, &c]);
        assert_eq!(portable.check_prover(&weights, &a, &b, &c), Ok(prover), "{length}");
        let verifier = check::<false, _>(s, &weights, [&a, &b, &c]);
        assert_eq!(portable.check_verifier(&weights, &a, &b, &c), Ok(verifier), "{length}");
    }

    #[test]
    fn sliced_runs_have_the_sums_of_the_portable_code() {
        if crate::detected!("pclmulqdq") {
            let around = [0, 1, WHOLE - 1, WHOLE, RUN - 1, RUN, RUN + 1, RUN + WHOLE, 3 * RUN - 1, 3 * RUN];
            // SAFETY: the CPU has the instructions.
            around.into_iter().for_each(|length| unsafe { agree(length) });
        }
    }
}
