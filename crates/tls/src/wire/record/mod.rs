//! Records under a key that neither party sees, and their key stream for a proof.
//!
//! ```text
//! record:  explicit nonce, 8 bytes  |  ciphertext = plaintext + E(2) | E(3) | ...  |  tag            RFC 5288
//! E(n)  =  AES(key, write IV | explicit nonce | n)          the write IV is 4 bytes, the counter n too
//! mask  =  E(1)          h = AES(key, 0)                    for the tag, see ghash
//! ```
//!
//! All blocks of a connection's first records are one [`Step::Blocks`](crate::wire::step::Step::Blocks), so
//! that their common parts are computed once: apart from the counter, the sequence number and `h` they are
//! equal. The results (Xie, Yang, Wang, Weng, "Lightweight Authentication of Web Data via Garble-Then-Prove",
//! sections 3.2.3 and 3.2.4):
//!
//! | blocks | result | because |
//! |---|---|---|
//! | `h` | public only plus a random element of both parties' ([`ghash`](super::ghash)) | knowing it and a mask is enough to forge records |
//! | the masks | shared | likewise |
//! | key stream of Finished | public or shared | its contents are public, too; shared, it takes no round trip of its own |
//! | key stream of a query | shared | P adds the query to its share and sends the sum; V adds its own share: the ciphertext |
//!
//! In TLS 1.3 a record has no explicit nonce: its nonce is a write IV of 12 bytes plus its number, and its
//! plaintext ends with a byte for the content's type. Everything else is as in TLS 1.2, but the blocks have
//! less in common: most of them take 4,512 ANDs.
//!
//! In TLS 1.2 the explicit nonce is the sequence number, which both parties count. So no block of key stream
//! and no mask is used twice: [`WriteKey`] refuses a sequence number that it has seen.
//!
//! ChaCha20-Poly1305 records have no `h` and no masks: the first 32 bytes of key stream of each record are
//! the one-time key of its tag (RFC 8439, section 2.6). Nobody learns a share of that key: its wires go into
//! the circuits of [`poly1305`](super::poly1305). Nonces are as in TLS 1.3, in both versions.
//!
//! Records of the server's are read in the end, or, where P has to read one while the connection lives, by a
//! [`ReadKey`]: their nonces are the server's choice, so both parties learn them when the record comes.
//!
//! # Cost
//!
//! In ANDs, where a single block takes 5,120: 1,280 for the key's expansion; then `h`; then for each record a
//! mask and a block for every 16 bytes. Because of common parts most of these blocks take 4,256.
//!
//! | query | blocks: h, Finished, query | ANDs of blocks | without sharing | hiding h | with expansion and [key derivation](crate::wire::prf) |
//! |---|---|---|---|---|---|
//! | 256 bytes | 1 + 2 + 17 | 86,336 | 102,400 | 4,757 | 340,070 |
//! | 2,048 bytes | 1 + 2 + 129 | 563,008 | 675,840 | 4,757 | 816,742 |
//!
//! With AES-256, a single block takes 7,168 ANDs, most blocks 6,304, and the key's expansion 1,664. With
//! ChaCha20 a block has 64 bytes and takes at most 9,942.

mod cipher;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use cipher::Cipher;
pub(crate) use read::ReadKey;

use volery_circuit::gadgets::bits_to_bytes;
use volery_field::F2;
use zeroize::{Zeroize, Zeroizing};

use crate::Error;
use crate::wire::ghash::Block;
use crate::wire::step::{BLOCK_BITS, Plain, TwoParty};
use crate::wire::suite::Aead;
use crate::wire::transcript::tls13;
use crate::wire::version::TlsVersion;

/// Bytes of the largest plaintext of a record (RFC 5246, section 6.2.1).
pub(crate) const MAX_PLAINTEXT: usize = 1 << 14;

/// Who learns a record's key stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Secrecy {
    /// Both parties: for contents that both know.
    #[cfg_attr(not(test), allow(dead_code, reason = "no record of a connection needs it today"))]
    Public,
    /// Each party learns a share: for contents that only P knows.
    Shared,
}

/// A record that is to be protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlannedRecord {
    /// The sequence number, which is also the explicit nonce.
    pub sequence: u64,
    /// The length of its plaintext, in bytes.
    pub length: usize,
    /// Who learns its key stream.
    pub secrecy: Secrecy,
}

impl PlannedRecord {
    /// The record's counter blocks: that of its tag, then the key stream's.
    fn blocks(&self, aead: Aead) -> impl Iterator<Item = Plain> + use<> {
        let Self { sequence, length, .. } = *self;
        let first = u32::from(tag_counter(aead));
        // At most 2^10 and one blocks for the plaintext.
        let counters = 0..=length.div_ceil(aead.block_bytes());
        counters.map(move |i| Plain::Counter { sequence, counter: i as u32 + first })
    }
}

/// The counter of the block that a record's tag takes: the mask, or the one-time key. Those of the key stream
/// follow.
const fn tag_counter(aead: Aead) -> u16 {
    match aead {
        Aead::Gcm(_) => 1,
        Aead::ChaCha20Poly1305 => 0,
    }
}

/// What a record's tag is made with.
pub(crate) enum TagPart<W> {
    /// AES-GCM: this party's share of the mask.
    Mask(Zeroizing<Block>),
    /// ChaCha20-Poly1305: the wires of the one-time key, which go into further circuits.
    OneTimeKey(Vec<W>),
}

/// The values that a party needs to protect one record; wiped on drop.
pub(crate) struct Protection<W> {
    /// What its tag is made with.
    pub tag: TagPart<W>,
    /// The key stream or this party's share of it, as long as the plaintext.
    pub stream: Zeroizing<Vec<u8>>,
}

impl<W> Protection<W> {
    /// This party's share of the tag's mask.
    ///
    /// # Errors
    /// [`Error::Misuse`] in a suite other than AES-GCM.
    pub(crate) fn mask(&self) -> Result<&Block, Error> {
        match &self.tag {
            TagPart::Mask(mask) => Ok(mask),
            TagPart::OneTimeKey(_) => Err(Error::Misuse("a mask in a suite without one".into())),
        }
    }

    /// The wires of the tag's one-time key.
    ///
    /// # Errors
    /// [`Error::Misuse`] in a suite other than ChaCha20-Poly1305.
    pub(crate) fn one_time_key(&self) -> Result<&[W], Error> {
        match &self.tag {
            TagPart::OneTimeKey(key) => Ok(key),
            TagPart::Mask(_) => Err(Error::Misuse("a one-time key in a suite without one".into())),
        }
    }

    /// `data` plus the stream: encrypts, decrypts, or adds a share, as the [module](self) says.
    ///
    /// # Errors
    /// [`Error::Misuse`] unless `data` is as long as the record.
    pub(crate) fn apply(&self, data: &mut [u8]) -> Result<(), Error> {
        if data.len() != self.stream.len() {
            let reason =
                format!("{} bytes for a record that was prepared for {}", data.len(), self.stream.len());
            return Err(Error::Misuse(reason));
        }
        data.iter_mut().zip(self.stream.iter()).for_each(|(byte, key)| *byte ^= key);
        Ok(())
    }
}

/// The wires of GCM's hash key, in a suite that has one, and the values of each record.
pub(crate) type FirstRecords<W> = (Option<Vec<W>>, Vec<Protection<W>>);

/// Bytes of the header that a record's tag covers in TLS 1.2. TLS 1.3 has five; both are one block of GHASH.
pub(crate) const HEADER_BYTES: usize = 13;

/// What a record's tag covers besides its ciphertext of `length` bytes, in either version.
///
/// # Errors
/// [`Error::Misuse`] for more than [`TlsVersion::max_plaintext`] bytes.
pub(crate) fn associated_data(
    version: TlsVersion,
    sequence: u64,
    content_type: u8,
    length: usize,
) -> Result<Vec<u8>, Error> {
    match version {
        TlsVersion::Tls12 => Ok(header(sequence, content_type, length)?.to_vec()),
        TlsVersion::Tls13 if length <= version.max_plaintext() => Ok(tls13::header(length).to_vec()),
        TlsVersion::Tls13 => Err(too_long()),
    }
}

fn too_long() -> Error {
    Error::Misuse("a record of more than 2^14 bytes".into())
}

/// The header that a record's tag covers in TLS 1.2 (RFC 5246, section 6.2.3.3): sequence number, type,
/// version, length of the plaintext.
///
/// # Errors
/// [`Error::Misuse`] for more than [`MAX_PLAINTEXT`] bytes.
pub fn header(sequence: u64, content_type: u8, length: usize) -> Result<[u8; HEADER_BYTES], Error> {
    let length = u16::try_from(length).ok().filter(|length| usize::from(*length) <= MAX_PLAINTEXT);
    let length = length.ok_or_else(too_long)?;
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&sequence.to_be_bytes());
    header[8] = content_type;
    header[9..11].copy_from_slice(&[3, 3]);
    header[11..].copy_from_slice(&length.to_be_bytes());
    Ok(header)
}

/// The key of one direction's records.
pub(crate) struct WriteKey<W> {
    cipher: Cipher<W>,
    /// The greatest sequence number used so far.
    last: Option<u64>,
}

impl<W> core::fmt::Debug for WriteKey<W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("WriteKey").field("last", &self.last).finish_non_exhaustive()
    }
}

impl<W: Clone> WriteKey<W> {
    /// Expands the wires of a key, with those of a write IV (see [`KeyBlock`](crate::wire::prf::KeyBlock)).
    ///
    /// # Errors
    /// As [`Cipher::new`].
    pub(crate) fn new<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        suite: (Aead, TlsVersion),
        key: [&[W]; 2],
    ) -> Result<Self, M::Error> {
        Ok(Self { cipher: Cipher::new(machine, suite, key)?, last: None })
    }

    /// The key with all blocks made under it.
    pub(crate) fn into_cipher(self) -> Cipher<W> {
        self.cipher
    }

    /// The wires of the hash key, in a suite with AES-GCM, and protections for `records`, whose sequence
    /// numbers must increase.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a sequence number that is not above all before it, or a record that is too long;
    /// the machine's.
    pub(crate) fn first<M: TwoParty<Wire = W> + ?Sized>(
        &mut self,
        machine: &mut M,
        records: &[PlannedRecord],
    ) -> Result<FirstRecords<W>, M::Error> {
        let aead = self.cipher.aead();
        if aead == Aead::ChaCha20Poly1305 {
            let wires = self.encrypt(machine, &[], records)?;
            return Ok((None, protections(machine, aead, records, &wires)?));
        }
        let mut wires = self.encrypt(machine, &[Plain::Zero], records)?;
        let rest = wires.split_off(BLOCK_BITS.min(wires.len()));
        Ok((Some(wires), protections(machine, aead, records, &rest)?))
    }

    /// Protections for further `records`; otherwise as [`WriteKey::first`].
    ///
    /// # Errors
    /// As [`WriteKey::first`].
    #[cfg(test)]
    pub(crate) fn more<M: TwoParty<Wire = W> + ?Sized>(
        &mut self,
        machine: &mut M,
        records: &[PlannedRecord],
    ) -> Result<Vec<Protection<W>>, M::Error> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let wires = self.encrypt(machine, &[], records)?;
        protections(machine, self.cipher.aead(), records, &wires)
    }

    /// The ciphertexts of `first` and of the counter blocks of `records`.
    fn encrypt<M: TwoParty<Wire = W> + ?Sized>(
        &mut self,
        machine: &mut M,
        first: &[Plain],
        records: &[PlannedRecord],
    ) -> Result<Vec<W>, M::Error> {
        for PlannedRecord { sequence, length, .. } in records {
            if self.last >= Some(*sequence) || *length > self.cipher.version().max_plaintext() {
                let reason = format!(
                    "record {sequence} of {length} bytes after {:?}; at most 2^14 bytes, each number once",
                    self.last
                );
                return Err(Error::Misuse(reason).into());
            }
            self.last = Some(*sequence);
        }
        let aead = self.cipher.aead();
        let blocks: Vec<_> =
            first.iter().copied().chain(records.iter().flat_map(|record| record.blocks(aead))).collect();
        self.cipher.keep(machine, &blocks)
    }
}

/// Splits the wires of the records' blocks.
fn protections<M: TwoParty + ?Sized>(
    machine: &mut M,
    aead: Aead,
    records: &[PlannedRecord],
    mut wires: &[M::Wire],
) -> Result<Vec<Protection<M::Wire>>, M::Error> {
    let mut protections = Vec::with_capacity(records.len());
    for record in records {
        let mut bits = record.blocks(aead).map(|block| block.bits(aead));
        let (first, others) = (bits.next().unwrap_or_default(), bits.sum::<usize>());
        let (tag, rest) = wires.split_at_checked(first).ok_or_else(too_few)?;
        let (stream, rest) = rest.split_at_checked(others).ok_or_else(too_few)?;
        wires = rest;
        let stream = stream.get(..8 * record.length).ok_or_else(too_few)?;
        let tag = tag_part(machine, aead, tag)?;
        let stream = match record.secrecy {
            Secrecy::Public => bytes(machine.open(stream)?)?,
            Secrecy::Shared => share(machine, stream)?,
        };
        protections.push(Protection { tag, stream });
    }
    Ok(protections)
}

/// What a record's tag is made with, from the wires of its block.
fn tag_part<M: TwoParty + ?Sized>(
    machine: &mut M,
    aead: Aead,
    wires: &[M::Wire],
) -> Result<TagPart<M::Wire>, M::Error> {
    Ok(match aead {
        Aead::Gcm(_) => TagPart::Mask(block(&share(machine, wires)?)?),
        Aead::ChaCha20Poly1305 => TagPart::OneTimeKey(wires.to_vec()),
    })
}

fn too_few() -> Error {
    Error::Misuse("a machine gave too few wires of blocks".into())
}

/// This party's share of wires that hold whole bytes.
fn share<M: TwoParty + ?Sized>(machine: &mut M, wires: &[M::Wire]) -> Result<Zeroizing<Vec<u8>>, M::Error> {
    Ok(bytes(machine.share(wires)?)?)
}

/// The bytes of these bits. The bits are wiped.
fn bytes(bits: Vec<F2>) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut bits = bits;
    let bytes = bits_to_bytes(&bits).map(Zeroizing::new);
    bits.zeroize();
    bytes.ok_or_else(|| Error::Misuse("a machine gave bits that are not whole bytes".into()))
}

fn block(bytes: &[u8]) -> Result<Zeroizing<Block>, Error> {
    bytes
        .try_into()
        .map(Zeroizing::new)
        .map_err(|_| Error::Misuse(format!("a block of {} bytes", bytes.len())))
}
