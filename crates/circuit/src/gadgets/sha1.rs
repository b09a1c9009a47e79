//! SHA-1 (FIPS 180-4), for statements about existing digests. SHA-1 is broken as a collision-resistant hash:
//! do not use it for anything new.
//!
//! A round is one sum of four operands and a public constant, `rotl(a, 5) + f(b, c, d) + e + W + K`. It takes
//! about 119 ANDs, and 32 for `f` unless that is a parity. The message schedule is free.

use volery_field::F2;

use super::adder::Adder;
use super::hash::{Compression, Word, chaining_value, choose, digest, majority, xor};
use crate::Ops;

/// SHA-1 as a [`Compression`]: 10,955 ANDs a block, 10,582 for the first block of a message.
#[derive(Clone, Copy, Debug)]
pub struct Sha1;

/// The SHA-1 digest (160 wires) of a message of whole bytes; bits as [`bytes_to_bits`](super::bytes_to_bits)
/// orders them.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) unless the message is whole bytes; the backend's.
pub fn sha1<B: Ops<F2> + ?Sized>(b: &mut B, message: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    digest::<Sha1, B>(b, message)
}

impl Compression for Sha1 {
    const NAME: &'static str = "sha1";
    type Number = u32;
    const INITIAL: &'static [u32] = &[0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    type Digest = [u8; 20];

    fn compress<B: Ops<F2> + ?Sized>(
        b: &mut B,
        state: &mut [Word<B::Wire>],
        block: &[Word<B::Wire>; 16],
    ) -> Result<(), B::Error> {
        let state = chaining_value::<Self, _, 5>(state)?;
        let mut adder = Adder::new();
        let mut working = state.clone();
        let mut schedule = block.clone();
        let [mut sum, mut f, ..] = working.clone();
        for t in 0..80 {
            if t >= 16 {
                schedule[t % 16] = schedule_word(b, &schedule, t);
            }
            let [a, bb, c, d, e] = &mut working;
            round_function(b, &mut f, t, [bb, c, d])?;
            let mut rotated = a.clone();
            rotated.rotate_right(5);
            let operands: [&[B::Wire]; 4] = [&rotated, &f, e, &schedule[t % 16]];
            adder.sum(b, &mut sum, operands, u64::from(ROUND_CONSTANTS[t / 20]))?;
            // b rotated left by 30, which, least significant bit first, is a rotation of the array to the
            // right.
            bb.rotate_right(30);
            core::mem::swap(e, &mut sum);
            working.rotate_right(1);
        }
        for (chained, word) in state.iter_mut().zip(&working) {
            adder.sum(b, &mut sum, [chained, word], 0)?;
            core::mem::swap(chained, &mut sum);
        }
        Ok(())
    }
}

/// Word `t` of the message schedule: `rotl(W[t-3] + W[t-8] + W[t-14] + W[t-16], 1)`.
fn schedule_word<B: Ops<F2> + ?Sized>(b: &mut B, schedule: &[Word<B::Wire>; 16], t: usize) -> Word<B::Wire> {
    let words = [3, 8, 14, 16].map(|back| &schedule[(t - back) % 16]);
    core::array::from_fn(|i| {
        let [x, y, z, w] = words.map(|word| &word[(i + 31) % 32]);
        let left = b.add(x, y);
        let right = b.add(z, w);
        b.add(&left, &right)
    })
}

/// `Ch`, parity, `Maj`, parity for 20 rounds each.
fn round_function<B: Ops<F2> + ?Sized>(
    b: &mut B,
    out: &mut Word<B::Wire>,
    t: usize,
    [x, y, z]: [&Word<B::Wire>; 3],
) -> Result<(), B::Error> {
    match t / 20 {
        0 => choose(b, out, [x, y, z]),
        2 => {
            let (x_plus_y, y_plus_z) = (xor(b, x, y), xor(b, y, z));
            majority(b, out, [&x_plus_y, &y_plus_z, y])
        }
        _ => {
            let x_plus_y = xor(b, x, y);
            *out = xor(b, &x_plus_y, z);
            Ok(())
        }
    }
}

const ROUND_CONSTANTS: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];
