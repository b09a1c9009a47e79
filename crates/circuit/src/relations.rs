//! Relations whose degree is known when the program is compiled.
//!
//! [`Polynomials`] has expressions of any degree, each with memory of its own. A program
//! that claims millions of small relations cannot pay for that. Here an expression is a `Copy` value with
//! ordinary operators, as large as its degree asks, and its coefficients may be in the field of MACs.
//!
//! ```text
//! let [x, y, z] = [b.expression::<3>(x), b.expression(y), b.expression(z)];       3 coefficients: degree 2
//! b.claim(x * y - z)?;
//! ```
//!
//! The type says how many coefficients an expression has, one more than its degree. A program that
//! multiplies beyond that is wrong: the evaluator and the counter refuse the claim, and no proof of it is
//! accepted.

use core::ops::{Add, Mul, Sub};

use volery_field::{Element, Value};

use crate::{Counter, Error, Evaluator, Peek, Polynomials, Prove};

/// An expression in wires: what [`Relate::claim`] claims to be zero.
pub trait Expression<S>: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// The public constant `c`.
    fn constant(c: S) -> Self;

    /// `c` times this expression.
    #[must_use]
    fn scale(self, c: S) -> Self;
}

/// A backend that proves relations of fixed degree.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not prove relations of fixed degree over `{F}`",
    label = "no lookups, memory or challenges on this backend",
    note = "QuickSilver over a field does, and the evaluator and the counter; a branch of a disjunction, a proof that can be stacked, \
            a recorded circuit, and public proofs do not"
)]
pub trait Relate<F: Value>: Polynomials<F> {
    /// The field of coefficients: that of MACs, where there are any.
    type Scalar: Element;

    /// An expression of degree below `N`.
    type Expression<const N: usize>: Expression<Self::Scalar>;

    /// A value as a coefficient.
    fn embed(x: F) -> Self::Scalar;

    /// The wire itself.
    fn expression<const N: usize>(&self, x: &Self::Wire) -> Self::Expression<N>;

    /// `constant + sum coefficients[i] * x[i]`, over the shorter of the two slices.
    fn linear<const N: usize>(
        &self,
        constant: Self::Scalar,
        coefficients: &[Self::Scalar],
        x: &[Self::Wire],
    ) -> Self::Expression<N>;

    /// Claims that an expression is zero. For `N` of 2 this is linear and costs nothing. Otherwise it is a
    /// relation of degree `N - 1`.
    ///
    /// # Errors
    /// [`Error::Misuse`] if `N` is less than 2 or, where degrees are known, no more than the expression's
    /// degree; as [`Prove::assert_zero`].
    fn claim<const N: usize>(&mut self, e: Self::Expression<N>) -> Result<(), Self::Error>;

    /// `K` fresh secret wires, as [`Prove::secret`].
    ///
    /// # Errors
    /// What `hint` returns, and the backend's own.
    fn secrets<const K: usize>(
        &mut self,
        hint: impl FnOnce(&dyn Peek<F, Self::Wire>) -> Result<[F; K], Error>,
    ) -> Result<[Self::Wire; K], Self::Error> {
        let mut hint = Some(hint);
        let wires = self.secret(K, &mut |peek| match hint.take() {
            Some(hint) => hint(peek).map(|values| values.to_vec()),
            None => Err(Error::misuse("a hint ran twice")),
        })?;
        wires.try_into().map_err(|_| Error::misuse("a backend returned another number of wires").into())
    }
}

/// An expression on a backend without MACs: its value and the degree that it was written with.
#[derive(Clone, Copy, Debug)]
pub struct Plain<S, const N: usize> {
    value: S,
    degree: usize,
}

impl<S: Element, const N: usize> Plain<S, N> {
    /// A wire.
    pub(crate) fn wire(value: S) -> Self {
        Self { value, degree: 1 }
    }

    /// The value, whatever the degree.
    pub(crate) fn value(self) -> S {
        self.value
    }

    /// The value, if the degree is one that the type has room for.
    pub(crate) fn checked(self) -> Result<S, Error> {
        if N < 2 || self.degree >= N {
            let degree = self.degree;
            return Err(Error::misuse(format!("a relation of degree {degree} with {N} coefficients")));
        }
        Ok(self.value)
    }
}

impl<S: Element, const N: usize> Add for Plain<S, N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, degree: self.degree.max(other.degree) }
    }
}

impl<S: Element, const N: usize> Sub for Plain<S, N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, degree: self.degree.max(other.degree) }
    }
}

impl<S: Element, const N: usize> Mul for Plain<S, N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { value: self.value * other.value, degree: self.degree.saturating_add(other.degree) }
    }
}

impl<S: Element, const N: usize> Expression<S> for Plain<S, N> {
    fn constant(c: S) -> Self {
        Self { value: c, degree: 0 }
    }

    fn scale(self, c: S) -> Self {
        Self { value: self.value * c, ..self }
    }
}

impl<F: Value> Relate<F> for Evaluator<F> {
    type Scalar = F;
    type Expression<const N: usize> = Plain<F, N>;

    fn embed(x: F) -> F {
        x
    }

    fn expression<const N: usize>(&self, x: &F) -> Plain<F, N> {
        Plain::wire(*x)
    }

    fn linear<const N: usize>(&self, constant: F, coefficients: &[F], x: &[F]) -> Plain<F, N> {
        Plain::wire(coefficients.iter().zip(x).fold(constant, |sum, (c, x)| sum + *c * *x))
    }

    fn claim<const N: usize>(&mut self, e: Plain<F, N>) -> Result<(), Error> {
        let value = e.checked()?;
        self.assert_zero(&[value])
    }

    fn secrets<const K: usize>(
        &mut self,
        hint: impl FnOnce(&dyn Peek<F, F>) -> Result<[F; K], Error>,
    ) -> Result<[F; K], Error> {
        let values = hint(Self::peek())?;
        self.note(&values);
        Ok(values)
    }
}

/// Nothing has a value here, so only degrees are kept.
impl<F: Value> Relate<F> for Counter<F> {
    type Scalar = F;
    type Expression<const N: usize> = Plain<F, N>;

    fn embed(x: F) -> F {
        x
    }

    fn expression<const N: usize>(&self, _x: &u32) -> Plain<F, N> {
        Plain::wire(F::ZERO)
    }

    fn linear<const N: usize>(&self, _constant: F, _coefficients: &[F], _x: &[u32]) -> Plain<F, N> {
        Plain::wire(F::ZERO)
    }

    fn claim<const N: usize>(&mut self, e: Plain<F, N>) -> Result<(), Error> {
        e.checked()?;
        self.relation(N - 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, Ring as _};

    use super::*;

    /// Claims `x * y * z = w` with expressions of `N` coefficients.
    fn product<const N: usize, B: Relate<F61>>(b: &mut B, w: u64) -> Result<(), B::Error> {
        let [x, y, z, w] = b.secrets(|_| Ok([2, 3, 5, w].map(F61::from_u64)))?;
        let [x, y, z, w] = [x, y, z, w].map(|wire| b.expression::<N>(&wire));
        b.claim(x * y * z - w)
    }

    #[test]
    fn a_relation_holds_or_fails_and_is_counted_with_the_degree_of_its_type() {
        let mut evaluator = Evaluator::<F61>::new();
        assert_eq!(product::<4, _>(&mut evaluator, 30), Ok(()));
        assert!(matches!(product::<4, _>(&mut evaluator, 31), Err(Error::Unsatisfied { .. })));
        let mut counter = Counter::<F61>::new();
        product::<4, _>(&mut counter, 31).unwrap();
        product::<5, _>(&mut counter, 31).unwrap();
        let counts = counter.total();
        assert_eq!((counts.inputs, counts.polynomials, counts.degree, counts.assertions), (8, 2, 4, 2));
        assert_eq!(counter.degrees().iter().map(|(d, n)| (*d, *n)).collect::<Vec<_>>(), [(3, 1), (4, 1)]);
    }

    #[test]
    fn a_degree_beyond_the_type_is_misuse_on_every_backend_that_knows_it() {
        assert!(matches!(product::<3, _>(&mut Evaluator::new(), 30), Err(Error::Misuse(_))));
        assert!(matches!(product::<3, _>(&mut Counter::new(), 30), Err(Error::Misuse(_))));
        let constant = <Evaluator<F61> as Relate<F61>>::Expression::<1>::constant(F61::ZERO);
        assert!(matches!(Evaluator::<F61>::new().claim(constant), Err(Error::Misuse(_))));
    }

    #[test]
    fn a_linear_relation_is_an_assertion() {
        let mut counter = Counter::<F61>::new();
        let e = counter.linear::<2>(F61::ONE, &[F61::ONE], &[0]);
        counter.claim(e).unwrap();
        assert_eq!((counter.total().linear, counter.total().polynomials), (1, 0));
        let mut evaluator = Evaluator::<F61>::new();
        let [two, three] = [2, 3].map(F61::from_u64);
        let e = evaluator.linear::<2>(-two * three, &[three], &[two]);
        assert_eq!(evaluator.claim(e), Ok(()));
    }
}
