//! Thresholds: "at least this many of these hold", without saying which.

use std::collections::HashMap;

use volery_field::F2;

use super::{Branch, Branches, Picked, Repeat, Shape, Sizer, Steps};
use crate::gadgets::less_than;
use crate::{Digest, Error, Peek, Prove, Statement};

/// A statement with its number among several. It outputs the number in binary, least significant bit first.
#[derive(Clone, Debug)]
pub struct Numbered<S> {
    number: usize,
    width: u32,
    statement: S,
}

impl<B: Prove<F2>, S: Statement<B>> Branch<F2, B> for Numbered<S> {
    fn identify(&self, digest: &mut Digest) {
        digest.number("number", self.number as u64);
        self.statement.identify(digest);
    }

    fn run(&self, backend: &mut B, _shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        self.statement.run(backend)?;
        let bit = |i: u32| F2::new(self.number >> i & 1 == 1);
        Ok((0..self.width).map(|i| backend.constant(bit(i))).collect())
    }
}

/// Rejects the branches of a threshold, given by their digests in order, if two are equal: one witness would
/// count for both.
///
/// # Errors
/// [`Error::Public`] with the numbers of the first two that are equal, counted from 0.
pub fn count_once(digests: impl IntoIterator<Item = [u8; 32]>) -> Result<(), Error> {
    let mut seen = HashMap::new();
    for (number, digest) in digests.into_iter().enumerate() {
        if let Some(first) = seen.insert(digest, number) {
            return Err(Error::Public(format!(
                "branches {first} and {number}, counted from 0, are the same statement: one witness would count for both, so list it once"
            )));
        }
    }
    Ok(())
}

/// "At least `least` of these statements about bits hold."
///
/// This is `least` disjunctions. Each one outputs the committed number of the branch that was picked, and the
/// numbers are claimed to increase, so no branch counts twice. If `least` is one, no number is needed.
///
/// **A statement counts once**, too. If two branches were the same statement ([`Statement::identify`]), one
/// witness would count for two, so they are refused if more than one must hold. The verifier must leave out
/// statements that differ but follow from one another: this check cannot tell, for instance, that two
/// circuits compute the same function.
#[derive(Clone, Debug)]
pub struct AtLeast<S> {
    branches: Branches<F2, Numbered<S>>,
    least: usize,
    /// At the prover: the statements that hold, in increasing order.
    picked: Vec<Picked<Numbered<S>>>,
}

impl<S> AtLeast<S> {
    /// The verifier's statement.
    ///
    /// # Errors
    /// [`Error::Public`] if `least` is zero or more than the number of statements, or if two statements are
    /// equal and more than one must hold; as [`Branches::new`].
    pub fn new(statements: Vec<S>, least: usize) -> Result<Self, Error>
    where
        S: Statement<Sizer<F2>>,
    {
        let count = statements.len();
        if least == 0 || least > count {
            return Err(Error::Public(format!(
                "at least {least} of {count} statements: 1 to {count} are possible"
            )));
        }
        if least > 1 {
            count_once(statements.iter().map(|statement| {
                let mut digest = Digest::new();
                statement.identify(&mut digest);
                digest.finish()
            }))?;
        }
        let width = if least > 1 { usize::BITS - (count - 1).leading_zeros() } else { 0 };
        let numbered = |(number, statement)| Numbered { number, width, statement };
        let branches = Branches::new(statements.into_iter().enumerate().map(numbered).collect(), 0)?;
        Ok(Self { branches, least, picked: Vec::new() })
    }

    /// The prover's statement. `known` has the numbers (from 0) of the statements that hold, each with the
    /// statement and its witness.
    ///
    /// # Errors
    /// [`Error::Witness`] if there are too few or too many, if a number is not that of a statement, or if two
    /// are equal.
    pub fn with_witnesses(mut self, known: Vec<(usize, S)>) -> Result<Self, Error> {
        let Some(first) = self.branches.list().first() else { return Ok(self) };
        let width = first.width;
        let mut picked = Vec::from_iter(known.into_iter().map(|(index, statement)| Picked {
            index,
            witness: Some(Numbered { number: index, width, statement }),
        }));
        picked.sort_by_key(|picked| picked.index);
        if picked.len() != self.least {
            let (got, least) = (picked.len(), self.least);
            return Err(Error::Witness(format!(
                "exactly {least} of the branches must have a witness, not {got}"
            )));
        }
        if picked.windows(2).any(|pair| pair[0].index == pair[1].index) {
            return Err(Error::Witness("two witnesses are for the same branch".into()));
        }
        picked.iter().try_for_each(|picked| self.branches.picked(picked).map(drop))?;
        self.picked = picked;
        Ok(self)
    }

    /// Makes the prover count its first branch twice, for a test.
    #[cfg(test)]
    pub(super) fn repeat_first(&mut self)
    where
        S: Clone,
    {
        let first = self.picked[0].clone();
        self.picked[1] = first;
    }

    /// The number of branches, and how many of them are claimed to hold.
    #[must_use]
    pub fn counts(&self) -> [usize; 2] {
        [self.branches.list().len(), self.least]
    }

    /// The commitments of each of its disjunctions.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.branches.shape()
    }
}

/// The numbers of the branches that were picked increase.
struct Increasing<'x, S, W> {
    picked: &'x [Picked<Numbered<S>>],
    last: Option<Vec<W>>,
}

impl<B: Prove<F2> + ?Sized, S: Clone> Steps<F2, Numbered<S>, B> for Increasing<'_, S, B::Wire> {
    fn before(&mut self, _: &mut B, _: usize) -> Result<Vec<B::Wire>, B::Error> {
        Ok(Vec::new())
    }

    fn pick(&mut self, step: usize, _: &dyn Peek<F2, B::Wire>) -> Result<Picked<Numbered<S>>, Error> {
        let missing = || Error::Witness("no branch was chosen".into());
        self.picked.get(step).cloned().ok_or_else(missing)
    }

    fn after(&mut self, backend: &mut B, _: usize, number: Vec<B::Wire>) -> Result<(), B::Error> {
        if let Some(last) = &self.last {
            let less = less_than(backend, last, &number)?;
            let wrong = backend.add_constant(&less, F2::ONE);
            backend.assert_zero(&[wrong])?;
        }
        self.last = Some(number);
        Ok(())
    }
}

impl<B, S> Statement<B> for AtLeast<S>
where
    B: Repeat<F2, Numbered<S>>,
    S: Statement<Sizer<F2>> + Clone,
{
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"at-least v1").number("least", self.least as u64);
        self.branches.identify::<Sizer<F2>>(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.branches.shape().commitments().checked_mul(self.least as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let mut increasing = Increasing { picked: &self.picked, last: None };
        backend.repeat(&self.branches, self.least, &mut increasing)
    }
}
