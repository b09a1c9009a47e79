//! Why a kind of statement does not allow something.

use std::fmt;

use crate::spelling::{ANY_OF, PUBLIC, option, plain, spelled};

/// Why a statement is refused for what it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no session about a ring without inverses.
    OnlyInPublic {
        /// The ring.
        ring: &'static str,
    },
    /// Stored correlations are about bits.
    OnlyBitsAreStored {
        /// The field or ring.
        ring: &'static str,
    },
    /// Mac'n'Cheese has no stored correlations, and asks for challenges all the time.
    OnlyRobinMakesFiles,
    /// A file would have to show the views of one branch.
    OneOfMany,
    /// The same, over bits.
    OneOfManyInTheHead,
    /// VOLE in the head is about bits.
    OnlyBitsInTheHead,
    /// The same, of a proof that is to be verified.
    NotAboutBits,
    /// Bits and elements in one statement have sessions only.
    BitsAndElements,
    /// A run has sessions only.
    RunsHaveSessions,
    /// With hashes for challenges, a prover tries until some suit it.
    RunsAreChallenged,
    /// No disjunction of runs.
    OneOfManyRuns {
        /// The program.
        name: String,
    },
    /// Nobody knows what a run takes before it.
    NotRun,
    /// The public input of a run is no file that is computed.
    NoPublicFile,
    /// A run that does not fit into its profile class.
    OtherClass {
        /// What does not fit.
        reason: String,
    },
    /// A circuit without a claim.
    Bare {
        /// The circuit.
        name: String,
    },
    /// This build of the library has not all that it can have.
    NotBuilt {
        /// What is asked for.
        what: &'static str,
        /// The feature that brings it.
        feature: &'static str,
    },
}

impl Refusal {
    /// The reason, with options between marks ([`crate::spelling`]).
    pub(crate) fn marked(&self) -> String {
        match self {
            Self::OnlyInPublic { ring } => format!(
                "statements over {ring} have public proofs only, since a proof over a connection needs a field"
            ),
            Self::OnlyBitsAreStored { ring } => {
                let preprocessed = option("preprocessed");
                format!("{preprocessed} is for statements about bits, and this one is over {ring}")
            }
            Self::OnlyRobinMakesFiles => {
                let disjunction = option("disjunction");
                format!("proofs in files do not work with {disjunction} macncheese; leave that out, or prove in a session")
            }
            Self::OneOfMany => "public proofs of one of many are about bits only".to_owned(),
            Self::OneOfManyInTheHead => {
                format!("zkbpp and zkboo prove a single statement; for {ANY_OF} use voleith, the default")
            }
            Self::OnlyBitsInTheHead => {
                "voleith is for statements about bits, and this one is over a field or machine words".to_owned()
            }
            Self::NotAboutBits => {
                "the proof is one by voleith, which is for statements about bits, and this statement is over a \
                 field or machine words: ask for a proof by zkbpp or zkboo"
                    .to_owned()
            }
            Self::BitsAndElements => "statements over bits and a field at once have no public proofs".to_owned(),
            Self::RunsHaveSessions => "there are no proofs in files of a program's run yet".to_owned(),
            Self::RunsAreChallenged => format!(
                "{} is not for runs of programs: the verifier has to choose the challenges, since a prover could \
                 try hashes until some suit it; leave it out",
                option("fiat-shamir")
            ),
            Self::OneOfManyRuns { name } => format!(
                "{name}: this is a RISC-V program, and a run cannot be one of several statements yet; {ANY_OF} \
                 takes circuit files and constraint systems"
            ),
            Self::NotRun => {
                format!("what a proof of a run takes depends on the run: give {}", option("witness"))
            }
            Self::NoPublicFile => "a program needs no public file besides its public input".to_owned(),
            Self::OtherClass { reason } => reason.clone(),
            Self::Bare { name } => {
                format!("{name}: a circuit needs {PUBLIC}, which says what its outputs must be")
            }
            Self::NotBuilt { what, feature } => {
                format!("{what}: this build is without the feature `{feature}`, which has them")
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&spelled(&self.marked(), &plain))
    }
}

impl std::error::Error for Refusal {}
