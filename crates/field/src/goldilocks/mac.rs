//! The kernels of MACs in the Goldilocks field and in its quadratic extension: sums of products, reduced
//! once.
//!
//! A product of two words, which may be loose, has 128 bits. A sum of products is kept in 192 bits, where
//! `2^64` products fit.

use super::quadratic::{loose_product, two_products};
use super::{Goldilocks, GoldilocksX2, loose, minus};
use crate::extension::same;
use crate::wide::product;
use crate::{Authenticated, Coordinates, LengthError, Mac, Ring};

/// The prover's share of an authenticated value, with its tag in the field of values.
type Pair = Authenticated<Goldilocks, Goldilocks>;

/// The same with its tag in the extension.
type Pair2 = Authenticated<Goldilocks, GoldilocksX2>;

/// A sum of products.
#[derive(Clone, Copy, Default)]
struct Sum {
    low: u128,
    /// What exceeds 128 bits.
    carries: u64,
}

impl Sum {
    /// Adds `a * b`; both may be loose.
    #[inline(always)]
    fn add(&mut self, a: u64, b: u64) {
        let (low, carry) = self.low.overflowing_add(product(a, b));
        self.low = low;
        self.carries += u64::from(carry);
    }

    #[inline(always)]
    fn reduce(self) -> Goldilocks {
        // 2^128 = -2^32.
        Goldilocks::from_u128(self.low) - Goldilocks::from_u128(u128::from(self.carries) << 32)
    }
}

/// A sum of products in the extension, in three parts: the products of lower coefficients, those of upper
/// ones, which `X^2 = 7` multiplies, and the mixed ones.
#[derive(Clone, Copy, Default)]
struct Sum2([Sum; 3]);

impl Sum2 {
    /// Adds the product of `a` and `b`, whose coefficients may be loose.
    #[inline(always)]
    fn add(&mut self, a: [u64; 2], b: [u64; 2]) {
        self.0[0].add(a[0], b[0]);
        self.0[1].add(a[1], b[1]);
        self.0[2].add(a[0], b[1]);
        self.0[2].add(a[1], b[0]);
    }

    #[inline(always)]
    fn reduce(self) -> GoldilocksX2 {
        let [low, high, mixed] = self.0.map(Sum::reduce);
        GoldilocksX2([low + Goldilocks(7) * high, mixed])
    }
}

/// Two sums with the same factors, for the coefficients of a product with a value.
#[inline(always)]
fn reduce_both(sums: [Sum; 2]) -> GoldilocksX2 {
    GoldilocksX2(sums.map(Sum::reduce))
}

/// `sum + a * b`, which fits in 128 bits.
#[inline(always)]
fn multiply_add(sum: Goldilocks, a: Goldilocks, b: Goldilocks) -> Goldilocks {
    Goldilocks::from_u128(u128::from(sum.0) + product(a.0, b.0))
}

/// `x_a m_b + x_b m_a - m_c`, loose.
#[inline(always)]
fn linear([x_a, m_b]: [Goldilocks; 2], [x_b, m_a]: [Goldilocks; 2], m_c: Goldilocks) -> u64 {
    minus(two_products([x_a.0, m_b.0], [x_b.0, m_a.0]), m_c.0)
}

impl Coordinates<Self> for Goldilocks {
    #[inline(always)]
    fn coordinate(self, _h: usize) -> Self {
        self
    }
}

impl Mac<Self> for Goldilocks {
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
        Self::new(1 << (4 * t as u32 % 64))
    }

    fn inner_product(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        same(a.len(), &[b.len()])?;
        let mut sum = Sum::default();
        a.iter().zip(b).for_each(|(a, b)| sum.add(a.0, b.0));
        Ok(sum.reduce())
    }

    fn dot_prover(x: &[Pair], y: &[Pair]) -> Result<[Self; 3], LengthError> {
        same(x.len(), &[y.len()])?;
        let mut sums = [Sum::default(); 3];
        for (x, y) in x.iter().zip(y) {
            sums[0].add(x.m.0, y.m.0);
            sums[1].add(x.x.0, y.m.0);
            sums[1].add(y.x.0, x.m.0);
            sums[2].add(x.x.0, y.x.0);
        }
        Ok(sums.map(Sum::reduce))
    }

    fn check_prover(a: &[Pair], b: &[Pair], c: &[Pair], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum::default(); 2];
        for (((a, b), c), chi) in a.iter().zip(b).zip(c).zip(chi) {
            sums[0].add(chi.0, loose(product(a.m.0, b.m.0)));
            sums[1].add(chi.0, linear([a.x, b.m], [b.x, a.m], c.m));
        }
        Ok(sums.map(Sum::reduce))
    }

    fn check_verifier(a: &[Self], b: &[Self], c: &[Self], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum::default(); 2];
        for (((a, b), c), chi) in a.iter().zip(b).zip(c).zip(chi) {
            sums[0].add(chi.0, loose(product(a.0, b.0)));
            sums[1].add(chi.0, c.0);
        }
        Ok(sums.map(Sum::reduce))
    }

    fn combine_prover(x: &[Pair], r: &[Self]) -> Result<[Self; 2], LengthError> {
        same(x.len(), &[r.len()])?;
        let mut sums = [Sum::default(); 2];
        for (x, r) in x.iter().zip(r) {
            sums[0].add(r.0, x.m.0);
            sums[1].add(r.0, x.x.0);
        }
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

impl Coordinates<Goldilocks> for GoldilocksX2 {
    #[inline(always)]
    fn coordinate(self, h: usize) -> Goldilocks {
        self.0[h % 2]
    }
}

/// Delta's 32 digits of 4 bits: sixteen of the lower coefficient, then sixteen of the upper one.
impl Mac<Goldilocks> for GoldilocksX2 {
    const DEGREE: usize = 2;
    const DIGIT_BITS: usize = 4;
    const DIGITS: usize = 32;

    #[inline(always)]
    fn embed(x: Goldilocks) -> Self {
        Self([x, Goldilocks(0)])
    }

    #[inline(always)]
    fn scale(self, x: Goldilocks) -> Self {
        Self(self.0.map(|coefficient| coefficient * x))
    }

    fn basis(h: usize) -> Self {
        if h == 0 { Self::ONE } else { Self::X }
    }

    fn weight(t: usize) -> Self {
        Self::basis(t / 16).scale(Goldilocks::weight(t % 16))
    }

    fn inner_product(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        same(a.len(), &[b.len()])?;
        let mut sum = Sum2::default();
        a.iter().zip(b).for_each(|(a, b)| sum.add(a.words(), b.words()));
        Ok(sum.reduce())
    }

    fn dot_prover(x: &[Pair2], y: &[Pair2]) -> Result<[Self; 3], LengthError> {
        same(x.len(), &[y.len()])?;
        let (mut products, mut mixed, mut values) = (Sum2::default(), [Sum::default(); 2], Sum::default());
        for (x, y) in x.iter().zip(y) {
            products.add(x.m.words(), y.m.words());
            for ((sum, x_m), y_m) in mixed.iter_mut().zip(x.m.words()).zip(y.m.words()) {
                sum.add(x.x.0, y_m);
                sum.add(y.x.0, x_m);
            }
            values.add(x.x.0, y.x.0);
        }
        Ok([products.reduce(), reduce_both(mixed), Self::embed(values.reduce())])
    }

    fn check_prover(a: &[Pair2], b: &[Pair2], c: &[Pair2], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum2::default(); 2];
        for (((a, b), c), chi) in a.iter().zip(b).zip(c).zip(chi) {
            sums[0].add(chi.words(), loose_product(a.m, b.m));
            let term = |i: usize| linear([a.x, b.m.0[i]], [b.x, a.m.0[i]], c.m.0[i]);
            sums[1].add(chi.words(), [term(0), term(1)]);
        }
        Ok(sums.map(Sum2::reduce))
    }

    fn check_verifier(a: &[Self], b: &[Self], c: &[Self], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum2::default(); 2];
        for (((a, b), c), chi) in a.iter().zip(b).zip(c).zip(chi) {
            sums[0].add(chi.words(), loose_product(*a, *b));
            sums[1].add(chi.words(), c.words());
        }
        Ok(sums.map(Sum2::reduce))
    }

    fn combine_prover(x: &[Pair2], r: &[Self]) -> Result<[Self; 2], LengthError> {
        same(x.len(), &[r.len()])?;
        let (mut tags, mut values) = (Sum2::default(), [Sum::default(); 2]);
        for (x, r) in x.iter().zip(r) {
            tags.add(r.words(), x.m.words());
            values.iter_mut().zip(r.words()).for_each(|(sum, r)| sum.add(r, x.x.0));
        }
        Ok([tags.reduce(), reduce_both(values)])
    }
}
