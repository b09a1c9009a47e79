//! Merkle-Damgard hash functions (SHA-1, SHA-2) over messages of any public length.
//!
//! A [`Compression`] maps a chaining value and a block of 16 words to the next chaining value. [`Hasher`]
//! cuts the incoming message into blocks and adds the padding (FIPS 180-4, 5.1: a one bit, zeros, the length
//! in bits as two words). It holds one block and one chaining value, whatever the length of the message.
//!
//! The first block has the public initial value, and the last one has public padding: these two run under
//! [`Fold`], which makes them cheaper. The blocks between have no constants except those of the rounds, and
//! run without it.

use core::marker::PhantomData;

use volery_field::F2;

use super::bytes::bytes_to_bits;
use crate::{Error, Fold, Folded, Ops};

/// The wires of a number, 32 unless another width is named, least significant bit first.
pub type Word<W, const BITS: usize = 32> = [W; BITS];

/// The wires of one of the numbers that `H` computes with.
pub type WordOf<H, W> = <<H as Compression>::Number as Number>::Word<W>;

/// A number that a hash function computes with.
pub trait Number: Copy + Into<u64> + 'static {
    /// The number of its bits, a multiple of eight.
    const WIDTH: usize;
    /// Its wires: a [`Word`].
    type Word<W: Clone>: AsRef<[W]> + AsMut<[W]> + Clone;

    /// The word whose bit `i` is `wire(i)`, least significant bit first.
    fn word<W: Clone>(wire: impl FnMut(usize) -> W) -> Self::Word<W>;
}

impl Number for u32 {
    const WIDTH: usize = 32;
    type Word<W: Clone> = Word<W, 32>;

    fn word<W: Clone>(wire: impl FnMut(usize) -> W) -> Word<W, 32> {
        core::array::from_fn(wire)
    }
}

impl Number for u64 {
    const WIDTH: usize = 64;
    type Word<W: Clone> = Word<W, 64>;

    fn word<W: Clone>(wire: impl FnMut(usize) -> W) -> Word<W, 64> {
        core::array::from_fn(wire)
    }
}

/// A compression function on blocks of 16 words, which defines a hash function.
pub trait Compression {
    /// The hash function's name in statements, e.g. `sha256`.
    const NAME: &'static str;
    /// The numbers that it computes with: `u32` or `u64`.
    type Number: Number;
    /// The initial chaining value.
    const INITIAL: &'static [Self::Number];
    /// How many words of the chaining value are the digest.
    const DIGEST_WORDS: usize = Self::INITIAL.len();
    /// The digest: the first [`Compression::DIGEST_WORDS`] words of the chaining value, each big-endian.
    type Digest: AsRef<[u8]> + Clone + PartialEq + core::fmt::Debug + Send + Sync;

    /// Replaces the chaining value `state` by the next one.
    ///
    /// # Errors
    /// [`Error::Misuse`] if `state` is not [`Compression::INITIAL`]`.len()` words; the backend's.
    fn compress<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [WordOf<Self, B::Wire>],
        block: &[WordOf<Self, B::Wire>; 16],
    ) -> Result<(), B::Error>;

    /// The digest's words after the last block, which is `block`, from the chaining value `state` before it.
    /// This saves the last additions of the words that a shortened digest leaves out.
    ///
    /// # Errors
    /// As [`Compression::compress`].
    fn compress_last<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &[WordOf<Self, B::Wire>],
        block: &[WordOf<Self, B::Wire>; 16],
    ) -> Result<Vec<WordOf<Self, B::Wire>>, B::Error> {
        let mut state = state.to_vec();
        Self::compress(b, &mut state, block)?;
        state.truncate(Self::DIGEST_WORDS);
        Ok(state)
    }
}

/// Hashes a message that comes in pieces.
#[derive(Clone)]
pub struct Hasher<H: Compression, W: Clone> {
    /// `None` before the first block: the chaining value is still the public initial one.
    state: Option<Vec<WordOf<H, W>>>,
    /// The wires of the incomplete block: whole bytes, fewer than a block.
    pending: Vec<W>,
    /// The number of bytes taken so far.
    length: u64,
    function: PhantomData<H>,
}

impl<H: Compression, W: Clone> core::fmt::Debug for Hasher<H, W> {
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
    const BLOCK_BITS: usize = 16 * H::Number::WIDTH;
    const BLOCK_BYTES: usize = Self::BLOCK_BITS / 8;
    /// Two words of the padding are the message's length in bits.
    const LENGTH_BYTES: usize = Self::BLOCK_BYTES / 8;

    /// A hasher of the empty message.
    #[must_use]
    pub fn new() -> Self {
        Self { state: None, pending: Vec::with_capacity(Self::BLOCK_BITS), length: 0, function: PhantomData }
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
        while self.pending.len() + rest.len() >= Self::BLOCK_BITS {
            let (now, later) = rest.split_at(Self::BLOCK_BITS - self.pending.len());
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
        let padded = (pending + 1 + Self::LENGTH_BYTES).next_multiple_of(Self::BLOCK_BYTES);
        let mut padding = vec![0; padded - pending];
        padding[0] = 0x80;
        // Messages are shorter than 2^64 bits, so the length is in the last eight bytes.
        let at = padding.len() - 8;
        padding[at..].copy_from_slice(&(8 * self.length).to_be_bytes());

        let message = core::mem::take(&mut self.pending);
        let mut fold = Fold::new(b);
        let mut state = self.folded_state();
        let mut bits: Vec<_> = message.into_iter().map(Folded::Wire).collect();
        bits.extend(bytes_to_bits(&padding).into_iter().map(Folded::Constant));
        let (before, last) = bits.split_at(bits.len() - Self::BLOCK_BITS);
        for block in before.chunks_exact(Self::BLOCK_BITS) {
            H::compress(&mut fold, &mut state, &words::<H, _>(block))?;
        }
        let digest = H::compress_last(&mut fold, &state, &words::<H, _>(last))?;
        Ok(to_bits::<H::Number, _>(&digest).iter().map(|bit| fold.lower(bit)).collect())
    }

    /// Compresses the pending block, which is complete, and clears it.
    fn full_block<B: Ops<F2, Wire = W> + ?Sized>(&mut self, b: &mut B) -> Result<(), B::Error> {
        if let Some(state) = &mut self.state {
            H::compress(b, state, &words::<H, _>(&self.pending))?;
        } else {
            let mut fold = Fold::new(b);
            let mut state = self.folded_state();
            let block: Vec<_> = self.pending.iter().cloned().map(Folded::Wire).collect();
            H::compress(&mut fold, &mut state, &words::<H, _>(&block))?;
            let mut lower = |word: &WordOf<H, _>| H::Number::word(|i| fold.lower(&word.as_ref()[i]));
            self.state = Some(state.iter().map(&mut lower).collect());
        }
        self.pending.clear();
        Ok(())
    }

    fn folded_state(&self) -> Vec<WordOf<H, Folded<F2, W>>> {
        let wire = |word: &WordOf<H, W>| H::Number::word(|i| Folded::Wire(word.as_ref()[i].clone()));
        match &self.state {
            Some(state) => state.iter().map(wire).collect(),
            None => H::INITIAL.iter().map(|word| constant_word(*word)).collect(),
        }
    }
}

pub(super) fn constant_word<N: Number, W: Clone>(word: N) -> N::Word<Folded<F2, W>> {
    let value: u64 = word.into();
    N::word(|i| Folded::Constant(F2::new(value >> i & 1 == 1)))
}

/// The position of bit `i` of a word among the bits of its bytes, most significant byte first. The map is its
/// own inverse.
const fn big_endian(i: usize, width: usize) -> usize {
    i ^ (width - 8)
}

/// The 16 words of a block of exactly as many bits.
fn words<H: Compression, W: Clone>(block: &[W]) -> [WordOf<H, W>; 16] {
    let width = H::Number::WIDTH;
    core::array::from_fn(|t| to_word::<H::Number, W>(&block[width * t..][..width]))
}

/// The words of a string of bits in the order of [`bytes_to_bits`](super::bytes_to_bits). Each word is made
/// of four bytes, big-endian, as FIPS 180-4 reads messages. Bits after the last whole word are left out.
pub fn bits_to_words<W: Clone>(bits: &[W]) -> Vec<Word<W>> {
    to_words::<u32, W>(bits)
}

/// As [`bits_to_words`], with words of eight bytes: those of SHA-384 and SHA-512.
pub fn bits_to_long_words<W: Clone>(bits: &[W]) -> Vec<Word<W, 64>> {
    to_words::<u64, W>(bits)
}

/// The inverse of [`bits_to_words`].
pub fn words_to_bits<W: Clone>(words: &[Word<W>]) -> Vec<W> {
    to_bits::<u32, W>(words)
}

/// The inverse of [`bits_to_long_words`].
pub fn long_words_to_bits<W: Clone>(words: &[Word<W, 64>]) -> Vec<W> {
    to_bits::<u64, W>(words)
}

/// The word of exactly its number of bits.
fn to_word<N: Number, W: Clone>(bits: &[W]) -> N::Word<W> {
    N::word(|i| bits[big_endian(i, N::WIDTH)].clone())
}

fn to_words<N: Number, W: Clone>(bits: &[W]) -> Vec<N::Word<W>> {
    bits.chunks_exact(N::WIDTH).map(to_word::<N, W>).collect()
}

fn to_bits<N: Number, W: Clone>(words: &[N::Word<W>]) -> Vec<W> {
    let bits = |word| (0..N::WIDTH).map(move |i| AsRef::<[W]>::as_ref(word)[big_endian(i, N::WIDTH)].clone());
    words.iter().flat_map(bits).collect()
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
    state: &mut [W],
) -> Result<&mut [W; N], Error> {
    let words = state.len();
    state.try_into().map_err(|_| Error::misuse(format!("{} with a chaining value of {words} words", H::NAME)))
}

/// `out = Ch(x, y, z)`: `y` where `x` is 1, `z` where it is 0; `z + x (y + z)`, one AND a bit.
#[inline(always)]
pub(super) fn choose<B: Ops<F2> + ?Sized, const BITS: usize>(
    b: &mut B,
    out: &mut Word<B::Wire, BITS>,
    [x, y, z]: [&Word<B::Wire, BITS>; 3],
) -> Result<(), B::Error> {
    let y_plus_z = xor(b, y, z);
    out.clone_from(z);
    b.add_products(out, x, &y_plus_z)
}

/// `out = Maj(x, y, z)` from `x + y`, `y + z` and `y`: `(x + y)(y + z) + y`, one AND a bit.
#[inline(always)]
pub(super) fn majority<B: Ops<F2> + ?Sized, const BITS: usize>(
    b: &mut B,
    out: &mut Word<B::Wire, BITS>,
    [x_plus_y, y_plus_z, y]: [&Word<B::Wire, BITS>; 3],
) -> Result<(), B::Error> {
    out.clone_from(y);
    b.add_products(out, x_plus_y, y_plus_z)
}

/// `x[i] + y[i]` for every `i`.
#[inline(always)]
pub(super) fn xor<B: Ops<F2> + ?Sized, const BITS: usize>(
    b: &mut B,
    x: &Word<B::Wire, BITS>,
    y: &Word<B::Wire, BITS>,
) -> Word<B::Wire, BITS> {
    core::array::from_fn(|i| b.add(&x[i], &y[i]))
}
