//! Expressions of a degree that is known when the program is compiled, without memory of their own.
//!
//! A wire with value `x`, tag `m` and key `k = m + x delta` is `x + m Y` at P and `k / delta` at V: P's
//! polynomial at `Y = 1 / delta`. Then constants are themselves, whatever degree they are added to, and
//! expressions need no degrees at run time. An expression `f` of degree at most `d` becomes the relation
//!
//! ```text
//! delta^d f(k / delta) = sum over h < d of A_h delta^h       A_h: P's coefficient of Y^(d-h); that of Y^0 is f(x) = 0
//! ```
//!
//! which is that of [`poly`](super::poly) with the coefficients in the opposite order. If an expression has a
//! greater degree than its type, P drops the coefficients above and V does not, so an honest proof fails. A
//! false claim is no better off: times a power of delta, the relation is a polynomial in delta whose leading
//! coefficient is `f(x)`, so it still holds for as many values of delta as its degree says.
//!
//! If delta is zero, V's inverse is zero as well and the relation holds for every P. Zero is one of the roots
//! that are counted, since a relation of degree `d < D` is shifted by `delta^(D-d)`.

use core::ops::{Add, Mul, Sub};

use volery_circuit::Expression;
use volery_field::Element;

/// P's side: `N` coefficients in `Y`, lowest first.
#[derive(Clone, Copy)]
pub struct ProverFixed<M, const N: usize>([M; N]);

impl<M: Element, const N: usize> ProverFixed<M, N> {
    /// A linear expression with the value `x` and the tag `m`.
    #[inline(always)]
    pub(super) fn linear(x: M, m: M) -> Self {
        let mut coefficients = [M::ZERO; N];
        coefficients.iter_mut().zip([x, m]).for_each(|(to, from)| *to = from);
        Self(coefficients)
    }

    /// The coefficients in `Y`, lowest first: the value, and what is masked.
    #[inline(always)]
    pub(super) fn coefficients(&self) -> &[M; N] {
        &self.0
    }

    #[inline(always)]
    fn with(&self, other: &Self, f: impl Fn(M, M) -> M) -> Self {
        let mut result = [M::ZERO; N];
        result.iter_mut().zip(self.0.iter().zip(&other.0)).for_each(|(to, (x, y))| *to = f(*x, *y));
        Self(result)
    }
}

impl<M: Element, const N: usize> Add for ProverFixed<M, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(&other, |x, y| x + y)
    }
}

impl<M: Element, const N: usize> Sub for ProverFixed<M, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(&other, |x, y| x - y)
    }
}

impl<M: Element, const N: usize> Mul for ProverFixed<M, N> {
    type Output = Self;
    /// Most coefficients of a wire are zero, which the compiler sees when it has unrolled this.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let mut product = [M::ZERO; N];
        for i in 0..N {
            for j in 0..N - i {
                product[i + j] += self.0[i] * other.0[j];
            }
        }
        Self(product)
    }
}

impl<M: Element, const N: usize> Expression<M> for ProverFixed<M, N> {
    #[inline(always)]
    fn constant(c: M) -> Self {
        Self::linear(c, M::ZERO)
    }

    /// Into a new array. rustc 1.95 and before, at the level of optimisation of tests, scale some arguments
    /// of closures twice if this is done in place: its value numbering takes the result for the argument.
    #[inline(always)]
    fn scale(self, c: M) -> Self {
        let mut scaled = [M::ZERO; N];
        scaled.iter_mut().zip(&self.0).for_each(|(to, x)| *to = *x * c);
        Self(scaled)
    }
}

/// V's side: the value at `1 / delta`.
#[derive(Clone, Copy)]
pub struct VerifierFixed<M, const N: usize>(M);

impl<M: Element, const N: usize> VerifierFixed<M, N> {
    /// A linear expression with this key over delta.
    #[inline(always)]
    pub(super) fn linear(key: M) -> Self {
        Self(key)
    }

    /// The value at `1 / delta`.
    #[inline(always)]
    pub(super) fn value(self) -> M {
        self.0
    }
}

impl<M: Element, const N: usize> Add for VerifierFixed<M, N> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl<M: Element, const N: usize> Sub for VerifierFixed<M, N> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl<M: Element, const N: usize> Mul for VerifierFixed<M, N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl<M: Element, const N: usize> Expression<M> for VerifierFixed<M, N> {
    #[inline(always)]
    fn constant(c: M) -> Self {
        Self(c)
    }

    #[inline(always)]
    fn scale(self, c: M) -> Self {
        Self(self.0 * c)
    }
}

/// The powers of delta that are kept.
const KEPT: usize = 9;

/// Powers of delta that turn V's values into relations, and delta's inverse; wiped on drop.
pub(super) struct Powers<M: Element> {
    pub(super) inverse: M,
    powers: [M; KEPT],
}

impl<M: Element> Drop for Powers<M> {
    fn drop(&mut self) {
        self.inverse.zeroize();
        self.powers.iter_mut().for_each(M::zeroize);
    }
}

impl<M: Element> Powers<M> {
    pub(super) fn new(delta: M) -> Self {
        let mut powers = [M::ONE; KEPT];
        let mut power = M::ONE;
        for kept in &mut powers {
            *kept = power;
            power *= delta;
        }
        Self { inverse: delta.inverse_or_zero(), powers }
    }

    /// `delta^n`.
    #[inline(always)]
    pub(super) fn power(&self, n: usize) -> M {
        match self.powers.get(n) {
            Some(power) => *power,
            None => (0..n).fold(M::ONE, |power, _| power * self.powers[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, Ring as _};

    use super::*;

    /// `(x y + 5) z - w x + y`, of degree 3.
    fn example<E: Expression<F61>>(x: E, y: E, z: E, w: E) -> E {
        let five = E::constant(F61::new(5));
        (x * y + five) * z - w * x + y.scale(F61::new(7))
    }

    #[test]
    fn both_sides_of_an_expression_are_one_polynomial_in_delta() {
        let delta = F61::new(123_456_789);
        let powers = Powers::new(delta);
        let wires: [[F61; 2]; 4] = [[3, 14], [15, 92], [65, 35], [89, 79]].map(|wire| wire.map(F61::new));
        let [x, y, z, w] = wires.map(|[x, m]| ProverFixed::<F61, 5>::linear(x, m));
        let [value, coefficients @ ..] = *example(x, y, z, w).coefficients();
        let [x, y, z, w] =
            wires.map(|[x, m]| VerifierFixed::<F61, 5>::linear((m + x * delta) * powers.inverse));
        let at_delta = example(x, y, z, w).value() * powers.power(4);
        let sum = coefficients
            .iter()
            .enumerate()
            .fold(value * powers.power(4), |sum, (i, c)| sum + *c * powers.power(3 - i));
        assert!(sum == at_delta);
        assert!(value == F61::new((3 * 15 + 5) * 65 + 15 * 7) - F61::new(89 * 3));
        assert!(powers.power(11) == (0..11).fold(F61::ONE, |power, _| power * delta));
    }
}
