//! Relations of fixed degree and challenges, as the plain prover makes them: polynomials in `X` whose degree
//! it keeps, so that a sum can be shifted.

use std::ops::{Add, Mul, Sub};

use volery_circuit::challenge::most_tested;
use volery_circuit::{Challenge, Expression, PendingChallenge, Relate, ScalarHint, Tested};
use volery_field::{Authenticated, Coordinates, Mac, Value};
use volery_vole::Prg;
use volery_zk::Error;
use volery_zk::quicksilver::field::Link;

use super::{Lie, Reference, Values};
use crate::field::univariate::{accumulate, encode, times};

/// `A_0` to `A_degree`; there is room for `N`.
#[derive(Clone, Copy)]
pub(crate) struct Homogeneous<M, const N: usize> {
    degree: usize,
    coefficients: [M; N],
}

impl<M: volery_field::Element, const N: usize> Homogeneous<M, N> {
    fn of(coefficients: &[M]) -> Self {
        let mut all = [M::ZERO; N];
        all[..coefficients.len()].copy_from_slice(coefficients);
        Self { degree: coefficients.len() - 1, coefficients: all }
    }

    fn list(&self) -> &[M] {
        &self.coefficients[..=self.degree]
    }

    /// `self + c other`.
    fn plus(self, c: M, other: Self) -> Self {
        let degree = self.degree.max(other.degree);
        let mut sum = vec![M::ZERO; degree + 1];
        accumulate(&mut sum, M::ONE, self.list(), degree - self.degree);
        accumulate(&mut sum, c, other.list(), degree - other.degree);
        Self::of(&sum)
    }
}

impl<M: volery_field::Element, const N: usize> Add for Homogeneous<M, N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.plus(M::ONE, other)
    }
}

impl<M: volery_field::Element, const N: usize> Sub for Homogeneous<M, N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.plus(-M::ONE, other)
    }
}

impl<M: volery_field::Element, const N: usize> Mul for Homogeneous<M, N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::of(&times(self.list(), other.list()))
    }
}

impl<M: volery_field::Element, const N: usize> Expression<M> for Homogeneous<M, N> {
    fn constant(c: M) -> Self {
        Self::of(&[c])
    }

    fn scale(self, c: M) -> Self {
        Self { coefficients: self.coefficients.map(|x| x * c), ..self }
    }
}

impl<F: Value, M: Mac<F>, L: Link> Relate<F> for Reference<F, M, L> {
    type Scalar = M;
    type Expression<const N: usize> = Homogeneous<M, N>;

    fn embed(x: F) -> M {
        M::embed(x)
    }

    fn expression<const N: usize>(&self, x: &Authenticated<F, M>) -> Homogeneous<M, N> {
        Homogeneous::of(&[x.m, M::embed(x.x)])
    }

    fn linear<const N: usize>(
        &self,
        constant: M,
        coefficients: &[M],
        x: &[Authenticated<F, M>],
    ) -> Homogeneous<M, N> {
        let sum = Homogeneous::constant(constant);
        coefficients.iter().zip(x).fold(sum, |sum, (c, x)| sum.plus(*c, self.expression(x)))
    }

    fn claim<const N: usize>(&mut self, e: Homogeneous<M, N>) -> Result<(), Error> {
        let mut g = vec![M::ZERO; N];
        accumulate(&mut g, M::ONE, e.list(), N - 1 - e.degree);
        if N == 2 {
            self.zeros.extend(encode(g[0] + self.guess.unwrap_or(M::ZERO) * g[1]));
            self.tally.assertions += 1;
            return Ok(());
        }
        Self::claim(self, g)
    }
}

/// A committed element of the field of MACs: its tag and its value.
type Line<M> = [M; 2];

impl<F: Value, M: Coordinates<F>, L: Link> Challenge<F> for Reference<F, M, L> {
    type ScalarWire = Line<M>;

    fn most_tested(&self) -> u64 {
        most_tested(M::BITS, self.transcript.is_some())
    }

    fn ask(&mut self, tested: Tested) -> Result<PendingChallenge, Error> {
        let most =
            if tested.repetitions == 1 { &mut self.tally.tested } else { &mut self.tally.tested_twice };
        *most = tested.degree.max(*most);
        self.tally.tested_values = tested.values.max(self.tally.tested_values);
        self.close()?;
        if self.transcript.is_some() {
            self.tie()?;
            let seed = self.seed()?;
            self.asked.put(seed);
        } else {
            self.pending.push(None);
        }
        Ok(self.asked.ask())
    }

    fn take(&mut self, n: usize, pending: PendingChallenge) -> Result<Vec<M>, Error> {
        self.send_elements()?;
        self.link.pause()?;
        while !self.asked.is_known() {
            self.open_oldest()?;
        }
        self.link.channel().flush()?;
        let mut seed = self.asked.take(&pending)?;
        if self.lie == Lie::Challenge {
            seed[0] ^= 1;
        }
        let mut drawn = vec![M::ZERO; n];
        Prg::new(seed).elements(&mut drawn);
        Ok(drawn)
    }

    fn scalars(
        &mut self,
        n: usize,
        hint: ScalarHint<'_, F, Authenticated<F, M>, M>,
    ) -> Result<Vec<Line<M>>, Error> {
        let scalars = hint(&Values)?;
        assert_eq!(scalars.len(), n);
        let mut lines = Vec::new();
        for scalar in scalars {
            let mut line = [M::ZERO; 2];
            let first = self.tally.secrets;
            self.tally.secrets += M::DEGREE as u64;
            for h in 0..M::DEGREE {
                let lie = if self.lie == Lie::Secret(first + h as u64) { F::ONE } else { F::ZERO };
                let part = self.commit(scalar.coordinate(h) + lie)?;
                line[0] += M::basis(h) * part.m;
                line[1] += M::basis(h).scale(part.x);
            }
            lines.push(line);
        }
        Ok(lines)
    }

    fn random_scalar(&mut self) -> Result<Line<M>, Error> {
        let mut line = [M::ZERO; 2];
        for h in 0..M::DEGREE {
            let random = self.correlations.next();
            line[0] += M::basis(h) * random.m;
            line[1] += M::basis(h).scale(random.x);
        }
        Ok(line)
    }

    fn scalar<const N: usize>(&self, x: &Line<M>) -> Homogeneous<M, N> {
        Homogeneous::of(x)
    }

    fn peek(&self, x: &Authenticated<F, M>) -> Option<F> {
        Some(x.x)
    }

    fn peek_expression<const N: usize>(&self, e: &Homogeneous<M, N>) -> M {
        e.coefficients[e.degree]
    }

    fn peek_scalar(&self, x: &Line<M>, look: &mut dyn FnMut(M)) {
        look(x[1]);
    }

    fn begin_argument(&mut self) {}

    fn end_argument(&mut self) {}
}
