//! A branch on commitments: what its rows weigh.

use volery_circuit::{Backend, Branch, Error as StatementError, Hint, Ops, Prove};
use volery_field::Ring;
use zeroize::Zeroize;

use super::base::{Base, Token as _, Weighed};
use super::robin::Committed;
use super::rows::{Across, CHUNK, FOLD, Grid, Products, Rows};
use super::tracer::check_many;
use crate::Error;

/// Runs one branch on the committed inputs and products, and sums `s_k l'_k + beta s_k r'_k + t_j a_j` over its rows.
///
/// Both parties run it for every branch. Nothing depends on values: hints do not run, assertions become rows.
pub struct Weigher<'x, R: Ring, B: Base<R>> {
    base: &'x mut B,
    /// Committed values that the branch has not asked for yet.
    inputs: &'x [B::Wire],
    products: &'x [B::Wire],
    /// Multiplications so far.
    next: usize,
    factors: Factors<'x, R, B>,
    asserted: Asserted<'x, R, B>,
    weighed: Weighed,
}

/// The rows of a chunk that wait for their coefficients, each at its place, and the sum of those before under the chunk's factors.
struct Column<R: Ring, B: Base<R>> {
    waiting: Box<[B::Half]>,
    sum: B::Token,
}

impl<R: Ring, B: Base<R>> Column<R, B> {
    fn new() -> Self {
        Self { waiting: vec![B::Half::default(); CHUNK].into_boxed_slice(), sum: B::Token::default() }
    }
}

impl<R: Ring, B: Base<R>> Drop for Column<R, B> {
    fn drop(&mut self) {
        self.waiting.zeroize();
        self.sum.zeroize();
    }
}

/// The left and right rows of multiplications.
struct Factors<'x, R: Ring, B: Base<R>> {
    left: Column<R, B>,
    right: Column<R, B>,
    /// Places in the chunk up to which rows were weighed, and up to which there are some.
    weighed: usize,
    filled: usize,
    /// Under which challenge they are, and those of later ones.
    rows: &'x Products<B::Mac>,
    later: core::slice::Iter<'x, Products<B::Mac>>,
    across: Across,
    /// Whole chunks under this challenge.
    chunks: usize,
    sum: B::Token,
}

impl<'x, R: Ring, B: Base<R>> Factors<'x, R, B> {
    fn new(rows: &'x [Products<B::Mac>]) -> Result<Self, Error> {
        let mut later = rows.iter();
        let rows = later.next().ok_or_else(|| StatementError::misuse("a disjunction without a challenge"))?;
        Ok(Self {
            left: Column::new(),
            right: Column::new(),
            weighed: 0,
            filled: 0,
            rows,
            across: rows.grid.across(),
            later,
            chunks: 0,
            sum: B::Token::default(),
        })
    }

    /// Weighs the rows that wait.
    fn weigh(&mut self) -> Result<(), Error> {
        let waiting = self.weighed..self.filled;
        self.weighed = self.filled;
        let (left, right) = (&self.left.waiting[waiting.clone()], &self.right.waiting[waiting.clone()]);
        let sums = B::combine_pair(left, right, &self.rows.grid.within()[waiting])?;
        self.add(sums);
        Ok(())
    }

    fn add(&mut self, [left, right]: [B::Token; 2]) {
        self.left.sum = self.left.sum.plus(left);
        self.right.sum = self.right.sum.plus(right);
    }

    /// Weighs what waits, and multiplies the chunk's sum by the chunk's factor.
    #[cold]
    #[inline(never)]
    fn end_chunk(&mut self) -> Result<(), Error> {
        self.weigh()?;
        let sums = [&mut self.left.sum, &mut self.right.sum].map(core::mem::take);
        self.sum = self.sum.plus(self.rows.chunk::<R, B>(sums, &mut self.across));
        (self.weighed, self.filled) = (0, 0);
        self.chunks += 1;
        if self.chunks * CHUNK == FOLD
            && let Some(rows) = self.later.next()
        {
            (self.rows, self.across, self.chunks) = (rows, rows.grid.across(), 0);
        }
        Ok(())
    }

    /// As many rows as the chunk has room for; how many.
    fn extend(&mut self, x: &[B::Wire], y: &[B::Wire]) -> Result<usize, Error> {
        let n = x.len().min(CHUNK - self.filled);
        let (x, y, places) = (&x[..n], &y[..n], self.filled..self.filled + n);
        self.filled += n;
        match (B::halves(x), B::halves(y)) {
            // Few are copied, so that they are weighed together with others.
            (Some(x), Some(y)) if n >= DIRECTLY => {
                self.filled = places.start;
                self.weigh()?;
                (self.weighed, self.filled) = (places.end, places.end);
                self.add(B::combine_pair(x, y, &self.rows.grid.within()[places])?);
            }
            _ => {
                self.left.waiting[places.clone()].iter_mut().zip(x).for_each(|(to, x)| *to = B::half(x));
                self.right.waiting[places].iter_mut().zip(y).for_each(|(to, y)| *to = B::half(y));
            }
        }
        if self.filled == CHUNK {
            self.end_chunk()?;
        }
        Ok(n)
    }

    fn finish(mut self) -> Result<B::Token, Error> {
        self.end_chunk()?;
        Ok(self.sum)
    }
}

/// Wires at once that are weighed where they are.
const DIRECTLY: usize = 64;

/// The rows of what is claimed to be zero.
struct Asserted<'x, R: Ring, B: Base<R>> {
    column: Column<R, B>,
    filled: usize,
    rows: &'x Grid<B::Mac>,
    across: Across,
}

impl<'x, R: Ring, B: Base<R>> Asserted<'x, R, B> {
    fn new(rows: &'x Grid<B::Mac>) -> Self {
        Self { column: Column::new(), filled: 0, rows, across: rows.across() }
    }

    fn push(&mut self, wire: &B::Wire) -> Result<(), Error> {
        if self.filled >= CHUNK {
            self.end_chunk()?;
        }
        self.column.waiting[self.filled] = B::half(wire);
        self.filled += 1;
        Ok(())
    }

    fn end_chunk(&mut self) -> Result<(), Error> {
        let n = core::mem::take(&mut self.filled);
        let sum = B::combine(&self.column.waiting[..n], &self.rows.within()[..n])?;
        self.column.sum = self.column.sum.plus(sum.times(self.across.next()));
        Ok(())
    }
}

impl<'x, R: Ring, B: Base<R>> Weigher<'x, R, B> {
    /// What the rows of `branch` weigh on these wires, and how many there are.
    pub(super) fn weigh<S: Branch<R, Self>>(
        branch: &S,
        base: &'x mut B,
        shared: &[B::Wire],
        committed: &'x Committed<R, B>,
        rows: &'x Rows<B::Mac>,
    ) -> Result<(B::Token, Weighed), Error> {
        let mut weigher = Self {
            base,
            inputs: &committed.inputs,
            products: &committed.products,
            next: 0,
            factors: Factors::new(&rows.products)?,
            asserted: Asserted::new(&rows.assertions),
            weighed: Weighed::default(),
        };
        let outputs = branch.run(&mut weigher, shared)?;
        weigher.come_out(&outputs, &committed.outputs)?;
        weigher.asserted.end_chunk()?;
        weigher.weighed.multiplications = weigher.next as u64;
        let Self { factors, asserted, weighed, .. } = weigher;
        Ok((factors.finish()?.plus(asserted.column.sum), weighed))
    }

    /// What comes out of the branch is what was committed to.
    fn come_out(&mut self, outputs: &[B::Wire], committed: &[B::Wire]) -> Result<(), Error> {
        if outputs.len() != committed.len() {
            let (got, expected) = (outputs.len(), committed.len());
            let reason = format!("{got} wires came out of a branch; its disjunction has {expected}");
            return Err(StatementError::misuse(reason).into());
        }
        for (output, committed) in outputs.iter().zip(committed) {
            let difference = self.base.sub(output, committed);
            self.assert_zero(&[difference])?;
        }
        Ok(())
    }
}

#[cold]
fn too_large<T>(what: &str) -> Result<T, Error> {
    Err(StatementError::misuse(format!("a branch has more {what} than the shape of its disjunction")).into())
}

impl<R: Ring, B: Base<R>> Backend for Weigher<'_, R, B> {
    type Error = Error;
}

impl<R: Ring, B: Base<R>> Ops<R> for Weigher<'_, R, B> {
    type Wire = B::Wire;

    #[inline(always)]
    fn constant(&mut self, c: R) -> B::Wire {
        self.base.constant(c)
    }

    #[inline(always)]
    fn add(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.base.add(x, y)
    }

    #[inline(always)]
    fn sub(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.base.sub(x, y)
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &B::Wire, c: R) -> B::Wire {
        self.base.add_constant(x, c)
    }

    #[inline(always)]
    fn scale(&mut self, x: &B::Wire, c: R) -> B::Wire {
        self.base.scale(x, c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &B::Wire, y: &B::Wire) -> Result<B::Wire, Error> {
        loop {
            let Some(product) = self.products.get(self.next) else { return too_large("multiplications") };
            let Factors { left, right, filled, .. } = &mut self.factors;
            if let (Some(left), Some(right)) = (left.waiting.get_mut(*filled), right.waiting.get_mut(*filled))
            {
                (*left, *right) = (B::half(x), B::half(y));
                *filled += 1;
                self.next += 1;
                return Ok(product.clone());
            }
            self.factors.end_chunk()?;
        }
    }

    fn mul_many(&mut self, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, Error> {
        check_many(x.len(), y.len())?;
        let rest = self.products.get(self.next..).unwrap_or_default();
        let Some(products) = rest.get(..x.len()) else { return too_large("multiplications") };
        self.next += x.len();
        let mut done = 0;
        while done < x.len() {
            done += self.factors.extend(&x[done..], &y[done..])?;
        }
        Ok(products.to_vec())
    }
}

impl<R: Ring, B: Base<R>> Prove<R> for Weigher<'_, R, B> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, R, B::Wire>) -> Result<Vec<B::Wire>, Error> {
        let Some((wires, rest)) = self.inputs.split_at_checked(n) else {
            return too_large("secret values");
        };
        self.inputs = rest;
        self.weighed.inputs += n as u64;
        Ok(wires.to_vec())
    }

    fn assert_zero(&mut self, x: &[B::Wire]) -> Result<(), Error> {
        x.iter().try_for_each(|wire| self.asserted.push(wire))?;
        self.weighed.assertions += x.len() as u64;
        Ok(())
    }
}

volery_circuit::polynomials_by_multiplying!([R: Ring, B: Base<R>] R, Weigher<'_, R, B>);
