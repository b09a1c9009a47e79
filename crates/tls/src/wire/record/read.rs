//! The server's records, which P reads while the connection is open.

use zeroize::Zeroizing;

use super::cipher::Cipher;
use super::{HEADER_BYTES, Protection, block, powers, share};
use crate::Error;
use crate::wire::ghash::{BLOCK_BYTES, Block, Powers, hashed_blocks};
use crate::wire::step::{Plain, TwoParty};
use crate::wire::suite::Aead;
use crate::wire::version::TlsVersion;

/// The number of counter blocks of a record with this many bytes of plaintext: its mask, and one for each 16
/// bytes, rounded up.
#[must_use]
pub(crate) const fn blocks(length: usize) -> usize {
    1 + length.div_ceil(BLOCK_BYTES)
}

/// The key of records whose number, lengths and nonces are not known ahead, because the other side makes
/// them. A [`Step::Block`] or [`Step::XoredBlock`] is prepared for each block that may occur.
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
    /// with AES-128, 1,280 ANDs for the key's expansion, 5,120 for the hash key; 2,187 for each of its odd
    /// powers. Includes this party's shares of the powers that tags of records up to `length` bytes take.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn new<M: TwoParty<Wire = W> + ?Sized>(
        machine: &mut M,
        suite: (Aead, TlsVersion),
        key: [&[W]; 2],
        length: usize,
    ) -> Result<(Self, Powers), M::Error> {
        let cipher = Cipher::new(machine, suite, key)?;
        let hash_key = cipher.encrypt(machine, &[Plain::Zero])?;
        let greatest = hashed_blocks(HEADER_BYTES, length.min(cipher.version().max_plaintext()));
        let powers = powers(machine, &hash_key, greatest)?;
        Ok((Self { cipher }, powers))
    }

    /// This party's share of one counter block's ciphertext: 5,120 ANDs, or 7,168 with AES-256. `nonce` is
    /// what the nonce has besides the IV.
    ///
    /// # Errors
    /// The machine's.
    pub(crate) fn block<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        nonce: u64,
        counter: u16,
    ) -> Result<Zeroizing<Block>, M::Error> {
        let wires = self.cipher.given(machine, nonce, counter)?;
        Ok(block(&share(machine, &wires)?)?)
    }

    /// This party's shares of a record's mask and key stream: [`blocks`] of them.
    ///
    /// # Errors
    /// [`Error::Misuse`] for more than 2^14 bytes; the machine's.
    pub(crate) fn protection<M: TwoParty<Wire = W> + ?Sized>(
        &self,
        machine: &mut M,
        nonce: u64,
        length: usize,
    ) -> Result<Protection, M::Error> {
        if length > self.cipher.version().max_plaintext() {
            return Err(Error::Misuse(format!("a record of {length} bytes; at most 2^14")).into());
        }
        let mask = self.block(machine, nonce, 1)?;
        let mut stream = Zeroizing::new(Vec::with_capacity(length.next_multiple_of(BLOCK_BYTES)));
        // Counters up to 2^10 + 1.
        for counter in (2..).take(length.div_ceil(BLOCK_BYTES)) {
            stream.extend_from_slice(&*self.block(machine, nonce, counter)?);
        }
        stream.truncate(length);
        Ok(Protection { mask, stream })
    }
}
