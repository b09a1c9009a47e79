//! Expressions in wires without commitments: polynomials in delta at P, their values at V.

use volery_circuit::Error as StatementError;
use volery_circuit::polynomials::check_degree;
use volery_field::Element;
use zeroize::Zeroize;

/// P's side: coefficients in `X`, one more than the degree. The top one is the expression's value.
#[derive(Clone)]
pub struct ProverPoly<M: Zeroize>(Vec<M>);

impl<M: Zeroize> Drop for ProverPoly<M> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<M: Zeroize> ProverPoly<M> {
    /// The coefficients, lowest first.
    pub(super) fn coefficients(&self) -> &[M] {
        &self.0
    }

    fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }
}

impl<M: Element> ProverPoly<M> {
    /// The product of wires, each with its `[tag, value]`.
    pub(crate) fn product(wires: impl ExactSizeIterator<Item = [M; 2]>) -> Self {
        Self(product_of_wires(wires))
    }

    /// A wire with the value `x` and the tag `m`.
    pub(super) fn wire(x: M, m: M) -> Self {
        Self(vec![m, x])
    }

    /// A public constant.
    pub(super) fn constant(c: M) -> Self {
        Self(vec![c])
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let (low, high) = if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        let mut sum = high.clone();
        let shift = high.0.len() - low.0.len();
        for (sum, x) in sum.0[shift..].iter_mut().zip(&low.0) {
            *sum += *x;
        }
        sum
    }

    /// `scale` of every coefficient, for a multiplication by a public value.
    pub(super) fn scale(&self, scale: impl Fn(M) -> M) -> Self {
        Self(self.0.iter().map(|coefficient| scale(*coefficient)).collect())
    }

    /// The product.
    ///
    /// # Errors
    /// As [`check_degree`].
    pub(super) fn mul(&self, other: &Self) -> Result<Self, StatementError> {
        let degree = check_degree(self.degree() + other.degree())?;
        let mut product = vec![M::ZERO; degree + 1];
        for (i, x) in self.0.iter().enumerate() {
            for (to, y) in product[i..].iter_mut().zip(&other.0) {
                *to += *x * *y;
            }
        }
        Ok(Self(product))
    }
}

/// The coefficients of `prod (tag + value X)` over `[tag, value]`, lowest first.
pub(crate) fn product_of_wires<M: Element>(wires: impl ExactSizeIterator<Item = [M; 2]>) -> Vec<M> {
    let mut g = Vec::with_capacity(wires.len() + 1);
    g.push(M::ONE);
    for [tag, value] in wires {
        g.push(M::ZERO);
        for j in (1..g.len()).rev() {
            g[j] = g[j] * tag + g[j - 1] * value;
        }
        g[0] *= tag;
    }
    g
}

/// V's side: the value at delta, and the degree.
#[derive(Clone)]
pub struct VerifierPoly<M: Zeroize> {
    degree: usize,
    value: M,
}

impl<M: Zeroize> Drop for VerifierPoly<M> {
    fn drop(&mut self) {
        self.value.zeroize();
    }
}

impl<M: Element> VerifierPoly<M> {
    /// The product of wires with these keys.
    pub(crate) fn product(keys: impl ExactSizeIterator<Item = M>) -> Self {
        Self { degree: keys.len(), value: keys.fold(M::ONE, |product, key| product * key) }
    }

    /// A wire with the key `k`.
    pub(super) fn wire(k: M) -> Self {
        Self { degree: 1, value: k }
    }

    /// A public constant.
    pub(super) fn constant(c: M) -> Self {
        Self { degree: 0, value: c }
    }

    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    pub(super) fn value(&self) -> M {
        self.value
    }

    pub(super) fn add(&self, other: &Self, delta: M) -> Self {
        let (low, high) = if self.degree <= other.degree { (self, other) } else { (other, self) };
        let shifted = (low.degree..high.degree).fold(low.value, |value, _| value * delta);
        Self { degree: high.degree, value: high.value + shifted }
    }

    /// `scale` of the value, for a multiplication by a public value.
    pub(super) fn scale(&self, scale: impl Fn(M) -> M) -> Self {
        Self { degree: self.degree, value: scale(self.value) }
    }

    /// The product.
    ///
    /// # Errors
    /// As [`check_degree`].
    pub(super) fn mul(&self, other: &Self) -> Result<Self, StatementError> {
        Ok(Self { degree: check_degree(self.degree + other.degree)?, value: self.value * other.value })
    }
}
