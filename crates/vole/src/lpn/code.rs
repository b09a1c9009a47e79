//! The local linear code of primal LPN: every output is the sum of ten pseudorandom entries of a table.
//!
//! Row `i` of the public matrix `A` (`n` by `k = 2^log_k`, Ferret, ePrint 2020/924, section 5.1: "10-local
//! codes") has ones at ten positions, which AES under a public key computes from the counter `i`. Both
//! parties add the same rows to correlated tables, so the sums are correlated in the same way:
//! `sum k_j = sum m_j + (sum u_j) * delta`.
//!
//! Positions may repeat within a row: with probability about `45/k` two of them coincide, and the pair
//! contributes less weight. The published estimates of [`super::security`] are for a uniform matrix. What an
//! attacker gains from a local one is estimated separately by `lpn_estimator::local`, which peels the same
//! matrices (a test here compares them).

use volery_field::{Gf128, Summand};

use crate::aes::Aes;

/// The number of table entries that each output adds up.
pub(crate) const LOCALITY: usize = 10;

/// The number of rows that share whole AES blocks of positions: four rows take 5 blocks of 16-bit or 10 of
/// 32-bit positions.
const GROUP: usize = 4;

/// The number of rows whose positions are computed at once, small enough to stay in the first-level cache.
const BATCH: usize = 32 * GROUP;

/// The public matrix; see the module's documentation.
pub(crate) struct LpnCode {
    positions: Aes,
    log_k: u32,
}

impl LpnCode {
    /// The code of dimension `2^log_k` (at most `2^31`) for the public `key`.
    pub(crate) fn new(key: [u8; 16], log_k: u32) -> Self {
        Self { positions: Aes::new(key), log_k: log_k.min(31) }
    }

    /// `out[i] += sum of table[p] over the positions p of row first_row + i`.
    ///
    /// `table` must hold `2^log_k` entries. If it holds fewer, nothing is added; that cannot happen to
    /// callers that checked their sizes. No index is secret here: positions are public.
    pub(crate) fn add_rows<T: Summand>(&self, first_row: u64, table: &[T], out: &mut [T]) {
        self.rows(first_row, table, out, |out| *out);
    }

    /// `out[i] = addends[i] + sum of table[p]`, as [`LpnCode::add_rows`]. There must be as many addends as
    /// places; where there is none, it counts as zero. They are made while entries come from the table.
    pub(crate) fn sum_rows<T: Summand>(
        &self,
        first_row: u64,
        table: &[T],
        mut addends: impl Iterator<Item = T>,
        out: &mut [T],
    ) {
        self.rows(first_row, table, out, |_| addends.next().unwrap_or_default());
    }

    #[inline(always)]
    fn rows<T: Summand>(&self, first_row: u64, table: &[T], out: &mut [T], mut addend: impl FnMut(&T) -> T) {
        debug_assert!(table.len() >= 1 << self.log_k && first_row.is_multiple_of(GROUP as u64));
        let Some(table) = table.get(..1 << self.log_k) else { return };
        let narrow = self.log_k <= 16;
        // A block is 16 bytes; a row takes 20 bytes of 16-bit positions or 40 of 32-bit ones.
        let blocks_per_group = if narrow { 5 } else { 10 };
        let mut blocks = [Gf128::ZERO; BATCH / GROUP * 10];
        for (b, out) in out.chunks_mut(BATCH).enumerate() {
            let group = first_row / GROUP as u64 + (b * BATCH / GROUP) as u64;
            let blocks = &mut blocks[..out.len().div_ceil(GROUP) * blocks_per_group];
            self.positions.ctr(group * blocks_per_group as u64, blocks);
            if narrow {
                kernel::gather::<u16, T>(table, blocks, out, &mut addend);
            } else {
                kernel::gather::<u32, T>(table, blocks, out, &mut addend);
            }
        }
    }
}

/// The only place that turns positions into addresses.
mod kernel {
    use super::{GROUP, Gf128, LOCALITY, Summand};

    /// An unsigned integer that plain bytes can be read as.
    pub(super) trait Position: Copy {
        const BITS: u32;
        fn index(self) -> usize;
    }
    impl Position for u16 {
        const BITS: u32 = 16;
        #[inline(always)]
        fn index(self) -> usize {
            usize::from(self)
        }
    }
    impl Position for u32 {
        const BITS: u32 = 32;
        #[inline(always)]
        fn index(self) -> usize {
            self as usize
        }
    }

    /// `out[i] = addend(out[i]) + sum of table[p]` over the ten positions of row `i`, read in order from
    /// `blocks`.
    ///
    /// `table.len()` is a power of two; positions are reduced modulo it.
    #[inline(always)]
    pub(super) fn gather<P: Position, T: Summand>(
        table: &[T],
        blocks: &[Gf128],
        out: &mut [T],
        addend: &mut impl FnMut(&T) -> T,
    ) {
        let available = blocks.len() * 128 / (P::BITS as usize * LOCALITY);
        assert!(table.len().is_power_of_two() && out.len() <= available.next_multiple_of(GROUP));
        assert!(out.len() <= available);
        let mask = table.len() - 1;
        let positions: *const P = blocks.as_ptr().cast();
        let base = table.as_ptr();
        for (i, out) in out.iter_mut().enumerate() {
            // SAFETY: `i < out.len() <= available`, so row i's ten positions lie inside `blocks` (16-byte
            // aligned, and any bytes are a valid `P`); each index is masked below `table.len()`, a power of
            // two.
            let entries: [&T; LOCALITY] = unsafe {
                let row = positions.add(i * LOCALITY);
                core::array::from_fn(|j| &*base.add((*row.add(j)).index() & mask))
            };
            *out = addend(out).add_rows(entries);
        }
    }
}

#[cfg(test)]
mod tests {
    use lpn_estimator::Positions;

    use super::*;

    /// The definition, one bit of arithmetic at a time.
    fn reference(key: [u8; 16], log_k: u32, row: u64, table: &[Gf128]) -> Gf128 {
        let width = if log_k <= 16 { 2 } else { 4 };
        let aes = Aes::new(key);
        let mut sum = Gf128::ZERO;
        for j in 0..LOCALITY as u64 {
            let byte = (row * LOCALITY as u64 + j) * width;
            let mut block = [Gf128::ZERO];
            aes.ctr(byte / 16, &mut block);
            let bits = block[0].to_bits() >> (8 * (byte % 16));
            let position = if width == 2 { bits as u16 as usize } else { bits as u32 as usize };
            sum += table[position % (1 << log_k)];
        }
        sum
    }

    #[test]
    fn the_estimator_s_matrix_is_the_code_s() {
        for log_k in [10, 16, 17] {
            let mut table = vec![Gf128::ZERO; 1 << log_k];
            crate::Prg::new([1; 16]).blocks(&mut table);
            let mut out = vec![Gf128::ZERO; 40];
            LpnCode::new([5; 16], log_k).add_rows(16, &table, &mut out);
            let mut positions = vec![0; 40 * LOCALITY];
            Positions::new([5; 16], 1 << log_k, LOCALITY).fill(16, &mut positions);
            for (row, out) in positions.chunks(LOCALITY).zip(out) {
                let sum = row.iter().fold(Gf128::ZERO, |sum, &p| sum + table[p as usize]);
                assert!(sum == out, "{log_k}");
            }
        }
    }

    #[test]
    fn rows_are_sums_of_ten_entries_at_the_stream_s_positions() {
        for log_k in [4, 10, 15, 16, 17] {
            let code = LpnCode::new([5; 16], log_k);
            let mut table = vec![Gf128::ZERO; 1 << log_k];
            crate::Prg::new([1; 16]).blocks(&mut table);
            for (first, n) in [(0, 1), (0, 300), (4, 131), (1 << 20, 128), (400, 129)] {
                let mut out = vec![Gf128::ONE; n];
                code.add_rows(first, &table, &mut out);
                for (i, out) in out.iter().enumerate() {
                    let want = reference([5; 16], log_k, first + i as u64, &table);
                    assert!(*out == want + Gf128::ONE, "{log_k} {first} {i}");
                }
            }
        }
    }
}
