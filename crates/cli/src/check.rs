//! `volery check`: checks whether a witness satisfies a statement.

use serde::Serialize;

use super::args::CheckArgs;
use super::failure::Failure;
use super::outcome::{self, Good};
use super::output;
use super::statement;

/// The keys for `--json`. A failure adds where the witness fails.
#[derive(Debug, Serialize)]
struct CheckReport {
    statement: String,
}

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let source = args.witness.source(&args.statement)?;
    let statement = statement::load(&args.statement)?;
    let finding = CheckReport { statement: statement.text() };
    let padding = args.padding.padding();
    let checked = statement::with_witness(statement, source, &padding).and_then(|s| Ok(s.check()?));
    match checked {
        Ok(()) if args.json => outcome::json(Good::Accepted, &finding),
        Ok(()) => output::result("holds"),
        Err(failure) => {
            if failure.is_rejection() && !args.json {
                output::result("fails")?;
            }
            Err(failure.with(&finding))
        }
    }
}
