//! The algorithms on runs of [`RUN`] elements, for any instruction set: sums in which an element is
//! multiplied by `x^i` for its place `i` in the run, and each run by a weight of its own.
//!
//! ```text
//! sum over i of x^i v_i,   i = 8 b + N j + lane      by Horner's rule: for x^8 over b in each lane, for x^N over j, for x over lanes
//! ```
//!
//! Times `x^8` is a shift of bytes, and times `x^N` one of bits. So nothing is multiplied but a whole run by
//! its weight. Sums have fewer than 256 bits until the end.
//!
//! **A check** multiplies five times for each vector of products: three times for a product, and twice to
//! reduce it to the 128 bits that can be shifted. With a random element for each product it was eleven times.
//! Carry-less multiplication is the bottleneck, and the shuffles next to it.

use super::portable::Unreduced;
use super::vector::{HIGH_HIGH, LOW_HIGH, LOW_LOW, Parts, Simd, inner_product, mul, padded};
use super::{Gf128, RUN};

/// A sum by Horner's rule for `x^8`, and then for a power below `x^8`: bytes and bits are shifted, and
/// nothing is multiplied. Of 16 terms it has fewer than 256 bits.
#[derive(Clone, Copy)]
struct Horner<V> {
    low: V,
    high: V,
}

impl<V: Copy> Horner<V> {
    #[inline(always)]
    fn zero<const N: usize>(s: impl Simd<N, V = V>) -> Self {
        let zero = s.splat(Gf128::ZERO);
        Self { low: zero, high: zero }
    }

    /// Multiplies by `x^8` and adds `term`.
    #[inline(always)]
    fn byte<const N: usize>(&mut self, s: impl Simd<N, V = V>, term: V) {
        self.high = s.carry_byte(self.low, self.high);
        self.low = s.xor(s.up_byte(self.low), term);
    }

    /// Multiplies by `x^N` and adds `term`.
    #[inline(always)]
    fn bits<const N: usize, S: Simd<N, V = V>>(&mut self, s: S, term: Self) {
        let carry = s.down(s.shift_right(self.low, 64 - N as i64));
        self.high = s.xor(s.xor(up_bits::<N, S>(s, self.high), carry), term.high);
        self.low = s.xor(up_bits::<N, S>(s, self.low), term.low);
    }

    #[inline(always)]
    fn reduce<const N: usize>(self, s: impl Simd<N, V = V>) -> V {
        // This value of `mid` cancels the middle part of a product.
        Parts { low: self.low, mid: s.xor(self.low, self.high), high: self.high }.reduce(s)
    }
}

/// The two sums of a check under way.
struct Check<V> {
    products: Parts<V>,
    linear: Parts<V>,
}

impl<V: Copy> Check<V> {
    /// Adds the multiplications of a run with this weight; `first` is `1, x, ..`. This is a method, since a
    /// closure would not be inlined and the sums would leave the registers.
    ///
    /// Product `i = 8 b + N j + lane` of a run has the weight `x^i`, as in [`pack`].
    #[inline(always)]
    fn run<const PROVER: bool, const N: usize, S: Simd<N, V = V>>(
        &mut self,
        s: S,
        (weight, first): (Gf128, V),
        run: [&[Gf128; RUN]; 3],
    ) {
        let [a, b, c] = run.map(|run| run.as_chunks::<N>().0);
        let [mut products, mut linear] = [Horner::zero(s); 2];
        for pair in (0..4 / N).rev() {
            // Two chains of each run at once, because each step waits for the step before.
            let mut chains = [[Horner::zero(s); 2]; 2];
            // Loops by index: the compiler unrolls this, but not a reversed iterator with steps.
            for byte in (0..16).rev() {
                for (j, [product, linear]) in chains.iter_mut().enumerate() {
                    let at = 8 / N * byte + 2 * pair + j;
                    let (a, b, c) = (s.load(&a[at]), s.load(&b[at]), s.load(&c[at]));
                    let sum = if PROVER {
                        s.xor(s.xor(s.and(a, s.spread_lsb(b)), s.and(b, s.spread_lsb(a))), c)
                    } else {
                        c
                    };
                    product.byte(s, mul(s, a, b));
                    linear.byte(s, sum);
                }
            }
            for [product, sum] in chains.into_iter().rev() {
                products.bits(s, product);
                linear.bits(s, sum);
            }
        }
        let weights = mul(s, s.splat(weight), first);
        let (products, linear) = two_products(s, weights, products.reduce(s), linear.reduce(s));
        self.products.add(s, products);
        self.linear.add(s, linear);
    }
}

/// `sum w_i a_i b_i`, and `sum w_i (x_a b_i + x_b a_i + c_i)` for the prover or `sum w_i c_i` for the
/// verifier, where `w_i = weights[i / RUN] x^(i % RUN)`.
#[inline(always)]
pub(super) fn check<const PROVER: bool, const N: usize, S: Simd<N>>(
    s: S,
    weights: &[Gf128],
    products: [&[Gf128]; 3],
) -> (Gf128, Gf128) {
    let mut first = [Gf128::ONE; N];
    for lane in 1..N {
        first[lane] = first[lane - 1].mul_x();
    }
    let first = s.load(&first);
    let mut sums = Check { products: Parts::zero(s), linear: Parts::zero(s) };
    let [(a, a_rest), (b, b_rest), (c, c_rest)] = products.map(|all| all.as_chunks::<RUN>());
    for (((weight, a), b), c) in weights.iter().zip(a).zip(b).zip(c) {
        sums.run::<PROVER, N, S>(s, (*weight, first), [a, b, c]);
    }
    if let (Some(weight), false) = (weights.last(), a_rest.is_empty()) {
        let rest = [&padded(a_rest), &padded(b_rest), &padded(c_rest)];
        sums.run::<PROVER, N, S>(s, (*weight, first), rest);
    }
    (sums.products.total(s), sums.linear.total(s))
}

/// `sum of a[i] x^i`, and for the prover `sum of lsb(a[i]) x^i`.
#[inline(always)]
pub(super) fn pack<const PROVER: bool, const N: usize, S: Simd<N>>(s: S, a: &[Gf128; RUN]) -> [Gf128; 2] {
    const { assert!(4 % N == 0, "chains come in pairs") };
    let (vectors, mut sum, mut bits) = (a.as_chunks::<N>().0, Horner::zero(s), s.splat(Gf128::ZERO));
    let lowest = s.splat(Gf128::from_bits(0x01010101_01010101_01010101_01010101));
    for pair in (0..4 / N).rev() {
        // Two chains run at once, because each step waits for the step before.
        let mut chains = [Horner::zero(s); 2];
        // Loops by index: the compiler unrolls this, but not a reversed iterator with steps.
        for b in (0..16).rev() {
            for (j, chain) in chains.iter_mut().enumerate() {
                chain.byte(s, s.load(&vectors[8 / N * b + 2 * pair + j]));
            }
        }
        for j in (0..2).rev() {
            sum.bits(s, chains[j]);
            if PROVER {
                let bytes = lowest_bytes(s, vectors, 8 / N, 2 * pair + j);
                bits = s.xor(up_bits::<N, S>(s, bits), s.and(bytes, lowest));
            }
        }
    }
    let Horner { low, high } = sum;
    let mut lanes = [[Gf128::ZERO; N]; 3];
    for (lanes, v) in lanes.iter_mut().zip([low, high, bits]) {
        s.store(v, lanes);
    }
    let [low, high, bits] = &lanes;
    let (mut sum, mut values) = (Unreduced::default(), 0);
    for ((low, high), bits) in low.iter().zip(high).zip(bits).rev() {
        sum.horner(low.to_bits(), high.to_bits());
        values = values << 1 ^ bits.to_bits();
    }
    [sum.reduce(), Gf128::from_bits(values)]
}

/// Byte `b` of each lane is the lowest byte of vector `first + step b`.
///
/// Four times, bytes of vectors at half the previous distance are interleaved.
#[inline(always)]
fn lowest_bytes<const N: usize, S: Simd<N>>(s: S, vectors: &[[Gf128; N]], step: usize, first: usize) -> S::V {
    let mut bytes = [s.splat(Gf128::ZERO); 8];
    for (b, bytes) in bytes.iter_mut().enumerate() {
        *bytes =
            s.interleave_low(s.load(&vectors[first + step * b]), s.load(&vectors[first + step * (b + 8)]));
    }
    for half in [4, 2, 1] {
        for b in 0..half {
            bytes[b] = s.interleave_low(bytes[b], bytes[b + half]);
        }
    }
    bytes[0]
}

/// Each lane shifted left by `N` bits.
#[inline(always)]
fn up_bits<const N: usize, S: Simd<N>>(s: S, v: S::V) -> S::V {
    s.xor(s.shift_left(v, N as i64), s.up(s.shift_right(v, 64 - N as i64)))
}

/// The sums of [`Kernel::weigh_prover`](super::Kernel::weigh_prover), or only the first for the verifier.
#[inline(always)]
pub(super) fn weigh<const PROVER: bool, const N: usize, S: Simd<N>>(
    s: S,
    c: &[Gf128],
    a: &[Gf128],
) -> [Gf128; 2] {
    /// Runs that are weighed at once.
    const RUNS: usize = 8;
    let mut sums = [Gf128::ZERO; 2];
    for (c, a) in c.chunks(RUNS).zip(a.chunks(RUNS * RUN)) {
        let mut packed = [[Gf128::ZERO; RUNS]; 2];
        let (runs, rest) = a.as_chunks::<RUN>();
        for (i, run) in runs.iter().enumerate() {
            [packed[0][i], packed[1][i]] = pack::<PROVER, N, S>(s, run);
        }
        if !rest.is_empty() {
            [packed[0][runs.len()], packed[1][runs.len()]] = pack::<PROVER, N, S>(s, &padded(rest));
        }
        sums[0] += inner_product(s, c, &packed[0][..c.len()]);
        if PROVER {
            sums[1] += inner_product(s, c, &packed[1][..c.len()]);
        }
    }
    sums
}

/// `chi * p` and `chi * q`: the sum of the halves of `chi` is computed once, and those of `p` and `q`
/// together.
#[inline(always)]
fn two_products<const N: usize, S: Simd<N>>(s: S, chi: S::V, p: S::V, q: S::V) -> (Parts<S::V>, Parts<S::V>) {
    let chi_sum = s.xor(chi, s.swap(chi));
    let sums = s.xor(s.low_halves(p, q), s.high_halves(p, q));
    let p = Parts {
        low: s.clmul::<LOW_LOW>(chi, p),
        mid: s.clmul::<LOW_LOW>(chi_sum, sums),
        high: s.clmul::<HIGH_HIGH>(chi, p),
    };
    let q = Parts {
        low: s.clmul::<LOW_LOW>(chi, q),
        mid: s.clmul::<LOW_HIGH>(chi_sum, sums),
        high: s.clmul::<HIGH_HIGH>(chi, q),
    };
    (p, q)
}
