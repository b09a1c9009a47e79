//! Elements multiplied in halves: `a = a0 + a1 2^31`, with `a0` below `2^31` and `a1` below `2^30`.
//!
//! ```text
//! a b = a0 b0 + (a0 b1 + a1 b0) 2^31 + a1 b1 2^62          2^62 = 2,   m 2^31 = (m >> 30) + (m mod 2^30) 2^31
//!       < 2^62   < 2^62               < 2^60
//! ```
//!
//! The sum of four products fits in 64 bits: `4 (2^31 - 1)^2` and `8 (2^31 - 1) (2^30 - 1)` are below `2^64`,
//! and `4 (2^30 - 1)^2` is below `2^62`. Their sum, folded, is below `(2^61 + 8) + (2^61 + 2^34) + 2^63`, and
//! so below `2^64`.

use super::lanes::{Halved, Lanes, Mul32, Multiplier, Vector, loose, reduce};
use crate::f61::{F61, P};

/// Multiplication on lanes with products of 32 by 32 bits.
#[derive(Clone, Copy)]
pub(super) struct Halves<L>(pub(super) L);

/// A sum: the three parts of the products since the last fold, and the sum of all folded ones.
#[derive(Clone, Copy)]
pub(super) struct Sum<V> {
    parts: [V; 3],
    folded: Halved<V>,
}

/// The parts of `a * b`.
#[inline(always)]
fn parts<const N: usize, L: Mul32<N>>(s: L, [a0, a1]: [L::V; 2], [b0, b1]: [L::V; 2]) -> [L::V; 3] {
    [s.mul32(a0, b0), s.add(s.mul32(a0, b1), s.mul32(a1, b0)), s.mul32(a1, b1)]
}

/// The value of the upper two parts, up to a multiple of `p`: below `2^61 + 2^34 + 2 high`.
#[inline(always)]
fn upper<const N: usize, L: Lanes<N>>(s: L, mid: L::V, high: L::V) -> L::V {
    // The mask leaves bits 31 to 60: the 30 low bits of `mid`.
    let low_bits = s.and(s.shift_left::<31>(mid), s.splat(P));
    s.add(s.add(s.shift_right::<30>(mid), low_bits), s.shift_left::<1>(high))
}

impl<const N: usize, L: Mul32<N>> Multiplier<N> for Halves<L> {
    const GROUP: usize = 4;
    type Lanes = L;
    type Factor = [L::V; 2];
    type Sum = Sum<L::V>;

    #[inline(always)]
    fn lanes(self) -> L {
        self.0
    }

    #[inline(always)]
    fn factor(self, v: Vector<N, Self>) -> Self::Factor {
        let s = self.0;
        [s.and(v, s.splat((1 << 31) - 1)), s.shift_right::<31>(v)]
    }

    #[inline(always)]
    fn swap(self, [a0, a1]: Self::Factor) -> Self::Factor {
        [self.0.swap(a0), self.0.swap(a1)]
    }

    #[inline(always)]
    fn zero(self) -> Self::Sum {
        Sum { parts: [self.0.splat(0); 3], folded: Halved::zero(self.0) }
    }

    #[inline(always)]
    fn add_product(self, sum: &mut Self::Sum, a: Self::Factor, b: Self::Factor) {
        let s = self.0;
        let [low, mid, high] = parts(s, a, b);
        let [low_sum, mid_sum, high_sum] = sum.parts;
        sum.parts = [s.add(low_sum, low), s.add(mid_sum, mid), s.add(high_sum, high)];
    }

    #[inline(always)]
    fn fold(self, sum: &mut Self::Sum) {
        let s = self.0;
        let [low, mid, high] = sum.parts;
        sum.folded.add(s, s.add(loose(s, low), upper(s, mid, high)));
        sum.parts = [s.splat(0); 3];
    }

    #[inline(always)]
    fn totals(self, sum: Self::Sum) -> [F61; 2] {
        sum.folded.totals(self.0).map(F61::from_u128)
    }

    #[inline(always)]
    fn multiply_add(self, sum: Vector<N, Self>, a: Self::Factor, b: Self::Factor) -> Vector<N, Self> {
        let s = self.0;
        let [low, mid, high] = parts(s, a, b);
        // 2^62 + (2^61 + 2^32) + 2^61 at most; folded once more and added to `sum`, it is below 2^62 + 8.
        let product = s.add(low, upper(s, mid, high));
        reduce(s, s.add(loose(s, product), sum))
    }
}
