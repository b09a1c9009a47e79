//! `volery check`: does the statement hold for this witness?

use serde::Serialize;
use volery_circuit::Error;

use super::args::CheckArgs;
use super::failure::Failure;
use super::output;
use super::source::Source;
use super::statement;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Finding {
    /// `holds` or `fails`.
    result: &'static str,
    statement: String,
    /// The first assertion that fails, counted from 0, and the named parts around it.
    assertion: Option<u64>,
    place: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<(), Failure> {
    let source = Source::of(&args.witness.witness);
    let statement = statement::load(&args.statement)?.with_witness(source)?;
    let text = statement.text();
    let (finding, result) = match statement.check() {
        Ok(()) => (Finding { result: "holds", statement: text, assertion: None, place: None }, Ok(())),
        Err(Error::Unsatisfied { assertion, place }) => {
            let failure = Error::Unsatisfied { assertion, place: place.clone() }.into();
            let (assertion, place) = (Some(assertion), Some(place));
            (Finding { result: "fails", statement: text, assertion, place }, Err(failure))
        }
        Err(error) => return Err(error.into()),
    };
    if args.json {
        output::json(&finding)?;
    } else {
        output::result(finding.result)?;
    }
    result
}
