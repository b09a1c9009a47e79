//! Counter blocks with TLS 1.3's nonce: the write IV plus the record's sequence number.

use std::collections::BTreeMap;

use volery_circuit::Ops;
use volery_circuit::gadgets::{PlainByte, bytes_to_bits};
use volery_field::F2;

use super::Plain;

/// Bytes of a nonce.
const NONCE_BYTES: usize = 12;

/// The secret bytes and the block of [`Step::XoredBlock`](super::Step::XoredBlock): the IV, to whose last two
/// bytes the record's number is added, then two zeros, because no record has 2^16 blocks, and the counter's
/// lower half.
pub(super) fn given_block<B: Ops<F2> + ?Sized>(
    b: &mut B,
    inputs: &[B::Wire],
) -> (Vec<[B::Wire; 8]>, [PlainByte; 16]) {
    let (bytes, _) = inputs.as_chunks::<8>();
    let (iv, given) = bytes.split_at_checked(NONCE_BYTES).unwrap_or_default();
    let (number, counter) = given.split_at_checked(2).unwrap_or_default();
    let mut secret = iv.to_vec();
    for (byte, number) in secret.iter_mut().skip(NONCE_BYTES - number.len()).zip(number) {
        byte.iter_mut().zip(number).for_each(|(bit, number)| *bit = b.add(bit, number));
    }
    secret.extend_from_slice(counter);
    let block = core::array::from_fn(|i| match i {
        12 | 13 => PlainByte::Public(0),
        _ if i < NONCE_BYTES => PlainByte::Secret(i),
        _ => PlainByte::Secret(i - 2),
    });
    (secret, block)
}

/// The secret bytes of these blocks, and the blocks made of them. A byte of the IV to which records add the
/// same is one secret byte, so that AES is computed once on what they have in common.
pub(super) fn blocks<B: Ops<F2> + ?Sized>(
    b: &mut B,
    iv: &[B::Wire],
    blocks: &[Plain],
) -> (Vec<[B::Wire; 8]>, Vec<[PlainByte; 16]>) {
    let (iv, _) = iv.as_chunks::<8>();
    let (mut secret, mut made) = (iv.to_vec(), BTreeMap::new());
    let mut byte = |place: usize, added: u8| {
        if added == 0 {
            return PlainByte::Secret(place);
        }
        let number = made.entry((place, added)).or_insert_with(|| {
            if let Some(byte) = iv.get(place) {
                let mut bits = bytes_to_bits(&[added]).into_iter();
                secret.push(byte.each_ref().map(|wire| match bits.next() {
                    Some(bit) => b.add_constant(wire, bit),
                    None => wire.clone(),
                }));
            }
            secret.len().saturating_sub(1)
        });
        PlainByte::Secret(*number)
    };
    let plain = |block: &Plain| {
        let Plain::Counter { sequence, counter } = block else { return [PlainByte::Public(0); 16] };
        let public = (u128::from(*sequence) << 32 | u128::from(*counter)).to_be_bytes();
        core::array::from_fn(|i| {
            let added = public.get(i).copied().unwrap_or_default();
            if i < NONCE_BYTES { byte(i, added) } else { PlainByte::Public(added) }
        })
    };
    let blocks = blocks.iter().map(plain).collect();
    (secret, blocks)
}
