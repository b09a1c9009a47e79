//! What a kind of statement is not for, and what to do instead.

use crate::failure::Failure;

/// Why something is not done with a statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    /// There is no session about a ring without inverses.
    #[error(
        "statements over {ring} are proved in public only: a proof over a connection needs a field, in which MACs can be checked. \
         Make a file with --protocol zkbpp --out PROOF, and verify it with `volery verify STATEMENT PROOF`"
    )]
    OnlyInPublic { ring: &'static str },
    /// Stored correlations are about bits.
    #[error(
        "--preprocessed is for statements about bits; this one is about elements of {ring}: give --connect or --listen"
    )]
    OnlyBitsAreStored { ring: &'static str },
    /// Mac'n'Cheese has no stored correlations.
    #[error(
        "--preprocessed is for --disjunction robin: Mac'n'Cheese's correlations are made in its own session"
    )]
    OnlyRobinIsStored,
    /// A file would have to show the views of one branch.
    #[error("a public proof is of a single statement: prove one of many to a verifier who listens")]
    OneOfMany,
    /// A circuit without a claim.
    #[error("{name}: a circuit needs --public FILE: what must its outputs be?")]
    Bare { name: String },
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::input(refusal)
    }
}
