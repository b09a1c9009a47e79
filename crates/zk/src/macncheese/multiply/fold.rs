//! P's values in `AssertDotProduct`: two vectors whose length halves in every round.
//!
//! For `i` below half the length, `f_i(0) = x_i` and `f_i(1) = x_{i + n/2}`, likewise `g_i` of `y`. In memory
//! the difference `d_i = x_{i + n/2} - x_i` replaces the upper half, so `f_i(e) = x_i + e d_i`. One pass
//! computes both coefficients, and another one folds.

use volery_field::Ring;
use zeroize::Zeroizing;

use super::super::block::CHUNK;
use super::super::share::Share;
use crate::Error;

/// Both vectors; empty at V.
pub(in super::super) struct Fold<H: Share> {
    x: Zeroizing<Vec<H::Mac>>,
    y: Zeroizing<Vec<H::Mac>>,
}

impl<H: Share> Default for Fold<H> {
    fn default() -> Self {
        Self { x: Zeroizing::default(), y: Zeroizing::default() }
    }
}

impl<H: Share> Fold<H> {
    /// Empties both vectors and keeps their memory: new memory costs more than all the work on it.
    pub(super) fn begin(&mut self) {
        self.x.clear();
        self.y.clear();
    }

    /// Appends the values of a chunk; those of `x` are multiplied by the coefficients.
    pub(super) fn extend(&mut self, x: &[H::Wire], y: &[H::Wire], chi: &[H::Mac]) {
        if H::KNOWS {
            self.x.extend(x.iter().zip(chi).map(|(x, chi)| H::embedded_times(*x, *chi)));
            self.y.extend(y.iter().map(|y| H::embedded(*y)));
        }
    }

    /// Fills both up to `n` elements.
    pub(super) fn pad(&mut self, n: usize) {
        if H::KNOWS {
            self.x.resize(n, H::Mac::ZERO);
            self.y.resize(n, H::Mac::ZERO);
        }
    }

    /// `h(0)` and the leading coefficient of `h = sum f_i g_i`; zeros at V.
    pub(super) fn coefficients(&mut self) -> Result<[H::Mac; 2], Error> {
        let middle = self.x.len() / 2;
        let (x, dx) = self.x.split_at_mut(middle);
        let (y, dy) = self.y.split_at_mut(middle);
        let mut sums = [H::Mac::ZERO; 2];
        let chunks = x.chunks(CHUNK).zip(dx.chunks_mut(CHUNK)).zip(y.chunks(CHUNK).zip(dy.chunks_mut(CHUNK)));
        for ((x, dx), (y, dy)) in chunks {
            sums[0] += H::dot(x, y)?;
            dx.iter_mut().zip(x).for_each(|(d, x)| *d -= *x);
            dy.iter_mut().zip(y).for_each(|(d, y)| *d -= *y);
            sums[1] += H::dot(dx, dy)?;
        }
        Ok(sums)
    }

    /// The last two elements of each vector; zeros if there are fewer.
    pub(super) fn ends(&self) -> [[H::Mac; 2]; 2] {
        let first =
            |vector: &[H::Mac]| core::array::from_fn(|b| vector.get(b).copied().unwrap_or(H::Mac::ZERO));
        [first(&self.x), first(&self.y)]
    }

    /// Replaces `f_i` and `g_i` by their values at `e`. Call it after [`Fold::coefficients`].
    pub(super) fn fold(&mut self, e: H::Mac) -> Result<(), Error> {
        for vector in [&mut self.x, &mut self.y] {
            let middle = vector.len() / 2;
            let (low, difference) = vector.split_at_mut(middle);
            for (low, difference) in low.chunks_mut(CHUNK).zip(difference.chunks(CHUNK)) {
                H::scale_add(e, difference, low)?;
            }
            vector.truncate(middle);
        }
        Ok(())
    }
}
