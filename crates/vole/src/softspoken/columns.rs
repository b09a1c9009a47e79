//! The small-field VOLE: from leaf seeds to columns of bits, and from columns to correlations.
//!
//! With leaf streams `r_x`, `x` below `2^k`, a party needs `u = sum_x r_x` and, for each bit `b` of `x`, `v_b
//! = sum over x with bit b of r_x`. Visit the leaves in the order of the Gray code and keep the running sum
//! `a`. Bit `b` is on from one of its flips to the next. So `v_b` is the sum of `a` over the moments just
//! before each flip of `b`, and at the end if `b` is on then (only the highest bit is). One bit flips in each
//! step, so each leaf takes two additions; four leaves share some of them (`kernel`). V uses the same loop
//! in its own order of leaves, in which the missing leaf is number 0. That leaf is in every running sum, and
//! each `v_b` adds up an even number of those, so it cancels.

use volery_field::gf128::Kernel;
use volery_field::{Gf128, Wipe as _};

use super::kernel::{AT_ONCE, accumulate};
use super::tree::LeafSeeds;
use super::{COLUMNS, FieldBits, MASK_BLOCKS};
use crate::Error;
use crate::aes::Aes;

/// The leaf seeds and a position in their streams.
pub(super) struct Streams {
    bits: FieldBits,
    seeds: LeafSeeds,
    position: u64,
    /// The labels of the forks so far.
    forks: Vec<String>,
    columns: Vec<Gf128>,
    /// `u` of the current tree.
    sum: Vec<Gf128>,
    leaves: Vec<Gf128>,
}

impl Drop for Streams {
    fn drop(&mut self) {
        // Seeds wipe themselves.
        self.columns.wipe();
        self.sum.wipe();
        self.leaves.wipe();
    }
}

impl Streams {
    pub(super) fn new(bits: FieldBits, seeds: LeafSeeds) -> Self {
        Self {
            bits,
            seeds,
            position: 0,
            forks: Vec::new(),
            columns: Vec::new(),
            sum: Vec::new(),
            leaves: Vec::new(),
        }
    }

    /// Streams of other seeds, each derived from one of these seeds and `label`.
    ///
    /// # Errors
    /// [`Error::Misuse`] for a label that was forked before, because its streams would be the same ones, and
    /// after these streams have been read, because parties that fork at different places would have different
    /// transcripts.
    pub(super) fn fork(&mut self, label: &str) -> Result<Self, Error> {
        self.unread()?;
        if self.forks.iter().any(|used| used == label) {
            return Err(Error::misuse(format!("a second fork of OT extension with the label `{label}`")));
        }
        self.forks.push(label.to_owned());
        Ok(Self::new(self.bits, self.seeds.derive(label)))
    }

    /// The seeds themselves.
    ///
    /// # Errors
    /// [`Error::Misuse`] after the streams have been read: the caller reads the seeds' streams from the
    /// start.
    pub(super) fn into_seeds(mut self) -> Result<LeafSeeds, Error> {
        self.unread()?;
        Ok(core::mem::replace(&mut self.seeds, LeafSeeds::new(Vec::new(), Vec::new())))
    }

    fn unread(&self) -> Result<(), Error> {
        match self.position {
            0 => Ok(()),
            _ => Err(Error::misuse("OT extension has been read: its streams serve nothing else any more")),
        }
    }

    /// Fills the columns with the next `blocks` blocks of every tree. `on_tree(t, u, v)` gets each tree's sum
    /// and its `k` columns.
    pub(super) fn advance(&mut self, blocks: usize, mut on_tree: impl FnMut(usize, &[Gf128], &mut [Gf128])) {
        self.columns.clear();
        self.columns.resize(COLUMNS * blocks, Gf128::ZERO);
        for (t, v) in self.columns.chunks_exact_mut(self.bits.bits() * blocks).enumerate() {
            let (seeds, salt) = self.seeds.tree(t);
            self.sum.clear();
            self.sum.resize(blocks, Gf128::ZERO);
            let fill = |x: usize, out: &mut [Gf128]| Aes::new(seeds[x]).salted_ctr(salt, self.position, out);
            combine_leaves(self.bits.bits(), fill, &mut self.leaves, &mut self.sum, v);
            on_tree(t, &self.sum, v);
        }
        self.position = self.position.wrapping_add(blocks as u64);
    }

    /// The columns; their length in blocks is that of the last advance.
    pub(super) fn columns(&self) -> &[Gf128] {
        &self.columns
    }

    /// For a P that cheats.
    #[cfg(any(test, feature = "cheats"))]
    pub(super) fn add_to_column(&mut self, b: usize, errors: &[Gf128]) {
        let blocks = self.columns.len() / COLUMNS;
        self.columns[b * blocks..][..blocks].iter_mut().zip(errors).for_each(|(c, error)| *c += *error);
    }

    /// Sets column 0 to the values with which tags carry their bits.
    pub(super) fn set_first(&mut self, value: impl Fn(usize) -> Gf128) {
        let blocks = self.columns.len() / COLUMNS;
        for (i, block) in self.columns[..blocks].iter_mut().enumerate() {
            *block = value(i);
        }
    }

    /// Appends the first `rows` rows of the columns to `out`.
    ///
    /// # Errors
    /// [`Error::Misuse`] if the columns have fewer rows, not counting the masks.
    pub(super) fn rows(&mut self, rows: usize, out: &mut Vec<Gf128>) -> Result<(), Error> {
        let blocks = self.columns.len() / COLUMNS;
        if rows > blocks.saturating_sub(MASK_BLOCKS) * 128 {
            return Err(Error::misuse(format!("{rows} rows of a chunk with {blocks} blocks")));
        }
        let start = out.len();
        out.resize(start + rows, Gf128::ZERO);
        Kernel::detect()
            .transpose_columns(&self.columns, 0, &mut out[start..])
            .map_err(|error| Error::misuse(error.to_string()))
    }
}

/// Adds up the streams of a tree with `2^bits` leaves: `sum` gains the sum of all, and column `b` of the
/// `bits` columns the sum of those leaves whose number has bit `b`. The leaf with number 0 cancels out of
/// every column.
///
/// `fill(x, out)` writes a part of the stream of leaf `x`, as long as `sum` and each column. Each leaf is
/// filled once, in the order of the Gray code. `leaves` is a buffer, wiped by its owner.
pub fn combine_leaves(
    bits: usize,
    mut fill: impl FnMut(usize, &mut [Gf128]),
    leaves: &mut Vec<Gf128>,
    sum: &mut [Gf128],
    columns: &mut [Gf128],
) {
    let length = sum.len();
    if leaves.len() < AT_ONCE * length {
        leaves.wipe();
        leaves.resize(AT_ONCE * length, Gf128::ZERO);
    }
    let leaves = &mut leaves[..AT_ONCE * length];
    let gray = |step: usize| step ^ (step >> 1);
    // The bit that flips after a step, or the highest one after the last.
    let flips = |step: usize| ((step + 1).trailing_zeros() as usize).min(bits.saturating_sub(1));
    if bits < 3 {
        for step in 0..1_usize << bits {
            let leaf = &mut leaves[..length];
            fill(gray(step), leaf);
            let column = &mut columns[flips(step) * length..][..length];
            for (leaf, (a, v)) in leaf.iter().zip(sum.iter_mut().zip(column)) {
                *a += *leaf;
                *v += *a;
            }
        }
        return;
    }
    for first in (0..1_usize << bits).step_by(AT_ONCE) {
        for i in 0..AT_ONCE {
            fill(gray(first + i), &mut leaves[i * length..][..length]);
        }
        let (low, high) = columns.split_at_mut(2 * length);
        let (v_0, v_1) = low.split_at_mut(length);
        let v_f = &mut high[(flips(first + 3) - 2) * length..][..length];
        accumulate(leaves, sum, [v_0, v_1, v_f]);
    }
}

/// `a += b` under a mask of all ones or zeros.
pub(super) fn add_masked(a: &mut [Gf128], b: &[Gf128], mask: u128) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += Gf128::from_bits(b.to_bits() & mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Streams of these seeds, counted over all trees, with another salt for each tree.
    fn streams(bits: FieldBits, seed: impl Fn(usize) -> [u8; 16]) -> Streams {
        let seeds = (0..bits.trees() * bits.leaves()).map(seed).collect();
        Streams::new(bits, LeafSeeds::new(seeds, (0..bits.trees()).map(salt).collect()))
    }

    fn salt(t: usize) -> u64 {
        t as u64 * 5 + 3
    }

    /// Against the defining sums, for two chunks of different lengths, which continue the streams.
    #[test]
    fn columns_are_the_sums_of_the_definition() {
        for bits in FieldBits::ALL {
            let seed = |i: usize| (i as u128 * 77 + 1).to_le_bytes();
            let mut streams = streams(bits, seed);
            let mut position = 0;
            for blocks in [3, 5] {
                let mut seen = Vec::new();
                streams.advance(blocks, |t, u, _| seen.push((t, u.to_vec())));
                for (t, u) in seen {
                    let mut want = vec![vec![Gf128::ZERO; blocks]; bits.bits() + 1];
                    for x in 0..bits.leaves() {
                        let mut r = vec![Gf128::ZERO; blocks];
                        Aes::new(seed(t * bits.leaves() + x)).salted_ctr(salt(t), position, &mut r);
                        for j in 0..blocks {
                            want[bits.bits()][j] += r[j];
                            (0..bits.bits()).filter(|b| x >> b & 1 == 1).for_each(|b| want[b][j] += r[j]);
                        }
                    }
                    assert!(u == want[bits.bits()]);
                    let columns = streams.columns()[t * bits.bits() * blocks..].chunks_exact(blocks);
                    assert!(columns.zip(&want[..bits.bits()]).all(|(got, want)| got == want));
                }
                position += blocks as u64;
            }
        }
    }

    #[test]
    fn the_first_leaf_cancels_out_of_all_columns() {
        let bits = FieldBits::Four;
        let run = |first: u8| {
            let seed = |i: usize| if i.is_multiple_of(16) { [first; 16] } else { [i as u8; 16] };
            let mut streams = streams(bits, seed);
            streams.advance(4, |_, _, _| {});
            streams.columns().to_vec()
        };
        assert!(run(200) == run(201));
    }

    #[test]
    fn row_i_holds_bit_i_of_every_column() {
        let mut streams = streams(FieldBits::Eight, |i| [i as u8; 16]);
        streams.advance(5, |_, _, _| {});
        for rows in [0, 1, 127, 128, 129, 384] {
            let mut out = vec![Gf128::ONE];
            streams.rows(rows, &mut out).unwrap();
            assert_eq!(out.len(), rows + 1);
            for (i, row) in out[1..].iter().enumerate() {
                for c in 0..COLUMNS {
                    let bit = streams.columns()[c * 5 + i / 128].to_bits() >> (i % 128) & 1;
                    assert_eq!(row.to_bits() >> c & 1, bit);
                }
            }
        }
        assert!(matches!(streams.rows(385, &mut Vec::new()), Err(Error::Misuse(_))));
    }
}
