//! How much a proof consists of, found without writing the statement down.

use core::marker::PhantomData;

use volery_circuit::choose::Pick;
use volery_circuit::{
    Backend, Branches, Choose, Error as StatementError, Hint, Ops, Prove, Recorder, Statement, check_linear,
    check_products,
};
use volery_field::Ring;

use crate::Error;

/// How much a statement brings in, multiplies and claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Secret elements.
    pub inputs: u64,
    /// Multiplications, those of inner products included.
    pub multiplications: u64,
    /// Elements claimed to be zero.
    pub outputs: u64,
}

impl Counts {
    /// The same as [`Program::counts`](crate::Program::counts), of statements too large for a program as well: wires take no
    /// memory, and products of matrices no time.
    ///
    /// # Errors
    /// [`Error::Statement`] with the statement's own; and if it is a disjunction, of which there are no public proofs.
    pub fn of<R: Ring>(statement: &(impl Statement<Measure<R>> + ?Sized)) -> Result<Self, Error> {
        let mut measure = Measure { counts: Self::default(), ring: PhantomData };
        statement.run(&mut measure)?;
        Ok(measure.counts)
    }
}

/// The backend that counts as [`Recorder`] writes, and writes nothing.
#[derive(Clone, Debug)]
pub struct Measure<R> {
    counts: Counts,
    ring: PhantomData<R>,
}

impl<R> Measure<R> {
    /// Counts inner products: terms in all, and how many there are.
    fn products(&mut self, terms: usize, claims: usize) {
        let Counts { multiplications, outputs, .. } = &mut self.counts;
        *multiplications = multiplications.saturating_add(terms as u64);
        *outputs = outputs.saturating_add(claims as u64);
    }
}

impl<R: Ring> Backend for Measure<R> {
    type Error = StatementError;
}

impl<R: Ring> Ops<R> for Measure<R> {
    type Wire = ();

    fn constant(&mut self, _c: R) {}

    fn add(&mut self, _x: &(), _y: &()) {}

    fn sub(&mut self, _x: &(), _y: &()) {}

    fn add_constant(&mut self, _x: &(), _c: R) {}

    fn scale(&mut self, _x: &(), _c: R) {}

    fn mul(&mut self, _x: &(), _y: &()) -> Result<(), StatementError> {
        self.products(1, 0);
        Ok(())
    }
}

impl<R: Ring> Prove<R> for Measure<R> {
    fn secret(&mut self, n: usize, _hint: Hint<'_, R, ()>) -> Result<Vec<()>, StatementError> {
        self.counts.inputs = self.counts.inputs.saturating_add(n as u64);
        Ok(vec![(); n])
    }

    fn assert_zero(&mut self, x: &[()]) -> Result<(), StatementError> {
        self.products(0, x.len());
        Ok(())
    }

    fn assert_dot(&mut self, x: &[()], y: &[()], _z: &()) -> Result<(), StatementError> {
        check_products(x.len(), y.len(), y.len())?;
        self.products(x.len(), 1);
        Ok(())
    }

    fn assert_linear(&mut self, matrix: &[R], x: &[()], t: &[R]) -> Result<(), StatementError> {
        check_linear(matrix.len(), x.len(), t.len())?;
        self.products(0, t.len());
        Ok(())
    }

    fn assert_products(&mut self, x: &[()], y: &[()], z: &[()]) -> Result<(), StatementError> {
        check_products(x.len(), y.len(), z.len())?;
        self.products(x.len(), x.len());
        Ok(())
    }
}

volery_circuit::polynomials_by_multiplying!([R: Ring] R, Measure<R>);

/// Refused, as it is when the statement is written down.
impl<R: Ring, S> Choose<R, S> for Measure<R> {
    fn any_of(
        &mut self,
        _shared: &[()],
        branches: &Branches<R, S>,
        _pick: Pick<'_, R, (), S>,
    ) -> Result<Vec<()>, StatementError> {
        let none = || StatementError::Witness("none was given".into());
        Recorder::new().any_of(&[], branches, &mut |_| Err(none())).map(|_| Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use volery_circuit::statements::{
        InnerProduct, MatrixProduct, Mul32, MulChain, Sha256Preimage, Short, Sis,
    };
    use volery_circuit::{Evaluator, MatrixShape};
    use volery_field::{F2, F61, Z64};

    use super::*;
    use crate::testing::{SMALL, statement};
    use crate::{Program, PublicRing};

    fn agree<R: PublicRing, S>(statement: &S)
    where
        S: Statement<Recorder<R>> + Statement<Evaluator<R>> + Statement<Measure<R>>,
    {
        let program = Program::<R>::new(statement).expect("small");
        assert_eq!(Counts::of::<R>(statement), Ok(program.counts()));
    }

    #[test]
    fn counting_gives_what_writing_down_does() {
        for seed in 0..20 {
            agree::<F2, _>(&statement::<F2>(seed, SMALL));
            agree::<Z64, _>(&statement::<Z64>(seed, SMALL));
        }
        agree::<F2, _>(&Sha256Preimage::new([0; 32], 100).expect("short"));
        agree::<F2, _>(&Mul32::sample(3, [0; 32]));
        agree::<F61, _>(&MulChain::<F61>::new(1000).expect("a chain"));
        agree::<F61, _>(&InnerProduct::<F61>::sample(50, true, [0; 32]).expect("small"));
        agree::<F61, _>(&InnerProduct::<F61>::sample(50, false, [0; 32]).expect("small"));
        let shape = MatrixShape { rows: 3, inner: 5, columns: 4 };
        agree::<F61, _>(&MatrixProduct::<F61>::sample(shape, true, [0; 32]).expect("small"));
        agree::<F61, _>(&MatrixProduct::<F61>::sample(shape, false, [0; 32]).expect("small"));
        for short in [Short::Binary, Short::Within(2)] {
            agree::<F61, _>(&Sis::<F61>::sample(5, 30, short, [0; 32]).expect("small"));
        }
    }
}
