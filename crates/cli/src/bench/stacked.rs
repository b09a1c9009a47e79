//! The measurements of Mac'n'Cheese: one chain, or one of several.

use volery::Profile;
use volery::macncheese::{Disjunction, Join, Run, Settings, Share};
use volery::statements::{AndChain, MulChain};
use volery::system::{Stacked, StackedOver};
use volery_circuit::{Evaluator, Statement, forward_statement};
use volery_field::{F61, Ring};

use super::party::{Work, with_macs};
use super::workload::Job;
use crate::failure::Failure;

/// The work of a job.
pub(super) fn work(job: &Job) -> Result<Work, Failure> {
    let settings = match job.protocol.options().profile {
        Profile::Lan => Settings::LAN,
        Profile::Wan => Settings::WAN,
    };
    if job.measure.bits {
        let chains = OneOf::new(job, |n| Ok(AndChain::new(n)))?;
        return Ok(Work::proving(Stacked::new(settings), chains));
    }
    let chains = OneOf::new(job, |n| Ok(MulChain::<F61>::new(n)?))?;
    Ok(with_macs!(job, M => {
        Work::proving(StackedOver::<F61, M>::new(settings), chains)
    }))
}

/// A chain, or the claim that one of several holds. All of them hold; P picks the last.
enum OneOf<S> {
    One(S),
    Many(Disjunction<S>),
}

impl<S> OneOf<S> {
    /// One or several chains, each made by `make` from its size.
    fn new(job: &Job, make: impl Fn(u64) -> Result<S, Failure>) -> Result<Self, Failure> {
        let branches = usize::from(super::disjunction::branches(job));
        if branches == 1 {
            return Ok(Self::One(make(job.size)?));
        }
        let all = (0..branches).map(|_| make(job.size)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::Many(Disjunction::new(Join::Tree, all)?.with_choice(&[branches - 1])))
    }
}

forward_statement! {
    impl [R: Ring, S: Statement<Evaluator<R>>] Statement<Evaluator<R>> for OneOf<S> {
        Self::One(chain) => chain,
        Self::Many(any) => any,
    }
}

forward_statement! {
    impl ['r, H: Share, S: for<'a> Statement<Run<'a, H>>] Statement<Run<'r, H>> for OneOf<S> {
        Self::One(chain) => chain,
        Self::Many(any) => any,
    }
}
