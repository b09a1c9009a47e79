//! Blank correlations for a rehearsal: all zero, and made without a peer.
//!
//! A rehearsal is a run of P without a peer; it shows what a proof would send and wait for.
//! [`Generator`](super::Generator) decides when a step is due as it always does. At that step a blank
//! party sends and reads messages of the right length, and computes nothing. Nothing made from blank
//! correlations is ever sent to anybody.

use core::marker::PhantomData;

use super::{Correlation, Round};
use crate::Error;
use crate::ferret::Params;

/// A round whose correlations are zero.
pub struct BlankRound<T> {
    params: Params,
    items: PhantomData<fn() -> T>,
}

impl<T: Correlation> BlankRound<T> {
    pub(crate) fn new(params: Params) -> Self {
        Self { params, items: PhantomData }
    }
}

impl<T: Correlation> Round for BlankRound<T> {
    type Correlation = T;

    fn params(&self) -> Params {
        self.params
    }

    fn block(&self, _tree: usize, out: &mut [T]) -> Result<(), Error> {
        out.fill(T::default());
        Ok(())
    }
}
