//! The programs that the two parties run on bits that neither may see, and the machine that runs them.
//!
//! A [`Step`] is a program from bits to bits. The steps of a connection and their sizes are known before it
//! is opened, so a machine that garbles can prepare them all; later values enter as wires. [`TwoParty`] is
//! the interface of such a machine for the key derivation ([`prf`](crate::wire::prf)) and the record
//! protection ([`record`](crate::wire::record)). Both parties make the same calls, each on its own machine.
//! In the end the same calls are made once more on a machine that proves them. The calls depend only on
//! lengths, so a machine may make all calls of a connection ahead, with inputs that are given later.
//!
//! The ANDs are those with SHA-256 and AES-128, then those with SHA-384 and AES-256.
//!
//! | step | inputs | outputs | ANDs |
//! |---|---|---|---|
//! | [`Step::PremasterKey`] | `s_P`, `s_V`: 2 x 256; the curve: 1 | midstates of HMAC: inner, outer | 43,529; 109,394; 895 of them for the sum |
//! | [`Step::HandshakeKey`] | likewise, for TLS 1.3 | midstates of HMAC: inner, outer | 85,488; 218,601 |
//! | [`Step::MasterKey`] | master secret: 384 | midstates of HMAC: inner, outer | 43,258; 109,240 |
//! | [`Step::HashKey`] | a secret as long as a hash: 256; 384 | midstates of HMAC: inner, outer | 42,634; 109,240 |
//! | [`Step::OuterHash`] | outer midstate, expanded block | digest: 256; 384 | 16,091; 40,660 |
//! | [`Step::ExpandKey`] | AES key: 128; 256 | round keys: 1,408; 1,920 | 1,280; 1,664 |
//! | [`Step::Blocks`] | round keys, write IV: 32 | 128 a block | 5,120 the first, most others 4,256; 7,168, 6,304 |
//! | [`Step::XoredBlocks`] | round keys, write IV: 96 | 128 a block | as for [`Step::Blocks`]; records have less in common |
//! | [`Step::ChaCha20`] | key: 256, write IV: 96 | 512 a block, 256 for counter 0 | 457 for a record, at most 9,942 a block, 9,695 for counter 0 |
//! | [`Step::BlindedKey`] | GCM's hash key: 128, P's and V's 3 x 128 | the check's answer: 1, the hidden key: 128 | 4,757; 2,001 |
//! | [`Step::Block`] | round keys, write IV, explicit nonce and counter: 80 | 128 | 5,120; 7,168 |
//! | [`Step::XoredBlock`] | round keys, write IV: 96, number of the record and counter: 32 | 128 | 5,120; 7,168 |
//! | [`Step::ChaChaBlock`] | key: 256, write IV: 96, number of the record and counter: 32 | 512 | 10,400 |
//! | [`Step::Poly1305Check`] | numbers: 2 x 130 of P's, 2 x 130 of V's | 1 | 259 |
//! | [`Step::Poly1305Tag`] | shares: 2 x 130, `s`: 128 | 128 | 512 |
//!
//! Bits of strings are in the order of [`bytes_to_bits`]; those of numbers go from the lowest.

mod chacha20;
mod count;
mod hash_key;
mod poly1305;
mod premaster;
mod product;
mod sha2;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod xored;

pub(crate) use chacha20::given_stream_bits;
pub(crate) use count::{Cost, Counting, commitments_of_blocks};
pub(crate) use sha2::Midstate;

use volery_circuit::gadgets::{Aes, Aes128, Aes256, PlainByte, bytes_to_bits};
use volery_circuit::{Digest, Error, Evaluator, Ops};
use volery_field::F2;
use volery_garble::Function;

use crate::wire::hash::HashFunction;
use crate::wire::suite::{Aead, KeySize, NONCE_BYTES};

/// A machine on which two parties compute on bits that neither sees.
///
/// Wires persist between calls. Both parties make the same calls in the same order, and get back the bits
/// that each method describes.
pub(crate) trait TwoParty {
    /// A bit that nobody sees.
    type Wire: Clone;
    /// Why a call failed.
    type Error: From<crate::Error>;

    /// Wires with bits that both parties know, but did not know when the steps were prepared.
    ///
    /// # Errors
    /// The machine's.
    fn public(&mut self, bits: &[F2]) -> Result<Vec<Self::Wire>, Self::Error>;

    /// The outputs of `step`.
    ///
    /// # Errors
    /// The machine's; the step's, if the number of inputs is not [`Step::inputs`].
    fn call(&mut self, step: &Step, inputs: &[Self::Wire]) -> Result<Vec<Self::Wire>, Self::Error>;

    /// The values of `wires`, which both parties learn.
    ///
    /// # Errors
    /// The machine's.
    fn open(&mut self, wires: &[Self::Wire]) -> Result<Vec<F2>, Self::Error>;

    /// This party's shares of the values of `wires`: random bits that add up to the value with the other
    /// party's. P is committed to its own.
    ///
    /// # Errors
    /// The machine's.
    fn share(&mut self, wires: &[Self::Wire]) -> Result<Vec<F2>, Self::Error>;
}

/// A block that AES encrypts, or ChaCha20 makes, for the record layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Plain {
    /// All zeros: its ciphertext is GCM's hash key.
    Zero,
    /// A counter block of GCM: nonce, counter. Counter 1 masks the tag, and those from 2 on encrypt. The
    /// nonce is TLS 1.2's (RFC 5288, section 3), write IV and explicit nonce, or TLS 1.3's (RFC 8446,
    /// section 5.3), write IV plus sequence number; the step says which.
    Counter {
        /// The explicit nonce, or the record's sequence number.
        sequence: u64,
        /// The last four bytes.
        counter: u32,
    },
}

impl Plain {
    /// The bits that its block has: of AES's, or of ChaCha20's key stream, or of a one-time key.
    pub(crate) const fn bits(&self, aead: Aead) -> usize {
        match (aead, self) {
            (Aead::ChaCha20Poly1305, Self::Counter { counter: 0, .. }) => ONE_TIME_KEY_BITS,
            _ => 8 * aead.block_bytes(),
        }
    }
}

/// A program from bits to bits that both parties hold, and that contains none of their secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The pre-master secret from its two shares, and the two midstates of HMAC with it as key. The inner
    /// one, which is opened, may have another form ([`Midstate::from_bits`]). The last input, which both
    /// parties learn later, is one if the shares are of X25519 and zero if they are of P-256: the server
    /// chooses after everything is prepared.
    PremasterKey(HashFunction),
    /// The two midstates of HMAC whose key is TLS 1.3's handshake secret, from the two shares of what the key
    /// exchange gives. The inputs are those of [`Step::PremasterKey`].
    HandshakeKey(HashFunction),
    /// The two midstates of HMAC whose key is the master secret.
    MasterKey(HashFunction),
    /// The two midstates of HMAC whose key is as long as a hash.
    HashKey(HashFunction),
    /// One compression: the outer hash of an HMAC, from the outer midstate and the expanded block that both
    /// parties know (see [`Midstate::expanded`]).
    OuterHash(HashFunction),
    /// AES's key expansion.
    ExpandKey(KeySize),
    /// AES of blocks with TLS 1.2's nonce, which are public apart from the write IV.
    Blocks(KeySize, Vec<Plain>),
    /// AES of blocks with TLS 1.3's nonce, which are public apart from the write IV.
    XoredBlocks(KeySize, Vec<Plain>),
    /// AES of one counter block. Both parties learn its explicit nonce (64 bits) and the lower half of its
    /// counter (16) later. This is for the server's records.
    Block(KeySize),
    /// As [`Step::Block`] with TLS 1.3's nonce. Both parties learn the lower halves of the record's number
    /// (16) and of its counter (16) later.
    XoredBlock(KeySize),
    /// GCM's hash key plus `g`, and before it whether `g` is fit for that and its powers are right; if not,
    /// zeros in the place of the key. After the hash key come P's factor of `g`, and its shares of the sum of
    /// all odd powers but the last and of the sum of all; then V's. See [`ghash`](crate::wire::ghash). The
    /// size is that of the key under which the hash key is made; it decides how elements are multiplied.
    BlindedKey(KeySize),
    /// Blocks of ChaCha20, whose nonces are the write IV plus the record's number. Of the block with counter
    /// 0 only the first half, which is the one-time key of the record's tag.
    ChaCha20(Vec<Plain>),
    /// ChaCha20's block of a record and a counter whose lower halves both parties learn later (16 bits each).
    /// This is for the server's records.
    ChaChaBlock,
    /// Whether powers of Poly1305's `r` that the parties made on shares are right: whether two numbers of P's
    /// are two of V's. See [`poly1305`](crate::wire::poly1305).
    Poly1305Check,
    /// Poly1305's tag from the shares of its polynomial's value, P's first, and `s`.
    Poly1305Tag,
}

/// Bits of a share of what the key exchange gives.
pub(crate) const SHARE_BITS: usize = 256;
/// Bits of a master secret.
pub(crate) const MASTER_BITS: usize = 384;
/// Bits of an AES block.
pub(crate) const BLOCK_BITS: usize = 128;
/// Bits of Poly1305's one-time key: `r` before it is clamped, and `s`.
pub(crate) const ONE_TIME_KEY_BITS: usize = 256;
/// Bits of a key of ChaCha20.
const CHACHA20_KEY_BITS: usize = 256;
/// Bits of a write IV.
pub(crate) const IV_BITS: usize = 32;
/// Bits of a write IV in TLS 1.3.
pub(crate) const XORED_IV_BITS: usize = 8 * NONCE_BYTES;
/// The bits of a counter block that are inputs of [`Step::Block`].
const GIVEN_BITS: usize = 80;
/// The bits of a block that are inputs of [`Step::XoredBlock`] or [`Step::ChaChaBlock`].
const GIVEN_XORED_BITS: usize = 32;
/// Bits of a share modulo Poly1305's prime.
pub(crate) const POLY1305_SHARE_BITS: usize = 130;

impl Step {
    /// The number of its input bits.
    #[must_use]
    pub(crate) const fn inputs(&self) -> usize {
        match self {
            Self::PremasterKey(_) | Self::HandshakeKey(_) => 2 * SHARE_BITS + 1,
            Self::MasterKey(_) => MASTER_BITS,
            Self::HashKey(hash) => hash.digest_bits(),
            Self::OuterHash(hash) => hash.state_bits() + sha2::public_bits(*hash),
            Self::ExpandKey(size) => size.bits(),
            Self::BlindedKey(_) => 7 * BLOCK_BITS,
            Self::Blocks(size, _) => size.round_key_bits() + IV_BITS,
            Self::XoredBlocks(size, _) => size.round_key_bits() + XORED_IV_BITS,
            Self::Block(size) => size.round_key_bits() + IV_BITS + GIVEN_BITS,
            Self::XoredBlock(size) => size.round_key_bits() + XORED_IV_BITS + GIVEN_XORED_BITS,
            Self::ChaCha20(_) => CHACHA20_KEY_BITS + XORED_IV_BITS,
            Self::ChaChaBlock => CHACHA20_KEY_BITS + XORED_IV_BITS + GIVEN_XORED_BITS,
            Self::Poly1305Check => 4 * POLY1305_SHARE_BITS,
            Self::Poly1305Tag => 2 * POLY1305_SHARE_BITS + BLOCK_BITS,
        }
    }

    /// The number of its output bits.
    #[must_use]
    pub(crate) fn outputs(&self) -> usize {
        match self {
            Self::PremasterKey(hash)
            | Self::HandshakeKey(hash)
            | Self::MasterKey(hash)
            | Self::HashKey(hash) => 2 * hash.state_bits(),
            Self::OuterHash(hash) => hash.digest_bits(),
            Self::ExpandKey(size) => size.round_key_bits(),
            Self::Blocks(_, blocks) | Self::XoredBlocks(_, blocks) => BLOCK_BITS * blocks.len(),
            Self::Block(_) | Self::XoredBlock(_) => BLOCK_BITS,
            Self::BlindedKey(_) => 1 + BLOCK_BITS,
            Self::ChaCha20(blocks) => blocks.iter().map(|block| block.bits(Aead::ChaCha20Poly1305)).sum(),
            Self::ChaChaBlock => 8 * Aead::ChaCha20Poly1305.block_bytes(),
            Self::Poly1305Check => 1,
            Self::Poly1305Tag => BLOCK_BITS,
        }
    }

    fn check(&self, inputs: usize) -> Result<(), Error> {
        if inputs == self.inputs() {
            return Ok(());
        }
        Err(Error::Misuse(format!("{inputs} input bits for a step that takes {}", self.inputs())))
    }
}

impl Function for Step {
    fn identify(&self, digest: &mut Digest) {
        let name: &[u8] = match self {
            Self::PremasterKey(_) => b"tls: premaster key v4",
            Self::HandshakeKey(_) => b"tls: handshake key v3",
            Self::MasterKey(_) => b"tls: master key v3",
            Self::HashKey(_) => b"tls: hash key v3",
            Self::OuterHash(_) => b"tls: outer hash v2",
            Self::ExpandKey(_) => b"tls: expand key v2",
            Self::Blocks(..) => b"tls: blocks v2",
            Self::XoredBlocks(..) => b"tls: xored blocks v2",
            Self::Block(_) => b"tls: block v2",
            Self::XoredBlock(_) => b"tls: xored block v2",
            Self::BlindedKey(_) => b"tls: blinded key v2",
            Self::ChaCha20(_) => b"tls: chacha20 v1",
            Self::ChaChaBlock => b"tls: chacha20 block v1",
            Self::Poly1305Check => b"tls: poly1305 check v2",
            Self::Poly1305Tag => b"tls: poly1305 tag v1",
        };
        digest.bytes("function", name);
        match self {
            Self::PremasterKey(hash)
            | Self::HandshakeKey(hash)
            | Self::MasterKey(hash)
            | Self::HashKey(hash)
            | Self::OuterHash(hash) => digest.number("hash's bits", hash.digest_bits() as u64),
            Self::ExpandKey(size)
            | Self::Blocks(size, _)
            | Self::XoredBlocks(size, _)
            | Self::Block(size)
            | Self::XoredBlock(size)
            | Self::BlindedKey(size) => digest.number("key's bits", size.bits() as u64),
            Self::ChaCha20(_) | Self::ChaChaBlock | Self::Poly1305Check | Self::Poly1305Tag => &mut *digest,
        };
        let (Self::Blocks(_, blocks) | Self::XoredBlocks(_, blocks) | Self::ChaCha20(blocks)) = self else {
            return;
        };
        digest.number("blocks", blocks.len() as u64);
        for block in blocks {
            match block {
                Plain::Zero => digest.bytes("zero", &[]),
                Plain::Counter { sequence, counter } => {
                    digest.number("sequence", *sequence).number("counter", u64::from(*counter))
                }
            };
        }
    }

    fn run<B: Ops<F2> + ?Sized>(&self, b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
        self.check(inputs.len())?;
        match self {
            Self::PremasterKey(hash) => {
                let secret = premaster(b, inputs)?;
                b.folding(&sha2::Midstates(*hash), &secret)
            }
            Self::HandshakeKey(hash) => {
                let shared = premaster(b, inputs)?;
                b.folding(&sha2::HandshakeMidstates(*hash), &shared)
            }
            Self::MasterKey(hash) | Self::HashKey(hash) => b.folding(&sha2::Midstates(*hash), inputs),
            Self::OuterHash(hash) => b.folding(&sha2::OuterHash(*hash), inputs),
            Self::ExpandKey(KeySize::Bits128) => Ok(Aes128::new(b, inputs)?.round_keys()),
            Self::ExpandKey(KeySize::Bits256) => Ok(Aes256::new(b, inputs)?.round_keys()),
            Self::Blocks(size, blocks) => {
                let (keys, iv) = inputs.split_at(size.round_key_bits());
                let (iv, _) = iv.as_chunks::<8>();
                let blocks: Vec<_> = blocks.iter().map(plain_bytes).collect();
                encrypt(*size, b, keys, iv, &blocks)
            }
            Self::XoredBlocks(size, blocks) => {
                let (keys, iv) = inputs.split_at(size.round_key_bits());
                let (iv, blocks) = xored::blocks(b, iv, blocks);
                encrypt(*size, b, keys, &iv, &blocks)
            }
            Self::Block(size) => {
                let (keys, bytes) = inputs.split_at(size.round_key_bits());
                let (bytes, _) = bytes.as_chunks::<8>();
                encrypt(*size, b, keys, bytes, &[GIVEN_BLOCK])
            }
            Self::XoredBlock(size) => {
                let (keys, bytes) = inputs.split_at(size.round_key_bits());
                let (bytes, block) = xored::given_block(b, bytes);
                encrypt(*size, b, keys, &bytes, &[block])
            }
            Self::BlindedKey(size) => hash_key::blinded(b, *size, inputs),
            Self::ChaCha20(blocks) => {
                let (key, iv) = inputs.split_at(CHACHA20_KEY_BITS);
                chacha20::blocks(b, key, iv, blocks)
            }
            Self::ChaChaBlock => {
                let (key, rest) = inputs.split_at(CHACHA20_KEY_BITS);
                let (iv, given) = rest.split_at(XORED_IV_BITS);
                chacha20::given_block(b, key, iv, given)
            }
            Self::Poly1305Check => poly1305::check(b, inputs),
            Self::Poly1305Tag => poly1305::tag(b, inputs),
        }
    }

    /// Steps that are mostly SHA-2 compute it on words.
    fn values(&self, inputs: &[F2]) -> Result<Vec<F2>, Error> {
        self.check(inputs.len())?;
        match self {
            Self::PremasterKey(hash) => sha2::midstates(*hash, &premaster(&mut Evaluator::new(), inputs)?),
            Self::HandshakeKey(hash) => {
                sha2::handshake_midstates(*hash, &premaster(&mut Evaluator::new(), inputs)?)
            }
            Self::MasterKey(hash) | Self::HashKey(hash) => sha2::midstates(*hash, inputs),
            Self::OuterHash(hash) => sha2::outer_hash(*hash, inputs),
            _ => self.run(&mut Evaluator::new(), inputs),
        }
    }
}

/// AES of these blocks under these round keys.
fn encrypt<B: Ops<F2> + ?Sized>(
    size: KeySize,
    b: &mut B,
    keys: &[B::Wire],
    secret: &[[B::Wire; 8]],
    blocks: &[[PlainByte; 16]],
) -> Result<Vec<B::Wire>, B::Error> {
    fn under<B: Ops<F2> + ?Sized, const BITS: usize>(
        b: &mut B,
        keys: &[B::Wire],
        secret: &[[B::Wire; 8]],
        blocks: &[[PlainByte; 16]],
    ) -> Result<Vec<B::Wire>, B::Error> {
        Ok(Aes::<_, BITS>::from_round_keys(keys)?.encrypt_many(b, secret, blocks)?.concat())
    }
    match size {
        KeySize::Bits128 => under::<B, 128>(b, keys, secret, blocks),
        KeySize::Bits256 => under::<B, 256>(b, keys, secret, blocks),
    }
}

/// What the key exchange gives, from the inputs of [`Step::PremasterKey`] or [`Step::HandshakeKey`], whose
/// number must be right.
fn premaster<B: Ops<F2> + ?Sized>(b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    let (p, rest) = inputs.split_at(SHARE_BITS);
    let (v, curve) = rest.split_at(SHARE_BITS);
    premaster::secret(b, p, v, &curve[0])
}

/// A counter block of [`Step::Block`]: the write IV, the explicit nonce, two zeros (no record has 2^16
/// blocks), the counter's lower half.
const GIVEN_BLOCK: [PlainByte; 16] = {
    let mut block = [PlainByte::Public(0); 16];
    let mut byte = 0;
    while byte < 12 {
        block[byte] = PlainByte::Secret(byte);
        byte += 1;
    }
    block[14] = PlainByte::Secret(12);
    block[15] = PlainByte::Secret(13);
    block
};

/// The bits of a counter block that are inputs of [`Step::Block`].
pub(crate) fn given_bits(explicit_nonce: [u8; 8], counter: u16) -> Vec<F2> {
    bytes_to_bits(&[&explicit_nonce[..], &counter.to_be_bytes()].concat())
}

/// The bits of a counter block that are inputs of [`Step::XoredBlock`].
pub(crate) fn given_xored_bits(sequence: u16, counter: u16) -> Vec<F2> {
    bytes_to_bits(&[sequence.to_be_bytes(), counter.to_be_bytes()].concat())
}

/// A block's bytes. The secret ones are those of the write IV.
fn plain_bytes(block: &Plain) -> [PlainByte; 16] {
    let Plain::Counter { sequence, counter } = block else { return [PlainByte::Public(0); 16] };
    let public = (u128::from(*sequence) << 32 | u128::from(*counter)).to_be_bytes();
    core::array::from_fn(|i| if i < 4 { PlainByte::Secret(i) } else { PlainByte::Public(public[i]) })
}
