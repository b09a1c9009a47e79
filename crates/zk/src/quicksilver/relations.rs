//! The relations that a block has to check, by degree: coefficients at P, values at V.

use std::collections::BTreeMap;

use volery_field::{Element, LengthError, Wipe as _};
use volery_vole::Prg;
use zeroize::Zeroize;

use super::challenges::Seed;
use crate::Error;

/// The relations of a block. Each degree has its own coefficients of the linear combination, so that
/// relations of one degree stay together.
///
/// At P, relations of degree `d` are `d` columns, where column `h` has the `A_h` of all of them. At V, they
/// are one column of values.
pub(super) struct Relations<M: Copy + Default + Zeroize> {
    /// The relations of degree 2, which are most: at P `A_0` and `A_1`; at V `B` in the first.
    quadratic: [Column<M>; 2],
    /// Degrees from 3 on that have a place of their own, since programs claim many of these.
    low: [Columns<M>; LOW],
    /// Other degrees.
    others: BTreeMap<usize, Columns<M>>,
}

/// The columns of a degree; none before its first relation.
type Columns<M> = Vec<Column<M>>;

/// A column: the entries of this block, at the start of memory that stays from block to block. Filling memory
/// with zeros for each block and wiping it after would take as long as the relations themselves, so what is
/// behind the entries may be of an earlier block. The owner wipes all of it in the end.
struct Column<M> {
    memory: Vec<M>,
    used: usize,
}

impl<M> Default for Column<M> {
    fn default() -> Self {
        Self { memory: Vec::new(), used: 0 }
    }
}

impl<M: Copy + Default + Zeroize> Column<M> {
    fn entries(&self) -> &[M] {
        self.memory.get(..self.used).unwrap_or_default()
    }

    fn is_empty(&self) -> bool {
        self.used == 0
    }

    #[inline(always)]
    fn push(&mut self, entry: M) {
        match self.memory.get_mut(self.used) {
            Some(place) => *place = entry,
            None => {
                self.reserve(1);
                self.memory.push(entry);
            }
        }
        self.used += 1;
    }

    /// `n` more entries, which the caller writes: something else is there.
    #[inline(always)]
    fn places(&mut self, n: usize) -> &mut [M] {
        let start = self.used;
        self.used += n;
        if self.memory.len() < self.used {
            self.reserve(self.used - self.memory.len());
            self.memory.resize(self.used, M::default());
        }
        &mut self.memory[start..self.used]
    }

    /// Makes room for `n` entries behind the memory. What moves leaves nothing behind.
    fn reserve(&mut self, n: usize) {
        let (there, room) = (self.memory.len(), self.memory.capacity());
        if room - there < n {
            let mut larger = Vec::with_capacity((there + n).max(2 * room));
            larger.extend_from_slice(&self.memory);
            self.memory.wipe();
            self.memory = larger;
        }
    }

    /// Removes the first `n` entries, or all if there are fewer.
    fn remove(&mut self, n: usize) {
        let n = n.min(self.used);
        self.memory.copy_within(n..self.used, 0);
        self.used -= n;
    }
}

/// The number of degrees that have a place of their own.
const LOW: usize = 6;

impl<M: Copy + Default + Zeroize> Relations<M> {
    pub(super) fn new() -> Self {
        Self { quadratic: Default::default(), low: Default::default(), others: BTreeMap::new() }
    }

    /// Makes room for `n` relations of degree 2 with this many entries each.
    pub(super) fn reserve_quadratic(&mut self, entries: usize, n: usize) {
        let columns = self.quadratic.iter_mut().take(entries);
        columns.for_each(|column| column.reserve(n.saturating_sub(column.memory.len())));
    }

    /// P: adds a relation of degree 2.
    #[inline(always)]
    pub(super) fn push_quadratic(&mut self, a_0: M, a_1: M) {
        self.quadratic[0].push(a_0);
        self.quadratic[1].push(a_1);
    }

    /// P: adds `n` relations of degree 2, whose `A_0` and `A_1` the caller writes there.
    #[inline(always)]
    pub(super) fn places(&mut self, n: usize) -> [&mut [M]; 2] {
        let [a_0, a_1] = &mut self.quadratic;
        [a_0.places(n), a_1.places(n)]
    }

    /// V: adds `n` relations of degree 2, whose values the caller writes there.
    #[inline(always)]
    pub(super) fn places_of_values(&mut self, n: usize) -> &mut [M] {
        self.quadratic[0].places(n)
    }

    /// V: adds the value of a relation of degree 2.
    #[inline(always)]
    pub(super) fn push_value(&mut self, value: M) {
        self.quadratic[0].push(value);
    }

    /// The number of relations of degree 2 at V that are not added up yet.
    pub(super) fn waiting(&self) -> usize {
        self.quadratic[0].used
    }

    /// Adds a relation of any degree from 2: P's coefficients, or only V's value.
    #[inline(always)]
    pub(super) fn push(&mut self, degree: usize, entries: impl IntoIterator<Item = M>) {
        let Some(place) = degree.checked_sub(3) else {
            self.quadratic.iter_mut().zip(entries).for_each(|(to, entry)| to.push(entry));
            return;
        };
        let columns = match self.low.get_mut(place) {
            Some(columns) => columns,
            None => self.others.entry(degree).or_default(),
        };
        if columns.is_empty() {
            columns.resize_with(degree, Column::default);
        }
        columns.iter_mut().zip(entries).for_each(|(to, entry)| to.push(entry));
    }

    /// Removes all relations, and keeps the room for the next block.
    pub(super) fn clear(&mut self) {
        self.columns().for_each(|column| column.used = 0);
    }

    /// The columns of all degrees.
    fn columns(&mut self) -> impl Iterator<Item = &mut Column<M>> {
        let others = self.low.iter_mut().chain(self.others.values_mut()).flatten();
        self.quadratic.iter_mut().chain(others)
    }

    /// The greatest degree, at least 2.
    pub(super) fn degree(&self) -> usize {
        self.others().next_back().map_or(2, |(degree, _)| degree).max(2)
    }

    /// The degrees above 2 that relations have, with their columns.
    fn others(&self) -> impl DoubleEndedIterator<Item = (usize, &[Column<M>])> {
        let low = self.low.iter().enumerate().map(|(place, columns)| (place + 3, columns));
        let others = self.others.iter().map(|(degree, columns)| (*degree, columns));
        let used =
            |(_, columns): &(usize, &Columns<M>)| columns.first().is_some_and(|first| !first.is_empty());
        low.chain(others).filter(used).map(|(degree, columns)| (degree, &columns[..]))
    }
}

impl<M: Copy + Default + Zeroize> Drop for Relations<M> {
    fn drop(&mut self) {
        self.columns().for_each(|column| column.memory.wipe());
    }
}

/// The field's kernel for `sum a_i b_i`.
pub(super) type InnerProduct<M> = fn(&[M], &[M]) -> Result<M, LengthError>;

/// The number of coefficients expanded at once.
const CHUNK: usize = 1 << 10;

/// The coefficients of the relations of one degree in one block.
struct Coefficients<M: Copy + Default + Zeroize> {
    prg: Prg,
    chi: Vec<M>,
    inner_product: InnerProduct<M>,
}

impl<M: Element> Coefficients<M> {
    fn new(seed: Seed, degree: usize, inner_product: InnerProduct<M>) -> Self {
        let Seed { key, salt } =
            seed.derive("volery 2026 quicksilver relations v1", &(degree as u64).to_le_bytes());
        Self { prg: Prg::salted(key, salt), chi: vec![M::ZERO; CHUNK], inner_product }
    }

    /// Adds each column's combination with the next coefficients, which all columns share, to its sum. All
    /// calls except the last must have whole chunks.
    fn combine(&mut self, columns: &[Column<M>], sums: &mut [M]) -> Result<(), Error> {
        self.combine_first(columns.first().map_or(0, |column| column.used), columns, sums)
    }

    /// As [`combine`](Self::combine), of the first `n` entries of each column.
    fn combine_first(&mut self, n: usize, columns: &[Column<M>], sums: &mut [M]) -> Result<(), Error> {
        for start in (0..n).step_by(CHUNK) {
            let chi = &mut self.chi[..CHUNK.min(n - start)];
            self.prg.coefficients(chi);
            for (sum, column) in sums.iter_mut().zip(columns) {
                // Columns are equally long; if one were not, its kernel would return an error.
                let entries = column.entries().get(start..start + chi.len()).unwrap_or_default();
                let part = (self.inner_product)(chi, entries);
                *sum += part.map_err(|error| volery_circuit::Error::misuse(error.to_string()))?;
            }
        }
        Ok(())
    }
}

/// P: the `relations.degree()` coefficients of the sum of all relations, lowest first. `made` are those of a
/// combination of relations of degree 2 that was made elsewhere; it counts as one relation.
pub(super) fn combine_coefficients<M: Element>(
    relations: &Relations<M>,
    seed: impl Into<Seed>,
    inner_product: InnerProduct<M>,
    made: [M; 2],
) -> Result<Vec<M>, Error> {
    let (top, seed) = (relations.degree(), seed.into());
    let mut sum = vec![M::ZERO; top];
    sum[top - 2..].copy_from_slice(&made);
    Coefficients::new(seed, 2, inner_product).combine(&relations.quadratic, &mut sum[top - 2..])?;
    for (degree, columns) in relations.others() {
        Coefficients::new(seed, degree, inner_product).combine(columns, &mut sum[top - degree..])?;
    }
    Ok(sum)
}

/// V's sum over the relations of degree 2, which it can add up as they come.
pub(super) struct QuadraticSum<M: Copy + Default + Zeroize> {
    coefficients: Coefficients<M>,
    sum: M,
}

impl<M: Copy + Default + Zeroize> Drop for QuadraticSum<M> {
    fn drop(&mut self) {
        self.sum.zeroize();
    }
}

impl<M: Element> QuadraticSum<M> {
    pub(super) fn new(seed: impl Into<Seed>, inner_product: InnerProduct<M>) -> Self {
        Self { coefficients: Coefficients::new(seed.into(), 2, inner_product), sum: M::ZERO }
    }

    /// Adds and removes the relations of degree 2.
    pub(super) fn absorb(&mut self, relations: &mut Relations<M>) -> Result<(), Error> {
        self.coefficients.combine(&relations.quadratic[..1], core::slice::from_mut(&mut self.sum))?;
        // The values come from keys of products. They are wiped with the vector's memory when the relations
        // are dropped.
        relations.quadratic[0].used = 0;
        Ok(())
    }

    /// Adds the value of a combination of relations of degree 2 that was made elsewhere.
    pub(super) fn add(&mut self, value: M) {
        self.sum += value;
    }

    /// The sum of all relations, including those of degree 2 absorbed before, shifted to the greatest degree.
    pub(super) fn finish(
        &self,
        relations: &Relations<M>,
        seed: impl Into<Seed>,
        delta: M,
    ) -> Result<M, Error> {
        let (top, seed) = (relations.degree(), seed.into());
        let shifted = |sum: M, degree: usize| (degree..top).fold(sum, |sum, _| sum * delta);
        let mut sum = shifted(self.sum, 2);
        for (degree, columns) in relations.others() {
            let mut part = [M::ZERO];
            let mut coefficients = Coefficients::new(seed, degree, self.coefficients.inner_product);
            coefficients.combine(columns, &mut part)?;
            sum += shifted(part[0], degree);
        }
        Ok(sum)
    }
}

/// The sums over relations of all degrees that are added up as they come, under a seed that is known from the
/// start: all coefficients at P, or V's values.
pub(super) struct RunningSums<M: Copy + Default + Zeroize> {
    seed: Seed,
    inner_product: InnerProduct<M>,
    /// By degree: coefficients, and a sum for each column.
    sums: BTreeMap<usize, (Coefficients<M>, Vec<M>)>,
}

impl<M: Copy + Default + Zeroize> Drop for RunningSums<M> {
    fn drop(&mut self) {
        self.sums.values_mut().for_each(|(_, sums)| sums.wipe());
    }
}

impl<M: Element> RunningSums<M> {
    pub(super) fn new(seed: Seed, inner_product: InnerProduct<M>) -> Self {
        Self { seed, inner_product, sums: BTreeMap::new() }
    }

    /// Adds and removes relations: whole chunks of each degree, or at the end `all`.
    pub(super) fn absorb(&mut self, relations: &mut Relations<M>, all: bool) -> Result<(), Error> {
        let [first, second] = &mut relations.quadratic;
        // V has values in the first column only.
        let used = if second.is_empty() { 1 } else { 2 };
        let mut quadratic = [core::mem::take(first), core::mem::take(second)];
        let added = self.add(2, &mut quadratic[..used], all);
        relations.quadratic = quadratic;
        added?;
        let low = relations.low.iter_mut().enumerate().map(|(place, columns)| (place + 3, columns));
        let others = relations.others.iter_mut().map(|(degree, columns)| (*degree, columns));
        for (degree, columns) in low.chain(others) {
            let used = columns.iter().take_while(|column| !column.is_empty()).count();
            self.add(degree, &mut columns[..used], all)?;
        }
        Ok(())
    }

    fn add(&mut self, degree: usize, columns: &mut [Column<M>], all: bool) -> Result<(), Error> {
        let n = columns.first().map_or(0, |column| column.used);
        let n = if all { n } else { n / CHUNK * CHUNK };
        if n == 0 {
            return Ok(());
        }
        let (coefficients, sums) = self.sums.entry(degree).or_insert_with(|| {
            (Coefficients::new(self.seed, degree, self.inner_product), vec![M::ZERO; columns.len()])
        });
        coefficients.combine_first(n, columns, sums)?;
        columns.iter_mut().for_each(|column| column.remove(n));
        Ok(())
    }

    /// P: the `top` coefficients of the sum of all relations, lowest first, as [`combine_coefficients`].
    pub(super) fn coefficients(&self, top: usize, made: [M; 2]) -> Vec<M> {
        let mut out = vec![M::ZERO; top.max(2)];
        let mut add = |degree: usize, sums: &[M]| {
            let shifted = out.iter_mut().skip(top.max(2) - degree);
            shifted.zip(sums).for_each(|(out, sum)| *out += *sum);
        };
        add(2, &made);
        self.sums.iter().for_each(|(degree, (_, sums))| add(*degree, sums));
        out
    }

    /// V: the sum of all relations and of `made`, which is one of degree 2, shifted to degree `top`.
    pub(super) fn value(&self, top: usize, delta: M, made: M) -> M {
        let shifted = |sum: M, degree: usize| (degree..top).fold(sum, |sum, _| sum * delta);
        let sums =
            self.sums.iter().map(|(degree, (_, sums))| (*degree, sums.first().copied().unwrap_or(M::ZERO)));
        sums.fold(shifted(made, 2), |total, (degree, sum)| total + shifted(sum, degree))
    }
}
