//! `volery info`: what a statement is, and what a proof of it costs and is worth.
//!
//! ```text
//! bits, field, ring   what there is to say of a statement itself, which its kind says
//! cost, speed         what each way of proving it over a session takes: a rehearsal, and correlations made on trial
//! public              how long public proofs are
//! ```

mod bits;
mod cost;
mod field;
mod public;
mod ring;
mod speed;

pub(crate) use bits::BitInfo;
pub(crate) use field::FieldInfo;
pub(crate) use public::PublicCost;
pub(crate) use ring::RingInfo;

use serde::Serialize;
use volery_circuit::Counts;

use super::args::InfoArgs;
use super::failure::Failure;
use super::output;
use super::progress::Progress;
use super::statement;
use super::way::Way;
use cost::Cost;

/// What there is to say of a statement itself. As JSON it is an object.
pub(crate) trait Description {
    /// The statement's name and its figures, a line each.
    fn text(&self) -> String;
}

/// Prints a description with what proofs take, as JSON.
trait Print: Description {
    fn print(&self, proofs: &Proofs) -> Result<(), Failure>;
}

impl<D: Description + Serialize> Print for D {
    fn print(&self, proofs: &Proofs) -> Result<(), Failure> {
        output::json(&Whole { description: self, proofs })
    }
}

/// A statement that was counted.
pub(crate) struct Described {
    description: Box<dyn Print>,
    counts: Counts,
}

impl Described {
    pub(crate) fn new(description: impl Description + Serialize + 'static, counts: Counts) -> Self {
        Self { description: Box::new(description), counts }
    }
}

/// What proofs of it take.
#[derive(Serialize)]
struct Proofs {
    /// Over a session; none if there are no sessions about such statements.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocols: Option<Vec<Cost>>,
    /// To anyone.
    public_proofs: Vec<PublicCost>,
}

/// What `--json` prints.
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
    let Described { description, counts } = statement.describe()?;
    // A kind that refuses sessions, or public proofs, has none to tell of.
    let protocols = statement.ways().ok().map(|ways| costs(&ways, &counts)).transpose()?;
    let public_proofs = statement.public().map_or_else(|_| Ok(Vec::new()), |public| public.costs(&counts))?;
    let proofs = Proofs { protocols, public_proofs };
    if args.json {
        return description.print(&proofs);
    }
    let protocols = proofs.protocols.iter().flatten().map(Cost::text);
    let lines: Vec<String> = protocols.chain(proofs.public_proofs.iter().map(PublicCost::text)).collect();
    output::result(&format!("{}\n\n{}", description.text(), lines.join("\n")))
}

/// What each of these ways takes. On a terminal a bar moves over all rehearsals.
fn costs(ways: &[Way<'_>], counts: &Counts) -> Result<Vec<Cost>, Failure> {
    let commitments = |way: &Way<'_>| way.proving.correlations().commitments(counts);
    let bits = ways.first().map_or(1, |way| way.fields().value_bits);
    let progress = Progress::new(bits, || Ok(ways.iter().map(commitments).fold(0, u64::saturating_add)))?;
    let mut done = 0_u64;
    let cost = |way| {
        let cost = Cost::new(way, &progress)?;
        // What a rehearsal sends is not quite what was counted.
        done = done.saturating_add(commitments(way));
        progress.set(done);
        Ok(cost)
    };
    ways.iter().map(cost).collect()
}
