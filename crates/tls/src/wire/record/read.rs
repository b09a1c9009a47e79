//! The server's records, which P reads while the connection is open.

use zeroize::Zeroizing;

use super::cipher::Cipher;
use super::{TagPart, share, tag_counter, tag_part};
use crate::Error;
use crate::wire::step::{Plain, TwoParty};
use crate::wire::suite::Aead;
use crate::wire::version::TlsVersion;

/// The key of records whose number, lengths and nonces are not known ahead, because the other side makes
/// them. A step for one block is prepared for each block that may occur:
/// [`Step::Block`](crate::wire::step::Step::Block),
/// [`Step::XoredBlock`](crate::wire::step::Step::XoredBlock) or
/// [`Step::ChaChaBlock`](crate::wire::step::Step::ChaChaBlock).
pub(crate) struct ReadKey<W> {
    cipher: Cipher<W>,
}

impl<W> core::fmt::Debug for ReadKey<W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ReadKey").finish_non_exhaustive()
    }
}

impl<W: Clone> ReadKey<W> {
    /// Expands the wires of a key, with those of a write IV (see [`KeyBlock`](crate::wire::prf::KeyBlock)):
    /// with AES-128, 1,280 ANDs for the key's expansion, 5,120 for the hash key. With AES-GCM, includes the
    /// wires of the hash key.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn new<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        suite: (Aead, TlsVersion),
        key: [&[W]; 2],
    ) -> Result<(Self, Option<Vec<W>>), M::Error> {
        let cipher = Cipher::new(machine, suite, key)?;
        if cipher.aead() == Aead::ChaCha20Poly1305 {
            return Ok((Self { cipher }, None));
        }
        let hash_key = cipher.encrypt(machine, &[Plain::Zero])?;
        Ok((Self { cipher }, Some(hash_key)))
    }

    /// This party's share of one counter block: 5,120 ANDs, 7,168 with AES-256, 10,400 with ChaCha20. `nonce`
    /// is what the nonce has besides the IV.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn block<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        nonce: u64,
        counter: u16,
    ) -> Result<Zeroizing<Vec<u8>>, M::Error> {
        let wires = self.cipher.given(machine, nonce, counter)?;
        share(machine, &wires)
    }

    /// What a record's tag is made with: one counter block.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn tag_part<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        nonce: u64,
    ) -> Result<TagPart<W>, M::Error> {
        let aead = self.cipher.aead();
        let counter = tag_counter(aead);
        let mut wires = self.cipher.given(machine, nonce, counter)?;
        wires.truncate(Plain::Counter { sequence: nonce, counter: counter.into() }.bits(aead));
        tag_part(machine, aead, &wires)
    }

    /// This party's shares of a record's key stream, a counter block at a time.
    ///
    /// # Errors
    /// [`Error::Misuse`] for more than 2^14 bytes; the machine's.
    pub(crate) fn stream<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        nonce: u64,
        length: usize,
    ) -> Result<Zeroizing<Vec<u8>>, M::Error> {
        if length > self.cipher.version().max_plaintext() {
            return Err(Error::Misuse(format!("a record of {length} bytes; at most 2^14")).into());
        }
        let aead = self.cipher.aead();
        let mut stream = Zeroizing::new(Vec::with_capacity(length.next_multiple_of(aead.block_bytes())));
        // Counters up to 2^10 + 1.
        for counter in (tag_counter(aead) + 1..).take(length.div_ceil(aead.block_bytes())) {
            stream.extend_from_slice(&self.block(machine, nonce, counter)?);
        }
        stream.truncate(length);
        Ok(stream)
    }
}
