//! `volery info`: what a statement is, and what a proof of it costs and is worth.
//!
//! ```text
//! bits, field, ring, program   descriptions of statements, by kind
//! cost                costs of sessions, as `volery::estimate` says them
//! public              lengths and times of public proofs
//! ```

mod bits;
mod cost;
mod field;
mod program;
mod public;
mod ring;

pub(crate) use bits::BitInfo;
pub(crate) use field::FieldInfo;
pub(crate) use program::ProgramInfo;
pub(crate) use public::PublicCost;
pub(crate) use ring::RingInfo;

use serde::Serialize;
use volery_circuit::Counts;

use super::args::InfoArgs;
use super::failure::Failure;
use super::outcome::{self, Good};
use super::output;
use super::progress::Progress;
use super::source::Source;
use super::statement;
use super::terminal;
use super::way::Way;
use cost::Cost;

/// A description of a statement. As JSON it is an object.
pub(crate) trait Description {
    /// The statement's name and its figures, one a line.
    fn text(&self) -> String;
}

/// Prints a description together with the costs of proofs, as JSON.
trait Print: Description {
    fn print(&self, proofs: &Proofs) -> Result<(), Failure>;
}

impl<D: Description + Serialize> Print for D {
    fn print(&self, proofs: &Proofs) -> Result<(), Failure> {
        outcome::json(Good::Done, &Whole { description: self, proofs })
    }
}

/// The description of a statement, and its counts.
pub(crate) struct Described {
    description: Box<dyn Print>,
    counts: Counts,
}

impl Described {
    pub(crate) fn new(description: impl Description + Serialize + 'static, counts: Counts) -> Self {
        Self { description: Box::new(description), counts }
    }
}

/// The costs of proofs of a statement.
#[derive(Serialize)]
struct Proofs {
    /// Over a session; none if there are no sessions for this kind of statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocols: Option<Vec<Cost>>,
    /// Of public proofs.
    public_proofs: Vec<PublicCost>,
}

/// All that `--json` prints.
#[derive(Serialize)]
struct Whole<'a, D> {
    #[serde(flatten)]
    description: &'a D,
    #[serde(flatten)]
    proofs: &'a Proofs,
}

/// Runs the command.
pub(crate) fn run(args: &InfoArgs) -> Result<(), Failure> {
    let statement = statement::load(&args.statement)?;
    let statement = match &args.witness {
        Some(path) => statement.with_witness(Source::of(path))?,
        None => statement,
    };
    let Described { description, counts } = statement.describe()?;
    // A kind without sessions, or without public proofs, has no costs of them.
    let protocols = statement.ways().ok().map(|ways| costs(&ways, &counts)).transpose()?;
    let public_proofs = terminal::during("measuring public proofs", || {
        statement.public().map_or_else(|_| Ok(Vec::new()), |public| public.costs(&counts))
    })?;
    let proofs = Proofs { protocols, public_proofs };
    if args.json {
        return description.print(&proofs);
    }
    let protocols = proofs.protocols.iter().flatten().map(Cost::text);
    let lines: Vec<String> = protocols.chain(proofs.public_proofs.iter().map(PublicCost::text)).collect();
    if lines.is_empty() {
        return output::result(&description.text());
    }
    output::result(&format!("{}\n\n{}", description.text(), lines.join("\n")))
}

/// The cost of each of these ways. On a terminal one bar shows the progress of all rehearsals.
fn costs(ways: &[Way<'_>], counts: &Counts) -> Result<Vec<Cost>, Failure> {
    let commitments = |way: &Way<'_>| way.proving.correlations().commitments(counts);
    let bits = ways.first().map_or(1, |way| way.fields().value_bits);
    let progress = Progress::new(bits, || Ok(ways.iter().map(commitments).fold(0, u64::saturating_add)))?;
    let mut done = 0_u64;
    let cost = |way| {
        let cost = Cost::new(way, &progress)?;
        // A rehearsal does not send exactly as many values as were counted.
        done = done.saturating_add(commitments(way));
        progress.set(done);
        Ok(cost)
    };
    ways.iter().map(cost).collect()
}
