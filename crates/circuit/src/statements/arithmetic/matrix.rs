//! Knowledge of two matrices with a given product.

use volery_field::Value;

use super::{MOST_ENTRIES, identify_result, part};
use crate::elements::bring_in;
use crate::seeded::Seeded;
use crate::{Digest, Error, MatrixShape, Polynomials, Statement, Witness};

/// "I know matrices `A` and `B` with this product", or, if the product is secret, "... and `C = A B`, which I
/// have committed to".
///
/// This is one claim (QuickSilver, section 5.2). The prover sends the entries of the secret matrices, in
/// row-major order.
pub struct MatrixProduct<F: Value> {
    shape: MatrixShape,
    pub(super) public: Option<Vec<F>>,
    /// The first factor, the second, and the product if it is secret.
    pub(super) secret: Option<[Witness<F>; 3]>,
}

impl<F: Value> core::fmt::Debug for MatrixProduct<F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("MatrixProduct").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl<F: Value> MatrixProduct<F> {
    /// The public side of the claim. `product` has its entries, or is `None` if they are secret.
    ///
    /// # Errors
    /// [`Error::Public`] if the matrices are too large, or the product has the wrong size.
    pub fn new(shape: MatrixShape, product: Option<Vec<F>>) -> Result<Self, Error> {
        let MatrixShape { rows, inner, columns } = shape;
        let size = |rows: usize, columns: usize| {
            let size = rows.max(1).checked_mul(columns.max(1)).filter(|&size| size <= MOST_ENTRIES);
            size.map(|_| rows * columns)
        };
        let (Some(a), Some(b), Some(c)) = (size(rows, inner), size(inner, columns), size(rows, columns))
        else {
            return Err(Error::Public(format!("matrices of {rows} x {inner} x {columns} are too large")));
        };
        shape
            .check(a, b, product.as_ref().map_or(c, Vec::len))
            .map_err(|error| Error::Public(error.to_string()))?;
        Ok(Self { shape, public: product, secret: None })
    }

    /// Adds the factors. A secret product is computed from them.
    ///
    /// # Errors
    /// [`Error::Witness`] if they have the wrong sizes.
    pub fn with_factors(mut self, a: Vec<F>, b: Vec<F>) -> Result<Self, Error> {
        let MatrixShape { rows, inner, columns } = self.shape;
        let (a, b) =
            (part("the first factor", a, rows * inner)?, part("the second factor", b, inner * columns)?);
        let product = match self.public {
            Some(_) => Witness::default(),
            None => Witness::new(multiply(self.shape, a.values(), b.values())),
        };
        self.secret = Some([a, b, product]);
        Ok(self)
    }

    /// The entries of the product, either the public ones or those computed from the factors.
    #[must_use]
    pub fn product(&self) -> Option<&[F]> {
        let computed = || self.secret.as_ref().map(|[_, _, product]| product.values());
        self.public.as_deref().or_else(computed)
    }

    /// Public random factors and their product, for measurements.
    ///
    /// # Errors
    /// As [`MatrixProduct::new`].
    pub fn sample(shape: MatrixShape, public_product: bool, seed: [u8; 32]) -> Result<Self, Error> {
        let empty = Self::new(shape, None)?;
        let mut random = Seeded::new("matrix product", &seed);
        let a: Vec<F> = random.elements(shape.rows * shape.inner);
        let b: Vec<F> = random.elements(shape.inner * shape.columns);
        if !public_product {
            return empty.with_factors(a, b);
        }
        Self::new(shape, Some(multiply(shape, &a, &b)))?.with_factors(a, b)
    }
}

/// `a * b`, with the sizes of `shape`.
fn multiply<F: Value>(shape: MatrixShape, a: &[F], b: &[F]) -> Vec<F> {
    let mut product = vec![F::ZERO; shape.rows * shape.columns];
    for (row, a) in product.chunks_mut(shape.columns.max(1)).zip(a.chunks(shape.inner.max(1))) {
        // Goes through b row by row, so that memory is read in order.
        for (a, b) in a.iter().zip(b.chunks(shape.columns.max(1))) {
            for (sum, b) in row.iter_mut().zip(b) {
                *sum += *a * *b;
            }
        }
    }
    product
}

impl<F: Value, B: Polynomials<F>> Statement<B> for MatrixProduct<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"matrix product v1").bytes("field", F::NAME.as_bytes());
        let MatrixShape { rows, inner, columns } = self.shape;
        for (label, number) in [("rows", rows), ("inner", inner), ("columns", columns)] {
            digest.number(label, number as u64);
        }
        identify_result(digest, self.public.as_deref());
    }

    fn commitments(&self) -> Option<u64> {
        let MatrixShape { rows, inner, columns } = self.shape;
        let product = if self.public.is_some() { 0 } else { rows * columns };
        Some((rows * inner) as u64 + (inner * columns) as u64 + product as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("matrix product");
        let MatrixShape { rows, inner, columns } = self.shape;
        let matrix = |backend: &mut B, which: usize, size: usize| {
            let mut wires = Vec::with_capacity(size);
            let witness = self.secret.as_ref().map(|parts| &parts[which]);
            bring_in(backend, size, 0, witness, &mut wires).map(|()| wires)
        };
        let a = matrix(backend, 0, rows * inner)?;
        let b = matrix(backend, 1, inner * columns)?;
        let c = match &self.public {
            None => matrix(backend, 2, rows * columns)?,
            Some(product) => product.iter().map(|&entry| backend.constant(entry)).collect(),
        };
        backend.assert_matrix_product(self.shape, &a, &b, &c)?;
        backend.leave();
        Ok(())
    }
}
