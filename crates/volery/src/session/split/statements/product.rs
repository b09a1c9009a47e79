//! Knowledge of two matrices with a public product, cut between rows of the first.

use volery_circuit::{Digest, Error as StatementError, MatrixShape, Polynomials};
use volery_field::{Value, Wiped};

use super::part;
use crate::Error;
use crate::split::{Equal, Layout, Shard, ShardInfo, Sharded};

/// "I know matrices `A` and `B` with this product", in shards of consecutive rows of `A`. Each shard commits
/// to all of `B`, and its entries are equal to those of the first shard.
pub struct SplitProduct<F: Value> {
    shape: MatrixShape,
    product: Vec<F>,
    shards: usize,
    /// Both factors, row by row.
    factors: Option<[Wiped<F>; 2]>,
}

impl<F: Value> core::fmt::Debug for SplitProduct<F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut out = f.debug_struct("SplitProduct");
        out.field("shape", &self.shape).field("shards", &self.shards).finish_non_exhaustive()
    }
}

impl<F: Value> SplitProduct<F> {
    /// The public side of the claim, in so many shards, or in as many as there are rows if these are fewer.
    /// `product` has its entries row by row.
    ///
    /// # Errors
    /// [`StatementError::Public`] for no shards, no entries, and a product of another size.
    pub fn new(shape: MatrixShape, product: Vec<F>, shards: usize) -> Result<Self, StatementError> {
        let MatrixShape { rows, inner, columns } = shape;
        if shards == 0 || rows == 0 || inner == 0 || columns == 0 {
            return Err(StatementError::Public("a product in no shards, or of no entries".into()));
        }
        let (a, b) = (rows.checked_mul(inner), inner.checked_mul(columns));
        let (Some(a), Some(b)) = (a, b) else {
            return Err(StatementError::Public("matrices that are too large".into()));
        };
        shape.check(a, b, product.len()).map_err(|error| StatementError::Public(error.to_string()))?;
        Ok(Self { shape, product, shards: shards.min(rows), factors: None })
    }

    /// Adds the factors, row by row, which only the prover holds.
    ///
    /// # Errors
    /// [`StatementError::Witness`] if they have other sizes.
    pub fn with_factors(mut self, a: Vec<F>, b: Vec<F>) -> Result<Self, StatementError> {
        let MatrixShape { rows, inner, columns } = self.shape;
        let (a, b) = (Wiped::new(a), Wiped::new(b));
        if a.len() != rows * inner || b.len() != inner * columns {
            return Err(StatementError::Witness(format!(
                "factors of {} and {} entries; the claim is about {rows} x {inner} and {inner} x {columns}",
                a.len(),
                b.len()
            )));
        }
        self.factors = Some([a, b]);
        Ok(self)
    }

    fn rows(&self, n: usize) -> core::ops::Range<usize> {
        let rows = part(self.shape.rows as u64, self.shards, n);
        // The ends are at most the number of rows.
        rows.start as usize..rows.end as usize
    }
}

/// A shard of a [`SplitProduct`].
#[derive(Debug)]
pub struct SplitProductPart<'a, F: Value> {
    whole: &'a SplitProduct<F>,
    n: usize,
}

impl<F: Value> Sharded for SplitProduct<F> {
    type Shard<'a> = SplitProductPart<'a, F>;

    fn layout(&self) -> Result<Layout, Error> {
        let boundary = self.shape.inner * self.shape.columns;
        let info = |n| ShardInfo::of::<F, _>(&SplitProductPart { whole: self, n }, boundary);
        let equal = |n| Equal { from: (0, 0), to: (n, 0), wires: boundary };
        Layout::new((0..self.shards).map(info).collect(), (1..self.shards).map(equal).collect())
    }

    fn shard(&self, n: usize) -> Result<SplitProductPart<'_, F>, StatementError> {
        match n < self.shards {
            true => Ok(SplitProductPart { whole: self, n }),
            false => Err(StatementError::misuse(format!("shard {n} of {}", self.shards))),
        }
    }
}

impl<F: Value, B: Polynomials<F>> Shard<F, B> for SplitProductPart<'_, F> {
    fn identify(&self, digest: &mut Digest) {
        let SplitProduct { shape: MatrixShape { rows, inner, columns }, product, shards, .. } = self.whole;
        digest.bytes("shard", b"matrix product v1").bytes("field", F::NAME.as_bytes());
        for (label, number) in [
            ("shard", self.n),
            ("shards", *shards),
            ("rows", *rows),
            ("inner", *inner),
            ("columns", *columns),
        ] {
            digest.number(label, number as u64);
        }
        let rows = self.whole.rows(self.n);
        let mut bytes = Vec::new();
        for entry in product.get(rows.start * columns..rows.end * columns).unwrap_or_default() {
            crate::session::split::dealt::encode(entry, &mut bytes);
        }
        digest.bytes("product", &bytes);
    }

    fn commitments(&self) -> Option<u64> {
        let MatrixShape { inner, columns, .. } = self.whole.shape;
        Some(((self.whole.rows(self.n).len() + columns) * inner) as u64)
    }

    fn run(&self, backend: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        let SplitProduct { shape: MatrixShape { inner, columns, .. }, product, factors, .. } = self.whole;
        let rows = self.whole.rows(self.n);
        let mut secret = |which: usize, range: core::ops::Range<usize>| {
            backend.secret(range.len(), &mut |_| {
                let values = factors.as_ref().and_then(|factors| factors.get(which)?.get(range.clone()));
                values
                    .map(<[F]>::to_vec)
                    .ok_or_else(|| StatementError::Witness("there are no factors".into()))
            })
        };
        let a = secret(0, rows.start * inner..rows.end * inner)?;
        let b = secret(1, 0..inner * columns)?;
        let c = product.get(rows.start * columns..rows.end * columns).unwrap_or_default();
        let c: Vec<_> = c.iter().map(|entry| backend.constant(*entry)).collect();
        let shape = MatrixShape { rows: rows.len(), inner: *inner, columns: *columns };
        backend.assert_matrix_product(shape, &a, &b, &c)?;
        Ok(b)
    }
}
