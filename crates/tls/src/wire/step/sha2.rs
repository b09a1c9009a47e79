//! The compressions of SHA-256 and SHA-384 that HMAC takes with a secret key and a public message.
//!
//! A function's block has 16 words and its chaining value eight, of 32 bits in SHA-256 and of 64 in SHA-384,
//! whose digest is six of them. A key is at most a block. So HMAC with either function takes the same number
//! of compressions, except that a message of SHA-384 has fewer blocks, which each party compresses alone.

mod function;

use volery_circuit::gadgets::{Number, Sha256, Sha384, WordOf, bits_to_bytes, bytes_to_bits};
use volery_circuit::{Error, Fold, Folded, Folding, Ops};
use volery_field::F2;
use zeroize::{Zeroize, Zeroizing};

use function::Hmac;

use crate::wire::hash::HashFunction;
use crate::wire::key_schedule::handshake_salt;

/// HMAC's pads (RFC 2104): the key, padded with zeros, plus this in every byte.
const INNER_PAD: u8 = 0x36;
const OUTER_PAD: u8 = 0x5c;

/// Words of a chaining value.
const STATE_WORDS: usize = 8;

/// Words of a block.
const BLOCK_WORDS: usize = 16;

/// The wires of a word while constants are folded.
type FoldedWord<H, B> = WordOf<H, Folded<F2, <B as Ops<F2>>::Wire>>;

/// Bytes of a block.
const fn block_bytes<H: Hmac>() -> usize {
    BLOCK_WORDS * H::Number::WIDTH / 8
}

/// Bytes of the length at the end of a padded message: two words.
const fn length_bytes<H: Hmac>() -> usize {
    block_bytes::<H>() / 8
}

fn words_error(found: usize) -> Error {
    Error::Misuse(format!("{found} words in a compression"))
}

/// The last block of the outer hash: the digest of the inner one, and the padding of a message of a block and
/// a digest.
fn last_block<H: Hmac>(digest: &[H::Number]) -> Vec<u8> {
    let mut block = Vec::with_capacity(block_bytes::<H>());
    for word in digest.iter().take(H::DIGEST_WORDS) {
        let word: u64 = (*word).into();
        block.extend(word.to_be_bytes().into_iter().skip(8 - H::Number::WIDTH / 8));
    }
    let length = block_bytes::<H>() + block.len();
    block.push(0x80);
    block.resize(block_bytes::<H>() - 8, 0);
    block.extend(8_u64.wrapping_mul(length as u64).to_be_bytes());
    block
}

/// The expanded words of the padding, some of which depend on no digest.
fn padding<H: Hmac>() -> Vec<H::Number> {
    H::expand(&last_block::<H>(&vec![H::number(0); H::DIGEST_WORDS])).unwrap_or_default()
}

/// Whether expanded word `t` depends on the digest: all except the rest of the block, which is padding.
const fn depends<H: Hmac>(t: usize) -> bool {
    t < H::DIGEST_WORDS || t >= BLOCK_WORDS
}

/// The number of wires for the expanded words that depend on the digest.
pub(super) const fn public_bits(hash: HashFunction) -> usize {
    match hash {
        HashFunction::Sha256 => 32 * (64 - 8),
        HashFunction::Sha384 => 64 * (80 - 10),
    }
}

/// A chaining value that both parties know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Midstate {
    Sha256([u32; STATE_WORDS]),
    Sha384([u64; STATE_WORDS]),
}

impl Zeroize for Midstate {
    fn zeroize(&mut self) {
        match self {
            Self::Sha256(words) => words.zeroize(),
            Self::Sha384(words) => words.zeroize(),
        }
    }
}

impl Midstate {
    /// The inner midstate that a step gives in these bits, if there are as many as a chaining value has.
    pub(crate) fn from_bits(hash: HashFunction, bits: &[F2]) -> Option<Self> {
        Some(match hash {
            HashFunction::Sha256 => {
                Self::Sha256(Sha256::finish(initial::<Sha256>(), numbers::<Sha256>(bits)?))
            }
            HashFunction::Sha384 => {
                Self::Sha384(Sha384::finish(initial::<Sha384>(), numbers::<Sha384>(bits)?))
            }
        })
    }

    /// The hash function.
    pub(crate) const fn hash(&self) -> HashFunction {
        match self {
            Self::Sha256(_) => HashFunction::Sha256,
            Self::Sha384(_) => HashFunction::Sha384,
        }
    }

    /// The public input of [`Step::OuterHash`](super::Step::OuterHash) for the HMAC of `message`, if this is
    /// the inner chaining value: the words `W_t + K_t` of the outer hash's block that depend on the inner
    /// hash, 1,792 bits or 4,480. A party that knows the inner hash computes them, so that no circuit has to.
    ///
    /// These are 28 KB of labels, where the digest itself would take 4 KB, and save 5,271 ANDs, which take
    /// 169 KB with half gates. With SHA-384 they are 72 KB instead of 6, and save 14,700 ANDs.
    #[must_use]
    pub(crate) fn expanded(self, message: &[u8]) -> Vec<F2> {
        match self {
            Self::Sha256(state) => expanded_words::<Sha256>(inner_hash::<Sha256>(state, message)),
            Self::Sha384(state) => expanded_words::<Sha384>(inner_hash::<Sha384>(state, message)),
        }
    }
}

/// The numbers of a chaining value.
fn numbers<H: Hmac>(bits: &[F2]) -> Option<[H::Number; STATE_WORDS]> {
    let whole = bits.len() == STATE_WORDS * H::Number::WIDTH;
    let words: Vec<_> = H::to_words(bits).iter().map(value::<H>).collect();
    words.try_into().ok().filter(|_| whole)
}

/// The inner hash of `message` from the chaining value after the pad: FIPS 180-4's padding, then its
/// compressions.
fn inner_hash<H: Hmac>(state: [H::Number; STATE_WORDS], message: &[u8]) -> [H::Number; STATE_WORDS] {
    let (block, length) = (block_bytes::<H>(), length_bytes::<H>());
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + length).next_multiple_of(block) - 8, 0);
    padded.extend_from_slice(&(8 * (block as u64 + message.len() as u64)).to_be_bytes());
    H::compress_public(state, &padded)
}

fn expanded_words<H: Hmac>(inner: [H::Number; STATE_WORDS]) -> Vec<F2> {
    let words = H::expand(&last_block::<H>(&inner)).unwrap_or_default();
    let dependent = words.into_iter().enumerate().filter(|(t, _)| depends::<H>(*t));
    dependent.flat_map(|(_, word)| bits_of_word::<H>(word)).collect()
}

fn bits_of_word<H: Hmac>(word: H::Number) -> impl Iterator<Item = F2> {
    let word: u64 = word.into();
    (0..H::Number::WIDTH).map(move |i| F2::new(word >> i & 1 == 1))
}

fn constant_word<H: Hmac, W: Clone>(word: H::Number) -> WordOf<H, Folded<F2, W>> {
    let word: u64 = word.into();
    H::Number::word(|i| Folded::Constant(F2::new(word >> i & 1 == 1)))
}

/// The function's initial chaining value.
fn initial<H: Hmac>() -> [H::Number; STATE_WORDS] {
    core::array::from_fn(|i| H::INITIAL.get(i).copied().unwrap_or_else(|| H::number(0)))
}

/// HMAC's chaining values after the inner and after the outer pad, for a key of whole bytes, at most a block.
/// The inner one, which is opened, has the form of [`Hmac::opened`].
pub(super) struct Midstates(pub(super) HashFunction);

impl Folding<F2> for Midstates {
    fn run<B: Ops<F2> + ?Sized>(
        &self,
        fold: &mut Fold<'_, B>,
        key: &[Folded<F2, B::Wire>],
    ) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
        match self.0 {
            HashFunction::Sha256 => run_midstates::<Sha256, B>(fold, key),
            HashFunction::Sha384 => run_midstates::<Sha384, B>(fold, key),
        }
    }
}

fn run_midstates<H: Hmac, B: Ops<F2> + ?Sized>(
    fold: &mut Fold<'_, B>,
    key: &[Folded<F2, B::Wire>],
) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
    let mut states = Vec::with_capacity(2 * STATE_WORDS * H::Number::WIDTH);
    for pad in [INNER_PAD, OUTER_PAD] {
        let block: Vec<_> = (0..8 * block_bytes::<H>())
            .map(|i| {
                let constant = F2::new(pad >> (i % 8) & 1 == 1);
                let bit = key.get(i).cloned().unwrap_or(Folded::Constant(F2::ZERO));
                fold.add_constant(&bit, constant)
            })
            .collect();
        let block = words::<H, B>(&block)?;
        let state = match pad {
            INNER_PAD => H::opened(fold, initial::<H>(), &block)?,
            _ => H::kept(fold, initial::<H>(), &block)?,
        };
        states.extend(H::to_bits(&state));
    }
    Ok(states)
}

/// The words of a block.
fn words<H: Hmac, B: Ops<F2> + ?Sized>(
    block: &[Folded<F2, B::Wire>],
) -> Result<[FoldedWord<H, B>; BLOCK_WORDS], Error> {
    let block = H::to_words(block);
    let count = block.len();
    block.try_into().map_err(|_| words_error(count))
}

/// HMAC's chaining values for the key that is TLS 1.3's handshake secret, from what the key exchange gave.
///
/// The secret is an HMAC itself, whose key is a constant (`Extract` in RFC 8446, section 7.1) and whose
/// message is one block with its padding. So two compressions begin with known midstates, and nothing between
/// is an output.
pub(super) struct HandshakeMidstates(pub(super) HashFunction);

impl Folding<F2> for HandshakeMidstates {
    fn run<B: Ops<F2> + ?Sized>(
        &self,
        fold: &mut Fold<'_, B>,
        shared: &[Folded<F2, B::Wire>],
    ) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
        match self.0 {
            HashFunction::Sha256 => run_handshake::<Sha256, B>(fold, shared),
            HashFunction::Sha384 => run_handshake::<Sha384, B>(fold, shared),
        }
    }
}

fn run_handshake<H: Hmac, B: Ops<F2> + ?Sized>(
    fold: &mut Fold<'_, B>,
    shared: &[Folded<F2, B::Wire>],
) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
    let mut secret = shared.to_vec();
    for midstate in salt_midstates::<H>() {
        let block = padded::<H>(secret.len() / 8);
        let padding = bytes_to_bits(&block).into_iter().skip(secret.len()).map(Folded::Constant);
        let block: Vec<_> = secret.into_iter().chain(padding).collect();
        secret = H::to_bits(&H::digest(fold, midstate, &words::<H, B>(&block)?)?);
    }
    run_midstates::<H, B>(fold, &secret)
}

/// The last block of a message that is one block and this many zeros.
fn padded<H: Hmac>(message: usize) -> Vec<u8> {
    let mut block = vec![0; message];
    block.push(0x80);
    block.resize(block_bytes::<H>() - 8, 0);
    block.extend((8 * (block_bytes::<H>() + message) as u64).to_be_bytes());
    block
}

/// HMAC's midstates for the constant that is the handshake secret's salt.
fn salt_midstates<H: Hmac>() -> [[H::Number; STATE_WORDS]; 2] {
    let salt = handshake_salt(H::FUNCTION);
    [INNER_PAD, OUTER_PAD].map(|pad| {
        let mut block = vec![pad; block_bytes::<H>()];
        block.iter_mut().zip(&salt).for_each(|(byte, salt)| *byte ^= salt);
        H::compress_public(initial::<H>(), &block)
    })
}

/// The digest of the outer hash, from its midstate and the wires of [`Midstate::expanded`].
pub(super) struct OuterHash(pub(super) HashFunction);

impl Folding<F2> for OuterHash {
    fn run<B: Ops<F2> + ?Sized>(
        &self,
        fold: &mut Fold<'_, B>,
        inputs: &[Folded<F2, B::Wire>],
    ) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
        match self.0 {
            HashFunction::Sha256 => run_outer::<Sha256, B>(fold, inputs),
            HashFunction::Sha384 => run_outer::<Sha384, B>(fold, inputs),
        }
    }
}

fn run_outer<H: Hmac, B: Ops<F2> + ?Sized>(
    fold: &mut Fold<'_, B>,
    inputs: &[Folded<F2, B::Wire>],
) -> Result<Vec<Folded<F2, B::Wire>>, B::Error> {
    let width = H::Number::WIDTH;
    let Some((midstate, public)) = inputs.split_at_checked(STATE_WORDS * width) else {
        return Err(Error::Misuse("an outer hash without its chaining value".into()).into());
    };
    // The words of the padding do not depend on the digest.
    let mut public = public.chunks_exact(width).map(|wires| H::Number::word(|i| wires[i].clone()));
    let words: Option<Vec<_>> = (0..H::ROUNDS)
        .zip(padding::<H>())
        .map(|(t, word)| if depends::<H>(t) { public.next() } else { Some(constant_word::<H, _>(word)) })
        .collect();
    let words = words.ok_or_else(|| Error::Misuse("an expanded block of too few words".into()))?;
    Ok(H::to_bits(&H::last(fold, H::to_words(midstate), words)?))
}

/// Computes [`Midstates`] for a known key.
pub(super) fn midstates(hash: HashFunction, key: &[F2]) -> Result<Vec<F2>, Error> {
    match hash {
        HashFunction::Sha256 => midstate_values::<Sha256>(key),
        HashFunction::Sha384 => midstate_values::<Sha384>(key),
    }
}

fn midstate_values<H: Hmac>(key: &[F2]) -> Result<Vec<F2>, Error> {
    let key = bits_to_bytes(key).map(Zeroizing::new);
    let key = key.ok_or_else(|| Error::Misuse("a key of other than whole bytes".into()))?;
    let mut states = Vec::with_capacity(2 * STATE_WORDS * H::Number::WIDTH);
    for pad in [INNER_PAD, OUTER_PAD] {
        let mut block = Zeroizing::new(vec![pad; block_bytes::<H>()]);
        block.iter_mut().zip(key.iter()).for_each(|(byte, key)| *byte ^= key);
        let way = if pad == INNER_PAD { H::opened_values } else { H::compress_values };
        states.extend(bits_of::<H>(&compressed_values::<H>(way, initial::<H>(), &block)?));
    }
    Ok(states)
}

/// The chaining value after a block, computed in this way.
fn compressed_values<H: Hmac>(
    way: impl FnOnce([H::Number; STATE_WORDS], &[H::Number]) -> Option<[H::Number; STATE_WORDS]>,
    state: [H::Number; STATE_WORDS],
    block: &[u8],
) -> Result<[H::Number; STATE_WORDS], Error> {
    let words = H::expand(block).map(Zeroizing::new);
    let state = words.and_then(|words| way(state, &words));
    state.ok_or_else(|| Error::Misuse("a block of another length".into()))
}

/// Computes [`HandshakeMidstates`] for what the key exchange gave.
pub(super) fn handshake_midstates(hash: HashFunction, shared: &[F2]) -> Result<Vec<F2>, Error> {
    match hash {
        HashFunction::Sha256 => handshake_values::<Sha256>(shared),
        HashFunction::Sha384 => handshake_values::<Sha384>(shared),
    }
}

fn handshake_values<H: Hmac>(shared: &[F2]) -> Result<Vec<F2>, Error> {
    let mut secret = Zeroizing::new(shared.to_vec());
    for midstate in salt_midstates::<H>() {
        let bytes = bits_to_bytes(&secret).map(Zeroizing::new);
        let bytes = bytes.ok_or_else(|| Error::Misuse("a secret of other than whole bytes".into()))?;
        let mut block = Zeroizing::new(padded::<H>(bytes.len()));
        block.iter_mut().zip(bytes.iter()).for_each(|(to, from)| *to = *from);
        let state = Zeroizing::new(compressed_values::<H>(H::compress_values, midstate, &block)?);
        *secret = bits_of::<H>(state.get(..H::DIGEST_WORDS).unwrap_or_default());
    }
    midstate_values::<H>(&secret)
}

/// Computes [`OuterHash`] for known inputs.
pub(super) fn outer_hash(hash: HashFunction, inputs: &[F2]) -> Result<Vec<F2>, Error> {
    match hash {
        HashFunction::Sha256 => outer_values::<Sha256>(inputs),
        HashFunction::Sha384 => outer_values::<Sha384>(inputs),
    }
}

fn outer_values<H: Hmac>(inputs: &[F2]) -> Result<Vec<F2>, Error> {
    let width = H::Number::WIDTH;
    let (midstate, public) = inputs.split_at_checked(STATE_WORDS * width).unwrap_or_default();
    let mut public = public.chunks_exact(width);
    let words: Vec<H::Number> = (0..H::ROUNDS)
        .zip(padding::<H>())
        .filter_map(|(t, word)| if depends::<H>(t) { public.next().map(number_of::<H>) } else { Some(word) })
        .collect();
    let state = numbers::<H>(midstate).and_then(|state| H::compress_values(state, &words));
    let state = state.ok_or_else(|| words_error(words.len()))?;
    Ok(bits_of::<H>(state.get(..H::DIGEST_WORDS).unwrap_or_default()))
}

/// The number on these bits, the lowest first.
fn number_of<H: Hmac>(bits: &[F2]) -> H::Number {
    H::number(bits.iter().rev().fold(0, |value, bit| value << 1 | u64::from(bit.to_u8())))
}

fn value<H: Hmac>(word: &WordOf<H, F2>) -> H::Number {
    number_of::<H>(word.as_ref())
}

/// The bits of words, in the order of a digest's bytes.
fn bits_of<H: Hmac>(words: &[H::Number]) -> Vec<F2> {
    let word = |word: &H::Number| {
        let word: u64 = (*word).into();
        H::Number::word(|i| F2::new(word >> i & 1 == 1))
    };
    H::to_bits(&words.iter().map(word).collect::<Vec<_>>())
}
