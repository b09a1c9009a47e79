//! `volery preprocess`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ConnectionArgs, ProtocolArgs};

/// What everybody who keeps such files must know.
pub(super) const NOTES: &str = "\
A proof takes one correlation for each secret bit and each AND, and some more: `volery info STATEMENT` says how many. They
take 16 bytes each on disk. Both parties give the same --count and --profile.

A correlation may be used once. Volery sees to that, also if it is killed, as long as there is one copy of the file: a
copy, a restored backup or a rolled-back snapshot defeats it, and then proofs show secrets. Keep the files out of backups;
if in doubt, delete them. The prover's file reveals witnesses of its proofs to who has it, the verifier's lets its holder
forge; both are made readable by their owner alone. A rejected proof ends the use of the verifier's file.";

/// Which of the two parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleArg {
    /// Who will prove
    Prover,
    /// Who will verify
    Verifier,
}

#[derive(Debug, Args)]
pub(crate) struct PreprocessArgs {
    /// Whose file this is
    #[arg(value_enum)]
    pub(crate) role: RoleArg,
    /// Where to write it; a new file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// How many correlations to make
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: u64,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,
    /// The result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
