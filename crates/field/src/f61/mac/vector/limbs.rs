//! Elements multiplied in limbs: `a = a0 + a1 2^52`, with `a1` below `2^9`. The multiplier ignores all but
//! the low 52 bits, so `a` itself serves as `a0`.
//!
//! ```text
//! a b = a0 b0 + (a0 b1 + a1 b0) 2^52 + a1 b1 2^104          2^104 = 2^43,   m 2^52 = (m >> 9) + (m mod 2^9) 2^52
//! ```
//!
//! The low and the high 52 bits of the four products are summed separately (`a1 b1` has no high ones). This
//! makes seven sums, in which instructions do not wait for each other, and each of which holds `2^12`
//! products in less than `2^64`.

use super::lanes::{Halved, Madd52, Multiplier, Vector, reduce};
use crate::f61::{F61, P};

/// Multiplication on lanes with products of 52 by 52 bits.
#[derive(Clone, Copy)]
pub(super) struct Limbs<L>(pub(super) L);

/// A sum: the seven parts of the products since the last fold, and the sum of all folded ones. One part
/// counts ones, three count `2^52`, three `2^104`.
#[derive(Clone, Copy)]
pub(super) struct Sum<V> {
    parts: [V; 7],
    folded: [Halved<V>; 7],
}

/// `low + mid 2^52 + high 2^104` up to a multiple of `p`.
fn join(low: u128, mid: u128, high: u128) -> F61 {
    let power = |bits: u32| F61::new(1 << bits);
    F61::from_u128(low) + F61::from_u128(mid) * power(52) + F61::from_u128(high) * power(43)
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
        Sum { parts: [self.0.splat(0); 7], folded: [Halved::zero(self.0); 7] }
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
        for (folded, part) in sum.folded.iter_mut().zip(&mut sum.parts) {
            folded.add(s, *part);
            *part = s.splat(0);
        }
    }

    #[inline(always)]
    fn totals(self, sum: Self::Sum) -> [F61; 2] {
        let parts = sum.folded.map(|part| part.totals(self.0));
        [0, 1].map(|odd| {
            // Each is below 2^100, so three of them are far below 2^128.
            let [low, mid_0, mid_1, mid_2, high_0, high_1, high_2] = parts.map(|part| part[odd]);
            join(low, mid_0 + mid_1 + mid_2, high_0 + high_1 + high_2)
        })
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
