//! `F_{2^61-1}` as its own MAC field.

use super::vector::Vectors;
use super::{Sum, eightfold, loose, multiply_add, over_pairs, over_products, product};
use crate::extension::{plain, same};
use crate::f61::{F61, P};
use crate::{Authenticated, Coordinates, LengthError, Mac, Ring};

/// The prover's share of an authenticated value.
type Pair = Authenticated<F61, F61>;

impl Coordinates<Self> for F61 {
    #[inline(always)]
    fn coordinate(self, _h: usize) -> Self {
        self
    }
}

impl Mac<Self> for F61 {
    const DEGREE: usize = 1;
    const DIGIT_BITS: usize = 4;
    const DIGITS: usize = 16;

    #[inline(always)]
    fn embed(x: Self) -> Self {
        x
    }

    fn basis(_h: usize) -> Self {
        Self::ONE
    }

    fn weight(t: usize) -> Self {
        // 2^(4t), folded at bit 61.
        Self::from_u128(1 << (4 * t as u32 % 128))
    }

    fn inner_product(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        same(a.len(), &[b.len()])?;
        let (taken, sum) = match Vectors::best(a.len()) {
            Some(vectors) => vectors.inner_product(a, b),
            None => (0, Self::ZERO),
        };
        let mut rest = Sum::default();
        over_pairs(&mut rest, (&a[taken..], &b[taken..]), |sum, a, b| sum.add(product(a.0, b.0)));
        Ok(sum + rest.reduce())
    }

    fn dot_prover(x: &[Pair], y: &[Pair]) -> Result<[Self; 3], LengthError> {
        same(x.len(), &[y.len()])?;
        let (taken, [values, tags, mixed]) = match Vectors::best(2 * x.len()) {
            Some(vectors) => vectors.pair_products(x, y),
            None => (0, [Self::ZERO; 3]),
        };
        let mut sums = [Sum::default(); 3];
        over_pairs(&mut sums, (&x[taken..], &y[taken..]), |sums, x, y| {
            sums[0].add(product(x.m.0, y.m.0));
            sums[1].add(product(x.x.0, y.m.0) + product(y.x.0, x.m.0));
            sums[2].add(product(x.x.0, y.x.0));
        });
        let rest = sums.map(Sum::reduce);
        Ok([tags + rest[0], mixed + rest[1], values + rest[2]])
    }

    fn check_prover(a: &[Pair], b: &[Pair], c: &[Pair], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum::default(); 2];
        over_products(&mut sums, ([a, b, c], chi), |sums, a, b, c, chi| {
            sums[0].add(product(chi.0, loose(eightfold(a.m.0, b.m.0))));
            let linear = eightfold(a.x.0, b.m.0) + eightfold(b.x.0, a.m.0) + u128::from((P - c.m.0) << 3);
            sums[1].add(product(chi.0, loose(linear)));
        });
        Ok(sums.map(Sum::reduce))
    }

    fn check_verifier(a: &[Self], b: &[Self], c: &[Self], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum::default(); 2];
        over_products(&mut sums, ([a, b, c], chi), |sums, a, b, c, chi| {
            sums[0].add(product(chi.0, loose(eightfold(a.0, b.0))));
            sums[1].add(product(chi.0, c.0));
        });
        Ok(sums.map(Sum::reduce))
    }

    fn multiply_prover(
        x: &[Pair],
        y: &[Pair],
        random: &[Pair],
        z: &mut [Pair],
        masked: &mut [Self],
        [a_0, a_1]: [&mut [Self]; 2],
    ) -> Result<(), LengthError> {
        same(x.len(), &[y.len(), random.len(), z.len(), masked.len(), a_0.len(), a_1.len()])?;
        let taken = Vectors::best(2 * x.len()).map_or(0, |vectors| {
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

    fn add_prover(sums: &mut [Pair], x: &[Pair]) -> Result<(), LengthError> {
        same(sums.len(), &[x.len()])?;
        let taken = Vectors::best(2 * x.len()).map_or(0, |vectors| vectors.add_pairs(sums, x));
        plain::add(&mut sums[taken..], &x[taken..])
    }

    fn add_verifier(sums: &mut [Self], k: &[Self]) -> Result<(), LengthError> {
        same(sums.len(), &[k.len()])?;
        let taken = Vectors::best(k.len()).map_or(0, |vectors| vectors.add(sums, k));
        plain::add(&mut sums[taken..], &k[taken..])
    }

    fn combine_prover(x: &[Pair], r: &[Self]) -> Result<[Self; 2], LengthError> {
        same(x.len(), &[r.len()])?;
        let (taken, [value, tag]) = match Vectors::best(x.len()) {
            Some(vectors) => vectors.combine_pairs(x, r),
            None => (0, [Self::ZERO; 2]),
        };
        let mut sums = [Sum::default(); 2];
        over_pairs(&mut sums, (&x[taken..], &r[taken..]), |sums, x, r| {
            sums[0].add(product(r.0, x.m.0));
            sums[1].add(product(r.0, x.x.0));
        });
        let rest = sums.map(Sum::reduce);
        Ok([tag + rest[0], value + rest[1]])
    }

    fn accumulate_prover(sums: &mut [[Self; 2]], x: &[Pair], r: Self) -> Result<(), LengthError> {
        same(sums.len(), &[x.len()])?;
        let taken = Vectors::best(2 * x.len()).map_or(0, |vectors| vectors.accumulate_swapped(sums, x, r));
        for (sums, x) in sums.iter_mut().zip(x).skip(taken) {
            *sums = [multiply_add(sums[0], r, x.m), multiply_add(sums[1], r, x.x)];
        }
        Ok(())
    }

    fn accumulate_verifier(sums: &mut [Self], k: &[Self], r: Self) -> Result<(), LengthError> {
        same(sums.len(), &[k.len()])?;
        let taken = Vectors::best(k.len()).map_or(0, |vectors| vectors.accumulate(sums, k, r));
        sums.iter_mut().zip(k).skip(taken).for_each(|(sum, k)| *sum = multiply_add(*sum, r, *k));
        Ok(())
    }
}
