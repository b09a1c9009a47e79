//! Relations of fixed degree and challenges on P's wires.

use volery_circuit::challenge::{check_scalars, most_tested};
use volery_circuit::{
    Challenge, Error as StatementError, Peek, PendingChallenge, Relate, ScalarHint, Tested,
};
use volery_field::{Authenticated, Coordinates, Mac, Value};
use volery_vole::Prg;
use zeroize::Zeroizing;

use super::super::super::fixed::ProverFixed;
use super::super::Link;
use super::Prover;
use super::operations::Values;
use crate::Error;
use crate::shares::ElementShare;

/// The fewest terms for which a kernel is worth its call.
pub(in super::super) const KERNEL: usize = 32;

impl<F: Value, M: Mac<F>, L: Link> Relate<F> for Prover<'_, F, M, L> {
    type Scalar = M;
    type Expression<const N: usize> = ProverFixed<M, N>;

    #[inline(always)]
    fn embed(x: F) -> M {
        M::embed(x)
    }

    #[inline(always)]
    fn expression<const N: usize>(&self, x: &Self::Wire) -> ProverFixed<M, N> {
        ProverFixed::linear(M::embed(x.x), x.m)
    }

    #[inline(always)]
    fn linear<const N: usize>(&self, constant: M, coefficients: &[M], x: &[Self::Wire]) -> ProverFixed<M, N> {
        let n = coefficients.len().min(x.len());
        let (c, x) = (coefficients.get(..n).unwrap_or_default(), x.get(..n).unwrap_or_default());
        // A kernel fails for unequal lengths only.
        if n >= KERNEL
            && let Ok([m, x]) = M::combine_prover(x, c)
        {
            return ProverFixed::linear(constant + x, m);
        }
        let sum = |(sum, tag), (c, x): (&M, &Self::Wire)| (sum + c.scale(x.x), tag + *c * x.m);
        let (sum, tag) = c.iter().zip(x).fold((constant, M::ZERO), sum);
        ProverFixed::linear(sum, tag)
    }

    #[inline(always)]
    fn claim<const N: usize>(&mut self, e: ProverFixed<M, N>) -> Result<(), Error> {
        let Some((value, coefficients)) = e.coefficients().split_first() else { return Ok(()) };
        self.demand_zero(*value)?;
        match coefficients {
            [] => self.misuse("a claim about a public constant".into()),
            [tag] => {
                let result = self.assertions.push_element(*tag);
                self.latch(result)?;
                self.tally.assertions += 1;
                Ok(())
            }
            _ => {
                self.room()?;
                self.relations.push(N - 1, coefficients.iter().rev().copied());
                self.tally.claim(N - 1);
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn secrets<const K: usize>(
        &mut self,
        hint: impl FnOnce(&dyn Peek<F, Self::Wire>) -> Result<[F; K], StatementError>,
    ) -> Result<[Self::Wire; K], Error> {
        let values = if self.blank { [F::ZERO; K] } else { self.hinted(hint(&Values))? };
        self.tally.secrets += K as u64;
        let mut wires = [Authenticated::default(); K];
        for (wire, value) in wires.iter_mut().zip(values) {
            *wire = self.commit(value)?;
        }
        Ok(wires)
    }
}

impl<F: Value, M: Coordinates<F>, L: Link> Prover<'_, F, M, L> {
    /// Commits to the coordinates of `x`.
    #[inline(always)]
    fn commit_scalar(&mut self, x: M) -> Result<ElementShare<M>, Error> {
        self.tally.secrets += M::DEGREE as u64;
        if M::DEGREE == 1 {
            return Ok(ElementShare { x, m: self.commit(x.coordinate(0))?.m });
        }
        let mut tags = Zeroizing::new(vec![M::ZERO; M::DEGREE]);
        for (h, tag) in tags.iter_mut().enumerate() {
            *tag = self.commit(x.coordinate(h))?.m;
        }
        Ok(ElementShare { x, m: M::pack(&tags) })
    }
}

impl<F: Value, M: Coordinates<F>, L: Link> Challenge<F> for Prover<'_, F, M, L> {
    type ScalarWire = ElementShare<M>;

    fn most_tested(&self) -> u64 {
        most_tested(M::BITS, !self.challenges.are_chosen())
    }

    fn ask(&mut self, tested: Tested) -> Result<PendingChallenge, Error> {
        self.failed.check()?;
        let checked = tested.check(Challenge::<F>::most_tested(self)).map_err(Error::from);
        let asked = checked.and_then(|()| self.ask_for(tested));
        self.latch(asked)
    }

    fn take(&mut self, n: usize, pending: PendingChallenge) -> Result<Vec<M>, Error> {
        self.failed.check()?;
        let seed = self.taken(&pending);
        let seed = self.latch(seed)?;
        let mut drawn = vec![M::ZERO; n];
        Prg::new(seed).elements(&mut drawn);
        Ok(drawn)
    }

    fn scalars(
        &mut self,
        n: usize,
        hint: ScalarHint<'_, F, Self::Wire, M>,
    ) -> Result<Vec<ElementShare<M>>, Error> {
        let scalars = if self.blank { vec![M::ZERO; n] } else { self.hinted(hint(&Values))? };
        let scalars = Zeroizing::new(scalars);
        self.hinted(check_scalars(scalars.len(), n))?;
        scalars.iter().map(|x| self.commit_scalar(*x)).collect()
    }

    #[inline(always)]
    fn one_scalar(&mut self, value: M) -> Result<ElementShare<M>, Error> {
        self.commit_scalar(if self.blank { M::ZERO } else { value })
    }

    fn random_scalar(&mut self) -> Result<ElementShare<M>, Error> {
        let mut random = Zeroizing::new(vec![Authenticated::default(); M::DEGREE]);
        self.random(&mut random)?;
        let values = Zeroizing::new(Vec::from_iter(random.iter().map(|random| M::embed(random.x))));
        let tags = Zeroizing::new(Vec::from_iter(random.iter().map(|random| random.m)));
        Ok(ElementShare { x: M::pack(&values), m: M::pack(&tags) })
    }

    #[inline(always)]
    fn scalar<const N: usize>(&self, x: &ElementShare<M>) -> ProverFixed<M, N> {
        ProverFixed::linear(x.x, x.m)
    }

    #[inline(always)]
    fn peek(&self, x: &Self::Wire) -> Option<F> {
        Some(x.x)
    }

    #[inline(always)]
    fn peek_expression<const N: usize>(&self, e: &ProverFixed<M, N>) -> M {
        e.coefficients().first().copied().unwrap_or_default()
    }

    fn peek_scalar(&self, x: &ElementShare<M>, look: &mut dyn FnMut(M)) {
        look(x.x);
    }

    fn begin_argument(&mut self) {
        self.arguments.begin();
    }

    fn end_argument(&mut self) {
        self.arguments.end();
    }
}
