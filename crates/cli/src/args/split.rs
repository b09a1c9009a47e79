//! Options of `volery split`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use volery::Address;

use super::{ConnectionArgs, ProtocolArgs, RoleArg};

/// What users need to know about split statements.
pub(super) const NOTES: &str = "\
A statement is cut into shards: blocks of a long message, or segments of a RISC-V program's run,
whose memory is some shards more. Each party has a coordinator, which is this command, and a
worker for each shard: a process that proves or verifies it. Workers of one party prove to those
of the other, all under one key, and at the end the coordinators show that the shards fit
together: the verifier accepts all of them or none. A lost worker's shard is proved again by
another one (--retries).

Workers are started on this machine, one process for each shard. To start them elsewhere, give
--launch COMMAND. A shell runs it for each worker, with VOLERY_INVITATION (a secret, good once)
and VOLERY_SHARD in its environment. On the other machine run `volery split worker ROLE` with
that VOLERY_INVITATION. --lot-server is where workers reach their coordinator, and has to be an
address that they can reach. The verifier's workers listen for the prover's: tell them where
with `volery split worker verifier --listen ADDR --reached-at HOST`.";

#[derive(Debug, Subcommand)]
pub(crate) enum SplitCommand {
    /// Prove a split statement, as the prover's coordinator
    Prove(SplitProveArgs),
    /// Verify a split statement, as the verifier's coordinator
    Verify(SplitVerifyArgs),
    /// Say what a proof of a split statement takes, and what it is worth
    Info(SplitInfoArgs),
    /// Prove or verify one shard for a coordinator, whose invitation is in VOLERY_INVITATION or comes on
    /// standard input
    Worker(SplitWorkerArgs),
}

/// What is proved, and how it is cut.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Statement")]
pub(crate) struct ShardsArgs {
    /// I know a secret input with which this RISC-V program ends as --exit or --trap say: a static ELF file,
    /// as of `volery run`
    #[arg(value_name = "PROGRAM", required_unless_present = "digest", conflicts_with = "digest")]
    pub(crate) program: Option<OsString>,
    /// I know a message with this SHA-256 digest
    #[arg(long, value_name = "HEX", requires = "length")]
    pub(crate) digest: Option<String>,
    /// The number of its bytes
    #[arg(long, value_name = "N", requires = "digest")]
    pub(crate) length: Option<u64>,
    /// The program's public input; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "digest")]
    pub(crate) public: Option<PathBuf>,
    /// What the program exits with [default: 0]
    #[arg(long, value_name = "CODE", conflicts_with_all = ["digest", "trap"])]
    pub(crate) exit: Option<String>,
    /// The program does not exit: it is ended at the instruction at this address, in hexadecimal
    #[arg(long, value_name = "ADDRESS", conflicts_with = "digest")]
    pub(crate) trap: Option<String>,
    /// The most steps that the program may take [default: 4294967296]
    #[arg(long, value_name = "N", conflicts_with = "digest")]
    pub(crate) max_steps: Option<String>,
    /// The number of shards; of a program's run that of groups of segments, each of 65536 steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    pub(crate) shards: u32,
    /// How many workers may be lost. Both parties give the same number; each costs some soundness
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(crate) retries: u32,
}

/// Where workers run.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Workers")]
pub(crate) struct WorkersArgs {
    /// Where this party's workers come for their shards: HOST:PORT. Port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) lot_server: Address,
    /// The address that workers are told, if it is another one than that of --lot-server
    #[arg(long, value_name = "ADDR")]
    pub(crate) lot_server_reached_at: Option<Address>,
    /// Start each worker with this command of the shell, and not as a process of this program
    #[arg(long, value_name = "COMMAND")]
    pub(crate) launch: Option<String>,
    /// How long a worker may take to come
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = super::connection::seconds)]
    pub(crate) arrive: std::time::Duration,
}

#[derive(Debug, Args)]
pub(crate) struct SplitProveArgs {
    #[command(flatten)]
    pub(crate) coordinator: SplitVerifyArgs,
    /// The file of the message
    #[arg(long, value_name = "FILE", conflicts_with = "program", help_heading = "Statement")]
    #[arg(required_unless_present = "witness")]
    pub(crate) message: Option<PathBuf>,
    /// The file of the program's secret input; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "digest", help_heading = "Statement")]
    pub(crate) witness: Option<PathBuf>,
    /// Connect to the other party's workers at this host only; give it several times for several. Otherwise
    /// wherever the other party says that they are
    #[arg(long, value_name = "HOST", help_heading = "Workers")]
    pub(crate) meet: Vec<String>,
}

/// What either coordinator is told. The verifier's needs no more.
#[derive(Debug, Args)]
pub(crate) struct SplitVerifyArgs {
    #[command(flatten)]
    pub(crate) shards: ShardsArgs,
    #[command(flatten)]
    pub(crate) workers: WorkersArgs,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SplitInfoArgs {
    #[command(flatten)]
    pub(crate) shards: ShardsArgs,
    /// The file of the program's secret input, on which it depends what a run takes; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "digest", help_heading = "Statement")]
    pub(crate) witness: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,
    /// The number of cores that each party's workers share [default: one for each shard]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Workers")]
    pub(crate) cores: Option<u32>,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SplitWorkerArgs {
    /// The party that it works for
    #[arg(value_enum)]
    pub(crate) role: RoleArg,
    /// Verifier: where to listen for the prover's worker
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) listen: Address,
    /// Verifier: the host that the prover's worker is told, if it is another one than that of --listen
    #[arg(long, value_name = "HOST")]
    pub(crate) reached_at: Option<String>,
    /// How long to wait for any one message of the other party's worker
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = super::connection::seconds)]
    pub(crate) timeout: std::time::Duration,
}
