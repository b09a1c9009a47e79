//! The command line: all commands, options and help texts.

mod bench;
mod connection;
mod execute;
mod fields;
mod padding;
mod page;
mod public;
mod session_limits;
mod split;
mod statement;
mod stored;
mod terminal;
mod web;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use volery::{Options, Profile};

pub(crate) use bench::{BenchArgs, BenchName, LinkArg, MeasureArgs, PartyArgs, Shape};
pub(crate) use connection::{ConnectionArgs, ServeArgs};
pub(crate) use execute::RunArgs;
pub(crate) use padding::PaddingArgs;
pub(crate) use page::{WebPageArgs, WebPlanArgs, WebProveArgs};
pub(crate) use public::{ProtocolArg, PublicArgs, SoundnessArgs};
pub(crate) use session_limits::SessionLimitArgs;
pub(crate) use split::{
    ShardsArgs, SplitCommand, SplitInfoArgs, SplitProveArgs, SplitVerifyArgs, SplitWorkerArgs, WorkersArgs,
};
pub(crate) use statement::{StatementArgs, WitnessArgs};
pub(crate) use stored::{PreprocessArgs, RoleArg};
pub(crate) use terminal::{TerminalArgs, color};
pub(crate) use web::{
    AttestationCommand, AttestationOpenArgs, AttestationPresentArgs, AttestationProveRangeArgs,
    AttestationShowArgs, AttestationTypedDataArgs, AttestationVerifyArgs, CipherArg, ModeArg, NotaryCommand,
    NotaryKeyArgs, NotaryServeArgs, TlsArg, WebCommand,
};

/// Prove statements about secret data, fast, without revealing it.
///
/// A prover convinces a verifier that it knows a secret with some property; the verifier learns nothing else.
/// Start with `volery demo`.
#[derive(Debug, Parser)]
#[command(
    // Not the package's name.
    name = "volery",
    version,
    max_term_width = 100,
    after_help = "\
Exit codes
  0  accepted, or done
  1  rejected: the proof is wrong, or the witness does not satisfy the statement
  2  bad usage, or a bad input file
  3  the session failed (network, the peer gave up), or the other party, or the proof in a file, has
     another statement or other parameters
Results go to standard output, messages and progress to standard error."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) terminal: TerminalArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show an honest proof and cheating provers that are caught; both parties run in this process
    Demo(DemoArgs),
    /// Check on this machine whether a witness satisfies a statement; if not, say where it fails
    #[command(after_long_help = statement::formats())]
    Check(CheckArgs),
    /// Compute the public file (--public) from a witness: a circuit's outputs, a digest, a product
    #[command(after_long_help = statement::formats())]
    Compute(ComputeArgs),
    /// Run a RISC-V program on this machine, without a proof: what it says, how it ends, what it would cost
    #[command(after_long_help = execute::NOTES)]
    Run(RunArgs),
    /// Check a prover's proof, over a connection or from a file; exit code 0 only if it holds
    #[command(after_long_help = statement::formats(), override_usage = "\
volery verify [OPTIONS] STATEMENT (--listen ADDR | --connect ADDR)
       volery verify [OPTIONS] STATEMENT PROOF
       volery verify [OPTIONS] STATEMENT --preprocessed V.vole PROOF")]
    Verify(VerifyArgs),
    /// Prove that a statement holds without showing the witness, over a connection or into a file
    #[command(after_long_help = statement::formats(), override_usage = "\
volery prove [OPTIONS] STATEMENT --witness FILE (--connect ADDR | --listen ADDR)
       volery prove [OPTIONS] STATEMENT --witness FILE --out PROOF
       volery prove [OPTIONS] STATEMENT --witness FILE --preprocessed P.vole --out PROOF")]
    Prove(ProveArgs),
    /// Prove a statement that is cut into shards, with a worker for each, on one machine or on many
    #[command(subcommand, after_long_help = split::NOTES)]
    Split(SplitCommand),
    /// Make a pair of correlation files with the other party, for proofs without a connection
    #[command(after_long_help = stored::NOTES)]
    Preprocess(PreprocessArgs),
    /// Show a statement's inputs and gates, what a proof of it costs, and how sound it is
    #[command(after_long_help = statement::formats())]
    Info(InfoArgs),
    /// Print the security bounds behind public proofs and correlations
    Soundness(SoundnessArgs),
    /// Prove what a website told you
    #[command(subcommand, after_long_help = page::PARTS)]
    Web(WebCommand),
    /// Run a notary, which connects to websites together with provers and signs what they prove
    #[command(subcommand)]
    Notary(NotaryCommand),
    /// Check, show and open what a notary signed
    #[command(subcommand)]
    Attestation(AttestationCommand),
    /// Measure proofs on this machine, between two processes over loopback TCP
    Bench(BenchArgs),
    /// Print a script that completes commands and options in a shell
    #[command(after_long_help = COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print the manual page of the program or of one command
    Man(ManArgs),
    /// One party of a measurement
    #[command(hide = true)]
    BenchParty(PartyArgs),
    /// One party of a measurement of `web`; reads its task from standard input
    #[command(hide = true)]
    BenchWebParty,
}

/// Where each shell looks for completions.
const COMPLETIONS: &str = "\
EXAMPLES
  bash   volery completions bash > ~/.local/share/bash-completion/completions/volery
  zsh    volery completions zsh > ~/.zfunc/_volery
         (with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc)
  fish   volery completions fish > ~/.config/fish/completions/volery.fish";

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command, like `prove` or `web prove` [default: the whole program]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct DemoArgs {
    #[command(subcommand)]
    pub(crate) act: Option<DemoAct>,
    /// Length of the secret message, in bytes
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub(crate) length: u32,
    /// Print the results as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DemoAct {
    /// Start a website on this machine with an account page, for `volery web prove`
    Web(DemoWebArgs),
    /// Start a page on this machine in which a web browser proves, to this program
    Browser(DemoBrowserArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DemoBrowserArgs {
    /// The address to listen at. Browsers run the page only from this machine, or behind https
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7080")]
    pub(crate) listen: String,
    /// Behind a reverse proxy: the page's origin there, like https://demo.example.com
    #[arg(long, value_name = "ORIGIN", value_parser = connection::origin)]
    pub(crate) origin: Vec<String>,
    /// Offer the demonstration's website and its notary also if others than this machine get the page
    #[arg(long)]
    pub(crate) website_for_all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DemoWebArgs {
    /// The address to listen at
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8443")]
    pub(crate) listen: String,
    /// Where to write its certificate, for --roots; an existing file is replaced
    #[arg(long, value_name = "FILE", default_value = "demo-root.pem")]
    pub(crate) root: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) statement: StatementArgs,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    #[command(flatten)]
    pub(crate) padding: PaddingArgs,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ComputeArgs {
    #[command(flatten)]
    pub(crate) statement: StatementArgs,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) statement: StatementArgs,
    /// The file of a proof that was made with --out; without one, give --listen or --connect
    #[arg(conflicts_with_all = ["listen", "connect", "serve"])]
    pub(crate) proof: Option<PathBuf>,
    /// Refuse public proofs with fewer bits of soundness than this
    #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=128),
          help_heading = "Without a connection")]
    pub(crate) sigma: u16,
    /// The message that the proof must be about; without it, it must be about none
    #[arg(
        long,
        value_name = "FILE",
        requires = "proof",
        conflicts_with = "preprocessed",
        help_heading = "Without a connection"
    )]
    pub(crate) bind: Option<PathBuf>,
    /// The verifier's correlation file, for a proof that was made without a connection
    #[arg(long, value_name = "V.vole", conflicts_with_all = ["listen", "connect"],
          help_heading = "Without a connection")]
    pub(crate) preprocessed: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    #[command(flatten)]
    pub(crate) serve: ServeArgs,
    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,
    /// Print one JSON object for each session
    #[arg(long)]
    pub(crate) json: bool,
}

impl VerifyArgs {
    /// With `--any-of` there is no STATEMENT, so a single name is the name of the proof's file. Moves it
    /// there.
    pub(crate) fn arranged(mut self) -> Self {
        if !self.connection.is_named() && !self.statement.any_of.is_empty() && self.proof.is_none() {
            let name = std::mem::take(&mut self.statement.name);
            self.proof = Some(name).filter(|name| !name.is_empty()).map(PathBuf::from);
        }
        self
    }
}

#[derive(Debug, Args)]
pub(crate) struct ProveArgs {
    #[command(flatten)]
    pub(crate) statement: StatementArgs,
    #[command(flatten)]
    pub(crate) witness: WitnessArgs,
    #[command(flatten)]
    pub(crate) padding: PaddingArgs,
    #[command(flatten)]
    pub(crate) public: PublicArgs,
    /// The prover's correlation file, for a proof that only the owner of the verifier's file can check
    #[arg(long, value_name = "P.vole", requires = "out", conflicts_with_all = ["listen", "connect"],
          help_heading = "Without a connection")]
    pub(crate) preprocessed: Option<PathBuf>,
    /// Where to write the proof; a new file
    ///
    /// Without --preprocessed it is a public proof: anyone can verify it, now or later.
    #[arg(long, value_name = "PROOF", conflicts_with_all = ["listen", "connect"],
          help_heading = "Without a connection")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
    #[command(flatten)]
    pub(crate) protocol: ProtocolArgs,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) statement: StatementArgs,
    /// The secret input of a RISC-V program: what a proof costs and shows depends on the run
    #[arg(long, value_name = "FILE", help_heading = "Statement")]
    pub(crate) witness: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) padding: PaddingArgs,
    #[command(flatten)]
    pub(crate) priced: PricedArgs,
    /// Write the profile class of the run to this file, for --profile-class; if there is one, enlarge it so
    /// that it also holds this run (RISC-V programs)
    #[arg(
        long,
        value_name = "FILE",
        requires = "witness",
        conflicts_with = "profile_class",
        help_heading = "Statement"
    )]
    pub(crate) write_profile_class: Option<PathBuf>,
    /// Print the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which network to choose parameters for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileArg {
    /// The fewest seconds: for a fast network
    Lan,
    /// The fewest bytes: for a slow network
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

/// Options of the protocol.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Protocol")]
pub(crate) struct ProtocolArgs {
    /// Which network to choose parameters for; both parties need the same
    ///
    /// `lan` is faster on networks of 100 Mbit/s and more, and sends more bytes. Small statements cost the
    /// same with both.
    #[arg(long, value_enum, default_value = "lan")]
    pub(crate) profile: ProfileArg,
    /// The number of threads of this party
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) threads: u16,
    /// Take challenges from a hash instead of the verifier; both parties need the same
    ///
    /// The prover then hardly waits for the verifier. Each hash that a cheating prover computes is one more
    /// try: see docs/guide/security.md.
    #[arg(long)]
    pub(crate) fiat_shamir: bool,
    /// Refuse proofs with fewer bits of soundness than this: for one attempt, or with --fiat-shamir for each
    /// hash that the prover computes [default: 100; 40 over f61 and goldilocks]
    ///
    /// Over f61 and goldilocks, values above about 50 take MACs in the quadratic extension; so does
    /// --fiat-shamir. Both parties need the same value there. Elsewhere the value only decides what is
    /// refused.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=128))]
    pub(crate) rho: Option<u16>,
}

/// The sessions that `info` prices.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Protocol")]
pub(crate) struct PricedArgs {
    /// Only sessions for this network [default: for both]
    #[arg(long, value_enum)]
    pub(crate) profile: Option<ProfileArg>,
    /// The number of threads of each party
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) threads: u16,
    /// Only the sessions that `prove` and `verify` choose with this option: challenges come from a hash
    #[arg(long)]
    pub(crate) fiat_shamir: bool,
    /// Only the sessions that `prove` and `verify` choose with this option, which sets the bits of soundness
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=128))]
    pub(crate) rho: Option<u16>,
}

impl PricedArgs {
    /// Whether one of these options is given.
    pub(crate) fn is_given(&self) -> bool {
        self.profile.is_some() || self.threads > 1 || self.chooses()
    }

    /// Whether the options are among those that choose the way of a session.
    pub(crate) fn chooses(&self) -> bool {
        self.fiat_shamir || self.rho.is_some()
    }

    /// The options of each session: one for each network.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = ProtocolArgs> + '_ {
        let wanted = |profile: &ProfileArg| self.profile.is_none_or(|only| only == *profile);
        ProfileArg::value_variants().iter().copied().filter(wanted).map(|profile| ProtocolArgs {
            profile,
            threads: self.threads,
            fiat_shamir: self.fiat_shamir,
            rho: self.rho,
        })
    }
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
