//! MACs in a 256-bit prime field. Sums of 512-bit products are reduced once. Vector code, if there is any,
//! takes whole groups; the scalar code here takes the rest.

use super::limbs::Unreduced;
use super::vector::Vectors;
use super::{Modulus, Prime256};
use crate::extension::{plain, same};
use crate::{Authenticated, Coordinates, LengthError, Mac, Ring, Value};

/// The prover's share of an authenticated value.
type Pair<P> = Authenticated<Prime256<P>, Prime256<P>>;

/// A sum of products of elements.
struct Sum(Unreduced);

impl Sum {
    const fn new() -> Self {
        Self(Unreduced::ZERO)
    }

    #[inline(always)]
    fn add<P>(&mut self, a: Prime256<P>, b: Prime256<P>) {
        self.0.add_product(a.limbs, b.limbs);
    }

    #[inline(always)]
    fn reduce<P: Modulus>(self) -> Prime256<P> {
        Prime256::from_limbs(self.0.reduce::<P>())
    }
}

/// `a * b + c * d` with a single reduction.
#[inline(always)]
fn two_products<P: Modulus>(a: Prime256<P>, b: Prime256<P>, c: Prime256<P>, d: Prime256<P>) -> Prime256<P> {
    let mut sum = Unreduced::ZERO;
    sum.add_product(a.limbs, b.limbs);
    sum.add_product(c.limbs, d.limbs);
    Prime256::from_limbs(sum.reduce_two::<P>())
}

impl<P: Modulus> Coordinates<Self> for Prime256<P> {
    #[inline(always)]
    fn coordinate(self, _h: usize) -> Self {
        self
    }
}

impl<P: Modulus> Mac<Self> for Prime256<P> {
    const DEGREE: usize = 1;
    const DIGIT_BITS: usize = 4;
    const DIGITS: usize = 32;

    #[inline(always)]
    fn embed(x: Self) -> Self {
        x
    }

    fn basis(_h: usize) -> Self {
        Self::ONE
    }

    fn weight(t: usize) -> Self {
        // 16^t.
        Self::from_u64(1 << (4 * (t % 16)))
            * if t < 16 { Self::ONE } else { Self::from_u64(u64::MAX) + Self::ONE }
    }

    fn inner_product(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        same(a.len(), &[b.len()])?;
        let (taken, sum) = match Vectors::best(a.len()) {
            Some(vectors) => vectors.inner_product(a, b),
            None => (0, Unreduced::ZERO),
        };
        let mut sum = Sum(sum);
        a[taken..].iter().zip(&b[taken..]).for_each(|(a, b)| sum.add(*a, *b));
        Ok(sum.reduce())
    }

    fn dot_prover(x: &[Pair<P>], y: &[Pair<P>]) -> Result<[Self; 3], LengthError> {
        same(x.len(), &[y.len()])?;
        let (taken, sums) = match Vectors::best(x.len()) {
            Some(vectors) => vectors.dot_prover(x, y),
            None => (0, [Unreduced::ZERO; 3]),
        };
        let mut sums = sums.map(Sum);
        for (x, y) in x[taken..].iter().zip(&y[taken..]) {
            sums[0].add(x.m, y.m);
            sums[1].add(x.x, y.m);
            sums[1].add(y.x, x.m);
            sums[2].add(x.x, y.x);
        }
        Ok(sums.map(Sum::reduce))
    }

    fn check_prover(
        a: &[Pair<P>],
        b: &[Pair<P>],
        c: &[Pair<P>],
        chi: &[Self],
    ) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum::new(), Sum::new()];
        for (((a, b), c), chi) in a.iter().zip(b).zip(c).zip(chi) {
            sums[0].add(*chi, a.m * b.m);
            sums[1].add(*chi, two_products(a.x, b.m, b.x, a.m) - c.m);
        }
        Ok(sums.map(Sum::reduce))
    }

    fn check_verifier(a: &[Self], b: &[Self], c: &[Self], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum::new(), Sum::new()];
        for (((a, b), c), chi) in a.iter().zip(b).zip(c).zip(chi) {
            sums[0].add(*chi, *a * *b);
            sums[1].add(*chi, *c);
        }
        Ok(sums.map(Sum::reduce))
    }

    fn combine_public(c: &[Self], x: &[Self]) -> Result<Self, LengthError> {
        Self::inner_product(c, x)
    }

    fn combine_prover(x: &[Pair<P>], r: &[Self]) -> Result<[Self; 2], LengthError> {
        same(x.len(), &[r.len()])?;
        let (taken, sums) = match Vectors::best(x.len()) {
            Some(vectors) => vectors.combine_prover(x, r),
            None => (0, [Unreduced::ZERO; 2]),
        };
        let mut sums = sums.map(Sum);
        for (x, r) in x[taken..].iter().zip(&r[taken..]) {
            sums[0].add(*r, x.m);
            sums[1].add(*r, x.x);
        }
        Ok(sums.map(Sum::reduce))
    }

    fn multiply_prover(
        x: &[Pair<P>],
        y: &[Pair<P>],
        random: &[Pair<P>],
        z: &mut [Pair<P>],
        masked: &mut [Self],
        [a_0, a_1]: [&mut [Self]; 2],
    ) -> Result<(), LengthError> {
        same(x.len(), &[y.len(), random.len(), z.len(), masked.len(), a_0.len(), a_1.len()])?;
        let taken = Vectors::best(x.len()).map_or(0, |vectors| {
            vectors.multiply_prover([x, y, random], z, [&mut *masked, &mut *a_0, &mut *a_1])
        });
        let relations = [&mut a_0[taken..], &mut a_1[taken..]];
        let [x, y, random] = [x, y, random].map(|pairs| &pairs[taken..]);
        plain::multiply_prover(x, y, random, &mut z[taken..], &mut masked[taken..], relations)
    }

    fn multiply_verifier(
        keys: [&[Self]; 3],
        masked: &[Self],
        delta: Self,
        z: &mut [Self],
        values: &mut [Self],
    ) -> Result<(), LengthError> {
        let [x, y, random] = keys;
        same(x.len(), &[y.len(), random.len(), masked.len(), z.len(), values.len()])?;
        let taken = Vectors::best(x.len()).map_or(0, |vectors| {
            vectors.multiply_verifier([x, y, random, masked], delta, [&mut *z, &mut *values])
        });
        let keys = keys.map(|keys| &keys[taken..]);
        plain::multiply_verifier(keys, &masked[taken..], delta, &mut z[taken..], &mut values[taken..])
    }

    fn relate_prover(
        x: &[Pair<P>],
        y: &[Pair<P>],
        z: &[Pair<P>],
        [a_0, a_1]: [&mut [Self]; 2],
    ) -> Result<bool, LengthError> {
        same(x.len(), &[y.len(), z.len(), a_0.len(), a_1.len()])?;
        let (taken, hold) = match Vectors::best(x.len()) {
            Some(vectors) => vectors.relate_prover([x, y, z], [&mut *a_0, &mut *a_1]),
            None => (0, true),
        };
        let relations = [&mut a_0[taken..], &mut a_1[taken..]];
        Ok(hold & plain::relate_prover(&x[taken..], &y[taken..], &z[taken..], relations)?)
    }

    fn relate_verifier(keys: [&[Self]; 3], delta: Self, values: &mut [Self]) -> Result<(), LengthError> {
        let [x, y, z] = keys;
        same(x.len(), &[y.len(), z.len(), values.len()])?;
        let taken = Vectors::best(x.len()).map_or(0, |vectors| vectors.relate_verifier(keys, delta, values));
        let keys = keys.map(|keys| &keys[taken..]);
        plain::relate_verifier::<Self, Self>(keys, delta, &mut values[taken..])
    }

    fn accumulate_prover(sums: &mut [[Self; 2]], x: &[Pair<P>], r: Self) -> Result<(), LengthError> {
        same(sums.len(), &[x.len()])?;
        let taken = Vectors::best(x.len()).map_or(0, |vectors| vectors.accumulate_prover(sums, x, r));
        plain::accumulate_prover(&mut sums[taken..], &x[taken..], r)
    }

    fn accumulate_verifier(sums: &mut [Self], k: &[Self], r: Self) -> Result<(), LengthError> {
        same(sums.len(), &[k.len()])?;
        let taken = Vectors::best(k.len()).map_or(0, |vectors| vectors.accumulate_verifier(sums, k, r));
        plain::accumulate_verifier::<Self, Self>(&mut sums[taken..], &k[taken..], r)
    }
}
