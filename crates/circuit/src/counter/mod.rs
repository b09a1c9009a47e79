//! The counter: computes the cost of a statement without any value.
//!
//! One backend does all counting: for `info`, estimates and soundness bounds, for the shapes of branches, and
//! for the sizes of garbled functions and public proofs. It is generic in the level of detail ([`Everything`]
//! or [`Sizes`]). A run costs a few instructions for each operation, and four bytes for each wire that the
//! statement itself keeps. Each named part has its own counts; parts with the same name and parent are
//! summed.

mod counts;
#[cfg(test)]
mod tests;

use core::marker::PhantomData;
use std::collections::BTreeMap;

use volery_field::Ring;

use crate::backend::{check_linear, check_products};
use crate::challenge::Seeds;
use crate::choose::Shape;
use crate::polynomials::{Graded, MatrixShape};
use crate::{Addends, Backend, Error, Hint, Ops, Polynomials, Prove, Statement, Tested};

pub use counts::{Counts, Detail, Everything, PartCounts, Sizes};

#[derive(Clone, Debug, Default)]
struct Part {
    inner: BTreeMap<String, usize>,
    entered: u64,
    own: Counts,
}

/// Counts the operations of a statement over `R`, at the level of detail `D`.
#[derive(Clone, Debug)]
pub struct Counter<R, D = Everything> {
    /// The counts of the current part since it was last entered or returned to. Every change of part adds
    /// them up.
    now: Counts,
    depth: u32,
    /// The number of expressions of each degree that are claimed to be zero.
    degrees: BTreeMap<usize, u64>,
    /// Part 0 is the whole statement; inner parts have higher numbers than the part around them.
    parts: Vec<Part>,
    open: Vec<usize>,
    current: usize,
    /// Of challenges: how many there were, and how many inputs.
    seeds: Seeds<[u64; 2]>,
    ring: PhantomData<(R, D)>,
}

impl<R: Ring, D: Detail> Default for Counter<R, D> {
    fn default() -> Self {
        Self {
            now: Counts::default(),
            depth: 0,
            degrees: BTreeMap::new(),
            parts: vec![Part { entered: 1, ..Part::default() }],
            open: Vec::new(),
            current: 0,
            seeds: Seeds::default(),
            ring: PhantomData,
        }
    }
}

impl<R: Ring> Counter<R> {
    /// A counter at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts `statement`.
    ///
    /// # Errors
    /// The statement's own.
    pub fn count(statement: &(impl Statement<Self> + ?Sized)) -> Result<Self, Error> {
        let mut counter = Self::new();
        statement.run(&mut counter)?;
        Ok(counter)
    }

    /// The number of expressions of each degree from 2 on that are claimed to be zero.
    #[must_use]
    pub fn degrees(&self) -> &BTreeMap<usize, u64> {
        &self.degrees
    }
}

impl<R: Ring, D: Detail> Counter<R, D> {
    /// All operations so far.
    #[must_use]
    pub fn total(&self) -> Counts {
        let mut total = self.now;
        for part in &self.parts {
            total += part.own;
        }
        total
    }

    /// The greatest number of multiplications on any path from an input to a wire.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The counts of every named part, each part before those inside it.
    #[must_use]
    pub fn parts(&self) -> Vec<PartCounts> {
        let mut sums: Vec<Counts> = self.parts.iter().map(|part| part.own).collect();
        sums[self.current] += self.now;
        for index in (0..self.parts.len()).rev() {
            for &inner in self.parts[index].inner.values() {
                let sum = sums[inner];
                sums[index] += sum;
            }
        }
        let mut listed = Vec::with_capacity(self.parts.len() - 1);
        // An explicit stack, because the statement determines how deep parts nest.
        let mut waiting: Vec<(usize, usize, String)> = vec![(0, 0, String::new())];
        while let Some((index, level, path)) = waiting.pop() {
            let part = &self.parts[index];
            if index != 0 {
                let (path, level) = (path.clone(), level - 1);
                listed.push(PartCounts { path, level, entered: part.entered, counts: sums[index] });
            }
            for (name, &inner) in part.inner.iter().rev() {
                let path = if index == 0 { name.clone() } else { format!("{path}/{name}") };
                waiting.push((inner, level + 1, path));
            }
        }
        listed
    }

    /// Counts `claims` inner products of `terms` terms in total, whose factors are among `x` and `y`.
    fn products(&mut self, x: &[D::Wire], y: &[D::Wire], terms: u64, claims: u64) {
        let Counts { dot_terms, inner_products, assertions, .. } = &mut self.now;
        *dot_terms = dot_terms.saturating_add(terms);
        *inner_products = inner_products.saturating_add(claims);
        *assertions = assertions.saturating_add(claims);
        if D::EVERYTHING {
            let depth = x.iter().chain(y).map(D::depth).max().map_or(0, |depth| depth.saturating_add(1));
            self.depth = self.depth.max(depth);
        }
    }

    /// Counts `n` claims that linear expressions are zero.
    fn linear(&mut self, n: u64) {
        self.now.assertions = self.now.assertions.saturating_add(n);
        self.now.linear = self.now.linear.saturating_add(n);
    }

    /// Counts `n` multiplications.
    #[inline(always)]
    fn multiply(&mut self, n: usize) {
        self.now.multiplications = self.now.multiplications.saturating_add(n as u64);
    }

    /// Counts the commitments of a disjunction of `branches` branches of this shape, which do not depend on
    /// the branch that holds, and one assertion.
    pub(crate) fn disjunction(&mut self, branches: usize, shape: Shape) {
        let Shape { inputs, multiplications, outputs } = shape;
        let [inputs, multiplications, outputs] = [inputs, multiplications, outputs].map(|n| n as u64);
        let values = inputs.saturating_add(outputs).saturating_add(multiplications.saturating_mul(2));
        self.now.inputs = self.now.inputs.saturating_add(values);
        self.now.multiplications = self.now.multiplications.saturating_add(multiplications);
        self.now.assertions += 1;
        self.now.disjunctions += 1;
        self.now.branches = self.now.branches.saturating_add(branches as u64);
        self.now.most_branches = self.now.most_branches.max(branches as u64);
        self.now.most_products = self.now.most_products.max(multiplications);
    }

    /// Counts a claim that an expression of this degree is zero.
    pub(crate) fn relation(&mut self, degree: usize) {
        if degree < 2 {
            return self.linear(1);
        }
        self.now.assertions += 1;
        self.now.polynomials += 1;
        self.now.degree = self.now.degree.max(degree);
        *self.degrees.entry(degree).or_default() += 1;
    }

    /// Its challenges.
    pub(crate) fn seeds_mut(&mut self) -> &mut Seeds<[u64; 2]> {
        &mut self.seeds
    }

    /// Counts a challenge.
    pub(crate) fn tested(&mut self, Tested { degree, repetitions, values }: Tested) {
        self.now.challenges += 1;
        self.now.tested_values = values.max(self.now.tested_values);
        let most = if repetitions > 1 { &mut self.now.tested_twice } else { &mut self.now.tested };
        *most = degree.max(*most);
    }

    /// Counts `n` of the secrets that come next as scalars.
    pub(crate) fn more_scalars(&mut self, n: usize) {
        self.now.scalars = self.now.scalars.saturating_add(n as u64);
    }

    fn flush(&mut self) {
        self.parts[self.current].own += core::mem::take(&mut self.now);
    }
}

impl<R: Ring, D: Detail> Backend for Counter<R, D> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
        if !D::EVERYTHING {
            return;
        }
        self.flush();
        let next = match self.parts[self.current].inner.get(part) {
            Some(&known) => known,
            None => {
                let new = self.parts.len();
                self.parts[self.current].inner.insert(part.to_owned(), new);
                self.parts.push(Part::default());
                new
            }
        };
        self.parts[next].entered += 1;
        self.open.push(self.current);
        self.current = next;
    }

    fn leave(&mut self) {
        if D::EVERYTHING {
            self.flush();
            self.current = self.open.pop().unwrap_or(0);
        }
    }
}

impl<R: Ring, D: Detail> Ops<R> for Counter<R, D> {
    type Wire = D::Wire;

    #[inline(always)]
    fn constant(&mut self, _c: R) -> D::Wire {
        self.now.constants += u64::from(D::EVERYTHING);
        D::Wire::default()
    }

    #[inline(always)]
    fn add(&mut self, x: &D::Wire, y: &D::Wire) -> D::Wire {
        self.now.additions += u64::from(D::EVERYTHING);
        D::linear(x, y)
    }

    #[inline(always)]
    fn sub(&mut self, x: &D::Wire, y: &D::Wire) -> D::Wire {
        self.add(x, y)
    }

    #[inline(always)]
    fn add_constant(&mut self, x: &D::Wire, _c: R) -> D::Wire {
        self.now.affine += u64::from(D::EVERYTHING);
        x.clone()
    }

    #[inline(always)]
    fn scale(&mut self, x: &D::Wire, c: R) -> D::Wire {
        self.add_constant(x, c)
    }

    #[inline(always)]
    fn mul(&mut self, x: &D::Wire, y: &D::Wire) -> Result<D::Wire, Error> {
        self.multiply(1);
        let product = D::product(x, y);
        self.depth = self.depth.max(D::depth(&product));
        Ok(product)
    }

    fn mul_many(&mut self, x: &[D::Wire], y: &[D::Wire]) -> Result<Vec<D::Wire>, Error> {
        check_products(x.len(), y.len(), x.len())?;
        if !D::EVERYTHING {
            self.multiply(x.len());
            return Ok(vec![D::Wire::default(); x.len()]);
        }
        x.iter().zip(y).map(|(x, y)| self.mul(x, y)).collect()
    }

    fn add_products(&mut self, sums: &mut [D::Wire], x: &[D::Wire], y: &[D::Wire]) -> Result<(), Error> {
        check_products(x.len(), y.len(), sums.len())?;
        if !D::EVERYTHING {
            self.multiply(x.len());
            return Ok(());
        }
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            let product = self.mul(x, y)?;
            *sum = self.add(&product, sum);
        }
        Ok(())
    }

    fn multi_add<const M: usize>(&mut self, addends: Addends<'_, D::Wire, M>) -> Result<(), Error> {
        if D::EVERYTHING || !addends.modular {
            return addends.run(self);
        }
        // Nothing is carried out and wires are empty, so only the count matters.
        self.multiply(addends.multiplications());
        Ok(())
    }

    /// Counted in addition to the circuit's multiplications; the proof system determines which of the two it
    /// pays for.
    fn substitute(&mut self, _x: &[D::Wire; 8]) -> Result<Option<[D::Wire; 8]>, Error> {
        self.now.s_boxes += 1;
        Ok(None)
    }
}

impl<R: Ring, D: Detail> Prove<R> for Counter<R, D> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, R, D::Wire>) -> Result<Vec<D::Wire>, Error> {
        self.now.inputs = self.now.inputs.saturating_add(n as u64);
        Ok(vec![D::Wire::default(); n])
    }

    fn assert_zero(&mut self, x: &[D::Wire]) -> Result<(), Error> {
        self.linear(x.len() as u64);
        Ok(())
    }

    /// As with [`Ops::substitute`], the circuit and its claims are counted, too.
    fn assert_substituted(&mut self, _x: &[D::Wire; 8], _s: &[D::Wire; 8]) -> Result<bool, Error> {
        self.now.claimed_s_boxes += 1;
        Ok(false)
    }

    fn assert_dot(&mut self, x: &[D::Wire], y: &[D::Wire], _z: &D::Wire) -> Result<(), Error> {
        if x.len() != y.len() {
            return Err(Error::misuse(format!("assert_dot of {} and {} wires", x.len(), y.len())));
        }
        self.products(x, y, x.len() as u64, 1);
        Ok(())
    }

    fn assert_products(&mut self, x: &[D::Wire], y: &[D::Wire], z: &[D::Wire]) -> Result<(), Error> {
        check_products(x.len(), y.len(), z.len())?;
        self.products(x, y, x.len() as u64, x.len() as u64);
        Ok(())
    }

    fn assert_linear(&mut self, matrix: &[R], x: &[D::Wire], t: &[R]) -> Result<(), Error> {
        check_linear(matrix.len(), x.len(), t.len())?;
        if D::EVERYTHING {
            self.now.affine = self.now.affine.saturating_add(matrix.len() as u64);
            self.now.additions = self.now.additions.saturating_add(matrix.len() as u64);
        }
        self.linear(t.len() as u64);
        Ok(())
    }
}

// Multiplied out, because a branch of a disjunction is a circuit.
crate::polynomials_by_multiplying!([R: Ring] R, Counter<R, Sizes>);

/// An expression is represented by the multiplicative depth that it would have as a circuit.
impl<R: Ring> Polynomials<R> for Counter<R> {
    type Poly = Graded<u32>;

    fn poly(&mut self, x: &u32) -> Graded<u32> {
        Graded::variable(*x)
    }

    fn poly_constant(&mut self, _c: R) -> Graded<u32> {
        Graded::constant(0)
    }

    fn poly_add(&mut self, p: &Graded<u32>, q: &Graded<u32>) -> Graded<u32> {
        p.sum(q, *p.value().max(q.value()))
    }

    fn poly_scale(&mut self, p: &Graded<u32>, _c: R) -> Graded<u32> {
        *p
    }

    fn poly_mul(&mut self, p: &Graded<u32>, q: &Graded<u32>) -> Result<Graded<u32>, Error> {
        let depth = *p.value().max(q.value());
        // Scaling by a constant is not a multiplication.
        let step = u32::from(p.degree() > 0 && q.degree() > 0);
        self.now.poly_products += u64::from(step);
        p.product(q, depth.saturating_add(step))
    }

    fn assert_poly_zero(&mut self, p: &[Graded<u32>]) -> Result<(), Error> {
        for p in p {
            self.depth = self.depth.max(*p.value());
            match p.degree() {
                // A public zero needs no proof.
                0 => {}
                degree => self.relation(degree),
            }
        }
        Ok(())
    }

    /// The time grows with the size of the matrices, not with that of their multiplication.
    fn assert_matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &[u32],
        b: &[u32],
        c: &[u32],
    ) -> Result<(), Error> {
        shape.check(a.len(), b.len(), c.len())?;
        self.products(a, b, (a.len() as u64).saturating_mul(shape.columns as u64), c.len() as u64);
        self.now.matrix_products += 1;
        self.now.matrix_entries = self.now.matrix_entries.saturating_add(c.len() as u64);
        Ok(())
    }
}
