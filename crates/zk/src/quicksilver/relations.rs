//! What a block has to check: relations by degree, at P as coefficients, at V as values.

use std::collections::BTreeMap;

use volery_field::{Element, LengthError};
use volery_vole::Prg;
use zeroize::Zeroize;

use crate::Error;

/// Relations of a block. Each degree has coefficients of its own, so that relations of one degree stay
/// together.
///
/// Relations of degree `d` are `d` columns at P, column `h` the `A_h` of all of them, and one column of
/// values at V.
pub(super) struct Relations<M: Zeroize> {
    /// Degree 2, the bulk: at P `A_0` and `A_1`, at V `B` in the first.
    quadratic: [Vec<M>; 2],
    /// Other degrees.
    others: BTreeMap<usize, Vec<Vec<M>>>,
}

impl<M: Zeroize> Relations<M> {
    pub(super) fn new() -> Self {
        Self { quadratic: [Vec::new(), Vec::new()], others: BTreeMap::new() }
    }

    /// Makes room for `n` relations of degree 2 with so many entries.
    pub(super) fn reserve_quadratic(&mut self, entries: usize, n: usize) {
        self.quadratic.iter_mut().take(entries).for_each(|column| column.reserve_exact(n));
    }

    /// P: a relation of degree 2.
    #[inline(always)]
    pub(super) fn push_quadratic(&mut self, a_0: M, a_1: M) {
        self.quadratic[0].push(a_0);
        self.quadratic[1].push(a_1);
    }

    /// P: relations of degree 2, their `A_0` and their `A_1`.
    #[inline(always)]
    pub(super) fn extend_quadratic(&mut self, a_0: impl Iterator<Item = M>, a_1: impl Iterator<Item = M>) {
        self.quadratic[0].extend(a_0);
        self.quadratic[1].extend(a_1);
    }

    /// V: the values of relations of degree 2.
    #[inline(always)]
    pub(super) fn extend_values(&mut self, values: impl Iterator<Item = M>) {
        self.quadratic[0].extend(values);
    }

    /// V: the value of a relation of degree 2.
    #[inline(always)]
    pub(super) fn push_value(&mut self, value: M) {
        self.quadratic[0].push(value);
    }

    /// Relations of degree 2 at V that wait.
    pub(super) fn waiting(&self) -> usize {
        self.quadratic[0].len()
    }

    /// A relation of any degree from 2: P's coefficients, or V's value alone.
    pub(super) fn push(&mut self, degree: usize, entries: impl IntoIterator<Item = M>) {
        let columns: &mut [Vec<M>] = if degree == 2 {
            &mut self.quadratic
        } else {
            self.others
                .entry(degree)
                .or_insert_with(|| core::iter::repeat_with(Vec::new).take(degree).collect())
        };
        columns.iter_mut().zip(entries).for_each(|(to, entry)| to.push(entry));
    }

    /// Forgets all relations and keeps the room, wiped, for the next block.
    pub(super) fn clear(&mut self) {
        self.quadratic.iter_mut().for_each(Zeroize::zeroize);
        self.others.values_mut().for_each(Zeroize::zeroize);
        self.others.clear();
    }

    /// The greatest degree, at least 2.
    pub(super) fn degree(&self) -> usize {
        self.others.keys().next_back().copied().unwrap_or(2).max(2)
    }
}

impl<M: Zeroize> Drop for Relations<M> {
    fn drop(&mut self) {
        self.quadratic.iter_mut().for_each(Zeroize::zeroize);
        self.others.values_mut().for_each(Zeroize::zeroize);
    }
}

/// The field's kernel for `sum a_i b_i`.
pub(super) type InnerProduct<M> = fn(&[M], &[M]) -> Result<M, LengthError>;

/// Coefficients expanded at once.
const CHUNK: usize = 1 << 10;

/// The coefficients of the relations of one degree in one block.
struct Coefficients<M: Zeroize> {
    prg: Prg,
    chi: Vec<M>,
    inner_product: InnerProduct<M>,
}

impl<M: Element> Coefficients<M> {
    fn new(seed: &[u8; 16], degree: usize, inner_product: InnerProduct<M>) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 quicksilver relations v1");
        hasher.update(seed).update(&(degree as u64).to_le_bytes());
        let mut seed = [0; 16];
        hasher.finalize_xof().fill(&mut seed);
        Self { prg: Prg::new(seed), chi: vec![M::ZERO; CHUNK], inner_product }
    }

    /// Adds each column's combination with the next coefficients, which all columns share, to its sum. Only
    /// the last call may be of other than whole chunks.
    fn combine(&mut self, columns: &[Vec<M>], sums: &mut [M]) -> Result<(), Error> {
        let n = columns.first().map_or(0, Vec::len);
        for start in (0..n).step_by(CHUNK) {
            let chi = &mut self.chi[..CHUNK.min(n - start)];
            self.prg.coefficients(chi);
            for (sum, column) in sums.iter_mut().zip(columns) {
                // Columns are equally long; were one not, its kernel would refuse.
                let entries = column.get(start..start + chi.len()).unwrap_or_default();
                let part = (self.inner_product)(chi, entries);
                *sum += part.map_err(|error| volery_circuit::Error::misuse(error.to_string()))?;
            }
        }
        Ok(())
    }
}

/// P: the coefficients of the sum of all relations, lowest first, as many as `relations.degree()`. `made`:
/// those of a combination of relations of degree 2 made elsewhere, which is one of them.
pub(super) fn combine_coefficients<M: Element>(
    relations: &Relations<M>,
    seed: &[u8; 16],
    inner_product: InnerProduct<M>,
    made: [M; 2],
) -> Result<Vec<M>, Error> {
    let top = relations.degree();
    let mut sum = vec![M::ZERO; top];
    sum[top - 2..].copy_from_slice(&made);
    Coefficients::new(seed, 2, inner_product).combine(&relations.quadratic, &mut sum[top - 2..])?;
    for (&degree, columns) in &relations.others {
        Coefficients::new(seed, degree, inner_product).combine(columns, &mut sum[top - degree..])?;
    }
    Ok(sum)
}

/// V's sum over the relations of degree 2, which can be added up as they come.
pub(super) struct QuadraticSum<M: Zeroize> {
    coefficients: Coefficients<M>,
    sum: M,
}

impl<M: Zeroize> Drop for QuadraticSum<M> {
    fn drop(&mut self) {
        self.sum.zeroize();
    }
}

impl<M: Element> QuadraticSum<M> {
    pub(super) fn new(seed: &[u8; 16], inner_product: InnerProduct<M>) -> Self {
        Self { coefficients: Coefficients::new(seed, 2, inner_product), sum: M::ZERO }
    }

    /// Adds the relations of degree 2 and forgets them.
    pub(super) fn absorb(&mut self, relations: &mut Relations<M>) -> Result<(), Error> {
        self.coefficients.combine(&relations.quadratic[..1], core::slice::from_mut(&mut self.sum))?;
        // Keys of products and the like: wiped with the vector's memory when the relations are dropped.
        relations.quadratic[0].clear();
        Ok(())
    }

    /// Adds the value of a combination of relations of degree 2 made elsewhere.
    pub(super) fn add(&mut self, value: M) {
        self.sum += value;
    }

    /// The sum of all relations, those of degree 2 absorbed before, shifted to the greatest degree.
    pub(super) fn finish(&self, relations: &Relations<M>, seed: &[u8; 16], delta: M) -> Result<M, Error> {
        let top = relations.degree();
        let shifted = |sum: M, degree: usize| (degree..top).fold(sum, |sum, _| sum * delta);
        let mut sum = shifted(self.sum, 2);
        for (&degree, columns) in &relations.others {
            let mut part = [M::ZERO];
            let mut coefficients = Coefficients::new(seed, degree, self.coefficients.inner_product);
            coefficients.combine(columns, &mut part)?;
            sum += shifted(part[0], degree);
        }
        Ok(sum)
    }
}
