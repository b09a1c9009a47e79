//! Elements multiplied in limbs: `a = a0 + a1 2^52`, with `a1` below `2^9`. The multiplier ignores all but
//! the low 52 bits, so `a` itself serves as `a0`.
//!
//! ```text
//! a b = a0 b0 + (a0 b1 + a1 b0) 2^52 + a1 b1 2^104          2^104 = 2^43,   m 2^52 = (m >> 9) + (m mod 2^9) 2^52
//! ```
//!
//! The low and the high 52 bits of the four products are summed separately (`a1 b1` has no high ones). This
//! makes seven sums, in which instructions do not wait for each other, and each of which holds `2^12`
//! products in less than `2^64`. They are joined lane by lane, since a sum of a few hundred products is what
//! is asked for most.

use super::lanes::{Halved, Lanes, Madd52, Multiplier, Vector, loose, reduce};
use crate::f61::{F61, P};

/// Multiplication on lanes with products of 52 by 52 bits.
#[derive(Clone, Copy)]
pub(super) struct Limbs<L>(pub(super) L);

/// A sum: the seven parts of the products since the last fold, and the sum of all folded ones. One part
/// counts ones, three count `2^52`, three `2^104`.
#[derive(Clone, Copy)]
pub(super) struct Sum<V> {
    parts: [V; 7],
    folded: Halved<V>,
}

/// `a + b + c` up to a multiple of `p`: below `2^61 + 8`.
#[inline(always)]
fn three<const N: usize, L: Lanes<N>>(s: L, [a, b, c]: [L::V; 3]) -> L::V {
    loose(s, s.add(s.add(loose(s, a), loose(s, b)), loose(s, c)))
}

impl<const N: usize, L: Madd52<N>> Multiplier<N> for Limbs<L> {
    const GROUP: usize = 1 << 12;
    type Lanes = L;
    type Factor = [L::V; 2];
    type Sum = Sum<L::V>;

    #[inline(always)]
    fn lanes(self) -> L {
        self.0
    }

    #[inline(always)]
    fn factor(self, v: Vector<N, Self>) -> Self::Factor {
        [v, self.0.shift_right::<52>(v)]
    }

    #[inline(always)]
    fn swap(self, [a0, a1]: Self::Factor) -> Self::Factor {
        [self.0.swap(a0), self.0.swap(a1)]
    }

    #[inline(always)]
    fn zero(self) -> Self::Sum {
        Sum { parts: [self.0.splat(0); 7], folded: Halved::zero(self.0) }
    }

    #[inline(always)]
    fn add_product(self, sum: &mut Self::Sum, [a0, a1]: Self::Factor, [b0, b1]: Self::Factor) {
        let s = self.0;
        let [low, mid_0, mid_1, mid_2, high_0, high_1, high_2] = sum.parts;
        sum.parts = [
            s.madd52_low(low, a0, b0),
            s.madd52_high(mid_0, a0, b0),
            s.madd52_low(mid_1, a0, b1),
            s.madd52_low(mid_2, a1, b0),
            s.madd52_high(high_0, a0, b1),
            s.madd52_high(high_1, a1, b0),
            s.madd52_low(high_2, a1, b1),
        ];
    }

    #[inline(always)]
    fn fold(self, sum: &mut Self::Sum) {
        let s = self.0;
        let [low, mid_0, mid_1, mid_2, high_0, high_1, high_2] = sum.parts;
        let (mid, high) = (three(s, [mid_0, mid_1, mid_2]), three(s, [high_0, high_1, high_2]));
        // The masks leave the 9 and the 18 low bits. The total is below 3 * 2^61 + 2^53.
        let mid = s.add(s.shift_right::<9>(mid), s.and(s.shift_left::<52>(mid), s.splat(P)));
        let high = s.add(s.shift_right::<18>(high), s.and(s.shift_left::<43>(high), s.splat(P)));
        sum.folded.add(s, s.add(loose(s, low), s.add(mid, high)));
        sum.parts = [s.splat(0); 7];
    }

    #[inline(always)]
    fn totals(self, sum: Self::Sum) -> [F61; 2] {
        sum.folded.totals(self.0).map(F61::from_u128)
    }

    #[inline(always)]
    fn multiply_add(
        self,
        sum: Vector<N, Self>,
        [a0, a1]: Self::Factor,
        [b0, b1]: Self::Factor,
    ) -> Vector<N, Self> {
        let (s, zero) = (self.0, self.0.splat(0));
        // Below 2^61 + 2^52, 3 * 2^52 and, since (2^9 - 1)^2 + 2 (2^9 - 1) = 2^18 - 1, 2^18.
        let low = s.madd52_low(sum, a0, b0);
        let mid = s.madd52_high(s.madd52_low(s.madd52_low(zero, a0, b1), a1, b0), a0, b0);
        let high = s.madd52_high(s.madd52_high(s.madd52_low(zero, a1, b1), a0, b1), a1, b0);
        // The mask leaves bits 52 to 60: the 9 low bits of `mid`. The total is below 3 * 2^61 + 2^53.
        let upper = s.add(s.shift_right::<9>(mid), s.and(s.shift_left::<52>(mid), s.splat(P)));
        reduce(s, s.add(s.add(low, upper), s.shift_left::<43>(high)))
    }
}
