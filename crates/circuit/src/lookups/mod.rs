//! Lookups: "this tuple of wires is a row of this table", for a table that is public or committed to.
//!
//! **The argument** is the logarithmic derivative (Haböck, ePrint 2022/1530). P commits to the number of
//! times `m_j` that each row `t_j` is looked up. A challenge gives `alpha` and `gamma_1 ..`. A tuple `x`
//! stands for `<x> = x_0 + gamma_1 x_1 + gamma_2 x_2 ..`, and P shows
//!
//! ```text
//! sum over lookups of 1 / (alpha - <x_i>)  =  sum over rows of m_j / (alpha - <t_j>)
//! ```
//!
//! As rational functions in `alpha` and `gamma` the two sides are equal if and only if every `x_i` is a row:
//! otherwise the left side has a pole at `<x_i>` (its residue is the number of times that `x_i` occurs, which
//! is not zero because it is below the field's characteristic), and the right side has none.
//!
//! **What is committed.** One inverse serves two lookups, as the relation of degree 3 `d e u = d + e` for the
//! denominators `d` and `e`, so a lookup costs half an element. A row of a public table costs one, its
//! multiplicity: its fraction is a public multiple of it. A row of a committed table costs two, since its
//! fraction `w`, with `(alpha - <t>) w = m`, is committed to as well.
//!
//! **What is lost** ([`Tested`]). Let there be `n` lookups and `T` rows, and some lookups that are no rows,
//! `d` different ones. Times all denominators, which are `d` of those and `T` of rows, the difference of the
//! two sides is a polynomial that is not zero, of degree at most `d + T - 1`. Under a challenge that is none
//! of its zeros the claimed sum is wrong, unless an inverse is not what it should be. The relation of a pair
//! leaves `u` open only if both denominators are zero, so for a value that fills a whole pair. If `e` values
//! do, then `d + e <= n`, and those poles are at most `e` further zeros. The sum is below `n + T`. The poles
//! of rows are left out for a public table. For a committed one there is the further loss of `T`: a fraction
//! with `m = 0` is open where `alpha` meets the row.
//!
//! **Poles.** At a pole there is no inverse, and an honest P would have to stop.
//!
//! * A public table: a true lookup meets a pole only where a row does, and both parties see that. They take
//!   the first of several candidates for `alpha` that is no row's pole, before P sends anything that depends
//!   on it. So an honest P never stops, and a V that chooses a pole learns nothing.
//! * A committed table: V does not know the rows, and it must not learn where P stops: it could choose
//!   `alpha` to test its guess of a row. So the point is `alpha + rho` for a random scalar `rho` that P is
//!   committed to before the challenge. Whatever V chooses, the point is uniform, and P meets a pole with
//!   probability `T / |M|` for each set of elements. Over 61 bits that is `2^-40` in all for 2^20 rows, and
//!   `2^-36` for the most rows. P then stops. V does not know `rho`, so it learns nothing about the row.
//!
//! **At P** the number of a row is found by the secret value of a tuple, so P's memory accesses depend on it.

mod point;
mod table;

pub use point::invert_all;
pub use table::Table;

use std::sync::Arc;

use volery_field::Value;
use zeroize::Zeroizing;

use crate::ram::small;
use crate::records::Records;
use crate::{Challenge, Error, Peek, Tested};
use point::Point;
use table::{Index, MOST_ROWS, TOGETHER};

/// What lookups look into.
enum Rows<F, W> {
    Public(Arc<Table<F>>),
    Committed { columns: usize, rows: Vec<W> },
}

/// Lookups into one table. They are claimed together, many at a time: some whenever enough have come, the
/// rest by [`Lookups::finish`].
pub struct Lookups<F, W> {
    rows: Rows<F, W>,
    /// Tuples that were not claimed yet.
    waiting: Records<W>,
    /// The number of waiting wires at which they are claimed; 0 before the first lookup.
    room: usize,
}

impl<F, W> core::fmt::Debug for Lookups<F, W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Lookups").field("waiting", &self.waiting.len()).finish_non_exhaustive()
    }
}

/// The number of multiplicities that are committed to at once.
const PIECE: usize = 1 << 16;

/// The candidates for a point. All are poles with probability `(T / |M|)^4`.
const CANDIDATES: usize = 4;

/// The most lookups that wait, whatever the field of MACs allows.
const MOST_WAITING: u64 = 1 << 20;

impl<F: Value, W: Clone> Lookups<F, W> {
    /// Lookups into a public table.
    #[must_use]
    pub fn new(table: Arc<Table<F>>) -> Self {
        let waiting = Records::new(table.columns);
        Self { rows: Rows::Public(table), waiting, room: 0 }
    }

    /// Lookups into committed rows of `columns` wires, one row after the other.
    ///
    /// # Errors
    /// As [`Table::new`].
    pub fn committed(columns: usize, rows: Vec<W>) -> Result<Self, Error> {
        let count = rows.len().checked_div(columns).unwrap_or(0);
        if count == 0 || count > MOST_ROWS || !rows.len().is_multiple_of(columns) {
            return Err(Error::misuse(format!("{} wires as rows of {columns}", rows.len())));
        }
        Ok(Self { rows: Rows::Committed { columns, rows }, waiting: Records::new(columns), room: 0 })
    }

    fn columns(&self) -> usize {
        match &self.rows {
            Rows::Public(table) => table.columns,
            Rows::Committed { columns, .. } => *columns,
        }
    }

    fn count(&self) -> usize {
        match &self.rows {
            Rows::Public(table) => table.rows(),
            Rows::Committed { columns, rows } => rows.len() / columns,
        }
    }

    /// What the table adds to the degree that a challenge tests.
    fn degree(&self) -> u64 {
        let rows = self.count() as u64;
        match &self.rows {
            Rows::Public(_) => rows,
            Rows::Committed { .. } => 2 * rows,
        }
    }

    /// Claims that `tuple` is a row of the table.
    ///
    /// # Errors
    /// [`Error::Misuse`] if it does not have as many wires as a row, or the field is too small; the
    /// backend's.
    pub fn look_up<B: Challenge<F, Wire = W>>(&mut self, b: &mut B, tuple: &[W]) -> Result<(), B::Error> {
        if tuple.len() != self.columns() {
            let reason =
                format!("a lookup of {} wires in a table of {} columns", tuple.len(), self.columns());
            return Err(Error::misuse(reason).into());
        }
        if self.room == 0 {
            // Otherwise a value could occur so often that its pole vanishes.
            check_characteristic::<F>(MOST_WAITING)?;
            b.begin_argument();
            // As many as one challenge tests together with the table, if the table leaves room for that.
            let most = b.most_tested().clamp(1, MOST_WAITING);
            let room = if 2 * self.degree() <= most { most - self.degree() } else { most };
            self.room = room as usize * tuple.len();
        }
        self.waiting.next().extend_from_slice(tuple);
        if self.waiting.wires() >= self.room { self.settle(b) } else { Ok(()) }
    }

    /// Claims all lookups that were not claimed yet.
    ///
    /// # Errors
    /// [`Error::Unsatisfied`] if a tuple is no row; the backend's.
    pub fn finish<B: Challenge<F, Wire = W>>(mut self, b: &mut B) -> Result<(), B::Error> {
        self.settle(b)?;
        if self.room > 0 {
            b.end_argument();
        }
        Ok(())
    }

    fn settle<B: Challenge<F, Wire = W>>(&mut self, b: &mut B) -> Result<(), B::Error> {
        if self.waiting.len() == 0 {
            return Ok(());
        }
        self.claim(b)?;
        self.waiting.clear();
        Ok(())
    }

    /// Claims what waits.
    fn claim<B: Challenge<F, Wire = W>>(&self, b: &mut B) -> Result<(), B::Error> {
        let (tuples, columns) = (&self.waiting, self.columns());
        b.enter("lookups");
        let multiplicities = self.multiplicities(b)?;
        let degree = tuples.len() as u64 + self.degree();
        let of_rows = match &self.rows {
            Rows::Public(_) => 0,
            Rows::Committed { rows, .. } => rows.len(),
        };
        let values = (tuples.wires() + of_rows + self.count()) as u64;
        let tested = Tested::within(degree, values, b.most_tested());
        let masks = match self.rows {
            Rows::Public(_) => Vec::new(),
            Rows::Committed { .. } => {
                (0..tested.repetitions).map(|_| b.random_scalar()).collect::<Result<_, _>>()?
            }
        };
        let drawn = columns - 1 + CANDIDATES;
        let challenge = b.challenge(drawn * tested.repetitions as usize, tested)?;
        for (set, challenge) in challenge.chunks_exact(drawn).enumerate() {
            let (gammas, points) = challenge.split_at(columns - 1);
            let sum = match &self.rows {
                Rows::Public(table) => {
                    let (at, inverses) = table.inverses::<B>(gammas, points)?;
                    let point = Point { at, mask: None, gammas };
                    let negated: Vec<_> = inverses.iter().map(|inverse| -*inverse).collect();
                    let rows = b.linear::<2>(Default::default(), &negated, &multiplicities);
                    point.inverses(b, tuples)? + rows
                }
                Rows::Committed { rows, .. } => {
                    let at = points.first().copied().unwrap_or_default();
                    let point = Point { at, mask: masks.get(set), gammas };
                    let fractions = point.fractions(b, columns, rows, &multiplicities)?;
                    point.inverses(b, tuples)? - fractions
                }
            };
            b.claim(sum)?;
        }
        b.leave();
        Ok(())
    }

    /// Commits to how often each row is looked up.
    fn multiplicities<B: Challenge<F, Wire = W>>(&self, b: &mut B) -> Result<Vec<W>, B::Error> {
        let rows = self.count();
        let mut counts = Zeroizing::new(Vec::new());
        let mut wires = Vec::with_capacity(rows);
        while wires.len() < rows {
            let start = wires.len();
            let n = PIECE.min(rows - start);
            wires.extend(b.secret(n, &mut |peek| {
                if counts.is_empty() {
                    *counts = self.counts(peek);
                }
                let counts = counts.get(start..start + n).unwrap_or_default();
                Ok(counts.iter().map(|count| F::from_u64(u64::from(*count))).collect())
            })?);
        }
        Ok(wires)
    }

    /// How often each row is looked up. Tuples that are no rows do not count: the claim fails for them.
    fn counts(&self, peek: &dyn Peek<F, W>) -> Vec<u32> {
        let columns = self.columns();
        let mut counts = vec![0_u32; self.count()];
        if let Rows::Public(table) = &self.rows
            && table.counts
        {
            for wire in self.waiting.chunks().flatten() {
                let count = small(peek.value(wire)).and_then(|row| counts.get_mut(row));
                count.into_iter().for_each(|count| *count += 1);
            }
            return counts;
        }
        let committed: Zeroizing<Vec<F>>;
        let built: Index;
        let (rows, index) = match &self.rows {
            Rows::Public(table) => (&table.rows, table.index()),
            Rows::Committed { rows, .. } => {
                committed = Zeroizing::new(rows.iter().map(|row| peek.value(row)).collect());
                built = Index::new(columns, &committed);
                (&*committed, &built)
            }
        };
        let mut values = Zeroizing::new(vec![F::ZERO; TOGETHER * columns]);
        for wires in self.waiting.chunks().flat_map(|chunk| chunk.chunks(TOGETHER * columns)) {
            values.iter_mut().zip(wires).for_each(|(value, wire)| *value = peek.value(wire));
            let values = values.get(..wires.len()).unwrap_or_default();
            index.find_all(columns, rows, values, |row| {
                counts.get_mut(row).into_iter().for_each(|count| *count += 1);
            });
        }
        counts
    }
}

/// Checks that numbers up to `n` are different elements of `F`.
pub(crate) fn check_characteristic<F: Value>(n: u64) -> Result<(), Error> {
    if F::CHARACTERISTIC.is_some_and(|p| p <= n) {
        return Err(Error::misuse(format!("{} is too small a field for lookups and memory", F::NAME)));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
