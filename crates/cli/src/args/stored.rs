//! Options of `volery preprocess`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ConnectionArgs, ProtocolArgs};

/// What users need to know about correlation files.
pub(super) const NOTES: &str = "\
A proof uses one correlation for each secret bit and each AND gate, and some more. `volery info
STATEMENT` says how many. A correlation takes 16 bytes on disk. Both parties give the same --count
and --profile.

Each correlation is used once. Volery makes sure of that, even if it is killed, as long as there is
only one copy of the file. Never copy a file, restore it from a backup, or roll it back with a
snapshot: two proofs from the same correlations reveal secrets. If in doubt, delete the files.

Whoever reads the prover's file can learn the witnesses of its proofs. Whoever reads the verifier's
file can forge proofs. A rejected proof ends the use of the verifier's file.";

/// A party.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleArg {
    /// The party that will prove
    Prover,
    /// The party that will verify
    Verifier,
}

#[derive(Debug, Args)]
pub(crate) struct PreprocessArgs {
    /// Which party this is
    #[arg(value_enum)]
    pub(crate) role: RoleArg,
    /// Where to write the correlations; a new file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// How many correlations to make
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: u64,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
