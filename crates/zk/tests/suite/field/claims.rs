//! Small programs for everybody in these tests: true, or false in one place.

use std::marker::PhantomData;

use volery_circuit::{Digest, MatrixShape, Polynomials, Statement};
use volery_field::{Mac, Value};
use volery_vole::Prg;
use volery_zk::quicksilver::field::{Alone, Prover, Verifier};

use crate::field::reference::Reference;

/// A statement for both parties and the plain prover.
pub(crate) trait Claim<F: Value, M: Mac<F>>:
    for<'a> Statement<Prover<'a, F, M>>
    + for<'a> Statement<Verifier<'a, F, M>>
    + for<'a> Statement<Reference<F, M, Alone<'a>>>
{
}

impl<F: Value, M: Mac<F>, S> Claim<F, M> for S where
    S: for<'a> Statement<Prover<'a, F, M>>
        + for<'a> Statement<Verifier<'a, F, M>>
        + for<'a> Statement<Reference<F, M, Alone<'a>>>
{
}

/// A kind of claim and its size. Where it is false, its last secret value is one more than it must be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// So many multiplications in a chain, whose end is committed to again.
    Gates(usize),
    /// So many multiplications at once, whose results are committed to again.
    ManyGates(usize),
    /// So many committed products.
    Products(usize),
    /// An inner product of so many pairs with a committed result.
    Dot(usize),
    /// A polynomial of this degree, the lower degrees included, with a committed result.
    Polynomial(usize),
    /// So many different values, each one of as many.
    OneOf(usize),
    /// A product of committed matrices.
    Matrix(MatrixShape),
    /// So many public combinations of so many values.
    Linear(usize, usize),
    /// So many pairs of equal values.
    Equal(usize),
}

impl Part {
    /// One of each kind, small.
    pub(crate) const ALL: [Self; 10] = [
        Self::Gates(5),
        Self::ManyGates(4),
        Self::Products(4),
        Self::Dot(6),
        Self::Polynomial(2),
        Self::Polynomial(5),
        Self::OneOf(3),
        Self::Matrix(MatrixShape { rows: 2, inner: 3, columns: 2 }),
        Self::Linear(3, 4),
        Self::Equal(3),
    ];

    /// Whether only the hash of the assertions can show that it is false.
    pub(crate) fn is_linear(self) -> bool {
        matches!(self, Self::Gates(_) | Self::ManyGates(_) | Self::Linear(..) | Self::Equal(_))
    }
}

/// These parts one after another.
#[derive(Clone, Debug)]
pub(crate) struct Program<F> {
    pub(crate) parts: Vec<Part>,
    /// The part that is false.
    pub(crate) wrong: Option<usize>,
    /// Under which other name it goes.
    pub(crate) name: &'static str,
    pub(crate) field: PhantomData<fn() -> F>,
}

impl<F> Program<F> {
    pub(crate) fn of(parts: &[Part]) -> Self {
        Self { parts: parts.to_vec(), wrong: None, name: "test: parts", field: PhantomData }
    }

    /// One part, which is false.
    pub(crate) fn wrong(part: Part) -> Self {
        Self { wrong: Some(0), ..Self::of(&[part]) }
    }
}

impl<F: Value, B: Polynomials<F>> Statement<B> for Program<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", self.name.as_bytes());
        digest.bytes("parts", format!("{:?}", self.parts).as_bytes());
    }

    fn run(&self, b: &mut B) -> Result<(), B::Error> {
        for (i, part) in self.parts.iter().enumerate() {
            let slip = if self.wrong == Some(i) { F::ONE } else { F::ZERO };
            let mut values = Values::<F> { prg: Prg::new([i as u8; 16]), slip };
            match *part {
                Part::Gates(n) => values.gates(b, n),
                Part::ManyGates(n) => values.many_gates(b, n),
                Part::Products(n) => values.products(b, n),
                Part::Dot(n) => values.dot(b, n),
                Part::Polynomial(degree) => values.polynomial(b, degree),
                Part::OneOf(n) => values.one_of(b, n),
                Part::Matrix(shape) => values.matrix(b, shape),
                Part::Linear(rows, columns) => values.linear(b, rows, columns),
                Part::Equal(n) => values.equal(b, n),
            }?;
        }
        Ok(())
    }
}

/// Where a part's values come from: both parties know them.
struct Values<F> {
    prg: Prg,
    slip: F,
}

impl<F: Value> Values<F> {
    fn random(&mut self, n: usize) -> Vec<F> {
        let mut values = vec![F::ZERO; n];
        self.prg.elements(&mut values);
        values
    }

    /// Commits to `values`.
    fn commit<B: Polynomials<F>>(&self, b: &mut B, values: &[F]) -> Result<Vec<B::Wire>, B::Error> {
        b.secret(values.len(), &mut |_| Ok(values.to_vec()))
    }

    /// Commits to `values`, to the last of them wrongly where the part is false.
    fn commit_result<B: Polynomials<F>>(&self, b: &mut B, values: &[F]) -> Result<Vec<B::Wire>, B::Error> {
        let mut values = values.to_vec();
        values.iter_mut().rev().take(1).for_each(|value| *value += self.slip);
        self.commit(b, &values)
    }

    fn gates<B: Polynomials<F>>(&mut self, b: &mut B, n: usize) -> Result<(), B::Error> {
        let values = self.random(2);
        let x = self.commit(b, &values)?;
        let (mut y, mut value) = (x[0].clone(), values[0]);
        for i in 0..n {
            y = b.mul(&y, &x[1])?;
            y = b.add_constant(&y, F::digit(i as u8));
            value = value * values[1] + F::digit(i as u8);
        }
        let result = self.commit_result(b, &[value])?;
        let difference = b.sub(&y, &result[0]);
        b.assert_zero(&[difference])
    }

    fn many_gates<B: Polynomials<F>>(&mut self, b: &mut B, n: usize) -> Result<(), B::Error> {
        let (x, y) = (self.random(n), self.random(n));
        let z: Vec<F> = x.iter().zip(&y).map(|(x, y)| *x * *y).collect();
        let (x, y) = (self.commit(b, &x)?, self.commit(b, &y)?);
        let products = b.mul_many(&x, &y)?;
        let z = self.commit_result(b, &z)?;
        let differences: Vec<B::Wire> = products.iter().zip(&z).map(|(x, y)| b.sub(x, y)).collect();
        b.assert_zero(&differences)
    }

    fn products<B: Polynomials<F>>(&mut self, b: &mut B, n: usize) -> Result<(), B::Error> {
        let (x, y) = (self.random(n), self.random(n));
        let z: Vec<F> = x.iter().zip(&y).map(|(x, y)| *x * *y).collect();
        let (x, y) = (self.commit(b, &x)?, self.commit(b, &y)?);
        let z = self.commit_result(b, &z)?;
        b.assert_products(&x, &y, &z)
    }

    fn dot<B: Polynomials<F>>(&mut self, b: &mut B, n: usize) -> Result<(), B::Error> {
        let (x, y) = (self.random(n), self.random(n));
        let z = x.iter().zip(&y).fold(F::ZERO, |z, (x, y)| z + *x * *y);
        let (x, y) = (self.commit(b, &x)?, self.commit(b, &y)?);
        let z = self.commit_result(b, &[z])?;
        b.assert_dot(&x, &y, &z[0])
    }

    /// `prod (x_i + c_i) + x_0 x_1 + 3 x_2 - v`, where the product has `degree` factors.
    fn polynomial<B: Polynomials<F>>(&mut self, b: &mut B, degree: usize) -> Result<(), B::Error> {
        let (x, c) = (self.random(3), self.random(degree));
        let product = (0..degree).fold(F::ONE, |product, i| product * (x[i % 3] + c[i]));
        let three = F::digit(3);
        let value = product + x[0] * x[1] + three * x[2];
        let wires = self.commit(b, &x)?;
        let result = self.commit_result(b, &[value])?;
        let x: Vec<B::Poly> = wires.iter().map(|x| b.poly(x)).collect();
        let mut sum = b.poly_mul(&x[0], &x[1])?;
        let mut product = b.poly_constant(F::ONE);
        for (i, c) in c.iter().enumerate() {
            let factor = b.poly_add_constant(&x[i % 3], *c);
            product = b.poly_mul(&product, &factor)?;
        }
        sum = b.poly_add(&sum, &product);
        let linear = b.poly_scale(&x[2], three);
        sum = b.poly_add(&sum, &linear);
        let result = b.poly(&result[0]);
        let result = b.poly_scale(&result, -F::ONE);
        let claim = b.poly_add(&sum, &result);
        b.assert_poly_zero(&[claim])
    }

    fn one_of<B: Polynomials<F>>(&mut self, b: &mut B, n: usize) -> Result<(), B::Error> {
        let set: Vec<F> = (0..n).map(|i| F::digit(2 * i as u8)).collect();
        let x = self.commit_result(b, &set)?;
        b.assert_one_of(&x, &set)
    }

    fn matrix<B: Polynomials<F>>(&mut self, b: &mut B, shape: MatrixShape) -> Result<(), B::Error> {
        let MatrixShape { rows, inner, columns } = shape;
        let (x, y) = (self.random(rows * inner), self.random(inner * columns));
        let entry = |i: usize, j: usize| {
            (0..inner).fold(F::ZERO, |sum, l| sum + x[i * inner + l] * y[l * columns + j])
        };
        let product: Vec<F> = (0..rows * columns).map(|n| entry(n / columns, n % columns)).collect();
        let (x, y) = (self.commit(b, &x)?, self.commit(b, &y)?);
        let z = self.commit_result(b, &product)?;
        b.assert_matrix_product(shape, &x, &y, &z)
    }

    fn linear<B: Polynomials<F>>(&mut self, b: &mut B, rows: usize, columns: usize) -> Result<(), B::Error> {
        let x = self.random(columns);
        // No entry is zero.
        let matrix: Vec<F> = (0..rows * columns).map(|i| F::digit(1 + (i % 255) as u8)).collect();
        let row = |row: &[F]| row.iter().zip(&x).fold(F::ZERO, |sum, (a, x)| sum + *a * *x);
        let t: Vec<F> = matrix.chunks(columns).map(row).collect();
        let x = self.commit_result(b, &x)?;
        b.assert_linear(&matrix, &x, &t)
    }

    fn equal<B: Polynomials<F>>(&mut self, b: &mut B, n: usize) -> Result<(), B::Error> {
        let x = self.random(n);
        let (x, y) = (self.commit(b, &x)?, self.commit_result(b, &x)?);
        let differences: Vec<B::Wire> = x.iter().zip(&y).map(|(x, y)| b.sub(x, y)).collect();
        b.assert_zero(&differences)
    }
}
