//! Stacking (section 3): many branches, one string of messages.
//!
//! Every branch is a [`Run`] of its own, over the link of the run that contains the disjunction. It is a
//! coroutine on a stack of its own, and runs only in its turn. (A turn takes some tens of nanoseconds to
//! begin; branches on threads of their own took microseconds each time.) Branches **advance together**:
//!
//! ```text
//! while a branch wants a round:   one round as large as the largest wanted is lent to each that wants one; each gets its challenge
//! else:                           one piece is lent to each branch that has not ended; P sends as much of it as the longest use
//! ```
//!
//! So the checks of all branches share rounds, and the messages are as long as those of the longest branch.
//! Each branch takes the memory of one block ([`Settings::for_branches`](super::Settings::for_branches)
//! shortens blocks if there are many). A branch that contains a disjunction does the same for its own
//! branches, and passes on what they want, to any depth. Several disjunctions can advance together, each with
//! a string of its own (`in_step`).
//!
//! At P the branch that holds has the first turn and writes its values into the string. The other branches
//! read the string. Whatever no branch writes is uniform. P sends a piece when every branch is done with it,
//! so neither the lengths nor the order of messages depend on which branch holds.
//!
//! **The times of messages do, a little**, because P's own work depends on its choice. Hints run only in
//! branches that hold. A branch that writes copies its values into the piece, and compares its assertions
//! with zero. A threshold ([`Run::at_least`]) inside a branch that does not hold has no writers, so in every
//! piece and round it skips solving their equations and mixing their values, and it skips the interpolation
//! of the split challenge. If outer branches contain different thresholds or hints, someone who measures the
//! time between P's messages may learn which of them holds.
//!
//! Every branch ends in one linear query whose value `mu` must be zero. P then shows that enough of the
//! `mu_i` are zero:
//!
//! | | elements of M that P sends for `m` branches | |
//! |---|---|---|
//! | [`Run::any_of`] | two for each doubling | `tree`: section 3.2 |
//! | [`Run::any_of_linear`] | `2 m - 1` | `split`: figure 3 |
//! | [`Run::at_least`] | `2 m - r`, and `r` strings | `split`, `mixed` |
//!
//! All of these end in queries of the containing run, so they can be parts of branches themselves.
//! [`volery_circuit::Choose`] (`choose`) is [`Run::any_of`] with wires that go in and come out.

mod branch;
#[cfg(test)]
pub(super) mod cheats;
mod children;
mod choose;
mod in_step;
mod mixed;
#[cfg(target_family = "wasm")]
mod no_coroutine;
mod split;
mod tree;

use volery_circuit::{Error as StatementError, Statement};

use super::run::Run;
use super::share::Share;
use super::tally::Tally;
use crate::Error;
use crate::shares::ElementShare;
use children::{Lend, Plain};

/// The most branches of a disjunction, including those of disjunctions in it. Each has a stack.
///
/// The limit must not depend on the order in which branches have their turns. So `n` branches divide the rest
/// equally: each may contain `(MAX_BRANCHES - n) / n` branches, and so on below. If disjunctions run in step
/// with each other ([`Settings::in_step`](super::Settings::in_step)), `n` counts the branches of all of them.
pub const MAX_BRANCHES: usize = 1 << 10;

/// A branch of a disjunction. Every [`Statement`] that runs on [`Run`] is one.
pub trait Branch<H: Share>: Sync {
    /// Runs the branch. It may use wires of the run that contains the disjunction.
    ///
    /// # Errors
    /// As [`Statement::run`].
    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error>;
}

impl<H: Share, S: for<'r> Statement<Run<'r, H>> + ?Sized> Branch<H> for S {
    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        Statement::run(self, run)
    }
}

impl<H: Share> Run<'_, H> {
    /// Claims that one of `branches` holds, with an overhead that is logarithmic in their number (section
    /// 3.2). `choice` says at P which one it is, and is ignored at V.
    ///
    /// # Errors
    /// [`volery_circuit::Error::Witness`] at P if `choice` is `None` or out of range;
    /// [`volery_circuit::Error::Misuse`] if there are no branches, or more than this run's part of
    /// [`MAX_BRANCHES`]; the error of a branch; any error that ends the session.
    pub fn any_of(&mut self, branches: &[&dyn Branch<H>], choice: Option<usize>) -> Result<(), Error> {
        self.any_of_each(branches, &[choice], 1)
    }

    /// As [`Run::any_of`], with linear overhead and fewer rounds: one challenge (figure 3).
    ///
    /// # Errors
    /// As [`Run::any_of`].
    pub fn any_of_linear(&mut self, branches: &[&dyn Branch<H>], choice: Option<usize>) -> Result<(), Error> {
        let choice = choice.as_ref().map(std::slice::from_ref);
        self.disjunctions(branches, &[choice], &mut Plain, |run, ends, truth| {
            split::open(run, ends, truth, split::Split::Sum)
        })
    }

    /// Claims that at least `r` of `branches` hold. `choice` says at P which `r`; if more hold, P takes any
    /// `r` of them.
    ///
    /// If two branches are the same claim, both count, and one witness serves for both. So the caller must
    /// leave out equal branches, as [`Disjunction`](super::Disjunction) does.
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
            split::open(run, ends, truth, split::Split::Polynomial(r))
        })
    }

    /// Claims that enough branches hold of several disjunctions, one for each of `choices`. All have the same
    /// number of branches, and `branches` lists them one after another.
    fn disjunctions(
        &mut self,
        branches: &[&dyn Branch<H>],
        choices: &[Option<&[usize]>],
        lend: &mut dyn Lend<H>,
        join: impl FnOnce(&mut Self, Vec<ElementShare<H::Mac>>, &[bool]) -> Result<(), Error>,
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

    /// The branches that P claims to hold: exactly `wanted` of each disjunction if this run writes, and none
    /// otherwise.
    fn truth(&self, n: usize, choices: &[Option<&[usize]>], wanted: usize) -> Result<Vec<bool>, Error> {
        let width = n / choices.len().max(1);
        if width == 0 || width * choices.len() != n || n > self.budget {
            let reason = format!(
                "a disjunction of {n} branches; 1 to {} are possible here, {MAX_BRANCHES} over all levels of nesting: \
                 take fewer branches here or around it, or shorter blocks if repetitions around it run in step",
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
