//! Proofs without a connection, with correlations that were made before and are kept in files.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use volery::stored::{Info, ProverFile, Report, VerifierFile};
use volery_statement::explained;
use volery_statement::stored::{prove, verify};

use crate::failure::Failure;
use crate::subject::Statement;
use crate::worker::alone;

/// What Python makes a report of: that of a proof, and how many correlations are left.
fn figures<'py>(py: Python<'py>, report: &Report, info: &Info) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("secrets", report.tally.secrets)?;
    dict.set_item("multiplications", report.tally.multiplications)?;
    dict.set_item("polynomials", report.tally.polynomials)?;
    dict.set_item("correlations", (report.range.start, report.range.end))?;
    dict.set_item("correlations_left", info.remaining)?;
    dict.set_item("bytes", report.bytes)?;
    dict.set_item("seconds", report.time.as_secs_f64())?;
    dict.set_item("soundness_bits", report.soundness().bits())?;
    Ok(dict)
}

/// Proves a statement with its witness, and writes the proof to a new file.
#[pyfunction]
pub(crate) fn prove_stored<'py>(
    py: Python<'py>,
    statement: &Statement,
    file: PathBuf,
    out: PathBuf,
    rho: Option<u16>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let instance = statement.instance();
    let (report, info) = alone(py, move || {
        // A wrong witness uses up no correlations.
        instance.check()?;
        let mut file = ProverFile::open(&file).and_then(|file| file.with_threads(threads)).map_err(failed)?;
        let report = prove(&*instance, &mut file, &out, rho).map_err(|error| explained(&*instance, error))?;
        Ok((report, file.info()))
    })?;
    figures(py, &report, &info)
}

/// Verifies the proof in a file.
#[pyfunction]
pub(crate) fn verify_stored<'py>(
    py: Python<'py>,
    statement: &Statement,
    file: PathBuf,
    proof: PathBuf,
    rho: Option<u16>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let instance = statement.instance();
    let (report, info) = alone(py, move || {
        instance.complete()?;
        let mut file =
            VerifierFile::open(&file).and_then(|file| file.with_threads(threads)).map_err(failed)?;
        let report = verify(&*instance, &mut file, &proof, rho)?;
        Ok((report, file.info()))
    })?;
    figures(py, &report, &info)
}

fn failed(error: volery::stored::Error) -> Failure {
    volery_statement::Error::from(error).into()
}

/// Correlations made, and correlations left, in a file of either party.
#[pyfunction]
pub(crate) fn stored_info(py: Python<'_>, file: PathBuf) -> PyResult<(u64, u64)> {
    alone(py, move || {
        let info = match ProverFile::open(&file) {
            Err(volery::stored::Error::WrongRole { .. }) => VerifierFile::open(&file).map(|file| file.info()),
            other => other.map(|file| file.info()),
        };
        let info = info.map_err(failed)?;
        Ok((info.count, info.remaining))
    })
}
