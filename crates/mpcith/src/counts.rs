//! The size of a proof, computed without recording the statement.

use volery_circuit::Error as StatementError;

use crate::Error;

/// The numbers of a statement's inputs, multiplications and claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Secret elements.
    pub inputs: u64,
    /// Multiplications, including those of inner products.
    pub multiplications: u64,
    /// Elements claimed to be zero.
    pub outputs: u64,
}

impl Counts {
    /// The same as [`Program::counts`](crate::Program::counts), but also for statements too large for a
    /// program. These are upper bounds, and exact unless an expression is scaled by zero.
    ///
    /// # Errors
    /// [`Error::Statement`] for a disjunction. It has no public proof, because a flat circuit would show
    /// which branch it contains.
    pub fn of(counted: &volery_circuit::Counts) -> Result<Self, Error> {
        if counted.disjunctions > 0 {
            let reason = "a disjunction has no public proof; prove it over a connection";
            return Err(StatementError::Public(reason.into()).into());
        }
        Ok(Self { inputs: counted.inputs, multiplications: counted.expanded(), outputs: counted.assertions })
    }
}

#[cfg(test)]
mod tests {
    use volery_circuit::statements::{
        InnerProduct, MatrixProduct, Mul32, MulChain, Sha256Preimage, Short, Sis,
    };
    use volery_circuit::{Counter, Evaluator, MatrixShape, Recorder, Statement};
    use volery_field::{F2, F61, Z64};

    use super::*;
    use crate::testing::{SMALL, statement};
    use crate::{Program, PublicRing};

    fn agree<R: PublicRing, S>(statement: &S)
    where
        S: Statement<Recorder<R>> + Statement<Evaluator<R>> + Statement<Counter<R>>,
    {
        let program = Program::<R>::new(statement).expect("small");
        let counted = Counter::<R>::count(statement).expect("counts").total();
        assert_eq!(Counts::of(&counted), Ok(program.counts()));
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
