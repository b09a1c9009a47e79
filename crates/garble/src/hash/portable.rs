//! The hash through the `aes` crate: always compiled, the specification of the other level.
//!
//! Round keys are kept as the crate's kernels of any level have them, so only the first is used here: the crate expands it
//! again. That costs time on machines without AES instructions and keeps one key format.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use volery_field::Gf128;

use super::{GateKeys, Pair};

/// The cipher keys of gates `first..`; the other round keys are left alone.
pub(super) fn expand(start: u128, first: u64, keys: &mut [GateKeys]) {
    for (gate, keys) in (first..).zip(keys) {
        keys.0[0] = [0, 1].map(|half| Gf128::from_bits(start ^ u128::from(2 * gate + half)));
    }
}

pub(super) fn hash<const LABELS: usize>(keys: &[GateKeys], gates: &mut [[Pair; LABELS]]) {
    for (keys, labels) in keys.iter().zip(gates) {
        let ciphers = keys.0[0].map(|key| Aes128::new(&key.to_bytes().into()));
        for pair in labels {
            for (cipher, label) in ciphers.iter().zip(pair) {
                let x = orthomorphism(*label);
                let mut block = x.to_bytes().into();
                cipher.encrypt_block(&mut block);
                *label = Gf128::from_bytes(block.into()) + x;
            }
        }
    }
}

/// `s(a || b) = (a + b) || a`, with `a` the high half.
fn orthomorphism(x: Gf128) -> Gf128 {
    let x = x.to_bits();
    let a = x >> 64;
    Gf128::from_bits((a ^ (x & u128::from(u64::MAX))) << 64 | a)
}
