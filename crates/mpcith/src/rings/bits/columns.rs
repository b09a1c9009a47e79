//! Transposes between rows of bits, which belong to a repetition, and registers, which hold one bit of each
//! repetition.

use volery_field::Gf128;
use volery_field::gf128::Kernel;

use super::kernel::{Columns, Share};
use super::{BLOCK, TILE, wipe};

/// Bytes of a row of a block.
const ROW: usize = BLOCK / 8;

/// The destination of rows of bits: parts of one length in a buffer, with one stride for repetitions and one
/// for shares.
pub(super) struct Target<'a> {
    bytes: &'a mut [u8],
    repetition: usize,
    share: usize,
    offset: usize,
    length: usize,
    /// The byte of a part where the next bits go.
    at: usize,
}

impl<'a> Target<'a> {
    /// Parts of `length` bytes, `offset` bytes into each of the `shares` rows of `row` bytes of a repetition.
    pub(super) fn new(bytes: &'a mut [u8], row: usize, shares: usize, offset: usize, length: usize) -> Self {
        Self::strided(bytes, shares * row, row, offset, length)
    }

    /// Parts of `length` bytes at `offset + share * i + repetition * r`.
    pub(super) fn strided(
        bytes: &'a mut [u8],
        repetition: usize,
        share: usize,
        offset: usize,
        length: usize,
    ) -> Self {
        Self { bytes, repetition, share, offset, length, at: 0 }
    }

    /// Moves to bit `bit`, a multiple of 128.
    pub(super) fn move_to(&mut self, bit: usize) {
        self.at = bit / 8;
    }

    /// The number of repetitions.
    fn repetitions(&self) -> usize {
        self.bytes.len().checked_div(self.repetition).unwrap_or_default()
    }

    /// Writes 128 bits, or the remaining bytes of them, `tile` tiles further on.
    #[inline(always)]
    fn put(&mut self, repetition: usize, share: usize, tile: usize, bits: [u8; 16]) {
        let part = self.offset + share * self.share + repetition * self.repetition;
        let at = self.at + 16 * tile;
        let left = self.length.saturating_sub(at);
        let to = self.bytes.get_mut(part + at..).unwrap_or_default();
        match to.first_chunk_mut::<16>() {
            Some(whole) if left >= 16 => *whole = bits,
            _ => to.iter_mut().take(left).zip(bits).for_each(|(to, bit)| *to = bit),
        }
    }
}

/// The columns of three sources, and the buffers of transpositions; wiped on drop.
pub(super) struct Transposer<const H: usize> {
    kernel: Kernel,
    /// The rows of `128 H` repetitions; those past the last repetition stay zero.
    rows: Vec<u8>,
    sources: [[Vec<Gf128>; H]; 3],
    /// The result of transposing back.
    tile: Vec<Gf128>,
}

impl<const H: usize> Transposer<H> {
    pub(super) fn new() -> Self {
        Self {
            kernel: Kernel::detect(),
            rows: vec![0; H * TILE * ROW],
            sources: core::array::from_fn(|_| core::array::from_fn(|_| vec![Gf128::ZERO; BLOCK])),
            tile: vec![Gf128::ZERO; 3 * H * TILE],
        }
    }

    /// Makes `n` columns of source `source` from one row for each of `repetitions`; `fill` fills in the rows.
    pub(super) fn gather(
        &mut self,
        source: usize,
        n: usize,
        repetitions: usize,
        mut fill: impl FnMut(usize, &mut [u8]),
    ) {
        let columns = n.next_multiple_of(TILE).min(BLOCK);
        for (repetition, row) in self.rows.chunks_exact_mut(ROW).take(repetitions).enumerate() {
            fill(repetition, &mut row[..columns / 8]);
        }
        for (rows, out) in self.rows.chunks_exact(TILE * ROW).zip(&mut self.sources[source]) {
            // Both lengths are constants that fit.
            let result = self.kernel.transpose(rows, ROW, &mut out[..columns]);
            debug_assert_eq!(result, Ok(()));
        }
    }

    /// The columns of all sources.
    pub(super) fn columns(&self) -> Columns<'_, H> {
        self.sources.each_ref().map(|source| source.each_ref().map(Vec::as_slice))
    }

    /// Column `i` of a source.
    pub(super) fn column(&self, source: usize, i: usize) -> Share<H> {
        self.sources[source].each_ref().map(|half| super::kernel::words(half[i]))
    }

    /// Writes the rows of `n` columns of `shares` shares to `target`. Columns are consecutive in `columns`,
    /// which may be changed after the last one.
    pub(super) fn scatter(&mut self, columns: &mut [u8], shares: usize, n: usize, target: &mut Target<'_>) {
        let column = shares * H * 16;
        let tiles = n.div_ceil(TILE);
        if let Some(unused) = columns.get_mut(n * column..tiles * TILE * column) {
            unused.fill(0);
        }
        let repetitions = target.repetitions();
        for (number, columns) in columns.chunks_exact(TILE * column).take(tiles).enumerate() {
            let tile = &mut self.tile[..shares * H * TILE];
            let result = self.kernel.transpose(columns, column, tile);
            debug_assert_eq!(result, Ok(()));
            for (share, rows) in tile.chunks_exact(H * TILE).enumerate() {
                for (repetition, row) in rows.iter().take(repetitions).enumerate() {
                    target.put(repetition, share, number, row.to_bytes());
                }
            }
        }
    }
}

impl<const H: usize> Drop for Transposer<H> {
    fn drop(&mut self) {
        wipe(&mut self.rows, 0);
        self.sources.iter_mut().flatten().for_each(|half| wipe(half, Gf128::ZERO));
        wipe(&mut self.tile, Gf128::ZERO);
    }
}
