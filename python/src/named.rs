//! Statements from files, built-in ones, and some of several, as Python names them.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use volery_statement::{Branch, Disjunction, MachineRing, Source, Target, WitnessSource};

use crate::failure::Failure;
use crate::subject::Statement;
use crate::worker::alone;

/// A file, or its content.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    Content(Bound<'py, PyByteArray>),
    Path(PathBuf),
}

impl Given<'_> {
    pub(crate) fn source(self, name: &str) -> Source {
        match self {
            Self::Content(bytes) => Source::bytes(name, bytes.to_vec()),
            Self::Path(path) => Source::File(path),
        }
    }
}

/// A statement as it is named.
#[pyclass(frozen, module = "volery._volery")]
pub(crate) struct Named(volery_statement::Named);

/// The value of an option among these names.
fn one_of<T: Copy>(what: &str, given: &str, known: &[(&str, T)]) -> Result<T, Failure> {
    let found = known.iter().find(|(name, _)| *name == given).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        Failure::Input(format!("{what}: {}, not \"{given}\"", names.join(" or ")))
    })
}

impl Named {
    pub(crate) fn inner(&self) -> &volery_statement::Named {
        &self.0
    }

    /// Loads the statement, perhaps with a witness, on a thread that Ctrl-C leaves behind.
    fn instance(&self, py: Python<'_>, witness: Option<WitnessSource>) -> PyResult<Statement> {
        let named = self.0.clone();
        let instance = alone(py, move || {
            let instance = volery_statement::load(&named)?;
            Ok(match witness {
                Some(witness) => instance.with_witness(&witness)?,
                None => instance,
            })
        })?;
        Ok(Statement::new(Arc::from(instance)))
    }
}

#[pymethods]
impl Named {
    /// A circuit, a constraint system or a program.
    #[staticmethod]
    fn file(
        circuit: Given<'_>,
        public: Option<Given<'_>>,
        values: Vec<(String, String)>,
        ring: Option<&str>,
    ) -> PyResult<Self> {
        let rings = [("z32", MachineRing::Z32), ("z64", MachineRing::Z64)];
        let ring = ring.map(|ring| one_of("ring", ring, &rings)).transpose()?;
        Ok(Self(volery_statement::Named {
            target: Target::File(circuit.source("the circuit")),
            public: public.map(|public| public.source("public")),
            values,
            ring,
            ..Default::default()
        }))
    }

    #[staticmethod]
    fn builtin(
        name: String,
        public: Option<Given<'_>>,
        values: Vec<(String, String)>,
        field: Option<String>,
    ) -> Self {
        Self(volery_statement::Named {
            target: Target::Builtin(name),
            public: public.map(|public| public.source("public")),
            values,
            field,
            ..Default::default()
        })
    }

    #[staticmethod]
    fn any_of(
        branches: Vec<(Given<'_>, Option<Given<'_>>)>,
        public: Option<Given<'_>>,
        at_least: Option<u32>,
        repeat: Option<u32>,
        disjunction: Option<&str>,
    ) -> PyResult<Self> {
        let protocols = [("robin", Disjunction::Robin), ("macncheese", Disjunction::Macncheese)];
        let disjunction = disjunction.map(|name| one_of("disjunction", name, &protocols)).transpose()?;
        let branch = |(number, (circuit, public)): (usize, (Given<'_>, Option<Given<'_>>))| Branch {
            circuit: circuit.source(&format!("circuit {number}")),
            public: public.map(|public| public.source(&format!("public file of circuit {number}"))),
        };
        Ok(Self(volery_statement::Named {
            any_of: branches.into_iter().enumerate().map(branch).collect(),
            public: public.map(|public| public.source("public")),
            at_least,
            repeat,
            disjunction,
            ..Default::default()
        }))
    }

    #[getter]
    fn is_builtin(&self) -> bool {
        matches!(self.0.target, Target::Builtin(_))
    }

    fn load(&self, py: Python<'_>, witness: Option<Given<'_>>) -> PyResult<Statement> {
        let witness = witness.map(|witness| WitnessSource::Whole(witness.source("witness")));
        self.instance(py, witness)
    }

    fn load_branches(&self, py: Python<'_>, witness: Vec<(usize, Given<'_>)>) -> PyResult<Statement> {
        let source =
            |(number, own): (usize, Given<'_>)| (number, own.source(&format!("witness of branch {number}")));
        self.instance(py, Some(WitnessSource::OfBranches(witness.into_iter().map(source).collect())))
    }

    /// The public file for a witness.
    fn compute(&self, py: Python<'_>, witness: Given<'_>) -> PyResult<String> {
        let (named, witness) = (self.0.clone(), WitnessSource::Whole(witness.source("witness")));
        alone(py, move || Ok(volery_statement::compute(&named, &witness)?))
    }
}
