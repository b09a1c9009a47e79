//! Proofs by Mac'n'Cheese, to measure them: one chain, or one of several.

use volery::Profile;
use volery::macncheese::{Disjunction, Half, Join, Run, Settings};
use volery_circuit::{Digest, Error as StatementError, Evaluator, Statement};
use volery_field::Ring;
use volery_zk::Error;

use super::workload::Job;
use crate::failure::Failure;

/// What is proved, and how.
pub(super) struct Stacked<S> {
    pub(super) statement: OneOf<S>,
    pub(super) settings: Settings,
}

/// A chain, or the claim that one of several holds. All of them do; P says it is the last.
pub(super) enum OneOf<S> {
    One(S),
    Many(Disjunction<S>),
}

impl<S> Stacked<S> {
    /// The statement of a job, of chains that `make` makes of a size.
    pub(super) fn new(job: &Job, make: impl Fn(u64) -> Result<S, Failure>) -> Result<Self, Failure> {
        let settings = match job.protocol.options().profile {
            Profile::Lan => Settings::LAN,
            Profile::Wan => Settings::WAN,
        };
        let branches = usize::from(super::disjunction::branches(job));
        let statement = match branches {
            1 => OneOf::One(make(job.size)?),
            _ => {
                let all = (0..branches).map(|_| make(job.size)).collect::<Result<Vec<_>, _>>()?;
                OneOf::Many(Disjunction::new(Join::Tree, all)?.with_choice(&[branches - 1]))
            }
        };
        Ok(Self { statement, settings })
    }
}

impl<R: Ring, S: Statement<Evaluator<R>>> Statement<Evaluator<R>> for OneOf<S> {
    fn identify(&self, digest: &mut Digest) {
        match self {
            Self::One(chain) => Statement::<Evaluator<R>>::identify(chain, digest),
            Self::Many(any) => Statement::<Evaluator<R>>::identify(any, digest),
        }
    }

    fn run(&self, values: &mut Evaluator<R>) -> Result<(), StatementError> {
        match self {
            Self::One(chain) => chain.run(values),
            Self::Many(any) => any.run(values),
        }
    }
}

impl<H: Half, S: for<'r> Statement<Run<'r, H>>> Statement<Run<'_, H>> for OneOf<S> {
    fn identify(&self, digest: &mut Digest) {
        match self {
            Self::One(chain) => Statement::<Run<'_, H>>::identify(chain, digest),
            Self::Many(any) => Statement::<Run<'_, H>>::identify(any, digest),
        }
    }

    fn commitments(&self) -> Option<u64> {
        match self {
            Self::One(chain) => Statement::<Run<'_, H>>::commitments(chain),
            Self::Many(any) => Statement::<Run<'_, H>>::commitments(any),
        }
    }

    fn run(&self, run: &mut Run<'_, H>) -> Result<(), Error> {
        match self {
            Self::One(chain) => chain.run(run),
            Self::Many(any) => any.run(run),
        }
    }
}
