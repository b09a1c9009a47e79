//! Statements with any number of gates, for benchmarks and load tests.
//!
//! Their witnesses are fixed and public, so they prove nothing worth knowing, but computation and
//! communication are the same as for real ones. Each asserts its result against values that are computed in
//! the clear when it is made.

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use sha2::Digest as _;
use volery_field::F2;
use zeroize::Zeroizing;

use super::{Secret, assert_bytes};
use crate::gadgets::{Aes128, Hasher, Sha256};
use crate::{Digest, Error, Prove, Statement};

/// The bytes `first, first + 1, ...`: the public witnesses.
fn witness(first: u8, length: u8) -> Vec<u8> {
    (0..length).map(|i| first.wrapping_add(i)).collect()
}

/// "I know a block of 64 bytes which, repeated `blocks` times, has this SHA-256 digest."
///
/// 512 secret wires; one SHA-256 compression for each block and one for the padding.
#[derive(Debug)]
pub struct Sha256Chain {
    blocks: u64,
    pub(super) digest: [u8; 32],
    block: Secret,
}

impl Sha256Chain {
    /// A chain of `blocks` blocks (and one of padding).
    ///
    /// # Errors
    /// [`Error::Public`] for 2^55 blocks or more, which is beyond SHA-256's limit.
    pub fn new(blocks: u64) -> Result<Self, Error> {
        Self::numbered(blocks, 0)
    }

    /// One of many different chains, for disjunctions. Number 0 is the chain of [`Sha256Chain::new`].
    ///
    /// # Errors
    /// As [`Sha256Chain::new`].
    pub fn numbered(blocks: u64, number: u8) -> Result<Self, Error> {
        if blocks >= 1 << 55 {
            return Err(Error::Public(format!("sha256 does not take {blocks} blocks of 64 bytes")));
        }
        let block = witness(1_u8.wrapping_add(number), 64);
        let mut hasher = sha2::Sha256::new();
        for _ in 0..blocks {
            hasher.update(&block);
        }
        Ok(Self { blocks, digest: hasher.finalize().into(), block: Secret(Some(Zeroizing::new(block))) })
    }
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Sha256Chain {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"benchmark: sha256 chain v1");
        digest.number("blocks", self.blocks).bytes("digest", &self.digest);
    }

    fn commitments(&self) -> Option<u64> {
        // At most 22,271 ANDs for each block, including the padding.
        self.blocks.checked_add(1)?.checked_mul(22_271)?.checked_add(512)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("sha256");
        let block = self.block.wires(backend, 0, 64)?;
        let mut hasher = Hasher::<Sha256, B::Wire>::new();
        for _ in 0..self.blocks {
            hasher.update(backend, &block)?;
        }
        let digest = hasher.finish(backend)?;
        assert_bytes(backend, &digest, &self.digest)?;
        backend.leave();
        Ok(())
    }
}

/// "I know a key under which AES-128 encrypts the numbers 0 to `blocks - 1` (16 bytes, little-endian) to the
/// right ciphertexts": `1280 + 5120 blocks` ANDs.
#[derive(Debug)]
pub struct Aes128Many {
    blocks: u64,
    cipher: KnownCipher,
    key: Secret,
}

/// AES-128 under the public key, in the clear. It computes each ciphertext when it is needed.
struct KnownCipher(aes::Aes128);

impl core::fmt::Debug for KnownCipher {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("KnownCipher")
    }
}

impl KnownCipher {
    fn encrypt(&self, plaintext: [u8; 16]) -> [u8; 16] {
        let mut block = plaintext.into();
        self.0.encrypt_block(&mut block);
        block.into()
    }
}

impl Aes128Many {
    /// `blocks` blocks under one key.
    #[must_use]
    pub fn new(blocks: u64) -> Self {
        let key: [u8; 16] = core::array::from_fn(|i| i as u8 + 1);
        let cipher = KnownCipher(aes::Aes128::new(&key.into()));
        Self { blocks, cipher, key: Secret(Some(Zeroizing::new(key.to_vec()))) }
    }
}

impl<B: Prove<F2> + ?Sized> Statement<B> for Aes128Many {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"benchmark: aes128 many v1").number("blocks", self.blocks);
    }

    fn commitments(&self) -> Option<u64> {
        // Eight for each S-box, 160 in a block and 40 in the key's schedule.
        self.blocks.checked_mul(1280)?.checked_add(320 + 128)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("aes128");
        let key = self.key.wires(backend, 0, 16)?;
        let schedule = Aes128::new(backend, &key)?;
        for block in 0..self.blocks {
            let plaintext = u128::from(block).to_le_bytes();
            let ciphertext = schedule.encrypt_public(backend, plaintext)?;
            assert_bytes(backend, &ciphertext, &self.cipher.encrypt(plaintext))?;
        }
        backend.leave();
        Ok(())
    }
}

/// "I know a start from which a chain of exactly `ands` ANDs, with one XOR each, ends in this state."
///
/// The state is two words `x, y` of 64 wires. A step replaces `y` by `x`, and `x` by `y + (x <<< 1)(x <<< 8)`
/// (bit by bit). This is a Feistel network, so the state loses no information, however long the chain is. It
/// is SIMON's round function without the third term and the key. The last step does only the remaining ANDs.
#[derive(Debug)]
pub struct AndChain {
    ands: u64,
    pub(super) end: [u64; 2],
    start: Secret,
}

/// Wires of a word of [`AndChain`].
const WIDTH: usize = 64;

impl AndChain {
    /// A chain of `ands` ANDs.
    #[must_use]
    pub fn new(ands: u64) -> Self {
        let start = witness(0x3b, 16);
        let mut halves = start.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
        let mut state = [halves.next().unwrap_or(0), halves.next().unwrap_or(0)];
        let mut left = ands;
        while left > 0 {
            let active = if left < WIDTH as u64 { (1 << left) - 1 } else { u64::MAX };
            let [x, y] = state;
            state = [y ^ x.rotate_left(1) & x.rotate_left(8) & active, x];
            left = left.saturating_sub(WIDTH as u64);
        }
        Self { ands, end: state, start: Secret(Some(Zeroizing::new(start))) }
    }
}

impl<B: Prove<F2> + ?Sized> Statement<B> for AndChain {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"benchmark: and chain v1").number("ands", self.ands);
    }

    fn commitments(&self) -> Option<u64> {
        self.ands.checked_add(2 * WIDTH as u64)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        backend.enter("chain");
        let mut x = self.start.wires(backend, 0, 16)?;
        let mut y = x.split_off(WIDTH);
        let mut left = self.ands;
        while left > 0 {
            let active = left.min(WIDTH as u64) as usize;
            step(backend, &x, &mut y[..active])?;
            core::mem::swap(&mut x, &mut y);
            left -= active as u64;
        }
        x.append(&mut y);
        let end: Vec<u8> = self.end.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_bytes(backend, &x, &end)?;
        backend.leave();
        Ok(())
    }
}

/// `y[i] += x[i-1] x[i-8]` for the wires in `y`.
fn step<B: Prove<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &mut [B::Wire]) -> Result<(), B::Error> {
    for (i, y) in y.iter_mut().enumerate() {
        let product = b.mul(&x[(i + WIDTH - 1) % WIDTH], &x[(i + WIDTH - 8) % WIDTH])?;
        *y = b.add(y, &product);
    }
    Ok(())
}
