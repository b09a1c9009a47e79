//! A branch on commitments: what its rows weigh.

use volery_circuit::{Backend, Branch, Error as StatementError, Hint, Ops, Prove};
use volery_field::{Element, Ring};
use volery_vole::Prg;
use zeroize::Zeroize;

use super::base::{Base, Token as _, Weighed};
use super::robin::Committed;
use super::rows::{CHUNK, Rows};
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
    left: Column<R, B>,
    right: Column<R, B>,
    /// Multiplications that wait in `left` and `right`.
    waiting: usize,
    asserted: Column<R, B>,
    /// Assertions that wait.
    waiting_assertions: usize,
    /// Coefficients of multiplications and of assertions.
    coefficients: [Coefficients<B::Mac>; 2],
    beta: B::Mac,
    weighed: Weighed,
}

/// Halves that wait for their coefficients, and the sum of those before.
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

/// A stream of coefficients, [`CHUNK`] of them at hand.
struct Coefficients<M> {
    stream: Prg,
    chunk: Box<[M]>,
    used: usize,
}

impl<M: Element> Coefficients<M> {
    fn new(stream: Prg) -> Self {
        Self { stream, chunk: vec![M::ZERO; CHUNK].into_boxed_slice(), used: CHUNK }
    }

    /// The next ones, at least one and at most `n`, for `n` above zero.
    fn take(&mut self, n: usize) -> &[M] {
        if self.used >= CHUNK {
            self.stream.coefficients(&mut self.chunk);
            self.used = 0;
        }
        let start = self.used;
        self.used = CHUNK.min(start + n);
        &self.chunk[start..self.used]
    }
}

impl<'x, R: Ring, B: Base<R>> Weigher<'x, R, B> {
    /// What the rows of `branch` weigh on these wires, and how many there are.
    pub(super) fn weigh<S: Branch<R, Self>>(
        branch: &S,
        base: &'x mut B,
        shared: &[B::Wire],
        committed: &'x Committed<R, B>,
        rows: &Rows<B::Mac>,
    ) -> Result<(B::Token, Weighed), Error> {
        let mut weigher = Self {
            base,
            inputs: &committed.inputs,
            products: &committed.products,
            next: 0,
            left: Column::new(),
            right: Column::new(),
            waiting: 0,
            asserted: Column::new(),
            waiting_assertions: 0,
            coefficients: [Coefficients::new(rows.products()), Coefficients::new(rows.assertions())],
            beta: rows.beta(),
            weighed: Weighed::default(),
        };
        let outputs = branch.run(&mut weigher, shared)?;
        weigher.come_out(&outputs, &committed.outputs)?;
        weigher.spill_products()?;
        weigher.spill_assertions()?;
        weigher.weighed.multiplications = weigher.next as u64;
        let right = weigher.right.sum.times(weigher.beta);
        Ok((weigher.left.sum.plus(right).plus(weigher.asserted.sum), weigher.weighed))
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

    #[cold]
    #[inline(never)]
    fn spill_products(&mut self) -> Result<(), Error> {
        let waiting = std::mem::take(&mut self.waiting);
        let (mut left, mut right) = (&self.left.waiting[..waiting], &self.right.waiting[..waiting]);
        while !left.is_empty() {
            let coefficients = self.coefficients[0].take(left.len());
            let n = coefficients.len();
            let [at_left, at_right] = B::combine_pair(&left[..n], &right[..n], coefficients)?;
            self.left.sum = self.left.sum.plus(at_left);
            self.right.sum = self.right.sum.plus(at_right);
            (left, right) = (&left[n..], &right[n..]);
        }
        Ok(())
    }

    fn spill_assertions(&mut self) -> Result<(), Error> {
        let mut waiting = &self.asserted.waiting[..std::mem::take(&mut self.waiting_assertions)];
        while !waiting.is_empty() {
            let coefficients = self.coefficients[1].take(waiting.len());
            let (now, rest) = waiting.split_at(coefficients.len());
            self.asserted.sum = self.asserted.sum.plus(B::combine(now, coefficients)?);
            waiting = rest;
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
            let places = (self.left.waiting.get_mut(self.waiting), self.right.waiting.get_mut(self.waiting));
            if let (Some(left), Some(right)) = places {
                (*left, *right) = (B::half(x), B::half(y));
                self.waiting += 1;
                self.next += 1;
                return Ok(product.clone());
            }
            self.spill_products()?;
        }
    }

    fn mul_many(&mut self, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, Error> {
        if x.len() != y.len() {
            let reason = format!("products of {} and {} wires", x.len(), y.len());
            return Err(StatementError::misuse(reason).into());
        }
        let rest = self.products.get(self.next..).unwrap_or_default();
        let Some(products) = rest.get(..x.len()) else { return too_large("multiplications") };
        self.next += x.len();
        let (mut x, mut y) = (x, y);
        while !x.is_empty() {
            let n = x.len().min(CHUNK - self.waiting);
            let places = self.waiting..self.waiting + n;
            self.left.waiting[places.clone()].iter_mut().zip(x).for_each(|(to, x)| *to = B::half(x));
            self.right.waiting[places].iter_mut().zip(y).for_each(|(to, y)| *to = B::half(y));
            self.waiting += n;
            (x, y) = (&x[n..], &y[n..]);
            if self.waiting >= CHUNK {
                self.spill_products()?;
            }
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
        for wire in x {
            if self.waiting_assertions >= CHUNK {
                self.spill_assertions()?;
            }
            self.asserted.waiting[self.waiting_assertions] = B::half(wire);
            self.waiting_assertions += 1;
        }
        self.weighed.assertions += x.len() as u64;
        Ok(())
    }
}

volery_circuit::polynomials_by_multiplying!([R: Ring, B: Base<R>] R, Weigher<'_, R, B>);
