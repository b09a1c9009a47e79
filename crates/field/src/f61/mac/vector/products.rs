//! Whole multiplications of a proof, for any multiplier: from the shares of two factors and of a random value
//! to the share of the product and the relation about it.
//!
//! P's shares are pairs of a value and a tag: `(x, m)`, `(y, n)` and the random `(r, t)`. Two products of
//! vectors and a few moves make everything:
//!
//! ```text
//! straight = (x y, m n)                     the product, and A_0
//! cross    = (x n, m y)                     A_1 = x n + m y - t
//! z        = (x y, t)                       the product's share once P has sent x y - r
//! ```

use super::lanes::{Lanes, Multiplier, Vector, reduce};
use crate::Ring;
use crate::f61::{F61, P};

/// What a vector of pairs gives.
struct Half<V> {
    /// The shares of the products.
    z: V,
    /// Even lanes: the masked products. Odd lanes: `A_1`.
    sent: V,
    /// Odd lanes: `A_0`.
    straight: V,
}

#[inline(always)]
fn half<const N: usize, M: Multiplier<N>>(m: M, [x, y, random]: [&[F61; N]; 3]) -> Half<Vector<N, M>> {
    let s = m.lanes();
    let (zero, random) = (s.splat(0), s.load(random));
    let (x, y) = (m.factor(s.load(x)), m.factor(s.load(y)));
    let (straight, cross) = (m.multiply_add(zero, x, y), m.multiply_add(zero, x, m.swap(y)));
    let cross = s.add(cross, s.swap(cross));
    // p - r stands for -r, so this is below 3 p.
    let sent = s.add(s.merge(straight, cross), s.sub(s.splat(P), random));
    Half { z: s.merge(straight, random), sent: reduce(s, sent), straight }
}

/// [`Mac::multiply_prover`](crate::Mac::multiply_prover): pairs of `x`, `y` and the random values to pairs of
/// the products, masked products, `A_0` and `A_1`. The slices' lengths agree.
#[inline(always)]
pub(super) fn multiply_prover<const N: usize, M: Multiplier<N>>(
    m: M,
    operands: [&[F61]; 3],
    [z, masked, a_0, a_1]: [&mut [F61]; 4],
) {
    let s = m.lanes();
    // Two vectors of pairs for each vector of elements.
    let [x, y, random] = operands.map(|pairs| pairs.as_chunks::<N>().0.as_chunks::<2>().0);
    let z = z.as_chunks_mut::<N>().0.as_chunks_mut::<2>().0;
    let [masked, a_0, a_1] = [masked, a_0, a_1].map(|elements| elements.as_chunks_mut::<N>().0);
    let operands = x.iter().zip(y).zip(random);
    let out = z.iter_mut().zip(masked).zip(a_0.iter_mut().zip(a_1));
    for (((x, y), random), ((z, masked), (a_0, a_1))) in operands.zip(out) {
        let low = half(m, [&x[0], &y[0], &random[0]]);
        let high = half(m, [&x[1], &y[1], &random[1]]);
        s.store(low.z, &mut z[0]);
        s.store(high.z, &mut z[1]);
        s.store(s.evens(low.sent, high.sent), masked);
        s.store(s.odds(low.straight, high.straight), a_0);
        s.store(s.odds(low.sent, high.sent), a_1);
    }
}

/// [`Mac::multiply_verifier`](crate::Mac::multiply_verifier): keys of `x`, `y` and the random values, and the
/// masked products, to keys of the products and the relations' values. The slices' lengths agree.
#[inline(always)]
pub(super) fn multiply_verifier<const N: usize, M: Multiplier<N>>(
    m: M,
    operands: [&[F61]; 4],
    delta: F61,
    [z, values]: [&mut [F61]; 2],
) {
    let s = m.lanes();
    let minus_delta = m.factor(s.splat((F61::ZERO - delta).to_u64()));
    let delta = m.factor(s.splat(delta.to_u64()));
    let [x, y, random, masked] = operands.map(|elements| elements.as_chunks::<N>().0);
    let [z, values] = [z, values].map(|elements| elements.as_chunks_mut::<N>().0);
    let operands = x.iter().zip(y).zip(random.iter().zip(masked));
    for (((x, y), (random, masked)), (z, value)) in operands.zip(z.iter_mut().zip(values)) {
        let key = m.multiply_add(s.load(random), m.factor(s.load(masked)), delta);
        let product = m.multiply_add(s.splat(0), m.factor(s.load(x)), m.factor(s.load(y)));
        s.store(key, z);
        s.store(m.multiply_add(product, m.factor(key), minus_delta), value);
    }
}
