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

/// The left and right rows of multiplications.
struct Factors<'x, R: Ring, B: Base<R>> {
    left: Waiting<R, B>,
    right: Waiting<R, B>,
    /// Rows that wait.
    filled: usize,
    /// Where in the chunk they begin.
    place: usize,
    /// Left and right rows of the chunk before that, under the factors within it.
    sums: [B::Token; 2],
    /// Under which challenge they are, and those of later ones.
    rows: &'x Products<B::Mac>,
    later: core::slice::Iter<'x, Products<B::Mac>>,
    across: Across,
    /// Whole chunks under this challenge.
    chunks: usize,
    sum: B::Token,
}

/// Rows that wait for their coefficients: few enough for the first-level cache, whole runs, and a part of a chunk.
const BLOCK: usize = 1 << 8;

/// So many rows at most; wiped on drop.
struct Waiting<R: Ring, B: Base<R>>(Box<[B::Half]>);

impl<R: Ring, B: Base<R>> Waiting<R, B> {
    fn new(rows: usize) -> Self {
        Self(vec![B::Half::default(); rows].into_boxed_slice())
    }
}

impl<R: Ring, B: Base<R>> Drop for Waiting<R, B> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<'x, R: Ring, B: Base<R>> Factors<'x, R, B> {
    fn new(rows: &'x [Products<B::Mac>]) -> Result<Self, Error> {
        let mut later = rows.iter();
        let rows = later.next().ok_or_else(|| StatementError::misuse("a disjunction without a challenge"))?;
        Ok(Self {
            left: Waiting::new(BLOCK),
            right: Waiting::new(BLOCK),
            filled: 0,
            place: 0,
            sums: Default::default(),
            rows,
            across: rows.grid.across(),
            later,
            chunks: 0,
            sum: B::Token::default(),
        })
    }

    /// Adds what these rows weigh, which are next in the chunk.
    fn weigh(&mut self, rows: [&[B::Half]; 2]) -> Result<(), Error> {
        let runs = rows[0].len().div_ceil(B::RUN);
        let within = &self.rows.grid.within()[self.place / B::RUN..][..runs];
        for (sum, rows) in self.sums.iter_mut().zip(rows) {
            *sum = sum.plus(B::combine(rows, within)?);
        }
        self.place += rows[0].len();
        Ok(())
    }

    /// Weighs what waits, and ends the chunk if that is full.
    #[cold]
    #[inline(never)]
    fn end_block(&mut self) -> Result<(), Error> {
        let filled = core::mem::take(&mut self.filled);
        let empty = || Waiting(Box::default());
        let [left, right] =
            [&mut self.left, &mut self.right].map(|waiting| core::mem::replace(waiting, empty()));
        let weighed = self.weigh([&left.0[..filled], &right.0[..filled]]);
        (self.left, self.right) = (left, right);
        weighed?;
        if self.place >= CHUNK {
            self.end_chunk();
        }
        Ok(())
    }

    /// Multiplies the chunk's sum by the chunk's factor.
    fn end_chunk(&mut self) {
        let sums = core::mem::take(&mut self.sums);
        self.sum = self.sum.plus(self.rows.chunk::<R, B>(sums, &mut self.across));
        self.place = 0;
        self.chunks += 1;
        if self.chunks * CHUNK == FOLD
            && let Some(rows) = self.later.next()
        {
            (self.rows, self.across, self.chunks) = (rows, rows.grid.across(), 0);
        }
    }

    /// As many rows as there is room for; how many.
    fn extend(&mut self, x: &[B::Wire], y: &[B::Wire]) -> Result<usize, Error> {
        if self.filled >= BLOCK {
            self.end_block()?;
        }
        if self.filled == 0
            && x.len() >= BLOCK
            && let (Some(x), Some(y)) = (B::halves(x), B::halves(y))
        {
            // Whole blocks are weighed where they are.
            let n = (x.len() / BLOCK * BLOCK).min(CHUNK - self.place);
            self.weigh([&x[..n], &y[..n]])?;
            if self.place >= CHUNK {
                self.end_chunk();
            }
            return Ok(n);
        }
        let n = x.len().min(BLOCK - self.filled);
        for (Waiting(waiting), wires) in [(&mut self.left, x), (&mut self.right, y)] {
            waiting[self.filled..][..n].iter_mut().zip(wires).for_each(|(to, wire)| *to = B::half(wire));
        }
        self.filled += n;
        Ok(n)
    }

    fn finish(mut self) -> Result<B::Token, Error> {
        self.end_block()?;
        if self.place > 0 {
            self.end_chunk();
        }
        Ok(core::mem::take(&mut self.sum))
    }
}

impl<R: Ring, B: Base<R>> Drop for Factors<'_, R, B> {
    fn drop(&mut self) {
        self.sums.iter_mut().for_each(B::Token::zeroize);
        self.sum.zeroize();
    }
}

/// The rows of what is claimed to be zero: those of a chunk that wait for their coefficients, and the sum of those before.
struct Asserted<'x, R: Ring, B: Base<R>> {
    waiting: Waiting<R, B>,
    filled: usize,
    sum: B::Token,
    rows: &'x Grid<B::Mac>,
    across: Across,
}

impl<'x, R: Ring, B: Base<R>> Asserted<'x, R, B> {
    fn new(rows: &'x Grid<B::Mac>) -> Self {
        Self {
            waiting: Waiting::new(CHUNK),
            filled: 0,
            sum: B::Token::default(),
            rows,
            across: rows.across(),
        }
    }

    fn push(&mut self, wire: &B::Wire) -> Result<(), Error> {
        if self.filled >= CHUNK {
            self.end_chunk()?;
        }
        self.waiting.0[self.filled] = B::half(wire);
        self.filled += 1;
        Ok(())
    }

    fn end_chunk(&mut self) -> Result<(), Error> {
        let n = core::mem::take(&mut self.filled);
        let sum = B::combine(&self.waiting.0[..n], &self.rows.within()[..n.div_ceil(B::RUN)])?;
        self.sum = self.sum.plus(sum.times(self.across.next()));
        Ok(())
    }
}

impl<R: Ring, B: Base<R>> Drop for Asserted<'_, R, B> {
    fn drop(&mut self) {
        self.sum.zeroize();
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
        Ok((factors.finish()?.plus(asserted.sum), weighed))
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
        let Some(product) = self.products.get(self.next) else { return too_large("multiplications") };
        if self.factors.filled >= BLOCK {
            self.factors.end_block()?;
        }
        let Factors { left: Waiting(left), right: Waiting(right), filled, .. } = &mut self.factors;
        if let (Some(left), Some(right)) = (left.get_mut(*filled), right.get_mut(*filled)) {
            (*left, *right) = (B::half(x), B::half(y));
        }
        *filled += 1;
        self.next += 1;
        Ok(product.clone())
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
