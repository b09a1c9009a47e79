//! The jobs to measure, and the statements about bits.

use sha2::Digest as _;
use volery::Zeroizing;
use volery::statements::{Aes128Many, AndChain, Mul32, Sha256Chain, Sha256Preimage};
use volery_circuit::{Counter, Polynomials, forward_statement};
use volery_field::F2;

use super::disjunction;
use crate::args::{BenchName, MeasureArgs, ProtocolArgs};
use crate::failure::Failure;

/// One measurement.
pub(crate) struct Job {
    pub(crate) name: BenchName,
    pub(crate) size: u64,
    pub(crate) measure: MeasureArgs,
    pub(crate) protocol: ProtocolArgs,
}

impl Job {
    /// A measurement of the given size, or of the usual one.
    pub(crate) fn new(
        name: BenchName,
        size: Option<u64>,
        measure: &MeasureArgs,
        protocol: &ProtocolArgs,
    ) -> Result<Self, Failure> {
        let size = size.unwrap_or(usual_size(name, measure.bits));
        if size == 0 || size > MOST {
            return Err(Failure::input(format!("--size {size}: 1 to {MOST} are possible")));
        }
        if measure.secret_product && name != BenchName::Matmul {
            return Err(Failure::input("--secret-product is for matmul"));
        }
        measure.check(name)?;
        Ok(Self { name, size, measure: measure.clone(), protocol: protocol.clone() })
    }

    /// The size as a length in memory.
    pub(super) fn length(&self) -> Result<usize, Failure> {
        let length = u32::try_from(self.size).ok().and_then(|size| usize::try_from(size).ok());
        length.ok_or_else(|| Failure::input(format!("--size {}: fewer than 2^32 are possible", self.size)))
    }

    /// The unit of the size.
    pub(crate) fn unit(&self) -> &'static str {
        match self.name {
            BenchName::Boolean | BenchName::Voleith => "and",
            BenchName::VoleithAes128 => "key",
            BenchName::Sha256 | BenchName::Aes128 => "block",
            BenchName::Cot => "cot",
            BenchName::Preimage
            | BenchName::Zkboo
            | BenchName::Zkbpp
            | BenchName::VoleithSha256
            | BenchName::Web => "byte",
            BenchName::Vole => "vole",
            BenchName::Arithmetic | BenchName::Mul32 => "mul",
            BenchName::Macncheese if self.measure.bits => "and",
            BenchName::Macncheese => "mul",
            BenchName::R1cs => "constr",
            BenchName::InnerProduct => "pair",
            BenchName::Matmul => "row",
            BenchName::Sis => "entry",
            BenchName::Convert => "elem",
            BenchName::Robin if self.measure.bits => "block",
            BenchName::Robin | BenchName::Batchman => "mul",
            BenchName::Cpu | BenchName::Riscv => "step",
            BenchName::Ram => "access",
            BenchName::Rom => "lookup",
        }
    }

    /// The number of gates: ANDs, multiplications, or the units of the size. For a product of matrices, the
    /// multiplications that computing it takes.
    pub(crate) fn gates(&self) -> Result<u64, Failure> {
        Ok(match self.name {
            BenchName::Matmul => self.size.saturating_pow(3),
            BenchName::Robin | BenchName::Batchman | BenchName::Cpu | BenchName::Macncheese => {
                disjunction::gates(self)?
            }
            BenchName::Boolean | BenchName::Sha256 | BenchName::Aes128 | BenchName::Preimage => {
                Counter::<F2>::count(&BitWork::new(self)?)?.total().multiplications
            }
            _ => self.size,
        })
    }

    /// The name on the command line.
    pub(crate) fn name(&self) -> String {
        use clap::ValueEnum;
        self.name.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

impl MeasureArgs {
    /// Refuses options that the measurement does not have.
    fn check(&self, name: BenchName) -> Result<(), Failure> {
        let either = matches!(name, BenchName::Robin | BenchName::Macncheese);
        let disjunction = either || matches!(name, BenchName::Batchman | BenchName::Cpu);
        let refused = [
            (
                self.branches.is_some() && !disjunction,
                "--branches is for robin, batchman, cpu and macncheese",
            ),
            (self.repetitions.is_some() && name != BenchName::Batchman, "--repetitions is for batchman"),
            (
                self.words.is_some() && !matches!(name, BenchName::Ram | BenchName::Rom),
                "--words is for ram and rom",
            ),
            (self.bits && !either, "--bits is for robin and macncheese"),
        ];
        match refused.into_iter().find(|(refused, _)| *refused) {
            Some((_, reason)) => Err(Failure::input(reason)),
            None => Ok(()),
        }
    }

    /// These variations as options of a party's process.
    pub(super) fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        options.extend(self.secret_product.then(|| "--secret-product".to_owned()));
        options.extend(self.branches.map(|branches| format!("--branches={branches}")));
        options.extend(self.repetitions.map(|repetitions| format!("--repetitions={repetitions}")));
        options.extend(self.words.map(|words| format!("--words={words}")));
        options.extend(self.bits.then(|| "--bits".to_owned()));
        options
    }
}

/// The largest size: more than anyone will wait for, and far below the limits of counters.
const MOST: u64 = 1 << 40;

/// The usual size: about 2^25 ANDs, one block, or the size that other programs are measured with.
fn usual_size(name: BenchName, bits: bool) -> u64 {
    match name {
        BenchName::Boolean => 1 << 25,
        BenchName::Sha256 => 1500,
        BenchName::Aes128 => 6600,
        BenchName::Cot => 1 << 26,
        BenchName::Preimage | BenchName::Zkboo | BenchName::Zkbpp | BenchName::VoleithSha256 => 32,
        BenchName::Voleith => 10_000_000,
        BenchName::VoleithAes128 => 1,
        BenchName::Web => 2048,
        BenchName::Vole => 1 << 26,
        BenchName::Arithmetic => 1 << 24,
        BenchName::Mul32 => 100_000,
        BenchName::R1cs => 1_000_000,
        BenchName::InnerProduct => 10_000_000,
        BenchName::Matmul | BenchName::Sis => 1024,
        BenchName::Convert => 100_000,
        // 10^7 ANDs.
        BenchName::Robin if bits => 445,
        BenchName::Robin => 1_000_000,
        BenchName::Batchman => 512,
        BenchName::Cpu => 50_000,
        BenchName::Macncheese => 1 << 22,
        BenchName::Ram | BenchName::Rom | BenchName::Riscv => 1 << 20,
    }
}

/// A message of `length` bytes with its digest; nothing in it is secret.
pub(super) fn preimage(length: u64) -> Result<Sha256Preimage, Failure> {
    let length = usize::try_from(length).ok().filter(|length| *length <= 1 << 30);
    let length =
        length.ok_or_else(|| Failure::input("--size: a message of at most 2^30 bytes is possible"))?;
    let message: Vec<u8> = (0..length).map(|i| i as u8).collect();
    let digest = sha2::Sha256::digest(&message).into();
    Ok(Sha256Preimage::new(digest, length as u64)?.with_message(Zeroizing::new(message))?)
}

/// A statement about bits to measure. Its witness is no secret.
pub(crate) enum BitWork {
    Boolean(AndChain),
    Sha256(Sha256Chain),
    Aes128(Box<Aes128Many>),
    Preimage(Sha256Preimage),
    Mul32(Mul32),
}

impl BitWork {
    /// The statement of a job about bits.
    pub(crate) fn new(job: &Job) -> Result<Self, Failure> {
        Ok(match job.name {
            BenchName::Sha256 => Self::Sha256(Sha256Chain::new(job.size)?),
            BenchName::Aes128 => Self::Aes128(Box::new(Aes128Many::new(job.size))),
            BenchName::Preimage => Self::Preimage(preimage(job.size)?),
            BenchName::Mul32 => Self::Mul32(Mul32::sample(job.length()?, [0; 32])),
            _ => Self::Boolean(AndChain::new(job.size)),
        })
    }
}

forward_statement! {
    impl [B: Polynomials<F2>] Statement<B> for BitWork {
        Self::Boolean(statement) => statement,
        Self::Sha256(statement) => statement,
        Self::Aes128(statement) => &**statement,
        Self::Preimage(statement) => statement,
        Self::Mul32(statement) => statement,
    }
}
