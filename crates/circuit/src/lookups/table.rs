//! Public tables, and where the rows of a table are.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::OnceLock;

use volery_field::{Element, Value};
use zeroize::Zeroizing;

use super::point::{invert_all, value};
use crate::{Challenge, Error};

/// A public table.
#[derive(Debug)]
pub struct Table<F> {
    pub(super) columns: usize,
    pub(super) rows: Vec<F>,
    /// Whether the rows are the integers from 0 on, so that a value is its row's number.
    pub(super) counts: bool,
    index: OnceLock<Index>,
}

/// The most rows of a table.
pub(super) const MOST_ROWS: usize = 1 << 24;

impl<F: Value> Table<F> {
    /// A table of rows of `columns` elements, one row after the other.
    ///
    /// # Errors
    /// [`Error::Public`] if there is no row or column, or too many rows, or the last row is not full.
    pub fn new(columns: usize, rows: Vec<F>) -> Result<Self, Error> {
        if columns == 0
            || rows.is_empty()
            || !rows.len().is_multiple_of(columns)
            || rows.len() / columns > MOST_ROWS
        {
            return Err(Error::Public(format!(
                "a table of {} elements in {columns} columns; 1 to {MOST_ROWS} whole rows are possible",
                rows.len()
            )));
        }
        Ok(Self { columns, rows, counts: false, index: OnceLock::new() })
    }

    /// The integers below `2^bits`: a lookup claims that a wire is one of them.
    ///
    /// # Errors
    /// [`Error::Public`] for more than 24 bits.
    pub fn range(bits: u32) -> Result<Self, Error> {
        if bits > MOST_ROWS.ilog2() {
            return Err(Error::Public(format!("a table of all numbers of {bits} bits is too large")));
        }
        Ok(Self { counts: true, ..Self::new(1, (0..1 << bits).map(F::from_u64).collect())? })
    }

    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.len() / self.columns
    }

    /// The first of `points` at which no row has a pole, and the rows' inverses `1 / (point - <row>)` there.
    pub(super) fn inverses<B: Challenge<F> + ?Sized>(
        &self,
        gammas: &[B::Scalar],
        points: &[B::Scalar],
    ) -> Result<(B::Scalar, Vec<B::Scalar>), Error> {
        for point in points {
            let mut inverses: Vec<B::Scalar> =
                self.rows.chunks_exact(self.columns).map(|row| *point - value::<F, B>(gammas, row)).collect();
            if invert_all(&mut inverses) {
                return Ok((*point, inverses));
            }
        }
        Err(Error::misuse("every point of a challenge is a pole; start again"))
    }
    /// Where its rows are.
    pub(super) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::new(self.columns, &self.rows))
    }
}

/// Where rows are, by their values: open addressing.
#[derive(Debug)]
pub(super) struct Index {
    slots: Vec<u32>,
    /// Of the hash: nobody can choose rows that all meet in one place.
    keys: [u64; 2],
}

/// A slot without a row.
const EMPTY: u32 = u32::MAX;

impl Index {
    pub(super) fn new<F: Element>(columns: usize, rows: &[F]) -> Self {
        let count = rows.len() / columns.max(1);
        let random = RandomState::new();
        let keys = [0, 1].map(|number: u64| random.hash_one(number) | 1);
        let mut index = Self { slots: vec![EMPTY; (2 * count.max(1)).next_power_of_two()], keys };
        for (number, row) in rows.chunks_exact(columns.max(1)).enumerate() {
            let slot = index.slot(columns, rows, row);
            if let Some(slot @ &mut EMPTY) = index.slots.get_mut(slot) {
                *slot = number as u32;
            }
        }
        index
    }

    /// Folded products, as many as there are words in the row.
    #[inline]
    fn hash<F: Element>(&self, row: &[F]) -> usize {
        let [first, second] = self.keys;
        let words = F::BITS.div_ceil(64) as usize;
        let fold = |hash: u64, word: u64| {
            let product = u128::from(hash ^ word) * u128::from(second);
            product as u64 ^ (product >> 64) as u64
        };
        let hash = row.iter().fold(first, |hash, x| x.to_packed().into_iter().take(words).fold(hash, fold));
        // Small numbers leave the lowest bits of one product alone.
        fold(hash, first) as usize
    }

    /// The slot of `row`, or the one where it would be.
    fn slot<F: Element>(&self, columns: usize, rows: &[F], row: &[F]) -> usize {
        let mask = self.slots.len() - 1;
        let hash = self.hash(row);
        // There are twice as many slots as rows, so one is empty.
        (hash & mask..)
            .map(|slot| slot & mask)
            .find(|slot| match self.slots.get(*slot) {
                Some(&number) if number != EMPTY => {
                    rows.get(number as usize * columns..).is_some_and(|rows| rows.starts_with(row))
                }
                _ => true,
            })
            .unwrap_or(0)
    }

    pub(super) fn find<F: Element>(&self, columns: usize, rows: &[F], row: &[F]) -> Option<usize> {
        let number = *self.slots.get(self.slot(columns, rows, row))?;
        (number != EMPTY).then_some(number as usize)
    }

    /// Calls `found` with the number of each tuple that is a row.
    ///
    /// One after the other, each tuple would wait for its slot and then for its row to come from memory. So
    /// each step is taken for many tuples, whose reads are under way at the same time.
    pub(super) fn find_all<F: Element>(
        &self,
        columns: usize,
        rows: &[F],
        tuples: &[F],
        mut found: impl FnMut(usize),
    ) {
        let mask = self.slots.len() - 1;
        let mut numbers = Zeroizing::new([EMPTY; TOGETHER]);
        let mut heads = Zeroizing::new([F::ZERO; TOGETHER]);
        for tuples in tuples.chunks(TOGETHER * columns) {
            for (number, tuple) in numbers.iter_mut().zip(tuples.chunks_exact(columns)) {
                *number = self.slots.get(self.hash(tuple) & mask).copied().unwrap_or(EMPTY);
            }
            for (head, number) in heads.iter_mut().zip(numbers.iter()) {
                *head = rows.get(*number as usize * columns).copied().unwrap_or_default();
            }
            let guesses = numbers.iter().zip(heads.iter());
            for ((number, head), tuple) in guesses.zip(tuples.chunks_exact(columns)) {
                let number = *number as usize;
                let is_it =
                    |tuple: &[F]| rows.get(number * columns..).is_some_and(|rows| rows.starts_with(tuple));
                match tuple.first() == Some(head) && is_it(tuple) {
                    true => found(number),
                    false => self.find(columns, rows, tuple).into_iter().for_each(&mut found),
                }
            }
        }
    }
}

/// Tuples that are looked for at the same time.
pub(super) const TOGETHER: usize = 64;
