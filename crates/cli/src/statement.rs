//! Statements that the command line names.

use std::path::Path;

use volery_circuit::{Counts, Error as StatementError};
use volery_statement::way::Way;
use volery_statement::{Instance, Padding, Settled, Source, WitnessSource};

use super::args::{ProtocolArgs, StatementArgs};
use super::failure::Failure;
use super::terminal;

/// Loads the public part of the statement that `args` name.
pub(crate) fn load(args: &StatementArgs) -> Result<Box<dyn Instance>, Failure> {
    Ok(volery_statement::load(&args.named())?)
}

/// Makes the public file of the statement that `args` name, from its witness.
pub(crate) fn compute(args: &StatementArgs, witness: Source) -> Result<String, Failure> {
    Ok(volery_statement::compute(&args.named(), &WitnessSource::Whole(witness))?)
}

/// The statement with its witness, and with what its proof shows.
pub(crate) fn with_witness(
    statement: Box<dyn Instance>,
    witness: Source,
    padding: &Padding,
) -> Result<Box<dyn Instance>, Failure> {
    let witness = WitnessSource::Whole(witness);
    let mut statement = if statement.is_foreseen() {
        statement.with_witness(&witness)?
    } else {
        terminal::during("running the program", || statement.with_witness(&witness))?
    };
    statement.pad(padding)?;
    Ok(statement)
}

/// As [`with_witness`]: what the proof shows is the profile class in the file `path`, once that holds the
/// run, padded to so many steps.
pub(crate) fn with_class(
    statement: Box<dyn Instance>,
    witness: Source,
    path: &Path,
    steps: Option<u64>,
) -> Result<Box<dyn Instance>, Failure> {
    let mut statement = with_witness(statement, witness, &Padding::None)?;
    let failed = |error: std::io::Error| Failure::input(format!("{}: {error}", path.display()));
    let existing = path.try_exists().map_err(failed)?.then(|| Source::File(path.to_owned()));
    let class = statement.profile_class(existing.as_ref(), steps)?;
    std::fs::write(path, &class).map_err(failed)?;
    statement.pad(&Padding::Class(Source::bytes(path.display().to_string(), class.into_bytes())))?;
    Ok(statement)
}

impl ProtocolArgs {
    /// Chooses the way to prove `statement` with the soundness that the command line demands.
    ///
    /// # Errors
    /// [`Failure::Input`] if no way reaches it, or there are no sessions about such statements.
    pub(crate) fn settle<'a>(&self, statement: &'a dyn Instance) -> Result<Settled<'a>, Failure> {
        let settled = volery_statement::settle(statement, self.options(), self.rho)?;
        let (way, fields) = (settled.way(), settled.way().fields());
        let (values, macs) = (fields.value, fields.mac);
        terminal::detail(&format!("{}: {} over {values}, MACs in {macs}", statement.text(), way.protocol));
        Ok(settled)
    }

    /// Returns the first of these ways that has the demanded soundness. If `always` bits are enough, it does
    /// not count.
    pub(crate) fn choose<'a>(
        &self,
        ways: Vec<Way<'a>>,
        always: u16,
        count: impl FnOnce() -> Result<Counts, StatementError>,
    ) -> Result<Way<'a>, Failure> {
        Ok(volery_statement::choose(ways, self.options(), self.rho, always, count)?.0)
    }
}
