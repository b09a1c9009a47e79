//! How much a branch commits to.

use core::marker::PhantomData;

use volery_field::Ring;

use crate::backend::check_products;
use crate::{Backend, Columns, Error, Hint, Ops, Prove};

/// Counts what a branch commits to, and nothing else: wires are nothing, and a run takes next to no time.
#[derive(Clone, Debug, Default)]
pub struct Sizer<R> {
    inputs: usize,
    multiplications: usize,
    ring: PhantomData<R>,
}

impl<R: Ring> Sizer<R> {
    /// One at zero.
    #[must_use]
    pub fn new() -> Self {
        Self { inputs: 0, multiplications: 0, ring: PhantomData }
    }

    /// Secret values so far.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Multiplications so far.
    #[must_use]
    pub fn multiplications(&self) -> usize {
        self.multiplications
    }

    fn count(&mut self, n: usize) {
        self.multiplications = self.multiplications.saturating_add(n);
    }
}

impl<R: Ring> Backend for Sizer<R> {
    type Error = Error;
}

impl<R: Ring> Ops<R> for Sizer<R> {
    type Wire = ();

    #[inline(always)]
    fn constant(&mut self, _c: R) {}

    #[inline(always)]
    fn add(&mut self, _x: &(), _y: &()) {}

    #[inline(always)]
    fn sub(&mut self, _x: &(), _y: &()) {}

    #[inline(always)]
    fn add_constant(&mut self, _x: &(), _c: R) {}

    #[inline(always)]
    fn scale(&mut self, _x: &(), _c: R) {}

    #[inline(always)]
    fn mul(&mut self, _x: &(), _y: &()) -> Result<(), Error> {
        self.count(1);
        Ok(())
    }

    fn mul_many(&mut self, x: &[()], y: &[()]) -> Result<Vec<()>, Error> {
        check_products(x.len(), y.len(), x.len())?;
        self.count(x.len());
        Ok(vec![(); x.len()])
    }

    fn add_products(&mut self, sums: &mut [()], x: &[()], y: &[()]) -> Result<(), Error> {
        check_products(x.len(), y.len(), sums.len())?;
        self.count(x.len());
        Ok(())
    }

    fn ripple<const M: usize>(&mut self, columns: Columns<'_, (), M>) -> Result<(), Error> {
        if !columns.modular {
            return columns.run(self);
        }
        // Nothing is carried out, so that the count is all there is to it.
        self.count(columns.multiplications());
        Ok(())
    }
}

impl<R: Ring> Prove<R> for Sizer<R> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, R, ()>) -> Result<Vec<()>, Error> {
        self.inputs = self.inputs.saturating_add(n);
        Ok(vec![(); n])
    }

    fn assert_zero(&mut self, _x: &[()]) -> Result<(), Error> {
        Ok(())
    }
}

crate::polynomials_by_multiplying!([R: Ring] R, Sizer<R>);
