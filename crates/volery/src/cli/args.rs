//! What a command line may say.

use clap::{Args, Parser, Subcommand, ValueEnum};
use volery::{Address, Options, Profile};

/// Prove statements about secret data, fast, without revealing it.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure this machine: two processes over loopback TCP
    Bench(BenchArgs),
    /// One party of a measurement
    #[command(hide = true)]
    BenchParty(PartyArgs),
}

/// What a network favours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileArg {
    /// Fewest seconds: for a fast network
    Lan,
    /// Fewest bytes: for a slow network
    Wan,
}

impl From<ProfileArg> for Profile {
    fn from(profile: ProfileArg) -> Self {
        match profile {
            ProfileArg::Lan => Self::Lan,
            ProfileArg::Wan => Self::Wan,
        }
    }
}

/// How a proof is run.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProtocolArgs {
    /// Fewest seconds (lan) or fewest bytes (wan); both parties need the same
    #[arg(long, value_enum, default_value = "lan")]
    pub(crate) profile: ProfileArg,
    /// Threads of this party
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) threads: u16,
    /// Take challenges from a hash instead of the verifier; both parties need the same
    #[arg(long)]
    pub(crate) fiat_shamir: bool,
}

impl ProtocolArgs {
    /// The session's options.
    pub(crate) fn options(&self) -> Options {
        Options {
            profile: self.profile.into(),
            fiat_shamir: self.fiat_shamir,
            threads: usize::from(self.threads),
        }
    }
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchName {
    /// A chain of ANDs; the size counts ANDs
    Boolean,
    /// A chain of SHA-256 blocks; the size counts blocks
    Sha256,
    /// AES-128 blocks under one key; the size counts blocks
    Aes128,
    /// Correlated OTs alone
    Cot,
    /// A SHA-256 preimage; the size counts its bytes, up to 55 for one block
    Preimage,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// What to measure; without a name, a short tour of all
    pub(crate) name: Option<BenchName>,
    /// How much of it, in the unit of the name
    #[arg(long, requires = "name")]
    pub(crate) size: Option<u64>,
    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,
    /// One JSON object a row
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which of the two parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleArg {
    Prover,
    Verifier,
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
    pub(crate) protocol: ProtocolArgs,
}
