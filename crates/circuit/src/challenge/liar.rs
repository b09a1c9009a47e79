//! A backend on values that lies where it is told to, for tests of arguments.

use volery_field::{F61, Ring as _};

use super::{Challenge, PendingChallenge, ScalarHint, Tested};
use crate::relations::Plain;
use crate::{Backend, Error, Evaluator, Hint, Ops, Peek, Prove, Relate};

/// What was asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Secrets(usize),
    Challenge,
    Scalars(usize),
}

/// An evaluator whose secrets and scalars may be others than the program says, and whose challenges may be
/// chosen.
pub(crate) struct Liar {
    inner: Evaluator<F61>,
    /// What is added to the secret or scalar of this number.
    pub(crate) secret: Option<(usize, F61)>,
    pub(crate) scalar: Option<(usize, F61)>,
    /// What the first elements of every challenge are.
    pub(crate) chosen: Vec<F61>,
    pub(crate) asked: Vec<Asked>,
    counts: [usize; 2],
    /// The value of the last linear claim, if that was false.
    pub(crate) imbalance: Option<F61>,
}

impl Liar {
    pub(crate) fn new() -> Self {
        Self {
            inner: Evaluator::new(),
            secret: None,
            scalar: None,
            chosen: Vec::new(),
            asked: Vec::new(),
            counts: [0; 2],
            imbalance: None,
        }
    }
}

/// A false claim that one of the scalars makes up for: the sum or product at the end then holds, so only the
/// relation of that scalar can fail. `run` fails first at its last linear claim.
pub(crate) fn made_up_for(scalar: usize, run: impl Fn(&mut Liar) -> Result<(), Error>) {
    let mut first = Liar::new();
    assert!(matches!(run(&mut first), Err(Error::Unsatisfied { .. })));
    let imbalance = first.imbalance.expect("the last claim is false");
    let mut second = Liar::new();
    second.scalar = Some((scalar, -imbalance));
    let result = run(&mut second);
    assert!(matches!(result, Err(Error::Unsatisfied { .. })), "{result:?}");
    assert!(second.imbalance.is_none(), "the scalar does not make up for it");
}

impl Backend for Liar {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.inner.enter(part);
    }

    fn leave(&mut self) {
        self.inner.leave();
    }
}

impl Ops<F61> for Liar {
    crate::linear_on_values!(F61);

    fn mul(&mut self, x: &F61, y: &F61) -> Result<F61, Error> {
        Ok(*x * *y)
    }
}

impl Prove<F61> for Liar {
    fn secret(&mut self, n: usize, hint: Hint<'_, F61, F61>) -> Result<Vec<F61>, Error> {
        self.asked.push(Asked::Secrets(n));
        let first = self.counts[0];
        self.counts[0] += n;
        let lie = self.secret;
        self.inner.secret(n, &mut |peek| {
            let mut values = hint(peek)?;
            if let Some((number, lie)) = lie
                && let Some(value) = number.checked_sub(first).and_then(|i| values.get_mut(i))
            {
                *value += lie;
            }
            Ok(values)
        })
    }

    fn assert_zero(&mut self, x: &[F61]) -> Result<(), Error> {
        self.inner.assert_zero(x)
    }
}

crate::delegate_polynomials!([] Liar, F61, Evaluator<F61>, |this| &mut this.inner);

#[expect(clippy::extra_unused_type_parameters, reason = "other backends ask which part the operation is of")]
impl Liar {
    fn prepare_batch<R>(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl Relate<F61> for Liar {
    type Scalar = F61;
    type Expression<const N: usize> = Plain<F61, N>;

    fn embed(x: F61) -> F61 {
        x
    }

    fn expression<const N: usize>(&self, x: &F61) -> Plain<F61, N> {
        self.inner.expression(x)
    }

    fn linear<const N: usize>(&self, constant: F61, coefficients: &[F61], x: &[F61]) -> Plain<F61, N> {
        self.inner.linear(constant, coefficients, x)
    }

    fn claim<const N: usize>(&mut self, e: Plain<F61, N>) -> Result<(), Error> {
        if N == 2 {
            self.imbalance = e.checked().ok().filter(|value| !value.is_zero());
        }
        self.inner.claim(e)
    }
}

impl Challenge<F61> for Liar {
    type ScalarWire = F61;

    fn most_tested(&self) -> u64 {
        self.inner.most_tested()
    }

    fn ask(&mut self, tested: Tested) -> Result<PendingChallenge, Error> {
        self.asked.push(Asked::Challenge);
        self.inner.ask(tested)
    }

    fn take(&mut self, n: usize, pending: PendingChallenge) -> Result<Vec<F61>, Error> {
        let mut drawn = self.inner.take(n, pending)?;
        drawn.iter_mut().zip(&self.chosen).for_each(|(drawn, chosen)| *drawn = *chosen);
        Ok(drawn)
    }

    fn scalars(&mut self, n: usize, hint: ScalarHint<'_, F61, F61, F61>) -> Result<Vec<F61>, Error> {
        self.asked.push(Asked::Scalars(n));
        let first = self.counts[1];
        self.counts[1] += n;
        let lie = self.scalar;
        self.inner.scalars(n, &mut |peek: &dyn Peek<F61, F61>| {
            let mut values = hint(peek)?;
            if let Some((number, lie)) = lie
                && let Some(value) = number.checked_sub(first).and_then(|i| values.get_mut(i))
            {
                *value += lie;
            }
            Ok(values)
        })
    }

    fn random_scalar(&mut self) -> Result<F61, Error> {
        self.inner.random_scalar()
    }

    fn scalar<const N: usize>(&self, x: &F61) -> Plain<F61, N> {
        self.inner.scalar(x)
    }

    fn peek(&self, x: &F61) -> Option<F61> {
        self.inner.peek(x)
    }

    fn peek_expression<const N: usize>(&self, e: &Plain<F61, N>) -> F61 {
        self.inner.peek_expression(e)
    }

    fn peek_scalar(&self, x: &F61, look: &mut dyn FnMut(F61)) {
        self.inner.peek_scalar(x, look);
    }

    fn begin_argument(&mut self) {
        self.inner.begin_argument();
    }

    fn end_argument(&mut self) {
        self.inner.end_argument();
    }
}
