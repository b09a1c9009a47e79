//! What a block has to check: relations by degree, at P as coefficients, at V as values.

use std::collections::BTreeMap;

use volery_field::{Element, Mac, Value};
use volery_vole::Prg;
use zeroize::Zeroize;

use crate::Error;

/// Relations of a block. Each degree has coefficients of its own, so that relations of one degree stay together.
pub(super) struct Relations<M: Zeroize> {
    /// Degree 2, the bulk: at P `A_0` and `A_1`, at V `B` in the first.
    quadratic: [Vec<M>; 2],
    /// Other degrees: at P `d` coefficients a relation, at V one value.
    others: BTreeMap<usize, Vec<M>>,
}

impl<M: Zeroize> Relations<M> {
    pub(super) fn new() -> Self {
        Self { quadratic: [Vec::new(), Vec::new()], others: BTreeMap::new() }
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

    /// A relation of any degree: P's coefficients, or V's value alone.
    pub(super) fn push(&mut self, degree: usize, entries: impl IntoIterator<Item = M>) {
        if degree == 2 {
            self.quadratic.iter_mut().zip(entries).for_each(|(to, entry)| to.push(entry));
        } else {
            self.others.entry(degree).or_default().extend(entries);
        }
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

/// The coefficients of the relations of one degree in one block.
struct Coefficients(Prg);

impl Coefficients {
    fn new(seed: &[u8; 16], degree: usize) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("volery 2026 quicksilver relations v1");
        hasher.update(seed).update(&(degree as u64).to_le_bytes());
        let mut seed = [0; 16];
        hasher.finalize_xof().fill(&mut seed);
        Self(Prg::new(seed))
    }

    /// The coefficients of `n` relations, which are all that there are.
    fn all<M: Element>(mut self, n: usize) -> Vec<M> {
        let mut chi = vec![M::ZERO; n];
        self.0.coefficients(&mut chi);
        chi
    }
}

/// Coefficients expanded at once.
const CHUNK: usize = 1 << 10;

/// P: the coefficients of the sum of all relations, lowest first, as many as `relations.degree()`.
pub(super) fn combine_coefficients<F: Value, M: Mac<F>>(
    relations: &Relations<M>,
    seed: &[u8; 16],
) -> Result<Vec<M>, Error> {
    let top = relations.degree();
    let mut sum = vec![M::ZERO; top];
    let mut chi = [M::ZERO; CHUNK];
    let mut quadratic = Coefficients::new(seed, 2);
    let [a_0, a_1] = &relations.quadratic;
    for (a_0, a_1) in a_0.chunks(CHUNK).zip(a_1.chunks(CHUNK)) {
        let chi = &mut chi[..a_0.len()];
        quadratic.0.coefficients(chi);
        sum[top - 2] += inner_product(chi, a_0)?;
        sum[top - 1] += inner_product(chi, a_1)?;
    }
    for (&degree, entries) in &relations.others {
        let chi: Vec<M> = Coefficients::new(seed, degree).all(entries.len() / degree);
        for (relation, chi) in entries.chunks_exact(degree).zip(chi) {
            for (sum, a) in sum[top - degree..].iter_mut().zip(relation) {
                *sum += chi * *a;
            }
        }
    }
    Ok(sum)
}

/// V's sum over the relations of degree 2, which can be added up as they come.
pub(super) struct QuadraticSum<M: Zeroize> {
    coefficients: Coefficients,
    sum: M,
    chi: Vec<M>,
}

impl<M: Zeroize> Drop for QuadraticSum<M> {
    fn drop(&mut self) {
        self.sum.zeroize();
    }
}

impl<M: Zeroize> QuadraticSum<M> {
    pub(super) fn new<F: Value>(seed: &[u8; 16]) -> Self
    where
        M: Mac<F>,
    {
        Self { coefficients: Coefficients::new(seed, 2), sum: M::ZERO, chi: vec![M::ZERO; CHUNK] }
    }

    /// Adds the relations of degree 2 and forgets them.
    pub(super) fn absorb<F: Value>(&mut self, relations: &mut Relations<M>) -> Result<(), Error>
    where
        M: Mac<F>,
    {
        for values in relations.quadratic[0].chunks(CHUNK) {
            let chi = &mut self.chi[..values.len()];
            self.coefficients.0.coefficients(chi);
            self.sum += inner_product(chi, values)?;
        }
        // Keys of products and the like: wiped with the vector's memory when the relations are dropped.
        relations.quadratic[0].clear();
        Ok(())
    }

    /// The sum of all relations, those of degree 2 absorbed before, shifted to the greatest degree.
    pub(super) fn finish<F: Value>(&self, relations: &Relations<M>, seed: &[u8; 16], delta: M) -> M
    where
        M: Mac<F>,
    {
        let top = relations.degree();
        let shift = |degree: usize| (degree..top).fold(M::ONE, |power, _| power * delta);
        let mut sum = self.sum * shift(2.min(top));
        for (&degree, values) in &relations.others {
            let chi: Vec<M> = Coefficients::new(seed, degree).all(values.len());
            let part = chi.iter().zip(values).fold(M::ZERO, |sum, (chi, value)| sum + *chi * *value);
            sum += part * shift(degree);
        }
        sum
    }
}

fn inner_product<F: Value, M: Mac<F>>(a: &[M], b: &[M]) -> Result<M, Error> {
    M::inner_product(a, b).map_err(|error| volery_circuit::Error::misuse(error.to_string()).into())
}
