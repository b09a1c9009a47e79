//! Counter blocks with TLS 1.3's nonce: the write IV plus the record's sequence number.

use std::collections::BTreeMap;

use volery_circuit::Ops;
use volery_circuit::gadgets::{PlainByte, bytes_to_bits};
use volery_field::F2;

use super::Plain;

/// Bytes of a nonce.
const NONCE_BYTES: usize = 12;

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
