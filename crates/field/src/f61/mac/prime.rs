//! `F_{2^61-1}` as its own MAC field.

#[cfg(target_arch = "x86_64")]
use super::x86_avx2::Avx2;
use super::{Sum, loose, multiply_add, over_pairs, over_products, product};
use crate::extension::same;
use crate::f61::{F61, P};
use crate::{Authenticated, LengthError, Mac, Ring};

/// P's half of an authenticated value.
type Pair = Authenticated<F61, F61>;

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
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::for_length(a.len()) {
            return Ok(avx2.inner_product(a, b));
        }
        let mut sum = Sum::default();
        over_pairs(&mut sum, (a, b), |sum, a, b| sum.add(product(a.0, b.0)));
        Ok(sum.reduce())
    }

    fn dot_prover(x: &[Pair], y: &[Pair]) -> Result<[Self; 3], LengthError> {
        same(x.len(), &[y.len()])?;
        let mut sums = [Sum::default(); 3];
        over_pairs(&mut sums, (x, y), |sums, x, y| {
            sums[0].add(product(x.m.0, y.m.0));
            sums[1].add(product(x.x.0, y.m.0) + product(y.x.0, x.m.0));
            sums[2].add(product(x.x.0, y.x.0));
        });
        Ok(sums.map(Sum::reduce))
    }

    fn check_prover(a: &[Pair], b: &[Pair], c: &[Pair], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum::default(); 2];
        over_products(&mut sums, ([a, b, c], chi), |sums, a, b, c, chi| {
            sums[0].add(product(chi.0, loose(product(a.m.0, b.m.0))));
            let linear = product(a.x.0, b.m.0) + product(b.x.0, a.m.0) + u128::from(P - c.m.0);
            sums[1].add(product(chi.0, loose(linear)));
        });
        Ok(sums.map(Sum::reduce))
    }

    fn check_verifier(a: &[Self], b: &[Self], c: &[Self], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum::default(); 2];
        over_products(&mut sums, ([a, b, c], chi), |sums, a, b, c, chi| {
            sums[0].add(product(chi.0, loose(product(a.0, b.0))));
            sums[1].add(product(chi.0, c.0));
        });
        Ok(sums.map(Sum::reduce))
    }

    fn combine_prover(x: &[Pair], r: &[Self]) -> Result<[Self; 2], LengthError> {
        same(x.len(), &[r.len()])?;
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = Avx2::for_length(x.len()) {
            return Ok(avx2.combine_prover(x, r));
        }
        let mut sums = [Sum::default(); 2];
        over_pairs(&mut sums, (x, r), |sums, x, r| {
            sums[0].add(product(r.0, x.m.0));
            sums[1].add(product(r.0, x.x.0));
        });
        Ok(sums.map(Sum::reduce))
    }

    fn accumulate_prover(sums: &mut [[Self; 2]], x: &[Pair], r: Self) -> Result<(), LengthError> {
        same(sums.len(), &[x.len()])?;
        for (sums, x) in sums.iter_mut().zip(x) {
            *sums = [multiply_add(sums[0], r, x.m), multiply_add(sums[1], r, x.x)];
        }
        Ok(())
    }

    fn accumulate_verifier(sums: &mut [Self], k: &[Self], r: Self) -> Result<(), LengthError> {
        same(sums.len(), &[k.len()])?;
        sums.iter_mut().zip(k).for_each(|(sum, k)| *sum = multiply_add(*sum, r, *k));
        Ok(())
    }
}
