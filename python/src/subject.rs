//! What is proved, whatever kind of statement it is.

use std::sync::Arc;

use pyo3::prelude::*;
use rand_core::CryptoRng;
use volery::field::{F61, F61x2};
use volery::system::{Bits, Mixed, Over};
use volery::{Options, Prover, Report, Verifier};

use crate::failure::Failure;
use crate::session::Wire;
use crate::traced::{AboutBits, AboutBoth, AboutField, Domain, Traced};

/// A statement, with its witness at the prover.
pub(crate) trait Subject: Send + Sync {
    /// Its description.
    fn text(&self) -> String;

    /// Whether its witness satisfies it.
    fn check(&self) -> Result<(), Failure>;

    fn prove(
        &self,
        prover: &mut Prover<Wire>,
        options: Options,
        rho: Option<u16>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Failure>;

    fn verify(
        &self,
        verifier: &mut Verifier<Wire>,
        options: Options,
        rho: Option<u16>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Failure>;
}

impl Subject for Traced {
    fn text(&self) -> String {
        self.program.name.clone()
    }

    fn check(&self) -> Result<(), Failure> {
        Ok(Traced::check(self)?)
    }

    fn prove(
        &self,
        prover: &mut Prover<Wire>,
        _options: Options,
        rho: Option<u16>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Failure> {
        let strong = rho.unwrap_or(40) > 40;
        Ok(match (self.domain(), strong) {
            (Domain::Bits, _) => prover.prove(Bits, &AboutBits(self.clone()), rng)?,
            (Domain::Field, false) => {
                prover.prove(Over::<F61, F61>::new(), &AboutField(self.clone()), rng)?
            }
            (Domain::Field, true) => {
                prover.prove(Over::<F61, F61x2>::new(), &AboutField(self.clone()), rng)?
            }
            (Domain::Both, false) => prover.prove(Mixed::<F61, F61>::new(), &AboutBoth(self.clone()), rng)?,
            (Domain::Both, true) => {
                prover.prove(Mixed::<F61, F61x2>::new(), &AboutBoth(self.clone()), rng)?
            }
        })
    }

    fn verify(
        &self,
        verifier: &mut Verifier<Wire>,
        _options: Options,
        rho: Option<u16>,
        rng: &mut dyn CryptoRng,
    ) -> Result<Report, Failure> {
        let strong = rho.unwrap_or(40) > 40;
        Ok(match (self.domain(), strong) {
            (Domain::Bits, _) => verifier.verify(Bits, &AboutBits(self.clone()), rng)?,
            (Domain::Field, false) => {
                verifier.verify(Over::<F61, F61>::new(), &AboutField(self.clone()), rng)?
            }
            (Domain::Field, true) => {
                verifier.verify(Over::<F61, F61x2>::new(), &AboutField(self.clone()), rng)?
            }
            (Domain::Both, false) => {
                verifier.verify(Mixed::<F61, F61>::new(), &AboutBoth(self.clone()), rng)?
            }
            (Domain::Both, true) => {
                verifier.verify(Mixed::<F61, F61x2>::new(), &AboutBoth(self.clone()), rng)?
            }
        })
    }
}

/// A statement, as Python holds it.
#[pyclass(frozen, module = "volery._volery")]
pub(crate) struct Statement {
    pub(crate) subject: Arc<dyn Subject>,
}

impl Statement {
    pub(crate) fn subject(&self) -> Arc<dyn Subject> {
        Arc::clone(&self.subject)
    }
}

#[pymethods]
impl Statement {
    /// Its description.
    #[getter]
    fn text(&self) -> String {
        self.subject.text()
    }

    /// Whether its witness satisfies it.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let subject = self.subject();
        crate::worker::alone(py, move || subject.check())
    }
}
