//! The measurements of memory and lookups.

use std::time::{Duration, Instant};

use volery::system::{Over, Provable};
use volery_circuit::statements::{MemoryAccesses, TableLookups};
use volery_circuit::{Backend, Digest, Statement};
use volery_field::F61;

use super::party::{Work, with_macs};
use super::phases::Clock;
use super::workload::Job;
use crate::args::BenchName;
use crate::failure::Failure;

/// A statement that says when it began.
struct Clocked<S> {
    statement: S,
    clock: Clock,
}

impl<B: Backend, S: Statement<B>> Statement<B> for Clocked<S> {
    fn identify(&self, digest: &mut Digest) {
        self.statement.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.statement.commitments()
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let start = Instant::now();
        self.statement.run(backend)?;
        self.clock.note(start, Duration::ZERO);
        Ok(())
    }
}

fn clocked<S>(job: &Job, statement: S) -> Work
where
    Clocked<S>: Provable<Over<F61, F61>> + Provable<Over<F61, volery_field::F61x2>> + Send + Sync + 'static,
{
    let clock = Clock::default();
    let statement = Clocked { statement, clock: clock.clone() };
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
