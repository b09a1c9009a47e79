//! Merkle-Damgard hash functions (SHA-1, SHA-256) over messages of any public length.
//!
//! A [`Compression`] maps a chaining value and a block of 16 words to the next chaining value. [`Hasher`]
//! cuts the incoming message into blocks and adds the padding (FIPS 180-4, 5.1.1: a one bit, zeros, the
//! length in bits as 64 bits). It holds one block and one chaining value, whatever the length of the message.
//!
//! The first block has the public initial value, and the last one has public padding: these two run under
//! [`Fold`], which makes them cheaper. The blocks between have no constants except those of the rounds, and
//! run without it.

use core::marker::PhantomData;

use volery_field::F2;

use super::bytes::bytes_to_bits;
use crate::{Error, Fold, Folded, Ops};

/// A 32-bit number, least significant bit first.
pub type Word<W> = [W; 32];

const BLOCK_BYTES: usize = 64;
const BLOCK_BITS: usize = 8 * BLOCK_BYTES;
const LENGTH_BYTES: usize = 8;

/// A compression function on 512-bit blocks, which defines a hash function.
pub trait Compression {
    /// The hash function's name in statements, e.g. `sha256`.
    const NAME: &'static str;
    /// The initial chaining value.
    const INITIAL: &'static [u32];
    /// The digest: the chaining value's words, each big-endian.
    type Digest: AsRef<[u8]> + Clone + PartialEq + core::fmt::Debug + Send + Sync;

    /// Replaces the chaining value `state` by the next one.
    ///
    /// # Errors
    /// [`Error::Misuse`] if `state` is not [`Compression::INITIAL`]`.len()` words; the backend's.
    fn compress<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [Word<B::Wire>],
        block: &[Word<B::Wire>; 16],
    ) -> Result<(), B::Error>;
}

/// Hashes a message that comes in pieces.
#[derive(Clone)]
pub struct Hasher<H, W> {
    /// `None` before the first block: the chaining value is still the public initial one.
    state: Option<Vec<Word<W>>>,
    /// The wires of the incomplete block: whole bytes, fewer than a block.
    pending: Vec<W>,
    /// The number of bytes taken so far.
    length: u64,
    function: PhantomData<H>,
}

impl<H, W> core::fmt::Debug for Hasher<H, W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Hasher").field("length", &self.length).finish_non_exhaustive()
    }
}

impl<H: Compression, W: Clone> Default for Hasher<H, W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: Compression, W: Clone> Hasher<H, W> {
    /// A hasher of the empty message.
    #[must_use]
    pub fn new() -> Self {
        Self { state: None, pending: Vec::with_capacity(BLOCK_BITS), length: 0, function: PhantomData }
    }

    /// Appends whole bytes to the message, with bits in the order of [`bytes_to_bits`].
    ///
    /// # Errors
    /// [`Error::Misuse`] unless the bits are whole bytes and the message stays below 2^61 bytes; the
    /// backend's.
    pub fn update<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &mut B, bits: &[W]) -> Result<(), B::Error> {
        let bytes = (bits.len() / 8) as u64;
        let length = self.length.checked_add(bytes).filter(|length| *length < 1 << 61);
        let Some(length) = length.filter(|_| bits.len().is_multiple_of(8)) else {
            let reason = format!("{} cannot take {} bits after {} bytes", H::NAME, bits.len(), self.length);
            return Err(Error::misuse(reason).into());
        };
        self.length = length;
        let mut rest = bits;
        while self.pending.len() + rest.len() >= BLOCK_BITS {
            let (now, later) = rest.split_at(BLOCK_BITS - self.pending.len());
            self.pending.extend_from_slice(now);
            rest = later;
            self.full_block(b)?;
        }
        self.pending.extend_from_slice(rest);
        Ok(())
    }

    /// The digest, with bits in the order of [`bytes_to_bits`].
    ///
    /// # Errors
    /// Any error of the backend.
    pub fn finish<B: Ops<F2, Wire = W> + ?Sized>(mut self, b: &mut B) -> Result<Vec<W>, B::Error> {
        let pending = self.pending.len() / 8;
        let padded = (pending + 1 + LENGTH_BYTES).next_multiple_of(BLOCK_BYTES);
        let mut padding = vec![0; padded - pending];
        padding[0] = 0x80;
        let at = padding.len() - LENGTH_BYTES;
        padding[at..].copy_from_slice(&(8 * self.length).to_be_bytes());

        let message = core::mem::take(&mut self.pending);
        let mut fold = Fold::new(b);
        let mut state = self.folded_state();
        let mut bits: Vec<_> = message.into_iter().map(Folded::Wire).collect();
        bits.extend(bytes_to_bits(&padding).into_iter().map(Folded::Constant));
        for block in bits.chunks_exact(BLOCK_BITS) {
            H::compress(&mut fold, &mut state, &words(block))?;
        }
        Ok(words_to_bits(&state).iter().map(|bit| fold.lower(bit)).collect())
    }

    /// Compresses the pending block, which is complete, and clears it.
    fn full_block<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &mut B) -> Result<(), B::Error> {
        if let Some(state) = &mut self.state {
            H::compress(b, state, &words(&self.pending))?;
        } else {
            let mut fold = Fold::new(b);
            let mut state = self.folded_state();
            let block: Vec<_> = self.pending.iter().cloned().map(Folded::Wire).collect();
            H::compress(&mut fold, &mut state, &words(&block))?;
            self.state = Some(state.iter().map(|word| word.each_ref().map(|bit| fold.lower(bit))).collect());
        }
        self.pending.clear();
        Ok(())
    }

    fn folded_state(&self) -> Vec<Word<Folded<F2, W>>> {
        match &self.state {
            Some(state) => state.iter().map(|word| word.clone().map(Folded::Wire)).collect(),
            None => H::INITIAL.iter().map(|word| constant_word(*word)).collect(),
        }
    }
}

fn constant_word<W>(word: u32) -> Word<Folded<F2, W>> {
    core::array::from_fn(|i| Folded::Constant(F2::new(word >> i & 1 == 1)))
}

/// The position of bit `i` of a word among the 32 bits of its four bytes, most significant byte first. The
/// map is its own inverse.
const fn big_endian(i: usize) -> usize {
    i ^ 0b11000
}

/// The 16 words of a block of exactly 512 bits.
fn words<W: Clone>(block: &[W]) -> [Word<W>; 16] {
    core::array::from_fn(|t| core::array::from_fn(|i| block[32 * t + big_endian(i)].clone()))
}

/// The words of a string of bits in the order of [`bytes_to_bits`](super::bytes_to_bits). Each word is made
/// of four bytes, big-endian, as FIPS 180-4 reads messages. Bits after the last whole word are left out.
pub fn bits_to_words<W: Clone>(bits: &[W]) -> Vec<Word<W>> {
    let (words, _) = bits.as_chunks::<32>();
    words.iter().map(|bits| core::array::from_fn(|i| bits[big_endian(i)].clone())).collect()
}

/// The inverse of [`bits_to_words`].
pub fn words_to_bits<W: Clone>(words: &[Word<W>]) -> Vec<W> {
    words.iter().flat_map(|word| (0..32).map(move |i| word[big_endian(i)].clone())).collect()
}

/// The digest of a whole message of public length.
pub(super) fn digest<H: Compression, B: Ops<F2> + ?Sized>(
    b: &mut B,
    message: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let mut hasher = Hasher::<H, B::Wire>::new();
    hasher.update(b, message)?;
    hasher.finish(b)
}

/// Rejects a chaining value of the wrong number of words.
pub(super) fn chaining_value<H: Compression, W, const N: usize>(
    state: &mut [Word<W>],
) -> Result<&mut [Word<W>; N], Error> {
    let words = state.len();
    state.try_into().map_err(|_| Error::misuse(format!("{} with a chaining value of {words} words", H::NAME)))
}

/// `out = Ch(x, y, z)`: `y` where `x` is 1, `z` where it is 0; `z + x (y + z)`, 32 ANDs.
#[inline(always)]
pub(super) fn choose<B: Ops<F2> + ?Sized>(
    b: &mut B,
    out: &mut Word<B::Wire>,
    [x, y, z]: [&Word<B::Wire>; 3],
) -> Result<(), B::Error> {
    let y_plus_z = xor(b, y, z);
    out.clone_from(z);
    b.add_products(out, x, &y_plus_z)
}

/// `out = Maj(x, y, z)` from `x + y`, `y + z` and `y`: `(x + y)(y + z) + y`, 32 ANDs.
#[inline(always)]
pub(super) fn majority<B: Ops<F2> + ?Sized>(
    b: &mut B,
    out: &mut Word<B::Wire>,
    [x_plus_y, y_plus_z, y]: [&Word<B::Wire>; 3],
) -> Result<(), B::Error> {
    out.clone_from(y);
    b.add_products(out, x_plus_y, y_plus_z)
}

/// `x[i] + y[i]` for every `i`.
#[inline(always)]
pub(super) fn xor<B: Ops<F2> + ?Sized>(b: &mut B, x: &Word<B::Wire>, y: &Word<B::Wire>) -> Word<B::Wire> {
    core::array::from_fn(|i| b.add(&x[i], &y[i]))
}
