//! Arithmetic modulo a prime `p` of at most 256 bits on four limbs of 64 bits, lowest first, without a
//! branch.
//!
//! Everything is in Montgomery form with `R = 2^256`; see Koc, Acar and Kaliski, "Analyzing and Comparing
//! Montgomery Multiplication Algorithms" (1996): [`mul`] is their method CIOS, [`Unreduced`] their SOS with
//! sums taken before the reduction.
//!
//! Carries are `u64` or `bool` and turn into masks. Nothing here compares limbs of elements.

use crypto_bigint::{U256, Word};

use super::modulus::Modulus;

/// An integer below `2^256`.
pub(super) type Limbs = [u64; 4];

/// `t + a * b + carry` as low and high word; the largest operands give `2^128 - 1`.
#[inline(always)]
const fn multiply_add(t: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = t as u128 + a as u128 * b as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// `a + b + carry` and the carry out.
#[inline(always)]
const fn add_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}

/// `a - b - borrow` and the borrow out.
#[inline(always)]
const fn sub_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow as u64);
    (difference, first | second)
}

/// `a - b` modulo `2^256`, and whether `a < b`.
#[inline(always)]
const fn subtract(a: Limbs, b: Limbs) -> (Limbs, bool) {
    let (d0, borrow) = sub_borrow(a[0], b[0], false);
    let (d1, borrow) = sub_borrow(a[1], b[1], borrow);
    let (d2, borrow) = sub_borrow(a[2], b[2], borrow);
    let (d3, borrow) = sub_borrow(a[3], b[3], borrow);
    ([d0, d1, d2, d3], borrow)
}

/// `a + p` modulo `2^256` if `condition`, else `a`.
#[inline(always)]
const fn add_modulus_if<P: Modulus>(a: Limbs, condition: bool) -> Limbs {
    let mask = (condition as u64).wrapping_neg();
    let (s0, carry) = add_carry(a[0], P::PRIME[0] & mask, false);
    let (s1, carry) = add_carry(a[1], P::PRIME[1] & mask, carry);
    let (s2, carry) = add_carry(a[2], P::PRIME[2] & mask, carry);
    let (s3, _) = add_carry(a[3], P::PRIME[3] & mask, carry);
    [s0, s1, s2, s3]
}

/// `a + top * 2^256 mod p` for a number below `2 p`.
#[inline(always)]
const fn reduce_once<P: Modulus>(a: Limbs, top: bool) -> Limbs {
    let (difference, borrow) = subtract(a, P::PRIME);
    // The top bit pays for the borrow.
    add_modulus_if::<P>(difference, borrow & !top)
}

/// `a - b mod p` for `a` and `b` from 0 to `p` inclusive. The result is below `p` unless `a = p` and `b = 0`.
#[inline(always)]
pub(super) const fn sub<P: Modulus>(a: Limbs, b: Limbs) -> Limbs {
    let (difference, borrow) = subtract(a, b);
    add_modulus_if::<P>(difference, borrow)
}

/// `a + b mod p` for `a` and `b` below `p`.
#[inline(always)]
pub(super) const fn add<P: Modulus>(a: Limbs, b: Limbs) -> Limbs {
    // Computed as a - (p - b), which never exceeds 256 bits, however large the modulus is.
    let (negated, _) = subtract(P::PRIME, b);
    sub::<P>(a, negated)
}

/// `a * b / 2^256 mod p` for any `a` and for `b` below `p`.
#[inline(always)]
pub(super) const fn mul<P: Modulus>(a: Limbs, b: Limbs) -> Limbs {
    let p = P::PRIME;
    let (mut t, mut top) = ([0; 4], 0);
    let mut i = 0;
    while i < 4 {
        // t + a_i * b + quotient * p is a multiple of 2^64. After the division by 2^64 it is still below
        // 2^256 + p - 1, since t is at most that, a_i and the quotient are at most 2^64 - 1, and b is at most
        // p - 1.
        let (low, mut carry) = multiply_add(t[0], a[i], b[0], 0);
        let quotient = low.wrapping_mul(P::NEGATED_INVERSE);
        let (_, mut reduction) = multiply_add(low, quotient, p[0], 0);
        let mut j = 1;
        while j < 4 {
            let sum;
            (sum, carry) = multiply_add(t[j], a[i], b[j], carry);
            (t[j - 1], reduction) = multiply_add(sum, quotient, p[j], reduction);
            j += 1;
        }
        let highest = carry as u128 + reduction as u128 + top as u128;
        t[3] = highest as u64;
        top = (highest >> 64) as u64;
        i += 1;
    }
    reduce_once::<P>(t, top != 0)
}

/// `first + sum of the others mod p` for ten others, all below `p`, with a single reduction.
#[inline(always)]
pub(super) fn add_ten<P: Modulus>(first: Limbs, others: [&Limbs; 10]) -> Limbs {
    // Carries into 2^256.
    let (mut sum, mut top) = (first, 0_u64);
    for other in others {
        let mut carry = false;
        for (sum, other) in sum.iter_mut().zip(other) {
            (*sum, carry) = add_carry(*sum, *other, carry);
        }
        top += u64::from(carry);
    }
    // The sum is below 11 p. Its bits from 2^224 on over floor(p / 2^224) + 1 are no more than the quotient
    // by p, and less by 1 + 12 / 2^28 at most, since p is above 2^252. So what is left is below 2 p.
    let upper = (top << 32) | (sum[3] >> 32);
    let quotient = ((u128::from(upper) * u128::from(P::RECIPROCAL)) >> 64) as u64;
    let (mut borrow, mut carry) = (false, 0);
    for (sum, p) in sum.iter_mut().zip(P::PRIME) {
        let part;
        (part, carry) = multiply_add(0, quotient, p, carry);
        (*sum, borrow) = sub_borrow(*sum, part, borrow);
    }
    let top = top.wrapping_sub(carry).wrapping_sub(u64::from(borrow));
    reduce_once::<P>(sum, top != 0)
}

/// Whether the integer `a` is below `b`.
#[inline(always)]
pub(super) const fn is_below(a: Limbs, b: Limbs) -> bool {
    subtract(a, b).1
}

/// A sum of products of two elements, not reduced. It is below `2^576`, so up to `2^64` products of any
/// elements fit.
#[derive(Clone, Copy)]
pub(super) struct Unreduced([u64; 9]);

impl Unreduced {
    /// The empty sum.
    pub(super) const ZERO: Self = Self([0; 9]);

    /// Adds `a * b`.
    #[inline(always)]
    pub(super) fn add_product(&mut self, a: Limbs, b: Limbs) {
        let mut product = [0; 8];
        for i in 0..4 {
            let mut carry = 0;
            for j in 0..4 {
                (product[i + j], carry) = multiply_add(product[i + j], a[i], b[j], carry);
            }
            product[i + 4] = carry;
        }
        let mut carry = false;
        for (sum, term) in self.0.iter_mut().zip(product) {
            (*sum, carry) = add_carry(*sum, term, carry);
        }
        // The number of products is public and below 2^64.
        self.0[8] = self.0[8].wrapping_add(u64::from(carry));
    }

    /// `sum of columns[k] * 2^(52 k)`, if that is below `2^576`.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn from_columns(columns: &[u64; 11]) -> Self {
        let mut parts = [0_u128; 10];
        for (k, column) in columns.iter().enumerate() {
            let part = u128::from(*column) << (52 * k % 64);
            parts[52 * k / 64] += u128::from(part as u64);
            parts[52 * k / 64 + 1] += part >> 64;
        }
        let (mut sum, mut carry) = ([0; 9], 0);
        for (limb, part) in sum.iter_mut().zip(parts) {
            carry += part;
            *limb = carry as u64;
            carry >>= 64;
        }
        Self(sum)
    }

    /// The sum divided by `2^256`, modulo `p`. If the factors are in Montgomery form, so is the result.
    #[inline(always)]
    pub(super) fn reduce<P: Modulus>(self) -> Limbs {
        let [a, b, c, d, e, f, g, h, top] = self.0;
        // low + high * R + top * R^2, divided by R.
        let low = mul::<P>([a, b, c, d], [1, 0, 0, 0]);
        let high = mul::<P>([e, f, g, h], P::R);
        let top = mul::<P>([top, 0, 0, 0], P::R2);
        add::<P>(add::<P>(low, high), top)
    }

    /// [`Unreduced::reduce`] for a sum of at most two products of reduced elements, whose high part is below
    /// `2 p`.
    #[inline(always)]
    pub(super) fn reduce_two<P: Modulus>(self) -> Limbs {
        let [a, b, c, d, e, f, g, h, top] = self.0;
        let low = mul::<P>([a, b, c, d], [1, 0, 0, 0]);
        add::<P>(low, reduce_once::<P>([e, f, g, h], top != 0))
    }
}

/// The 32 bytes of an integer, little-endian.
pub(super) const fn bytes(integer: Limbs) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut i = 0;
    while i < 32 {
        bytes[i] = (integer[i / 8] >> (8 * (i % 8))) as u8;
        i += 1;
    }
    bytes
}

/// The number of zero bits above the highest set bit, in an integer of at least 193 bits.
pub(super) const fn leading_zeros(integer: Limbs) -> u32 {
    integer[3].leading_zeros()
}

/// From the library's integer, whose words have the machine's size.
pub(super) const fn from_library(integer: &U256) -> Limbs {
    let (words, mut limbs, mut i) = (integer.as_words(), [0; 4], 0);
    while i < words.len() {
        let bit = i * Word::BITS as usize;
        limbs[bit / 64] |= ((words[i] as u128) << (bit % 64)) as u64;
        i += 1;
    }
    limbs
}

/// To the library's integer.
pub(super) const fn to_library(limbs: Limbs) -> U256 {
    U256::from_le_slice(&bytes(limbs))
}
