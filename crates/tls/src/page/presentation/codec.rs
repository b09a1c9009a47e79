//! The encoding of presentations.
//!
//! ```text
//! file     =  "volery presentation" LF | version, 2 bytes | context | attestation | number of openings, 4 bytes | openings
//!             | number of claims, 4 bytes | claims | holder's Ed25519 signature of all before it, 64 bytes
//! opening  =  index, 4 bytes | salt, 16 bytes | content
//! claim    =  index, 4 bytes | length, 4 bytes | class, 1 byte | claim as in attestations | proof
//! ```
//!
//! Context, attestation, contents and proofs are a length in 4 bytes and as many bytes. Numbers are
//! big-endian. Openings are in the order of their indexes, and no index comes twice. Claims are in the order
//! of their indexes, those of one index in the order of their encodings without proofs, and none comes twice.
//! There are no claims about what is opened.

use volery_channel::{Cursor, Flaw};

use super::{ClaimedLeaf, MAX_CLAIMS, OpenedLeaf, Presentation, PresentationError};
use crate::page::attestation::{self, Attestation, Context, MAX_CONTEXT};
use crate::page::claim::{
    Assertion, Class, MAX_CLAIMED, Malformed, put_assertion, put_number, put_text, read_assertion,
    read_number, read_text,
};
use crate::page::leaf::SALT;

/// The first bytes of a file. They also separate the holder's signatures from all others.
pub(super) const MAGIC: &[u8] = b"volery presentation\n";
/// The version of the format that is written and read.
pub(super) const VERSION: u16 = 1;
/// The largest presentation, in bytes.
pub const MAX_BYTES: usize = 1 << 27;
/// The most openings.
const MAX_OPENINGS: usize = 1 << 14;

impl From<Malformed> for PresentationError {
    fn from(Malformed(reason): Malformed) -> Self {
        Self::Malformed(reason)
    }
}

impl From<Flaw> for PresentationError {
    fn from(flaw: Flaw) -> Self {
        Self::Malformed(flaw.to_string())
    }
}

/// The bytes that the holder signs: all but the signature.
pub(super) fn signed(presentation: &Presentation) -> Vec<u8> {
    let Presentation { context, attestation, opened, claimed, signature: _ } = presentation;
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_be_bytes());
    put_text(&mut out, context.as_bytes());
    put_text(&mut out, &attestation.to_bytes());
    put_number(&mut out, opened.len());
    for OpenedLeaf { index, salt, content } in opened {
        out.extend(index.to_be_bytes());
        out.extend(salt);
        put_text(&mut out, content);
    }
    put_number(&mut out, claimed.len());
    for claimed in claimed {
        out.extend(head(claimed));
        put_text(&mut out, &claimed.proof);
    }
    out
}

/// A claim without its proof.
fn head(claimed: &ClaimedLeaf) -> Vec<u8> {
    let ClaimedLeaf { index, length, class, claim, proof: _ } = claimed;
    let mut out = index.to_be_bytes().to_vec();
    put_number(&mut out, *length);
    out.push(class.code());
    put_assertion(&mut out, claim);
    out
}

/// Puts claims in order, each once.
pub(super) fn sort(claimed: &mut Vec<ClaimedLeaf>) {
    claimed.sort_by_cached_key(head);
    claimed.dedup_by_key(|claimed| head(claimed));
}

/// Reads a file, all of it.
pub(super) fn decode(bytes: &[u8]) -> Result<Presentation, PresentationError> {
    let malformed = |reason: &str| PresentationError::Malformed(reason.into());
    if bytes.len() > MAX_BYTES {
        let reason = format!("it has {} bytes, at most {MAX_BYTES} are read", bytes.len());
        return Err(PresentationError::Malformed(reason));
    }
    let mut cursor = Cursor::new(bytes);
    if cursor.bytes(MAGIC.len(), "its first line") != Ok(MAGIC) {
        return Err(malformed("its first line is not `volery presentation`"));
    }
    let version = cursor.u16("the version")?;
    if version != VERSION {
        return Err(PresentationError::Version(version));
    }
    let context = Context::new(read_text(&mut cursor, "the context", MAX_CONTEXT)?)?;
    let attestation = read_text(&mut cursor, "the attestation", attestation::MAX_BYTES)?;
    let attestation = Attestation::from_bytes(attestation)?;
    let count = read_number(&mut cursor, "the number of openings", MAX_OPENINGS)?;
    // Lists grow as their entries are read, so the input has to contain them.
    let opened: Vec<_> = (0..count).map(|_| opening(&mut cursor)).collect::<Result<_, _>>()?;
    let count = read_number(&mut cursor, "the number of claims", MAX_CLAIMS)?;
    let claimed: Vec<_> = (0..count).map(|_| claim(&mut cursor)).collect::<Result<_, _>>()?;
    let signature = cursor.array("the signature")?;
    cursor.finish()?;
    if !opened.is_sorted_by(|a, b| a.index < b.index) {
        return Err(malformed("openings that are not in order, or twice there"));
    }
    if !claimed.is_sorted_by(|a, b| head(a) < head(b)) {
        return Err(malformed("claims that are not in order, or twice there"));
    }
    if claimed.iter().any(|claim| opened.iter().any(|opened| opened.index == claim.index)) {
        return Err(malformed("claims about something that is opened"));
    }
    Ok(Presentation { context, attestation, opened, claimed, signature })
}

fn opening(cursor: &mut Cursor<'_>) -> Result<OpenedLeaf, PresentationError> {
    Ok(OpenedLeaf {
        index: cursor.u32("an index")?,
        salt: cursor.array::<SALT>("a salt")?,
        content: read_text(cursor, "a content", MAX_CLAIMED)?.to_vec(),
    })
}

fn claim(cursor: &mut Cursor<'_>) -> Result<ClaimedLeaf, PresentationError> {
    let index = cursor.u32("an index")?;
    let length = read_number(cursor, "a length", MAX_CLAIMED)?;
    let class = Class::from_code(cursor.u8("a class")?);
    let class = class.ok_or_else(|| PresentationError::Malformed("an unknown class of bytes".into()))?;
    let claim = read_assertion(cursor)?;
    if matches!(claim, Assertion::Custom(_)) {
        return Err(PresentationError::Malformed("a claim that only some programs know".into()));
    }
    let proof = read_text(cursor, "a proof", MAX_BYTES)?.to_vec();
    Ok(ClaimedLeaf { index, length, class, claim, proof })
}
