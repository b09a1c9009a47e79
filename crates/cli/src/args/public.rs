//! Options of public proofs: `volery prove --out`, `volery soundness`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use volery::public::Protocol;

/// A proof system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProtocolArg {
    /// For one verifier: over a connection, or with --preprocessed
    Quicksilver,
    /// For anyone: ZKB++, with --out
    Zkbpp,
    /// For anyone, over bits: VOLE in the head, with --out. A twelfth as long as zkbpp
    Voleith,
    /// For anyone: ZKBoo, with --out. Twice as long; if a proof is wrong, says which part
    Zkboo,
}

impl ProtocolArg {
    /// Whether anyone can verify its proofs.
    pub(crate) fn is_public(self) -> bool {
        self != Self::Quicksilver
    }
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Without a connection")]
pub(crate) struct PublicArgs {
    /// The proof system [default: quicksilver over a connection or with --preprocessed; with --out alone
    /// voleith over bits, else zkbpp]
    #[arg(long, value_enum)]
    pub(crate) protocol: Option<ProtocolArg>,
    /// Soundness of a public proof, in bits: a forger has to compute 2^SIGMA hashes, which is feasible below
    /// 80 bits
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=128))]
    pub(crate) sigma: u16,
    /// With --protocol voleith: a proof that is shorter by a third, at several times the work
    #[arg(long)]
    pub(crate) small: bool,
    /// With --out alone: a message that the proof is about, too. Only whoever knows the witness can make such
    /// a proof, so it is a signature; the verifier gives the same message
    #[arg(long, value_name = "FILE")]
    pub(crate) bind: Option<PathBuf>,
}

impl PublicArgs {
    /// The public protocol to use.
    pub(crate) fn protocol(&self) -> Protocol {
        match self.protocol {
            Some(ProtocolArg::Zkboo) => Protocol::Zkboo,
            _ => Protocol::Zkbpp,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct SoundnessArgs {
    /// Number of players of a protocol in the head [default: print tables]
    #[arg(long, value_name = "N", requires = "privacy")]
    pub(crate) players: Option<u32>,
    /// Number of corrupted players that learn nothing
    #[arg(long, value_name = "T", requires = "players")]
    pub(crate) privacy: Option<u32>,
    /// Number of corrupted players that cannot change the result
    #[arg(long, value_name = "R", default_value_t = 0, requires = "players")]
    pub(crate) robustness: u32,
    /// The soundness to reach, in bits
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) sigma: u16,
    /// For VOLE in the head: the greatest degree of a statement's polynomials
    #[arg(long, value_name = "D", default_value_t = 2, value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) degree: u32,
    /// For VOLE in the head: the branches of a statement's largest disjunction, or 0
    #[arg(long, value_name = "B", default_value_t = 0)]
    pub(crate) branches: u32,
    /// For VOLE in the head: secret bits and ANDs of a statement
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) commitments: u64,
    /// For VOLE in the head: the logarithm to base 2 of the hashes that a forger computes
    #[arg(long, value_name = "LOG2", default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=128))]
    pub(crate) queries: u8,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
