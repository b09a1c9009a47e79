//! What the holder of an attestation shows of it to one reader: hidden parts that it opens, and claims about
//! hidden parts that it proves.
//!
//! ```text
//! web prove --commit-all   -->   attestation   +   leaves, which only the holder has
//!                                     |                |
//!                                     +-------+--------+          as often as one likes, and nobody else takes part
//!                                             |
//!                                       presentation              for one reader: parts, claims, a context
//! ```
//!
//! V has signed a [digest](crate::leaf) of each hidden part. A presentation has the whole attestation and
//!
//! - *openings*: salt and content of some leaves, which have the signed digests;
//! - *claims*, each with a public proof (ZKB++, the crate `volery-mpcith`): "I know salt and content with
//!   this digest, and the claim holds for this content". The circuits are those with which claims are proved
//!   to a notary ([`claim`](crate::claim)), and of SHA-256 the one that the notary verified;
//! - the *context*, which the reader has asked for, and the holder's signature.
//!
//! # What a reader may believe
//!
//! V's signature says that the digests are of the hidden parts that they are listed with. An opening of other
//! bytes would be a collision of SHA-256. A claim that is not true of the committed bytes has no proof: its
//! challenge is a hash of the first message and of the statement, and so of attestation, context, leaf,
//! length, class and claim. 219 repetitions give 128 bits.
//!
//! *The context.* A presentation is a bearer's note otherwise: who has it may show it to others, with what
//! it opens. The holder's key was signed by V, so only the holder can put another context on an attestation's
//! openings, and no proof or opening can be moved into another presentation without its signature. A reader
//! who asks for a context of its choice (a nonce, its name) and gets it knows that the holder made this
//! presentation for it. So a reader refuses a presentation that has another context, or one that it did not
//! ask for ([`Presentation::check_context`]). That does not keep a reader from telling others what it has
//! read.
//!
//! *What else shows.* All presentations of an attestation contain it, so readers who compare them know that
//! they have one holder. An opened value of a run shows its own length, and so the sum of the others'. So
//! does a claim about such a value, since a claim is about a string of known length. The holder decides that.
//! Attestations of different sessions have nothing in common.
//!
//! # Map
//!
//! | module | what it holds |
//! |---|---|
//! | `names` | which leaf is which part |
//! | `codec` | the file |
//! | `proof` | claims about leaves, as statements that are proved |
//! | `presented` | what a verified presentation shows |

mod codec;
mod error;
mod names;
mod presented;
mod proof;
#[cfg(test)]
mod tests;

pub use codec::MAX_BYTES;
pub use error::PresentationError;
pub use presented::{ClaimedPart, OpenedPart, Presented};

use core::ops::Range;

use ed25519_dalek::{Signature, Signer as _, VerifyingKey};
use rand_core::CryptoRng;

use super::attestation::{Attestation, Context, Statement};
use super::claim::{self, Assertion, Class};
use super::disclosure::{MessagePart, spell};
use super::leaf::{LeafOpenings, SALT, digest};
use names::{NamedLeaf, Names};
use proof::LeafClaim;

/// The most claims of a presentation.
pub(crate) const MAX_CLAIMS: usize = 64;
/// The most gates of all its claims, without hashing.
const MAX_GATES: usize = 1 << 22;

/// An attestation, and what its holder shows of it. [`Presentation::verify`] says what that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presentation {
    context: Context,
    attestation: Attestation,
    opened: Vec<OpenedLeaf>,
    claimed: Vec<ClaimedLeaf>,
    signature: [u8; 64],
}

/// Salt and content of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OpenedLeaf {
    index: u32,
    salt: [u8; SALT],
    content: Vec<u8>,
}

/// A claim about the content of a leaf, and its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ClaimedLeaf {
    index: u32,
    /// Bytes of the content.
    length: usize,
    class: Class,
    claim: Assertion,
    proof: Vec<u8>,
}

/// A part that the holder opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reveal {
    /// The part.
    pub part: MessagePart,
    /// If not all of it: these bytes, and those beside them that are committed to together with them.
    pub bytes: Option<Range<usize>>,
}

impl Presentation {
    /// A presentation of these parts and claims, for a reader who asked for this context. A name with `[*]`
    /// is that of every hidden value of this pattern.
    ///
    /// # Errors
    /// [`PresentationError::Attestation`] if its claimed signer did not sign it;
    /// [`PresentationError::Openings`] for leaves of another attestation; [`PresentationError::Part`] for a
    /// part that is not committed to, or about which nothing can be claimed; [`PresentationError::NotTrue`]
    /// for a claim that does not hold; [`PresentationError::Proof`].
    pub fn new<R: CryptoRng>(
        attestation: &Attestation,
        openings: &LeafOpenings,
        context: &Context,
        (reveal, claims): (&[Reveal], &[(MessagePart, Assertion)]),
        rng: &mut R,
    ) -> Result<Self, PresentationError> {
        let statement = attestation.verify(attestation.claimed_signer())?;
        openings.check(statement)?;
        let names = Names::new(statement)?;
        let mut opened = Vec::new();
        for Reveal { part, bytes } in reveal {
            for part in names.expand(part, false)? {
                for leaf in names.find(&part, bytes.as_ref())? {
                    let Some((content, salt)) = openings.opening(leaf.index()) else { continue };
                    opened.push(OpenedLeaf { index: leaf.index(), salt: *salt, content: content.to_vec() });
                }
            }
        }
        opened.sort_by_key(|leaf| leaf.index);
        opened.dedup_by_key(|leaf| leaf.index);
        // All are looked at before the first is proved, which takes some time.
        let mut sound = Vec::new();
        for (pattern, claim) in claims {
            for part in names.expand(pattern, true)? {
                let leaf = names.find_one(&part)?;
                if opened.iter().any(|opened| opened.index == leaf.index()) {
                    return Err(PresentationError::part(
                        &part,
                        "it is revealed, so nothing is claimed of it",
                    ));
                }
                let Some((content, salt)) = openings.opening(leaf.index()) else { continue };
                let claim = leaf_claim(attestation, context, leaf, content, claim.clone())?;
                sound.push((leaf, claim, content, salt));
            }
        }
        check_count(sound.len())?;
        let mut claimed: Vec<ClaimedLeaf> = Vec::new();
        for (leaf, claim, content, salt) in sound {
            let proof = claim.prove((content, &salt), rng)?;
            let LeafClaim { length, class, claim, .. } = claim;
            claimed.push(ClaimedLeaf { index: leaf.index(), length, class, claim, proof });
        }
        codec::sort(&mut claimed);
        let (context, attestation) = (context.clone(), attestation.clone());
        let mut presentation = Self { context, attestation, opened, claimed, signature: [0; 64] };
        presentation.signature = openings.holder().sign(&codec::signed(&presentation)).to_bytes();
        presentation.check_size()?;
        Ok(presentation)
    }

    /// The attestation. Nothing of it is verified yet.
    #[must_use]
    pub fn attestation(&self) -> &Attestation {
        &self.attestation
    }

    /// The context for which it says that it was made; empty if for none.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Checks that it was made for the context that the reader asked for (`None`: the reader asked for none).
    ///
    /// # Errors
    /// [`PresentationError::Context`].
    pub fn check_context(&self, wanted: Option<&Context>) -> Result<(), PresentationError> {
        let none = Context::default();
        let wanted = wanted.unwrap_or(&none);
        if self.context == *wanted {
            return Ok(());
        }
        Err(PresentationError::Context { found: self.context.clone(), wanted: wanted.clone() })
    }

    /// What it shows, if the owner of `key` signed the attestation.
    ///
    /// # Errors
    /// [`PresentationError::Attestation`]; [`PresentationError::Holder`] for a wrong signature of the holder;
    /// [`PresentationError::Opening`]; [`PresentationError::Claim`]; [`PresentationError::Proof`].
    pub fn verify(&self, key: &[u8; 32]) -> Result<Presented<'_>, PresentationError> {
        let statement = self.attestation.verify(key)?;
        self.check_holder(statement)?;
        let names = Names::new(statement)?;
        for opened in &self.opened {
            let leaf = names.leaf(opened.index).ok_or(PresentationError::Opening)?;
            let hashed = leaf.found.kind.hashed(&opened.content).ok_or(PresentationError::Opening)?;
            if digest(&opened.salt, opened.index, &hashed) != *leaf.found.digest {
                return Err(PresentationError::Opening);
            }
        }
        let mut gates = 0;
        for claimed in &self.claimed {
            let claim = self.claim_of(&names, claimed)?;
            gates = claim.count(gates, MAX_GATES)?;
            claim.verify(&claimed.proof)?;
        }
        presented::of(self, statement, &names)
    }

    /// Checks the holder's signature.
    fn check_holder(&self, statement: &Statement) -> Result<(), PresentationError> {
        let wrong = PresentationError::Holder;
        let holder = statement.holder.as_ref().ok_or(wrong.clone())?;
        let holder = VerifyingKey::from_bytes(holder).map_err(|_| wrong.clone())?;
        let signature = Signature::from_bytes(&self.signature);
        // Strict verification refuses keys of small order, under which signatures can be made without a
        // secret.
        holder.verify_strict(&codec::signed(self), &signature).map_err(|_| wrong)
    }

    /// What a claim says, after a check that its leaf can have such a content.
    fn claim_of<'a>(
        &'a self,
        names: &Names<'a>,
        claimed: &ClaimedLeaf,
    ) -> Result<LeafClaim<'a>, PresentationError> {
        let ClaimedLeaf { index, length, class, claim, .. } = claimed;
        let leaf = names.leaf(*index).ok_or(PresentationError::Opening)?;
        if !names.is_one(leaf) || !leaf.can_be(*class, *length) {
            return Err(PresentationError::Opening);
        }
        let (attestation, context) = (self.attestation.digest(), &self.context);
        Ok(LeafClaim {
            attestation,
            context,
            leaf: leaf.clone(),
            length: *length,
            class: *class,
            claim: claim.clone(),
        })
    }

    /// Reads a file. Nothing in it is verified yet.
    ///
    /// # Errors
    /// [`PresentationError::Malformed`], [`PresentationError::Version`] and
    /// [`PresentationError::Attestation`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PresentationError> {
        codec::decode(bytes)
    }

    /// Whether a file claims to be one.
    #[must_use]
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(codec::MAGIC)
    }

    /// The file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = codec::signed(self);
        bytes.extend(self.signature);
        bytes
    }

    /// At the holder: checks the length of the file.
    fn check_size(&self) -> Result<(), PresentationError> {
        let length = self.to_bytes().len();
        if length <= MAX_BYTES {
            return Ok(());
        }
        let claims = self.claimed.len();
        let reason = format!(
            "{claims} claims and {length} bytes; a presentation has at most {MAX_BYTES} bytes: make several"
        );
        Err(PresentationError::Malformed(reason))
    }
}

/// At the holder: checks the number of claims.
fn check_count(claims: usize) -> Result<(), PresentationError> {
    if claims <= MAX_CLAIMS {
        return Ok(());
    }
    let reason = format!("{claims} claims; a presentation has at most {MAX_CLAIMS}: make several");
    Err(PresentationError::Malformed(reason))
}

/// At the holder: the claim about a leaf with this content.
fn leaf_claim<'a>(
    attestation: &Attestation,
    context: &'a Context,
    leaf: &NamedLeaf<'a>,
    content: &[u8],
    mut claim: Assertion,
) -> Result<LeafClaim<'a>, PresentationError> {
    let class = leaf.class_of(content);
    let (attestation, length, leaf) = (attestation.digest(), content.len(), leaf.clone());
    let inner = content.get(leaf.inner(class, length)).unwrap_or_default();
    spell(&mut claim, class, inner);
    // A claim that is too large is not a false one.
    if let Err(volery_circuit::Error::Public(reason)) = claim::circuit(&claim, class, inner.len()) {
        let reason = format!("{} {claim}: {reason}", leaf.name());
        return Err(PresentationError::Claim(volery_circuit::Error::Public(reason)));
    }
    if !claim::holds(&claim, class, inner) {
        return Err(PresentationError::NotTrue(format!("{} {claim}", leaf.name())));
    }
    Ok(LeafClaim { attestation, context, leaf, length, class, claim })
}
