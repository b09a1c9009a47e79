//! The measurements of disjunctions: single ones, batches, and a processor.

use volery::system::{Bits, Over, Provable};
use volery_circuit::Counter;
use volery_circuit::statements::{MulChain, Processor, Sha256Chain};
use volery_field::{F2, F61, F61x2};
use volery_zk::disjunction::AnyOf;

use super::clocked::{Clocked, Moment};
use super::party::{Work, with_macs};
use super::workload::Job;
use crate::args::BenchName;
use crate::failure::Failure;

/// Multiplications of one instruction of the processor (Batchman, section 7.2.4).
const INSTRUCTION: u64 = 125;

/// The number of branches of a job.
pub(super) fn branches(job: &Job) -> u16 {
    job.measure.branches.unwrap_or(match job.name {
        BenchName::Macncheese => 1,
        BenchName::Robin => 2,
        BenchName::Batchman => 100,
        _ => 50,
    })
}

fn repetitions(job: &Job) -> u32 {
    job.measure.repetitions.unwrap_or(2000)
}

/// The multiplications of all branches of a single disjunction, or of all repetitions.
pub(super) fn gates(job: &Job) -> Result<u64, Failure> {
    Ok(match job.name {
        BenchName::Robin if job.measure.bits => {
            let chain = Counter::<F2>::count(&Sha256Chain::new(job.size)?)?.total().multiplications;
            chain.saturating_mul(branches(job).into())
        }
        BenchName::Robin | BenchName::Macncheese => job.size.saturating_mul(branches(job).into()),
        BenchName::Cpu => job.size.saturating_mul(INSTRUCTION),
        _ => job.size.saturating_mul(repetitions(job).into()),
    })
}

/// The work of a job about disjunctions.
pub(super) fn work(job: &Job) -> Result<Work, Failure> {
    let count = branches(job);
    Ok(match job.name {
        BenchName::Robin if job.measure.bits => {
            let number = u8::try_from(count).map_err(|_| Failure::input("--bits: at most 255 branches"))?;
            let chains = (0..number).map(|i| Sha256Chain::numbered(job.size, i));
            let chains = AnyOf::<F2, _>::new(chains.collect::<Result<_, _>>()?)?;
            let (chains, clock) = Clocked::new(chains.with_choice(usize::from(count / 2))?, Moment::Begun);
            Work::proving(Bits, chains).with_clock(clock)
        }
        BenchName::Robin => {
            let chains = (0..count).map(|i| MulChain::<F61>::numbered(job.size, i));
            let chains = AnyOf::<F61, _>::new(chains.collect::<Result<_, _>>()?)?;
            over_f61(job, chains.with_choice(usize::from(count / 2))?)
        }
        BenchName::Cpu => {
            let length = job.length()?;
            over_f61(job, Processor::<F61>::new(usize::from(count), INSTRUCTION as usize, length, true)?)
        }
        _ => {
            let (length, steps) = (job.length()?, repetitions(job) as usize);
            over_f61(job, Processor::<F61>::new(usize::from(count), length, steps, false)?)
        }
    })
}

fn over_f61<S>(job: &Job, statement: S) -> Work
where
    Clocked<S>: Provable<Over<F61, F61>> + Provable<Over<F61, F61x2>> + Send + Sync + 'static,
{
    let (clocked, clock) = Clocked::new(statement, Moment::Begun);
    with_macs!(job, M => Work::proving(Over::<F61, M>::new(), clocked)).with_clock(clock)
}
