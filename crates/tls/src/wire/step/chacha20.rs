//! Blocks of ChaCha20 whose nonces are the write IV plus the record's number (RFC 7905, RFC 8446).
//!
//! Blocks of one record have parts in common, which are computed once if they follow each other.

use volery_circuit::gadgets::{ChaCha20, bytes_to_bits, constant};
use volery_circuit::{Error, Ops};
use volery_field::F2;

use super::Plain;
use crate::wire::suite::NONCE_BYTES;

/// The wires of these blocks, one after the other: 512 each, and 256 for counter 0.
pub(super) fn blocks<B: Ops<F2> + ?Sized>(
    b: &mut B,
    key: &[B::Wire],
    iv: &[B::Wire],
    blocks: &[Plain],
) -> Result<Vec<B::Wire>, B::Error> {
    let mut wires = Vec::new();
    let mut last: Option<(u64, ChaCha20<B::Wire>)> = None;
    for block in blocks {
        let Plain::Counter { sequence, counter } = *block else {
            return Err(Error::misuse("a block of ChaCha20 without a counter").into());
        };
        let cipher = match last.take().filter(|(other, _)| *other == sequence) {
            Some((_, cipher)) => cipher,
            None => {
                let nonce = nonce(b, iv, sequence);
                ChaCha20::new(b, key, &nonce)?
            }
        };
        wires.extend(match counter {
            0 => cipher.poly1305_key(b)?,
            counter => cipher.block_public(b, counter)?,
        });
        last = Some((sequence, cipher));
    }
    Ok(wires)
}

/// The wires of a block: 512, also for counter 0. `given` are the lower halves of the record's number and of
/// the counter; see [`given_stream_bits`].
pub(super) fn given_block<B: Ops<F2> + ?Sized>(
    b: &mut B,
    key: &[B::Wire],
    iv: &[B::Wire],
    given: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let (number, counter) = given.split_at(given.len() / 2);
    let mut nonce = iv.to_vec();
    let last = nonce.iter_mut().skip(iv.len().saturating_sub(number.len()));
    last.zip(number).for_each(|(bit, number)| *bit = b.add(bit, number));
    // No record has 2^16 blocks.
    let counter = [counter, &constant(b, 0, 16)].concat();
    ChaCha20::new(b, key, &nonce)?.block(b, &counter)
}

/// The last inputs of [`Step::ChaChaBlock`](super::Step::ChaChaBlock): the number as the nonce has it, and
/// the counter from its lowest bit.
pub(crate) fn given_stream_bits(sequence: u16, counter: u16) -> Vec<F2> {
    bytes_to_bits(&[sequence.to_be_bytes(), counter.to_le_bytes()].concat())
}

/// The write IV plus the record's number.
fn nonce<B: Ops<F2> + ?Sized>(b: &mut B, iv: &[B::Wire], sequence: u64) -> Vec<B::Wire> {
    let mut number = [0; NONCE_BYTES];
    number.iter_mut().rev().zip(sequence.to_le_bytes()).for_each(|(to, from)| *to = from);
    iv.iter().zip(bytes_to_bits(&number)).map(|(wire, bit)| b.add_constant(wire, bit)).collect()
}
