//! The source of a player's randomness.

use volery_field::Gf128;
use volery_vole::Prg;
use zeroize::Zeroize;

/// A tape: block `i` is `AES_k(s + i)`, with the counter modulo `2^64`. Key `k` and start `s` are secret.
/// Wiped on drop.
///
/// Somebody who knows bits of a witness can read blocks of closed players' tapes from a proof. If all
/// counters started at zero, these would be `AES_k(0), AES_k(1), ...` for every tape of every proof, and one
/// table of `AES_k(0)` by `k` would work against all of them: `2^128 / T` calls of AES to find one key of
/// `T`. A secret start costs nothing, and removes the common plaintext. With AES as an ideal cipher, `q`
/// calls, also in advance, hit one of `T` tapes with `L` known blocks each with probability about
///
/// ```text
/// q max(2^-128, T L / 2^192)
/// ```
///
/// since a call in the forward direction has to guess a key and one of its counters, and a backward call,
/// from a known block, has to guess the key of that one tape. So up to `2^64` known blocks in total, an
/// attack on many tapes is no better than one on a single tape.
///
/// (Adding a secret to all blocks instead would be useless: it cancels in the sum of any two.)
pub(crate) struct TapeStream {
    prg: Prg,
    start: u64,
}

impl TapeStream {
    /// The tape of 32 uniform bytes: 16 are the key, 8 the start; the last 8 are not used.
    pub(crate) fn new(secret: &[u8; 32]) -> Self {
        let (mut key, mut start) = ([0; 16], [0; 8]);
        key.copy_from_slice(&secret[..16]);
        start.copy_from_slice(&secret[16..24]);
        let tape = Self { prg: Prg::new(key), start: u64::from_le_bytes(start) };
        key.zeroize();
        start.zeroize();
        tape
    }

    /// Fills `out` with the blocks from number `first` on.
    pub(crate) fn blocks_at(&self, first: u64, out: &mut [Gf128]) {
        self.prg.blocks_at(self.start.wrapping_add(first), out);
    }
}

impl Drop for TapeStream {
    fn drop(&mut self) {
        self.start.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(key: u8, start: u64) -> [u8; 32] {
        let mut secret = [key; 32];
        secret[16..24].copy_from_slice(&start.to_le_bytes());
        secret
    }

    fn blocks(tape: &TapeStream, first: u64) -> [Gf128; 40] {
        let mut out = [Gf128::ZERO; 40];
        tape.blocks_at(first, &mut out);
        out
    }

    #[test]
    fn a_tape_is_aes_in_counter_mode_from_its_start_on_and_past_the_greatest_counter() {
        for start in [0, 1, 0x0123_4567_89ab_cdef, u64::MAX - 20] {
            let tape = TapeStream::new(&secret(7, start));
            for first in [0, 1, 100] {
                let mut expected = [Gf128::ZERO; 40];
                for (i, block) in expected.iter_mut().enumerate() {
                    let counter = start.wrapping_add(first).wrapping_add(i as u64);
                    Prg::new([7; 16]).blocks_at(counter, core::slice::from_mut(block));
                }
                assert_eq!(blocks(&tape, first), expected, "{start}, {first}");
            }
        }
    }

    /// One table of keys would serve against both tapes otherwise.
    #[test]
    fn tapes_with_one_key_and_other_starts_have_no_block_in_common() {
        let starts = [0, 1 << 20, 1 << 40, u64::MAX / 2].map(|start| TapeStream::new(&secret(3, start)));
        let all: Vec<Gf128> = starts.iter().flat_map(|tape| blocks(tape, 0)).collect();
        for (i, block) in all.iter().enumerate() {
            assert!(!all[..i].contains(block), "block {i}");
        }
        assert_ne!(blocks(&starts[0], 0), blocks(&TapeStream::new(&secret(4, 0)), 0));
    }
}
