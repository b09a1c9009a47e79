//! The pseudorandom generator: AES-128 in counter mode, one stream for each seed.

use rand_core::CryptoRng;
use volery_field::{Element, Gf128, Wipe as _};
use zeroize::Zeroizing;

use crate::aes::{self, Aes, Keys};
use crate::hash::Oracle;
use crate::softspoken::combine_leaves;
use crate::transcript::SessionId;

/// The stream `AES_seed(salt || 0), AES_seed(salt || 1), ...`, up to 2^64 blocks; wiped on drop. The salt is
/// zero unless one is given.
///
/// Two parties with the same seed read the same stream if they make the same calls: each call starts at a
/// fresh block.
pub struct Prg {
    aes: Aes,
    salt: u64,
    next: u64,
}

impl Prg {
    /// The stream of `seed`. A seed must serve only one purpose: derive several from it with a hash if
    /// necessary.
    #[must_use]
    pub fn new(seed: [u8; 16]) -> Self {
        Self::salted(seed, 0)
    }

    /// The stream of a secret `seed`, for blocks that the peer sees in part. `salt` is public and belongs to
    /// no other stream: otherwise one guess of a seed would test all streams with that salt.
    #[must_use]
    pub fn salted(seed: [u8; 16], salt: u64) -> Self {
        Self { aes: Aes::new(seed), salt, next: 0 }
    }

    /// A stream, from a seed of `rng`, for the seeds that one party shows or uses in a session. The peer sees
    /// seeds of checks, so the stream has a salt, derived from `label` and the session. One guess of the seed
    /// then only tests the streams of this session and label.
    #[must_use]
    pub fn of_session(session: &SessionId, label: &str, rng: &mut dyn CryptoRng) -> Self {
        let mut seed = Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *seed);
        Self::salted(*seed, u64::from_le_bytes(Oracle::new(label, session).hash(0, &[b"salt"])))
    }

    /// Fills `out` with the next blocks.
    pub fn blocks(&mut self, out: &mut [Gf128]) {
        self.aes.salted_ctr(self.salt, self.next, out);
        self.next = self.next.wrapping_add(out.len() as u64);
    }

    /// Fills `out` with the stream's blocks from number `first` on. The position of the other calls does not
    /// change.
    pub fn blocks_at(&self, first: u64, out: &mut [Gf128]) {
        self.aes.salted_ctr(self.salt, first, out);
    }

    /// Two blocks of each of many streams with one salt (see [`Prg::salted`]): `out[2 i]` and `out[2 i + 1]`
    /// become the blocks `2 (first + i)` and the next one of the stream of `seeds[i]`. With nodes of a tree
    /// as seeds, numbered from `first` on, these are their children.
    ///
    /// `out` has twice the length of `seeds`; what is missing of either is left out.
    pub fn pairs(seeds: &[Gf128], salt: u64, first: u64, out: &mut [Gf128]) {
        aes::pairs(seeds, salt, first, out);
    }

    /// Fills `out` with the next blocks' bytes, little-endian; the last block's unused bytes are dropped.
    pub fn bytes(&mut self, out: &mut [u8]) {
        let mut buffer = [Gf128::ZERO; 64];
        let used = out.len().div_ceil(16).min(buffer.len());
        for chunk in out.chunks_mut(64 * 16) {
            let blocks = &mut buffer[..chunk.len().div_ceil(16)];
            self.blocks(blocks);
            for (out, block) in chunk.chunks_mut(16).zip(blocks.iter()) {
                out.copy_from_slice(&block.to_bits().to_le_bytes()[..out.len()]);
            }
        }
        buffer[..used].wipe();
    }

    /// Fills `out` with elements, each from the next [`Element::BLOCKS`] blocks.
    pub fn elements<E: Element>(&mut self, out: &mut [E]) {
        for_each_element(out.len(), |blocks| self.blocks(blocks), |i, x| out[i] = x);
    }

    /// Fills `out` with coefficients for a random linear combination (see [`Element::coefficient`]). Each
    /// comes from the next block, or two come from one block if half a block is enough for an element.
    pub fn coefficients<E: Element>(&mut self, out: &mut [E]) {
        let mut buffer = [Gf128::ZERO; 64];
        if E::BLOCKS_OF_PAIR == 1 {
            for out in out.chunks_mut(2 * buffer.len()) {
                let blocks = &mut buffer[..out.len().div_ceil(2)];
                self.blocks(blocks);
                let (pairs, rest) = out.as_chunks_mut();
                for (pair, block) in pairs.iter_mut().zip(blocks.iter()) {
                    *pair = E::pair_from_blocks(&[block.to_bits()]);
                }
                if let ([out], Some(block)) = (rest, blocks.last()) {
                    [*out, _] = E::pair_from_blocks(&[block.to_bits()]);
                }
            }
            return;
        }
        for out in out.chunks_mut(buffer.len()) {
            let blocks = &mut buffer[..out.len()];
            self.blocks(blocks);
            out.iter_mut().zip(blocks).for_each(|(out, block)| *out = E::coefficient(block.to_bits()));
        }
    }

    /// The next block.
    #[must_use]
    pub fn block(&mut self) -> Gf128 {
        let mut out = [Gf128::ZERO];
        self.blocks(&mut out);
        out[0]
    }
}

/// Many streams with one salt (see [`Prg::salted`]), for a caller that comes back to each: their keys are
/// expanded once. Wiped on drop.
pub struct Prgs {
    keys: Keys,
    salt: u64,
}

impl Prgs {
    /// The streams of these secret seeds.
    #[must_use]
    pub fn salted(seeds: &[Gf128], salt: u64) -> Self {
        Self { keys: Keys::new(seeds), salt }
    }

    /// Replaces the streams by those of other secret seeds, in the same room.
    pub fn refill(&mut self, seeds: &[Gf128], salt: u64) {
        self.keys.refill(seeds);
        self.salt = salt;
    }

    /// Fills `out` with blocks of stream number `which`, from number `first` on; with zeros if there is no
    /// such stream.
    pub fn blocks_at(&self, which: usize, first: u64, out: &mut [Gf128]) {
        self.keys.salted_ctr(which, self.salt, first, out);
    }

    /// [`combine_leaves`] of `2^bits` streams from block `first` on, as many blocks as `sum` has. Leaf `x` is
    /// stream number `x + hidden` (bitwise); `hidden` is public.
    pub fn combine(
        &self,
        bits: usize,
        hidden: usize,
        first: u64,
        leaves: &mut Vec<Gf128>,
        sum: &mut [Gf128],
        columns: &mut [Gf128],
    ) {
        if self.keys.len() == 1 << bits && self.keys.combine(hidden, (self.salt, first), leaves, sum, columns)
        {
            return;
        }
        let fill = |x: usize, out: &mut [Gf128]| self.blocks_at(x ^ hidden, first, out);
        combine_leaves(bits, fill, leaves, sum, columns);
    }
}

/// Passes `n` elements made from a stream of blocks to `take`, with their numbers.
#[inline]
pub(crate) fn for_each_element<E: Element>(
    n: usize,
    mut fill: impl FnMut(&mut [Gf128]),
    mut take: impl FnMut(usize, E),
) {
    let mut buffer = [Gf128::ZERO; 96];
    let mut words = [0; 8];
    let at_once = buffer.len() / E::BLOCKS;
    for first in (0..n).step_by(at_once) {
        let count = at_once.min(n - first);
        let blocks = &mut buffer[..count * E::BLOCKS];
        fill(blocks);
        if E::BLOCKS == 1 {
            for (i, block) in blocks.iter().enumerate() {
                take(first + i, E::from_blocks(&[block.to_bits()]));
            }
            continue;
        }
        for (i, blocks) in blocks.chunks_exact(E::BLOCKS).enumerate() {
            let words = &mut words[..E::BLOCKS];
            words.iter_mut().zip(blocks).for_each(|(word, block)| *word = block.to_bits());
            take(first + i, E::from_blocks(words));
        }
    }
    buffer[..n.min(at_once) * E::BLOCKS].wipe();
    words.wipe();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NIST SP 800-38A's key in counter mode, counter from zero; the first block checked with the `aes`
    /// crate.
    #[test]
    fn stream_is_aes_in_counter_mode_and_calls_continue_it() {
        use ::aes::cipher::{BlockCipherEncrypt, KeyInit};
        let seed = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
        let aes = ::aes::Aes128::new(&seed.into());
        let mut want = Vec::new();
        for i in 0..200_u128 {
            let mut block = i.to_le_bytes().into();
            aes.encrypt_block(&mut block);
            want.extend_from_slice(&<[u8; 16]>::from(block));
        }
        let mut prg = Prg::new(seed);
        let mut got = vec![0; 100 * 16 - 3];
        prg.bytes(&mut got);
        assert_eq!(got, want[..1597]);
        let mut rest = [Gf128::ZERO; 100];
        prg.blocks(&mut rest);
        for (i, b) in rest.iter().enumerate() {
            assert_eq!(b.to_bits().to_le_bytes(), want[1600 + 16 * i..][..16]);
        }
    }
}
