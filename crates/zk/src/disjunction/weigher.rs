//! A branch on commitments: what its rows weigh.

use volery_circuit::{Backend, Error as StatementError, Hint, Ops, Prove, Statement};
use volery_field::Ring;
use volery_vole::Prg;
use zeroize::Zeroize;

use super::base::{Base, Token as _, Weighed};
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
    /// Streams of `s` and `t`.
    streams: [Prg; 2],
    coefficients: Vec<B::Mac>,
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

    /// Adds the first ones that wait, as many as there are coefficients.
    fn weigh(&mut self, coefficients: &[B::Mac]) -> Result<(), Error> {
        let waiting = self.waiting.get(..coefficients.len()).unwrap_or_default();
        self.sum = self.sum.plus(B::combine(waiting, coefficients)?);
        Ok(())
    }
}

impl<R: Ring, B: Base<R>> Drop for Column<R, B> {
    fn drop(&mut self) {
        self.waiting.zeroize();
        self.sum.zeroize();
    }
}

impl<'x, R: Ring, B: Base<R>> Weigher<'x, R, B> {
    /// What the rows of `branch` weigh on these inputs and products, and how many there are.
    pub(super) fn weigh<S: Statement<Self> + ?Sized>(
        branch: &S,
        base: &'x mut B,
        inputs: &'x [B::Wire],
        products: &'x [B::Wire],
        rows: &Rows<B::Mac>,
    ) -> Result<(B::Token, Weighed), Error> {
        let mut weigher = Self {
            base,
            inputs,
            products,
            next: 0,
            left: Column::new(),
            right: Column::new(),
            waiting: 0,
            asserted: Column::new(),
            waiting_assertions: 0,
            streams: [rows.products(), rows.assertions()],
            coefficients: vec![B::Mac::ZERO; CHUNK],
            beta: rows.beta(),
            weighed: Weighed::default(),
        };
        branch.run(&mut weigher)?;
        weigher.spill_products()?;
        weigher.spill_assertions()?;
        weigher.weighed.multiplications = weigher.next as u64;
        let right = weigher.right.sum.times(weigher.beta);
        Ok((weigher.left.sum.plus(right).plus(weigher.asserted.sum), weigher.weighed))
    }

    #[cold]
    #[inline(never)]
    fn spill_products(&mut self) -> Result<(), Error> {
        let coefficients = &mut self.coefficients[..std::mem::take(&mut self.waiting)];
        self.streams[0].coefficients(coefficients);
        self.left.weigh(coefficients)?;
        self.right.weigh(coefficients)
    }

    fn spill_assertions(&mut self) -> Result<(), Error> {
        let coefficients = &mut self.coefficients[..std::mem::take(&mut self.waiting_assertions)];
        self.streams[1].coefficients(coefficients);
        self.asserted.weigh(coefficients)
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
