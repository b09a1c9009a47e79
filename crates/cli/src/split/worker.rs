//! A worker: one shard, for the coordinator whose invitation it has.

use std::io::Read as _;

use volery::Limits;
use volery::split::remote::{Arrival, Invitation};
use volery::split::statements::{SplitPreimage, SplitRun};
use volery::split::{Boundary, Dealt, ProverLot, Shard, Sharded, VerifierLot};
use volery::system::{Bits, Over};
use volery_field::{F61, F61x2};
use zeroize::Zeroizing;

use super::{Kind, Secret};
use crate::args::{RoleArg, SplitWorkerArgs};
use crate::failure::Failure;

/// The variable of the environment that an invitation may be in.
pub(super) const INVITATION: &str = "VOLERY_INVITATION";

/// Runs the command.
pub(super) fn run(args: &SplitWorkerArgs) -> Result<(), Failure> {
    let invitation: Invitation = invitation()?.parse().map_err(Failure::input)?;
    let limits = Limits { read: args.timeout, write: args.timeout, ..Limits::default() };
    let arrival = Arrival::come(&invitation, &limits)?;
    let (kind, job) = Kind::of(arrival.job())?;
    match kind {
        Kind::Preimage => {
            let (whole, n) = SplitPreimage::from_job(job)?;
            work(args, arrival, Bits, &whole, n)
        }
        Kind::Run => {
            let (whole, n) = SplitRun::from_job(job)?;
            work(args, arrival, Over::<F61, F61>::new(), &whole, n)
        }
        Kind::RunLarge => {
            let (whole, n) = SplitRun::from_job(job)?;
            work(args, arrival, Over::<F61, F61x2>::new(), &whole, n)
        }
    }
}

/// Proves or verifies shard `n`.
fn work<Y, T>(args: &SplitWorkerArgs, arrival: Arrival, system: Y, whole: &T, n: usize) -> Result<(), Failure>
where
    Y: Dealt + Copy + Send,
    T: Sharded,
    for<'s, 'p> T::Shard<'s>: Shard<Y::Ring, Y::Prover<'p>> + Shard<Y::Ring, Y::Verifier<'p>>,
    for<'p> Y::Prover<'p>: Boundary<Y::Ring, Y::Mac>,
    for<'v> Y::Verifier<'v>: Boundary<Y::Ring, Y::Mac>,
{
    let shard = whole.shard(n)?;
    match args.role {
        RoleArg::Prover => {
            let worker = arrival.with_lot::<ProverLot<Y>>()?;
            same(worker.shard(), n)?;
            worker.prove(system, &shard)?;
        }
        RoleArg::Verifier => {
            let worker = arrival.with_lot::<VerifierLot<Y>>()?;
            same(worker.shard(), n)?;
            worker.verify(system, &shard, &args.listen, args.reached_at.as_deref())?;
        }
    }
    Ok(())
}

/// The lot and the job are for the same shard.
fn same(lot: usize, job: usize) -> Result<(), Failure> {
    match lot == job {
        true => Ok(()),
        false => Err(Failure::session(format!("a lot of shard {lot} came with the job of shard {job}"))),
    }
}

/// The text of the invitation: from the environment, or from standard input.
fn invitation() -> Result<Secret, Failure> {
    if let Ok(text) = std::env::var(INVITATION) {
        return Ok(Zeroizing::new(text));
    }
    let mut text = Zeroizing::new(String::new());
    let read = std::io::stdin().lock().take(LONGEST).read_to_string(&mut text);
    read.map_err(|error| Failure::input(format!("standard input: {error}")))?;
    match text.trim().is_empty() {
        true => Err(Failure::input(format!(
            "a worker needs an invitation: in {INVITATION}, or on standard input"
        ))),
        false => Ok(text),
    }
}

/// More characters than an invitation has.
const LONGEST: u64 = 4096;
