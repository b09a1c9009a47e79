//! MACs in a 256-bit prime field. Sums of 512-bit products are reduced once.

use super::limbs::Unreduced;
use super::{Modulus, Prime256};
use crate::extension::same;
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
        let mut sum = Sum::new();
        a.iter().zip(b).for_each(|(a, b)| sum.add(*a, *b));
        Ok(sum.reduce())
    }

    fn dot_prover(x: &[Pair<P>], y: &[Pair<P>]) -> Result<[Self; 3], LengthError> {
        same(x.len(), &[y.len()])?;
        let mut sums = [Sum::new(), Sum::new(), Sum::new()];
        for (x, y) in x.iter().zip(y) {
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

    fn combine_prover(x: &[Pair<P>], r: &[Self]) -> Result<[Self; 2], LengthError> {
        same(x.len(), &[r.len()])?;
        let mut sums = [Sum::new(), Sum::new()];
        for (x, r) in x.iter().zip(r) {
            sums[0].add(*r, x.m);
            sums[1].add(*r, x.x);
        }
        Ok(sums.map(Sum::reduce))
    }
}
