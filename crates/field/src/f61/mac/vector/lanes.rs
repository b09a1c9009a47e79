//! The operations of an instruction set, and of multiplying elements with it.

use crate::f61::{F61, P};

/// An available instruction set with vectors of `N` lanes of 64 bits. All operations work lane by lane.
pub(super) trait Lanes<const N: usize>: Copy {
    /// `N` lanes.
    type V: Copy;

    fn load(self, from: &[F61; N]) -> Self::V;
    /// The lanes, each below the modulus.
    fn store(self, v: Self::V, to: &mut [F61; N]);
    /// The lanes as words.
    fn words(self, v: Self::V) -> [u64; N];
    /// `word` in every lane.
    fn splat(self, word: u64) -> Self::V;
    /// Modulo `2^64`.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// Modulo `2^64`.
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn and(self, a: Self::V, b: Self::V) -> Self::V;
    fn shift_left<const BITS: u32>(self, v: Self::V) -> Self::V;
    fn shift_right<const BITS: u32>(self, v: Self::V) -> Self::V;
    /// `b` if its top bit is clear, `a` otherwise. (For `b = a - p` and `a` below `2^63`: the lesser of the
    /// two unsigned numbers.)
    fn lesser(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lanes `2i` and `2i + 1` exchanged.
    fn swap(self, v: Self::V) -> Self::V;
    /// The lower `N / 2` lanes, each twice: `0 0 1 1 ...`.
    fn spread_low(self, v: Self::V) -> Self::V;
    /// The upper `N / 2` lanes, each twice.
    fn spread_high(self, v: Self::V) -> Self::V;
    /// The lanes as words in little-endian order.
    fn load_words(self, from: &[[u8; 8]; N]) -> Self::V;
    /// Writes them so.
    fn store_words(self, v: Self::V, to: &mut [[u8; 8]; N]);
    fn or(self, a: Self::V, b: Self::V) -> Self::V;
    /// Each lane by a number of bits of its own; zero from 64 on.
    fn shift_left_each(self, v: Self::V, bits: Self::V) -> Self::V;
    /// Each lane by a number of bits of its own; zero from 64 on.
    fn shift_right_each(self, v: Self::V, bits: Self::V) -> Self::V;
    /// The even lanes of `a`, then those of `b`.
    fn evens(self, a: Self::V, b: Self::V) -> Self::V;
    /// The odd lanes of `a`, then those of `b`.
    fn odds(self, a: Self::V, b: Self::V) -> Self::V;
    /// The even lanes of `even` and the odd lanes of `odd`, where they are.
    fn merge(self, even: Self::V, odd: Self::V) -> Self::V;
}

/// Lanes with a multiplier of 32 by 32 bits.
pub(super) trait Mul32<const N: usize>: Lanes<N> {
    /// The product of the low 32 bits of both.
    fn mul32(self, a: Self::V, b: Self::V) -> Self::V;
}

/// Lanes with a multiplier of 52 by 52 bits.
pub(super) trait Madd52<const N: usize>: Lanes<N> {
    /// `sum` plus bits 0 to 51 of the product of the low 52 bits of `a` and `b`, modulo `2^64`.
    fn madd52_low(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// `sum` plus bits 52 to 103 of it.
    fn madd52_high(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V;
}

/// Elements multiplied on lanes.
pub(super) trait Multiplier<const N: usize>: Copy {
    /// Products that may be added to a sum before it is folded.
    const GROUP: usize;
    type Lanes: Lanes<N>;
    /// An element prepared for multiplication.
    type Factor: Copy;
    /// A sum of products in every lane.
    type Sum: Copy;

    fn lanes(self) -> Self::Lanes;
    /// Prepares elements.
    fn factor(self, v: Vector<N, Self>) -> Self::Factor;
    /// The same elements, neighbours exchanged.
    fn swap(self, a: Self::Factor) -> Self::Factor;
    fn zero(self) -> Self::Sum;
    /// Adds `a * b`.
    fn add_product(self, sum: &mut Self::Sum, a: Self::Factor, b: Self::Factor);
    /// Makes room for another [`Multiplier::GROUP`] products. A sum takes at most 2^32 products in all.
    fn fold(self, sum: &mut Self::Sum);
    /// The sums of the even lanes and of the odd lanes. All products must have been folded.
    fn totals(self, sum: Self::Sum) -> [F61; 2];
    /// `sum + a * b`; `sum` and the result are below the modulus.
    fn multiply_add(self, sum: Vector<N, Self>, a: Self::Factor, b: Self::Factor) -> Vector<N, Self>;
}

/// A vector of a multiplier's lanes.
pub(super) type Vector<const N: usize, M> = <<M as Multiplier<N>>::Lanes as Lanes<N>>::V;

/// `n mod p`, for any `n`.
#[inline(always)]
pub(super) fn reduce<const N: usize, L: Lanes<N>>(s: L, n: L::V) -> L::V {
    let n = loose(s, n);
    s.lesser(n, s.sub(n, s.splat(P)))
}

/// `n mod p` up to a multiple of `p`: below `2^61 + 8`.
#[inline(always)]
pub(super) fn loose<const N: usize, L: Lanes<N>>(s: L, n: L::V) -> L::V {
    s.add(s.and(n, s.splat(P)), s.shift_right::<61>(n))
}

/// A sum of words in every lane, kept as sums of their halves.
#[derive(Clone, Copy)]
pub(super) struct Halved<V>([V; 2]);

impl<V: Copy> Halved<V> {
    #[inline(always)]
    pub(super) fn zero<const N: usize>(s: impl Lanes<N, V = V>) -> Self {
        Self([s.splat(0); 2])
    }

    /// Adds `n`; at most `2^32` times.
    #[inline(always)]
    pub(super) fn add<const N: usize>(&mut self, s: impl Lanes<N, V = V>, n: V) {
        let [low, high] = &mut self.0;
        *low = s.add(*low, s.and(n, s.splat(u32::MAX.into())));
        *high = s.add(*high, s.shift_right::<32>(n));
    }

    /// The sums of the even lanes and of the odd lanes, each below `2^100`.
    #[inline(always)]
    pub(super) fn totals<const N: usize>(self, s: impl Lanes<N, V = V>) -> [u128; 2] {
        // No closures: one that is not inlined would be compiled without the instruction set.
        let (low, high) = (s.words(self.0[0]), s.words(self.0[1]));
        let mut totals = [0; 2];
        for (i, (low, high)) in low.iter().zip(&high).enumerate() {
            totals[i % 2] += u128::from(*low) + (u128::from(*high) << 32);
        }
        totals
    }
}
