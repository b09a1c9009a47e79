//! The programs that the two parties run on bits that neither may see, and the machine that runs them.
//!
//! A [`Step`] is a program from bits to bits. The steps of a connection and their sizes are known before it
//! is opened, so a machine that garbles can prepare them all; later values enter as wires. [`TwoParty`] is
//! the interface of such a machine for the key derivation ([`prf`](crate::wire::prf)) and the record
//! protection ([`record`](crate::wire::record)). Both parties make the same calls, each on its own machine.
//! In the end the same calls are made once more on a machine that proves them. The calls depend only on
//! lengths, so a machine may make all calls of a connection ahead, with inputs that are given later.
//!
//! | step | inputs | outputs | ANDs |
//! |---|---|---|---|
//! | [`Step::PremasterKey`] | `s_P`, `s_V`: 2 x 256; the curve: 1 | midstates of HMAC: inner, outer | 43,529, 895 of them for the sum |
//! | [`Step::HandshakeKey`] | likewise, for TLS 1.3 | midstates of HMAC: inner, outer | 85,488 |
//! | [`Step::MasterKey`] | master secret: 384 | midstates of HMAC: inner, outer | 43,258 |
//! | [`Step::HashKey`] | a secret as long as a hash: 256 | midstates of HMAC: inner, outer | 42,634 |
//! | [`Step::OuterHash`] | outer midstate, expanded block | digest: 256 | 16,091 |
//! | [`Step::ExpandKey`] | AES-128 key: 128 | round keys: 1,408 | 1,280 |
//! | [`Step::Blocks`] | round keys, write IV: 32 | 128 a block | 5,120 the first, most others 4,256 |
//! | [`Step::XoredBlocks`] | round keys, write IV: 96 | 128 a block | as for [`Step::Blocks`]; records have less in common |
//! | [`Step::Powers`] | GCM's hash key: 128 | 128 for each odd power above the first | 2,187 for each |
//! | [`Step::Block`] | round keys, write IV, explicit nonce and counter: 80 | 128 | 5,120 |
//! | [`Step::XoredBlock`] | round keys, write IV: 96, number of the record and counter: 32 | 128 | 5,120 |
//! | [`Step::ChaChaBlocks`] | ChaCha20 key: 256, write IV: 96 | 512 a block, 256 for a one-time key | 457 for a record, at most 9,942 a block, 9,695 for a one-time key |
//! | [`Step::ChaChaBlock`] | ChaCha20 key, write IV, number of the record and counter: 32 | 512 | 10,400 |
//! | [`Step::Poly1305Share`] | `r` before clamping: 128, P's share: 130 | V's share: 130 | 259 |
//! | [`Step::Poly1305Check`] | `r` before clamping: 128, shares: 6 x 130 | 1 | 29,040 |
//! | [`Step::Poly1305Tag`] | shares: 2 x 130, `s`: 128 | 128 | 512 |
//!
//! Bits of strings are in the order of [`bytes_to_bits`]; those of numbers go from the lowest.

mod chacha;
mod count;
mod powers;
mod premaster;
mod sha256;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod xored;

#[cfg(test)]
pub(crate) use chacha::given_stream_bits;
pub(crate) use chacha::{
    IV_BITS as CHACHA_IV_BITS, KEY_BITS as CHACHA_KEY_BITS, ONE_TIME_KEY_BITS, STREAM_BLOCK_BITS, StreamBlock,
};
pub(crate) use count::{Cost, Counting, commitments_of_blocks};
pub(crate) use sha256::{BLOCK, WORDS, expanded_words};

use volery_circuit::gadgets::{
    Aes128, PlainByte, PowerShares, bytes_to_bits, poly1305_check, poly1305_share, poly1305_tag,
};
use volery_circuit::{Digest, Error, Evaluator, Ops};
use volery_field::F2;
use volery_garble::Function;

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

/// A block that AES encrypts for the record layer.
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

/// A program from bits to bits that both parties hold, and that contains none of their secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    not(test),
    allow(dead_code, reason = "both modes use it once they have more than one cipher suite")
)]
pub(crate) enum Step {
    /// The pre-master secret from its two shares, and the two midstates of HMAC-SHA256 with it as key. The
    /// last input, which both parties learn later, is one if the shares are of X25519 and zero if they are of
    /// P-256: the server chooses after everything is prepared.
    PremasterKey,
    /// The two midstates of HMAC-SHA256 whose key is TLS 1.3's handshake secret, from the two shares of what
    /// the key exchange gives. The inputs are those of [`Step::PremasterKey`].
    HandshakeKey,
    /// The two midstates of HMAC-SHA256 whose key is the master secret.
    MasterKey,
    /// The two midstates of HMAC-SHA256 whose key is as long as a hash.
    HashKey,
    /// One compression: the outer hash of an HMAC, from the outer midstate and the expanded block that both
    /// parties know (see [`expanded_words`]).
    OuterHash,
    /// AES-128's key expansion.
    ExpandKey,
    /// AES-128 of blocks with TLS 1.2's nonce, which are public apart from the write IV.
    Blocks(Vec<Plain>),
    /// AES-128 of blocks with TLS 1.3's nonce, which are public apart from the write IV.
    XoredBlocks(Vec<Plain>),
    /// AES-128 of one counter block. Both parties learn its explicit nonce (64 bits) and the lower half of
    /// its counter (16) later. This is for the server's records.
    Block,
    /// As [`Step::Block`] with TLS 1.3's nonce. Both parties learn the lower halves of the record's number
    /// (16) and of its counter (16) later.
    XoredBlock,
    /// The odd powers of GCM's hash key from the third to at most this one.
    Powers(usize),
    /// Blocks of ChaCha20, which are public apart from the write IV. Of block 0 of a record there is only its
    /// first half, Poly1305's key.
    ChaChaBlocks(Vec<StreamBlock>),
    /// ChaCha20's block of a record and a counter whose lower halves both parties learn later (16 bits each).
    /// This is for the server's records.
    ChaChaBlock,
    /// V's share of Poly1305's `r`, from P's.
    Poly1305Share,
    /// Whether powers of `r` that the parties made on shares are right: their shares of `-r`, of a
    /// combination of powers, and of that combination times `-r`, each P's first. See
    /// [`poly1305`](crate::wire::poly1305).
    Poly1305Check,
    /// Poly1305's tag from the shares of its polynomial's value, P's first, and `s`.
    Poly1305Tag,
}

/// Bits of a SHA-256 chaining value.
pub(crate) const DIGEST_BITS: usize = 256;
/// Bits of a master secret.
pub(crate) const MASTER_BITS: usize = 384;
/// Bits of an AES-128 key or block.
pub(crate) const BLOCK_BITS: usize = 128;
/// Bits of a write IV.
pub(crate) const IV_BITS: usize = 32;
/// Bits of a write IV in TLS 1.3.
pub(crate) const XORED_IV_BITS: usize = 96;
/// The bits of a counter block that are inputs of [`Step::Block`].
const GIVEN_BITS: usize = 80;
/// The bits of a counter block that are inputs of [`Step::XoredBlock`].
const GIVEN_XORED_BITS: usize = 32;
/// Bits of a share modulo Poly1305's prime.
pub(crate) const POLY1305_SHARE_BITS: usize = 130;
/// Bits of expanded round keys.
const ROUND_KEY_BITS: usize = 11 * BLOCK_BITS;

impl Step {
    /// The number of its input bits.
    #[must_use]
    pub(crate) const fn inputs(&self) -> usize {
        match self {
            Self::PremasterKey | Self::HandshakeKey => 2 * DIGEST_BITS + 1,
            Self::MasterKey => MASTER_BITS,
            Self::HashKey => DIGEST_BITS,
            Self::OuterHash => DIGEST_BITS + sha256::PUBLIC_BITS,
            Self::ExpandKey | Self::Powers(_) => BLOCK_BITS,
            Self::Blocks(_) => ROUND_KEY_BITS + IV_BITS,
            Self::XoredBlocks(_) => ROUND_KEY_BITS + XORED_IV_BITS,
            Self::Block => ROUND_KEY_BITS + IV_BITS + GIVEN_BITS,
            Self::XoredBlock => ROUND_KEY_BITS + XORED_IV_BITS + GIVEN_XORED_BITS,
            Self::ChaChaBlocks(_) => CHACHA_KEY_BITS + CHACHA_IV_BITS,
            Self::ChaChaBlock => CHACHA_KEY_BITS + CHACHA_IV_BITS + chacha::GIVEN_BITS,
            Self::Poly1305Share => BLOCK_BITS + POLY1305_SHARE_BITS,
            Self::Poly1305Check => BLOCK_BITS + 6 * POLY1305_SHARE_BITS,
            Self::Poly1305Tag => 2 * POLY1305_SHARE_BITS + BLOCK_BITS,
        }
    }

    /// The number of its output bits.
    #[must_use]
    pub(crate) fn outputs(&self) -> usize {
        match self {
            Self::PremasterKey | Self::HandshakeKey | Self::MasterKey | Self::HashKey => 2 * DIGEST_BITS,
            Self::OuterHash => DIGEST_BITS,
            Self::ExpandKey => ROUND_KEY_BITS,
            Self::Blocks(blocks) | Self::XoredBlocks(blocks) => BLOCK_BITS * blocks.len(),
            Self::Block | Self::XoredBlock => BLOCK_BITS,
            Self::Powers(greatest) => BLOCK_BITS * powers::odd(*greatest),
            Self::ChaChaBlocks(blocks) => chacha::outputs(blocks),
            Self::ChaChaBlock => STREAM_BLOCK_BITS,
            Self::Poly1305Share => POLY1305_SHARE_BITS,
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
            Self::PremasterKey => b"tls: premaster key v2",
            Self::HandshakeKey => b"tls: handshake key v1",
            Self::MasterKey => b"tls: master key v1",
            Self::HashKey => b"tls: hash key v1",
            Self::OuterHash => b"tls: outer hash v1",
            Self::ExpandKey => b"tls: expand key v1",
            Self::Blocks(_) => b"tls: blocks v1",
            Self::XoredBlocks(_) => b"tls: xored blocks v1",
            Self::Block => b"tls: block v1",
            Self::XoredBlock => b"tls: xored block v1",
            Self::Powers(_) => b"tls: powers v1",
            Self::ChaChaBlocks(_) => b"tls: chacha20 blocks v1",
            Self::ChaChaBlock => b"tls: chacha20 block v1",
            Self::Poly1305Share => b"tls: poly1305 share v1",
            Self::Poly1305Check => b"tls: poly1305 check v1",
            Self::Poly1305Tag => b"tls: poly1305 tag v1",
        };
        digest.bytes("function", name);
        if let Self::Powers(greatest) = self {
            digest.number("greatest", *greatest as u64);
        }
        if let Self::ChaChaBlocks(blocks) = self {
            digest.number("blocks", blocks.len() as u64);
            for StreamBlock { sequence, counter } in blocks {
                digest.number("sequence", *sequence).number("counter", u64::from(*counter));
            }
        }
        let (Self::Blocks(blocks) | Self::XoredBlocks(blocks)) = self else { return };
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
            Self::PremasterKey => {
                let secret = premaster(b, inputs)?;
                b.folding(&sha256::Midstates, &secret)
            }
            Self::HandshakeKey => {
                let shared = premaster(b, inputs)?;
                b.folding(&sha256::HandshakeMidstates, &shared)
            }
            Self::MasterKey | Self::HashKey => b.folding(&sha256::Midstates, inputs),
            Self::OuterHash => b.folding(&sha256::OuterHash, inputs),
            Self::ExpandKey => Ok(Aes128::new(b, inputs)?.round_keys()),
            Self::Blocks(blocks) => {
                let (keys, iv) = inputs.split_at(ROUND_KEY_BITS);
                let (iv, _) = iv.as_chunks::<8>();
                let blocks: Vec<_> = blocks.iter().map(plain_bytes).collect();
                Ok(Aes128::from_round_keys(keys)?.encrypt_many(b, iv, &blocks)?.concat())
            }
            Self::XoredBlocks(blocks) => {
                let (keys, iv) = inputs.split_at(ROUND_KEY_BITS);
                let (iv, blocks) = xored::blocks(b, iv, blocks);
                Ok(Aes128::from_round_keys(keys)?.encrypt_many(b, &iv, &blocks)?.concat())
            }
            Self::Block => {
                let (keys, bytes) = inputs.split_at(ROUND_KEY_BITS);
                let (bytes, _) = bytes.as_chunks::<8>();
                Ok(Aes128::from_round_keys(keys)?.encrypt_many(b, bytes, &[GIVEN_BLOCK])?.concat())
            }
            Self::XoredBlock => {
                let (keys, bytes) = inputs.split_at(ROUND_KEY_BITS);
                let (bytes, block) = xored::given_block(b, bytes);
                Ok(Aes128::from_round_keys(keys)?.encrypt_many(b, &bytes, &[block])?.concat())
            }
            Self::Powers(greatest) => powers::odd_powers(b, inputs, *greatest),
            Self::ChaChaBlocks(blocks) => chacha::blocks(b, inputs, blocks),
            Self::ChaChaBlock => chacha::given_block(b, inputs),
            Self::Poly1305Share => {
                let (r, mask) = inputs.split_at(BLOCK_BITS);
                poly1305_share(b, r, mask)
            }
            Self::Poly1305Check => {
                let (r, shares) = inputs.split_at(BLOCK_BITS);
                let [p_first, v_first, p_sum, v_sum, p_next, v_next] =
                    chacha::parts(shares, POLY1305_SHARE_BITS)?;
                let shares = PowerShares {
                    negated_first: [p_first, v_first],
                    sum: [p_sum, v_sum],
                    negated_next: [p_next, v_next],
                };
                Ok(vec![poly1305_check(b, r, shares)?])
            }
            Self::Poly1305Tag => {
                let (shares, s) = inputs.split_at(2 * POLY1305_SHARE_BITS);
                poly1305_tag(b, chacha::parts(shares, POLY1305_SHARE_BITS)?, s)
            }
        }
    }

    /// Steps that are mostly SHA-256 compute it on words.
    fn values(&self, inputs: &[F2]) -> Result<Vec<F2>, Error> {
        self.check(inputs.len())?;
        match self {
            Self::PremasterKey => sha256::midstates(&premaster(&mut Evaluator::new(), inputs)?),
            Self::HandshakeKey => sha256::handshake_midstates(&premaster(&mut Evaluator::new(), inputs)?),
            Self::MasterKey | Self::HashKey => sha256::midstates(inputs),
            Self::OuterHash => sha256::outer_hash(inputs),
            _ => self.run(&mut Evaluator::new(), inputs),
        }
    }
}

/// What the key exchange gives, from the inputs of [`Step::PremasterKey`] or [`Step::HandshakeKey`], whose
/// number must be right.
fn premaster<B: Ops<F2> + ?Sized>(b: &mut B, inputs: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    let (p, rest) = inputs.split_at(DIGEST_BITS);
    let (v, curve) = rest.split_at(DIGEST_BITS);
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
