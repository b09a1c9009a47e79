//! Commitments to all hidden parts of a page, so that their holder can show any of them later, to anybody.
//!
//! When P fetches a page it may not know yet what it will have to show, and to whom. So it commits to every
//! hidden part, and V signs the commitments. Later P opens some of them, or proves claims about them, in a
//! [presentation](crate::presentation), and nobody needs V for that. [`commitment`](crate::commitment) has
//! commitments to chosen parts that serve other ends: they hide even from unbounded computers, and numbers
//! in them can be proved to be in a range with a short proof.
//!
//! # A leaf
//!
//! ```text
//! digest  =  SHA-256(salt, 16 bytes | index, 4 bytes | content)
//!
//! content of a chunk       at most 1,024 bytes of a hidden string, or all of it        its length is public
//! content of a value       a JSON value | 80 | zeros                                   its length is not
//! index                    the leaf's number in its direction, plus 2^31 in responses
//! ```
//!
//! The digest is computed *in the proof*, on the hidden bytes that the server sent. P tells V all digests
//! together with the rest of its message, before the proof, and proves that it knows salts with which the
//! bytes have them. So a digest is one of these bytes, and of nothing else.
//!
//! # What binds
//!
//! *The bytes.* The encoding of a leaf is injective: its length is fixed by public data, salt and index
//! have fixed places, and 80 with the zeros after it can be taken off in one way. So two openings of a digest
//! are a collision of SHA-256, whatever salts P chose.
//!
//! *Part, place and type.* V signs each digest as an entry of the hidden string that it is of: with the
//! part's name, class and places. There is no tree above the digests. The attestation lists all hidden
//! strings anyway, and 32 bytes more for each leave no shape to forge: their number and order follow from the
//! list, and neither a node nor another number of leaves can pass for something signed.
//!
//! *The index* separates the leaves of an attestation. Two leaves of the same content have different digests
//! even if P salts them alike, and an opening fits one place. It takes no gates that the salt does not take.
//!
//! # What V and readers learn
//!
//! The digests, and how many there are. That hides the contents as long as the salts are random. P chooses
//! them, and bad ones are to its own harm only. They follow from one [`Seed`], by a hash that nobody proves:
//!
//! ```text
//! salt i  =  the first 16 bytes of SHA-256("volery leaf salt v1" | seed, 32 bytes | index i, 4 bytes)
//! ```
//!
//! Whoever gets some salts learns nothing about others (SHA-256 as a random oracle; the seed has 256 bits).
//!
//! *Lengths.* The length of a hidden string shows in every attestation. That of a value in a run of hidden
//! values does not ([`Values`](crate::disclosure::Values)), because it would tell a boolean. So such a value
//! is hashed with as many bytes as the longest possible value of its run takes, which is a function of the
//! run's length and of the text between its values, and of nothing else. All values of a run take the same
//! number of blocks.
//!
//! *What it costs.* One compression (21,653 ANDs, because the padding is public) hashes 35 bytes, or a value
//! of at most 34; two hash 99 bytes (43,922 ANDs). The values of a run of `n` values with `s` bytes in all
//! each take what one of `s - n + 1` bytes takes. To keep that short, runs have at most 4 values where
//! everything is committed to, and if the longest value could be longer than [`MAX_VALUE`] bytes the run is
//! committed to in chunks, as one string. Its values can then be shown only together. Splitting a run takes
//! about 8 ANDs for each byte, value and bit of the run's length.
//!
//! # The holder
//!
//! An opening alone is good for everybody who has seen it. So that a presentation can be made for one reader,
//! V also signs a public key of P's, whose secret follows from the seed, and P signs each presentation with
//! it.

mod openings;
mod shape;
#[cfg(test)]
mod tests;

pub(crate) use openings::{Found, leaves};
pub use openings::{LeafOpenings, LeafOpeningsError, MAX_BYTES};
pub(crate) use shape::{LeafKind, Shape};

use ed25519_dalek::SigningKey;
use rand_core::CryptoRng;
use sha2::{Digest as _, Sha256};
use volery_circuit::gadgets::{Hasher, Sha256 as HashCircuit, bytes_to_bits};
use volery_circuit::{Circuit, Error, Prove, Recorded, Recorder};
use volery_field::F2;
use zeroize::{Zeroize, Zeroizing};

use super::claim::SplitValues;
use super::disclosure::{Part, RedactedPayload, Values, bytes_of};
use crate::wire::prf::Side;

/// Bytes of a salt.
pub(crate) const SALT: usize = 16;
/// Bytes of a digest.
pub(crate) const DIGEST: usize = 32;
/// The most bytes of a chunk.
pub(crate) const CHUNK: usize = 1 << 10;
/// The most bytes of a value that is committed to by itself though its length is hidden.
pub const MAX_VALUE: usize = 256;
/// The most values of a run where everything is committed to.
pub(crate) const RUN: usize = 4;
/// The most compressions that the leaves of a session take: 45 million ANDs.
pub(crate) const MAX_COMPRESSIONS: usize = 1 << 11;
/// The bit of an index that says that the leaf is in a response.
const RESPONSE: u32 = 1 << 31;

/// The secret from which salts and the holder's key follow. It has no `Debug`, and is wiped on drop.
#[derive(Clone)]
pub struct Seed([u8; 32]);

impl Drop for Seed {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Seed {
    /// A fresh one.
    #[must_use]
    pub fn new<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        Self(seed)
    }

    /// The seed with these bytes.
    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The salt of a leaf.
    pub(crate) fn salt(&self, index: u32) -> Zeroizing<[u8; SALT]> {
        let hash = self.derived(b"volery leaf salt v1", &index.to_be_bytes());
        let mut salt = Zeroizing::new([0; SALT]);
        salt.iter_mut().zip(hash.iter()).for_each(|(salt, byte)| *salt = *byte);
        salt
    }

    /// The key with which the holder signs presentations.
    pub(crate) fn holder(&self) -> SigningKey {
        SigningKey::from_bytes(&self.derived(b"volery holder key v1", &[]))
    }

    fn derived(&self, label: &[u8], more: &[u8]) -> Zeroizing<[u8; 32]> {
        let hasher = Sha256::new().chain_update(label).chain_update(self.0).chain_update(more);
        Zeroizing::new(hasher.finalize().into())
    }
}

/// The index of leaf `number` of a direction, of which there are always fewer than `2^31`.
pub(crate) fn index(side: Side, number: usize) -> u32 {
    let number = (number as u32) & !RESPONSE;
    match side {
        Side::Client => number,
        Side::Server => number | RESPONSE,
    }
}

/// The digest of a leaf with this content, which has been padded if it is a value.
pub(crate) fn digest(salt: &[u8; SALT], index: u32, content: &[u8]) -> [u8; DIGEST] {
    let hasher = Sha256::new().chain_update(salt).chain_update(index.to_be_bytes());
    hasher.chain_update(content).finalize().into()
}

/// Claims that a leaf of this index has this digest, for salt and padded content on these wires.
pub(crate) fn assert_digest<B: Prove<F2> + ?Sized>(
    b: &mut B,
    salt: &[B::Wire],
    index: u32,
    content: &[B::Wire],
    digest: &[u8; DIGEST],
) -> Result<(), B::Error> {
    if salt.len() != 8 * SALT {
        return Err(Error::misuse("a salt of other than 16 bytes").into());
    }
    let index: Vec<_> = bytes_to_bits(&index.to_be_bytes()).into_iter().map(|bit| b.constant(bit)).collect();
    let mut hasher = Hasher::<HashCircuit, B::Wire>::new();
    hasher.update(b, salt)?;
    hasher.update(b, &index)?;
    hasher.update(b, content)?;
    let found = hasher.finish(b)?;
    let differences: Vec<_> =
        found.iter().zip(bytes_to_bits(digest)).map(|(wire, bit)| b.add_constant(wire, bit)).collect();
    b.assert_zero(&differences)
}

/// Commits to all hidden strings of a direction, whose bytes are `text`: their leaves get digests. Returns
/// the contents of the leaves, each with its index.
pub(crate) fn commit(
    shown: &mut RedactedPayload,
    side: Side,
    text: &[u8],
    seed: &Seed,
) -> Vec<(u32, Zeroizing<Vec<u8>>)> {
    let mut all = Vec::new();
    for hidden in &mut shown.hidden {
        let bytes = bytes_of(text, &hidden.ranges);
        let shape = Shape::of(&hidden.part, hidden.length());
        hidden.leaves.clear();
        for (number, content) in shape.contents(&hidden.part, &bytes).into_iter().enumerate() {
            let index = index(side, all.len());
            let hashed = shape.leaf(number).and_then(|leaf| leaf.hashed(content)).unwrap_or_default();
            hidden.leaves.push(digest(&seed.salt(index), index, &hashed));
            all.push((index, Zeroizing::new(content.to_vec())));
        }
    }
    all
}

/// The leaves of a hidden string, in the proof.
pub(crate) struct LeafClaims {
    /// The index of the first.
    first: u32,
    digests: Vec<[u8; DIGEST]>,
    shape: Shape,
    /// The run, if its values are leaves. Its [`split_circuit`] replaces the claim of the string's class.
    split: Option<Split>,
    /// At P: the salts.
    salts: Option<Zeroizing<Vec<F2>>>,
}

/// A run whose values are leaves.
struct Split {
    values: Values,
    length: usize,
    /// Of its circuit, which is made anew each time: those of all runs would take too much memory.
    multiplications: u64,
}

impl LeafClaims {
    /// The leaves of a string of this part and length, beginning with number `first` of its direction.
    ///
    /// # Errors
    /// [`Error::Public`] for another number of digests than there are leaves; as
    /// [`split_values`](super::claim::split_values).
    pub(crate) fn new(
        (side, first): (Side, usize),
        part: &Part,
        length: usize,
        digests: &[[u8; DIGEST]],
    ) -> Result<Self, Error> {
        let shape = Shape::of(part, length);
        if digests.len() != shape.count() {
            return Err(Error::Public(format!("{} digests of {} leaves", digests.len(), shape.count())));
        }
        let split = match (part, &shape) {
            (Part::Values(values), Shape::Values { .. }) => {
                let multiplications = split_multiplications(values, length)?;
                Some(Split { values: values.clone(), length, multiplications })
            }
            _ => None,
        };
        Ok(Self { first: index(side, first), digests: digests.to_vec(), shape, split, salts: None })
    }

    /// Whether it claims the string's class, too.
    pub(crate) fn claims_class(&self) -> bool {
        self.split.is_some()
    }

    /// At P: keeps the salts.
    pub(crate) fn keep_salts(&mut self, seed: &Seed) {
        let mut salts = Zeroizing::new(Vec::with_capacity(8 * SALT * self.digests.len()));
        for index in self.indexes() {
            salts.extend(Zeroizing::new(bytes_to_bits(&*seed.salt(index))).iter().copied());
        }
        self.salts = Some(salts);
    }

    fn indexes(&self) -> impl Iterator<Item = u32> + use<> {
        // Below 2^31 leaves, so the side's bit stays.
        let (first, count) = (self.first, self.digests.len() as u32);
        (0..count).map(move |number| first.wrapping_add(number))
    }

    /// The bits that its circuits commit to: a bound.
    pub(crate) fn commitments(&self) -> u64 {
        let split = self.split.as_ref().map_or(0, |split| split.multiplications);
        let salts = (8 * SALT * self.digests.len()) as u64;
        let hashes = (self.shape.compressions() as u64).saturating_mul(COMPRESSION);
        split.saturating_add(salts).saturating_add(hashes)
    }

    /// Claims the digests of the string on these wires.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) fn assert<B: Prove<F2> + ?Sized>(
        &self,
        b: &mut B,
        string: &[B::Wire],
    ) -> Result<(), B::Error> {
        let contents = match (&self.split, &self.shape) {
            (Some(split), Shape::Values { room, .. }) => {
                let values = split_circuit(&split.values, split.length)?.run(b, string.to_vec())?;
                values.chunks_exact(8 * room).map(<[B::Wire]>::to_vec).collect()
            }
            _ => string.chunks(8 * CHUNK).map(<[B::Wire]>::to_vec).collect::<Vec<_>>(),
        };
        if contents.len() != self.digests.len() {
            return Err(Error::misuse("a string with other leaves than its own").into());
        }
        let salts = b.secret(8 * SALT * contents.len(), &mut |_| {
            let salts = self.salts.as_ref().map(|salts| salts.to_vec());
            salts.ok_or_else(|| Error::Witness("the salts of the leaves were never kept".into()))
        })?;
        let leaves = contents.iter().zip(salts.chunks_exact(8 * SALT)).zip(&self.digests);
        for (((content, salt), digest), index) in leaves.zip(self.indexes()) {
            assert_digest(b, salt, index, content, digest)?;
        }
        Ok(())
    }
}

/// The most ANDs of a compression.
pub(crate) const COMPRESSION: u64 = 22_271;

/// The circuit from a run's bits to those of its values, which it claims to be values.
fn split_circuit(values: &Values, length: usize) -> Result<Circuit<F2>, Error> {
    let mut recorder = Recorder::new();
    let values = record_split(&mut recorder, values, length)?;
    recorder.finish(&[("values", &values.concat())])
}

/// The multiplications of [`split_circuit`], counted without making it.
fn split_multiplications(values: &Values, length: usize) -> Result<u64, Error> {
    let mut recorder = Recorder::counting(usize::MAX);
    record_split(&mut recorder, values, length)?;
    Ok(recorder.multiplications())
}

fn record_split(
    recorder: &mut Recorder<F2>,
    values: &Values,
    length: usize,
) -> Result<Vec<Vec<Recorded>>, Error> {
    let bits = u32::try_from(length).ok().and_then(|length| length.checked_mul(8));
    let bits = bits.ok_or_else(|| Error::Public("a run that is too long".into()))?;
    let wires = recorder.input("bytes", bits, false)?;
    SplitValues(&values.between).split(recorder, &wires)
}
