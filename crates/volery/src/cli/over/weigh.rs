//! What a proof over a field consists of, found by a run without values.
//!
//! A backend that does what [`arithmetic::Prover`](volery_zk::quicksilver::arithmetic::Prover) does with blocks, and no
//! arithmetic. Wires take no memory, so a statement of any size can be weighed.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use volery_circuit::choose::Pick;
use volery_circuit::{
    Backend, Branches, Choose, Error, Graded, Hint, MatrixShape, Ops, Polynomials, Prove, Statement,
    check_linear, check_products,
};
use volery_field::Value;
use volery_zk::disjunction::soundness::challenges;
use volery_zk::quicksilver::arithmetic::soundness::Checks;

/// What a proof consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Secret values.
    pub(crate) secrets: u64,
    pub(crate) multiplications: u64,
    /// Linear claims.
    pub(crate) linear: u64,
    /// How many polynomial claims there are of each degree; a folded matrix product is one of degree 2.
    pub(crate) polynomials: BTreeMap<usize, u64>,
    /// Matrix products folded by a challenge.
    pub(crate) folds: u64,
    /// Blocks, each with a check.
    pub(crate) blocks: u64,
    /// Branches of disjunctions, and what they take of challenges.
    pub(crate) branches: u64,
    pub(crate) challenges: u64,
}

impl Weight {
    /// Values committed to.
    pub(crate) fn commitments(&self) -> u64 {
        self.secrets.saturating_add(self.multiplications)
    }

    /// The greatest degree of a relation, those of multiplications included.
    pub(crate) fn degree(&self) -> usize {
        self.polynomials.keys().next_back().copied().unwrap_or(2).max(2)
    }

    /// What the soundness depends on.
    pub(crate) fn checks(&self) -> Checks {
        Checks { blocks: self.blocks, degree: self.degree(), folds: self.folds }
    }
}

/// Weighs statements over `F`.
pub(crate) struct Weigher<F> {
    weight: Weight,
    /// Commitments and relations that the block still takes.
    left: u64,
    interval: u64,
    field: PhantomData<F>,
}

impl<F: Value> Weigher<F> {
    /// What a proof of `statement` consists of if blocks hold `interval` commitments and relations.
    pub(crate) fn weigh(
        statement: &(impl Statement<Self> + ?Sized),
        interval: usize,
    ) -> Result<Weight, Error> {
        let interval = interval.max(1) as u64;
        let mut weigher = Self { weight: Weight::default(), left: interval, interval, field: PhantomData };
        statement.run(&mut weigher)?;
        weigher.close();
        Ok(weigher.weight)
    }

    /// Ends a block.
    fn close(&mut self) {
        self.left = self.interval;
        self.weight.blocks += 1;
    }

    /// Room for one commitment or relation.
    #[inline]
    fn room(&mut self) {
        if self.left == 0 {
            self.close();
        }
        self.left -= 1;
    }

    /// Commits to `n` values.
    fn commit(&mut self, mut n: u64) {
        while n > 0 {
            if self.left == 0 {
                self.close();
            }
            let now = n.min(self.left);
            self.left -= now;
            n -= now;
        }
    }

    /// A relation of this degree, at least 2.
    fn relation(&mut self, degree: usize) {
        self.room();
        *self.weight.polynomials.entry(degree).or_default() += 1;
    }
}

impl<F: Value> Backend for Weigher<F> {
    type Error = Error;
}

impl<F: Value> Ops<F> for Weigher<F> {
    type Wire = ();

    fn constant(&mut self, _c: F) {}

    fn add(&mut self, _x: &(), _y: &()) {}

    fn sub(&mut self, _x: &(), _y: &()) {}

    fn add_constant(&mut self, _x: &(), _c: F) {}

    fn scale(&mut self, _x: &(), _c: F) {}

    #[inline]
    fn mul(&mut self, _x: &(), _y: &()) -> Result<(), Error> {
        self.commit(1);
        self.room();
        self.weight.multiplications += 1;
        Ok(())
    }
}

impl<F: Value> Prove<F> for Weigher<F> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, F, ()>) -> Result<Vec<()>, Error> {
        self.commit(n as u64);
        self.weight.secrets += n as u64;
        Ok(vec![(); n])
    }

    fn assert_zero(&mut self, x: &[()]) -> Result<(), Error> {
        self.weight.linear += x.len() as u64;
        Ok(())
    }

    fn assert_dot(&mut self, x: &[()], y: &[()], _z: &()) -> Result<(), Error> {
        check_products(x.len(), y.len(), y.len())?;
        self.relation(2);
        Ok(())
    }

    fn assert_linear(&mut self, matrix: &[F], x: &[()], t: &[F]) -> Result<(), Error> {
        check_linear(matrix.len(), x.len(), t.len())?;
        self.weight.linear += t.len() as u64;
        Ok(())
    }

    fn assert_products(&mut self, x: &[()], y: &[()], z: &[()]) -> Result<(), Error> {
        check_products(x.len(), y.len(), z.len())?;
        x.iter().for_each(|()| self.relation(2));
        Ok(())
    }
}

/// As Robin: both factors of a product are committed to with it, and a polynomial of degree `B` in delta ends it.
impl<F: Value, S> Choose<F, S> for Weigher<F> {
    fn any_of(
        &mut self,
        shared: &[()],
        branches: &Branches<F, S>,
        _pick: Pick<'_, F, (), S>,
    ) -> Result<Vec<()>, Error> {
        branches.check_shared(shared.len())?;
        let shape = branches.shape();
        let secrets = (shape.inputs + shape.outputs) as u64;
        self.commit(secrets);
        self.weight.secrets += secrets;
        // Factors and products are committed to between challenges, each of which ends a block.
        let challenges = challenges(shape.multiplications as u64);
        let each = (shape.multiplications as u64).div_ceil(challenges);
        for i in 0..shape.multiplications as u64 {
            if i > 0 && i.is_multiple_of(each) {
                self.close();
            }
            self.commit(2);
            self.mul(&(), &())?;
        }
        self.close();
        self.weight.challenges = self.weight.challenges.saturating_add(challenges);
        self.weight.branches += branches.list().len() as u64;
        Ok(vec![(); shape.outputs])
    }
}

impl<F: Value> Polynomials<F> for Weigher<F> {
    type Poly = Graded<()>;

    fn poly(&mut self, _x: &()) -> Graded<()> {
        Graded::variable(())
    }

    fn poly_constant(&mut self, _c: F) -> Graded<()> {
        Graded::constant(())
    }

    fn poly_add(&mut self, p: &Graded<()>, q: &Graded<()>) -> Graded<()> {
        p.sum(q, ())
    }

    fn poly_scale(&mut self, p: &Graded<()>, _c: F) -> Graded<()> {
        *p
    }

    fn poly_mul(&mut self, p: &Graded<()>, q: &Graded<()>) -> Result<Graded<()>, Error> {
        p.product(q, ())
    }

    fn assert_poly_zero(&mut self, p: &[Graded<()>]) -> Result<(), Error> {
        for p in p {
            match p.degree() {
                0 => {}
                1 => self.weight.linear += 1,
                degree => self.relation(degree),
            }
        }
        Ok(())
    }

    fn assert_matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &[()],
        b: &[()],
        c: &[()],
    ) -> Result<(), Error> {
        shape.check(a.len(), b.len(), c.len())?;
        // The challenge depends on all that was committed to, so the block ends before it.
        self.close();
        self.weight.folds += 1;
        self.relation(2);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use volery_circuit::statements::{InnerProduct, MatrixProduct, MulChain, Short, Sis};
    use volery_field::F61;

    use super::*;

    #[test]
    fn blocks_end_where_they_are_full_and_before_a_fold() {
        let chain = MulChain::<F61>::new(10_000).expect("a chain");
        let weight = Weigher::weigh(&chain, 1 << 10).expect("weighs");
        assert_eq!((weight.secrets, weight.multiplications, weight.linear), (2048, 10_000, 2048));
        assert_eq!((weight.blocks, weight.degree()), ((2048 + 20_000_u64).div_ceil(1 << 10), 2));

        let product = MatrixProduct::<F61>::sample(MatrixShape::square(8), true, [0; 32]).expect("small");
        let weight = Weigher::weigh(&product, 1 << 10).expect("weighs");
        assert_eq!((weight.secrets, weight.folds, weight.blocks), (128, 1, 2));
        assert_eq!(weight.polynomials, BTreeMap::from([(2, 1)]));
    }

    #[test]
    fn claims_are_counted_by_degree() {
        let sis = Sis::<F61>::sample(5, 30, Short::Within(2), [0; 32]).expect("small");
        let weight = Weigher::weigh(&sis, 1 << 10).expect("weighs");
        assert_eq!(weight.polynomials, BTreeMap::from([(5, 30)]));
        assert_eq!((weight.linear, weight.blocks, weight.degree()), (5, 1, 5));
        let inner = InnerProduct::<F61>::sample(10, true, [0; 32]).expect("small");
        let weight = Weigher::weigh(&inner, 1 << 10).expect("weighs");
        assert_eq!((weight.secrets, weight.polynomials), (20, BTreeMap::from([(2, 1)])));
    }
}
