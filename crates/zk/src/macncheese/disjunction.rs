//! [`Disjunction`]: a disjunction as a statement.

use std::collections::BTreeSet;

use volery_circuit::choose::count_once;
use volery_circuit::{Backend, Digest, Error as StatementError, Evaluator, Statement};
use volery_field::Ring;

use super::run::Run;
use super::share::Share;
use super::stack::{Branch, MAX_BRANCHES};
use crate::Error;

/// How branches are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// One holds, with logarithmic overhead ([`Run::any_of`]).
    Tree,
    /// One holds, with linear overhead and fewer rounds ([`Run::any_of_linear`]).
    Linear,
    /// At least this many hold ([`Run::at_least`]).
    AtLeast(usize),
}

impl Join {
    /// The number of branches that must hold.
    fn wanted(self) -> usize {
        if let Self::AtLeast(r) = self { r } else { 1 }
    }
}

/// The claim that enough of some statements hold; [`Join`] says how many. It is a statement itself, so
/// branches may be disjunctions.
///
/// Each statement counts once. If more than one must hold, equal branches ([`Statement::identify`]) are
/// refused, because one witness would count for each of them. [`volery_circuit::choose::AtLeast`] says which
/// equal claims this cannot detect.
#[derive(Clone, Debug)]
pub struct Disjunction<S> {
    branches: Vec<S>,
    join: Join,
    choice: Option<Vec<usize>>,
}

impl<S> Disjunction<S> {
    /// The claim about these branches, without a choice: the verifier's view.
    ///
    /// # Errors
    /// [`StatementError::Public`] unless there are 1 to [`MAX_BRANCHES`] branches and as many as must hold.
    pub fn new(join: Join, branches: Vec<S>) -> Result<Self, StatementError> {
        let n = branches.len();
        let wanted = join.wanted();
        if n == 0 || n > MAX_BRANCHES || wanted == 0 || wanted > n {
            let reason = format!("{wanted} of {n} statements; 1 to {MAX_BRANCHES} are possible");
            return Err(StatementError::Public(reason));
        }
        Ok(Self { branches, join, choice: None })
    }

    /// Absorbs the claim into `digest`. It is the same for every backend of the branches.
    fn absorb<B: Backend>(&self, digest: &mut Digest)
    where
        S: Statement<B>,
    {
        let name = match self.join {
            Join::Tree => "tree",
            Join::Linear => "linear",
            Join::AtLeast(_) => "at least",
        };
        digest.bytes("disjunction v1", name.as_bytes()).number("wanted", self.join.wanted() as u64);
        digest.number("branches", self.branches.len() as u64);
        for branch in &self.branches {
            let mut own = Digest::new();
            branch.identify(&mut own);
            digest.bytes("branch", &own.finish());
        }
    }

    /// The commitments of the longest branch, which all branches share, for each branch that must hold.
    fn most<B: Backend>(&self) -> Option<u64>
    where
        S: Statement<B>,
    {
        let each = self.branches.iter().map(Statement::commitments);
        let longest = each.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
        Some(longest.saturating_mul(self.join.wanted() as u64))
    }

    /// Refuses equal branches if several must hold.
    fn count_once<B: Backend>(&self) -> Result<(), StatementError>
    where
        S: Statement<B>,
    {
        if self.join.wanted() < 2 {
            return Ok(());
        }
        count_once(self.branches.iter().map(|branch| {
            let mut own = Digest::new();
            branch.identify(&mut own);
            own.finish()
        }))
    }

    /// The prover's view: these branches hold and have their witnesses.
    #[must_use]
    pub fn with_choice(self, choice: &[usize]) -> Self {
        Self { choice: Some(choice.to_vec()), ..self }
    }
}

impl<H: Share, S: for<'r> Statement<Run<'r, H>>> Statement<Run<'_, H>> for Disjunction<S> {
    fn identify(&self, digest: &mut Digest) {
        self.absorb::<Run<'_, H>>(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.most::<Run<'_, H>>()
    }

    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        self.count_once::<Run<'_, H>>()?;
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

/// In the clear: checks that the chosen branches hold.
impl<R: Ring, S: Statement<Evaluator<R>>> Statement<Evaluator<R>> for Disjunction<S> {
    fn identify(&self, digest: &mut Digest) {
        self.absorb::<Evaluator<R>>(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.most::<Evaluator<R>>()
    }

    fn run(&self, values: &mut Evaluator<R>) -> Result<(), StatementError> {
        self.count_once::<Evaluator<R>>()?;
        values.begin_choice()?;
        let all = self.choice.as_deref().unwrap_or_default();
        let wanted = self.join.wanted();
        // Where one is wanted, the first counts, as for the prover.
        let counted = if let Join::AtLeast(_) = self.join { all } else { &all[..all.len().min(1)] };
        let choice: BTreeSet<usize> = counted.iter().copied().collect();
        if choice.len() != wanted {
            let reason = format!("{} different branches are chosen, {wanted} must be", choice.len());
            return Err(StatementError::Witness(reason));
        }
        choice.into_iter().try_for_each(|i| match self.branches.get(i) {
            Some(branch) => branch.run(values),
            None => Err(StatementError::Witness(format!(
                "branch number {i} of {} is chosen, counted from 0",
                self.branches.len()
            ))),
        })
    }
}
