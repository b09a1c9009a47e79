//! The compressions of SHA-256 that HMAC takes with a secret key and a public message.

use volery_circuit::gadgets::{
    Compression, Sha256, Word, bits_to_bytes, bits_to_words, bytes_to_bits, words_to_bits,
};
use volery_circuit::{Error, Fold, Folded, Folding, Ops};
use volery_field::F2;
use zeroize::Zeroizing;

use crate::wire::key_schedule::handshake_salt;

/// HMAC's pads (RFC 2104): the key, padded with zeros, plus this in every byte.
const INNER_PAD: u8 = 0x36;
const OUTER_PAD: u8 = 0x5c;

/// Bytes of a block of SHA-256.
pub(crate) const BLOCK: usize = 64;

/// Words of a digest.
pub(crate) const WORDS: usize = 8;

/// The number of expanded words that depend on the digest: all except 8 to 15, which are those of the
/// padding.
const DEPENDENT: usize = 64 - 8;

/// The number of wires for these words.
pub(super) const PUBLIC_BITS: usize = 32 * DEPENDENT;

/// The last block of the outer hash: the digest of the inner one, and the padding of a message of 96 bytes.
fn last_block(digest: [u32; WORDS]) -> [u8; BLOCK] {
    let mut words = [0; 16];
    words[..WORDS].copy_from_slice(&digest);
    words[WORDS] = 1 << 31;
    words[15] = 8 * (BLOCK as u32 + 4 * WORDS as u32);
    let mut block = [0; BLOCK];
    block.as_chunks_mut().0.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_be_bytes());
    block
}

/// Whether expanded word `t` depends on the digest.
const fn depends(t: usize) -> bool {
    t < WORDS || t >= 16
}

/// The public input of [`Step::OuterHash`](super::Step::OuterHash) for an inner hash: the words `W_t + K_t`
/// of the outer hash's block that depend on it, 1,792 bits. A party that knows the inner hash computes them,
/// so that no circuit has to.
///
/// These are 28 KB of labels, where the digest itself would take 4 KB, and save 5,271 ANDs, which take 169 KB
/// with half gates.
#[must_use]
pub(crate) fn expanded_words(inner: [u32; WORDS]) -> Vec<F2> {
    let words = Sha256::expand(&last_block(inner));
    let dependent = words.iter().enumerate().filter(|(t, _)| depends(*t));
    dependent.flat_map(|(_, word)| (0..32).map(move |i| F2::new(word >> i & 1 == 1))).collect()
}

fn constant_word<W>(word: u32) -> Word<Folded<F2, W>> {
    core::array::from_fn(|i| Folded::Constant(F2::new(word >> i & 1 == 1)))
}

/// HMAC's chaining values after the inner and after the outer pad, for a key of whole bytes, at most a block.
pub(super) struct Midstates;

impl Folding<F2> for Midstates {
    fn run<B: Ops<F2> + ?Sized>(
        &self,
        fold: &mut Fold<'_, B>,
        key: &[Folded<F2, B::Wire>],
    ) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
        let mut states = Vec::with_capacity(64 * WORDS);
        for pad in [INNER_PAD, OUTER_PAD] {
            let block: Vec<_> = (0..8 * BLOCK)
                .map(|i| {
                    let constant = F2::new(pad >> (i % 8) & 1 == 1);
                    let bit = key.get(i).cloned().unwrap_or(Folded::Constant(F2::ZERO));
                    fold.add_constant(&bit, constant)
                })
                .collect();
            let block = bits_to_words(&block).try_into();
            let block = block.map_err(|_| Error::Misuse("a block of other than 16 words".into()))?;
            let mut state: Vec<_> = Sha256::INITIAL.iter().map(|word| constant_word(*word)).collect();
            Sha256::compress(fold, &mut state, &block)?;
            states.extend(words_to_bits(&state));
        }
        Ok(states)
    }
}

/// HMAC's chaining values for the key that is TLS 1.3's handshake secret, from what the key exchange gave.
///
/// The secret is an HMAC itself, whose key is a constant (`Extract` in RFC 8446, section 7.1) and whose
/// message is one block with its padding. So two compressions begin with known midstates, and nothing between
/// is an output.
pub(super) struct HandshakeMidstates;

impl Folding<F2> for HandshakeMidstates {
    fn run<B: Ops<F2> + ?Sized>(
        &self,
        fold: &mut Fold<'_, B>,
        shared: &[Folded<F2, B::Wire>],
    ) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
        let mut secret = shared.to_vec();
        for midstate in salt_midstates() {
            let padding = bytes_to_bits(&last_block([0; WORDS]));
            let padding = padding.into_iter().skip(secret.len()).map(Folded::Constant);
            let block: Vec<_> = secret.into_iter().chain(padding).collect();
            let block = bits_to_words(&block).try_into();
            let block = block.map_err(|_| Error::Misuse("a block of other than 16 words".into()))?;
            let mut state: Vec<_> = midstate.into_iter().map(constant_word).collect();
            Sha256::compress(fold, &mut state, &block)?;
            secret = words_to_bits(&state);
        }
        Midstates.run(fold, &secret)
    }
}

/// HMAC's midstates for the constant that is the handshake secret's salt.
fn salt_midstates() -> [[u32; WORDS]; 2] {
    let salt = handshake_salt();
    [INNER_PAD, OUTER_PAD].map(|pad| {
        let mut block = [pad; BLOCK];
        block.iter_mut().zip(salt).for_each(|(byte, salt)| *byte ^= salt);
        let initial: [u32; WORDS] =
            core::array::from_fn(|i| Sha256::INITIAL.get(i).copied().unwrap_or_default());
        Sha256::compress_values(initial, &Sha256::expand(&block))
    })
}

/// The digest of the outer hash, from its midstate and the wires of [`expanded_words`].
pub(super) struct OuterHash;

impl Folding<F2> for OuterHash {
    fn run<B: Ops<F2> + ?Sized>(
        &self,
        fold: &mut Fold<'_, B>,
        inputs: &[Folded<F2, B::Wire>],
    ) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
        let Some((midstate, public)) = inputs.split_at_checked(32 * WORDS) else {
            return Err(Error::Misuse("an outer hash without its chaining value".into()).into());
        };
        let state = bits_to_words(midstate).try_into();
        let mut state = state.map_err(|_| Error::Misuse("a chaining value of other than 8 words".into()))?;
        // The words of the padding do not depend on the digest.
        let padding = Sha256::expand(&last_block([0; WORDS]));
        let (public, _) = public.as_chunks::<32>();
        let mut public = public.iter();
        let words: Option<Vec<Word<_>>> = (0..64)
            .map(|t| if depends(t) { public.next().cloned() } else { Some(constant_word(padding[t])) })
            .collect();
        let words = words.and_then(|words| words.try_into().ok());
        let words = words.ok_or_else(|| Error::Misuse("an expanded block of other than 64 words".into()))?;
        Sha256::compress_expanded(fold, &mut state, &words)?;
        Ok(words_to_bits(&state))
    }
}

/// Computes [`Midstates`] for a known key.
pub(super) fn midstates(key: &[F2]) -> Result<Vec<F2>, Error> {
    let mut bits = Zeroizing::new([F2::ZERO; 8 * BLOCK]);
    bits.iter_mut().zip(key).for_each(|(bit, key)| *bit = *key);
    let mut states = Vec::with_capacity(64 * WORDS);
    for pad in [INNER_PAD, OUTER_PAD] {
        let bytes = bits_to_bytes(&*bits).map(Zeroizing::new);
        let block: Option<[u8; BLOCK]> = bytes.and_then(|bytes| bytes.as_slice().try_into().ok());
        let block = block.ok_or_else(|| Error::Misuse("a block of other than 64 bytes".into()))?;
        let block = Zeroizing::new(block.map(|byte| byte ^ pad));
        let initial = value_words(Sha256::INITIAL.iter().copied())?;
        states.extend(bits_of(Sha256::compress_values(initial, &Sha256::expand(&block))));
    }
    Ok(states)
}

/// Computes [`HandshakeMidstates`] for what the key exchange gave.
pub(super) fn handshake_midstates(shared: &[F2]) -> Result<Vec<F2>, Error> {
    let mut secret: Zeroizing<[u32; WORDS]> =
        Zeroizing::new(value_words(bits_to_words(shared).iter().map(value))?);
    for midstate in salt_midstates() {
        let block = Zeroizing::new(last_block(*secret));
        *secret = Sha256::compress_values(midstate, &Sha256::expand(&block));
    }
    midstates(&Zeroizing::new(bits_of(*secret)))
}

/// Computes [`OuterHash`] for known inputs.
pub(super) fn outer_hash(inputs: &[F2]) -> Result<Vec<F2>, Error> {
    let (midstate, public) = inputs.split_at_checked(32 * WORDS).unwrap_or_default();
    let padding = Sha256::expand(&last_block([0; WORDS]));
    let (public, _) = public.as_chunks::<32>();
    let mut public = public.iter();
    let words = (0..64).filter_map(|t| if depends(t) { public.next().map(value) } else { Some(padding[t]) });
    let state = value_words(bits_to_words(midstate).iter().map(value))?;
    Ok(bits_of(Sha256::compress_values(state, &value_words(words)?)))
}

/// The number on these bits, the lowest first.
fn value(word: &Word<F2>) -> u32 {
    word.iter().rev().fold(0, |value, bit| value << 1 | u32::from(bit.to_u8()))
}

fn value_words<const N: usize>(words: impl Iterator<Item = u32>) -> Result<[u32; N], Error> {
    let words: Vec<u32> = words.collect();
    let count = words.len();
    words.try_into().map_err(|_| Error::Misuse(format!("{count} words where there should be {N}")))
}

fn bits_of(words: [u32; WORDS]) -> Vec<F2> {
    words_to_bits(&words.map(|word| core::array::from_fn(|i| F2::new(word >> i & 1 == 1))))
}
