//! The real matrix, and what is left when its least used columns are taken away one by one.

use super::super::{Field, Instance};
use super::minor::Minor;
use crate::positions::Positions;

/// Rows whose positions are computed at once.
const BATCH: usize = 1 << 12;

/// How many rows lie within the columns that are left, for each number of columns that peeling passes
/// through.
pub(super) struct Peeled {
    /// `rows[c]`: rows that have no position outside of `c` columns.
    rows: Vec<u32>,
    /// Columns in the order in which they went.
    #[cfg(test)]
    order: Vec<u32>,
}

/// The matrix, by rows and by columns.
struct Matrix {
    /// Positions of row `r`: `entries[r * locality..][..lengths[r]]`.
    entries: Vec<u32>,
    lengths: Vec<u8>,
    locality: usize,
    /// Rows with a position in column `c`: `by_column[starts[c]..starts[c + 1]]`.
    by_column: Vec<u32>,
    starts: Vec<usize>,
}

impl Matrix {
    fn new(instance: &Instance, locality: u32, key: [u8; 16]) -> Self {
        let (columns, rows, locality) =
            (instance.dimension() as usize, instance.samples() as usize, locality as usize);
        let positions = Positions::new(key, instance.dimension(), locality);
        let mut entries = vec![0_u32; rows * locality];
        for (i, part) in entries.chunks_mut(BATCH * locality).enumerate() {
            positions.fill((i * BATCH) as u64, part);
        }
        let cancel = instance.field() == Field::Binary;
        let lengths: Vec<u8> =
            entries.chunks_exact_mut(locality).map(|row| distinct(row, cancel) as u8).collect();
        let mut starts = vec![0_usize; columns + 1];
        for (row, &length) in entries.chunks_exact(locality).zip(&lengths) {
            for &column in &row[..length.into()] {
                starts[column as usize + 1] += 1;
            }
        }
        for c in 0..columns {
            starts[c + 1] += starts[c];
        }
        let mut next = starts.clone();
        let mut by_column = vec![0_u32; starts[columns]];
        for (r, (row, &length)) in entries.chunks_exact(locality).zip(&lengths).enumerate() {
            for &column in &row[..length.into()] {
                let place = &mut next[column as usize];
                by_column[*place] = r as u32;
                *place += 1;
            }
        }
        Self { entries, lengths, locality, by_column, starts }
    }

    fn row(&self, r: usize) -> &[u32] {
        &self.entries[r * self.locality..][..self.lengths[r].into()]
    }

    fn column(&self, c: usize) -> &[u32] {
        &self.by_column[self.starts[c]..self.starts[c + 1]]
    }
}

/// Moves the positions that count to the front and tells how many they are: each once, over F2 those that
/// occur an even number of times not at all.
fn distinct(row: &mut [u32], cancel: bool) -> usize {
    row.sort_unstable();
    let (mut kept, mut i) = (0, 0);
    while i < row.len() {
        let column = row[i];
        let times = row[i..].iter().take_while(|&&other| other == column).count();
        if !cancel || times % 2 == 1 {
            row[kept] = column;
            kept += 1;
        }
        i += times;
    }
    kept
}

/// Columns in order of the rows they still have: a bucket for each number of rows, one after the other in one
/// array.
struct Queue {
    order: Vec<u32>,
    place: Vec<u32>,
    degree: Vec<u32>,
    /// Where each bucket begins, if it is behind `front`.
    buckets: Vec<u32>,
    /// Columns before it have been taken.
    front: u32,
}

impl Queue {
    fn new(degree: Vec<u32>) -> Self {
        let most = degree.iter().copied().max().unwrap_or(0) as usize;
        let mut buckets = vec![0_u32; most + 2];
        for &d in &degree {
            buckets[d as usize + 1] += 1;
        }
        for d in 0..=most {
            buckets[d + 1] += buckets[d];
        }
        let mut next = buckets.clone();
        let (mut order, mut place) = (vec![0; degree.len()], vec![0; degree.len()]);
        for (column, &d) in degree.iter().enumerate() {
            let at = &mut next[d as usize];
            order[*at as usize] = column as u32;
            place[column] = *at;
            *at += 1;
        }
        Self { order, place, degree, buckets, front: 0 }
    }

    /// A column with fewest rows.
    fn pop(&mut self) -> Option<usize> {
        let column = *self.order.get(self.front as usize)? as usize;
        self.front += 1;
        Some(column)
    }

    /// One row less for a column; those that have been taken don't care.
    fn decrement(&mut self, column: usize) {
        let at = self.place[column];
        if at < self.front {
            return;
        }
        let degree = self.degree[column] as usize;
        let first = self.buckets[degree].max(self.front);
        let other = self.order[first as usize];
        self.order[first as usize] = column as u32;
        self.order[at as usize] = other;
        self.place[other as usize] = at;
        self.place[column] = first;
        self.buckets[degree] = first + 1;
        self.degree[column] -= 1;
    }
}

impl Peeled {
    /// Takes away, again and again, a column with fewest rows, and its rows with it.
    pub(super) fn new(instance: &Instance, locality: u32, key: [u8; 16]) -> Self {
        let matrix = Matrix::new(instance, locality, key);
        let columns = matrix.starts.len() - 1;
        let mut queue = Queue::new((0..columns).map(|c| matrix.column(c).len() as u32).collect());
        let mut gone = vec![false; matrix.lengths.len()];
        let mut left = matrix.lengths.len() as u32;
        let mut rows = vec![0; columns + 1];
        rows[columns] = left;
        for c in (0..columns).rev() {
            let Some(column) = queue.pop() else { break };
            for &r in matrix.column(column) {
                if core::mem::replace(&mut gone[r as usize], true) {
                    continue;
                }
                left -= 1;
                for &other in matrix.row(r as usize) {
                    queue.decrement(other as usize);
                }
            }
            rows[c] = left;
        }
        Self {
            rows,
            #[cfg(test)]
            order: queue.order,
        }
    }

    /// The minors with more rows than columns, from the smallest after which all have, up to some that are no
    /// longer of use.
    pub(super) fn minors(&self) -> impl Iterator<Item = Minor> {
        let first =
            self.rows.iter().enumerate().rposition(|(c, &r)| r as usize <= c).map_or(0, |last| last + 1);
        let minors = self.rows.iter().enumerate().skip(first).take(USEFUL);
        minors.map(|(c, &r)| Minor { columns: c as f64, rows: f64::from(r) })
    }
}

/// Minors that are costed: each column taken away loses some rows more, and hundreds of spare rows are too
/// many.
const USEFUL: usize = 1 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    /// Peeling by its definition, everything counted anew at each step.
    fn naive(rows: &[Vec<u32>], columns: usize) -> Vec<u32> {
        let mut left: Vec<&Vec<u32>> = rows.iter().collect();
        let mut alive = vec![true; columns];
        let mut curve = vec![0; columns + 1];
        curve[columns] = left.len() as u32;
        for c in (0..columns).rev() {
            let degree = |column: &usize| left.iter().filter(|row| row.contains(&(*column as u32))).count();
            let column = (0..columns).filter(|&c| alive[c]).min_by_key(degree).unwrap();
            alive[column] = false;
            left.retain(|row| !row.contains(&(column as u32)));
            curve[c] = left.len() as u32;
        }
        curve
    }

    /// Ties are broken differently, so the curves only come close; the degrees of the first steps agree
    /// exactly.
    #[test]
    fn peeling_takes_columns_of_fewest_rows() {
        for (field, locality) in [(Field::Binary, 3), (Field::Large { bits: 61 }, 4)] {
            let instance = Instance::over(field, 64, 20, 16).unwrap();
            let matrix = Matrix::new(&instance, locality, [3; 16]);
            let rows: Vec<Vec<u32>> = (0..320).map(|r| matrix.row(r).to_vec()).collect();
            let (fast, slow) = (Peeled::new(&instance, locality, [3; 16]).rows, naive(&rows, 64));
            assert!(rows.iter().any(|row| row.len() < locality as usize) && fast[63..] == slow[63..]);
            assert!(fast.is_sorted() && fast[0] == rows.iter().filter(|row| row.is_empty()).count() as u32);
            assert!(fast.iter().zip(&slow).all(|(f, s)| f.abs_diff(*s) <= 12), "{fast:?} {slow:?}");
        }
    }

    /// A basis of the left kernel of `rows` over F2, each vector as words of bits.
    fn left_kernel(rows: &[Vec<u32>], columns: usize) -> Vec<Vec<u64>> {
        let words = rows.len().div_ceil(64);
        let mut pivots: Vec<Option<(Vec<u64>, Vec<u64>)>> = vec![None; columns];
        let mut kernel = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let (mut bits, mut sum) = (vec![0_u64; columns.div_ceil(64)], vec![0_u64; words]);
            row.iter().for_each(|&c| bits[c as usize / 64] ^= 1 << (c % 64));
            sum[i / 64] |= 1 << (i % 64);
            loop {
                let Some(word) = bits.iter().position(|&w| w != 0) else {
                    kernel.push(sum);
                    break;
                };
                let column = 64 * word + bits[word].trailing_zeros() as usize;
                let Some((pivot, pivot_sum)) = &pivots[column] else {
                    pivots[column] = Some((bits, sum));
                    break;
                };
                bits.iter_mut().zip(pivot).for_each(|(b, p)| *b ^= p);
                sum.iter_mut().zip(pivot_sum).for_each(|(b, p)| *b ^= p);
            }
        }
        kernel
    }

    /// Parity checks on a peeled minor weigh half of its rows; the lightest of a thousand sums of them is far
    /// from a quarter, where it would pay.
    #[test]
    fn parity_checks_on_a_peeled_minor_are_no_lighter_than_random_ones() {
        let instance = Instance::new(1 << 11, 600, 1 << 4).unwrap();
        let key = [1; 16];
        let (matrix, peeled) = (Matrix::new(&instance, 10, key), Peeled::new(&instance, 10, key));
        let minor = peeled.minors().find(|minor| minor.rows >= minor.columns + 20.0).unwrap();
        let gone = &peeled.order[..2048 - minor.columns as usize];
        let mut within = vec![true; 2048];
        gone.iter().for_each(|&c| within[c as usize] = false);
        let rows: Vec<Vec<u32>> = (0..matrix.lengths.len())
            .map(|r| matrix.row(r).to_vec())
            .filter(|row| row.iter().all(|&c| within[c as usize]))
            .collect();
        assert_eq!(rows.len(), minor.rows as usize);
        let kernel = left_kernel(&rows, 2048);
        // One more for each row that is zero or missing from full rank.
        assert!(kernel.len() >= 20 && kernel.len() < 30, "{}", kernel.len());
        let weight = |sum: &[u64]| sum.iter().map(|w| w.count_ones() as usize).sum::<usize>();
        let mut lightest = rows.len();
        for (i, x) in kernel.iter().enumerate() {
            for (j, y) in kernel[..i].iter().enumerate() {
                for z in &kernel[..j] {
                    let sum: Vec<u64> = x.iter().zip(y).zip(z).map(|((x, y), z)| x ^ y ^ z).collect();
                    lightest = lightest.min(weight(&sum));
                }
            }
        }
        let half = rows.len() / 2;
        assert!(lightest > half * 3 / 4, "{lightest} of {}", rows.len());
        let mean = kernel.iter().map(|x| weight(x)).sum::<usize>() / kernel.len();
        assert!(mean.abs_diff(half) < half / 8, "{mean} of {}", rows.len());
    }

    #[test]
    fn over_f2_a_position_that_occurs_twice_cancels() {
        let count = |row: &[u32], cancel| {
            let mut row = row.to_vec();
            let kept = distinct(&mut row, cancel);
            row[..kept].to_vec()
        };
        assert_eq!(count(&[5, 1, 5, 7, 5, 1], true), [5, 7]);
        assert_eq!(count(&[5, 1, 5, 7, 5, 1], false), [1, 5, 7]);
    }
}
