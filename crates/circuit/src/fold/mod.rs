//! Constant folding: an adapter between a gadget and a backend.
//!
//! A gadget is written for secret operands, but often meets public ones: an initial value, a round constant,
//! padding. Under [`Fold`] a wire is either a public constant or a wire of the backend, and every operation
//! whose result follows from constants is computed in the clear:
//!
//! ```text
//! c + d, c - d, c * d  ->  a constant             x * 0  ->  the constant 0
//! x + 0, x - 0, x * 1  ->  x itself               x * c  ->  scale, no multiplication
//! ```
//!
//! Folding depends only on public data, so all roles fold alike and make the same calls on the backend.

use volery_field::Ring;

use crate::backend::{check_linear, check_products};
use crate::{Backend, Error, Hint, MatrixShape, Ops, Peek, Polynomials, Prove};

/// A public constant, or a wire of the backend below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folded<R, W> {
    /// A public value.
    Constant(R),
    /// A wire of the backend below.
    Wire(W),
}

impl<R, W> Folded<R, W> {
    /// The wire below, unless this is a constant.
    #[must_use]
    pub fn wire(&self) -> Option<&W> {
        match self {
            Self::Constant(_) => None,
            Self::Wire(wire) => Some(wire),
        }
    }
}

/// A program that is cheaper if some of its wires are public constants; see [`Ops::folding`].
pub trait Folding<R: Ring> {
    /// The outputs for `inputs`.
    ///
    /// # Errors
    /// The backend's, and the program's own.
    fn run<B: Ops<R> + ?Sized>(
        &self,
        fold: &mut Fold<'_, B>,
        inputs: &[Folded<R, B::Wire>],
    ) -> Result<Vec<Folded<R, B::Wire>>, B::Error>;
}

/// Runs on the backend `B`, with public constants folded away (see the [module's](self) rules).
#[derive(Debug)]
pub struct Fold<'a, B: ?Sized> {
    inner: &'a mut B,
}

impl<'a, B: Backend + ?Sized> Fold<'a, B> {
    /// Folds in front of `inner`.
    pub fn new(inner: &'a mut B) -> Self {
        Self { inner }
    }

    /// The backend below.
    pub fn inner(&mut self) -> &mut B {
        self.inner
    }

    /// The wire below for `x`. A constant becomes a constant wire.
    #[inline]
    pub fn lower<R: Ring>(&mut self, x: &Folded<R, B::Wire>) -> B::Wire
    where
        B: Ops<R>,
    {
        match x {
            Folded::Constant(c) => self.inner.constant(*c),
            Folded::Wire(wire) => wire.clone(),
        }
    }
}

/// `x + c` below, unless `c` is zero.
#[inline]
fn offset<R: Ring, B: Ops<R> + ?Sized>(inner: &mut B, x: &B::Wire, c: R) -> Folded<R, B::Wire> {
    Folded::Wire(if c == R::ZERO { x.clone() } else { inner.add_constant(x, c) })
}

/// `c * x` below, unless `c` is zero or one.
#[inline]
fn scaled<R: Ring, B: Ops<R> + ?Sized>(inner: &mut B, x: &B::Wire, c: R) -> Folded<R, B::Wire> {
    if c == R::ZERO {
        Folded::Constant(R::ZERO)
    } else if c == R::ONE {
        Folded::Wire(x.clone())
    } else {
        Folded::Wire(inner.scale(x, c))
    }
}

impl<B: Backend + ?Sized> Backend for Fold<'_, B> {
    type Error = B::Error;

    fn enter(&mut self, part: &str) {
        self.inner.enter(part);
    }

    fn leave(&mut self) {
        self.inner.leave();
    }
}

impl<R: Ring, B: Ops<R> + ?Sized> Ops<R> for Fold<'_, B> {
    type Wire = Folded<R, B::Wire>;

    #[inline]
    fn constant(&mut self, c: R) -> Self::Wire {
        Folded::Constant(c)
    }

    #[inline]
    fn add(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        match (x, y) {
            (Folded::Wire(x), Folded::Wire(y)) => Folded::Wire(self.inner.add(x, y)),
            (Folded::Constant(c), Folded::Constant(d)) => Folded::Constant(*c + *d),
            (Folded::Wire(x), Folded::Constant(c)) | (Folded::Constant(c), Folded::Wire(x)) => {
                offset(self.inner, x, *c)
            }
        }
    }

    #[inline]
    fn sub(&mut self, x: &Self::Wire, y: &Self::Wire) -> Self::Wire {
        match (x, y) {
            (Folded::Wire(x), Folded::Wire(y)) => Folded::Wire(self.inner.sub(x, y)),
            (Folded::Constant(c), Folded::Constant(d)) => Folded::Constant(*c - *d),
            (Folded::Wire(x), Folded::Constant(c)) => offset(self.inner, x, -*c),
            (Folded::Constant(c), Folded::Wire(y)) => {
                let negated = scaled(self.inner, y, -R::ONE);
                self.add_constant(&negated, *c)
            }
        }
    }

    #[inline]
    fn add_constant(&mut self, x: &Self::Wire, c: R) -> Self::Wire {
        match x {
            Folded::Constant(d) => Folded::Constant(*d + c),
            Folded::Wire(x) => offset(self.inner, x, c),
        }
    }

    #[inline]
    fn scale(&mut self, x: &Self::Wire, c: R) -> Self::Wire {
        match x {
            Folded::Constant(d) => Folded::Constant(*d * c),
            Folded::Wire(x) => scaled(self.inner, x, c),
        }
    }

    #[inline]
    fn mul(&mut self, x: &Self::Wire, y: &Self::Wire) -> Result<Self::Wire, Self::Error> {
        Ok(match (x, y) {
            (Folded::Wire(x), Folded::Wire(y)) => Folded::Wire(self.inner.mul(x, y)?),
            (Folded::Constant(c), y) => self.scale(y, *c),
            (x, Folded::Constant(c)) => self.scale(x, *c),
        })
    }

    fn mul_many(&mut self, x: &[Self::Wire], y: &[Self::Wire]) -> Result<Vec<Self::Wire>, Self::Error> {
        if x.len() != y.len() {
            return Err(Error::misuse(format!("mul_many of {} and {} wires", x.len(), y.len())).into());
        }
        let (left, right) = true_products(x, y);
        let mut products = self.inner.mul_many(&left, &right)?.into_iter();
        x.iter()
            .zip(y)
            .map(|pair| match pair {
                (Folded::Wire(_), Folded::Wire(_)) => products
                    .next()
                    .map(Folded::Wire)
                    .ok_or_else(|| Error::misuse("a backend returned too few products").into()),
                (Folded::Constant(c), other) | (other, Folded::Constant(c)) => Ok(self.scale(other, *c)),
            })
            .collect()
    }

    /// A second fold in front of this one would find nothing more.
    fn folding(
        &mut self,
        program: &impl Folding<R>,
        inputs: &[Self::Wire],
    ) -> Result<Vec<Self::Wire>, Self::Error> {
        program.run(self, inputs)
    }

    /// Uses the backend's way for eight unknown wires. If a bit is known, the circuit saves multiplications.
    #[inline]
    fn substitute(&mut self, x: &[Self::Wire; 8]) -> Result<Option<[Self::Wire; 8]>, Self::Error> {
        let Some(x) = eight_wires(x) else { return Ok(None) };
        Ok(self.inner.substitute(&x)?.map(|made| made.map(Folded::Wire)))
    }

    #[inline]
    fn known(&self, x: &Self::Wire) -> Option<R> {
        match x {
            Folded::Constant(c) => Some(*c),
            Folded::Wire(x) => self.inner.known(x),
        }
    }
}

/// The wires below, if no bit is a constant.
fn eight_wires<R, W: Clone>(byte: &[Folded<R, W>; 8]) -> Option<[W; 8]> {
    let mut wires = byte.iter().map_while(Folded::wire).cloned();
    match [(); 8].map(|()| wires.next()) {
        [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(h)] => {
            Some([a, b, c, d, e, f, g, h])
        }
        _ => None,
    }
}

/// The operands of the products in which neither side is a constant.
fn true_products<R, W: Clone>(x: &[Folded<R, W>], y: &[Folded<R, W>]) -> (Vec<W>, Vec<W>) {
    x.iter()
        .zip(y)
        .filter_map(|pair| match pair {
            (Folded::Wire(x), Folded::Wire(y)) => Some((x.clone(), y.clone())),
            _ => None,
        })
        .unzip()
}

/// Lets a hint written for folded wires look at the values below.
struct FoldedPeek<'p, R, W>(&'p dyn Peek<R, W>);

impl<R: Ring, W> Peek<R, Folded<R, W>> for FoldedPeek<'_, R, W> {
    fn value(&self, wire: &Folded<R, W>) -> R {
        match wire {
            Folded::Constant(c) => *c,
            Folded::Wire(wire) => self.0.value(wire),
        }
    }
}

impl<R: Ring, B: Prove<R> + ?Sized> Prove<R> for Fold<'_, B> {
    fn secret(&mut self, n: usize, hint: Hint<'_, R, Self::Wire>) -> Result<Vec<Self::Wire>, Self::Error> {
        let wires = self.inner.secret(n, &mut |peek| hint(&FoldedPeek(peek)))?;
        Ok(wires.into_iter().map(Folded::Wire).collect())
    }

    fn takes_outputs(&mut self, x: &[Self::Wire]) -> bool {
        // Lowering makes constants below, which a backend that proves must not see: a public proof is about
        // the gates that reach it.
        if !self.inner.takes_outputs(&[]) {
            return false;
        }
        let x: Vec<_> = x.iter().map(|x| self.lower(x)).collect();
        self.inner.takes_outputs(&x)
    }

    /// Uses the backend's way for sixteen unknown wires, as [`Ops::substitute`] does here.
    fn assert_substituted(&mut self, x: &[Self::Wire; 8], s: &[Self::Wire; 8]) -> Result<bool, Self::Error> {
        let (Some(x), Some(s)) = (eight_wires(x), eight_wires(s)) else { return Ok(false) };
        self.inner.assert_substituted(&x, &s)
    }

    /// Drops a constant zero. Any other constant goes down as a false claim, so that the backend below
    /// reports its place.
    fn assert_zero(&mut self, x: &[Self::Wire]) -> Result<(), Self::Error> {
        let mut claims = Vec::with_capacity(x.len());
        for wire in x {
            match wire {
                Folded::Constant(c) if *c == R::ZERO => {}
                claim => claims.push(self.lower(claim)),
            }
        }
        if claims.is_empty() { Ok(()) } else { self.inner.assert_zero(&claims) }
    }

    /// Products with a constant move to the linear side: `sum of true products = z - the rest`.
    fn assert_dot(&mut self, x: &[Self::Wire], y: &[Self::Wire], z: &Self::Wire) -> Result<(), Self::Error> {
        if x.len() != y.len() {
            return Err(Error::misuse(format!("assert_dot of {} and {} wires", x.len(), y.len())).into());
        }
        let (left, right) = true_products(x, y);
        let mut rest = z.clone();
        for pair in x.iter().zip(y) {
            if let (Folded::Constant(c), other) | (other, Folded::Constant(c)) = pair {
                let term = self.scale(other, *c);
                rest = self.sub(&rest, &term);
            }
        }
        if left.is_empty() {
            return self.assert_zero(&[rest]);
        }
        let rest = self.lower(&rest);
        self.inner.assert_dot(&left, &right, &rest)
    }

    /// Claims with a constant factor become linear; the others stay together.
    fn assert_products(
        &mut self,
        x: &[Self::Wire],
        y: &[Self::Wire],
        z: &[Self::Wire],
    ) -> Result<(), Self::Error> {
        check_products(x.len(), y.len(), z.len())?;
        let (left, right) = true_products(x, y);
        let mut results = Vec::with_capacity(left.len());
        let mut linear = Vec::new();
        for (pair, z) in x.iter().zip(y).zip(z) {
            match pair {
                (Folded::Wire(_), Folded::Wire(_)) => results.push(self.lower(z)),
                (Folded::Constant(c), other) | (other, Folded::Constant(c)) => {
                    let product = self.scale(other, *c);
                    linear.push(self.sub(&product, z));
                }
            }
        }
        self.assert_zero(&linear)?;
        if left.is_empty() { Ok(()) } else { self.inner.assert_products(&left, &right, &results) }
    }

    /// Columns of constants move to the other side.
    fn assert_linear(&mut self, matrix: &[R], x: &[Self::Wire], t: &[R]) -> Result<(), Self::Error> {
        check_linear(matrix.len(), x.len(), t.len())?;
        let wires: Vec<B::Wire> = x.iter().filter_map(Folded::wire).cloned().collect();
        if wires.len() == x.len() {
            return self.inner.assert_linear(matrix, &wires, t);
        }
        let mut entries = Vec::with_capacity(wires.len() * t.len());
        let mut results = t.to_vec();
        for (row, result) in results.iter_mut().enumerate() {
            for (x, entry) in x.iter().zip(&matrix[row * x.len()..]) {
                match x {
                    Folded::Constant(c) => *result -= *entry * *c,
                    Folded::Wire(_) => entries.push(*entry),
                }
            }
        }
        self.inner.assert_linear(&entries, &wires, &results)
    }
}

/// Expressions are folded by the same rules as wires.
impl<R: Ring, B: Polynomials<R> + ?Sized> Polynomials<R> for Fold<'_, B> {
    type Poly = Folded<R, B::Poly>;

    fn poly(&mut self, x: &Self::Wire) -> Self::Poly {
        match x {
            Folded::Constant(c) => Folded::Constant(*c),
            Folded::Wire(x) => Folded::Wire(self.inner.poly(x)),
        }
    }

    fn poly_constant(&mut self, c: R) -> Self::Poly {
        Folded::Constant(c)
    }

    fn poly_add(&mut self, p: &Self::Poly, q: &Self::Poly) -> Self::Poly {
        match (p, q) {
            (Folded::Constant(c), Folded::Constant(d)) => Folded::Constant(*c + *d),
            (Folded::Wire(p), Folded::Wire(q)) => Folded::Wire(self.inner.poly_add(p, q)),
            (Folded::Wire(p), Folded::Constant(c)) | (Folded::Constant(c), Folded::Wire(p)) => {
                Folded::Wire(if c.is_zero() { p.clone() } else { self.inner.poly_add_constant(p, *c) })
            }
        }
    }

    fn poly_scale(&mut self, p: &Self::Poly, c: R) -> Self::Poly {
        match p {
            Folded::Constant(d) => Folded::Constant(*d * c),
            Folded::Wire(_) if c.is_zero() => Folded::Constant(c),
            Folded::Wire(p) => {
                Folded::Wire(if c == R::ONE { p.clone() } else { self.inner.poly_scale(p, c) })
            }
        }
    }

    fn poly_mul(&mut self, p: &Self::Poly, q: &Self::Poly) -> Result<Self::Poly, Self::Error> {
        match (p, q) {
            (Folded::Wire(p), Folded::Wire(q)) => Ok(Folded::Wire(self.inner.poly_mul(p, q)?)),
            (Folded::Constant(c), other) | (other, Folded::Constant(c)) => Ok(self.poly_scale(other, *c)),
        }
    }

    /// As for wires: a constant zero is dropped, a false constant goes down.
    fn assert_poly_zero(&mut self, p: &[Self::Poly]) -> Result<(), Self::Error> {
        let mut claims = Vec::with_capacity(p.len());
        for p in p {
            match p {
                Folded::Constant(c) if c.is_zero() => {}
                Folded::Constant(c) => claims.push(self.inner.poly_constant(*c)),
                Folded::Wire(p) => claims.push(p.clone()),
            }
        }
        if claims.is_empty() { Ok(()) } else { self.inner.assert_poly_zero(&claims) }
    }

    /// Constants go down as constant wires: these are free, and the backend's own method needs whole
    /// matrices.
    fn assert_matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &[Self::Wire],
        b: &[Self::Wire],
        c: &[Self::Wire],
    ) -> Result<(), Self::Error> {
        let mut lower = |matrix: &[Self::Wire]| -> Vec<_> { matrix.iter().map(|x| self.lower(x)).collect() };
        let (a, b, c) = (lower(a), lower(b), lower(c));
        self.inner.assert_matrix_product(shape, &a, &b, &c)
    }
}

#[cfg(test)]
mod tests;
