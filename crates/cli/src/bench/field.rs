//! Statements over a field to measure with. Their witnesses are known to everybody; a verifier has no copy
//! where the statement can do without.

use std::sync::Arc;

use volery_circuit::MatrixShape;
use volery_circuit::r1cs::{R1csStatement, sample};
use volery_circuit::statements::{InnerProduct, MatrixProduct, MulChain, Short, Sis};
use volery_field::{Bn254Scalar, F32, F61};

use super::phases::{Clock, Phased};
use super::workload::Job;
use crate::args::{BenchName, RoleArg};
use crate::failure::Failure;
use crate::over::{FieldStatement, Over, Provable, Served};

/// What the samples are made of.
const SEED: [u8; 32] = [7; 32];

/// A statement over a field, and the clock in it.
pub(super) struct FieldWork {
    pub(super) statement: Box<dyn FieldStatement>,
    pub(super) clock: Clock,
}

impl FieldWork {
    fn of<F: Served, S>(statement: S) -> Self
    where
        Phased<S>: Provable<F, F::Small> + Provable<F, F::Large>,
        S: 'static,
    {
        let clock = Clock::default();
        let phased = Phased { statement, clock: clock.clone() };
        Self { statement: Box::new(Over::<F, _>::new(phased)), clock }
    }

    /// The statement of a job; none if it has none over a field.
    pub(super) fn new(job: &Job, role: RoleArg) -> Result<Option<Self>, Failure> {
        Ok(Some(match job.name {
            BenchName::Arithmetic => Self::of::<F61, _>(MulChain::<F61>::new(job.size)?),
            BenchName::R1cs => {
                let constraints = u32::try_from(job.length()?).map_err(Failure::input)?;
                // One more says what the output is.
                let (system, assignment) = sample::<Bn254Scalar>(1, constraints.saturating_sub(1))?;
                Self::of::<Bn254Scalar, _>(R1csStatement::prove(Arc::new(system), assignment)?)
            }
            BenchName::InnerProduct => Self::of::<F61, _>(match role {
                RoleArg::Prover => InnerProduct::<F61>::sample(job.length()?, false, SEED)?,
                RoleArg::Verifier => InnerProduct::new(job.length()?, None)?,
            }),
            BenchName::Matmul => {
                let (shape, secret) = (MatrixShape::square(job.length()?), job.measure.secret_product);
                Self::of::<F61, _>(match role {
                    RoleArg::Verifier if secret => MatrixProduct::new(shape, None)?,
                    _ => MatrixProduct::<F61>::sample(shape, !secret, SEED)?,
                })
            }
            BenchName::Sis => {
                let columns = job.length()?;
                let rows = columns.saturating_mul(2);
                Self::of::<F32, _>(Sis::<F32>::sample(rows, columns, Short::Within(1), SEED)?)
            }
            _ => return Ok(None),
        }))
    }
}
