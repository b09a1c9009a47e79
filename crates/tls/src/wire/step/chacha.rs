//! Blocks of ChaCha20 for the record layer (RFC 8446, section 5.3; RFC 7905, section 2): the nonce is the
//! write IV plus the record's number, in TLS 1.2 and in TLS 1.3.

use volery_circuit::gadgets::{ChaCha20, bytes_to_bits, constant, xor_constant};
use volery_circuit::{Error, Ops};
use volery_field::F2;

/// A block of a record's key stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StreamBlock {
    /// The record's number.
    pub(crate) sequence: u64,
    /// The block's number. Block 0 is the record's one-time key; those from 1 on encrypt.
    pub(crate) counter: u32,
}

impl StreamBlock {
    /// The number of its bits that are used.
    pub(crate) const fn bits(&self) -> usize {
        if self.counter == 0 { ONE_TIME_KEY_BITS } else { STREAM_BLOCK_BITS }
    }
}

/// Bits of a key.
pub(crate) const KEY_BITS: usize = 256;
/// Bits of a write IV.
pub(crate) const IV_BITS: usize = 96;
/// Bits of a block.
pub(crate) const STREAM_BLOCK_BITS: usize = 512;
/// Bits of Poly1305's key for one record: `r`, then `s`.
pub(crate) const ONE_TIME_KEY_BITS: usize = 256;
/// Bits of [`Step::ChaChaBlock`](super::Step::ChaChaBlock) that both parties learn later: the lower halves of
/// the record's number and of the counter.
pub(super) const GIVEN_BITS: usize = 32;

/// These blocks under one key and IV. What blocks of one record have in common is computed once if they are
/// next to each other.
pub(super) fn blocks<B: Ops<F2> + ?Sized>(
    b: &mut B,
    inputs: &[B::Wire],
    blocks: &[StreamBlock],
) -> Result<Vec<B::Wire>, B::Error> {
    let (key, iv) = inputs.split_at(KEY_BITS);
    let mut out = Vec::with_capacity(blocks.iter().map(StreamBlock::bits).sum());
    for record in blocks.chunk_by(|one, two| one.sequence == two.sequence) {
        let sequence = record.first().map_or(0, |block| block.sequence);
        let number = u128::from(sequence).to_be_bytes();
        let nonce = xor_constant(b, iv, &bytes_to_bits(&number[4..]))?;
        let cipher = ChaCha20::new(b, key, &nonce)?;
        for block in record {
            out.extend(match block.counter {
                0 => cipher.poly1305_key(b)?,
                counter => cipher.block_public(b, counter)?,
            });
        }
    }
    Ok(out)
}

/// The block whose record's number and counter are the last inputs; see [`given_stream_bits`].
pub(super) fn given_block<B: Ops<F2> + ?Sized>(
    b: &mut B,
    inputs: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let (key, rest) = inputs.split_at(KEY_BITS);
    let (iv, given) = rest.split_at(IV_BITS);
    let (number, counter) = given.split_at(GIVEN_BITS / 2);
    let mut nonce = iv.to_vec();
    let last = nonce.iter_mut().skip(IV_BITS - number.len());
    last.zip(number).for_each(|(bit, number)| *bit = b.add(bit, number));
    // No record has 2^16 blocks.
    let counter = [counter.to_vec(), constant(b, 0, 16)].concat();
    let cipher = ChaCha20::new(b, key, &nonce)?;
    cipher.block(b, &counter)
}

/// The last inputs of [`Step::ChaChaBlock`](super::Step::ChaChaBlock).
#[cfg(test)]
pub(crate) fn given_stream_bits(sequence: u16, counter: u16) -> Vec<F2> {
    bytes_to_bits(&[sequence.to_be_bytes(), counter.to_le_bytes()].concat())
}

/// The number of outputs of [`blocks`].
pub(super) fn outputs(blocks: &[StreamBlock]) -> usize {
    blocks.iter().map(StreamBlock::bits).sum()
}

/// Splits inputs into equal parts, whose total length must be right.
pub(super) fn parts<W, const N: usize>(inputs: &[W], bits: usize) -> Result<[&[W]; N], Error> {
    let mut parts = inputs.chunks(bits);
    let parts = core::array::from_fn(|_| parts.next().unwrap_or_default());
    if parts.iter().all(|part| part.len() == bits) {
        return Ok(parts);
    }
    Err(Error::Misuse("a step with another number of inputs".into()))
}
