//! A run of a program, cut between its segments: [`volery_machine::proof::shards`] says into which shards,
//! and why they make up the statement.
//!
//! ```text
//! P's coordinator                                    V's coordinator
//! runs the program
//! announce_split_run: the end, journal, profile ---> hear_split_run: its terms, the profile's bounds
//! SplitRun, with what its workers need               SplitRun
//! prove_split                                <-----> verify_split
//! ```
//!
//! P need not [`check`](crate::split::check) it: all shards come from one run of the emulator. A check would
//! take as long as all proofs.

use volery_circuit::{Challenge, Digest, Error as StatementError};
use volery_field::F61;
use volery_machine::proof::shards::{Join, SplitRun, SplitRunPart};

use super::super::estimate::{Estimate, estimate_after};
use crate::split::{Boundary, Dealt, Equal, Layout, Settings, Shard, ShardInfo, Sharded};
use crate::system::ProvesRuns;
use crate::{Error, Options};

impl Sharded for SplitRun {
    type Shard<'a> = SplitRunPart<'a>;

    fn layout(&self) -> Result<Layout, Error> {
        let info = |n| Ok(ShardInfo::of::<F61, _>(&self.shard(n)?, self.boundary(n)));
        let shards = (0..self.shards()).map(info).collect::<Result<_, StatementError>>()?;
        let equal = self.joins().into_iter().map(|Join { from, to, wires }| Equal { from, to, wires });
        Layout::new(shards, equal.collect())
    }

    fn shard(&self, n: usize) -> Result<SplitRunPart<'_>, StatementError> {
        Self::shard(self, n)
    }
}

impl<B: Challenge<F61>> Shard<F61, B> for SplitRunPart<'_> {
    fn identify(&self, digest: &mut Digest) {
        Self::identify(self, digest);
    }

    fn commitments(&self) -> Option<u64> {
        Some(Self::commitments(self))
    }

    fn run(&self, backend: &mut B) -> Result<Vec<B::Wire>, B::Error> {
        self.claim(backend)
    }
}

/// As [`estimate`](crate::split::estimate()), of P's run in shards: with what P's coordinator says before,
/// and what all workers are told.
///
/// # Errors
/// As of [`estimate`](crate::split::estimate()).
pub fn estimate_run<Y>(
    options: Options,
    system: Y,
    run: &SplitRun,
    settings: Settings,
) -> Result<Estimate, Error>
where
    Y: Dealt + ProvesRuns + Copy,
    for<'p, 's> SplitRunPart<'s>: Shard<Y::Ring, Y::Prover<'p>>,
    for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
{
    let public = run.without_secret()?;
    let announce = |prover: &mut crate::Prover<_>| prover.announce_split_run(system, &public);
    let mut estimate = estimate_after(announce, options, system, &public, settings)?;
    for (n, worker) in estimate.workers.iter_mut().enumerate() {
        let told = [run.job(n)?.len(), public.job(n)?.len()].map(|bytes| bytes as u64);
        let own = public.shard(n)?.memory(Y::WIRE, Y::WIRE[1]);
        let [of_p, of_v] = [0, 1].map(|party| told[party].saturating_add(own[party]));
        worker.memory_prover = worker.memory_prover.saturating_add(of_p);
        worker.memory_verifier = worker.memory_verifier.saturating_add(of_v);
        estimate.within_prover = estimate.within_prover.saturating_add(told[0]);
        estimate.within_verifier = estimate.within_verifier.saturating_add(told[1]);
    }
    Ok(estimate)
}
