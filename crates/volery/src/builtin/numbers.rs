//! Built-in statements over a field: sizes first, then the numbers, which are many and come in files.
//!
//! ```
//! use volery::builtin::{FieldBuiltin, read_numbers};
//! use volery_circuit::Evaluator;
//! use volery_field::F61;
//!
//! let sizes = FieldBuiltin::new("inner-product", &[("length", "2")])?;
//! let public = read_numbers::<F61>(&b"11"[..], "public", sizes.public_numbers())?;
//! let secret = read_numbers::<F61>(&b"1 2 3 4"[..], "witness", sizes.secret_numbers())?;
//! let statement = sizes.over(&public)?.with_witness(&secret)?;
//! assert_eq!(Evaluator::check(&statement), Ok(())); // 1 * 3 + 2 * 4
//! # Ok::<(), volery_circuit::Error>(())
//! ```

use volery_circuit::statements::{InnerProduct, MatrixProduct, Short, Sis};
use volery_circuit::{Error, MatrixShape, Polynomials, forward_statement};
use volery_field::Value;

use super::values::Values;
use super::{Entry, known};

/// A built-in statement over a field that is not chosen yet, before its public numbers are there.
#[derive(Clone, Debug)]
pub struct FieldBuiltin {
    entry: &'static Entry,
    text: String,
    sizes: Sizes,
}

#[derive(Clone, Copy, Debug)]
enum Sizes {
    Sis { rows: usize, columns: usize, short: Short, seed: [u8; 32] },
    MatrixProduct(MatrixShape),
    InnerProduct { length: usize },
}

/// The most that a size can be; statements have their own bounds for products of sizes.
const MOST: u64 = 1 << 28;

impl FieldBuiltin {
    /// The sizes of the statement `name`. Values are texts by name: decimal numbers, a seed of 64 hex digits,
    /// a bound that is a number or `binary`.
    ///
    /// # Errors
    /// [`Error::Public`] if there is no such statement, it is not over a field of numbers, or a value is
    /// missing, malformed, or belongs to another statement.
    pub fn new(name: &str, public: &[(&str, &str)]) -> Result<Self, Error> {
        let entry = known(name)?;
        let values = Values::new(entry, public)?;
        let size = |name| Ok::<_, Error>(values.number(name, MOST)? as usize);
        let sizes = match entry.name {
            "sis" => Sizes::Sis {
                rows: size("rows")?,
                columns: size("columns")?,
                short: match values.get("bound") {
                    "binary" => Short::Binary,
                    _ => Short::Within(values.number("bound", 1 << 16)? as u32),
                },
                seed: values.bytes("seed")?,
            },
            "matmul" => Sizes::MatrixProduct(MatrixShape {
                rows: size("rows")?,
                inner: size("inner")?,
                columns: size("columns")?,
            }),
            "inner-product" => Sizes::InnerProduct { length: size("length")? },
            _ => return Err(Error::Public(format!("{name} is a statement about bits"))),
        };
        Ok(Self { entry, text: values.text(), sizes })
    }

    /// What the registry says about it.
    #[must_use]
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Its name and public values, on one line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many public numbers it has.
    #[must_use]
    pub fn public_numbers(&self) -> usize {
        match self.sizes {
            Sizes::Sis { rows, .. } => rows,
            Sizes::MatrixProduct(MatrixShape { rows, columns, .. }) => rows.saturating_mul(columns),
            Sizes::InnerProduct { .. } => 1,
        }
    }

    /// How many secret numbers it has.
    #[must_use]
    pub fn secret_numbers(&self) -> usize {
        match self.sizes {
            Sizes::Sis { columns, .. } => columns,
            Sizes::MatrixProduct(shape) => {
                let MatrixShape { rows, inner, columns } = shape;
                rows.saturating_mul(inner).saturating_add(inner.saturating_mul(columns))
            }
            Sizes::InnerProduct { length } => length.saturating_mul(2),
        }
    }

    /// The statement over `F` with these public numbers: the vector of `sis`, the product of the others.
    ///
    /// # Errors
    /// [`Error::Public`] if there are not [`FieldBuiltin::public_numbers`] of them, or the sizes are too
    /// large or do not suit the field.
    pub fn over<F: Value>(&self, public: &[F]) -> Result<OverField<F>, Error> {
        let (got, needed) = (public.len(), self.public_numbers());
        let statement = match (self.sizes, public) {
            _ if got != needed => {
                return Err(Error::Public(format!("{needed} numbers are needed, not {got}")));
            }
            (Sizes::Sis { columns, short, seed, .. }, public) => {
                FieldStatement::Sis(Sis::new(columns, short, seed, public.to_vec())?)
            }
            (Sizes::MatrixProduct(shape), public) => {
                FieldStatement::MatrixProduct(MatrixProduct::new(shape, Some(public.to_vec()))?)
            }
            (Sizes::InnerProduct { length }, public) => {
                FieldStatement::InnerProduct(InnerProduct::new(length, public.first().copied())?)
            }
        };
        Ok(OverField { sizes: self.sizes, statement })
    }
}

impl FieldBuiltin {
    /// The public numbers for which these secret ones are a witness. In the clear.
    ///
    /// # Errors
    /// As [`FieldBuiltin::over`]; [`Error::Witness`] if there are not [`FieldBuiltin::secret_numbers`] of
    /// them.
    pub fn compute<F: Value>(&self, secret: &[F]) -> Result<Vec<F>, Error> {
        let shape = match self.sizes {
            Sizes::Sis { columns, short, seed, rows } => {
                let (got, target) = (secret.len(), vec![F::ZERO; rows]);
                if got != columns {
                    return Err(Error::Witness(format!("{columns} numbers are needed, not {got}")));
                }
                return Ok(Sis::new(columns, short, seed, target)?.image(secret));
            }
            Sizes::MatrixProduct(shape) => shape,
            Sizes::InnerProduct { length } => MatrixShape { rows: 1, inner: length, columns: 1 },
        };
        let (a, b) = secret.split_at(shape.rows.saturating_mul(shape.inner).min(secret.len()));
        let product = MatrixProduct::new(shape, None)?.with_factors(a.to_vec(), b.to_vec())?;
        Ok(product.product().unwrap_or_default().to_vec())
    }
}

/// A built-in statement over the field `F` with its public numbers and, at the prover, its witness.
#[derive(Debug)]
pub struct OverField<F: Value> {
    sizes: Sizes,
    statement: FieldStatement<F>,
}

#[derive(Debug)]
enum FieldStatement<F: Value> {
    Sis(Sis<F>),
    MatrixProduct(MatrixProduct<F>),
    InnerProduct(InnerProduct<F>),
}

impl<F: Value> OverField<F> {
    /// Adds the secret numbers, in the order that the entry's `secret` says.
    ///
    /// # Errors
    /// [`Error::Witness`] if there are not [`FieldBuiltin::secret_numbers`] of them.
    pub fn with_witness(self, secret: &[F]) -> Result<Self, Error> {
        // A first part that is longer than all there is leaves the second one short, which is refused below.
        let halves = |first: usize| {
            let (first, second) = secret.split_at(first.min(secret.len()));
            (first.to_vec(), second.to_vec())
        };
        let statement = match (self.statement, self.sizes) {
            (FieldStatement::Sis(statement), _) => {
                FieldStatement::Sis(statement.with_solution(secret.to_vec())?)
            }
            (FieldStatement::MatrixProduct(statement), Sizes::MatrixProduct(shape)) => {
                let (a, b) = halves(shape.rows.saturating_mul(shape.inner));
                FieldStatement::MatrixProduct(statement.with_factors(a, b)?)
            }
            (FieldStatement::InnerProduct(statement), Sizes::InnerProduct { length }) => {
                let (x, y) = halves(length);
                FieldStatement::InnerProduct(statement.with_vectors(x, y)?)
            }
            // `over` makes both of one sort.
            (statement, _) => statement,
        };
        Ok(Self { sizes: self.sizes, statement })
    }
}

forward_statement! {
    impl [F: Value, B: Polynomials<F>] Statement<B> for OverField<F> {
        Self { statement: FieldStatement::Sis(statement), .. } => statement,
        Self { statement: FieldStatement::MatrixProduct(statement), .. } => statement,
        Self { statement: FieldStatement::InnerProduct(statement), .. } => statement,
    }
}
