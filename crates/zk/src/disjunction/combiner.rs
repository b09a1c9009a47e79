//! Runs a branch on commitments, and computes the random linear combination of its rows.
//!
//! Algorithm 1 of the paper computes `s^T M_i` backwards and takes its inner product with `w`. A single
//! disjunction only needs the resulting number, so the branch runs *forwards* here: the result of a
//! multiplication is the committed product whatever its operands are, and each row adds its weighted value.
//! For a single disjunction this has four advantages:
//!
//! * any program can be a branch as it is; nothing is recorded, which saves 12 to 16 bytes for each gate and
//!   branch;
//! * live wires stay in the cache, and no list of gates is decoded;
//! * a branch reads wires of the statement around it like any others;
//! * one coefficient serves both rows of a multiplication (`beta` costs `1 / |M|`).
//!
//! The price is two inner products for each multiplication, where the backward pass has one. Batches need the
//! vector itself, so they use algorithm 1 (`Topology`).

use volery_circuit::{Addends, Backend, Branch, Error as StatementError, Hint, MOST_BY_ADDERS, Ops, Prove};
use volery_field::{Element, Ring};
use zeroize::Zeroize;

use super::base::{Base, OperationCounts};
use super::robin::Committed;
use super::rows::{Across, CHUNK, FOLD, Grid, Products, Rows};
use super::tracer::check_many;
use crate::Error;
use crate::shares::ElementShare;

/// Runs one branch on the committed inputs and products, and sums `s_k l'_k + beta s_k r'_k + t_j a_j` over
/// its rows.
///
/// Both parties run it for every branch. Nothing depends on values: hints do not run, assertions become rows.
pub struct LinearCombiner<'x, R: Ring, B: Base<R>> {
    base: &'x mut B,
    /// The committed values that the branch has not asked for yet.
    inputs: &'x [B::Wire],
    factors: Factors<'x, R, B>,
    asserted: Asserted<'x, R, B>,
    counts: OperationCounts,
}

/// The left and right rows of multiplications.
///
/// A multiplication only touches one counter and the block: its incoming rows, and the committed products
/// that replace its result.
struct Factors<'x, R: Ring, B: Base<R>> {
    /// The left and right rows.
    waiting: Waiting<R, B, 2>,
    /// The number of rows in the buffer.
    filled: usize,
    /// The products of the rows in the buffer, and those for the remaining room.
    block: &'x [B::Wire],
    /// The same, and all later ones.
    products: &'x [B::Wire],
    /// None if there is no challenge yet: then rows are only counted.
    sums: Option<Sums<'x, B::Mac>>,
}

/// The least number of rows that are combined together, if there are more: whole runs, and a part of a chunk.
const BLOCK: usize = 1 << 7;

/// The number of rows that can wait for their coefficients: few enough for the first-level cache.
const ROOM: usize = 4 * BLOCK;

/// There can be room for this many multiplications at once: whole runs are combined, and the others wait.
const _: () = assert!(MOST_BY_ADDERS <= ROOM - BLOCK);

/// Rows of each of `N` kinds, behind one pointer; wiped on drop.
struct Waiting<R: Ring, B: Base<R>, const N: usize>(Box<[[B::Share; ROOM]; N]>);

impl<R: Ring, B: Base<R>, const N: usize> Waiting<R, B, N> {
    fn new() -> Self {
        Self(Box::new([[B::Share::default(); ROOM]; N]))
    }

    /// The first `n` rows of each kind.
    fn first(&self, n: usize) -> [&[B::Share]; N] {
        self.0.each_ref().map(|rows| &rows[..n])
    }
}

impl<R: Ring, B: Base<R>, const N: usize> Drop for Waiting<R, B, N> {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(|rows| rows.zeroize());
    }
}

impl<'x, R: Ring, B: Base<R>> Factors<'x, R, B> {
    fn new(rows: Option<&'x [Products<B::Mac>]>, products: &'x [B::Wire]) -> Result<Self, Error> {
        let sums = rows.map(Sums::new).transpose()?;
        let mut factors = Self { waiting: Waiting::new(), filled: 0, block: &[], products, sums };
        factors.advance(0);
        Ok(factors)
    }

    /// Skips this many products.
    fn advance(&mut self, n: usize) {
        self.products = self.products.get(n..).unwrap_or_default();
        self.block = &self.products[..self.products.len().min(ROOM)];
    }

    /// The products that no multiplication has taken.
    fn unused(&self) -> &'x [B::Wire] {
        self.products.get(self.filled..).unwrap_or_default()
    }

    /// Combines the buffered rows, and goes on to the next block.
    #[cold]
    #[inline(never)]
    fn end_block(&mut self) -> Result<(), Error> {
        self.combine(self.filled)?;
        if self.block.is_empty() {
            return too_large("multiplications");
        }
        Ok(())
    }

    /// Combines the first `n` buffered rows: whole runs, or all.
    fn combine(&mut self, n: usize) -> Result<(), Error> {
        if let Some(sums) = &mut self.sums {
            let mut done = 0;
            while done < n {
                let now = (n - done).min(sums.room());
                sums.add::<R, B>(self.waiting.0.each_ref().map(|rows| &rows[done..][..now]))?;
                done += now;
            }
        }
        self.waiting.0.iter_mut().for_each(|rows| rows.copy_within(n..self.filled, 0));
        self.filled -= n;
        self.advance(n);
        Ok(())
    }

    /// Appends as many rows as there is room for, and returns their number. There must be products for them.
    fn extend(&mut self, x: &[B::Wire], y: &[B::Wire]) -> Result<usize, Error> {
        if self.filled >= self.block.len() {
            self.end_block()?;
        }
        if self.filled == 0
            && x.len() >= BLOCK
            && let (Some(x), Some(y)) = (B::shares(x), B::shares(y))
        {
            // Whole blocks are combined directly.
            let mut n = x.len() / BLOCK * BLOCK;
            if let Some(sums) = &mut self.sums {
                n = n.min(sums.room());
                sums.add::<R, B>([&x[..n], &y[..n]])?;
            }
            self.advance(n);
            return Ok(n);
        }
        let n = x.len().min(self.block.len() - self.filled);
        for (waiting, wires) in self.waiting.0.iter_mut().zip([x, y]) {
            waiting[self.filled..][..n].iter_mut().zip(wires).for_each(|(to, wire)| *to = B::share(wire));
        }
        self.filled += n;
        Ok(n)
    }

    /// Makes room for `n` more consecutive multiplications, at most [`MOST_BY_ADDERS`]. There must be
    /// products for them.
    #[inline(always)]
    fn ahead(&mut self, n: usize) -> Result<Room<'_, R, B>, Error> {
        if n > self.block.len().saturating_sub(self.filled) {
            self.make_room()?;
        }
        let (from, [left, right]) = (self.filled, &mut *self.waiting.0);
        let [left, right] = [left, right].map(|rows| rows.get_mut(from..)?.get_mut(..n));
        let products = self.block.get(from..).and_then(|products| products.get(..n));
        let (Some(left), Some(right), Some(products)) = (left, right, products) else {
            return too_large("multiplications");
        };
        Ok(Room { rows: [left, right], products, used: 0 })
    }

    /// Combines most of the buffered rows.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) -> Result<(), Error> {
        self.combine(self.filled / BLOCK * BLOCK)
    }

    fn finish(mut self) -> Result<ElementShare<B::Mac>, Error> {
        self.combine(self.filled)?;
        Ok(self.sums.map(Sums::finish).unwrap_or_default())
    }
}

/// Room for multiplications: equally many rows and products, and the number used so far.
struct Room<'a, R: Ring, B: Base<R>> {
    rows: [&'a mut [B::Share]; 2],
    products: &'a [B::Wire],
    used: usize,
}

/// The combinations of left and right rows.
struct Sums<'x, M: Zeroize> {
    /// The sums of the chunk so far, under the factors within it.
    chunk: [ElementShare<M>; 2],
    /// The number of these rows.
    place: usize,
    /// The challenge of these rows, followed by those of later ones.
    rows: &'x Products<M>,
    later: core::slice::Iter<'x, Products<M>>,
    across: Across,
    /// The number of whole chunks under this challenge.
    chunks: usize,
    total: ElementShare<M>,
}

impl<'x, M: Element> Sums<'x, M> {
    fn new(rows: &'x [Products<M>]) -> Result<Self, Error> {
        let mut later = rows.iter();
        let rows = later.next().ok_or_else(|| StatementError::misuse("a disjunction without a challenge"))?;
        let (chunk, total) = ([ElementShare::default(); 2], ElementShare::default());
        Ok(Self { chunk, place: 0, rows, across: rows.grid.across(), later, chunks: 0, total })
    }

    /// The number of rows up to the end of the chunk.
    fn room(&self) -> usize {
        CHUNK - self.place
    }

    /// Adds the next rows of the chunk to the sums, at most as many as there is room for. They begin with a
    /// run.
    fn add<R: Ring, B: Base<R, Mac = M>>(&mut self, rows: [&[B::Share]; 2]) -> Result<(), Error> {
        let n = rows[0].len();
        let within = &self.rows.grid.within()[self.place / B::RUN..][..n.div_ceil(B::RUN)];
        for (sum, rows) in self.chunk.iter_mut().zip(rows) {
            *sum += B::combine(rows, within)?;
        }
        self.place += n;
        if self.place >= CHUNK {
            self.end_chunk();
        }
        Ok(())
    }

    /// Multiplies the chunk's sum by the chunk's factor.
    fn end_chunk(&mut self) {
        let chunk = core::mem::take(&mut self.chunk);
        self.total += self.rows.chunk(chunk, &mut self.across);
        self.place = 0;
        self.chunks += 1;
        if self.chunks * CHUNK == FOLD
            && let Some(rows) = self.later.next()
        {
            (self.rows, self.across, self.chunks) = (rows, rows.grid.across(), 0);
        }
    }

    fn finish(mut self) -> ElementShare<M> {
        self.end_chunk();
        core::mem::take(&mut self.total)
    }
}

impl<M: Zeroize> Drop for Sums<'_, M> {
    fn drop(&mut self) {
        self.chunk.iter_mut().for_each(Zeroize::zeroize);
        self.total.zeroize();
    }
}

/// The rows of assertions: those that wait for their coefficients, and the sum of those before.
struct Asserted<'x, R: Ring, B: Base<R>> {
    waiting: Waiting<R, B, 1>,
    filled: usize,
    /// The number of combined rows of the chunk, and their sum under the factors within it.
    place: usize,
    chunk: ElementShare<B::Mac>,
    sum: ElementShare<B::Mac>,
    /// None if there is no challenge yet.
    rows: Option<(&'x Grid<B::Mac>, Across)>,
}

impl<'x, R: Ring, B: Base<R>> Asserted<'x, R, B> {
    fn new(rows: Option<&'x Grid<B::Mac>>) -> Self {
        let (chunk, sum) = (ElementShare::default(), ElementShare::default());
        let rows = rows.map(|rows| (rows, rows.across()));
        Self { waiting: Waiting::new(), filled: 0, place: 0, chunk, sum, rows }
    }

    fn push(&mut self, wire: &B::Wire) -> Result<(), Error> {
        if self.filled >= ROOM {
            self.combine()?;
        }
        let [waiting] = &mut *self.waiting.0;
        waiting[self.filled] = B::share(wire);
        self.filled += 1;
        Ok(())
    }

    fn combine(&mut self) -> Result<(), Error> {
        let n = core::mem::take(&mut self.filled);
        let Some((rows, _)) = &self.rows else { return Ok(()) };
        let within = &rows.within()[self.place / B::RUN..][..n.div_ceil(B::RUN)];
        let [waiting] = self.waiting.first(n);
        self.chunk += B::combine(waiting, within)?;
        self.place += n;
        if self.place >= CHUNK {
            self.end_chunk();
        }
        Ok(())
    }

    fn end_chunk(&mut self) {
        if let Some((_, across)) = &mut self.rows {
            self.sum += core::mem::take(&mut self.chunk).times(across.next());
        }
        self.place = 0;
    }

    fn finish(mut self) -> Result<ElementShare<B::Mac>, Error> {
        self.combine()?;
        self.end_chunk();
        Ok(self.sum)
    }
}

impl<R: Ring, B: Base<R>> Drop for Asserted<'_, R, B> {
    fn drop(&mut self) {
        self.chunk.zeroize();
        self.sum.zeroize();
    }
}

impl<'x, R: Ring, B: Base<R>> LinearCombiner<'x, R, B> {
    /// The random linear combination of the rows of `branch` on these wires, zero without coefficients, and
    /// the number of rows.
    pub(super) fn combine<S: Branch<R, Self>>(
        branch: &S,
        base: &'x mut B,
        shared: &[B::Wire],
        committed: &'x Committed<R, B>,
        rows: Option<&'x Rows<B::Mac>>,
    ) -> Result<(ElementShare<B::Mac>, OperationCounts), Error> {
        let mut combiner = Self {
            base,
            inputs: &committed.inputs,
            factors: Factors::new(rows.map(|rows| &rows.products[..]), &committed.products)?,
            asserted: Asserted::new(rows.map(|rows| &rows.assertions)),
            counts: OperationCounts::default(),
        };
        let outputs = branch.run(&mut combiner, shared)?;
        combiner.come_out(&outputs, &committed.outputs)?;
        let Self { factors, asserted, mut counts, .. } = combiner;
        counts.multiplications = (committed.products.len() - factors.unused().len()) as u64;
        Ok((factors.finish()? + asserted.finish()?, counts))
    }

    /// Takes the products for these operands, whose rows it adds.
    fn take(&mut self, x: &[B::Wire], y: &[B::Wire]) -> Result<&'x [B::Wire], Error> {
        let Some(products) = self.factors.unused().get(..x.len()) else {
            return too_large("multiplications");
        };
        let mut done = 0;
        while done < x.len() {
            done += self.factors.extend(&x[done..], &y[done..])?;
        }
        Ok(products)
    }

    /// Adds the rows that claim that the branch's outputs equal the committed ones.
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

impl<R: Ring, B: Base<R>> Backend for LinearCombiner<'_, R, B> {
    type Error = Error;
}

/// The linear part of [`Ops`], which is the base's.
macro_rules! linear_on_base {
    () => {
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
    };
}

impl<R: Ring, B: Base<R>> Ops<R> for LinearCombiner<'_, R, B> {
    linear_on_base!();

    #[inline(always)]
    fn mul(&mut self, x: &B::Wire, y: &B::Wire) -> Result<B::Wire, Error> {
        loop {
            let Factors { waiting: Waiting(rows), filled, block, .. } = &mut self.factors;
            // The counter is read once and written last. As far as the compiler knows, storing a row may
            // change it, and reading it again would wait for the last multiplication's store.
            let at = *filled;
            if let Some(product) = block.get(at) {
                let (product, [left, right]) = (product.clone(), &mut **rows);
                // A block is no longer than the buffer: the remainder only avoids a bounds check.
                (left[at % ROOM], right[at % ROOM]) = (B::share(x), B::share(y));
                *filled = at + 1;
                return Ok(product);
            }
            self.factors.end_block()?;
        }
    }

    fn mul_many(&mut self, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, Error> {
        check_many(x.len(), y.len())?;
        Ok(self.take(x, y)?.to_vec())
    }

    fn add_products(&mut self, sums: &mut [B::Wire], x: &[B::Wire], y: &[B::Wire]) -> Result<(), Error> {
        check_many(x.len(), y.len())?;
        check_many(x.len(), sums.len())?;
        let products = self.take(x, y)?;
        sums.iter_mut().zip(products).for_each(|(sum, product)| *sum = self.base.add(product, sum));
        Ok(())
    }

    #[inline]
    fn multi_add<const M: usize>(&mut self, columns: Addends<'_, B::Wire, M>) -> Result<(), Error> {
        if !columns.fit_words::<R>() {
            return by_columns(self, columns);
        }
        let room = self.factors.ahead(columns.multiplications())?;
        let mut inner = Ahead { base: &mut *self.base, room };
        columns.run_by_adders(&mut inner)?;
        self.factors.filled += inner.room.used;
        Ok(())
    }
}

/// [`Addends::run`], kept separate from sums that fit in words.
#[inline(never)]
fn by_columns<R: Ring, B: Base<R>, const M: usize>(
    combiner: &mut LinearCombiner<'_, R, B>,
    columns: Addends<'_, B::Wire, M>,
) -> Result<(), Error> {
    let multiplications = columns.multiplications();
    if multiplications > MOST_BY_ADDERS {
        return columns.run(combiner);
    }
    let room = combiner.factors.ahead(multiplications)?;
    let mut inner = Ahead { base: &mut *combiner.base, room };
    columns.run(&mut inner)?;
    combiner.factors.filled += inner.room.used;
    Ok(())
}

/// A [`LinearCombiner`] that keeps its position in registers. With a counter in memory, every multiplication
/// would wait for the store of the one before.
struct Ahead<'a, R: Ring, B: Base<R>> {
    base: &'a mut B,
    room: Room<'a, R, B>,
}

impl<R: Ring, B: Base<R>> Backend for Ahead<'_, R, B> {
    type Error = Error;
}

impl<R: Ring, B: Base<R>> Ops<R> for Ahead<'_, R, B> {
    linear_on_base!();

    #[inline(always)]
    fn mul(&mut self, x: &B::Wire, y: &B::Wire) -> Result<B::Wire, Error> {
        let Room { rows: [left, right], products, used } = &mut self.room;
        let at = *used;
        let (Some(left), Some(right), Some(product)) =
            (left.get_mut(at), right.get_mut(at), products.get(at))
        else {
            return too_large("multiplications");
        };
        (*left, *right) = (B::share(x), B::share(y));
        *used = at + 1;
        Ok(product.clone())
    }
}

impl<R: Ring, B: Base<R>> Prove<R> for LinearCombiner<'_, R, B> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, R, B::Wire>) -> Result<Vec<B::Wire>, Error> {
        let Some((wires, rest)) = self.inputs.split_at_checked(n) else {
            return too_large("secret values");
        };
        self.inputs = rest;
        self.counts.inputs += n as u64;
        Ok(wires.to_vec())
    }

    fn assert_zero(&mut self, x: &[B::Wire]) -> Result<(), Error> {
        x.iter().try_for_each(|wire| self.asserted.push(wire))?;
        self.counts.assertions += x.len() as u64;
        Ok(())
    }
}

volery_circuit::polynomials_by_multiplying!([R: Ring, B: Base<R>] R, LinearCombiner<'_, R, B>);
