//! `volery compute`: makes the public file from a witness.

use serde::Serialize;

use super::args::ComputeArgs;
use super::failure::Failure;
use super::outcome::{self, Good};
use super::output;
use super::statement;

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Computed<'a> {
    /// The file, with its line ends.
    public: &'a str,
}

/// Runs the command.
pub(crate) fn run(args: &ComputeArgs) -> Result<(), Failure> {
    let source = args.witness.source(&args.statement)?;
    let public = statement::compute(&args.statement, source)?;
    match args.json {
        true => outcome::json(Good::Done, &Computed { public: &public }),
        // Each value ends its line.
        false => output::result(public.trim_end_matches('\n')),
    }
}
