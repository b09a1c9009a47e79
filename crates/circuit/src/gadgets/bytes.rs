//! Between bytes and bits: each byte's least significant bit first.

use volery_field::F2;

/// The bits of `bytes`, eight for each byte, least significant first.
#[must_use]
pub fn bytes_to_bits(bytes: &[u8]) -> Vec<F2> {
    bytes.iter().flat_map(|byte| (0..8).map(move |i| F2::new(byte >> i & 1 == 1))).collect()
}

/// The bytes of these bits, as [`bytes_to_bits`] orders them; `None` unless they are whole bytes.
#[must_use]
pub fn bits_to_bytes(bits: &[F2]) -> Option<Vec<u8>> {
    let bytes = bits.chunks_exact(8);
    if !bytes.remainder().is_empty() {
        return None;
    }
    let byte = |bits: &[F2]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(bit.to_bool()));
    Some(bytes.map(byte).collect())
}
