//! What is measured.

use sha2::Digest as _;
use volery::statements::{Aes128Many, AndChain, Sha256Chain, Sha256Preimage};
use volery::{Statement, Zeroizing};
use volery_circuit::{Counter, Digest, Prove};
use volery_field::F2;

use crate::cli::args::{BenchName, ProtocolArgs};
use crate::cli::failure::Failure;

/// One measurement.
pub(crate) struct Job {
    pub(crate) name: BenchName,
    pub(crate) size: u64,
    pub(crate) protocol: ProtocolArgs,
}

impl Job {
    /// A measurement of the usual size, or of the one asked for.
    pub(crate) fn new(name: BenchName, size: Option<u64>, protocol: &ProtocolArgs) -> Result<Self, Failure> {
        let job = Self { name, size: size.unwrap_or(usual_size(name)), protocol: protocol.clone() };
        if job.size == 0 || job.size > MOST {
            return Err(Failure::input(format!("--size {}: 1 to {MOST} are possible", job.size)));
        }
        Ok(job)
    }

    /// The statement; none where only correlations are made.
    pub(crate) fn workload(&self) -> Result<Option<Workload>, Failure> {
        Ok(Some(match self.name {
            BenchName::Boolean => Workload::Boolean(AndChain::new(self.size)),
            BenchName::Sha256 => Workload::Sha256(Sha256Chain::new(self.size)?),
            BenchName::Aes128 => Workload::Aes128(Box::new(Aes128Many::new(self.size))),
            BenchName::Preimage => Workload::Preimage(preimage(self.size)?),
            BenchName::Cot => return Ok(None),
        }))
    }

    /// The name of what the size counts.
    pub(crate) fn unit(&self) -> &'static str {
        match self.name {
            BenchName::Boolean => "and",
            BenchName::Sha256 | BenchName::Aes128 => "block",
            BenchName::Cot => "cot",
            BenchName::Preimage => "byte",
        }
    }

    /// The name on the command line.
    pub(crate) fn name(&self) -> String {
        use clap::ValueEnum;
        self.name.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Far beyond patience, and far below what any counter holds.
const MOST: u64 = 1 << 40;

/// About 2^25 ANDs, or what one block is.
fn usual_size(name: BenchName) -> u64 {
    match name {
        BenchName::Boolean => 1 << 25,
        BenchName::Sha256 => 1500,
        BenchName::Aes128 => 6600,
        BenchName::Cot => 1 << 26,
        BenchName::Preimage => 32,
    }
}

/// A message of `length` bytes that everybody knows.
fn preimage(length: u64) -> Result<Sha256Preimage, Failure> {
    let length = usize::try_from(length).ok().filter(|length| *length <= 1 << 30);
    let length =
        length.ok_or_else(|| Failure::input("--size: a message of at most 2^30 bytes is possible"))?;
    let message: Vec<u8> = (0..length).map(|i| i as u8).collect();
    let digest = sha2::Sha256::digest(&message).into();
    Ok(Sha256Preimage::new(digest, length as u64)?.with_message(Zeroizing::new(message))?)
}

/// A statement to measure with; its witness is known to everybody.
pub(crate) enum Workload {
    Boolean(AndChain),
    Sha256(Sha256Chain),
    Aes128(Box<Aes128Many>),
    Preimage(Sha256Preimage),
}

impl Workload {
    /// The number of its ANDs.
    pub(crate) fn ands(&self) -> Result<u64, Failure> {
        Ok(Counter::<F2>::count(self)?.total().multiplications)
    }
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Workload {
    fn identify(&self, digest: &mut Digest) {
        match self {
            Self::Boolean(statement) => Statement::<B>::identify(statement, digest),
            Self::Sha256(statement) => Statement::<B>::identify(statement, digest),
            Self::Aes128(statement) => Statement::<B>::identify(&**statement, digest),
            Self::Preimage(statement) => Statement::<B>::identify(statement, digest),
        }
    }

    fn commitments(&self) -> Option<u64> {
        match self {
            Self::Boolean(statement) => Statement::<B>::commitments(statement),
            Self::Sha256(statement) => Statement::<B>::commitments(statement),
            Self::Aes128(statement) => Statement::<B>::commitments(&**statement),
            Self::Preimage(statement) => Statement::<B>::commitments(statement),
        }
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        match self {
            Self::Boolean(statement) => statement.run(backend),
            Self::Sha256(statement) => statement.run(backend),
            Self::Aes128(statement) => statement.run(backend),
            Self::Preimage(statement) => statement.run(backend),
        }
    }
}
