//! Why there is no presentation, or none that can be believed.

use super::names::whose;
use crate::page::attestation::{self, Context};
use crate::page::disclosure::{MessagePart, claim_reason};
use crate::page::leaf::LeafOpeningsError;

/// An error of making or verifying a presentation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PresentationError {
    /// The bytes are not a presentation.
    #[error("this is not a presentation: {0}")]
    Malformed(String),
    /// The bytes are a presentation of another version.
    #[error("this presentation has format version {0}, and this program reads version {version}; use another version of the program", version = super::codec::VERSION)]
    Version(u16),
    /// The attestation in it is not valid.
    #[error(transparent)]
    Attestation(#[from] attestation::Error),
    /// At the holder: the leaves do not belong to the attestation.
    #[error(transparent)]
    Openings(#[from] LeafOpeningsError),
    /// The attestation's messages cannot be read again, so nobody knows which part is which.
    #[error("the attestation's messages are too long, or are not what a notary accepts")]
    Messages,
    /// At the holder: nothing can be shown of this part.
    #[error("{part}: {reason}")]
    Part {
        /// The part.
        part: String,
        /// What is wrong.
        reason: String,
    },
    /// At the holder: a claim does not hold.
    #[error("not true: {0}")]
    NotTrue(String),
    /// It was made for another context than the reader asked for.
    #[error("it was made for {}, and {}", named(found), asked(wanted))]
    Context {
        /// The context in it.
        found: Context,
        /// The context that the reader asked for.
        wanted: Context,
    },
    /// The holder's signature is wrong.
    #[error("the holder's signature is wrong: the presentation was changed, or somebody else made it")]
    Holder,
    /// Something is said of a leaf that does not exist, or an opening is not what the notary signed.
    #[error("it opens, or claims something of, what the attestation does not commit to")]
    Opening,
    /// A claim is too large, or cannot be.
    #[error("what is claimed cannot be proved: {}", claim_reason(.0))]
    Claim(volery_circuit::Error),
    /// A proof of a claim is wrong, or could not be made.
    #[error("the proof of a claim: {0}")]
    Proof(String),
    /// The program was built without claims in presentations.
    #[error("this program was built without the feature `claim-proofs`, which claims in presentations need")]
    Missing,
}

impl PresentationError {
    pub(super) fn part(part: &MessagePart, reason: &str) -> Self {
        Self::Part { part: whose(part.side, part.round, &part.part), reason: reason.into() }
    }
}

fn named(context: &Context) -> String {
    if context.is_empty() { "no context".into() } else { format!("the context `{}`", context.words()) }
}

fn asked(context: &Context) -> String {
    if context.is_empty() {
        "none was asked for".into()
    } else {
        format!("`{}` was asked for", context.words())
    }
}
