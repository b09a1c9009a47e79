//! One of many: a statement with several branches. One has to hold, and the proof does not show which.
//!
//! A [`Branch`] is a program like a statement, with input wires (`shared` with the statement around it) and
//! output wires. [`Branches`] are several with one interface. A backend that implements [`Choose`] proves
//! that one of them holds, for about the price of the largest. [`Repeat`] proves it many times, for about the
//! price of all branches once plus that of one branch for each repetition.
//!
//! ```text
//! outputs = any_of(shared, branches, pick)              pick runs only where values exist
//! ```
//!
//! | backend | what `any_of` does |
//! |---|---|
//! | [`Evaluator`](crate::Evaluator) | runs the picked branch on values |
//! | [`Counter`] | counts the commitments, which do not depend on the choice |
//! | provers and verifiers (`volery_zk::disjunction`) | commit to one branch, and prove that it is one of them |

mod at_least;
mod branches;
mod clear;

use volery_field::Ring;

pub use at_least::{AtLeast, Numbered, count_once};
pub use branches::{Branches, MAX_BRANCHES, Shape};

/// The backend that computes a branch's [`Shape`].
pub type Sizer<R> = Counter<R, Sizes>;

use crate::counter::{Counter, Sizes};
use crate::{Digest, Error, Peek, Prove, Statement};

/// A program with input and output wires: one of those that a disjunction chooses from.
///
/// As for a [`Statement`], the prover's copy also holds the witness, and both parties make the same calls
/// whatever the values are.
pub trait Branch<R: Ring, B: Prove<R> + ?Sized>: Sync {
    /// Absorbs everything that determines the claim, as [`Statement::identify`].
    fn identify(&self, digest: &mut Digest);

    /// Runs the program on its input wires, and returns its output wires.
    ///
    /// # Errors
    /// As [`Statement::run`].
    fn run(&self, backend: &mut B, shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error>;
}

/// A statement as a branch without input and output wires.
#[derive(Clone, Debug)]
pub struct Whole<S>(pub S);

impl<R: Ring, B: Prove<R> + ?Sized, S: Statement<B>> Branch<R, B> for Whole<S> {
    fn identify(&self, digest: &mut Digest) {
        self.0.identify(digest);
    }

    fn run(&self, backend: &mut B, _shared: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        self.0.run(backend).map(|()| Vec::new())
    }
}

/// Which branch holds.
#[derive(Clone, Debug)]
pub struct Picked<S> {
    /// Its number among the branches, from 0.
    pub index: usize,
    /// That branch with a witness, if the one in the list has none.
    pub witness: Option<S>,
}

impl<S> Picked<S> {
    /// Branch number `index`, as it is in the list.
    #[must_use]
    pub const fn new(index: usize) -> Self {
        Self { index, witness: None }
    }
}

/// Says which branch holds, if necessary by looking at values. It runs only where values exist.
pub type Pick<'a, R, W, S> = &'a mut dyn FnMut(&dyn Peek<R, W>) -> Result<Picked<S>, Error>;

/// A backend that proves disjunctions of branches of type `S`.
///
/// The backends that run a branch do not implement this: a branch of a disjunction contains no disjunction.
///
/// ```compile_fail,E0277
/// use volery_circuit::{Choose, choose::Sizer};
/// use volery_field::F2;
///
/// fn nested<S>(branch: &mut impl Choose<F2, S>) {}
/// nested::<()>(&mut Sizer::default());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not prove disjunctions of `{S}`",
    label = "no `any_of` on this backend",
    note = "a branch of a disjunction (Robin, Batchman) holds no disjunction itself: list its branches among the outer one's, or make \
            the outer choice first, take a number out of it, and have the inner disjunction's branches claim what goes with it",
    note = "disjunctions inside branches, to any depth, are what Mac'n'Cheese proves: `volery_zk::macncheese`",
    note = "if it is a disjunction of its own, `{S}` may lack `Branch` for the backends of `volery_zk::disjunction`; \
            `impl<B: Prove<R>> Branch<R, B> for ..` covers all of them"
)]
pub trait Choose<R: Ring, S>: Prove<R> {
    /// Claims that one of `branches` holds on `shared`. Its outputs are fresh wires.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless `shared` has [`Branches::shared`] wires and every branch has the shape that
    /// was counted; [`Error::Witness`] if no branch was picked; the branch's own, and the backend's.
    fn any_of(
        &mut self,
        shared: &[Self::Wire],
        branches: &Branches<R, S>,
        pick: Pick<'_, R, Self::Wire, S>,
    ) -> Result<Vec<Self::Wire>, Self::Error>;
}

/// The caller's part in each repetition of a batch.
pub trait Steps<R: Ring, S, B: Prove<R> + ?Sized> {
    /// The input wires of repetition `step`: constants, outputs of earlier repetitions, or any others.
    ///
    /// # Errors
    /// The backend's, and the statement's own.
    fn before(&mut self, backend: &mut B, step: usize) -> Result<Vec<B::Wire>, B::Error>;

    /// Which branch holds at `step`. This runs only where values exist.
    ///
    /// # Errors
    /// [`Error::Witness`] if it is not known.
    fn pick(&mut self, step: usize, values: &dyn Peek<R, B::Wire>) -> Result<Picked<S>, Error>;

    /// Takes the outputs of `step`.
    ///
    /// # Errors
    /// The backend's, and the statement's own.
    fn after(&mut self, backend: &mut B, step: usize, outputs: Vec<B::Wire>) -> Result<(), B::Error>;
}

/// A backend that proves the same disjunction many times.
pub trait Repeat<R: Ring, S>: Choose<R, S> {
    /// Claims that at each of `steps` repetitions one of `branches` holds on its inputs. The default proves
    /// one disjunction after another.
    ///
    /// # Errors
    /// As [`Choose::any_of`], and those of `each`.
    fn repeat(
        &mut self,
        branches: &Branches<R, S>,
        steps: usize,
        each: &mut dyn Steps<R, S, Self>,
    ) -> Result<(), Self::Error> {
        repeat_by_choosing(self, branches, steps, each)
    }
}

/// One disjunction after another, on any backend.
///
/// # Errors
/// As [`Repeat::repeat`].
pub fn repeat_by_choosing<R: Ring, S, B: Choose<R, S> + ?Sized>(
    backend: &mut B,
    branches: &Branches<R, S>,
    steps: usize,
    each: &mut dyn Steps<R, S, B>,
) -> Result<(), B::Error> {
    for step in 0..steps {
        let shared = each.before(backend, step)?;
        let outputs = backend.any_of(&shared, branches, &mut |values| each.pick(step, values))?;
        each.after(backend, step, outputs)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
