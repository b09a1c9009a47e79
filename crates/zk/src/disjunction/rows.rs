//! The coefficients of a topology matrix's rows.
//!
//! Row `CHUNK i + j` has the coefficient `across_i * within_j`. So [`CHUNK`] rows at a time are multiplied
//! with the same vector, which stays in the first-level cache, and their sum is multiplied once. If rows are
//! not all zero, some chunk's sum is nonzero except with probability `1 / |M|`, and the combination of chunks
//! except with probability `1 / |M|` more: two vectors of independent coefficients lose one bit compared with
//! one vector, and cost next to nothing.
//!
//! If the field of MACs is an extension of degree [`Base::RUN`](super::Base::RUN) or more of the values'
//! field, one coefficient is drawn for that many rows: `within_(RUN i + j) = c_i x^j`. The powers of `x` are
//! linearly independent over the field of values. So if the values in a run are not all zero, they make a
//! nonzero element, and `c_i` cancels it as rarely as it would cancel one of them. This saves
//! multiplications: over bits a run costs one, not 128.

use volery_field::{Element, Value};
use volery_vole::Prg;

use crate::quicksilver::Seed;

/// The number of rows that share a factor.
pub(super) const CHUNK: usize = 1 << 10;

/// The number of multiplications that share a challenge in a single disjunction: whole chunks.
pub(super) const FOLD: usize = 1 << 18;

/// The coefficients for one purpose, from a challenge.
fn derive(seed: Seed, purpose: u8) -> Prg {
    let Seed { key, salt } = seed.derive("volery 2026 disjunction rows v4", &[purpose]);
    Prg::salted(key, salt)
}

/// Coefficients of any number of rows.
#[derive(Clone, Debug)]
pub(super) struct Grid<M> {
    within: Vec<M>,
    seed: Seed,
    purpose: u8,
}

impl<M: Element> Grid<M> {
    /// One factor for each `run` rows of a chunk.
    fn new(seed: Seed, purpose: u8, run: usize) -> Self {
        let mut within = vec![M::ZERO; CHUNK.div_ceil(run.max(1))];
        derive(seed, purpose).coefficients(&mut within);
        Self { within, seed, purpose }
    }

    /// The factors of the runs of a chunk.
    pub(super) fn within(&self) -> &[M] {
        &self.within
    }

    /// The factors of chunks, one after the other.
    pub(super) fn across(&self) -> Across {
        Across(derive(self.seed, self.purpose | 0x80))
    }
}

/// The factors of chunks.
pub(super) struct Across(Prg);

impl Across {
    /// The next chunk's.
    pub(super) fn next<M: Element>(&mut self) -> M {
        let mut factor = [M::ZERO];
        self.0.coefficients(&mut factor);
        factor[0]
    }
}

/// `s_k` for the left rows of multiplications under one challenge, and `beta s_k` for the right ones.
///
/// One `beta` for all right rows is as good as separate coefficients, up to `1 / |M|`: unless both errors of
/// a multiplication are zero, `l + beta r` is zero for at most one `beta`.
#[derive(Clone, Debug)]
pub(super) struct Products<M> {
    pub(super) grid: Grid<M>,
    pub(super) beta: M,
}

impl<M: Element> Products<M> {
    pub(super) fn new(seed: impl Into<Seed>, run: usize) -> Self {
        let seed = seed.into();
        let mut beta = [M::ZERO];
        derive(seed, 2).coefficients(&mut beta);
        Self { grid: Grid::new(seed, 0, run), beta: beta[0] }
    }
}

/// The challenges of a single disjunction.
#[derive(Clone, Debug)]
pub(super) struct Rows<M> {
    /// One for each [`FOLD`] multiplications in turn; the last is for the rest. There is at least one.
    pub(super) products: Vec<Products<M>>,
    /// `t_j` for assertion `j`.
    pub(super) assertions: Grid<M>,
}

impl<M: Element> Rows<M> {
    /// These, with assertions under the last seed.
    pub(super) fn new(products: Vec<Products<M>>, seed: impl Into<Seed>, run: usize) -> Self {
        Self { products, assertions: Grid::new(seed.into(), 1, run) }
    }
}

/// Coefficients in memory, each drawn separately, for `Topology`.
#[derive(Clone, Debug)]
pub(super) struct Expanded<M> {
    /// The coefficients of left rows.
    pub(super) left: Vec<M>,
    /// The coefficients of right rows.
    pub(super) right: Vec<M>,
    /// The coefficients of assertions.
    pub(super) assertions: Vec<M>,
}

impl<M: Element> Expanded<M> {
    /// Expands this many of each from a public seed.
    #[must_use]
    pub(super) fn new(seed: [u8; 16], multiplications: usize, assertions: usize) -> Self {
        let draw = |purpose: u8, n: usize| {
            let mut out = vec![M::ZERO; n];
            derive(seed.into(), purpose).coefficients(&mut out);
            out
        };
        Self {
            left: draw(0x40, multiplications),
            right: draw(0x41, multiplications),
            assertions: draw(0x42, assertions),
        }
    }
}

impl<F: Value> Expanded<F> {
    /// As [`Expanded::new`], for the coordinates of coefficients in an extension of `degree`.
    pub(super) fn coordinates(
        seed: [u8; 16],
        degree: usize,
        multiplications: usize,
        assertions: usize,
    ) -> Vec<Self> {
        let mut prg = derive(seed.into(), 0x43);
        let seeds = (0..degree).map(|_| prg.block().to_bits().to_le_bytes());
        seeds.map(|seed| Self::new(seed, multiplications, assertions)).collect()
    }
}

#[cfg(test)]
mod tests {
    use volery_field::{F61, Gf128};

    use super::*;

    fn seeds_and_purposes_give_coefficients_of_their_own<M: Element + PartialEq>() {
        let grids = [([1; 16], 0), ([1; 16], 1), ([2; 16], 0)]
            .map(|(seed, purpose): ([u8; 16], _)| Grid::<M>::new(seed.into(), purpose, 128));
        assert!(grids.iter().all(|grid| grid.within().len() == CHUNK / 128));
        let across = grids.each_ref().map(|grid| grid.across().next::<M>());
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            assert!(grids[i].within() != grids[j].within() && across[i] != across[j]);
        }
        let mut both = grids[0].across();
        assert!(both.next::<M>() == across[0] && both.next::<M>() != across[0]);
        let expanded = Expanded::<M>::new([1; 16], 40, 40);
        assert!(expanded.left != expanded.right && expanded.right != expanded.assertions);
    }

    #[test]
    fn rows_chunks_and_challenges_have_different_coefficients() {
        seeds_and_purposes_give_coefficients_of_their_own::<F61>();
        seeds_and_purposes_give_coefficients_of_their_own::<Gf128>();
    }

    #[test]
    fn coordinates_are_independent() {
        let two = Expanded::<F61>::coordinates([3; 16], 2, 10, 2);
        assert_eq!(two.len(), 2);
        assert!(two[0].left != two[1].left && two[0].assertions != two[1].assertions);
    }
}
