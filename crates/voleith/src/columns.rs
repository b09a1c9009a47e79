//! From trees to correlations: the columns of a small-field VOLE for each tree, and corrections that make
//! them one VOLE.
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
//! A short proof takes one call for all of its rows: the leaves' keys are expanded tree by tree, in one room.
//! For a long one those of all trees are kept.

use rayon::prelude::*;
use volery_field::{Gf128, Wipe as _, Wiped};

use crate::Shape;
use crate::commitment::Seeds;
use crate::primitive::{Primitive, Streams as _};

/// The bits of an element, which are the columns; and the rows of a block of a column.
pub(crate) const COLUMNS: usize = 128;

/// The trees' leaves at one party.
pub struct Trees<P: Primitive> {
    primitive: P,
    pub(crate) shape: Shape,
    seeds: Seeds,
    /// None if columns are made only once.
    streams: Vec<P::Streams>,
    /// V's missing leaves.
    hidden: Option<Vec<usize>>,
}

impl<P: Primitive> Trees<P> {
    /// The trees with these seeds of their leaves. V gives the numbers of the leaves that it lacks. If
    /// columns are made only `once`, keys are not kept.
    pub fn new(primitive: P, shape: Shape, seeds: Seeds, hidden: Option<Vec<usize>>, once: bool) -> Self {
        let kept = if once { 0 } else { shape.trees() };
        let of_tree = |t| primitive.streams(t, &seeds[shape.offset(t)..][..shape.leaves(t)]);
        let streams = (0..kept).map(of_tree).collect();
        Self { primitive, shape, seeds, streams, hidden }
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
        let run = |room: &mut Room<P>, (t, columns, sum): (usize, &mut [Gf128], &mut [Gf128])| {
            let hidden = self.hidden.as_ref().and_then(|hidden| hidden.get(t)).copied().unwrap_or(0);
            let Room { leaves, streams } = room;
            let streams = self.streams.get(t).unwrap_or_else(|| self.expand_keys(t, streams));
            streams.combine(shape.levels(t), hidden, first, leaves, sum, columns);
        };
        let buffer = Room::default;
        match threads {
            Some(pool) if pool.current_num_threads() > 1 => {
                pool.install(|| jobs.into_par_iter().for_each_init(buffer, run));
            }
            _ => {
                let mut room = buffer();
                jobs.into_iter().for_each(|job| run(&mut room, job));
            }
        }
    }

    /// The streams of tree `t`, in the room of other ones.
    fn expand_keys<'r>(&self, t: usize, room: &'r mut Option<P::Streams>) -> &'r P::Streams {
        let seeds = &self.seeds[self.shape.offset(t)..][..self.shape.leaves(t)];
        match room {
            Some(streams) => {
                self.primitive.streams_again(t, seeds, streams);
                streams
            }
            None => room.insert(self.primitive.streams(t, seeds)),
        }
    }

    /// The bytes of the corrections of `rows` rows, which are whole bytes.
    pub(crate) fn correction_bytes(&self, rows: usize) -> usize {
        rows / 8 * (self.shape.trees() - 1)
    }

    /// V: adds the corrections of `rows` rows to the columns.
    pub(crate) fn correct(&self, corrections: &[u8], rows: usize, columns: &mut [Gf128]) {
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

/// What making the columns of a tree takes.
struct Room<P: Primitive> {
    leaves: Wiped<Gf128>,
    streams: Option<P::Streams>,
}

impl<P: Primitive> Default for Room<P> {
    fn default() -> Self {
        Self { leaves: Wiped::default(), streams: None }
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
pub(crate) fn corrections(sums: &[Gf128], rows: usize) -> Vec<u8> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commitment::commit;
    use crate::{Native, Parameters};

    fn trees(parameters: Parameters, hidden: Option<Vec<usize>>, once: bool) -> Trees<Native> {
        let shape = parameters.shape();
        let native = Native::new(&[1; 32], shape.trees());
        let mut committed = commit(&native, shape, Gf128::from_bits(3));
        if let Some(hidden) = &hidden {
            for (t, j) in hidden.iter().enumerate() {
                // Whatever V takes for a leaf that it lacks.
                committed.seeds[shape.offset(t) + j] = Gf128::from_bits(99);
            }
        }
        Trees::new(native, shape, core::mem::take(&mut committed.seeds), hidden, once)
    }

    /// Rows correlate under delta, whose bits at the trees' positions are the challenge's, whatever the
    /// leaves are that V lacks, with any number of threads, and whether or not keys are kept.
    #[test]
    fn rows_of_both_parties_correlate() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        for parameters in [Parameters::Fast, Parameters::Small80] {
            let shape = parameters.shape();
            let challenge = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128 & ((1 << shape.key_bits()) - 1);
            let delta = Gf128::from_bits(challenge << 1 | 1);
            let (p, v) =
                (trees(parameters, None, true), trees(parameters, Some(shape.pieces(challenge)), false));
            let blocks = 3;
            let ([mut p_columns, mut v_columns], mut sums) = ([const { Vec::new() }; 2], Vec::new());
            v.expand(5, blocks, &mut v_columns, &mut sums, Some(&pool));
            p.expand(5, blocks, &mut p_columns, &mut sums, None);
            p_columns[..blocks].copy_from_slice(&sums[..blocks]);
            let rows = 128 * blocks - 40;
            v.correct(&corrections(&sums, rows), rows, &mut v_columns);
            for i in 0..rows {
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
}
