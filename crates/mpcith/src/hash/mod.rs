//! Hashing many inputs of one length: the commitments.

/// `out[i]` is BLAKE3, keyed, of row `i` of `length` bytes.
pub(crate) fn keyed_hash_rows(key: &[u8; 32], rows: &[u8], length: usize, out: &mut [[u8; 32]]) {
    for (row, out) in rows.chunks_exact(length.max(1)).zip(out) {
        *out = *blake3::keyed_hash(key, row).as_bytes();
    }
}
