//! The correlations of one pass, made as they are taken from blocks of columns.
//!
//! A block has 32,768 rows, so that its columns stay in the second-level cache. The last one has the rows
//! that are left for values and for the mask of the relations, up to a whole byte, and 144 more, which mask
//! the columns' hashes. In P's first pass a row has only its bit `u_i`. Its second pass takes the columns
//! that it has kept, at most two million rows, and makes the others again.

use std::sync::{Arc, Mutex, PoisonError};

use volery_channel::{Channel, ChannelExt as _, tags};
use volery_field::{Gf128, Wipe as _, Wiped, gf128::Kernel};
use volery_vole::Error as VoleError;
use volery_vole::correlations::{Chain, Source};

use crate::columns::{COLUMNS, Trees, corrections};
use crate::hashes::{HASH_BITS, Hashes, cut, uncut};
use crate::primitive::Primitive;

/// The rows of each block but the last.
const ROWS: usize = 1 << 15;

/// The rows that are given at once, in blocks of 128: 64 kB of them, as much as their columns have.
const AT_ONCE: usize = 32;

/// The rows whose columns P keeps between its passes: 32 MB.
pub(crate) const KEPT: usize = 1 << 21;

/// The blocks of columns of a proof in which values and the mask of the relations take this many rows.
#[derive(Clone, Copy)]
pub(crate) struct Blocks(pub(crate) u64);

impl Blocks {
    /// How many there are: at least one.
    fn count(self) -> u64 {
        self.0.div_ceil(ROWS as u64).max(1)
    }

    /// Whether there is one.
    pub(crate) fn are_one(self) -> bool {
        self.count() == 1
    }

    /// The rows of values and of the relations' mask in a block; `None` if there is no such block.
    fn used(self, number: u64) -> Option<usize> {
        let before = number.checked_mul(ROWS as u64)?;
        (number < self.count()).then(|| self.0.saturating_sub(before).min(ROWS as u64) as usize)
    }

    /// All rows of a block, in which this many are used.
    fn all(self, number: u64, used: usize) -> usize {
        if number + 1 == self.count() { used.next_multiple_of(8) + HASH_BITS } else { used }
    }

    /// The bytes of a column: of all blocks; `None` if there are too many.
    pub(crate) fn column_bytes(self) -> Option<u64> {
        self.0.div_ceil(8).checked_add(HASH_BITS as u64 / 8)
    }
}

/// Zeros, under which masks are the values themselves: for P's run before its passes.
pub(crate) struct Zeros;

impl Source for Zeros {
    fn refill(&mut self, _channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), VoleError> {
        // Those of the last batch are zeros still.
        out.resize(1 << 12, Gf128::ZERO);
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, VoleError> {
        Err(VoleError::misuse("zeros have no chain"))
    }
}

/// What P keeps from its first pass for the second: the columns of the first blocks.
pub(crate) type Kept = Arc<Mutex<Vec<Wiped<Gf128>>>>;

/// The party and the pass.
pub(crate) enum Part {
    /// P's first pass: only the bits.
    Commit,
    /// P's second pass.
    Prove,
    /// V, with delta.
    Verify(u128),
}

/// The correlations of one pass. Corrections and the check go over the channel, which is a file and a
/// transcript.
pub(crate) struct Generator<P: Primitive> {
    trees: Arc<Trees<P>>,
    part: Part,
    threads: Option<Arc<rayon::ThreadPool>>,
    kept: Kept,
    blocks: Blocks,
    /// The number of the next block.
    number: u64,
    /// The columns at hand, and what P's trees add up to.
    columns: Vec<Gf128>,
    sums: Vec<Gf128>,
    /// Those of their blocks of 128 rows that are used, and how many were given.
    used: usize,
    given: usize,
    hashes: Option<Hashes>,
    /// Corrections, or masks of known values, which the proof contains.
    bytes: Vec<u8>,
}

impl<P: Primitive> Drop for Generator<P> {
    fn drop(&mut self) {
        self.columns.wipe();
        self.sums.wipe();
    }
}

impl<P: Primitive> Generator<P> {
    /// The generator of a pass; `challenge` selects the columns' hash, which the first pass does not make.
    pub(crate) fn new(
        trees: Arc<Trees<P>>,
        part: Part,
        blocks: Blocks,
        challenge: Option<[u8; 32]>,
        kept: Kept,
        threads: Option<Arc<rayon::ThreadPool>>,
    ) -> Self {
        let columns = 1 + trees.shape.key_bits();
        Self {
            trees,
            part,
            threads,
            kept,
            blocks,
            number: 0,
            columns: Vec::new(),
            sums: Vec::new(),
            used: 0,
            given: 0,
            hashes: challenge.map(|challenge| Hashes::new(challenge, columns)),
            bytes: Vec::new(),
        }
    }

    /// The columns of the next block, with P's `u` in number 0, or V's with P's corrections.
    fn block(&mut self, channel: &mut dyn Channel) -> Result<(), VoleError> {
        let number = self.number;
        let Some(used) = self.blocks.used(number) else {
            return Err(VoleError::misuse("the statement takes more commitments than its proof has"));
        };
        let rows = self.blocks.all(number, used);
        let blocks = rows.div_ceil(128);
        if !self.take_kept(blocks) {
            self.make(rows, channel)?;
        }
        self.number += 1;
        (self.used, self.given) = (used.div_ceil(128), 0);
        if let Some(hashes) = &mut self.hashes {
            if self.number == self.blocks.count() {
                hashes.mask(&mut self.columns, blocks, used.next_multiple_of(8));
            }
            hashes.absorb(&self.columns, blocks, self.used)?;
        }
        Ok(())
    }

    /// Makes the columns of the next block, which has this many rows. Sends or receives their corrections.
    fn make(&mut self, rows: usize, channel: &mut dyn Channel) -> Result<(), VoleError> {
        let (trees, blocks) = (&self.trees, rows.div_ceil(128));
        let first = self.number * (ROWS / 128) as u64;
        if let Part::Verify(_) = self.part {
            // Lengths come from V's own program and its parameters.
            self.bytes.resize(trees.correction_bytes(rows), 0);
            channel.recv_exact(tags::SOFT_SPOKEN_EXTEND, &mut self.bytes)?;
        }
        trees.expand(first, blocks, &mut self.columns, &mut self.sums, self.threads.as_deref());
        match self.part {
            Part::Verify(_) => trees.correct(&self.bytes, rows, &mut self.columns),
            Part::Prove | Part::Commit => self.columns[..blocks].copy_from_slice(&self.sums[..blocks]),
        }
        if let Part::Commit = self.part {
            channel.send(tags::SOFT_SPOKEN_EXTEND, &corrections(&self.sums, rows))?;
        }
        Ok(())
    }

    /// P's second pass: the columns of the next block, if they were kept.
    fn take_kept(&mut self, blocks: usize) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let number = usize::try_from(self.number).unwrap_or(usize::MAX);
        match (&self.part, kept.get_mut(number)) {
            (Part::Prove, Some(columns)) if columns.len() == COLUMNS * blocks => {
                self.columns.wipe();
                self.columns = core::mem::take(&mut **columns);
                true
            }
            _ => false,
        }
    }

    /// P's first pass: keeps the columns of the block at hand, if there is room.
    fn keep(&mut self) {
        if self.number <= (KEPT / ROWS) as u64 {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(Wiped::new(core::mem::take(&mut self.columns)));
        }
    }

    /// The next rows of the columns.
    fn rows(&mut self, out: &mut Vec<Gf128>) -> Result<(), VoleError> {
        let first = self.given;
        let blocks = (self.used - first).min(AT_ONCE);
        // A vector that grows leaves its old content behind; this one is empty.
        out.resize(128 * blocks, Gf128::ZERO);
        self.given += blocks;
        let rows = Kernel::detect().transpose_columns(&self.columns, first, out);
        rows.map_err(|error| VoleError::misuse(error.to_string()))
    }

    /// Whether rows of the columns are left to give.
    fn has_rows(&self) -> bool {
        self.given < self.used
    }

    /// P's first pass over values that are known already: `commitments` bits, with zeros above those of the
    /// last byte, for the first rows.
    pub(crate) fn commit(
        &mut self,
        values: impl IntoIterator<Item = u8>,
        commitments: u64,
        channel: &mut dyn Channel,
    ) -> Result<(), VoleError> {
        let (mut values, mut left) = (values.into_iter(), commitments);
        while self.number < self.blocks.count() {
            self.block(channel)?;
            let bits = left.min(128 * self.used as u64);
            left -= bits;
            self.bytes.clear();
            for (block, before) in self.sums[..self.used].iter().zip((0..bits).step_by(128)) {
                let of_block = (bits - before).min(128) as usize;
                let random = block.to_bits() & (u128::MAX >> (128 - of_block));
                let masks = random.to_le_bytes().into_iter().take(of_block.div_ceil(8));
                self.bytes.extend(masks.zip(&mut values).map(|(random, value)| random ^ value));
            }
            channel.send(tags::MASKS, &self.bytes)?;
            self.keep();
        }
        Ok(())
    }

    fn next(&mut self, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), VoleError> {
        let commits = matches!(self.part, Part::Commit);
        if !commits && self.has_rows() {
            return self.rows(out);
        }
        self.block(channel)?;
        if !commits {
            return self.rows(out);
        }
        // As in `rows`.
        out.resize(128 * self.used, Gf128::ZERO);
        for (rows, block) in out.as_chunks_mut::<128>().0.iter_mut().zip(&self.sums) {
            let bits = block.to_bits();
            rows.iter_mut().enumerate().for_each(|(i, row)| *row = Gf128::from_bits(bits >> i & 1));
        }
        self.keep();
        Ok(())
    }

    /// Sends the columns' hashes.
    fn end(&mut self, channel: &mut dyn Channel) -> Result<(), VoleError> {
        let Some(mut hashes) = self.hashes.take() else { return Ok(()) };
        let hash_of_u = match self.part {
            Part::Verify(delta) => {
                let hash = uncut(channel.recv_array(tags::SOFT_SPOKEN_CHECK)?);
                hashes.shift(hash, delta);
                hash
            }
            Part::Prove | Part::Commit => hashes.first(),
        };
        let mut message = cut(&hash_of_u).to_vec();
        message.extend_from_slice(&hashes.digest());
        // P's message, and V's own view of it for the transcript.
        Ok(channel.send(tags::SOFT_SPOKEN_CHECK, &message)?)
    }
}

impl<P: Primitive + Send + 'static> Source for Generator<P> {
    fn refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), VoleError> {
        // Its room is overwritten, and wiped in the end.
        out.clear();
        self.next(channel, out)
    }

    fn settle(&mut self, channel: &mut dyn Channel) -> Result<(), VoleError> {
        self.end(channel)
    }

    /// At the end of a block of columns, so that all masks of a block follow its corrections, and no others
    /// do.
    fn may_wait(&self) -> bool {
        matches!(self.part, Part::Commit) || !self.has_rows()
    }

    fn chain(&mut self, _channel: &mut dyn Channel, _taken: u64) -> Result<Chain, VoleError> {
        Err(VoleError::misuse("the challenge of a public proof does not come from its correlations"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the rows are, blocks share them out, and the last has those of the hashes.
    #[test]
    fn blocks_have_all_rows_and_the_last_one_those_that_mask_the_hashes() {
        let most = ROWS as u64;
        for rows in [128, 129, 1728, most - 1, most, most + 1, 5 * most - 7, 5 * most] {
            let blocks = Blocks(rows);
            assert_eq!((blocks.used(blocks.count()), blocks.are_one()), (None, rows <= most));
            let mut all = 0;
            for number in 0..blocks.count() {
                let used = blocks.used(number).expect("a block");
                assert!(used > 0 && (used == ROWS || number + 1 == blocks.count()), "{rows} {number}");
                all += blocks.all(number, used) as u64;
            }
            assert_eq!(all, rows.next_multiple_of(8) + 144);
            assert_eq!(blocks.column_bytes(), Some(all / 8));
        }
        assert_eq!(Blocks(u64::MAX).used(u64::MAX), None);
    }
}
