//! Files that this program wrote, or somebody else.

use volery::stored::fuzz;

/// The first byte says which decoder reads the rest, and whether its checksum is put right first (bit 2), so
/// that a fuzzer gets past it.
pub fn stored(bytes: &[u8]) {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let sealed = kind & 4 != 0;
    match kind % 4 {
        0 => fuzz::header(rest, sealed),
        1 => fuzz::state(rest, sealed),
        2 => fuzz::proof(rest, sealed),
        _ => fuzz::frames(rest),
    }
}
