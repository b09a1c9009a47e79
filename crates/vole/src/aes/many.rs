//! AES-128 under many keys: the streams of a tree's leaves, and the nodes of a tree in which each node is a
//! key.

use volery_field::{Gf128, Wipe as _, Wiped};

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::wasm_simd128;
#[cfg(target_arch = "x86_64")]
use super::x86_many;
use super::{Level, hardware_ctr, portable};

/// AES-128 under many keys, each expanded once; wiped on drop.
pub(crate) struct Keys {
    level: Level,
    /// Round keys for the other levels; none for the portable one.
    round_keys: Wiped<[u128; 11]>,
    soft: Vec<::aes::Aes128>,
}

impl Keys {
    /// Expands `keys` for the detected level.
    pub(crate) fn new(keys: &[Gf128]) -> Self {
        let mut made = Self { level: Level::detect(), round_keys: Wiped::default(), soft: Vec::new() };
        made.refill(keys);
        made
    }

    /// Replaces all keys, in the same room.
    pub(crate) fn refill(&mut self, keys: &[Gf128]) {
        if self.level != Level::Portable {
            if self.round_keys.capacity() < keys.len() {
                // It has to move, and nothing stays behind.
                self.round_keys.wipe();
            }
            self.round_keys.resize(keys.len(), [0; 11]);
            #[cfg(target_arch = "x86_64")]
            // SAFETY: all levels but the portable one imply AES-NI.
            unsafe {
                x86_many::expand_keys(keys, &mut self.round_keys)
            };
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            wasm_simd128::expand_keys(keys, &mut self.round_keys);
            return;
        }
        self.soft = keys.iter().map(|key| portable::expand_key(key.to_bytes())).collect();
    }

    /// The number of keys.
    pub(crate) fn len(&self) -> usize {
        self.round_keys.len().max(self.soft.len())
    }

    /// [`Aes::salted_ctr`] under key number `which`; zeros if there is none.
    pub(crate) fn salted_ctr(&self, which: usize, salt: u64, start: u64, out: &mut [Gf128]) {
        if let Some(keys) = self.round_keys.get(which) {
            // SAFETY: `self.level` was available when the keys were expanded, and has round keys.
            unsafe { hardware_ctr(self.level, keys, salt, start, out) };
        } else if let Some(soft) = self.soft.get(which) {
            portable::ctr(soft, salt, start, out);
        } else {
            out.fill(Gf128::ZERO);
        }
    }

    /// [`combine_leaves`](crate::softspoken::combine_leaves) of the streams from block `start` on, if there
    /// is a kernel for it: leaf `x` is the stream of key number `x + hidden` (bitwise). Returns whether it
    /// has been done. If not, nothing is changed.
    ///
    /// `scratch` is a buffer, wiped by its owner.
    #[must_use]
    pub(crate) fn combine(
        &self,
        hidden: usize,
        (salt, start): (u64, u64),
        scratch: &mut Vec<Gf128>,
        sum: &mut [Gf128],
        columns: &mut [Gf128],
    ) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            /// Blocks of a line of the cache, where the scratch begins.
            const LINE: usize = 4;
            let keys = &self.round_keys[..];
            let bits = keys.len().checked_ilog2().unwrap_or(0) as usize;
            if bits == 0 || keys.len() != 1 << bits || columns.len() != bits * sum.len() {
                return false;
            }
            if scratch.len() < x86_many::SCRATCH + LINE {
                scratch.wipe();
                scratch.resize(x86_many::SCRATCH + LINE, Gf128::ZERO);
            }
            let skipped = scratch.as_ptr().align_offset(16 * LINE).min(LINE);
            let Some(scratch) = scratch[skipped..].first_chunk_mut() else { return false };
            let leaves = x86_many::Leaves { keys, hidden, salt, start };
            let sums = x86_many::Sums { sum, columns, scratch };
            // SAFETY: `self.level` was available when the keys were expanded; there are `2^bits` of them, and
            // `bits` columns as long as the sum.
            unsafe {
                match self.level {
                    Level::Portable | Level::Simd128 => return false,
                    Level::Aesni => x86_many::combine_aesni(leaves, sums, bits),
                    Level::Vaes256 => x86_many::combine_vaes256(leaves, sums, bits),
                    Level::Vaes512 => x86_many::combine_vaes512(leaves, sums, bits),
                }
            }
            true
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = (hidden, salt, start, scratch, sum, columns);
            false
        }
    }
}

/// Two blocks under each of many keys: `out[2 i]` and `out[2 i + 1]` are the blocks `2 (first + i)` and the
/// next one of the counter mode of `keys[i]`, with a salt as in [`Aes::salted_ctr`](super::Aes::salted_ctr).
///
/// The keys are expanded four at once and kept nowhere.
pub(crate) fn pairs(keys: &[Gf128], salt: u64, first: u64, out: &mut [Gf128]) {
    pairs_at(Level::detect(), keys, salt, first, out);
}

/// [`pairs`] at a level, which must be available.
fn pairs_at(level: Level, keys: &[Gf128], salt: u64, first: u64, out: &mut [Gf128]) {
    let out: &mut [[Gf128; 2]] = out.as_chunks_mut().0;
    #[cfg(target_arch = "x86_64")]
    if level != Level::Portable {
        // SAFETY: all levels but the portable one imply AES-NI.
        return unsafe { x86_many::pairs(keys, salt, first, out) };
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    if level == Level::Simd128 {
        return wasm_simd128::pairs(keys, salt, first, out);
    }
    let _ = level;
    for (i, (key, out)) in keys.iter().zip(out).enumerate() {
        let start = first.wrapping_add(i as u64).wrapping_mul(2);
        portable::ctr(&portable::expand_key(key.to_bytes()), salt, start, out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Aes;
    use super::*;

    fn sample(n: usize, seed: u64) -> Vec<Gf128> {
        let mut v = vec![Gf128::ZERO; n];
        Aes::new([7; 16]).ctr(seed << 32, &mut v);
        v
    }

    fn levels() -> impl Iterator<Item = Level> {
        Level::ALL.into_iter().filter(|level| level.available())
    }

    #[test]
    fn many_keys_are_as_good_as_one_and_one_that_is_not_there_gives_zeros() {
        let keys = sample(5, 3);
        let many = Keys::new(&keys);
        for (i, key) in keys.iter().enumerate() {
            let (mut want, mut got) = ([Gf128::ZERO; 11], [Gf128::ONE; 11]);
            Aes::new(key.to_bytes()).salted_ctr(9, 5, &mut want);
            many.salted_ctr(i, 9, 5, &mut got);
            assert_eq!(want, got, "{i}");
        }
        let mut none = [Gf128::ONE; 3];
        many.salted_ctr(5, 9, 5, &mut none);
        assert_eq!(none, [Gf128::ZERO; 3]);
    }

    /// Lengths on either side of what the kernels take at once, and of numbers of keys.
    #[test]
    fn pairs_are_two_blocks_of_each_key_at_every_level() {
        for n in 0..14 {
            let keys = sample(n, 5);
            for (salt, first) in [(0, 0), (3, 77), (u64::MAX, u64::MAX / 2 - 2)] {
                let mut want = vec![Gf128::ZERO; 2 * n];
                for (i, (key, out)) in keys.iter().zip(want.as_chunks_mut::<2>().0).enumerate() {
                    Aes::new(key.to_bytes()).salted_ctr(salt, (first + i as u64).wrapping_mul(2), out);
                }
                for level in levels() {
                    let mut got = vec![Gf128::ONE; 2 * n + 1];
                    pairs_at(level, &keys, salt, first, &mut got[..2 * n]);
                    assert!(got[..2 * n] == want && got[2 * n] == Gf128::ONE, "{level:?} {n} {first}");
                }
            }
        }
    }

    /// Against the sums of the definition, added to what was there: with fewer leaves than a tile and with
    /// more, and on either side of what the registers hold.
    #[test]
    fn leaves_are_added_up_at_every_level() {
        let lengths = [0, 1, 2, 3, 4, 5, 8, 11, 16, 31, 32, 33, 36, 67];
        for (bits, hidden, start) in
            [(1, 1, 0), (2, 0, 5), (3, 6, 1), (6, 0, 9), (7, 77, u64::MAX - 20), (8, 255, 0)]
        {
            let keys = Keys::new(&sample(1 << bits, bits as u64));
            let most = 67;
            let mut streams = vec![vec![Gf128::ZERO; most]; 1 << bits];
            for (x, stream) in streams.iter_mut().enumerate() {
                keys.salted_ctr(x ^ hidden, 11, start, stream);
            }
            for n in lengths {
                let (sum, columns) = (sample(n, 20), sample(bits * n, 30));
                let (mut want_sum, mut want) = (sum.clone(), columns.clone());
                for (x, stream) in streams.iter().enumerate() {
                    for (i, block) in stream[..n].iter().enumerate() {
                        want_sum[i] += *block;
                        (0..bits).filter(|b| x >> b & 1 == 1).for_each(|b| want[b * n + i] += *block);
                    }
                }
                for level in levels().filter(|level| *level > Level::Simd128) {
                    let keys = Keys { level, round_keys: keys.round_keys.clone(), soft: Vec::new() };
                    let (mut got_sum, mut got) = (sum.clone(), columns.clone());
                    let mut scratch = vec![Gf128::ONE; 9];
                    assert!(keys.combine(hidden, (11, start), &mut scratch, &mut got_sum, &mut got));
                    assert!(got_sum == want_sum && got == want, "{level:?} {bits} {n}");
                }
            }
        }
    }
}
