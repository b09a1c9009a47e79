//! A P that goes on in spite of claims that are false, and notes which.

use volery_circuit::{
    Backend, Challenge, Expression as _, Hint, Ops, PendingChallenge, Prove, Relate, ScalarHint,
    Statement as _, Tested,
};
use volery_field::{F61, Ring as _};
use volery_zk::quicksilver::Tally;
use volery_zk::quicksilver::field::{Link, Prover};

use super::ProgramRun;

/// A false claim: the innermost part of the program, and which of the part's linear claims it is; none if it
/// is not linear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct False {
    pub(super) part: String,
    pub(super) linear: Option<usize>,
}

/// A backend with values that never stops at a false claim. It claims what it has instead: the expression
/// less its value. P's messages about the two are the same ones, since a constant has no tag.
pub(super) struct GoOn<B> {
    pub(super) inner: B,
    /// The parts, and how many linear claims each has made.
    parts: Vec<(String, usize)>,
    pub(super) noted: Vec<False>,
}

impl<B> GoOn<B> {
    pub(super) fn new(inner: B) -> Self {
        Self { inner, parts: vec![(String::new(), 0)], noted: Vec::new() }
    }

    fn note(&mut self, is_linear: bool, holds: bool) {
        let Some((part, claims)) = self.parts.last_mut() else { return };
        let linear = is_linear.then_some(*claims);
        *claims += usize::from(is_linear);
        if !holds {
            self.noted.push(False { part: part.clone(), linear });
        }
    }
}

impl<L: Link> GoOn<Prover<'_, F61, F61, L>> {
    /// Runs a statement and proves what it claims, or what it should have claimed.
    pub(super) fn prove(mut self, run: &ProgramRun) -> Result<Tally, volery_zk::Error> {
        run.run(&mut self)?;
        self.inner.finish()
    }
}

impl<B: Backend> Backend for GoOn<B> {
    type Error = B::Error;

    fn enter(&mut self, part: &str) {
        self.parts.push((part.into(), 0));
        self.inner.enter(part);
    }

    fn leave(&mut self) {
        self.parts.pop();
        self.inner.leave();
    }
}

impl<B: Challenge<F61>> Ops<F61> for GoOn<B> {
    type Wire = B::Wire;

    fn constant(&mut self, c: F61) -> B::Wire {
        self.inner.constant(c)
    }

    fn add(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.inner.add(x, y)
    }

    fn sub(&mut self, x: &B::Wire, y: &B::Wire) -> B::Wire {
        self.inner.sub(x, y)
    }

    fn add_constant(&mut self, x: &B::Wire, c: F61) -> B::Wire {
        self.inner.add_constant(x, c)
    }

    fn scale(&mut self, x: &B::Wire, c: F61) -> B::Wire {
        self.inner.scale(x, c)
    }

    fn mul(&mut self, x: &B::Wire, y: &B::Wire) -> Result<B::Wire, B::Error> {
        self.inner.mul(x, y)
    }
}

impl<B: Challenge<F61>> Prove<F61> for GoOn<B> {
    fn secret(&mut self, n: usize, hint: Hint<'_, F61, B::Wire>) -> Result<Vec<B::Wire>, B::Error> {
        self.inner.secret(n, hint)
    }

    fn assert_zero(&mut self, x: &[B::Wire]) -> Result<(), B::Error> {
        for wire in x {
            let value = self.inner.peek(wire).unwrap_or_default();
            self.note(true, value.is_zero());
            let claimed = self.inner.add_constant(wire, -value);
            self.inner.assert_zero(&[claimed])?;
        }
        Ok(())
    }
}

#[expect(clippy::extra_unused_type_parameters, reason = "other backends ask which part the operation is of")]
impl<B: Backend> GoOn<B> {
    fn prepare_batch<R>(&mut self) -> Result<(), B::Error> {
        Ok(())
    }
}

volery_circuit::delegate_polynomials!([B: Challenge<F61>] GoOn<B>, F61, B, |this| &mut this.inner);

impl<B: Challenge<F61>> Relate<F61> for GoOn<B> {
    type Scalar = B::Scalar;
    type Expression<const N: usize> = B::Expression<N>;

    fn embed(x: F61) -> B::Scalar {
        B::embed(x)
    }

    fn expression<const N: usize>(&self, x: &B::Wire) -> B::Expression<N> {
        self.inner.expression(x)
    }

    fn linear<const N: usize>(
        &self,
        constant: B::Scalar,
        coefficients: &[B::Scalar],
        x: &[B::Wire],
    ) -> B::Expression<N> {
        self.inner.linear(constant, coefficients, x)
    }

    fn claim<const N: usize>(&mut self, e: B::Expression<N>) -> Result<(), B::Error> {
        let value = self.inner.peek_expression(&e);
        self.note(N == 2, value.is_zero());
        self.inner.claim(e - B::Expression::<N>::constant(value))
    }
}

impl<B: Challenge<F61>> Challenge<F61> for GoOn<B> {
    type ScalarWire = B::ScalarWire;

    fn most_tested(&self) -> u64 {
        self.inner.most_tested()
    }

    fn ask(&mut self, tested: Tested) -> Result<PendingChallenge, B::Error> {
        self.inner.ask(tested)
    }

    fn take(&mut self, n: usize, pending: PendingChallenge) -> Result<Vec<B::Scalar>, B::Error> {
        self.inner.take(n, pending)
    }

    fn scalars(
        &mut self,
        n: usize,
        hint: ScalarHint<'_, F61, B::Wire, B::Scalar>,
    ) -> Result<Vec<B::ScalarWire>, B::Error> {
        self.inner.scalars(n, hint)
    }

    fn random_scalar(&mut self) -> Result<B::ScalarWire, B::Error> {
        self.inner.random_scalar()
    }

    fn scalar<const N: usize>(&self, x: &B::ScalarWire) -> B::Expression<N> {
        self.inner.scalar(x)
    }

    fn peek(&self, x: &B::Wire) -> Option<F61> {
        self.inner.peek(x)
    }

    fn peek_expression<const N: usize>(&self, e: &B::Expression<N>) -> B::Scalar {
        self.inner.peek_expression(e)
    }

    fn peek_scalar(&self, x: &B::ScalarWire, look: &mut dyn FnMut(B::Scalar)) {
        self.inner.peek_scalar(x, look);
    }

    fn begin_argument(&mut self) {
        self.inner.begin_argument();
    }

    fn end_argument(&mut self) {
        self.inner.end_argument();
    }
}
