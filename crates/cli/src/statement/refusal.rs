//! Why a kind of statement does not allow something, and what to do instead.

use crate::failure::Failure;

/// Why a command refuses a statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// There is no session about a ring without inverses.
    #[error(
        "statements over {ring} have public proofs only, since a proof over a connection needs a field. \
         Make a file with --out PROOF, and check it with `volery verify STATEMENT PROOF`"
    )]
    OnlyInPublic { ring: &'static str },
    /// Stored correlations are about bits.
    #[error(
        "--preprocessed is for statements about bits, and this one is over {ring}: give --connect or --listen"
    )]
    OnlyBitsAreStored { ring: &'static str },
    /// Mac'n'Cheese has no stored correlations, and asks for challenges all the time.
    #[error(
        "proofs in files (--out) do not work with --disjunction macncheese; leave that out, or give --connect or --listen"
    )]
    OnlyRobinMakesFiles,
    /// A file would have to show the views of one branch.
    #[error("public proofs of one of many are about bits only; for this one give --connect or --listen")]
    OneOfMany,
    /// The same, over bits.
    #[error("--protocol zkbpp and zkboo prove a single statement; for --any-of use voleith, the default")]
    OneOfManyInTheHead,
    /// A run has sessions only.
    #[error("there are no proofs in files of a program's run yet: give --connect or --listen")]
    RunsHaveSessions,
    /// With hashes for challenges, a prover tries until some suit it.
    #[error(
        "--fiat-shamir is not for runs of programs: the verifier has to choose the challenges, since a prover could \
         try hashes until some suit it; leave it out"
    )]
    RunsAreChallenged,
    /// No disjunction of runs.
    #[error(
        "{name}: this is a RISC-V program, and a run cannot be one of several statements yet; --any-of takes circuit \
         files and constraint systems"
    )]
    OneOfManyRuns { name: String },
    /// Nobody knows what a run takes before it.
    #[error("what a proof of a run takes depends on the run: give --witness")]
    NotRun,
    /// A circuit without a claim.
    #[error("{name}: a circuit needs --public FILE, which says what its outputs must be")]
    Bare { name: String },
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::input(refusal)
    }
}
