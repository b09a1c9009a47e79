//! Expressions in wires that are not committed to: polynomials in delta at P, their values at V.

use volery_field::{Authenticated, Mac, Value};
use zeroize::Zeroize;

/// P's side: coefficients in `X`, one more than the degree. The top one is the expression's value.
#[derive(Clone)]
pub struct ProverPoly<M: Zeroize>(pub(super) Vec<M>);

impl<M: Zeroize> Drop for ProverPoly<M> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<M: Zeroize> ProverPoly<M> {
    /// The expression with these coefficients, lowest first.
    pub(crate) fn with_coefficients(coefficients: Vec<M>) -> Self {
        Self(coefficients)
    }

    pub(super) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(super) fn wire<F: Value>(x: &Authenticated<F, M>) -> Self
    where
        M: Mac<F>,
    {
        Self(vec![x.m, M::embed(x.x)])
    }

    pub(super) fn add<F: Value>(&self, other: &Self) -> Self
    where
        M: Mac<F>,
    {
        let (low, high) = if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        let mut sum = high.clone();
        let shift = high.0.len() - low.0.len();
        for (sum, x) in sum.0[shift..].iter_mut().zip(&low.0) {
            *sum += *x;
        }
        sum
    }

    pub(super) fn mul<F: Value>(&self, other: &Self) -> Self
    where
        M: Mac<F>,
    {
        let mut product = vec![M::ZERO; self.0.len() + other.0.len() - 1];
        for (i, x) in self.0.iter().enumerate() {
            for (to, y) in product[i..].iter_mut().zip(&other.0) {
                *to += *x * *y;
            }
        }
        Self(product)
    }
}

/// V's side: the value at delta, and the degree.
#[derive(Clone)]
pub struct VerifierPoly<M: Zeroize> {
    pub(super) degree: usize,
    pub(super) value: M,
}

impl<M: Zeroize> Drop for VerifierPoly<M> {
    fn drop(&mut self) {
        self.value.zeroize();
    }
}

impl<M: Zeroize> VerifierPoly<M> {
    /// The expression of this degree with this value at delta.
    pub(crate) fn with_value(degree: usize, value: M) -> Self {
        Self { degree, value }
    }

    pub(super) fn add<F: Value>(&self, other: &Self, delta: M) -> Self
    where
        M: Mac<F>,
    {
        let (low, high) = if self.degree <= other.degree { (self, other) } else { (other, self) };
        let shifted = (low.degree..high.degree).fold(low.value, |value, _| value * delta);
        Self { degree: high.degree, value: high.value + shifted }
    }
}
