//! The hash on WebAssembly's registers of 128 bits: eight blocks at once, bitsliced, each under a key of its
//! own or all under one. [`volery_vole::bitsliced`] has the cipher, and the only `unsafe` code.
//!
//! Keys stay in slices of eight, that is of four pairs: to make slices of them for each gate would cost as
//! much as four rounds of AES.

use volery_field::Gf128;
use volery_vole::bitsliced::{AT_ONCE, EightKeys};

use super::portable::spread;
use super::{AHEAD, Pair};

/// The pairs of eight keys.
const PAIRS: usize = AT_ONCE / 2;

/// The expanded keys of as many pairs as there are ahead.
pub(super) type Sliced = [EightKeys; AHEAD / PAIRS];

/// Room for them.
pub(super) const NONE: Sliced = [EightKeys::NONE; AHEAD / PAIRS];

/// Expands the keys of pairs `first..`.
pub(super) fn expand(start: u128, first: u64) -> Sliced {
    let mut keys = [[Gf128::ZERO; AT_ONCE]; AHEAD / PAIRS];
    for (number, key) in (2 * first..).zip(keys.as_flattened_mut()) {
        *key = Gf128::from_bits(start ^ u128::from(number));
    }
    EightKeys::expand(&keys)
}

/// Hashes labels under the keys of the pairs from place `first` on.
pub(super) fn hash<const LABELS: usize>(keys: &Sliced, first: usize, labels: &mut [[Pair; LABELS]]) {
    let (mut place, mut labels) = (first, labels);
    while let Some(eight) = keys.get(place / PAIRS).filter(|_| !labels.is_empty()) {
        let at = place % PAIRS;
        let count = (PAIRS - at).min(labels.len());
        let (now, rest) = labels.split_at_mut(count);
        if LABELS == 2 && 2 * count <= PAIRS {
            // Both labels of each key at once.
            hash_eight(now, [0, 1].map(|label| (label, label * 2 * count)), |blocks| {
                eight.encrypt_twice(2 * at as u32, 2 * count as u32, blocks);
            });
        } else {
            for label in 0..LABELS {
                hash_eight(now, [(label, 2 * at)], |blocks| eight.encrypt(blocks));
            }
        }
        place += count;
        labels = rest;
    }
}

/// Hashes labels of the pairs by `encrypt`: each of `which` is the number of a label, and the block at which
/// those of all pairs begin.
#[inline(always)]
fn hash_eight<const LABELS: usize, const N: usize>(
    labels: &mut [[Pair; LABELS]],
    which: [(usize, usize); N],
    encrypt: impl FnOnce(&mut [Gf128; AT_ONCE]),
) {
    let mut blocks = [Gf128::ZERO; AT_ONCE];
    for (label, begin) in which {
        let pairs = labels.iter().flat_map(|pair| pair[label]);
        blocks[begin..].iter_mut().zip(pairs).for_each(|(block, label)| *block = spread(label));
    }
    encrypt(&mut blocks);
    for (label, begin) in which {
        let pairs = labels.iter_mut().flat_map(|pair| &mut pair[label]);
        for (to, hash) in pairs.zip(&blocks[begin..]) {
            *to = *hash + spread(*to);
        }
    }
}

/// Hashes labels under one key of the pair at `place`. Returns the sum of the hashes.
pub(super) fn hash_run(
    keys: &Sliced,
    (place, second): (usize, bool),
    labels: &[Gf128],
    hashes: &mut [Gf128],
) -> Gf128 {
    for (hash, label) in hashes.iter_mut().zip(labels) {
        *hash = spread(*label);
    }
    let count = labels.len().min(hashes.len());
    let which = 2 * (place % PAIRS) + usize::from(second);
    keys[place / PAIRS].encrypt_run(which as u32, &mut hashes[..count]);
    let mut sum = Gf128::ZERO;
    for (hash, label) in hashes.iter_mut().zip(labels) {
        *hash += spread(*label);
        sum += *hash;
    }
    sum
}
