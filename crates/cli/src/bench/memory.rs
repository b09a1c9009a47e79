//! The measurements of memory and lookups.

use volery::system::{Over, Provable};
use volery_circuit::statements::{MemoryAccesses, TableLookups};
use volery_field::F61;

use super::clocked::{Clocked, Moment};
use super::party::{Work, with_macs};
use super::workload::Job;
use crate::args::BenchName;
use crate::failure::Failure;

fn clocked<S>(job: &Job, statement: S) -> Work
where
    Clocked<S>: Provable<Over<F61, F61>> + Provable<Over<F61, volery_field::F61x2>> + Send + Sync + 'static,
{
    let (statement, clock) = Clocked::new(statement, Moment::Finished);
    with_macs!(job, M => Work::proving(Over::<F61, M>::new(), statement)).with_clock(clock)
}

/// The work of a job about memory.
pub(super) fn work(job: &Job) -> Result<Work, Failure> {
    let words = job.measure.words.unwrap_or(1 << 16) as usize;
    Ok(match job.name {
        BenchName::Rom => clocked(job, TableLookups::<F61>::new(job.length()?, words)?),
        _ => clocked(job, MemoryAccesses::<F61>::new(job.length()?, words)?),
    })
}
