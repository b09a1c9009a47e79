//! What opens the leaves of an attestation: a secret file of its holder.
//!
//! ```text
//! file  =  "volery leaves" LF | version, 2 bytes | seed, 32 bytes | number of leaves, 4 bytes | leaves, in the order of their indexes
//! leaf  =  index, 4 bytes | length, 4 bytes | content
//! ```
//!
//! Numbers are big-endian. A content is without padding.

use ed25519_dalek::SigningKey;
use volery_channel::{Cursor, Flaw};
use zeroize::Zeroizing;

use super::{LeafKind, SALT, Seed, Shape, digest, index};
use crate::page::attestation::Statement;
use crate::page::disclosure::Hidden;
use crate::wire::prf::Side;

/// The first bytes of a file.
const MAGIC: &[u8] = b"volery leaves\n";
/// The version of the format that is written and read.
const VERSION: u16 = 1;
/// The longest file, in bytes: the longest hidden strings of both directions, and room for their numbers.
pub const MAX_BYTES: usize = 1 << 20;

/// Why leaves cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeafOpeningsError {
    /// The bytes are not a file of leaves.
    #[error("this is not a file of leaves: {0}")]
    Malformed(String),
    /// The file is of another version.
    #[error(
        "this file of leaves has format version {0}, and this program reads version {VERSION}; use another version of the program"
    )]
    Version(u16),
    /// The attestation does not commit to all its hidden parts.
    #[error(
        "the attestation does not commit to its hidden parts; `volery web prove --commit-all` makes one that does"
    )]
    Uncommitted,
    /// The file does not open the attestation's leaves.
    #[error("this file of leaves is of another attestation, or was changed")]
    Another,
}

impl From<Flaw> for LeafOpeningsError {
    fn from(flaw: Flaw) -> Self {
        Self::Malformed(flaw.to_string())
    }
}

/// A leaf that an attestation commits to.
#[derive(Clone, Debug)]
pub(crate) struct Found<'a> {
    /// Its index.
    pub(crate) index: u32,
    /// The direction.
    pub(crate) side: Side,
    /// The string that it is of.
    pub(crate) hidden: &'a Hidden,
    /// What it is of that.
    pub(crate) kind: LeafKind,
    /// What V signed.
    pub(crate) digest: &'a [u8; 32],
}

/// All leaves of a statement, in the order of their indexes.
pub(crate) fn leaves(statement: &Statement) -> Vec<Found<'_>> {
    let mut all = Vec::new();
    for side in [Side::Client, Side::Server] {
        let mut number = 0;
        for hidden in &statement.part(side).hidden {
            let shape = Shape::of(&hidden.part, hidden.length());
            for (at, digest) in hidden.leaves.iter().enumerate() {
                // Their number is a rule of the format.
                if let Some(kind) = shape.leaf(at) {
                    all.push(Found { index: index(side, number), side, hidden, kind, digest });
                }
                number += 1;
            }
        }
    }
    all
}

/// The contents of all leaves of an attestation, and the seed of their salts. Secret; it has no `Debug`, and
/// is wiped on drop.
#[derive(Clone)]
pub struct LeafOpenings {
    seed: Seed,
    /// The leaves, in the order of their indexes.
    contents: Vec<(u32, Zeroizing<Vec<u8>>)>,
}

impl LeafOpenings {
    pub(crate) fn new(seed: Seed, contents: Vec<(u32, Zeroizing<Vec<u8>>)>) -> Self {
        Self { seed, contents }
    }

    /// The number of leaves.
    #[must_use]
    pub fn count(&self) -> usize {
        self.contents.len()
    }

    /// The content of a leaf, without padding, and its salt.
    pub(crate) fn opening(&self, index: u32) -> Option<(&[u8], Zeroizing<[u8; SALT]>)> {
        let place = self.contents.binary_search_by_key(&index, |(index, _)| *index).ok()?;
        let (_, content) = self.contents.get(place)?;
        Some((content, self.seed.salt(index)))
    }

    pub(crate) fn holder(&self) -> SigningKey {
        self.seed.holder()
    }

    /// Checks that these are all leaves of a statement, and that its holder's key is this one.
    ///
    /// # Errors
    /// [`LeafOpeningsError::Uncommitted`], [`LeafOpeningsError::Another`].
    pub fn check(&self, statement: &Statement) -> Result<(), LeafOpeningsError> {
        let holder = statement.holder.ok_or(LeafOpeningsError::Uncommitted)?;
        let leaves = leaves(statement);
        let opens = |found: &Found<'_>| {
            let opened = self.opening(found.index);
            opened.is_some_and(|(content, salt)| {
                found
                    .kind
                    .hashed(content)
                    .is_some_and(|hashed| digest(&salt, found.index, &hashed) == *found.digest)
            })
        };
        let same = self.holder().verifying_key().to_bytes() == holder;
        if same && leaves.len() == self.contents.len() && leaves.iter().all(opens) {
            return Ok(());
        }
        Err(LeafOpeningsError::Another)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`LeafOpeningsError::Malformed`] and [`LeafOpeningsError::Version`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LeafOpeningsError> {
        let malformed = |reason: String| LeafOpeningsError::Malformed(reason);
        if bytes.len() > MAX_BYTES {
            return Err(malformed(format!("it has {} bytes, at most {MAX_BYTES} are read", bytes.len())));
        }
        let mut cursor = Cursor::new(bytes);
        if cursor.bytes(MAGIC.len(), "its first line") != Ok(MAGIC) {
            return Err(malformed("its first line is not `volery leaves`".into()));
        }
        let version = cursor.u16("the version")?;
        if version != VERSION {
            return Err(LeafOpeningsError::Version(version));
        }
        let seed = Seed::from_bytes(cursor.array("the seed")?);
        let count = cursor.u32("the number of leaves")?;
        let mut contents: Vec<(u32, Zeroizing<Vec<u8>>)> = Vec::new();
        // The list grows as its entries are read, so the input has to contain them.
        for _ in 0..count {
            let index = cursor.u32("an index")?;
            let length = cursor.u32("a length")? as usize;
            let content = Zeroizing::new(cursor.bytes(length, "a content")?.to_vec());
            if contents.last().is_some_and(|(before, _)| *before >= index) {
                return Err(malformed("leaves that are not in order".into()));
            }
            contents.push((index, content));
        }
        cursor.finish()?;
        Ok(Self { seed, contents })
    }

    /// The file, as secret as what it opens.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let length: usize = self.contents.iter().map(|(_, content)| 8 + content.len()).sum();
        // Room for everything at once: growing would leave copies behind.
        let mut out = Zeroizing::new(Vec::with_capacity(MAGIC.len() + 2 + 32 + 4 + length));
        out.extend_from_slice(MAGIC);
        out.extend(VERSION.to_be_bytes());
        out.extend_from_slice(self.seed.as_bytes());
        // Fewer than 2^31 leaves, of fewer bytes.
        out.extend((self.contents.len() as u32).to_be_bytes());
        for (index, content) in &self.contents {
            out.extend(index.to_be_bytes());
            out.extend((content.len() as u32).to_be_bytes());
            out.extend_from_slice(content);
        }
        out
    }
}
