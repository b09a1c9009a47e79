//! Proofs with stored correlations, which [`volery::stored`] makes.

use std::path::Path;

use volery::Statement;
use volery::stored::{self, ProverFile, Report, VerifierFile};
use volery::system::{Bits, Provable};
use volery_circuit::Counter;
use volery_field::F2;
use volery_zk::quicksilver::bits::Settings;

use crate::error::Error;
use crate::instance::Instance;
use crate::settle::reached;
use crate::way::{RHO, bit_soundness};

/// A statement that can be proved with stored correlations.
pub trait Storable {
    /// Writes a proof of the statement to a file.
    ///
    /// # Errors
    /// As [`ProverFile::prove`].
    fn prove(&self, file: &mut ProverFile, out: &Path) -> Result<Report, stored::Error>;

    /// Verifies a proof of the statement.
    ///
    /// # Errors
    /// As [`VerifierFile::verify`].
    fn verify(&self, file: &mut VerifierFile, proof: &Path) -> Result<Report, stored::Error>;
}

impl<S: Provable<Bits> + Statement<Counter<F2>>> Storable for S {
    fn prove(&self, file: &mut ProverFile, out: &Path) -> Result<Report, stored::Error> {
        file.prove(Bits, self, out)
    }

    fn verify(&self, file: &mut VerifierFile, proof: &Path) -> Result<Report, stored::Error> {
        file.verify(Bits, self, proof)
    }
}

/// Refuses a statement whose stored proof would not have the demanded soundness.
fn demand(statement: &dyn Instance, settings: Settings, rho: Option<u16>) -> Result<(), Error> {
    let rho = rho.unwrap_or(RHO);
    if rho <= statement.always() {
        return Ok(());
    }
    reached(rho, bit_soundness(&statement.count()?, settings, true))
}

/// Proves the statement with its witness. Writes the proof to the new file `out`, with `rho` bits of
/// soundness against each hash computation; with 100 if that is none.
///
/// # Errors
/// [`Error::Refused`] if there are no such proofs of this kind of statement; [`Error::OutOfReach`]; as
/// [`ProverFile::prove`].
pub fn prove(
    statement: &dyn Instance,
    file: &mut ProverFile,
    out: &Path,
    rho: Option<u16>,
) -> Result<Report, Error> {
    let storable = statement.stored()?;
    demand(statement, file.info().settings, rho)?;
    Ok(storable.prove(file, out)?)
}

/// Verifies the proof of the statement in the file `proof`.
///
/// # Errors
/// As [`prove`] and [`VerifierFile::verify`].
pub fn verify(
    statement: &dyn Instance,
    file: &mut VerifierFile,
    proof: &Path,
    rho: Option<u16>,
) -> Result<Report, Error> {
    let storable = statement.stored()?;
    demand(statement, file.info().settings, rho)?;
    Ok(storable.verify(file, proof)?)
}
