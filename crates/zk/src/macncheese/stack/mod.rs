//! Stacking (section 3): many branches, one string of messages.
//!
//! Every branch is a [`Run`] of its own on a thread of its own, all of them over the link of the run that
//! contains the disjunction. A branch is awake only in its turn, so the threads are coroutines: at any time
//! one of them runs. They **advance together**:
//!
//! ```text
//! while a branch wants a round:   one round as large as the largest wanted, lent to each that wants one, then its challenge to each
//! else:                           one piece, lent to each that has not ended; as much of it is sent as the longest use of it
//! ```
//!
//! So checks meet checks, pieces meet pieces, and the messages are as long as the longest branch's. Memory is
//! that of one block for each branch ([`Settings::for_branches`](super::Settings::for_branches) makes blocks
//! shorter the more there are). A branch in which there is a disjunction does the same for its own branches
//! and passes on what they want, to any depth. Several disjunctions can advance together, each with a string
//! of its own (`in_step`).
//!
//! P's branch that holds has its turn first, writes its values, and the others read them; what it does not
//! write is uniform. P sends a piece when every branch is done with it, so neither lengths nor order of
//! messages depend on which branch that is. **Their moments do, a little**: P's own work is not the same for
//! every choice. Hints run in branches that hold alone; a branch that writes copies its values into the piece
//! and compares what it asserts with zero; and a threshold ([`Run::at_least`]) inside a branch that does not
//! hold has no writers, so it skips the solution of their equations and the mixing of what they wrote, for
//! every piece and round, and the interpolation of the split challenge. Who can measure P's time between
//! messages may learn from it which outer branch holds, where outer branches contain different thresholds or
//! hints.
//!
//! Every branch ends in one linear query whose value `mu` must be zero. What is left is to show that enough
//! of the `mu_i` are:
//!
//! | | elements of M that P sends for `m` branches | |
//! |---|---|---|
//! | [`Run::any_of`] | two for each doubling | `tree`: section 3.2 |
//! | [`Run::any_of_linear`] | `2 m - 1` | `shares`: figure 3 |
//! | [`Run::at_least`] | `2 m - r`, and `r` strings | `shares`, `mixed` |
//!
//! All of them end in queries of the containing run, so they can be parts of branches themselves.
//! [`volery_circuit::Choose`] (`choose`) is [`Run::any_of`] with wires that go in and come out.

mod branch;
#[cfg(test)]
pub(super) mod cheats;
mod children;
mod choose;
mod in_step;
mod mixed;
mod shares;
mod tree;

use volery_circuit::{Error as StatementError, Statement};

use super::half::{Half, Wide};
use super::run::Run;
use super::tally::Tally;
use crate::Error;
use children::{Lend, Plain};

/// Most branches of a disjunction, those of disjunctions in it included: each is a thread. To keep the count
/// the same in whatever order branches have their turns, `n` branches share what is left after them equally:
/// each may contain `(MAX_BRANCHES - n) / n`, and so on below. Where disjunctions run in step with each other
/// ([`Settings::in_step`](super::Settings::in_step)), `n` are the branches of all of them.
pub const MAX_BRANCHES: usize = 1 << 10;

/// A branch of a disjunction; every [`Statement`] that runs on [`Run`] is one.
pub trait Branch<H: Half>: Sync {
    /// Runs the branch. It may use wires of the run that contains the disjunction.
    ///
    /// # Errors
    /// As [`Statement::run`].
    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error>;
}

impl<H: Half, S: for<'r> Statement<Run<'r, H>> + ?Sized> Branch<H> for S {
    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        Statement::run(self, run)
    }
}

impl<H: Half> Run<'_, H> {
    /// Claims that one of `branches` holds, with an overhead that is logarithmic in their number (section
    /// 3.2). P, where its values are proved, says which one in `choice`; V's is ignored.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Witness`] at P if `choice` is none or beyond;
    /// [`volery_circuit::Error::Misuse`] if there are no branches or more than the share of [`MAX_BRANCHES`]
    /// that this run has; what a branch returns; what broke the session.
    pub fn any_of(&mut self, branches: &[&dyn Branch<H>], choice: Option<usize>) -> Result<(), Error> {
        self.any_of_each(branches, &[choice], 1)
    }

    /// As [`Run::any_of`], with linear overhead and one challenge (figure 3): fewer rounds.
    ///
    /// # Errors
    /// As [`Run::any_of`].
    pub fn any_of_linear(&mut self, branches: &[&dyn Branch<H>], choice: Option<usize>) -> Result<(), Error> {
        let choice = choice.as_ref().map(std::slice::from_ref);
        self.disjunctions(branches, &[choice], &mut Plain, |run, ends, truth| {
            shares::open(run, ends, truth, shares::Split::Sum)
        })
    }

    /// Claims that at least `r` of `branches` hold. P says in `choice` which `r`; if more hold, it takes any
    /// `r` of them.
    ///
    /// Branches that are the same claim count each, with one witness for all of them: the caller leaves such
    /// out, as [`Disjunction`](super::Disjunction) does.
    ///
    /// # Errors
    /// As [`Run::any_of`]; [`volery_circuit::Error::Misuse`] if there are more than 255 branches, if `r` is 0
    /// or larger than their number, or if thresholds in thresholds are too many for a piece of 2^20
    /// commitments.
    pub fn at_least(
        &mut self,
        r: usize,
        branches: &[&dyn Branch<H>],
        choice: Option<&[usize]>,
    ) -> Result<(), Error> {
        let mixed = mixed::Mixed::<H>::new(r, branches.len());
        let mut mixed = self.failed.latch(mixed)?;
        self.disjunctions(branches, &[choice], &mut mixed, move |run, ends, truth| {
            shares::open(run, ends, truth, shares::Split::Polynomial(r))
        })
    }

    /// Claims for as many disjunctions as there are `choices` that enough of their branches hold. They have
    /// as many branches each, and stand in `branches` one after another.
    fn disjunctions(
        &mut self,
        branches: &[&dyn Branch<H>],
        choices: &[Option<&[usize]>],
        lend: &mut dyn Lend<H>,
        join: impl FnOnce(&mut Self, Vec<Wide<H::Mac>>, &[bool]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.failed.check()?;
        let result = self.truth(branches.len(), choices, lend.writers()).and_then(|truth| {
            self.settle()?;
            self.count(Tally { branches: branches.len() as u64, ..Tally::default() });
            let ends = children::advance(self, branches, &truth, lend)?;
            join(self, ends, &truth)?;
            self.check_queries()
        });
        self.failed.latch(result)
    }

    /// Which branches P claims to hold: exactly `wanted` of each disjunction, where this run writes; none
    /// elsewhere.
    fn truth(&self, n: usize, choices: &[Option<&[usize]>], wanted: usize) -> Result<Vec<bool>, Error> {
        let width = n / choices.len().max(1);
        if width == 0 || width * choices.len() != n || n > self.budget {
            let reason = format!(
                "a disjunction of {n} branches; 1 to {} are possible here, {MAX_BRANCHES} over all levels of nesting",
                self.budget
            );
            return Err(StatementError::misuse(reason).into());
        }
        let mut truth = vec![false; n];
        if !self.writes() {
            return Ok(truth);
        }
        for (truth, choice) in truth.chunks_mut(width).zip(choices) {
            for i in choice.unwrap_or_default() {
                let Some(truth) = truth.get_mut(*i) else {
                    let reason = format!("branch number {i} of {width} is chosen, counted from 0");
                    return Err(StatementError::Witness(reason).into());
                };
                *truth = true;
            }
            let chosen = truth.iter().filter(|truth| **truth).count();
            if chosen != wanted {
                let reason = format!("{chosen} different branches are chosen, {wanted} must be");
                return Err(StatementError::Witness(reason).into());
            }
        }
        Ok(truth)
    }
}
