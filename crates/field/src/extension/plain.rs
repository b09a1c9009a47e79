//! The kernels of [`Mac`], written as their formulas with one reduction for each operation. They are the
//! default for a pair of fields, and the reference for the tests of pairs with kernels of their own.

use super::{Authenticated, Element, Mac, Value, same};
use crate::LengthError;

/// [`Mac::inner_product`].
pub(crate) fn inner_product<F: Value, M: Mac<F>>(a: &[M], b: &[M]) -> Result<M, LengthError> {
    same(a.len(), &[b.len()])?;
    Ok(a.iter().zip(b).fold(M::ZERO, |sum, (a, b)| sum + *a * *b))
}

/// [`Mac::dot_prover`].
pub(crate) fn dot_prover<F: Value, M: Mac<F>>(
    x: &[Authenticated<F, M>],
    y: &[Authenticated<F, M>],
) -> Result<[M; 3], LengthError> {
    same(x.len(), &[y.len()])?;
    let mut sums = [M::ZERO; 3];
    for (x, y) in x.iter().zip(y) {
        sums[0] += x.m * y.m;
        sums[1] += y.m.scale(x.x) + x.m.scale(y.x);
        sums[2] += M::embed(x.x * y.x);
    }
    Ok(sums)
}

/// [`Mac::check_prover`].
pub(crate) fn check_prover<F: Value, M: Mac<F>>(
    a: &[Authenticated<F, M>],
    b: &[Authenticated<F, M>],
    c: &[Authenticated<F, M>],
    chi: &[M],
) -> Result<[M; 2], LengthError> {
    same(a.len(), &[b.len(), c.len(), chi.len()])?;
    let mut sums = [M::ZERO; 2];
    for (((a, b), c), chi) in a.iter().zip(b).zip(c).zip(chi) {
        sums[0] += *chi * a.m * b.m;
        sums[1] += *chi * (b.m.scale(a.x) + a.m.scale(b.x) - c.m);
    }
    Ok(sums)
}

/// [`Mac::check_verifier`].
pub(crate) fn check_verifier<F: Value, M: Mac<F>>(
    a: &[M],
    b: &[M],
    c: &[M],
    chi: &[M],
) -> Result<[M; 2], LengthError> {
    same(a.len(), &[b.len(), c.len(), chi.len()])?;
    let mut sums = [M::ZERO; 2];
    for (((a, b), c), chi) in a.iter().zip(b).zip(c).zip(chi) {
        sums[0] += *chi * *a * *b;
        sums[1] += *chi * *c;
    }
    Ok(sums)
}

/// [`Element::add_at`], for numbered elements.
pub(crate) fn add_at<'a, E: Element>(elements: impl Iterator<Item = (usize, &'a mut E)>, index: u32, x: E) {
    elements.for_each(|(i, element)| *element += x.masked(super::equal(i, index)));
}

/// [`Mac::add_prover`] and [`Mac::add_verifier`].
pub(crate) fn add<T: Copy + core::ops::AddAssign>(sums: &mut [T], x: &[T]) -> Result<(), LengthError> {
    same(sums.len(), &[x.len()])?;
    sums.iter_mut().zip(x).for_each(|(sum, x)| *sum += *x);
    Ok(())
}

/// [`Mac::multiply_prover`].
pub(crate) fn multiply_prover<F: Value, M: Mac<F>>(
    x: &[Authenticated<F, M>],
    y: &[Authenticated<F, M>],
    random: &[Authenticated<F, M>],
    z: &mut [Authenticated<F, M>],
    masked: &mut [F],
    [a_0, a_1]: [&mut [M]; 2],
) -> Result<(), LengthError> {
    same(x.len(), &[y.len(), random.len(), z.len(), masked.len(), a_0.len(), a_1.len()])?;
    let out = z.iter_mut().zip(masked).zip(a_0.iter_mut().zip(a_1));
    for (((x, y), random), ((z, masked), (a_0, a_1))) in x.iter().zip(y).zip(random).zip(out) {
        *z = Authenticated { x: x.x * y.x, m: random.m };
        *masked = z.x - random.x;
        *a_0 = x.m * y.m;
        *a_1 = y.m.scale(x.x) + x.m.scale(y.x) - z.m;
    }
    Ok(())
}

/// [`Mac::multiply_verifier`].
pub(crate) fn multiply_verifier<F: Value, M: Mac<F>>(
    [x, y, random]: [&[M]; 3],
    masked: &[F],
    delta: M,
    z: &mut [M],
    values: &mut [M],
) -> Result<(), LengthError> {
    same(x.len(), &[y.len(), random.len(), masked.len(), z.len(), values.len()])?;
    let operands = x.iter().zip(y).zip(random.iter().zip(masked));
    for (((x, y), (random, masked)), (z, value)) in operands.zip(z.iter_mut().zip(values)) {
        *z = *random + delta.scale(*masked);
        *value = *x * *y - *z * delta;
    }
    Ok(())
}

/// [`Mac::relate_prover`].
pub(crate) fn relate_prover<F: Value, M: Mac<F>>(
    x: &[Authenticated<F, M>],
    y: &[Authenticated<F, M>],
    z: &[Authenticated<F, M>],
    [a_0, a_1]: [&mut [M]; 2],
) -> Result<bool, LengthError> {
    same(x.len(), &[y.len(), z.len(), a_0.len(), a_1.len()])?;
    let mut hold = true;
    for (((x, y), z), (a_0, a_1)) in x.iter().zip(y).zip(z).zip(a_0.iter_mut().zip(a_1)) {
        *a_0 = x.m * y.m;
        *a_1 = y.m.scale(x.x) + x.m.scale(y.x) - z.m;
        hold &= x.x * y.x == z.x;
    }
    Ok(hold)
}

/// [`Mac::relate_verifier`].
pub(crate) fn relate_verifier<F: Value, M: Mac<F>>(
    [x, y, z]: [&[M]; 3],
    delta: M,
    values: &mut [M],
) -> Result<(), LengthError> {
    same(x.len(), &[y.len(), z.len(), values.len()])?;
    for (((x, y), z), value) in x.iter().zip(y).zip(z).zip(values) {
        *value = *x * *y - *z * delta;
    }
    Ok(())
}

/// [`Mac::combine_public`].
pub(crate) fn combine_public<F: Value, M: Mac<F>>(c: &[F], x: &[M]) -> Result<M, LengthError> {
    same(c.len(), &[x.len()])?;
    Ok(c.iter().zip(x).fold(M::ZERO, |sum, (c, x)| sum + x.scale(*c)))
}

/// [`Mac::combine_prover`].
pub(crate) fn combine_prover<F: Value, M: Mac<F>>(
    x: &[Authenticated<F, M>],
    r: &[M],
) -> Result<[M; 2], LengthError> {
    same(x.len(), &[r.len()])?;
    Ok(x.iter().zip(r).fold([M::ZERO; 2], |[m, v], (x, r)| [m + *r * x.m, v + r.scale(x.x)]))
}

/// [`Mac::accumulate_prover`].
pub(crate) fn accumulate_prover<F: Value, M: Mac<F>>(
    sums: &mut [[M; 2]],
    x: &[Authenticated<F, M>],
    r: M,
) -> Result<(), LengthError> {
    same(sums.len(), &[x.len()])?;
    for ([m, v], x) in sums.iter_mut().zip(x) {
        *m += r * x.m;
        *v += r.scale(x.x);
    }
    Ok(())
}

/// [`Mac::accumulate_verifier`].
pub(crate) fn accumulate_verifier<F: Value, M: Mac<F>>(
    sums: &mut [M],
    k: &[M],
    r: M,
) -> Result<(), LengthError> {
    same(sums.len(), &[k.len()])?;
    sums.iter_mut().zip(k).for_each(|(sum, k)| *sum += r * *k);
    Ok(())
}
