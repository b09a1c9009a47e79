//! The kernels in plain Rust: the reference for every other kernel's tests, and the fallback for CPUs without
//! one.
//!
//! Carry-less products come from integer multiplication. Each factor is split into five parts, one for every
//! fifth bit. In the product of two parts, only every fifth position counts coinciding bits, at most 13 of
//! them: too few to carry as far as the next such position. So the lowest bit of each count is the carry-less
//! product at that position. The time is as constant as that of the CPU's multiplication.

use super::{Gf128, RUN};

/// Every fifth bit, from bit 0.
const FIFTHS: u128 = {
    let (mut bits, mut i) = (0, 0);
    while i < 128 {
        bits |= 1 << i;
        i += 5;
    }
    bits
};

/// The low half of `x^128` reduced: `x^7 + x^2 + x + 1`.
#[inline(always)]
const fn fold(word: u128) -> u128 {
    word ^ (word << 1) ^ (word << 2) ^ (word << 7)
}

/// A polynomial of degree below 256: a sum of products before reduction.
#[derive(Clone, Copy, Default)]
pub(super) struct Unreduced {
    low: u128,
    high: u128,
}

impl Unreduced {
    #[inline(always)]
    fn add(&mut self, other: Self) {
        self.low ^= other.low;
        self.high ^= other.high;
    }

    /// `self * x` plus the polynomial with these halves.
    #[inline(always)]
    pub(super) fn horner(&mut self, low: u128, high: u128) {
        self.high = (self.high << 1 | self.low >> 127) ^ high;
        self.low = self.low << 1 ^ low;
    }

    /// Reduces modulo the field's polynomial: `high * x^128 = fold(high)`, and once more for the 7 bits
    /// above.
    #[inline(always)]
    pub(super) const fn reduce(self) -> Gf128 {
        let out = (self.high >> 127) ^ (self.high >> 126) ^ (self.high >> 121);
        Gf128::from_bits(self.low ^ fold(self.high) ^ fold(out))
    }
}

/// The carry-less product of two words.
#[inline]
pub(super) fn multiply_words(a: u64, b: u64) -> u128 {
    // Engines of WebAssembly have no product of two words that is longer than one.
    if cfg!(target_arch = "wasm32") { multiply_short(a, b) } else { multiply_long(a, b) }
}

/// The product by multiplications that give the low word alone. The high word is the low word of the
/// reversed factors, reversed.
///
/// Factors are split into four parts here. At place `4 k` of the low word at most `k + 1` bits coincide, so
/// only the count at the last place can carry, and that leaves the word.
#[inline]
fn multiply_short(a: u64, b: u64) -> u128 {
    let low = multiply_low(a, b);
    let high = multiply_low(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u128::from(high) << 64 | u128::from(low)
}

/// The low word of the product.
#[inline]
fn multiply_low(a: u64, b: u64) -> u64 {
    const FOURTHS: u64 = 0x1111_1111_1111_1111;
    let a: [u64; 4] = core::array::from_fn(|class| a & (FOURTHS << class));
    let b: [u64; 4] = core::array::from_fn(|class| b & (FOURTHS << class));
    let mut product = 0;
    for class in 0..4 {
        let mut counts = 0;
        for i in 0..4 {
            counts ^= a[i].wrapping_mul(b[(class + 4 - i) % 4]);
        }
        product |= counts & (FOURTHS << class);
    }
    product
}

/// The product by multiplications of words that give two.
#[inline]
fn multiply_long(a: u64, b: u64) -> u128 {
    let part = |word: u64, class: usize| u128::from(word) & (FIFTHS << class);
    let a: [u128; 5] = core::array::from_fn(|class| part(a, class));
    let b: [u128; 5] = core::array::from_fn(|class| part(b, class));
    let mut product = 0;
    for class in 0..5 {
        let mut counts = 0;
        for i in 0..5 {
            counts ^= a[i] * b[(class + 5 - i) % 5];
        }
        // The bits at the positions of this class are the lowest bits of the counts.
        product |= counts & (FIFTHS << class);
    }
    product
}

/// The unreduced product, by Karatsuba's three multiplications.
#[inline]
fn multiply_unreduced(a: Gf128, b: Gf128) -> Unreduced {
    let halves = |word: u128| (word as u64, (word >> 64) as u64);
    let ((a0, a1), (b0, b1)) = (halves(a.to_bits()), halves(b.to_bits()));
    let (low, high) = (multiply_words(a0, b0), multiply_words(a1, b1));
    let middle = multiply_words(a0 ^ a1, b0 ^ b1) ^ low ^ high;
    Unreduced { low: low ^ (middle << 64), high: high ^ (middle >> 64) }
}

/// Moves bit `i` to bit `2 * i`: the square of a polynomial over F2.
#[inline]
const fn spread(word: u64) -> u128 {
    let mut spread = word as u128;
    let mut shift = 32;
    while shift > 0 {
        // Ones in every other group of `shift` bits.
        let mask = u128::MAX / ((1 << shift) + 1);
        spread = (spread | (spread << shift)) & mask;
        shift /= 2;
    }
    spread
}

/// `a * b`.
pub(super) fn mul(a: Gf128, b: Gf128) -> Gf128 {
    multiply_unreduced(a, b).reduce()
}

/// `a * a`.
pub(super) fn square(a: Gf128) -> Gf128 {
    Unreduced { low: spread(a.to_bits() as u64), high: spread((a.to_bits() >> 64) as u64) }.reduce()
}

/// `sum a[i] * b[i]`.
pub(super) fn inner_product(a: &[Gf128], b: &[Gf128]) -> Gf128 {
    let mut sum = Unreduced::default();
    a.iter().zip(b).for_each(|(&a, &b)| sum.add(multiply_unreduced(a, b)));
    sum.reduce()
}

/// `sum a[i]` over the set bits `i`.
pub(super) fn inner_product_bits(a: &[Gf128], bits: &[u64]) -> Gf128 {
    let mut sum = 0;
    for (chunk, &word) in a.chunks(64).zip(bits) {
        for (i, a) in chunk.iter().enumerate() {
            sum ^= a.to_bits() & u128::from((word >> i) & 1).wrapping_neg();
        }
    }
    Gf128::from_bits(sum)
}

/// `out[i] = x^(i + 1)`.
pub(super) fn powers(x: Gf128, out: &mut [Gf128]) {
    let mut power = Gf128::ONE;
    for out in out {
        power = mul(power, x);
        *out = power;
    }
}

/// `out[i] = a[i] * b[i]`.
pub(super) fn mul_slices(a: &[Gf128], b: &[Gf128], out: &mut [Gf128]) {
    out.iter_mut().zip(a).zip(b).for_each(|((out, &a), &b)| *out = mul(a, b));
}

/// `out[i] += scale * a[i]`.
pub(super) fn scale_add(scale: Gf128, a: &[Gf128], out: &mut [Gf128]) {
    out.iter_mut().zip(a).for_each(|(out, &a)| *out += mul(scale, a));
}

/// The two sums of [`Kernel::check_prover`](super::Kernel::check_prover).
pub(super) fn check_prover(weights: &[Gf128], a: &[Gf128], b: &[Gf128], c: &[Gf128]) -> (Gf128, Gf128) {
    check(weights, [a, b, c], |a, b, c| b * a.lsb() + a * b.lsb() + c)
}

/// The two sums of [`Kernel::check_verifier`](super::Kernel::check_verifier).
pub(super) fn check_verifier(weights: &[Gf128], a: &[Gf128], b: &[Gf128], c: &[Gf128]) -> (Gf128, Gf128) {
    check(weights, [a, b, c], |_, _, c| c)
}

/// The sums of the products and of the `linear` parts of a check.
fn check(
    weights: &[Gf128],
    [a, b, c]: [&[Gf128]; 3],
    linear: impl Fn(Gf128, Gf128, Gf128) -> Gf128,
) -> (Gf128, Gf128) {
    let [mut products, mut sum] = [Unreduced::default(); 2];
    for (((&weight, a), b), c) in weights.iter().zip(a.chunks(RUN)).zip(b.chunks(RUN)).zip(c.chunks(RUN)) {
        let mut packed = [Unreduced::default(); 2];
        for ((&a, &b), &c) in a.iter().zip(b).zip(c).rev() {
            packed[0].horner(mul(a, b).to_bits(), 0);
            packed[1].horner(linear(a, b, c).to_bits(), 0);
        }
        let [of_products, of_linear] = packed.map(|packed| multiply_unreduced(weight, packed.reduce()));
        products.add(of_products);
        sum.add(of_linear);
    }
    (products.reduce(), sum.reduce())
}

/// The sums of [`Kernel::weigh_prover`](super::Kernel::weigh_prover). For the verifier, the sum of bits is
/// zero.
pub(super) fn weigh<const PROVER: bool>(c: &[Gf128], a: &[Gf128]) -> [Gf128; 2] {
    let (mut sum, mut values) = (Unreduced::default(), Unreduced::default());
    for (&c, run) in c.iter().zip(a.chunks(RUN)) {
        let (mut packed, mut bits) = (Unreduced::default(), 0);
        for a in run.iter().rev() {
            packed.horner(a.to_bits(), 0);
            bits = bits << 1 | (a.to_bits() & 1);
        }
        sum.add(multiply_unreduced(c, packed.reduce()));
        if PROVER {
            values.add(multiply_unreduced(c, Gf128::from_bits(bits)));
        }
    }
    [sum.reduce(), values.reduce()]
}

/// Writes column `j` of 128 rows of `stride` bytes to `out[j]`; see
/// [`Kernel::transpose`](super::Kernel::transpose).
pub(super) fn transpose(rows: &[u8], stride: usize, out: &mut [Gf128]) {
    for (block, out) in out.chunks_mut(128).enumerate() {
        let mut square = [0; 128];
        for (word, row) in square.iter_mut().zip(rows.chunks(stride.max(1))) {
            let mut bytes = [0; 16];
            bytes.iter_mut().zip(row.iter().skip(16 * block)).for_each(|(to, from)| *to = *from);
            *word = u128::from_le_bytes(bytes);
        }
        transpose_square(&mut square);
        out.iter_mut().zip(square).for_each(|(out, word)| *out = Gf128::from_bits(word));
    }
}

/// Transposes 128 by 128 bits: for each power of two, swaps the off-diagonal squares of that size.
fn transpose_square(rows: &mut [u128; 128]) {
    for size in (0..7).map(|log| 1 << log) {
        let mask = u128::MAX / ((1 << size) + 1);
        for top in (0..128).filter(|row| row & size == 0) {
            let swap = ((rows[top] >> size) ^ rows[top + size]) & mask;
            rows[top] ^= swap << size;
            rows[top + size] ^= swap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::Words;

    #[test]
    fn both_ways_to_multiply_words_agree() {
        let mut words = Words(7);
        let special = [0, 1, u64::MAX, 1 << 63, 0x1111_1111_1111_1111, 0x8888_8888_8888_8888];
        for i in 0..1000 {
            let mut word = || match words.word() {
                word if word % 3 == 0 => special[(word / 3 % 6) as usize],
                word => word,
            };
            let (a, b) = (word(), word());
            assert_eq!(multiply_short(a, b), multiply_long(a, b), "{i}: {a:x} {b:x}");
        }
    }
}
