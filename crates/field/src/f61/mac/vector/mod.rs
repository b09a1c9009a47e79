//! Vector code for sums of products over `F_{2^61-1}`, and for multiples added to vectors.
//!
//! ```text
//! Lanes          an instruction set at hand: N lanes of 64 bits, one instruction (or a few) a method
//!   Mul32          ... with products of 32 by 32 bits      Madd52   ... with sums of halves of products of 52 by 52
//! Multiplier     elements multiplied with it: `halves` out of Mul32, `limbs` out of Madd52
//! sums           the algorithms, on any multiplier
//! dispatch       which of them this CPU gets: `x86_avx2` (4 lanes, halves), `x86_ifma` (8 lanes, limbs), or `none`
//! ```
//!
//! An element is a word below `p = 2^61 - 1`; vectors of elements of two words (authenticated values, the quadratic extension)
//! are read as words, too: in even lanes the first of each, in odd lanes the second.
//!
//! # What was tested where
//!
//! Everything above the instruction sets is tested on any machine, on lanes that plain Rust emulates after Intel's definition of each
//! instruction (`emulated`), with 4 lanes and 8, by halves and by limbs, against the formulas. `x86_avx2` is tested against the
//! formulas wherever there is AVX2. `x86_ifma` was written on a machine that has no AVX-512: **it has been compiled, but not run, by
//! its authors**. It names one instruction a method and holds no arithmetic of its own, so that it can be read against the manual; and
//! where a CPU has AVX-512 IFMA, a test compares each method with its emulation and each kernel with its formula.
//!
//! # What it is worth
//!
//! AVX2 has only products of 32 by 32 bits, four of which make one of 61 by 61; but there are four lanes, two multiplications a
//! cycle, and no carries between words, so that it does more than the scalar code's one multiplication a cycle. Measured on one core
//! of an AMD Zen 3 (least of some hundred runs, other work on the machine), in nanoseconds for each of 4096 elements or pairs:
//!
//! | | scalar | AVX2 |
//! |---|---|---|
//! | inner product | 0.77 | 0.38 |
//! | products of pairs | 2.5 | 1.5 |
//! | combination of pairs | 1.7 | 0.9 |
//! | multiple added | 2.3 | 0.8 |
//! | multiple of pairs added | 4.9 | 1.9 |

#[cfg(target_arch = "x86_64")]
mod dispatch;
#[cfg(test)]
mod emulated;
mod halves;
mod limbs;
#[cfg(not(target_arch = "x86_64"))]
mod none;
mod sums;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86_avx2;
#[cfg(target_arch = "x86_64")]
mod x86_ifma;
#[cfg(target_arch = "x86_64")]
mod x86_leaves;

use crate::f61::{F61, P};

/// An instruction set at hand, with vectors of `N` lanes of 64 bits. All operations work lane by lane.
trait Lanes<const N: usize>: Copy {
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
    /// `b` if its top bit is clear, `a` otherwise. (For `b = a - p` and `a` below `2^63`: the lesser of the two unsigned numbers.)
    fn lesser(self, a: Self::V, b: Self::V) -> Self::V;
    /// Lanes `2i` and `2i + 1` exchanged.
    fn swap(self, v: Self::V) -> Self::V;
    /// The lower `N / 2` lanes, each twice: `0 0 1 1 ...`.
    fn spread_low(self, v: Self::V) -> Self::V;
    /// The upper `N / 2` lanes, each twice.
    fn spread_high(self, v: Self::V) -> Self::V;
}

/// Lanes with a multiplier of 32 by 32 bits.
trait Mul32<const N: usize>: Lanes<N> {
    /// The product of the low 32 bits of both.
    fn mul32(self, a: Self::V, b: Self::V) -> Self::V;
}

/// Lanes with a multiplier of 52 by 52 bits.
trait Madd52<const N: usize>: Lanes<N> {
    /// `sum` plus bits 0 to 51 of the product of the low 52 bits of `a` and `b`, modulo `2^64`.
    fn madd52_low(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V;
    /// `sum` plus bits 52 to 103 of it.
    fn madd52_high(self, sum: Self::V, a: Self::V, b: Self::V) -> Self::V;
}

/// Elements multiplied on lanes.
trait Multiplier<const N: usize>: Copy {
    /// Products that may be added to a sum before it is folded.
    const GROUP: usize;
    type Lanes: Lanes<N>;
    /// An element, prepared to be multiplied.
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
    /// Makes room for another [`Multiplier::GROUP`] products; so many times at most that 2^32 products are added in all.
    fn fold(self, sum: &mut Self::Sum);
    /// The sums of the even lanes and of the odd ones. Nothing was added after the last fold.
    fn totals(self, sum: Self::Sum) -> [F61; 2];
    /// `sum + a * b`; `sum` and the result are below the modulus.
    fn multiply_add(self, sum: Vector<N, Self>, a: Self::Factor, b: Self::Factor) -> Vector<N, Self>;
}

/// A vector of a multiplier's lanes.
type Vector<const N: usize, M> = <<M as Multiplier<N>>::Lanes as Lanes<N>>::V;

/// `n mod p`, for `n` below `2^63`.
#[inline(always)]
fn reduce<const N: usize, L: Lanes<N>>(s: L, n: L::V) -> L::V {
    let n = loose(s, n);
    s.lesser(n, s.sub(n, s.splat(P)))
}

/// `n mod p` up to a multiple of `p`: below `2^61 + 8`.
#[inline(always)]
fn loose<const N: usize, L: Lanes<N>>(s: L, n: L::V) -> L::V {
    s.add(s.and(n, s.splat(P)), s.shift_right::<61>(n))
}

/// A sum of words in every lane, kept as sums of their halves.
#[derive(Clone, Copy)]
struct Halved<V>([V; 2]);

impl<V: Copy> Halved<V> {
    #[inline(always)]
    fn zero<const N: usize>(s: impl Lanes<N, V = V>) -> Self {
        Self([s.splat(0); 2])
    }

    /// Adds `n`; at most `2^32` times.
    #[inline(always)]
    fn add<const N: usize>(&mut self, s: impl Lanes<N, V = V>, n: V) {
        let [low, high] = &mut self.0;
        *low = s.add(*low, s.and(n, s.splat(u32::MAX.into())));
        *high = s.add(*high, s.shift_right::<32>(n));
    }

    /// The sums of the even lanes and of the odd ones, each below `2^100`.
    #[inline(always)]
    fn totals<const N: usize>(self, s: impl Lanes<N, V = V>) -> [u128; 2] {
        let [low, high] = self.0.map(|half| s.words(half));
        let total = |odd: usize| {
            let lanes = low.iter().zip(&high).skip(odd).step_by(2);
            lanes.map(|(low, high)| u128::from(*low) + (u128::from(*high) << 32)).sum()
        };
        [total(0), total(1)]
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) use dispatch::Vectors;
#[cfg(not(target_arch = "x86_64"))]
pub(super) use none::Vectors;
