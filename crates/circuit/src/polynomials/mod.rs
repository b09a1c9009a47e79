//! Claims about polynomials in committed values.
//!
//! A multiplication commits to its result, but a polynomial that only has to *vanish* needs no commitment:
//! QuickSilver (section 5) proves any number of polynomials of degree at most `d` with `d` field elements in
//! all. So a statement may leave holes in its circuit (section 5.2): it commits to the inputs and outputs of
//! a part, and claims the polynomials that tie them together.
//!
//! A [`Polynomials::Poly`] is an expression in wires that is built with ordinary arithmetic and never
//! committed to. Its degree is public: the degree of a product is the sum of the factors' degrees, and that
//! of a sum is the greater of the two. Backends evaluate expressions over univariate polynomials in delta
//! (the prover) or over keys (the verifier), which separates the degrees automatically.

use volery_field::Ring;

use crate::{Error, Prove};

/// A backend that proves polynomials in committed values.
pub trait Polynomials<R: Ring>: Prove<R> {
    /// An expression in wires, with its degree.
    type Poly: Clone;

    /// The wire itself: degree 1.
    fn poly(&mut self, x: &Self::Wire) -> Self::Poly;

    /// A public constant: degree 0.
    fn poly_constant(&mut self, c: R) -> Self::Poly;

    /// `p + q`.
    fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly;

    /// `c * p` for a public `c`.
    fn poly_scale(&mut self, p: &Self::Poly, c: R) -> Self::Poly;

    /// `p * q`. This is local; its cost grows with the product of the degrees.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the degree exceeds [`MAX_DEGREE`]; the backend's own.
    fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Self::Error>;

    /// Claims that every expression is zero.
    ///
    /// # Errors
    /// As [`Prove::assert_zero`].
    fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Self::Error>;

    /// `p + c` for a public `c`.
    fn poly_add_constant(&mut self, p: &Self::Poly, c: R) -> Self::Poly {
        let c = self.poly_constant(c);
        self.poly_add(p, &c)
    }

    /// Claims that `polynomial` vanishes at `x`.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the polynomial has a variable that `x` lacks; as [`Prove::assert_zero`].
    fn assert_polynomial(&mut self, polynomial: &Polynomial<R>, x: &[Self::Wire]) -> Result<(), Self::Error> {
        let mut sum = self.poly_constant(R::ZERO);
        for term in polynomial.terms() {
            let mut product = self.poly_constant(term.coefficient);
            for &variable in &term.variables {
                let wire = x.get(variable).ok_or_else(|| {
                    Error::misuse(format!("a polynomial in variable {variable} of {} wires", x.len()))
                })?;
                let factor = self.poly(wire);
                product = self.poly_mul(&product, &factor)?;
            }
            sum = self.poly_add(&sum, &product);
        }
        self.assert_poly_zero(&[sum])
    }

    /// Claims that every wire has one of the values in `set`: `product over s of (x - s) = 0`.
    ///
    /// This is sound over fields only: elsewhere a product may vanish although no factor does.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the set is empty or has more than [`MAX_DEGREE`] elements; as
    /// [`Prove::assert_zero`].
    fn assert_one_of(&mut self, x: &[Self::Wire], set: &[R]) -> Result<(), Self::Error> {
        check_set(set.len())?;
        for wire in x {
            let value = self.poly(wire);
            let mut product = self.poly_constant(R::ONE);
            for &s in set {
                let factor = self.poly_add_constant(&value, -s);
                product = self.poly_mul(&product, &factor)?;
            }
            self.assert_poly_zero(&[product])?;
        }
        Ok(())
    }

    /// Claims `a * b = c` for matrices in row-major order.
    ///
    /// The default claims every entry as an inner product. Backends that can draw a challenge fold the
    /// matrices first.
    ///
    /// # Errors
    /// [`Error::Misuse`] if a slice does not have the length that `shape` says; as [`Prove::assert_zero`].
    fn assert_matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &[Self::Wire],
        b: &[Self::Wire],
        c: &[Self::Wire],
    ) -> Result<(), Self::Error> {
        shape.check(a.len(), b.len(), c.len())?;
        let mut column = Vec::with_capacity(shape.inner);
        for j in 0..shape.columns {
            column.clear();
            column.extend((0..shape.inner).map(|l| b[l * shape.columns + j].clone()));
            for i in 0..shape.rows {
                let row = &a[i * shape.inner..][..shape.inner];
                self.assert_dot(row, &column, &c[i * shape.columns + j])?;
            }
        }
        Ok(())
    }
}

/// The largest degree of an expression.
pub const MAX_DEGREE: usize = 1 << 10;

/// Checks the degree of an expression. This is the one place that enforces [`MAX_DEGREE`].
///
/// # Errors
/// [`Error::Misuse`] if the degree is too large.
pub fn check_degree(degree: usize) -> Result<usize, Error> {
    if degree <= MAX_DEGREE {
        return Ok(degree);
    }
    Err(Error::misuse(format!("an expression of degree {degree}; at most {MAX_DEGREE} is possible")))
}

/// Checks the number of elements of a set for [`Polynomials::assert_one_of`].
///
/// # Errors
/// [`Error::Misuse`] if there are none or too many.
pub fn check_set(elements: usize) -> Result<(), Error> {
    if elements == 0 {
        return Err(Error::misuse("a claim that a value is in an empty set"));
    }
    check_degree(elements).map(drop)
}

/// A backend's representation of an expression, with the expression's degree.
///
/// The degree is that of the expression as written, not the least possible: `x - x` has degree 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graded<T> {
    degree: usize,
    value: T,
}

impl<T> Graded<T> {
    /// A wire: degree 1.
    #[inline]
    pub const fn variable(value: T) -> Self {
        Self { degree: 1, value }
    }

    /// A public constant: degree 0.
    #[inline]
    pub const fn constant(value: T) -> Self {
        Self { degree: 0, value }
    }

    /// The degree.
    #[inline]
    pub const fn degree(&self) -> usize {
        self.degree
    }

    /// The backend's representation.
    #[inline]
    pub const fn value(&self) -> &T {
        &self.value
    }

    /// The sum of `self` and `other`, represented by `value`.
    #[inline]
    #[must_use]
    pub fn sum(&self, other: &Self, value: T) -> Self {
        Self { degree: self.degree.max(other.degree), value }
    }

    /// A public multiple of `self`, represented by `value`.
    #[inline]
    #[must_use]
    pub fn multiple(&self, value: T) -> Self {
        Self { degree: self.degree, value }
    }

    /// The product of `self` and `other`, represented by `value`.
    ///
    /// # Errors
    /// As [`check_degree`].
    #[inline]
    pub fn product(&self, other: &Self, value: T) -> Result<Self, Error> {
        // Both are at most MAX_DEGREE, so the sum is small.
        Ok(Self { degree: check_degree(self.degree + other.degree)?, value })
    }
}

/// The shape of a product of matrices: `rows x inner` times `inner x columns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    /// Rows of the first factor and of the product.
    pub rows: usize,
    /// Columns of the first factor, rows of the second.
    pub inner: usize,
    /// Columns of the second factor and of the product.
    pub columns: usize,
}

impl MatrixShape {
    /// `n x n` times `n x n`.
    #[must_use]
    pub const fn square(n: usize) -> Self {
        Self { rows: n, inner: n, columns: n }
    }

    /// Checks that matrices with these numbers of entries have this shape.
    ///
    /// # Errors
    /// [`Error::Misuse`] if they do not.
    pub fn check(&self, a: usize, b: usize, c: usize) -> Result<(), Error> {
        let sizes = [(self.rows, self.inner, a), (self.inner, self.columns, b), (self.rows, self.columns, c)];
        for (rows, columns, got) in sizes {
            if rows.checked_mul(columns) != Some(got) {
                return Err(Error::misuse(format!(
                    "{got} entries for a matrix of {rows} rows and {columns} columns"
                )));
            }
        }
        Ok(())
    }
}

/// A polynomial as data: a sum of terms, which carry their degrees (the degree-separated form of QuickSilver,
/// section 3.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial<R> {
    terms: Vec<Term<R>>,
}

/// A product of variables times a coefficient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term<R> {
    /// The public coefficient.
    pub coefficient: R,
    /// The variables' numbers, with repetitions; their count is the term's degree.
    pub variables: Vec<usize>,
}

impl<R: Ring> Polynomial<R> {
    /// The sum of `terms`.
    ///
    /// # Errors
    /// [`Error::Misuse`] if one has a degree beyond [`MAX_DEGREE`].
    pub fn new(terms: Vec<Term<R>>) -> Result<Self, Error> {
        let polynomial = Self { terms };
        check_degree(polynomial.degree())?;
        Ok(polynomial)
    }

    /// The terms.
    #[must_use]
    pub fn terms(&self) -> &[Term<R>] {
        &self.terms
    }

    /// The greatest degree of a term.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.terms.iter().map(|term| term.variables.len()).max().unwrap_or(0)
    }
}

/// Implements [`Polynomials`] for a backend that only has multiplications: an expression becomes gates, and
/// its products become real multiplications; constants fold away.
/// `polynomials_by_multiplying!([R: Ring] R, Backend<R>)`.
#[macro_export]
macro_rules! polynomials_by_multiplying {
    ([$($generics:tt)*] $ring:ty, $backend:ty) => {
        impl<$($generics)*> $crate::Polynomials<$ring> for $backend {
            type Poly = $crate::Graded<$crate::Folded<$ring, <Self as $crate::Ops<$ring>>::Wire>>;

            fn poly(&mut self, x: &Self::Wire) -> Self::Poly {
                $crate::Graded::variable($crate::Folded::Wire(x.clone()))
            }

            fn poly_constant(&mut self, c: $ring) -> Self::Poly {
                $crate::Graded::constant($crate::Folded::Constant(c))
            }

            fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly {
                p.sum(q, $crate::Ops::<$ring>::add(&mut $crate::Fold::new(self), p.value(), q.value()))
            }

            fn poly_scale(&mut self, p: &Self::Poly, c: $ring) -> Self::Poly {
                p.multiple($crate::Ops::<$ring>::scale(&mut $crate::Fold::new(self), p.value(), c))
            }

            fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Self::Error> {
                // The degree is checked before anything is multiplied.
                let product = p.product(q, p.value().clone())?;
                let value = $crate::Ops::<$ring>::mul(&mut $crate::Fold::new(self), p.value(), q.value())?;
                Ok(product.multiple(value))
            }

            fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Self::Error> {
                p.iter().try_for_each(|p| {
                    $crate::Prove::<$ring>::assert_zero(&mut $crate::Fold::new(self), &[p.value().clone()])
                })
            }
        }
    };
}

#[cfg(test)]
mod tests;
