//! The hash on WebAssembly's registers of 128 bits: eight blocks at once, bitsliced, each under a key of its
//! own or all under one. [`volery_vole::bitsliced`] has the cipher, and the only `unsafe` code.

use volery_field::Gf128;
use volery_vole::bitsliced::{AT_ONCE, encrypt_each, encrypt_run, expand_keys};

use super::portable::spread;
use super::{AHEAD, Pair, PairKeys};

/// Expands the keys of pairs `first..`.
pub(super) fn expand(start: u128, first: u64, keys: &mut [PairKeys; AHEAD]) {
    let mut plain = [Gf128::ZERO; 2 * AHEAD];
    for (number, key) in (2 * first..).zip(&mut plain) {
        *key = Gf128::from_bits(start ^ u128::from(number));
    }
    let mut expanded = [[0; 11]; 2 * AHEAD];
    expand_keys(&plain, &mut expanded);
    for (keys, pair) in keys.iter_mut().zip(expanded.as_chunks().0) {
        let [first, second]: &[[u128; 11]; 2] = pair;
        for (key, words) in keys.0.iter_mut().zip(first.iter().zip(second)) {
            *key = [*words.0, *words.1].map(Gf128::from_bits);
        }
    }
}

pub(super) fn hash<const LABELS: usize>(keys: &[PairKeys], labels: &mut [[Pair; LABELS]]) {
    let labels = labels.as_flattened_mut().as_flattened_mut();
    for (number, labels) in labels.chunks_mut(AT_ONCE).enumerate() {
        // What is left of the last eight takes any keys.
        let lanes: [_; AT_ONCE] = core::array::from_fn(|lane| {
            let pair = (number * AT_ONCE + lane) / (2 * LABELS);
            (&keys[pair.min(keys.len() - 1)].0, lane % 2)
        });
        let mut blocks = [Gf128::ZERO; AT_ONCE];
        for (block, label) in blocks.iter_mut().zip(&*labels) {
            *block = spread(*label);
        }
        encrypt_each(
            |round, lane| {
                let (keys, which) = lanes[lane];
                &keys[round][which]
            },
            &mut blocks,
        );
        for (label, block) in labels.iter_mut().zip(blocks) {
            *label = block + spread(*label);
        }
    }
}

pub(super) fn hash_run(keys: &PairKeys, second: bool, labels: &[Gf128], hashes: &mut [Gf128]) -> Gf128 {
    for (hash, label) in hashes.iter_mut().zip(labels) {
        *hash = spread(*label);
    }
    let count = labels.len().min(hashes.len());
    encrypt_run(&keys.0.map(|pair| pair[usize::from(second)].to_bits()), &mut hashes[..count]);
    let mut sum = Gf128::ZERO;
    for (hash, label) in hashes.iter_mut().zip(labels) {
        *hash += spread(*label);
        sum += *hash;
    }
    sum
}
