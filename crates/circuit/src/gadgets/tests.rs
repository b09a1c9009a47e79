//! Gadgets against integers and well-kept libraries, and their exact counts.

mod chacha20;
mod ciphers;
mod gates;
mod hashes;
mod integers;
mod poly1305;

use volery_field::F2;

use super::*;
use crate::{Counter, Error, Evaluator};

/// The lowest `width` bits of `value`.
fn bits(value: u128, width: usize) -> Vec<F2> {
    (0..width).map(|i| F2::new(i < 128 && value >> i & 1 == 1)).collect()
}

fn number(bits: &[F2]) -> u128 {
    bits.iter().rev().fold(0, |sum, bit| sum << 1 | u128::from(bit.to_bool()))
}

fn hex(digits: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&digits[i..i + 2], 16).expect("hexadecimal");
    (0..digits.len()).step_by(2).map(digit).collect()
}

/// The ANDs and the XORs of `gadget`.
fn cost<T>(gadget: impl FnOnce(&mut Counter<F2>) -> Result<T, Error>) -> (u64, u64) {
    let mut counter = Counter::new();
    gadget(&mut counter).expect("counts");
    (counter.total().multiplications, counter.total().additions)
}

fn ands<T>(gadget: impl FnOnce(&mut Counter<F2>) -> Result<T, Error>) -> u64 {
    cost(gadget).0
}

fn evaluator() -> Evaluator<F2> {
    Evaluator::new()
}
