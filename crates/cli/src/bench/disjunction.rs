//! One of many, to measure it: single disjunctions, batches of them, and a processor.

use std::time::{Duration, Instant};

use rand_core::CryptoRng;
use volery::{Error, Prover, Report, Verifier, system};
use volery_circuit::statements::{MulChain, Processor, Sha256Chain};
use volery_circuit::{Backend, Counter, Digest, Statement};
use volery_field::{F2, F61, F61x2, Gf128, Ring};
use volery_zk::disjunction::AnyOf;

use super::phases::Clock;
use super::workload::Job;
use crate::args::BenchName;
use crate::failure::Failure;
use crate::over::{MacField, Served};
use crate::session::Wire;

/// Multiplications of an instruction of the processor (Batchman, section 7.2.4).
const INSTRUCTION: u64 = 125;

/// Branches of a measurement.
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

/// Multiplications over all branches of a single disjunction, or over all repetitions.
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

/// A statement, and a clock that starts with its run.
pub(super) struct Clocked<S> {
    statement: S,
    clock: Clock,
}

impl<S> Clocked<S> {
    fn new(statement: S) -> Self {
        Self { statement, clock: Clock::default() }
    }
}

impl<B: Backend, S: Statement<B>> Statement<B> for Clocked<S> {
    fn identify(&self, digest: &mut Digest) {
        self.statement.identify(digest);
    }

    fn commitments(&self) -> Option<u64> {
        self.statement.commitments()
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.clock.note(Instant::now(), Duration::ZERO);
        self.statement.run(backend)
    }
}

/// What one of many is chosen from.
pub(super) enum DisjunctionWork {
    Bits(Clocked<AnyOf<F2, Sha256Chain>>),
    Field { chains: Clocked<AnyOf<F61, MulChain<F61>>>, mac: MacField },
    Batch { processor: Clocked<Processor<F61>>, mac: MacField },
}

impl DisjunctionWork {
    pub(super) fn new(job: &Job) -> Result<Self, Failure> {
        let count = branches(job);
        let length = job.length()?;
        let mac = super::party::mac_field(job);
        Ok(match job.name {
            BenchName::Robin if job.measure.bits => {
                let number =
                    u8::try_from(count).map_err(|_| Failure::input("--bits: at most 255 branches"))?;
                let chains = (0..number).map(|i| Sha256Chain::numbered(job.size, i));
                let chains = AnyOf::new(chains.collect::<Result<_, _>>()?)?;
                Self::Bits(Clocked::new(chains.with_choice(usize::from(count / 2))?))
            }
            BenchName::Robin => {
                let chains = (0..count).map(|i| MulChain::numbered(job.size, i));
                let chains = AnyOf::new(chains.collect::<Result<_, _>>()?)?;
                let chains = Clocked::new(chains.with_choice(usize::from(count / 2))?);
                Self::Field { chains, mac }
            }
            BenchName::Cpu => {
                let processor = Processor::new(usize::from(count), INSTRUCTION as usize, length, true)?;
                Self::Batch { processor: Clocked::new(processor), mac }
            }
            _ => {
                let processor = Processor::new(usize::from(count), length, repetitions(job) as usize, false)?;
                Self::Batch { processor: Clocked::new(processor), mac }
            }
        })
    }

    pub(super) fn fields(&self) -> [&'static str; 2] {
        let pair = match self {
            Self::Bits(_) => return [F2::NAME, Gf128::NAME],
            Self::Field { mac, .. } | Self::Batch { mac, .. } => F61::pair(*mac),
        };
        [pair.value, pair.mac]
    }

    pub(super) fn clock(&self) -> &Clock {
        match self {
            Self::Bits(work) => &work.clock,
            Self::Field { chains, .. } => &chains.clock,
            Self::Batch { processor, .. } => &processor.clock,
        }
    }

    pub(super) fn prove(&self, prover: &mut Prover<Wire>, rng: &mut dyn CryptoRng) -> Result<Report, Error> {
        match self {
            Self::Bits(work) => prover.prove(system::Bits, work, rng),
            Self::Field { chains, mac: MacField::Small } => {
                prover.prove(system::Over::<F61, F61>::new(), chains, rng)
            }
            Self::Field { chains, mac: MacField::Large } => {
                prover.prove(system::Over::<F61, F61x2>::new(), chains, rng)
            }
            Self::Batch { processor, mac: MacField::Small } => {
                prover.prove(system::Over::<F61, F61>::new(), processor, rng)
            }
            Self::Batch { processor, mac: MacField::Large } => {
                prover.prove(system::Over::<F61, F61x2>::new(), processor, rng)
            }
        }
    }

    pub(super) fn verify(
        &self,
        verifier: &mut Verifier<Wire>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Error> {
        match self {
            Self::Bits(work) => verifier.verify(system::Bits, work, rng),
            Self::Field { chains, mac: MacField::Small } => {
                verifier.verify(system::Over::<F61, F61>::new(), chains, rng)
            }
            Self::Field { chains, mac: MacField::Large } => {
                verifier.verify(system::Over::<F61, F61x2>::new(), chains, rng)
            }
            Self::Batch { processor, mac: MacField::Small } => {
                verifier.verify(system::Over::<F61, F61>::new(), processor, rng)
            }
            Self::Batch { processor, mac: MacField::Large } => {
                verifier.verify(system::Over::<F61, F61x2>::new(), processor, rng)
            }
        }
    }
}
