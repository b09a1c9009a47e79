//! The hash through the `aes` crate: always compiled, and the specification of the other levels.
//!
//! Round keys have one format at all levels. Only the first one is used here, and the crate expands it again.
//! That costs time on machines without AES instructions, but avoids a second key format.

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Block};
use volery_field::Gf128;

use super::{Pair, PairKeys};

/// The blocks that the crate gets at once: as many as it encrypts side by side on any machine.
const AT_ONCE: usize = 16;

/// Writes the cipher keys of pairs `first..`, and leaves the other round keys unchanged.
pub(super) fn expand(start: u128, first: u64, keys: &mut [PairKeys]) {
    for (number, keys) in (first..).zip(keys) {
        keys.0[0] = [0, 1].map(|which| Gf128::from_bits(start ^ u128::from(2 * number + which)));
    }
}

pub(super) fn hash<const LABELS: usize>(keys: &[PairKeys], labels: &mut [[Pair; LABELS]]) {
    for (keys, labels) in keys.iter().zip(labels) {
        let ciphers = keys.0[0].map(|key| Aes128::new(&key.to_bytes().into()));
        for pair in labels {
            ciphers.iter().zip(pair).for_each(|(cipher, label)| hash_label(cipher, label));
        }
    }
}

pub(super) fn hash_run(keys: &PairKeys, second: bool, labels: &[Gf128], hashes: &mut [Gf128]) -> Gf128 {
    let cipher = Aes128::new(&keys.0[0][usize::from(second)].to_bytes().into());
    let mut sum = Gf128::ZERO;
    let mut blocks = [Block::default(); AT_ONCE];
    for (labels, hashes) in labels.chunks(AT_ONCE).zip(hashes.chunks_mut(AT_ONCE)) {
        let blocks = &mut blocks[..labels.len()];
        for (block, label) in blocks.iter_mut().zip(labels) {
            *block = spread(*label).to_bytes().into();
        }
        cipher.encrypt_blocks(blocks);
        for (hash, (block, label)) in hashes.iter_mut().zip(blocks.iter().zip(labels)) {
            *hash = Gf128::from_bytes((*block).into()) + spread(*label);
            sum += *hash;
        }
    }
    sum
}

pub(super) fn sums_by_bit<const BITS: usize>(labels: &mut [Gf128]) -> [Gf128; BITS] {
    let mut sums = [Gf128::ZERO; BITS];
    let mut rest = labels;
    for sum in sums.iter_mut().rev() {
        let (low, high) = rest.split_at_mut(rest.len() / 2);
        for (low, high) in low.iter_mut().zip(high) {
            *sum += *high;
            *low += *high;
        }
        rest = low;
    }
    sums
}

fn hash_label(cipher: &Aes128, label: &mut Gf128) {
    let x = spread(*label);
    let mut block = x.to_bytes().into();
    cipher.encrypt_block(&mut block);
    *label = Gf128::from_bytes(block.into()) + x;
}

/// `s`: `a || b` becomes `(a + b) || a` in each half.
pub(super) fn spread(x: Gf128) -> Gf128 {
    const LOW_WORDS: u128 = 0x0000_0000_ffff_ffff_0000_0000_ffff_ffff;
    let x = x.to_bits();
    let (a, b) = (x >> 32 & LOW_WORDS, x & LOW_WORDS);
    Gf128::from_bits((a ^ b) << 32 | a)
}
