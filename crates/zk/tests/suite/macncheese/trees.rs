//! Statements whose branches are disjunctions.

use volery_circuit::{Digest, Statement};
use volery_zk::Error;
use volery_zk::macncheese::{Disjunction, Join, Run, Share};

use crate::disjunction::programs::{Program, Small};

/// A program, a disjunction, or several of these one after the other.
#[derive(Clone, Debug)]
pub(crate) enum Tree<R> {
    Leaf(Program<R>),
    Any(Disjunction<Tree<R>>),
    All(Vec<Tree<R>>),
}

impl<H: Share, R: Small> Statement<Run<'_, H>> for Tree<R>
where
    H: Share<Value = R>,
{
    fn identify(&self, digest: &mut Digest) {
        match self {
            Self::Leaf(program) => Statement::<Run<'_, H>>::identify(program, digest),
            Self::Any(any) => Statement::<Run<'_, H>>::identify(any, digest),
            Self::All(all) => all.iter().for_each(|tree| Statement::<Run<'_, H>>::identify(tree, digest)),
        }
    }

    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        match self {
            Self::Leaf(program) => program.run(run),
            Self::Any(any) => any.run(run),
            Self::All(all) => all.iter().try_for_each(|tree| tree.run(run)),
        }
    }
}

/// Programs of different sizes.
pub(crate) fn programs<R: Small>(n: usize) -> Vec<Program<R>> {
    (0..n as u64)
        .map(|i| Program::new([i, i + 100], 3 + i as usize % 3, 40 + 61 * (i as usize % 4)))
        .collect()
}

/// A disjunction of programs as P has it: a witness of the branches that hold alone.
pub(crate) fn at_prover<R: Small>(join: Join, programs: &[Program<R>], choice: &[usize]) -> Tree<R> {
    let branches = programs.iter().enumerate();
    let branch = |(i, program): (usize, &Program<R>)| match choice.contains(&i) {
        true => Tree::Leaf(program.clone()),
        false => Tree::Leaf(program.public()),
    };
    let any = Disjunction::new(join, branches.map(branch).collect()).expect("fits");
    Tree::Any(any.with_choice(choice))
}

/// The disjunction as V has it.
pub(crate) fn at_verifier<R: Small>(join: Join, programs: &[Program<R>]) -> Tree<R> {
    let branches = programs.iter().map(|program| Tree::Leaf(program.public())).collect();
    Tree::Any(Disjunction::new(join, branches).expect("fits"))
}
