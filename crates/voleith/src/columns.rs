//! From trees to correlations: the columns of a small-field VOLE for each tree, corrections that make them
//! one VOLE, and the hash of all columns that shows that they are one.
//!
//! Leaf `x` of tree `t` has a stream of bits `r_{t,x}`. P adds up `u_t = sum_x r_{t,x}` and, for each bit `b`
//! of a leaf's number, the column `v_{t,b} = sum of r_{t,x} over x with bit b`. V lacks the leaf `y_t`, and
//! numbers the others by `x + y_t` (bitwise), so that the missing one has number 0 and no column contains it:
//! `w_{t,b} = v_{t,b} + (bit b of y_t) u_t`. P gives `c_t = u_t + u_0` for `t > 0`, with which V changes
//! `u_t` into `u = u_0`. Then row `i` of all columns is P's tag `m_i` and V's key
//!
//! ```text
//! k_i = m_i + u_i delta          delta = 1 + sum of the key's bits, from position 1 up
//! ```
//!
//! *Position 0*: delta's lowest bit is always one, and keys are even, as everywhere in this workspace. In
//! column 0 P writes `u`, and V zeros. It takes no tree and costs no soundness, since the trees' bits of
//! delta are as many as they would be without it. Positions above those of the trees are zero in delta, in
//! all tags and in all keys.
//!
//! *The hash* of a column is 128 bits and 16 more: [`LinearHash`] cut to 144 bits. The coefficients of both
//! halves are independent and uniform, and a uniform multiple of what is not zero has any 16 bits with
//! probability `2^-16`, so two different columns have one hash with probability `2^-144` at most. 144 more
//! rows, which nothing else uses, are added to it and hide it.
//!
//! Columns are made in blocks, from 2048 rows up to 32,768, so that a block's columns stay in the
//! second-level cache. In P's first pass a row has only its bit `u_i`. Its second pass takes the columns that
//! it has kept, at most two million rows, and makes the others again.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use volery_channel::{Channel, ChannelExt as _, tags};
use volery_field::{Gf128, Wipe as _, Wiped, gf128::Kernel};
use volery_vole::correlations::{Chain, Source};
use volery_vole::softspoken::LinearHash;
use volery_vole::{Error as VoleError, SessionId, Transcript};

use crate::Shape;
use crate::commitment::Seeds;
use crate::primitive::{Primitive, Streams as _};

/// The bits of an element, which are the columns; and the rows of a block of a column.
const COLUMNS: usize = 128;

/// The bits of a column's hash, and the rows that mask it.
pub(crate) const HASH_BITS: usize = 144;

/// Its bytes: those of the first half, and two of the second.
pub(crate) const HASH_BYTES: usize = HASH_BITS / 8;

/// The rows of the first block.
pub(crate) const FIRST: usize = 1 << 11;

/// The rows of each block from the fifth on; the others double.
pub(crate) const MOST: usize = 1 << 15;

/// The rows that are given at once, in blocks of 128: 64 kB of them, as much as their columns have.
const AT_ONCE: usize = 32;

/// The rows whose columns P keeps between its passes: 32 MB.
pub(crate) const KEPT: usize = 1 << 21;

/// The rows of block `number`, unless the statement ends in it.
pub(crate) fn rows_of(number: usize) -> usize {
    (FIRST << number.min(4)).min(MOST)
}

/// The trees' leaves at one party.
pub struct Trees<P: Primitive> {
    shape: Shape,
    streams: Vec<P::Streams>,
    #[cfg(test)]
    seeds: Seeds,
    /// V's missing leaves.
    hidden: Option<Vec<usize>>,
}

impl<P: Primitive> Trees<P> {
    /// The trees with these seeds of their leaves. V gives the numbers of the leaves that it lacks.
    pub fn new(primitive: &P, shape: Shape, seeds: Seeds, hidden: Option<Vec<usize>>) -> Self {
        let of_tree = |t| primitive.streams(t, &seeds[shape.offset(t)..][..shape.leaves(t)]);
        let streams = (0..shape.trees()).map(of_tree).collect();
        Self {
            shape,
            streams,
            #[cfg(test)]
            seeds,
            hidden,
        }
    }

    /// The seeds, but for that of leaf `j` of tree `t`.
    #[cfg(test)]
    pub(crate) fn other_seeds(&self, t: usize, j: usize) -> Seeds {
        let mut seeds = self.seeds.clone();
        seeds[self.shape.offset(t) + j] += Gf128::ONE;
        seeds
    }

    /// Makes `blocks` blocks of 128 rows from number `first` on: 128 `columns`, of which number 0 and those
    /// above the trees' are zero, and the `sums` of all leaves of each tree, which mean something only at P.
    pub fn expand(
        &self,
        first: u64,
        blocks: usize,
        columns: &mut Vec<Gf128>,
        sums: &mut Vec<Gf128>,
        threads: Option<&rayon::ThreadPool>,
    ) {
        let shape = self.shape;
        // (FAEST's first version, which tests run, has no zeros above its trees.)
        zeros(columns, COLUMNS.max(1 + shape.key_bits()) * blocks);
        zeros(sums, shape.trees() * blocks);
        let mut rest = &mut columns[blocks..];
        let mut jobs = Vec::with_capacity(shape.trees());
        for (t, sum) in sums.chunks_exact_mut(blocks).enumerate() {
            let (of_tree, after) = rest.split_at_mut(shape.levels(t) * blocks);
            rest = after;
            jobs.push((t, of_tree, sum));
        }
        let run = |leaves: &mut Wiped<Gf128>, (t, columns, sum): (usize, &mut [Gf128], &mut [Gf128])| {
            let hidden = self.hidden.as_ref().and_then(|hidden| hidden.get(t)).copied().unwrap_or(0);
            self.streams[t].combine(shape.levels(t), hidden, first, leaves, sum, columns);
        };
        let buffer = Wiped::default;
        match threads {
            Some(pool) if pool.current_num_threads() > 1 => {
                pool.install(|| jobs.into_par_iter().for_each_init(buffer, run));
            }
            _ => {
                let mut leaves = buffer();
                jobs.into_iter().for_each(|job| run(&mut leaves, job));
            }
        }
    }

    /// The bytes of the corrections of `rows` rows, which are whole bytes.
    fn correction_bytes(&self, rows: usize) -> usize {
        rows / 8 * (self.shape.trees() - 1)
    }

    /// V: adds the corrections of `rows` rows to the columns.
    fn correct(&self, corrections: &[u8], rows: usize, columns: &mut [Gf128]) {
        let blocks = rows.div_ceil(128);
        let shape = self.shape;
        let hidden = self.hidden.as_deref().unwrap_or_default();
        for (t, corrections) in (1..shape.trees()).zip(corrections.chunks_exact(rows / 8)) {
            let (whole, rest) = corrections.as_chunks();
            let piece = hidden.get(t).copied().unwrap_or(0);
            let first = 1 + shape.first_bit(t);
            for b in (0..shape.levels(t)).filter(|b| piece >> b & 1 == 1) {
                let column = &mut columns[(first + b) * blocks..][..blocks];
                for (to, bytes) in column.iter_mut().zip(whole) {
                    *to += Gf128::from_bytes(*bytes);
                }
                if let Some(to) = column.get_mut(whole.len()) {
                    let mut bytes = [0; 16];
                    bytes.iter_mut().zip(rest).for_each(|(to, byte)| *to = *byte);
                    *to += Gf128::from_bytes(bytes);
                }
            }
        }
    }
}

/// Makes `out` zeros, `length` of them. If it has to move, nothing stays behind.
fn zeros(out: &mut Vec<Gf128>, length: usize) {
    if out.capacity() < length {
        out.wipe();
    }
    out.clear();
    out.resize(length, Gf128::ZERO);
}

/// P's corrections of `rows` rows, which are whole bytes: `u_t + u_0` for each tree but the first.
fn corrections(sums: &[Gf128], rows: usize) -> Vec<u8> {
    let blocks = rows.div_ceil(128);
    let (first, others) = sums.split_at(blocks);
    let mut bytes = vec![0; rows / 8 * others.len() / blocks];
    for (to, sum) in bytes.chunks_exact_mut(rows / 8).zip(others.chunks_exact(blocks)) {
        let mut each = sum.iter().zip(first).map(|(a, b)| (*a + *b).to_bytes());
        let (whole, rest) = to.as_chunks_mut();
        whole.iter_mut().zip(&mut each).for_each(|(to, block)| *to = block);
        rest.iter_mut().zip(each.flatten()).for_each(|(to, byte)| *to = byte);
    }
    bytes
}

/// The hash of every column, as it grows; see [`LinearHash`].
struct Hashes {
    challenges: Transcript,
    sums: Wiped<[Gf128; 2]>,
}

impl Hashes {
    /// Of the first `columns` columns, by the function that `challenge` selects.
    fn new(challenge: [u8; 32], columns: usize) -> Self {
        let challenges = Transcript::new("voleith: hash of the columns", &SessionId::new(challenge));
        Self { challenges, sums: Wiped::new(vec![[Gf128::ZERO; 2]; columns]) }
    }

    fn absorb(&mut self, columns: &[Gf128], blocks: usize) -> Result<(), VoleError> {
        let function = LinearHash::of_body(self.challenges.challenge_seed("block"), blocks);
        for (sum, column) in self.sums.iter_mut().zip(columns.chunks_exact(blocks)) {
            let part = function.combine(column)?;
            sum[0] += part[0];
            sum[1] += part[1];
        }
        Ok(())
    }

    /// Adds the columns' last two blocks, of which the second has more rows than the hash.
    fn mask(&mut self, columns: &[Gf128]) {
        for (sum, masks) in self.sums.iter_mut().zip(columns.as_chunks::<2>().0) {
            sum[0] += masks[0];
            sum[1] += masks[1];
        }
    }

    /// V: adds P's hash of `u` where delta has a one.
    fn shift(&mut self, hash_of_u: [Gf128; 2], delta: u128) {
        for (_, sum) in self.sums.iter_mut().enumerate().filter(|(i, _)| delta >> i & 1 == 1) {
            sum[0] += hash_of_u[0];
            sum[1] += hash_of_u[1];
        }
    }

    fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 voleith hashes of the columns v1");
        for sum in self.sums.iter() {
            hasher.update(&cut(sum));
        }
        *hasher.finalize().as_bytes()
    }
}

/// The bytes of a hash.
fn cut(hash: &[Gf128; 2]) -> [u8; HASH_BYTES] {
    let mut bytes = [0; HASH_BYTES];
    let all = hash.iter().flat_map(|half| half.to_bytes());
    bytes.iter_mut().zip(all).for_each(|(to, byte)| *to = byte);
    bytes
}

/// The hash with these bytes, with zeros above.
fn uncut(bytes: [u8; HASH_BYTES]) -> [Gf128; 2] {
    let mut hash = [[0; 16]; 2];
    hash.as_flattened_mut().iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    hash.map(Gf128::from_bytes)
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

/// The correlations of one pass, made as they are taken. Corrections and the check go over the channel, which
/// is a file and a transcript.
pub(crate) struct Stock<P: Primitive> {
    trees: Arc<Trees<P>>,
    part: Part,
    threads: Option<Arc<rayon::ThreadPool>>,
    kept: Kept,
    /// All rows, if they are known.
    total: Option<u64>,
    /// The blocks of 128 rows given so far.
    given: u64,
    /// Those of the columns at hand.
    given_of_block: usize,
    /// The number of the next block of the stock.
    number: usize,
    /// The rows that were taken, once that is known.
    taken: u64,
    hashes: Option<Hashes>,
    columns: Vec<Gf128>,
    sums: Vec<Gf128>,
    /// Corrections, or masks of known values, which the proof contains.
    bytes: Vec<u8>,
}

impl<P: Primitive> Drop for Stock<P> {
    fn drop(&mut self) {
        self.columns.wipe();
        self.sums.wipe();
    }
}

impl<P: Primitive> Stock<P> {
    /// The stock of a pass; `check` are all of its rows and the challenge of the columns' hash, which the
    /// first pass does not know.
    pub(crate) fn new(
        trees: Arc<Trees<P>>,
        part: Part,
        check: Option<(u64, [u8; 32])>,
        kept: Kept,
        threads: Option<Arc<rayon::ThreadPool>>,
    ) -> Self {
        let columns = 1 + trees.shape.key_bits();
        Self {
            trees,
            part,
            threads,
            kept,
            total: check.map(|(total, _)| total),
            given: 0,
            given_of_block: 0,
            number: 0,
            taken: 0,
            hashes: check.map(|(_, challenge)| Hashes::new(challenge, columns)),
            columns: Vec::new(),
            sums: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Makes columns of whole blocks of 128 rows, with P's `u` in number 0, or V's with P's corrections of
    /// `rows` rows. Sends or receives these.
    fn make(&mut self, first: u64, rows: usize, channel: &mut dyn Channel) -> Result<(), VoleError> {
        let (trees, blocks) = (&self.trees, rows.div_ceil(128));
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

    /// P's second pass: the columns of block `number`, if they were kept.
    fn take_kept(&mut self, number: usize) -> bool {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get_mut(number) {
            Some(columns) => {
                self.columns.wipe();
                self.columns = core::mem::take(&mut **columns);
                true
            }
            None => false,
        }
    }

    /// P's first pass: keeps the columns of a block, if there is room.
    fn keep(&mut self, blocks: usize) {
        if (self.given as usize + blocks) * 128 <= KEPT {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(Wiped::new(core::mem::take(&mut self.columns)));
        }
    }

    /// The next rows of the columns.
    fn rows(&mut self, out: &mut Vec<Gf128>) -> Result<(), VoleError> {
        let first = self.given_of_block;
        let blocks = (self.columns.len() / COLUMNS - first).min(AT_ONCE);
        // A vector that grows leaves its old content behind; this one is empty.
        out.resize(128 * blocks, Gf128::ZERO);
        self.given_of_block += blocks;
        self.given += blocks as u64;
        let rows = Kernel::detect().transpose_columns(&self.columns, first, out);
        rows.map_err(|error| VoleError::misuse(error.to_string()))
    }

    /// Whether rows of the columns are left to give.
    fn has_rows(&self) -> bool {
        self.given_of_block < self.columns.len() / COLUMNS
    }

    /// P's first pass over values that are known already: `commitments` bits, with zeros above those of the
    /// last byte, for the first of `rows` rows.
    pub(crate) fn commit(
        &mut self,
        values: impl IntoIterator<Item = u8>,
        commitments: u64,
        rows: u64,
        channel: &mut dyn Channel,
    ) -> Result<(), VoleError> {
        let mut values = values.into_iter();
        while 128 * self.given < rows {
            let (first, blocks) = (self.given, rows_of(self.number) / 128);
            self.make(first, 128 * blocks, channel)?;
            let bits = commitments.saturating_sub(128 * first).min(128 * blocks as u64);
            self.bytes.clear();
            for (block, left) in self.sums[..blocks].iter().zip((0..bits).step_by(128)) {
                let of_block = (bits - left).min(128) as usize;
                let random = block.to_bits() & (u128::MAX >> (128 - of_block));
                let masks = random.to_le_bytes().into_iter().take(of_block.div_ceil(8));
                self.bytes.extend(masks.zip(&mut values).map(|(random, value)| random ^ value));
            }
            channel.send(tags::MASKS, &self.bytes)?;
            self.keep(blocks);
            self.given += blocks as u64;
            self.number += 1;
        }
        self.taken = rows;
        Ok(())
    }

    fn next(&mut self, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), VoleError> {
        let commits = matches!(self.part, Part::Commit);
        if !commits && self.has_rows() {
            return self.rows(out);
        }
        let (first, number) = (self.given, self.number);
        let most = (rows_of(number) / 128) as u64;
        let left = self.total.map_or(u64::MAX, |total| total.div_ceil(128).saturating_sub(first));
        if left == 0 {
            return Err(VoleError::misuse("the statement takes more commitments than its proof has"));
        }
        let blocks = most.min(left) as usize;
        self.number += 1;
        if commits {
            self.make(first, 128 * blocks, channel)?;
            // As in `rows`.
            out.resize(128 * blocks, Gf128::ZERO);
            for (rows, block) in out.as_chunks_mut::<128>().0.iter_mut().zip(&self.sums) {
                let bits = block.to_bits();
                rows.iter_mut().enumerate().for_each(|(i, row)| *row = Gf128::from_bits(bits >> i & 1));
            }
            self.keep(blocks);
            self.given += blocks as u64;
            return Ok(());
        }
        if !self.take_kept(number) {
            self.make(first, 128 * blocks, channel)?;
        }
        // A block that was kept may be longer than what is used of it.
        let length = self.columns.len() / COLUMNS;
        if length > blocks {
            for column in 0..COLUMNS {
                self.columns.copy_within(column * length..column * length + blocks, column * blocks);
            }
            self.columns[COLUMNS * blocks..].wipe();
            self.columns.truncate(COLUMNS * blocks);
        }
        if let Some(hashes) = &mut self.hashes {
            hashes.absorb(&self.columns, blocks)?;
        }
        self.given_of_block = 0;
        self.rows(out)
    }

    /// The rows that mask the columns' hashes follow those that were taken.
    fn end(&mut self, channel: &mut dyn Channel) -> Result<(), VoleError> {
        self.make(self.taken.div_ceil(128), HASH_BITS, channel)?;
        let Some(mut hashes) = self.hashes.take() else { return Ok(()) };
        hashes.mask(&self.columns);
        let hash_of_u = match self.part {
            Part::Verify(delta) => {
                let hash = uncut(channel.recv_array(tags::SOFT_SPOKEN_CHECK)?);
                hashes.shift(hash, delta);
                hash
            }
            Part::Prove | Part::Commit => hashes.sums.first().copied().unwrap_or_default(),
        };
        let mut message = cut(&hash_of_u).to_vec();
        message.extend_from_slice(&hashes.digest());
        // P's message, and V's own view of it for the transcript.
        Ok(channel.send(tags::SOFT_SPOKEN_CHECK, &message)?)
    }
}

impl<P: Primitive + Send + 'static> Source for Stock<P> {
    fn refill(&mut self, channel: &mut dyn Channel, out: &mut Vec<Gf128>) -> Result<(), VoleError> {
        // Its room is overwritten, and wiped in the end.
        out.clear();
        self.next(channel, out)
    }

    fn expect(&mut self, end: Option<u64>) {
        self.taken = end.unwrap_or(self.taken);
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
    use crate::commitment::commit;
    use crate::{Native, Parameters};

    fn trees(parameters: Parameters, hidden: Option<Vec<usize>>) -> Trees<Native> {
        let shape = parameters.shape();
        let native = Native::new(&[1; 32], shape.trees());
        let mut committed = commit(&native, shape, Gf128::from_bits(3));
        if let Some(hidden) = &hidden {
            for (t, j) in hidden.iter().enumerate() {
                // Whatever V takes for a leaf that it lacks.
                committed.seeds[shape.offset(t) + j] = Gf128::from_bits(99);
            }
        }
        Trees::new(&native, shape, core::mem::take(&mut committed.seeds), hidden)
    }

    /// Rows correlate under delta, whose bits at the trees' positions are the challenge's, whatever the
    /// leaves are that V lacks and with any number of threads.
    #[test]
    fn rows_of_both_parties_correlate() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        for parameters in [Parameters::Fast, Parameters::Small80] {
            let shape = parameters.shape();
            let challenge = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128 & ((1 << shape.key_bits()) - 1);
            let delta = Gf128::from_bits(challenge << 1 | 1);
            let (p, v) = (trees(parameters, None), trees(parameters, Some(shape.pieces(challenge))));
            let blocks = 3;
            let ([mut p_columns, mut v_columns], mut sums) = ([const { Vec::new() }; 2], Vec::new());
            v.expand(5, blocks, &mut v_columns, &mut sums, Some(&pool));
            p.expand(5, blocks, &mut p_columns, &mut sums, None);
            p_columns[..blocks].copy_from_slice(&sums[..blocks]);
            v.correct(&corrections(&sums, 128 * blocks), 128 * blocks, &mut v_columns);
            for i in 0..128 * blocks {
                let row = |columns: &[Gf128]| {
                    let bit = |c: usize| columns[c * blocks + i / 128].to_bits() >> (i % 128) & 1;
                    Gf128::from_bits((0..128).fold(0, |row, c| row | bit(c) << c))
                };
                let (m, k) = (row(&p_columns), row(&v_columns));
                assert!(k == m + delta * m.lsb() && k.to_bits() & 1 == 0, "{parameters:?} {i}");
                assert_eq!(m.to_bits() >> (shape.key_bits() + 1), 0);
            }
        }
    }

    #[test]
    fn blocks_grow_and_stay_in_the_cache() {
        assert_eq!([0, 1, 2, 3, 4, 5, 1000].map(rows_of), [FIRST, 4096, 8192, 16_384, MOST, MOST, MOST]);
    }

    #[test]
    fn the_hash_of_columns_does_not_depend_on_where_threads_or_parties_cut_and_does_on_every_bit() {
        let columns: Vec<_> = (0..6_u128).map(|i| Gf128::from_bits(i * i + 1)).collect();
        let hash = |columns: &[Gf128], challenge: u8| {
            let mut hashes = Hashes::new([challenge; 32], 2);
            hashes.absorb(columns, 3).expect("hashes");
            hashes.mask(&[Gf128::ONE, Gf128::ZERO, Gf128::ZERO, Gf128::ONE]);
            hashes.digest()
        };
        let base = hash(&columns, 1);
        assert_ne!(base, hash(&columns, 2));
        for i in 0..6 {
            let mut changed = columns.clone();
            changed[i] += Gf128::from_bits(1 << 77);
            assert_ne!(base, hash(&changed, 1));
        }
    }
}
