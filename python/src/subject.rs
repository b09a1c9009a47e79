//! What is proved, whatever kind of statement it is.

use std::sync::Arc;

use pyo3::prelude::*;
use volery::circuit::choose::AtLeast;
use volery::circuit::{CircuitStatement, Claim, Evaluator, Recorder, Statement as _};
use volery::field::F2;
use volery_statement::describe::Description;
use volery_statement::{Instance, Proved, Settled, reached};

use crate::failure::Failure;
use crate::instance::{Several, Whole};
use crate::traced::AboutBits;
use crate::worker::alone;

/// A statement, as Python holds it: with its witness at the prover.
#[pyclass(frozen, module = "volery._volery")]
pub(crate) struct Statement {
    instance: Arc<dyn Instance>,
    /// The same, if it is a traced function about bits, which can be one of several.
    about_bits: Option<AboutBits>,
}

impl Statement {
    pub(crate) fn new(instance: Arc<dyn Instance>) -> Self {
        Self { instance, about_bits: None }
    }

    /// A traced function.
    pub(crate) fn traced(whole: Whole) -> Self {
        let about_bits = whole.about_bits();
        Self { instance: Arc::new(whole), about_bits }
    }

    pub(crate) fn instance(&self) -> Arc<dyn Instance> {
        Arc::clone(&self.instance)
    }

    /// It as a flat circuit, with its witness if it has one.
    fn branch(&self) -> Result<CircuitStatement<F2>, Failure> {
        let about_bits = self.about_bits.as_ref().ok_or_else(|| {
            Failure::Input(format!(
                "any_of: of functions about bits alone; {} is another statement",
                self.instance.text()
            ))
        })?;
        let circuit = Recorder::record(about_bits)?;
        let claim =
            Claim::new(vec![None; circuit.signature().inputs.len()], Vec::new(), circuit.signature())?;
        let statement = CircuitStatement::new(circuit, claim)?;
        if !about_bits.has_secrets() {
            return Ok(statement);
        }
        let mut evaluator = Evaluator::<F2>::tracing();
        about_bits.run(&mut evaluator)?;
        Ok(statement.with_witness(evaluator.into_trace())?)
    }
}

#[pymethods]
impl Statement {
    /// Its description.
    #[getter]
    fn text(&self) -> String {
        self.instance.text()
    }

    /// Whether its witness satisfies it.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let instance = self.instance();
        alone(py, move || Ok(instance.check()?))
    }

    /// Names and numbers of bits of its inputs and outputs, if it is about bits.
    fn values(&self, py: Python<'_>) -> PyResult<Vec<(String, u32)>> {
        let instance = self.instance();
        alone(py, move || {
            Ok(match instance.describe()?.description {
                Description::Bits(info) => info
                    .inputs
                    .into_iter()
                    .chain(info.outputs)
                    .map(|value| (value.name, value.bits))
                    .collect(),
                _ => Vec::new(),
            })
        })
    }
}

/// At least `least` of these traced functions hold; at the prover `known` are those, with their numbers.
#[pyfunction]
pub(crate) fn any_of(
    branches: Vec<PyRef<'_, Statement>>,
    least: usize,
    known: Vec<(usize, PyRef<'_, Statement>)>,
) -> PyResult<Statement> {
    let texts: Vec<_> = branches.iter().map(|branch| branch.instance.text()).collect();
    let branches = branches.iter().map(|branch| branch.branch()).collect::<Result<Vec<_>, _>>()?;
    let mut statement = AtLeast::new(branches, least).map_err(Failure::from)?;
    if !known.is_empty() {
        let known = known.iter().map(|(number, branch)| Ok((*number, branch.branch()?)));
        statement =
            statement.with_witnesses(known.collect::<Result<_, Failure>>()?).map_err(Failure::from)?;
    }
    Ok(Statement::new(Arc::new(Several { statement, texts })))
}

/// Refuses a proof that is worth less than was asked for, or than its kind of statement promises.
pub(crate) fn enough(settled: &Settled<'_>, proved: &Proved, rho: Option<u16>) -> Result<(), Failure> {
    Ok(reached(rho.unwrap_or(settled.way().rho), proved.report.soundness.bits())?)
}
