//! Measures when a proof begins, and how much of its time is committing to secret values.
//!
//! [`Phased`] runs a statement with a backend ([`Timed`]) that passes every call on to the real one, and
//! reads the clock before and after calls that commit. The rest of the time is the proof itself: claims,
//! checks, verdict.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use volery_circuit::{Addends, Backend, Digest, Hint, MatrixShape, Ops, Polynomials, Prove, Statement};
use volery_field::Ring;

/// The measurements of one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    /// When the statement began to run. Everything before is set-up.
    pub(super) start: Instant,
    /// The time for committing to secret values, including the correlations that this takes.
    pub(super) commit: Duration,
}

/// The place where [`Phased`] leaves its measurements.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock(Arc<Mutex<Option<Timing>>>);

impl Clock {
    /// Records a run that began at `start` and whose commitments took `commit`.
    pub(super) fn note(&self, start: Instant, commit: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Timing { start, commit });
    }

    /// The measurements of the last run.
    pub(super) fn timing(&self) -> Option<Timing> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The statement `S` with a clock.
pub(super) struct Phased<S> {
    pub(super) statement: S,
    pub(super) clock: Clock,
}

impl<S, B> Statement<B> for Phased<S>
where
    B: Backend,
    S: Statement<B> + for<'a> Statement<Timed<'a, B>>,
{
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.statement, digest);
    }

    fn commitments(&self) -> Option<u64> {
        Statement::<B>::commitments(&self.statement)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let start = Instant::now();
        let mut timed = Timed { inner: backend, commit: Duration::ZERO };
        self.statement.run(&mut timed)?;
        self.clock.note(start, timed.commit);
        Ok(())
    }
}

/// The backend `B`, which reads the clock around commitments. It passes on every method with a default, since
/// `B` may have a better one.
pub(super) struct Timed<'a, B> {
    inner: &'a mut B,
    commit: Duration,
}

impl<B: Backend> Backend for Timed<'_, B> {
    type Error = B::Error;

    fn enter(&mut self, part: &str) {
        self.inner.enter(part);
    }

    fn leave(&mut self) {
        self.inner.leave();
    }
}

impl<R: Ring, B: Ops<R>> Ops<R> for Timed<'_, B> {
    type Wire = B::Wire;

    #[inline(always)]
    fn constant(&mut self, c: R) -> B::Wire {
        self.inner.constant(c)
    }

    #[inline(always)]
    fn add(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.inner.add(x, y)
    }

    #[inline(always)]
    fn sub(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.inner.sub(x, y)
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &B::Wire, c: R) -> B::Wire {
        self.inner.add_constant(x, c)
    }

    #[inline(always)]
    fn scale(&mut self, x: &B::Wire, c: R) -> B::Wire {
        self.inner.scale(x, c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &B::Wire, y: &B::Wire) -> Result<B::Wire, B::Error> {
        self.inner.mul(x, y)
    }

    #[inline(always)]
    fn mul_many(&mut self, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        self.inner.mul_many(x, y)
    }

    #[inline(always)]
    fn add_products(&mut self, sums: &mut [B::Wire], x: &[B::Wire], y: &[B::Wire]) -> Result<(), B::Error> {
        self.inner.add_products(sums, x, y)
    }

    #[inline(always)]
    fn multi_add<const M: usize>(&mut self, columns: Addends<'_, B::Wire, M>) -> Result<(), B::Error> {
        self.inner.multi_add(columns)
    }

    #[inline(always)]
    fn substitute(&mut self, x: &[B::Wire; 8]) -> Result<Option<[B::Wire; 8]>, B::Error> {
        self.inner.substitute(x)
    }

    #[inline(always)]
    fn known(&self, x: &B::Wire) -> Option<R> {
        self.inner.known(x)
    }
}

impl<R: Ring, B: Prove<R>> Prove<R> for Timed<'_, B> {
    fn secret(&mut self, n: usize, hint: Hint<'_, R, B::Wire>) -> Result<Vec<B::Wire>, B::Error> {
        let start = Instant::now();
        let wires = self.inner.secret(n, hint);
        self.commit += start.elapsed();
        wires
    }

    #[inline(always)]
    fn assert_zero(&mut self, x: &[B::Wire]) -> Result<(), B::Error> {
        self.inner.assert_zero(x)
    }

    #[inline(always)]
    fn assert_substituted(&mut self, x: &[B::Wire; 8], s: &[B::Wire; 8]) -> Result<bool, B::Error> {
        self.inner.assert_substituted(x, s)
    }

    #[inline(always)]
    fn assert_dot(&mut self, x: &[B::Wire], y: &[B::Wire], z: &B::Wire) -> Result<(), B::Error> {
        self.inner.assert_dot(x, y, z)
    }

    #[inline(always)]
    fn assert_linear(&mut self, matrix: &[R], x: &[B::Wire], t: &[R]) -> Result<(), B::Error> {
        self.inner.assert_linear(matrix, x, t)
    }

    #[inline(always)]
    fn assert_products(&mut self, x: &[B::Wire], y: &[B::Wire], z: &[B::Wire]) -> Result<(), B::Error> {
        self.inner.assert_products(x, y, z)
    }
}

impl<R: Ring, B: Polynomials<R>> Polynomials<R> for Timed<'_, B> {
    type Poly = B::Poly;

    #[inline(always)]
    fn poly(&mut self, x: &B::Wire) -> B::Poly {
        self.inner.poly(x)
    }

    #[inline(always)]
    fn poly_constant(&mut self, c: R) -> B::Poly {
        self.inner.poly_constant(c)
    }

    #[inline(always)]
    fn poly_add(&mut self, p: &B::Poly, q: &B::Poly) -> B::Poly {
        self.inner.poly_add(p, q)
    }

    #[inline(always)]
    fn poly_scale(&mut self, p: &B::Poly, c: R) -> B::Poly {
        self.inner.poly_scale(p, c)
    }

    #[inline(always)]
    fn poly_mul(&mut self, p: &B::Poly, q: &B::Poly) -> Result<B::Poly, B::Error> {
        self.inner.poly_mul(p, q)
    }

    #[inline(always)]
    fn assert_poly_zero(&mut self, p: &[B::Poly]) -> Result<(), B::Error> {
        self.inner.assert_poly_zero(p)
    }

    #[inline(always)]
    fn poly_add_constant(&mut self, p: &B::Poly, c: R) -> B::Poly {
        self.inner.poly_add_constant(p, c)
    }

    #[inline(always)]
    fn assert_one_of(&mut self, x: &[B::Wire], set: &[R]) -> Result<(), B::Error> {
        self.inner.assert_one_of(x, set)
    }

    #[inline(always)]
    fn assert_matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &[B::Wire],
        b: &[B::Wire],
        c: &[B::Wire],
    ) -> Result<(), B::Error> {
        self.inner.assert_matrix_product(shape, a, b, c)
    }
}

#[cfg(test)]
mod tests {
    use volery_circuit::statements::{MatrixProduct, Short, Sis};
    use volery_circuit::{Error, Evaluator};
    use volery_field::F61;

    use super::*;

    #[test]
    fn a_clock_changes_nothing_and_sees_commitments() {
        let clock = Clock::default();
        let statement = MatrixProduct::<F61>::sample(MatrixShape::square(20), true, [0; 32]).expect("small");
        let phased = Phased { statement, clock: clock.clone() };
        assert!(clock.timing().is_none());
        let before = Instant::now();
        assert_eq!(Evaluator::<F61>::check(&phased), Ok(()));
        let seen = clock.timing().expect("it ran");
        assert!(seen.start >= before && seen.commit > Duration::ZERO && seen.commit <= before.elapsed());

        let wrong = Sis::<F61>::sample(3, 5, Short::Binary, [0; 32]).expect("small");
        let wrong = wrong.with_solution(vec![F61::new(2); 5]).expect("fits");
        let phased = Phased { statement: wrong, clock: Clock::default() };
        assert!(matches!(Evaluator::<F61>::check(&phased), Err(Error::Unsatisfied { .. })));
    }
}
