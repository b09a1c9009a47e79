//! The quadratic extension of `F_{2^61-1}` as the MAC field of values in the prime field.

use super::vector::Vectors;
use super::{Sum, Sums, eightfold, loose, over_pairs, over_products, product};
use crate::extension::same;
use crate::f61::{F61, F61x2, P};
use crate::{Authenticated, Coordinates, LengthError, Mac, Ring};

/// The prover's share of an authenticated value.
type Pair = Authenticated<F61, F61x2>;

/// A sum of products in the extension, in three parts: what is added to the real part, what `i^2 = -1`
/// subtracts from it, and the imaginary part.
#[derive(Clone, Copy, Default)]
struct Sum2([Sum; 3]);

impl Sum2 {
    /// Adds the product of `a` and the element with the parts `re` and `im`, which may be loose.
    #[inline(always)]
    fn add(&mut self, a: F61x2, [re, im]: [u64; 2]) {
        self.0[0].add(product(a.re.0, re));
        self.0[1].add(product(a.im.0, im));
        self.0[2].add(product(a.re.0, im) + product(a.im.0, re));
    }

    #[inline(always)]
    fn reduce(self) -> F61x2 {
        let [plus, minus, im] = self.0.map(Sum::reduce);
        F61x2 { re: plus - minus, im }
    }
}

impl Sums for Sum2 {
    #[inline(always)]
    fn fold(&mut self) {
        self.0.fold();
    }
}

/// The parts of an element.
#[inline(always)]
fn parts(a: F61x2) -> [u64; 2] {
    [a.re.0, a.im.0]
}

/// `a * b` with loose parts.
#[inline(always)]
fn loose_product(a: F61x2, b: F61x2) -> [u64; 2] {
    // p - im stands for -im.
    let re = eightfold(a.re.0, b.re.0) + eightfold(a.im.0, P - b.im.0);
    let im = eightfold(a.re.0, b.im.0) + eightfold(a.im.0, b.re.0);
    [loose(re), loose(im)]
}

impl Coordinates<F61> for F61x2 {
    #[inline(always)]
    fn coordinate(self, h: usize) -> F61 {
        if h == 0 { self.re } else { self.im }
    }
}

/// Delta's 32 digits of 4 bits: sixteen of the real part, then sixteen of the imaginary part.
impl Mac<F61> for F61x2 {
    const DEGREE: usize = 2;
    const DIGIT_BITS: usize = 4;
    const DIGITS: usize = 32;

    #[inline(always)]
    fn embed(x: F61) -> Self {
        Self { re: x, im: F61(0) }
    }

    #[inline(always)]
    fn scale(self, x: F61) -> Self {
        Self { re: self.re * x, im: self.im * x }
    }

    fn basis(h: usize) -> Self {
        if h == 0 { Self::ONE } else { Self::I }
    }

    fn weight(t: usize) -> Self {
        Self::basis(t / 16).scale(F61::weight(t % 16))
    }

    fn inner_product(a: &[Self], b: &[Self]) -> Result<Self, LengthError> {
        same(a.len(), &[b.len()])?;
        let (taken, [plus, minus, im]) = match Vectors::best(2 * a.len()) {
            Some(vectors) => vectors.pair_products(a, b),
            None => (0, [F61(0); 3]),
        };
        let mut rest = Sum2::default();
        over_pairs(&mut rest, (&a[taken..], &b[taken..]), |sum, a, b| sum.add(*a, parts(*b)));
        Ok(Self { re: plus - minus, im } + rest.reduce())
    }

    fn dot_prover(x: &[Pair], y: &[Pair]) -> Result<[Self; 3], LengthError> {
        same(x.len(), &[y.len()])?;
        let mut sums = (Sum2::default(), [Sum::default(); 3]);
        over_pairs(&mut sums, (x, y), |(products, [re, im, value]), x, y| {
            products.add(x.m, parts(y.m));
            re.add(product(x.x.0, y.m.re.0) + product(y.x.0, x.m.re.0));
            im.add(product(x.x.0, y.m.im.0) + product(y.x.0, x.m.im.0));
            value.add(product(x.x.0, y.x.0));
        });
        let (products, [re, im, value]) = sums;
        Ok([products.reduce(), Self { re: re.reduce(), im: im.reduce() }, Self::embed(value.reduce())])
    }

    fn check_prover(a: &[Pair], b: &[Pair], c: &[Pair], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum2::default(); 2];
        over_products(&mut sums, ([a, b, c], chi), |sums, a, b, c, chi| {
            sums[0].add(*chi, loose_product(a.m, b.m));
            let linear = |a_m: F61, b_m: F61, c_m: F61| {
                loose(eightfold(a.x.0, b_m.0) + eightfold(b.x.0, a_m.0) + u128::from((P - c_m.0) << 3))
            };
            sums[1].add(*chi, [linear(a.m.re, b.m.re, c.m.re), linear(a.m.im, b.m.im, c.m.im)]);
        });
        Ok(sums.map(Sum2::reduce))
    }

    fn check_verifier(a: &[Self], b: &[Self], c: &[Self], chi: &[Self]) -> Result<[Self; 2], LengthError> {
        same(a.len(), &[b.len(), c.len(), chi.len()])?;
        let mut sums = [Sum2::default(); 2];
        over_products(&mut sums, ([a, b, c], chi), |sums, a, b, c, chi| {
            sums[0].add(*chi, loose_product(*a, *b));
            sums[1].add(*chi, parts(*c));
        });
        Ok(sums.map(Sum2::reduce))
    }

    fn combine_prover(x: &[Pair], r: &[Self]) -> Result<[Self; 2], LengthError> {
        same(x.len(), &[r.len()])?;
        let mut sums = (Sum2::default(), [Sum::default(); 2]);
        over_pairs(&mut sums, (x, r), |(tags, [re, im]), x, r| {
            tags.add(*r, parts(x.m));
            re.add(product(r.re.0, x.x.0));
            im.add(product(r.im.0, x.x.0));
        });
        let (tags, [re, im]) = sums;
        Ok([tags.reduce(), Self { re: re.reduce(), im: im.reduce() }])
    }
}
