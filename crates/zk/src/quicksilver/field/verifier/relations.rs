//! Relations of fixed degree and challenges on V's wires.

use volery_circuit::challenge::most_tested;
use volery_circuit::{
    Challenge, Error as StatementError, Peek, PendingChallenge, Relate, ScalarHint, Tested,
};
use volery_field::{Coordinates, Mac, Value};
use volery_vole::Prg;
use zeroize::Zeroizing;

use super::super::super::fixed::VerifierFixed;
use super::super::Link;
use super::super::prover::KERNEL;
use super::Verifier;
use crate::Error;
use crate::shares::ElementShare;

impl<F: Value, M: Mac<F>, L: Link> Relate<F> for Verifier<'_, F, M, L> {
    type Scalar = M;
    type Expression<const N: usize> = VerifierFixed<M, N>;

    #[inline(always)]
    fn embed(x: F) -> M {
        M::embed(x)
    }

    #[inline(always)]
    fn expression<const N: usize>(&self, x: &M) -> VerifierFixed<M, N> {
        VerifierFixed::linear(*x * self.powers.inverse)
    }

    #[inline(always)]
    fn linear<const N: usize>(&self, constant: M, coefficients: &[M], x: &[M]) -> VerifierFixed<M, N> {
        let n = coefficients.len().min(x.len());
        let (c, x) = (coefficients.get(..n).unwrap_or_default(), x.get(..n).unwrap_or_default());
        let kernel = if n < KERNEL { None } else { M::inner_product(c, x).ok() };
        let sum = kernel.unwrap_or_else(|| c.iter().zip(x).fold(M::ZERO, |sum, (c, x)| sum + *c * *x));
        VerifierFixed::linear(constant + sum * self.powers.inverse)
    }

    #[inline(always)]
    fn claim<const N: usize>(&mut self, e: VerifierFixed<M, N>) -> Result<(), Error> {
        if N < 2 {
            return self.misuse("a claim about a public constant".into());
        }
        let value = e.value() * self.powers.power(N - 1);
        match N - 1 {
            1 => {
                let result = self.assertions.push_element(value);
                self.failed.latch(result)?;
                self.tally.assertions += 1;
                return Ok(());
            }
            2 => self.quadratic(value)?,
            degree => {
                self.room()?;
                self.relations.push(degree, [value]);
            }
        }
        self.tally.claim(N - 1);
        Ok(())
    }

    #[inline(always)]
    fn secrets<const K: usize>(
        &mut self,
        _hint: impl FnOnce(&dyn Peek<F, M>) -> Result<[F; K], StatementError>,
    ) -> Result<[M; K], Error> {
        self.tally.secrets += K as u64;
        let mut keys = [M::ZERO; K];
        for key in &mut keys {
            *key = self.commit()?;
        }
        Ok(keys)
    }
}

impl<F: Value, M: Coordinates<F>, L: Link> Verifier<'_, F, M, L> {
    /// The key of P's next commitment to an element of the field of MACs.
    #[inline(always)]
    fn commit_scalar(&mut self) -> Result<ElementShare<M>, Error> {
        self.tally.secrets += M::DEGREE as u64;
        if M::DEGREE == 1 {
            return Ok(ElementShare { x: M::ZERO, m: self.commit()? });
        }
        let mut keys = Zeroizing::new(vec![M::ZERO; M::DEGREE]);
        for key in keys.iter_mut() {
            *key = self.commit()?;
        }
        Ok(ElementShare { x: M::ZERO, m: M::pack(&keys) })
    }
}

impl<F: Value, M: Coordinates<F>, L: Link> Challenge<F> for Verifier<'_, F, M, L> {
    type ScalarWire = ElementShare<M>;

    fn most_tested(&self) -> u64 {
        most_tested(M::BITS, !self.challenges.are_chosen())
    }

    fn ask(&mut self, tested: Tested) -> Result<PendingChallenge, Error> {
        self.failed.check()?;
        let checked = tested.check(Challenge::<F>::most_tested(self)).map_err(Error::from);
        let asked = checked.and_then(|()| self.ask_for(tested));
        self.failed.latch(asked)
    }

    fn take(&mut self, n: usize, pending: PendingChallenge) -> Result<Vec<M>, Error> {
        self.failed.check()?;
        let seed = self.taken(&pending);
        let seed = self.failed.latch(seed)?;
        let mut drawn = vec![M::ZERO; n];
        Prg::new(seed).elements(&mut drawn);
        Ok(drawn)
    }

    fn scalars(&mut self, n: usize, _hint: ScalarHint<'_, F, M, M>) -> Result<Vec<ElementShare<M>>, Error> {
        (0..n).map(|_| self.commit_scalar()).collect()
    }

    #[inline(always)]
    fn one_scalar(&mut self, _value: M) -> Result<ElementShare<M>, Error> {
        self.commit_scalar()
    }

    fn random_scalar(&mut self) -> Result<ElementShare<M>, Error> {
        let mut keys = Zeroizing::new(vec![M::ZERO; M::DEGREE]);
        self.random(&mut keys)?;
        Ok(ElementShare { x: M::ZERO, m: M::pack(&keys) })
    }

    #[inline(always)]
    fn scalar<const N: usize>(&self, x: &ElementShare<M>) -> VerifierFixed<M, N> {
        VerifierFixed::linear(x.m * self.powers.inverse)
    }

    #[inline(always)]
    fn peek(&self, _x: &M) -> Option<F> {
        None
    }

    #[inline(always)]
    fn peek_expression<const N: usize>(&self, _e: &VerifierFixed<M, N>) -> M {
        M::ZERO
    }

    fn peek_scalar(&self, _x: &ElementShare<M>, _look: &mut dyn FnMut(M)) {}

    fn begin_argument(&mut self) {
        self.arguments.begin();
    }

    fn end_argument(&mut self) {
        self.arguments.end();
    }
}
