//! Correlations that were taken from the pool ahead of their use.

use volery_channel::Channel;
use volery_vole::correlations::{Correlation, Pool};
use zeroize::Zeroize;

use crate::Error;

/// Correlations taken from the pool and not yet used: a piece must be at hand whole, and the pool's batches
/// end anywhere.
pub(super) struct Reserve<T: Correlation> {
    pub(super) held: Vec<T>,
    pub(super) next: usize,
}

impl<T: Correlation> Reserve<T> {
    pub(super) fn new() -> Self {
        Self { held: Vec::new(), next: 0 }
    }

    /// The next `n`, which stay until [`Reserve::advance`].
    pub(super) fn get(
        &mut self,
        n: usize,
        pool: &mut Pool<T>,
        channel: &mut dyn Channel,
    ) -> Result<&[T], Error> {
        if self.held.len() - self.next < n {
            // Moved only after as many were used, so that short pieces do not make every one of them move a
            // long rest.
            if self.next >= self.held.len() - self.next {
                self.held.drain(..self.next);
                self.next = 0;
            }
            let had = self.held.len();
            self.held.resize(self.next + n, T::default());
            pool.fill(channel, &mut self.held[had..])?;
        }
        Ok(&self.held[self.next..][..n])
    }

    pub(super) fn advance(&mut self, n: usize) {
        self.held[self.next..][..n].iter_mut().for_each(Zeroize::zeroize);
        self.next += n;
    }
}

impl<T: Correlation> Drop for Reserve<T> {
    fn drop(&mut self) {
        self.held.zeroize();
    }
}
