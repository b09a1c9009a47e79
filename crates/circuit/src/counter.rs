//! The counter: what a statement will cost, without any value.
//!
//! A wire is its multiplicative depth, so a run costs a few instructions an operation and no memory that grows with
//! the statement. Counts are kept for each named part; parts of one name under one parent are summed.

use core::marker::PhantomData;
use core::ops::AddAssign;
use std::collections::BTreeMap;

use volery_field::Ring;

use crate::backend::{check_linear, check_products};
use crate::choose::Shape;
use crate::polynomials::{Graded, MatrixShape};
use crate::{Backend, Error, Hint, Ops, Polynomials, Prove, Statement};

/// Numbers of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Secret wires brought in.
    pub inputs: u64,
    /// Public constants made.
    pub constants: u64,
    /// Additions and subtractions of two wires (in F2: XORs).
    pub additions: u64,
    /// Additions of, and scalings by, public constants (in F2: NOTs).
    pub affine: u64,
    /// Multiplications (in F2: ANDs), those inside [`Prove::assert_dot`] apart.
    pub multiplications: u64,
    /// S-boxes of AES, whose 32 multiplications each are among those: see [`Ops::substitute`].
    pub s_boxes: u64,
    /// Terms of [`Prove::assert_dot`]; a backend with nothing better spends one multiplication on each.
    pub dot_terms: u64,
    /// Wires and expressions asserted to be zero and inner products asserted.
    pub assertions: u64,
    /// Those among them that are expressions of [`Polynomials`].
    pub polynomials: u64,
    /// The greatest degree of such an expression.
    pub degree: usize,
    /// Disjunctions; what they commit to is among the other counts.
    pub disjunctions: u64,
    /// Their branches, summed over all of them.
    pub branches: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        // Destructured so that a new field cannot be forgotten here.
        let Self {
            inputs,
            constants,
            additions,
            affine,
            multiplications,
            s_boxes,
            dot_terms,
            assertions,
            polynomials,
            degree,
            disjunctions,
            branches,
        } = other;
        self.inputs += inputs;
        self.constants += constants;
        self.additions += additions;
        self.affine += affine;
        self.multiplications += multiplications;
        self.s_boxes += s_boxes;
        self.dot_terms = self.dot_terms.saturating_add(dot_terms);
        self.assertions += assertions;
        self.polynomials += polynomials;
        self.degree = self.degree.max(degree);
        self.disjunctions += disjunctions;
        self.branches = self.branches.saturating_add(branches);
    }
}

/// The counts of one named part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartCounts {
    /// The part's name and those around it, outermost first, separated by `/`.
    pub path: String,
    /// How many parts are around it.
    pub level: usize,
    /// How often it was entered.
    pub entered: u64,
    /// Its operations over all entries, those of the parts inside it included.
    pub counts: Counts,
}

#[derive(Clone, Debug, Default)]
struct Part {
    inner: BTreeMap<String, usize>,
    entered: u64,
    own: Counts,
}

/// Counts the operations of a statement over `R`.
#[derive(Clone, Debug)]
pub struct Counter<R> {
    /// Counts of the current part since it was entered or came back to; flushed on every change of part.
    now: Counts,
    depth: u32,
    /// Part 0 is the whole statement; inner parts have higher numbers than the part around them.
    parts: Vec<Part>,
    open: Vec<usize>,
    current: usize,
    ring: PhantomData<R>,
}

impl<R: Ring> Default for Counter<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Ring> Counter<R> {
    /// A counter at zero.
    #[must_use]
    pub fn new() -> Self {
        Self {
            now: Counts::default(),
            depth: 0,
            parts: vec![Part { entered: 1, ..Part::default() }],
            open: Vec::new(),
            current: 0,
            ring: PhantomData,
        }
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
        // An explicit stack: how deep parts nest is up to the statement.
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

    /// Counts `claims` inner products of `terms` terms in all, whose factors are among `x` and `y`.
    fn products(&mut self, x: &[u32], y: &[u32], terms: u64, claims: u64) {
        self.now.dot_terms = self.now.dot_terms.saturating_add(terms);
        self.now.assertions += claims;
        let depth = x.iter().chain(y).max().map_or(0, |depth| depth.saturating_add(1));
        self.depth = self.depth.max(depth);
    }

    /// Counts what a disjunction of so many `branches` of this shape commits to, whichever of them holds, and one assertion.
    pub(crate) fn disjunction(&mut self, branches: usize, shape: Shape) {
        let Shape { inputs, multiplications, outputs } = shape;
        let [inputs, multiplications, outputs] = [inputs, multiplications, outputs].map(|n| n as u64);
        let values = inputs.saturating_add(outputs).saturating_add(multiplications.saturating_mul(2));
        self.now.inputs = self.now.inputs.saturating_add(values);
        self.now.multiplications = self.now.multiplications.saturating_add(multiplications);
        self.now.assertions += 1;
        self.now.disjunctions += 1;
        self.now.branches = self.now.branches.saturating_add(branches as u64);
    }

    fn flush(&mut self) {
        self.parts[self.current].own += core::mem::take(&mut self.now);
    }
}

impl<R: Ring> Backend for Counter<R> {
    type Error = Error;

    fn enter(&mut self, part: &str) {
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
        self.flush();
        self.current = self.open.pop().unwrap_or(0);
    }
}

impl<R: Ring> Ops<R> for Counter<R> {
    /// Multiplications on the longest path to the wire.
    type Wire = u32;

    #[inline]
    fn constant(&mut self, _c: R) -> u32 {
        self.now.constants += 1;
        0
    }

    #[inline]
    fn add(&mut self, x: &u32, y: &u32) -> u32 {
        self.now.additions += 1;
        *x.max(y)
    }

    #[inline]
    fn sub(&mut self, x: &u32, y: &u32) -> u32 {
        self.now.additions += 1;
        *x.max(y)
    }

    #[inline]
    fn add_constant(&mut self, x: &u32, _c: R) -> u32 {
        self.now.affine += 1;
        *x
    }

    #[inline]
    fn scale(&mut self, x: &u32, _c: R) -> u32 {
        self.now.affine += 1;
        *x
    }

    #[inline]
    fn mul(&mut self, x: &u32, y: &u32) -> Result<u32, Error> {
        self.now.multiplications += 1;
        let depth = x.max(y).saturating_add(1);
        self.depth = self.depth.max(depth);
        Ok(depth)
    }

    /// Counted beside the multiplications that the circuit takes: which of the two is paid for depends on the proof.
    fn substitute(&mut self, _x: &[u32; 8]) -> Result<Option<[u32; 8]>, Error> {
        self.now.s_boxes += 1;
        Ok(None)
    }
}

impl<R: Ring> Prove<R> for Counter<R> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, R, u32>) -> Result<Vec<u32>, Error> {
        self.now.inputs += n as u64;
        Ok(vec![0; n])
    }

    fn assert_zero(&mut self, x: &[u32]) -> Result<(), Error> {
        self.now.assertions += x.len() as u64;
        Ok(())
    }

    fn assert_dot(&mut self, x: &[u32], y: &[u32], _z: &u32) -> Result<(), Error> {
        if x.len() != y.len() {
            return Err(Error::misuse(format!("assert_dot of {} and {} wires", x.len(), y.len())));
        }
        self.products(x, y, x.len() as u64, 1);
        Ok(())
    }

    fn assert_products(&mut self, x: &[u32], y: &[u32], z: &[u32]) -> Result<(), Error> {
        check_products(x.len(), y.len(), z.len())?;
        self.products(x, y, x.len() as u64, x.len() as u64);
        Ok(())
    }

    fn assert_linear(&mut self, matrix: &[R], x: &[u32], t: &[R]) -> Result<(), Error> {
        check_linear(matrix.len(), x.len(), t.len())?;
        self.now.affine += matrix.len() as u64;
        self.now.additions += matrix.len() as u64;
        self.now.assertions += t.len() as u64;
        Ok(())
    }
}

/// An expression is the multiplicative depth it would have as a circuit.
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
        // Scaling by a constant is no multiplication.
        let step = u32::from(p.degree() > 0 && q.degree() > 0);
        p.product(q, depth.saturating_add(step))
    }

    fn assert_poly_zero(&mut self, p: &[Graded<u32>]) -> Result<(), Error> {
        self.now.assertions += p.len() as u64;
        self.now.polynomials += p.len() as u64;
        for p in p {
            self.now.degree = self.now.degree.max(p.degree());
            self.depth = self.depth.max(*p.value());
        }
        Ok(())
    }

    /// Takes as long as the matrices are large, not as long as multiplying them takes.
    fn assert_matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &[u32],
        b: &[u32],
        c: &[u32],
    ) -> Result<(), Error> {
        shape.check(a.len(), b.len(), c.len())?;
        self.products(a, b, (a.len() as u64).saturating_mul(shape.columns as u64), c.len() as u64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use volery_field::F2;

    use super::*;

    fn chain(counter: &mut Counter<F2>, length: usize) -> Result<(), Error> {
        let secrets = counter.secret(2, &mut |_| unreachable!("a counter has no values"))?;
        let mut wire = secrets[0];
        for _ in 0..length {
            wire = counter.mul(&wire, &secrets[1])?;
            wire = counter.add(&wire, &secrets[0]);
            wire = counter.add_constant(&wire, F2::ONE);
        }
        counter.assert_zero(&[wire])
    }

    #[test]
    fn every_kind_of_operation_is_counted_once_and_hints_do_not_run() {
        let mut counter = Counter::<F2>::new();
        chain(&mut counter, 5).expect("counts");
        let c = counter.constant(F2::ONE);
        let scaled = counter.scale(&c, F2::ONE);
        let difference = counter.sub(&scaled, &c);
        counter.mul_many(&[c, c, c], &[scaled, difference, c]).expect("counts");
        counter.assert_dot(&[c, c], &[c, c], &c).expect("counts");
        let expected = Counts {
            inputs: 2,
            constants: 1,
            additions: 6,
            affine: 6,
            multiplications: 8,
            dot_terms: 2,
            assertions: 2,
            ..Counts::default()
        };
        assert_eq!(counter.total(), expected);
        assert_eq!(counter.depth(), 5);
    }

    #[test]
    fn parts_are_summed_by_name_and_include_those_inside() {
        let mut counter = Counter::<F2>::new();
        for _ in 0..3 {
            counter.enter("round");
            chain(&mut counter, 2).expect("counts");
            counter.enter("s-box");
            chain(&mut counter, 1).expect("counts");
            counter.leave();
            counter.leave();
        }
        chain(&mut counter, 1).expect("counts");
        let parts: Vec<_> = counter
            .parts()
            .into_iter()
            .map(|p| (p.path, p.level, p.entered, p.counts.multiplications, p.counts.inputs))
            .collect();
        assert_eq!(parts, [("round".to_owned(), 0, 3, 9, 12), ("round/s-box".to_owned(), 1, 3, 3, 6)]);
        assert_eq!(counter.total().multiplications, 10);
    }

    #[test]
    fn leaving_too_often_is_harmless() {
        let mut counter = Counter::<F2>::new();
        counter.leave();
        chain(&mut counter, 1).expect("counts");
        assert_eq!(counter.total().multiplications, 1);
    }
}
