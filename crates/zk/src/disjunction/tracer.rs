//! P's evaluation of the branch that holds.

use volery_circuit::{Backend, Branch, Error, Evaluator, Hint, Ops, Prove, Shape, Witness};
use volery_field::Ring;

/// Evaluates a branch on plain values and keeps what has to be committed to. Hints run here and nowhere else.
#[derive(Default)]
pub struct Tracer<R: Ring> {
    values: Evaluator<R>,
    left: Vec<R>,
    right: Vec<R>,
}

/// Inputs and factors of every multiplication, filled up with zeros, and what comes out; wiped on drop.
pub(super) struct Trace<R: Ring> {
    pub(super) inputs: Witness<R>,
    pub(super) left: Witness<R>,
    pub(super) right: Witness<R>,
    pub(super) outputs: Witness<R>,
}

impl<R: Ring> Tracer<R> {
    /// Evaluates `branch` on these values; what it commits to fills `shape`.
    pub(super) fn trace(
        branch: &impl Branch<R, Self>,
        shared: &[R],
        shape: Shape,
    ) -> Result<Trace<R>, Error> {
        let room = || Vec::with_capacity(shape.multiplications);
        let mut tracer = Self { values: Evaluator::tracing(), left: room(), right: room() };
        let outputs = branch.run(&mut tracer, shared)?;
        let values = core::mem::take(&mut tracer.values).into_trace();
        let trace = Trace {
            inputs: pad(values.values().to_vec(), shape.inputs)?,
            left: pad(core::mem::take(&mut tracer.left), shape.multiplications)?,
            right: pad(core::mem::take(&mut tracer.right), shape.multiplications)?,
            outputs: Witness::new(outputs),
        };
        if trace.outputs.values().len() != shape.outputs {
            return Err(Error::misuse("a branch has another number of outputs than its disjunction"));
        }
        Ok(trace)
    }
}

impl<R: Ring> Drop for Tracer<R> {
    fn drop(&mut self) {
        // What a branch that failed leaves: a witness wipes its values.
        drop([&mut self.left, &mut self.right].map(|values| Witness::new(core::mem::take(values))));
    }
}

fn pad<R: Ring>(mut values: Vec<R>, n: usize) -> Result<Witness<R>, Error> {
    if values.len() > n {
        return Err(Error::misuse(format!(
            "a branch of {} values or products; its shape has {n}",
            values.len()
        )));
    }
    values.resize(n, R::ZERO);
    Ok(Witness::new(values))
}

impl<R: Ring> Backend for Tracer<R> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        self.values.enter(part);
    }

    fn leave(&mut self) {
        self.values.leave();
    }
}

impl<R: Ring> Ops<R> for Tracer<R> {
    type Wire = R;

    #[inline]
    fn constant(&mut self, c: R) -> R {
        c
    }

    #[inline]
    fn add(&mut self, x: &R, y: &R) -> R {
        *x + *y
    }

    #[inline]
    fn sub(&mut self, x: &R, y: &R) -> R {
        *x - *y
    }

    #[inline]
    fn add_constant(&mut self, x: &R, c: R) -> R {
        *x + c
    }

    #[inline]
    fn scale(&mut self, x: &R, c: R) -> R {
        *x * c
    }

    #[inline]
    fn mul(&mut self, x: &R, y: &R) -> Result<R, Error> {
        self.left.push(*x);
        self.right.push(*y);
        Ok(*x * *y)
    }
}

impl<R: Ring> Prove<R> for Tracer<R> {
    fn secret(&mut self, n: usize, hint: Hint<'_, R, R>) -> Result<Vec<R>, Error> {
        self.values.secret(n, hint)
    }

    fn assert_zero(&mut self, x: &[R]) -> Result<(), Error> {
        self.values.assert_zero(x)
    }
}

volery_circuit::polynomials_by_multiplying!([R: Ring] R, Tracer<R>);
