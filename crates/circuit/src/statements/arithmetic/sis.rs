//! Knowledge of a short solution of a linear system: the short-integer-solution problem.

use volery_field::Value;

use super::{MOST_ENTRIES, part};
use crate::elements::{bring_in, encode};
use crate::polynomials::check_degree;
use crate::seeded::Seeded;
use crate::{Digest, Error, Polynomials, Statement, Witness};

/// The bound on the entries of a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// Entries are 0 or 1: a claim of degree 2.
    Binary,
    /// Entries are from `-B` to `B`: a claim of degree `2B + 1`. `Within(1)` is a ternary solution.
    Within(u32),
}

impl Short {
    /// The values that an entry may have. They must be different elements of `F`.
    fn values<F: Value>(self) -> Result<Vec<F>, Error> {
        let Self::Within(bound) = self else { return Ok(vec![F::ZERO, F::ONE]) };
        let count = 2 * u64::from(bound) + 1;
        check_degree(usize::try_from(count).unwrap_or(usize::MAX)).map_err(|_| {
            Error::Public(format!("a bound of {bound} is too large for a claim about a product"))
        })?;
        if F::CHARACTERISTIC.is_some_and(|p| p < count) {
            let field = F::NAME;
            return Err(Error::Public(format!(
                "{field} has fewer elements than there are from -{bound} to {bound}"
            )));
        }
        let magnitudes = (1..=u64::from(bound)).map(F::from_u64);
        Ok(core::iter::once(F::ZERO).chain(magnitudes.flat_map(|x| [x, -x])).collect())
    }
}

/// "I know a short `s` with `A s = t`" for a public `A` of `rows` by `columns` uniform entries, expanded from
/// a public seed.
///
/// QuickSilver, section 5.2: `s` is committed to, each entry is a zero of a product polynomial, and the rest
/// is linear and free. The communication is `columns` elements, and one element of the MAC field for each
/// degree.
pub struct Sis<F: Value> {
    rows: usize,
    short: Short,
    seed: [u8; 32],
    /// In row-major order.
    pub(super) matrix: Vec<F>,
    pub(super) target: Vec<F>,
    columns: usize,
    values: Vec<F>,
    secret: Option<Witness<F>>,
}

impl<F: Value> core::fmt::Debug for Sis<F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let shape = (self.rows, self.columns);
        f.debug_struct("Sis").field("shape", &shape).field("short", &self.short).finish_non_exhaustive()
    }
}

impl<F: Value> Sis<F> {
    /// The public side of the claim; `target` has an entry for each row.
    ///
    /// # Errors
    /// [`Error::Public`] for a matrix of more than 2^28 entries, or bounds that exceed a claim's degree or
    /// the field.
    pub fn new(columns: usize, short: Short, seed: [u8; 32], target: Vec<F>) -> Result<Self, Error> {
        let rows = target.len();
        if rows.max(1).checked_mul(columns.max(1)).is_none_or(|entries| entries > MOST_ENTRIES) {
            return Err(Error::Public(format!("a matrix of {rows} times {columns} entries is too large")));
        }
        let values = short.values()?;
        let matrix = Seeded::new("sis matrix", &seed).elements(rows * columns);
        Ok(Self { rows, columns, short, seed, matrix, target, values, secret: None })
    }

    /// Adds the solution. This does not check it; [`Evaluator::check`](crate::Evaluator::check) does.
    ///
    /// # Errors
    /// [`Error::Witness`] unless it has one entry for each column.
    pub fn with_solution(mut self, solution: Vec<F>) -> Result<Self, Error> {
        self.secret = Some(part("the solution", solution, self.columns)?);
        Ok(self)
    }

    /// A system of this shape with a public solution, for measurements.
    ///
    /// # Errors
    /// As [`Sis::new`].
    pub fn sample(rows: usize, columns: usize, short: Short, seed: [u8; 32]) -> Result<Self, Error> {
        let mut sis = Self::new(columns, short, seed, vec![F::ZERO; rows])?;
        let mut random = Seeded::new("sis solution", &seed);
        let count = sis.values.len() as u64;
        let solution: Vec<F> = (0..columns).map(|_| sis.values[random.below(count) as usize]).collect();
        sis.target = sis.image(&solution);
        sis.with_solution(solution)
    }

    /// The product of the matrix and `solution`: the target that it solves. Missing entries count as zero.
    #[must_use]
    pub fn image(&self, solution: &[F]) -> Vec<F> {
        let row = |row: usize| {
            let row = &self.matrix[row * self.columns..][..self.columns];
            row.iter().zip(solution).fold(F::ZERO, |sum, (a, s)| sum + *a * *s)
        };
        (0..self.rows).map(row).collect()
    }
}

impl<F: Value, B: Polynomials<F>> Statement<B> for Sis<F> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"sis v1").bytes("field", F::NAME.as_bytes());
        digest.number("rows", self.rows as u64).number("columns", self.columns as u64);
        match self.short {
            Short::Binary => digest.bytes("short", b"binary"),
            Short::Within(bound) => digest.bytes("short", b"within").number("bound", bound.into()),
        };
        digest.bytes("seed", &self.seed).bytes("target", &encode(&self.target));
    }

    fn commitments(&self) -> Option<u64> {
        Some(self.columns as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("sis");
        let mut solution = Vec::with_capacity(self.columns);
        bring_in(backend, self.columns, 0, self.secret.as_ref(), &mut solution)?;
        backend.enter("short");
        match self.short {
            Short::Binary => backend.assert_products(&solution, &solution, &solution)?,
            Short::Within(_) => backend.assert_one_of(&solution, &self.values)?,
        }
        backend.leave();
        backend.enter("linear");
        backend.assert_linear(&self.matrix, &solution, &self.target)?;
        backend.leave();
        backend.leave();
        Ok(())
    }
}
