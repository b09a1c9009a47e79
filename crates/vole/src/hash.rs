//! Random oracles: BLAKE3, keyed by the hash's purpose and by the session.
//!
//! `Oracle_{label, session}(index, parts)` hashes `index || len(part) || part || ...`, with lengths and index
//! as 8 bytes little-endian, under a key derived from label and session. So different oracles are
//! independent, and no two inputs of one oracle collide by concatenation.
//!
//! Some inputs contain a secret that is the same for many of them (delta, in keys and tags). Each such input
//! also contains a number that no other such input of the session has: of a correlation, of a round, of a
//! tree in a round. So one hash computation tests a guess of delta against at most one value, whatever was
//! seen before. (AES under one key for many inputs is a different matter: see `pprf`.)
//!
//! BLAKE3 runs in constant time. Its state on the stack is not wiped; it holds at most the last absorbed
//! block.

mod rows;
#[cfg(target_arch = "x86_64")]
mod x86_avx2;

pub use rows::keyed_hash_rows;
use volery_field::Wipe as _;

use crate::SessionId;

/// A random oracle for one purpose in one session.
#[derive(Clone)]
pub struct Oracle {
    key: [u8; 32],
}

impl Oracle {
    /// The oracle for `label` in `session`. Labels are compile-time names; each serves one purpose.
    #[must_use]
    pub fn new(label: &str, session: &SessionId) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 random oracle v1");
        item(&mut hasher, label.as_bytes());
        item(&mut hasher, session.as_bytes());
        Self { key: *hasher.finalize().as_bytes() }
    }

    /// `N` bytes for the input `(index, parts)`.
    #[must_use]
    pub fn hash<const N: usize>(&self, index: u64, parts: &[&[u8]]) -> [u8; N] {
        let mut out = [0; N];
        self.stream(index, parts, &mut out);
        out
    }

    /// [`Oracle::hash`] of the inputs `(index, [block])`, several at once.
    pub fn hash_blocks(&self, inputs: impl IntoIterator<Item = (u64, [u8; 16])>, out: &mut [[u8; 32]]) {
        const AT_ONCE: usize = 64;
        const LENGTH: usize = 32;
        let (mut inputs, mut rows) = (inputs.into_iter(), [[0; LENGTH]; AT_ONCE]);
        for out in out.chunks_mut(AT_ONCE) {
            let mut used = 0;
            for (row, (index, block)) in rows[..out.len()].iter_mut().zip(&mut inputs) {
                row[..8].copy_from_slice(&index.to_le_bytes());
                row[8..16].copy_from_slice(&(block.len() as u64).to_le_bytes());
                row[16..].copy_from_slice(&block);
                used += 1;
            }
            keyed_hash_rows(&self.key, rows[..used].as_flattened(), LENGTH, out);
        }
        rows.wipe();
    }

    /// As [`Oracle::hash`], with the length of `out`.
    pub fn stream(&self, index: u64, parts: &[&[u8]], out: &mut [u8]) {
        if self.hash_short(index, parts, out) {
            return;
        }
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&index.to_le_bytes());
        for part in parts {
            item(&mut hasher, part);
        }
        hasher.finalize_xof().fill(out);
    }

    /// As [`Oracle::stream`], for short inputs, which most are. The input is assembled first and hashed at
    /// once, by a single call if the output is no longer than a digest. Returns whether the input was short
    /// enough.
    fn hash_short(&self, index: u64, parts: &[&[u8]], out: &mut [u8]) -> bool {
        let mut input = [0; SHORT];
        let mut rest = &mut input[..];
        let mut put = |bytes: &[u8]| {
            let Some((to, left)) = core::mem::take(&mut rest).split_at_mut_checked(bytes.len()) else {
                return false;
            };
            to.copy_from_slice(bytes);
            rest = left;
            true
        };
        let fits = put(&index.to_le_bytes())
            && parts.iter().all(|part| put(&(part.len() as u64).to_le_bytes()) && put(part));
        let length = SHORT - rest.len();
        if fits {
            let input = &input[..length];
            if out.len() <= blake3::OUT_LEN {
                let digest = blake3::keyed_hash(&self.key, input);
                out.copy_from_slice(&digest.as_bytes()[..out.len()]);
            } else {
                blake3::Hasher::new_keyed(&self.key).update(input).finalize_xof().fill(out);
            }
        }
        input.wipe();
        fits
    }
}

/// The longest input that is assembled first: two blocks of BLAKE3.
const SHORT: usize = 128;

/// Absorbs `bytes` after their length.
pub(crate) fn item(hasher: &mut blake3::Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oracle(label: &str, session: u8) -> Oracle {
        Oracle::new(label, &SessionId::new([session; 32]))
    }

    /// The construction of the module's docs, spelled out with the plain BLAKE3 interface.
    #[test]
    fn the_oracle_is_the_documented_hash() {
        let mut key = blake3::Hasher::new_derive_key("volery 2026 random oracle v1");
        key.update(&[1, 0, 0, 0, 0, 0, 0, 0, b'a', 32, 0, 0, 0, 0, 0, 0, 0]).update(&[7; 32]);
        let mut input = 5_u64.to_le_bytes().to_vec();
        input.extend_from_slice(&[2, 0, 0, 0, 0, 0, 0, 0, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0]);
        let expected = blake3::keyed_hash(key.finalize().as_bytes(), &input);
        assert_eq!(oracle("a", 7).hash::<32>(5, &[&[8, 9], &[]]), *expected.as_bytes());
    }

    /// All ways give the documented hash, on either side of what is short.
    #[test]
    fn short_inputs_are_hashed_as_long_ones_are() {
        let oracle = oracle("lengths", 3);
        let bytes: Vec<u8> = (0..200).collect();
        for length in 0..200 {
            for parts in [&[&bytes[..length]][..], &[&bytes[..length / 3], &[], &bytes[..length / 2]]] {
                let mut input = 7_u64.to_le_bytes().to_vec();
                for part in parts {
                    input.extend_from_slice(&(part.len() as u64).to_le_bytes());
                    input.extend_from_slice(part);
                }
                let mut expected = [0; 90];
                blake3::Hasher::new_keyed(&oracle.key).update(&input).finalize_xof().fill(&mut expected);
                assert_eq!(oracle.hash::<20>(7, parts), expected[..20], "{length}");
                assert_eq!(oracle.hash::<32>(7, parts), expected[..32], "{length}");
                assert_eq!(oracle.hash::<90>(7, parts), expected, "{length}");
            }
        }
    }

    #[test]
    fn many_blocks_have_the_hash_that_each_has() {
        let oracle = oracle("many", 4);
        for n in [0, 1, 7, 8, 9, 63, 64, 65, 150] {
            let inputs = (0..n as u64).map(|i| (i * i + 1, [i as u8; 16]));
            let mut got = vec![[0xa5; 32]; n + 1];
            oracle.hash_blocks(inputs.clone(), &mut got[..n]);
            let want = inputs.map(|(index, block)| oracle.hash::<32>(index, &[&block]));
            assert!(want.eq(got[..n].iter().copied()) && got[n] == [0xa5; 32], "{n}");
        }
    }

    #[test]
    fn label_session_index_and_borders_of_parts_all_count() {
        let base: [u8; 32] = oracle("a", 1).hash(0, &[b"xy", b"z"]);
        let others = [
            oracle("b", 1).hash(0, &[b"xy", b"z"]),
            oracle("a", 2).hash(0, &[b"xy", b"z"]),
            oracle("a", 1).hash(1, &[b"xy", b"z"]),
            oracle("a", 1).hash(0, &[b"x", b"yz"]),
            oracle("a", 1).hash(0, &[b"xyz"]),
            oracle("a", 1).hash(0, &[b"xy", b"z", b""]),
        ];
        assert!(others.iter().all(|other| *other != base));
    }
}
