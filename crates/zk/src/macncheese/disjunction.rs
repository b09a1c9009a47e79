//! Disjunctions as statements.

use volery_circuit::{Digest, Error as StatementError, Statement};

use super::half::Half;
use super::run::Run;
use super::stack::{Branch, MAX_BRANCHES};
use crate::Error;

/// How branches are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// One holds; logarithmic overhead ([`Run::any_of`]).
    Tree,
    /// One holds; linear overhead, fewer rounds ([`Run::any_of_linear`]).
    Linear,
    /// So many hold ([`Run::at_least`]).
    AtLeast(usize),
}

/// "Of these statements as many hold as [`Join`] says", a statement itself: branches may be disjunctions.
#[derive(Clone, Debug)]
pub struct Disjunction<S> {
    branches: Vec<S>,
    join: Join,
    choice: Option<Vec<usize>>,
}

impl<S> Disjunction<S> {
    /// Of these branches, in the verifier's view.
    ///
    /// # Errors
    /// [`StatementError::Public`] unless there are 1 to [`MAX_BRANCHES`] branches and as many as must hold.
    pub fn new(join: Join, branches: Vec<S>) -> Result<Self, StatementError> {
        let n = branches.len();
        let wanted = if let Join::AtLeast(r) = join { r } else { 1 };
        if n == 0 || n > MAX_BRANCHES || wanted == 0 || wanted > n {
            let reason = format!("{wanted} of {n} statements; 1 to {MAX_BRANCHES} are possible");
            return Err(StatementError::Public(reason));
        }
        Ok(Self { branches, join, choice: None })
    }

    /// As the prover has it: these branches hold, and have their witnesses.
    #[must_use]
    pub fn with_choice(self, choice: &[usize]) -> Self {
        Self { choice: Some(choice.to_vec()), ..self }
    }
}

impl<H: Half, S: for<'r> Statement<Run<'r, H>>> Statement<Run<'_, H>> for Disjunction<S> {
    fn identify(&self, digest: &mut Digest) {
        let (name, wanted) = match self.join {
            Join::Tree => ("tree", 1),
            Join::Linear => ("linear", 1),
            Join::AtLeast(r) => ("at least", r),
        };
        digest.bytes("disjunction v1", name.as_bytes()).number("wanted", wanted as u64);
        digest.number("branches", self.branches.len() as u64);
        for branch in &self.branches {
            let mut own = Digest::new();
            Statement::<Run<'_, H>>::identify(branch, &mut own);
            digest.bytes("branch", &own.finish());
        }
    }

    fn commitments(&self) -> Option<u64> {
        // Those of the longest branch: all share them.
        let each = self.branches.iter().map(|branch| Statement::<Run<'_, H>>::commitments(branch));
        let longest = each.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
        Some(if let Join::AtLeast(r) = self.join { longest.saturating_mul(r as u64) } else { longest })
    }

    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        let branches: Vec<&dyn Branch<H>> =
            self.branches.iter().map(|branch| branch as &dyn Branch<H>).collect();
        let choice = self.choice.as_deref();
        let one = choice.and_then(<[usize]>::first).copied();
        match self.join {
            Join::Tree => run.any_of(&branches, one),
            Join::Linear => run.any_of_linear(&branches, one),
            Join::AtLeast(r) => run.at_least(r, &branches, choice),
        }
    }
}
