//! AES through the `aes` crate. It is always compiled, and specifies the other levels.

use ::aes::cipher::{BlockCipherEncrypt, KeyInit};
use volery_field::Gf128;

use super::Fix;

pub(super) fn expand_key(key: [u8; 16]) -> ::aes::Aes128 {
    ::aes::Aes128::new(&key.into())
}

pub(super) fn permute(aes: &::aes::Aes128, x: Gf128) -> Gf128 {
    let mut block = x.to_bits().to_le_bytes().into();
    aes.encrypt_block(&mut block);
    Gf128::from_bits(u128::from_le_bytes(block.into()))
}

pub(super) fn ctr(aes: &::aes::Aes128, salt: u64, start: u64, out: &mut [Gf128]) {
    for (i, out) in out.iter_mut().enumerate() {
        let counter = u128::from(start.wrapping_add(i as u64));
        *out = permute(aes, Gf128::from_bits(u128::from(salt) << 64 | counter));
    }
}

pub(super) fn expand(aes: &::aes::Aes128, left: &mut [Gf128], right: &mut [Gf128], fix: Fix) -> Gf128 {
    let mut sum = Gf128::ZERO;
    for (j, (left, right)) in left.iter_mut().zip(right).enumerate() {
        let x = *left + select(j as u32, fix);
        let s = orthomorphism(x);
        let h = permute(aes, s) + s;
        sum += h;
        *left = h;
        *right = x + h;
    }
    sum
}

/// `H` of every block.
pub(super) fn hash(aes: &::aes::Aes128, nodes: &mut [Gf128]) {
    for node in nodes {
        let s = orthomorphism(*node);
        *node = permute(aes, s) + s;
    }
}

/// Clears the least significant bits and adds `fix`.
pub(super) fn add_even(nodes: &mut [Gf128], fix: Fix) {
    for (j, node) in nodes.iter_mut().enumerate() {
        *node = Gf128::from_bits(node.to_bits() & !1) + select(j as u32, fix);
    }
}

/// `fix.value` at its index and zero elsewhere, without a branch.
fn select(j: u32, fix: Fix) -> Gf128 {
    let d = u64::from(j ^ fix.index);
    let equal = (d.wrapping_sub(1) >> 63) as u128;
    Gf128::from_bits(fix.value.to_bits() & equal.wrapping_neg())
}

/// `s(a || b) = (a + b) || a`, with `a` the high half.
fn orthomorphism(x: Gf128) -> Gf128 {
    let x = x.to_bits();
    let a = x >> 64;
    Gf128::from_bits((a ^ (x & u128::from(u64::MAX))) << 64 | a)
}
