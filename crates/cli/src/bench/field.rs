//! The measurements of statements over a field. The witnesses are not secret. A verifier has no copy if the
//! statement does not need one.

use std::sync::Arc;

use volery::Statement;
use volery::system::{Over, Provable};
use volery_circuit::r1cs::{R1csStatement, sample};
use volery_circuit::statements::{InnerProduct, MatrixProduct, MulChain, Short, Sis};
use volery_circuit::{Counter, MatrixShape};
use volery_field::{Bn254Scalar, F32, F61};
use volery_statement::fields::{self, Served};
use volery_statement::way::Way;

use super::party::Work;
use super::phases::{Clock, Phased};
use super::workload::Job;
use crate::args::{BenchName, RoleArg};
use crate::failure::Failure;

/// The seed of the samples.
const SEED: [u8; 32] = [7; 32];

/// Work that proves `statement`, with a clock, with the soundness that the job asks for.
fn clocked<F: Served, S>(job: &Job, statement: S) -> Result<Work, Failure>
where
    Phased<S>: Provable<Over<F, F::Small>> + Provable<Over<F, F::Large>> + Statement<Counter<F>>,
    S: Send + Sync + 'static,
{
    let clock = Clock::default();
    let phased = Arc::new(Phased { statement, clock: clock.clone() });
    let options = job.protocol.options();
    let ways = Way::over_field::<F, _>(Arc::clone(&phased)).into_iter().filter(|way| way.suits(&options));
    let way = job.protocol.choose(ways.collect(), 0, || fields::count::<F>(&*phased))?;
    Ok(Work::from(way.proving).with_clock(clock))
}

/// The work of a job over a field; none if the job is not over a field.
pub(super) fn work(job: &Job, role: RoleArg) -> Result<Option<Work>, Failure> {
    Ok(Some(match job.name {
        BenchName::Arithmetic => clocked::<F61, _>(job, MulChain::<F61>::new(job.size)?)?,
        BenchName::R1cs => {
            let constraints = u32::try_from(job.length()?).map_err(Failure::input)?;
            // One more constraint fixes the output.
            let (system, assignment) = sample::<Bn254Scalar>(1, constraints.saturating_sub(1))?;
            clocked::<Bn254Scalar, _>(job, R1csStatement::prove(Arc::new(system), assignment)?)?
        }
        BenchName::InnerProduct => {
            let product = match role {
                RoleArg::Prover => InnerProduct::<F61>::sample(job.length()?, false, SEED)?,
                RoleArg::Verifier => InnerProduct::new(job.length()?, None)?,
            };
            clocked::<F61, _>(job, product)?
        }
        BenchName::Matmul => {
            let (shape, secret) = (MatrixShape::square(job.length()?), job.measure.secret_product);
            let product = match role {
                RoleArg::Verifier if secret => MatrixProduct::new(shape, None)?,
                _ => MatrixProduct::<F61>::sample(shape, !secret, SEED)?,
            };
            clocked::<F61, _>(job, product)?
        }
        BenchName::Sis => {
            let columns = job.length()?;
            let rows = columns.saturating_mul(2);
            clocked::<F32, _>(job, Sis::<F32>::sample(rows, columns, Short::Within(1), SEED)?)?
        }
        _ => return Ok(None),
    }))
}
