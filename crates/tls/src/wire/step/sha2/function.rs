//! The two hash functions, as HMAC takes them.
//!
//! Of the two forms of an opened chaining value, SHA-384 has the cheaper one, and a first round with known
//! variables: its compressions take most of the bytes of a connection with AES-256. SHA-256 has neither, so
//! that connections with the other suites stay as they are.

use sha2::block_api::{compress256, compress512};
use volery_circuit::gadgets::{
    Compression, Sha256, Sha384, Sha512, WordOf, bits_to_long_words, bits_to_words, long_words_to_bits,
    words_to_bits,
};
use volery_circuit::{Fold, Ops};
use volery_field::F2;
use zeroize::Zeroize;

use super::{BLOCK_WORDS, FoldedWord, STATE_WORDS, constant_word, words_error};
use crate::wire::hash::HashFunction;

/// A hash function, as HMAC takes it.
pub(super) trait Hmac: Compression<Number: Zeroize> + Sized {
    /// The function's name.
    const FUNCTION: HashFunction;
    /// The number of rounds. Each takes an expanded word.
    const ROUNDS: usize;

    fn number(value: u64) -> Self::Number;
    fn to_words<W: Clone>(bits: &[W]) -> Vec<WordOf<Self, W>>;
    fn to_bits<W: Clone>(words: &[WordOf<Self, W>]) -> Vec<W>;

    /// The expanded words of a block plus the rounds' constants; `None` for a block of another length.
    fn expand(block: &[u8]) -> Option<Vec<Self::Number>>;

    /// The next chaining value; `None` for another number of words.
    fn compress_values(state: [Self::Number; 8], words: &[Self::Number]) -> Option<[Self::Number; 8]>;

    /// The next chaining value after whole blocks that are public.
    fn compress_public(state: [Self::Number; 8], blocks: &[u8]) -> [Self::Number; 8];

    /// The wires of the chaining value after a known one and a block that nobody sees, which stays on wires.
    fn kept<B: Ops<F2> + ?Sized>(
        fold: &mut Fold<'_, B>,
        state: [Self::Number; STATE_WORDS],
        block: &[FoldedWord<Self, B>; BLOCK_WORDS],
    ) -> Result<Vec<FoldedWord<Self, B>>, B::Error> {
        let mut state = state.map(constant_word::<Self, _>);
        Self::compress(fold, &mut state, block)?;
        Ok(state.to_vec())
    }

    /// As [`Hmac::kept`], for a chaining value that is opened. The words may have another form, from which
    /// [`Hmac::finish`] makes the chaining value, and which says no more.
    fn opened<B: Ops<F2> + ?Sized>(
        fold: &mut Fold<'_, B>,
        state: [Self::Number; STATE_WORDS],
        block: &[FoldedWord<Self, B>; BLOCK_WORDS],
    ) -> Result<Vec<FoldedWord<Self, B>>, B::Error> {
        Self::kept(fold, state, block)
    }

    /// Computes [`Hmac::opened`] on values; `None` for another number of words.
    fn opened_values(
        state: [Self::Number; STATE_WORDS],
        words: &[Self::Number],
    ) -> Option<[Self::Number; STATE_WORDS]> {
        Self::compress_values(state, words)
    }

    /// The chaining value after `state`, from the words of [`Hmac::opened`].
    fn finish(
        _state: [Self::Number; STATE_WORDS],
        opened: [Self::Number; STATE_WORDS],
    ) -> [Self::Number; STATE_WORDS] {
        opened
    }

    /// The digest's words after a known chaining value and a last block that nobody sees.
    fn digest<B: Ops<F2> + ?Sized>(
        fold: &mut Fold<'_, B>,
        state: [Self::Number; STATE_WORDS],
        block: &[FoldedWord<Self, B>; BLOCK_WORDS],
    ) -> Result<Vec<FoldedWord<Self, B>>, B::Error> {
        Self::compress_last(fold, &state.map(constant_word::<Self, _>), block)
    }

    /// The digest's words after a last block with these expanded words.
    fn last<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: Vec<WordOf<Self, B::Wire>>,
        words: Vec<WordOf<Self, B::Wire>>,
    ) -> Result<Vec<WordOf<Self, B::Wire>>, B::Error>;
}

impl Hmac for Sha256 {
    const FUNCTION: HashFunction = HashFunction::Sha256;
    const ROUNDS: usize = 64;

    fn number(value: u64) -> u32 {
        value as u32
    }

    fn to_words<W: Clone>(bits: &[W]) -> Vec<WordOf<Self, W>> {
        bits_to_words(bits)
    }

    fn to_bits<W: Clone>(words: &[WordOf<Self, W>]) -> Vec<W> {
        words_to_bits(words)
    }

    fn expand(block: &[u8]) -> Option<Vec<u32>> {
        block.try_into().ok().map(|block| Self::expand(block).to_vec())
    }

    fn compress_values(state: [u32; 8], words: &[u32]) -> Option<[u32; 8]> {
        words.try_into().ok().map(|words| Self::compress_values(state, words))
    }

    fn compress_public(mut state: [u32; 8], blocks: &[u8]) -> [u32; 8] {
        compress256(&mut state, blocks.as_chunks().0);
        state
    }

    fn last<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: Vec<WordOf<Self, B::Wire>>,
        words: Vec<WordOf<Self, B::Wire>>,
    ) -> Result<Vec<WordOf<Self, B::Wire>>, B::Error> {
        let (states, count) = (state.len(), words.len());
        let mut state = state.try_into().map_err(|_| words_error(states))?;
        let words = words.try_into().map_err(|_| words_error(count))?;
        Self::compress_expanded(b, &mut state, &words)?;
        Ok(state.to_vec())
    }
}

impl Hmac for Sha384 {
    const FUNCTION: HashFunction = HashFunction::Sha384;
    const ROUNDS: usize = 80;

    fn number(value: u64) -> u64 {
        value
    }

    fn to_words<W: Clone>(bits: &[W]) -> Vec<WordOf<Self, W>> {
        bits_to_long_words(bits)
    }

    fn to_bits<W: Clone>(words: &[WordOf<Self, W>]) -> Vec<W> {
        long_words_to_bits(words)
    }

    fn expand(block: &[u8]) -> Option<Vec<u64>> {
        block.try_into().ok().map(|block| Sha512::expand(block).to_vec())
    }

    fn compress_values(state: [u64; 8], words: &[u64]) -> Option<[u64; 8]> {
        words.try_into().ok().map(|words| Sha512::compress_values(state, words))
    }

    fn compress_public(mut state: [u64; 8], blocks: &[u8]) -> [u64; 8] {
        compress512(&mut state, blocks.as_chunks().0);
        state
    }

    fn kept<B: Ops<F2> + ?Sized>(
        fold: &mut Fold<'_, B>,
        state: [u64; STATE_WORDS],
        block: &[FoldedWord<Self, B>; BLOCK_WORDS],
    ) -> Result<Vec<FoldedWord<Self, B>>, B::Error> {
        Ok(Sha512::compress_known(fold, state, block)?.to_vec())
    }

    fn opened<B: Ops<F2> + ?Sized>(
        fold: &mut Fold<'_, B>,
        state: [u64; STATE_WORDS],
        block: &[FoldedWord<Self, B>; BLOCK_WORDS],
    ) -> Result<Vec<FoldedWord<Self, B>>, B::Error> {
        Ok(Sha512::compress_to_open(fold, state, block)?.to_vec())
    }

    fn opened_values(state: [u64; STATE_WORDS], words: &[u64]) -> Option<[u64; STATE_WORDS]> {
        words.try_into().ok().map(|words| Sha512::opened_values(state, words))
    }

    fn finish(state: [u64; STATE_WORDS], opened: [u64; STATE_WORDS]) -> [u64; STATE_WORDS] {
        Sha512::finish_opened(state, opened)
    }

    fn digest<B: Ops<F2> + ?Sized>(
        fold: &mut Fold<'_, B>,
        state: [u64; STATE_WORDS],
        block: &[FoldedWord<Self, B>; BLOCK_WORDS],
    ) -> Result<Vec<FoldedWord<Self, B>>, B::Error> {
        Self::compress_last_known(fold, state, block)
    }

    fn last<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: Vec<WordOf<Self, B::Wire>>,
        words: Vec<WordOf<Self, B::Wire>>,
    ) -> Result<Vec<WordOf<Self, B::Wire>>, B::Error> {
        let (states, count) = (state.len(), words.len());
        let state = state.try_into().map_err(|_| words_error(states))?;
        let words = words.try_into().map_err(|_| words_error(count))?;
        Self::compress_last_expanded(b, &state, &words)
    }
}
