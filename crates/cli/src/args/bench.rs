//! Options of `volery bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use volery::Address;

use super::{CipherArg, ModeArg, ProtocolArgs, RoleArg, TlsArg};
use crate::bench::Cores;

/// The measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchName {
    /// A chain of ANDs; the size counts ANDs
    Boolean,
    /// A chain of SHA-256 blocks; the size counts blocks
    Sha256,
    /// AES-128 blocks under one key; the size counts blocks
    Aes128,
    /// Correlated OTs alone; the size counts them
    Cot,
    /// A SHA-256 preimage; the size counts its bytes, up to 55 for one block
    Preimage,
    /// Subfield VOLEs over 2^61-1 alone; the size counts them
    Vole,
    /// A chain of multiplications over 2^61-1; the size counts them
    Arithmetic,
    /// Products modulo 2^32 of committed 32-bit numbers, as polynomials over their bits; the size counts
    /// products
    Mul32,
    /// A constraint system over BN254's scalar field; the size counts constraints
    R1cs,
    /// An inner product over 2^61-1; the size counts pairs
    InnerProduct,
    /// The product of two square matrices over 2^61-1; the size counts rows
    Matmul,
    /// A short solution of linear equations modulo 2^32-99 (SIS): entries -1, 0 and 1, two equations for
    /// each; the size counts entries
    Sis,
    /// Numbers modulo 2^61-1 split into their 61 bits; the size counts numbers
    Convert,
    /// One of several chains of multiplications over 2^61-1, or with --bits of SHA-256 blocks; the size
    /// counts those of one chain
    Robin,
    /// The same choice between branches, many times; the size counts multiplications of one branch
    Batchman,
    /// Steps of a processor whose instructions have 125 multiplications over 2^61-1; the size counts steps
    Cpu,
    /// Accesses at secret addresses to a memory over 2^61-1; the size counts accesses
    Ram,
    /// Lookups of address and value in a public table over 2^61-1; the size counts lookups
    Rom,
    /// Steps of a RISC-V program: a loop with the instructions of compiled code; the size counts steps
    Riscv,
    /// A public proof of a SHA-256 preimage with ZKBoo, made and verified in this process; the size counts
    /// its bytes
    Zkboo,
    /// The same with ZKB++
    Zkbpp,
    /// A public proof of a chain of ANDs with VOLE in the head, made and verified in this process; the size
    /// counts ANDs
    Voleith,
    /// The same of an AES-128 key; the size is 1
    VoleithAes128,
    /// The same of a SHA-256 preimage; the size counts its bytes
    VoleithSha256,
    /// A page of a website, fetched, proved and attested; the size counts bytes of the query, and of the
    /// response [default: four sizes]
    Web,
    /// A chain of multiplications over 2^61-1, or with --bits of ANDs, by Mac'n'Cheese; the size counts those
    /// of a branch
    Macncheese,
}

impl BenchName {
    /// Whether it measures VOLE in the head.
    pub(crate) fn is_in_the_head(self) -> bool {
        matches!(self, Self::Voleith | Self::VoleithAes128 | Self::VoleithSha256)
    }
}

/// The link between prover and notary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinkArg {
    /// This machine's loopback
    #[default]
    Loopback,
    /// 1 Gbit/s
    Lan,
    /// 100 Mbit/s and 50 ms there and back
    Wan,
}

impl LinkArg {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Loopback => "loopback",
            Self::Lan => "lan",
            Self::Wan => "wan",
        }
    }

    /// The shape of each direction; none for the loopback.
    pub(crate) fn shape(self) -> Option<Shape> {
        match self {
            Self::Loopback => None,
            Self::Lan => Some(Shape { bits_per_second: 1_000_000_000, delay: Duration::ZERO }),
            Self::Wan => Some(Shape { bits_per_second: 100_000_000, delay: Duration::from_millis(25) }),
        }
    }
}

/// The shape of one direction of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) bits_per_second: u64,
    pub(crate) delay: Duration,
}

/// Variations of a measurement.
#[derive(Debug, Clone, Args)]
pub(crate) struct MeasureArgs {
    /// matmul: keep the product secret, too
    #[arg(long)]
    pub(crate) secret_product: bool,
    /// robin, batchman, cpu, macncheese: number of branches or instructions [default: 2; 100; 50; 1]
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) branches: Option<u16>,
    /// batchman: number of repetitions [default: 2000]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub(crate) repetitions: Option<u32>,
    /// ram, rom: words of the memory, rows of the table [default: 65536]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    pub(crate) words: Option<u32>,
    /// robin, macncheese: over bits
    #[arg(long)]
    pub(crate) bits: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// What to measure [default: a short measurement of each]
    #[arg(value_enum)]
    pub(crate) name: Option<BenchName>,
    /// How much to measure, in the unit that the name counts
    #[arg(long, requires = "name")]
    pub(crate) size: Option<u64>,
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    /// web: the link between prover and notary. With root on Linux, `tc` shapes it between network
    /// namespaces; otherwise this program relays it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) link: LinkArg,
    /// web: how the connection is made
    #[arg(long, value_enum, default_value_t)]
    pub(crate) mode: ModeArg,
    /// web: the version of TLS to the website
    #[arg(long, value_enum, value_name = "VERSION", default_value = "1.2")]
    pub(crate) tls: TlsArg,
    /// web: the cipher suite
    #[arg(long, value_enum, default_value = "aes128")]
    pub(crate) cipher: CipherArg,
    /// web: bytes of the response [default: the size of the query]
    #[arg(long, value_name = "BYTES")]
    pub(crate) response_size: Option<u64>,
    /// web: prove only the head of the response, which gets this length [default: prove all of it]
    #[arg(long, value_name = "BYTES")]
    pub(crate) proved: Option<u64>,
    /// web: hide the page and commit to it
    #[arg(long, conflicts_with = "proved")]
    pub(crate) commit: bool,
    /// Soundness of public proofs, in bits (zkboo, zkbpp; voleith has 80 and 128)
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=128))]
    pub(crate) sigma: u16,
    /// voleith: shorter proofs that take longer
    #[arg(long)]
    pub(crate) small: bool,
    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,
    /// Do not keep each party's process to processor cores of its own. They are kept to them if there are
    /// enough for the threads of both (not for web and public proofs)
    #[arg(long)]
    pub(crate) no_pin: bool,
    /// Compare each row with the same one of FILE, which `bench --json` printed: figures now divided by those
    /// of then
    #[arg(long, value_name = "FILE")]
    pub(crate) compare: Option<PathBuf>,
    /// Print one JSON object a row
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PartyArgs {
    #[arg(value_enum)]
    pub(crate) role: RoleArg,
    #[arg(value_enum)]
    pub(crate) name: BenchName,
    pub(crate) size: u64,
    /// The verifier listens here, the prover connects.
    pub(crate) address: Address,
    #[command(flatten)]
    pub(crate) measure: MeasureArgs,
    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,
    /// The cores that the process keeps to.
    #[arg(long)]
    pub(crate) cores: Option<Cores>,
}
