//! `volery compute`: the public numbers for which a witness is one.

use volery_circuit::Error;

use super::args::ComputeArgs;
use super::failure::Failure;
use super::output;
use super::source::Source;
use super::statement;

/// Runs the command.
pub(crate) fn run(args: &ComputeArgs) -> Result<(), Failure> {
    let source = Source::of(&args.witness.witness);
    match statement::compute(&args.statement, &source)? {
        // Each number ends its line.
        Some(numbers) => output::result(numbers.trim_end_matches('\n')),
        None => {
            Err(Error::Public(format!("{} has no public numbers to compute", args.statement.name)).into())
        }
    }
}
