//! The recorder of a traced function, as Python drives it; values go in and out as packed bytes.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};
use volery::field::{F2, F61, Ring};
use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::instance::{Whole, domain};
use crate::program::{Constant, Kind, Op, Program, Shape};
use crate::record::Record;
use crate::run::{SecretValue, Secrets};
use crate::subject::Statement;
use crate::traced::Traced;
use crate::worker::{alone, locked};

/// A function that is being traced.
#[pyclass(frozen, module = "volery._volery")]
pub(crate) struct Tracer(Mutex<Option<Record>>);

fn kind(name: &str) -> Result<Kind, Failure> {
    Kind::named(name)
        .ok_or_else(|| Failure::Input(format!("there are values of bits and F61, not of {name}")))
}

/// The public value in these bytes: packed bits, least significant first, or eight bytes for each element.
fn constant(kind: Kind, bytes: &[u8], length: usize) -> Result<Constant, Failure> {
    let wrong = || Failure::Input(format!("{} bytes for {length} values of {}", bytes.len(), kind.name()));
    Ok(match kind {
        Kind::Bits if bytes.len() == length.div_ceil(8) => {
            let bit = |i: usize| bytes.get(i / 8).is_some_and(|byte| byte >> (i % 8) & 1 == 1);
            Constant::Bits((0..length).map(|i| F2::new(bit(i))).collect())
        }
        Kind::Field if length.checked_mul(8) == Some(bytes.len()) => {
            Constant::Field(elements(bytes).map_err(|()| wrong())?.to_vec())
        }
        _ => return Err(wrong()),
    })
}

/// Elements, of eight bytes each.
fn elements(bytes: &[u8]) -> Result<Zeroizing<Vec<F61>>, ()> {
    let mut elements = Zeroizing::new(Vec::with_capacity(bytes.len() / 8));
    for chunk in bytes.chunks(8) {
        elements.push(F61::decode(chunk).map_err(drop)?);
    }
    Ok(elements)
}

impl Tracer {
    fn record<T>(&self, what: impl FnOnce(&mut Record) -> Result<T, String>) -> PyResult<T> {
        let mut record = locked(&self.0);
        let record = record.as_mut().ok_or_else(|| {
            Failure::input("the function was traced to its end: its values are of no use any more")
        })?;
        Ok(what(record).map_err(Failure::Input)?)
    }
}

#[pymethods]
impl Tracer {
    #[new]
    fn new(name: String) -> Self {
        Self(Mutex::new(Some(Record::new(name))))
    }

    /// A secret argument of this many bits or elements.
    fn secret(&self, name: String, kind_name: &str, length: usize) -> PyResult<u32> {
        let shape = Shape { kind: kind(kind_name)?, length };
        self.record(|record| record.secret(name, shape))
    }

    /// A public value.
    fn constant(&self, kind_name: &str, value: &[u8], length: usize) -> PyResult<u32> {
        let constant = constant(kind(kind_name)?, value, length)?;
        self.record(|record| record.constant(constant))
    }

    /// The result of an operation.
    fn apply(&self, op: &str, operands: Vec<u32>, numbers: [i64; 3]) -> PyResult<u32> {
        let known = Op::named(op).ok_or_else(|| Failure::Input(format!("there is no operation `{op}`")))?;
        self.record(|record| record.apply(known, numbers, &operands))
    }

    /// The number of bits or elements of a value.
    fn length(&self, value: u32) -> PyResult<usize> {
        self.record(|record| record.shape(value).map(|shape| shape.length))
    }

    /// The value, if it is public.
    fn known<'py>(&self, py: Python<'py>, value: u32) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let known = self.record(|record| Ok(record.known(value).map(Constant::encode)))?;
        Ok(known.map(|bytes| PyBytes::new(py, &bytes)))
    }

    fn enter(&self, part: String) -> PyResult<()> {
        self.record(|record| record.enter(part))
    }

    fn leave(&self) -> PyResult<()> {
        self.record(Record::leave)
    }

    /// The traced function, which returns these values.
    fn finish(&self, outputs: Vec<u32>) -> PyResult<Function> {
        let ended = || Failure::input("the function was traced to its end");
        let record = locked(&self.0).take().ok_or_else(ended)?;
        Ok(Function(record.finish(outputs).map_err(Failure::Input)?))
    }
}

/// A traced function.
#[pyclass(frozen, module = "volery._volery")]
pub(crate) struct Function(Arc<Program>);

impl Function {
    /// The values of all secret arguments, from their bytes.
    fn secrets(&self, witness: Vec<Bound<'_, PyByteArray>>) -> Result<Secrets, Failure> {
        let (needed, given) = (self.0.arguments.len(), witness.len());
        if needed != given {
            return Err(Failure::Input(format!("{given} values for {needed} secret arguments")));
        }
        let values = self.0.arguments.iter().zip(witness).map(|(argument, value)| {
            let bytes = Zeroizing::new(value.to_vec());
            let Shape { kind, length } = argument.shape;
            let wrong = || Failure::Input(format!("{}: the value does not have its form", argument.name));
            match kind {
                Kind::Bits if bytes.len() == length.div_ceil(8) => {
                    let bit = |i: usize| bytes.get(i / 8).map_or(0, |byte| byte >> (i % 8) & 1);
                    Ok(SecretValue::Bits(Zeroizing::new((0..length).map(bit).collect())))
                }
                Kind::Field if length.checked_mul(8) == Some(bytes.len()) => {
                    elements(&bytes).map(SecretValue::Field).map_err(|()| wrong())
                }
                _ => Err(wrong()),
            }
        });
        Ok(Secrets(values.collect::<Result<_, _>>()?))
    }

    fn claimed(&self, claimed: Vec<(String, Vec<u8>, usize)>) -> Result<Vec<Constant>, Failure> {
        let claimed =
            claimed.into_iter().map(|(kind_name, bytes, length)| constant(kind(&kind_name)?, &bytes, length));
        let claimed = claimed.collect::<Result<Vec<_>, Failure>>()?;
        let shapes = self
            .0
            .outputs
            .iter()
            .map(|&output| self.0.instructions.get(output as usize).map(|one| one.shape));
        match shapes.eq(claimed.iter().map(|constant| Some(constant.shape()))) {
            true => Ok(claimed),
            false => Err(Failure::input(
                "the claimed values do not have the form of those that the function returns",
            )),
        }
    }
}

#[pymethods]
impl Function {
    /// "bits", "F61" or "both".
    #[getter]
    fn domain(&self) -> &'static str {
        domain(&self.0)
    }

    /// The statement that the function returns these values, with its witness at the prover.
    fn statement(
        &self,
        claimed: Vec<(String, Vec<u8>, usize)>,
        witness: Option<Vec<Bound<'_, PyByteArray>>>,
    ) -> PyResult<Statement> {
        let claimed = self.claimed(claimed)?;
        let traced = Traced::new(Arc::clone(&self.0), claimed).map_err(Failure::from)?;
        let traced = match witness {
            Some(witness) => traced.with_secrets(self.secrets(witness)?),
            None => traced,
        };
        Ok(Statement::traced(Whole::new(traced)))
    }

    /// What the function returns for these secret arguments: for each value its bytes.
    fn compute<'py>(
        &self,
        py: Python<'py>,
        witness: Vec<Bound<'py, PyByteArray>>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let secrets = self.secrets(witness)?;
        // Any value will do in the place of those that are computed.
        let blank = |&output: &u32| {
            let shape = self.0.instructions.get(output as usize)?.shape;
            Some(match shape.kind {
                Kind::Bits => Constant::Bits(vec![F2::ZERO; shape.length]),
                Kind::Field => Constant::Field(vec![F61::ZERO; shape.length]),
            })
        };
        let blank: Vec<Constant> = self.0.outputs.iter().filter_map(blank).collect();
        let traced = Traced::new(Arc::clone(&self.0), blank).map_err(Failure::from)?.with_secrets(secrets);
        let computed = alone(py, move || Ok(traced.compute()?))?;
        Ok(computed.iter().map(|constant| PyBytes::new(py, &constant.encode())).collect())
    }
}
