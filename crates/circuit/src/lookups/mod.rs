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

use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, OnceLock};

use volery_field::{Element, Value};
use zeroize::Zeroizing;

use crate::ram::small;
use crate::{Challenge, Error, Expression as _, Peek, Tested};

/// A public table.
#[derive(Debug)]
pub struct Table<F> {
    columns: usize,
    rows: Vec<F>,
    /// Whether the rows are the integers from 0 on, so that a value is its row's number.
    counts: bool,
    index: OnceLock<Index>,
}

/// The most rows of a table.
pub const MOST_ROWS: usize = 1 << 24;

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
    fn inverses<B: Challenge<F> + ?Sized>(
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
}

/// `<x>` of values.
fn value<F: Value, B: Challenge<F> + ?Sized>(gammas: &[B::Scalar], x: &[F]) -> B::Scalar {
    let Some((first, rest)) = x.split_first() else { return Default::default() };
    rest.iter().zip(gammas).fold(B::embed(*first), |sum, (x, gamma)| sum + *gamma * B::embed(*x))
}

/// Replaces each element by its inverse, with one inversion for all, as the sums of inverses of a lookup
/// argument need them. Returns whether all had one; those that had none become zero, and where some had none
/// the others need not be right.
pub fn invert_all<S: Element>(x: &mut [S]) -> bool {
    // Products of all before each.
    let mut before = Zeroizing::new(Vec::with_capacity(x.len()));
    let mut product = S::ONE;
    for x in x.iter() {
        before.push(product);
        product *= *x;
    }
    let all = !product.is_zero();
    let mut inverse = product.inverse_or_zero();
    for (x, before) in x.iter_mut().zip(before.iter()).rev() {
        let next = inverse * *x;
        *x = inverse * *before;
        inverse = next;
    }
    all
}

/// Where rows are, by their values: open addressing.
#[derive(Debug)]
struct Index {
    slots: Vec<u32>,
    /// Of the hash: nobody can choose rows that all meet in one place.
    keys: [u64; 2],
}

/// A slot without a row.
const EMPTY: u32 = u32::MAX;

impl Index {
    fn new<F: Element>(columns: usize, rows: &[F]) -> Self {
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

    fn find<F: Element>(&self, columns: usize, rows: &[F], row: &[F]) -> Option<usize> {
        let number = *self.slots.get(self.slot(columns, rows, row))?;
        (number != EMPTY).then_some(number as usize)
    }

    /// Calls `found` with the number of each tuple that is a row.
    ///
    /// One after the other, each tuple would wait for its slot and then for its row to come from memory. So
    /// each step is taken for many tuples, whose reads are under way at the same time.
    fn find_all<F: Element>(&self, columns: usize, rows: &[F], tuples: &[F], mut found: impl FnMut(usize)) {
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
const TOGETHER: usize = 64;

/// What lookups look into.
enum Rows<F, W> {
    Public(Arc<Table<F>>),
    Committed { columns: usize, rows: Vec<W> },
}

/// Lookups into one table. They are claimed together, many at a time: some whenever enough have come, the
/// rest by [`Lookups::finish`].
pub struct Lookups<F, W> {
    rows: Rows<F, W>,
    /// Tuples that were not claimed yet, one after the other.
    waiting: Vec<W>,
    /// The number of waiting wires at which they are claimed; 0 before the first lookup.
    room: usize,
}

impl<F, W> core::fmt::Debug for Lookups<F, W> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Lookups").field("waiting", &self.waiting.len()).finish_non_exhaustive()
    }
}

/// The number of pairs whose inverses are made at once.
const PAIRS: usize = 1 << 9;

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
        Self { rows: Rows::Public(table), waiting: Vec::new(), room: 0 }
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
        Ok(Self { rows: Rows::Committed { columns, rows }, waiting: Vec::new(), room: 0 })
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
        self.waiting.extend_from_slice(tuple);
        if self.waiting.len() >= self.room { self.settle(b) } else { Ok(()) }
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
        let (tuples, columns) = (core::mem::take(&mut self.waiting), self.columns());
        if tuples.is_empty() {
            return Ok(());
        }
        b.enter("lookups");
        let multiplicities = self.multiplicities(b, &tuples)?;
        let degree = (tuples.len() / columns) as u64 + self.degree();
        let of_rows = match &self.rows {
            Rows::Public(_) => 0,
            Rows::Committed { rows, .. } => rows.len(),
        };
        let values = (tuples.len() + of_rows + self.count()) as u64;
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
                    point.inverses(b, columns, &tuples)? + rows
                }
                Rows::Committed { rows, .. } => {
                    let at = points.first().copied().unwrap_or_default();
                    let point = Point { at, mask: masks.get(set), gammas };
                    let fractions = point.fractions(b, columns, rows, &multiplicities)?;
                    point.inverses(b, columns, &tuples)? - fractions
                }
            };
            b.claim(sum)?;
        }
        b.leave();
        Ok(())
    }

    /// Commits to how often each row is looked up.
    fn multiplicities<B: Challenge<F, Wire = W>>(&self, b: &mut B, tuples: &[W]) -> Result<Vec<W>, B::Error> {
        let rows = self.count();
        let mut counts = Zeroizing::new(Vec::new());
        let mut wires = Vec::with_capacity(rows);
        while wires.len() < rows {
            let start = wires.len();
            let n = PIECE.min(rows - start);
            wires.extend(b.secret(n, &mut |peek| {
                if counts.is_empty() {
                    *counts = self.counts(peek, tuples);
                }
                let counts = counts.get(start..start + n).unwrap_or_default();
                Ok(counts.iter().map(|count| F::from_u64(u64::from(*count))).collect())
            })?);
        }
        Ok(wires)
    }

    /// How often each row is looked up. Tuples that are no rows do not count: the claim fails for them.
    fn counts(&self, peek: &dyn Peek<F, W>, tuples: &[W]) -> Vec<u32> {
        let columns = self.columns();
        let mut counts = vec![0_u32; self.count()];
        if let Rows::Public(table) = &self.rows
            && table.counts
        {
            for wire in tuples {
                let count = small(peek.value(wire)).and_then(|row| counts.get_mut(row));
                count.into_iter().for_each(|count| *count += 1);
            }
            return counts;
        }
        let committed: Zeroizing<Vec<F>>;
        let built: Index;
        let (rows, index) = match &self.rows {
            Rows::Public(table) => {
                (&table.rows, table.index.get_or_init(|| Index::new(columns, &table.rows)))
            }
            Rows::Committed { rows, .. } => {
                committed = Zeroizing::new(rows.iter().map(|row| peek.value(row)).collect());
                built = Index::new(columns, &committed);
                (&*committed, &built)
            }
        };
        let mut values = Zeroizing::new(vec![F::ZERO; TOGETHER * columns]);
        for wires in tuples.chunks(TOGETHER * columns) {
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

/// The point of a challenge and its coefficients.
struct Point<'a, S, X> {
    at: S,
    /// What is added to the point without V's knowledge.
    mask: Option<&'a X>,
    gammas: &'a [S],
}

impl<S: Element, X> Point<'_, S, X> {
    /// `point - <tuple>`.
    #[inline(always)]
    fn denominator<const N: usize, F: Value, B>(&self, b: &B, tuple: &[B::Wire]) -> B::Expression<N>
    where
        B: Challenge<F, Scalar = S, ScalarWire = X>,
    {
        let Some((first, rest)) = tuple.split_first() else { return B::Expression::<N>::constant(self.at) };
        // The coefficients have the opposite sign, so the sum is subtracted.
        let sum = b.linear::<N>(-self.at, self.gammas, rest) + b.expression::<N>(first);
        let zero = B::Expression::<N>::constant(S::ZERO);
        match self.mask {
            None => zero - sum,
            Some(mask) => b.scalar::<N>(mask) - sum,
        }
    }

    /// `<x>` of a tuple's values, where they exist.
    #[inline(always)]
    fn tuple<F: Value, B: Challenge<F, Scalar = S>>(&self, b: &B, tuple: &[B::Wire]) -> Option<S> {
        let Some((first, rest)) = tuple.split_first() else { return Some(S::ZERO) };
        let mut terms = rest.iter().zip(self.gammas);
        terms.try_fold(B::embed(b.peek(first)?), |sum, (x, gamma)| Some(sum + *gamma * B::embed(b.peek(x)?)))
    }

    /// The point's value, where it exists.
    fn value<F: Value, B: Challenge<F, Scalar = S, ScalarWire = X>>(&self, b: &B) -> S {
        let mut at = self.at;
        if let Some(mask) = self.mask {
            b.peek_scalar(mask, &mut |mask| at += mask);
        }
        at
    }

    /// Commits to the inverses of the tuples' denominators, two at a time, and returns their sum.
    fn inverses<F: Value, B: Challenge<F, Scalar = S, ScalarWire = X>>(
        &self,
        b: &mut B,
        columns: usize,
        tuples: &[B::Wire],
    ) -> Result<B::Expression<2>, B::Error> {
        let mut sum = B::Expression::<2>::constant(S::ZERO);
        let at = Zeroizing::new(self.value::<F, B>(b));
        for tuples in tuples.chunks(2 * PAIRS * columns) {
            let mut values = Zeroizing::new(Vec::with_capacity(tuples.len() / columns));
            // Where there are no values, this adds none.
            values.extend(tuples.chunks_exact(columns).map_while(|tuple| Some(*at - self.tuple(b, tuple)?)));
            let inverses = b.scalars(tuples.len().div_ceil(2 * columns), &mut |_| {
                invert_all(&mut values);
                Ok(values.chunks(2).map(|pair| pair.iter().fold(S::ZERO, |sum, x| sum + *x)).collect())
            })?;
            for (pair, inverse) in tuples.chunks(2 * columns).zip(&inverses) {
                let (d, e) = pair.split_at(columns);
                if e.is_empty() {
                    let d = self.denominator::<3, F, B>(b, d);
                    let one = B::Expression::<3>::constant(S::ONE);
                    b.claim(d * b.scalar::<3>(inverse) - one)?;
                } else {
                    // One by one: the compiler does not inline a closure over both.
                    let d = self.denominator::<4, F, B>(b, d);
                    let e = self.denominator::<4, F, B>(b, e);
                    b.claim(d * e * b.scalar::<4>(inverse) - d - e)?;
                }
                sum = sum + b.scalar::<2>(inverse);
            }
        }
        Ok(sum)
    }

    /// Commits to the fraction of each row, and returns their sum.
    fn fractions<F: Value, B: Challenge<F, Scalar = S, ScalarWire = X>>(
        &self,
        b: &mut B,
        columns: usize,
        rows: &[B::Wire],
        multiplicities: &[B::Wire],
    ) -> Result<B::Expression<2>, B::Error> {
        let mut sum = B::Expression::<2>::constant(S::ZERO);
        let at = Zeroizing::new(self.value::<F, B>(b));
        for (rows, multiplicities) in rows.chunks(PAIRS * columns).zip(multiplicities.chunks(PAIRS)) {
            let fractions = b.scalars(multiplicities.len(), &mut |peek| {
                let mut values = Zeroizing::new(vec![F::ZERO; columns]);
                let mut fractions: Vec<S> = rows
                    .chunks_exact(columns)
                    .map(|row| {
                        values.iter_mut().zip(row).for_each(|(x, wire)| *x = peek.value(wire));
                        *at - value::<F, B>(self.gammas, &values)
                    })
                    .collect();
                invert_all(&mut fractions);
                let numbers = multiplicities.iter().map(|number| B::embed(peek.value(number)));
                fractions.iter_mut().zip(numbers).for_each(|(fraction, number)| *fraction *= number);
                Ok(fractions)
            })?;
            for ((row, number), fraction) in rows.chunks_exact(columns).zip(multiplicities).zip(&fractions) {
                let d = self.denominator::<3, F, B>(b, row);
                b.claim(d * b.scalar::<3>(fraction) - b.expression::<3>(number))?;
                sum = sum + b.scalar::<2>(fraction);
            }
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests;
