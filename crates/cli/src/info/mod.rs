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
use volery::Options;
use volery_circuit::Counts;

use super::args::{InfoArgs, Padding, PricedArgs};
use super::failure::Failure;
use super::outcome::{self, Good};
use super::output;
use super::progress::Progress;
use super::source::Source;
use super::statement::{self, Given};
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
    let padding = args.padding.padding(args.write_profile_class.as_deref());
    let statement = match &args.witness {
        Some(path) => statement::with_witness(statement, Source::of(path), padding)?,
        None if padding == Padding::None => statement,
        None => {
            return Err(Failure::input("what a padded run shows depends on the run: give --witness"));
        }
    };
    let Described { description, counts } = statement.describe()?;
    let sessions = sessions(&*statement, &args.priced, &counts)?;
    let protocols = sessions.map(|sessions| costs(&sessions, &counts)).transpose()?;
    // A kind without public proofs has no costs of them.
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

/// The ways to price, and their options: all ways, or those that sessions with these options take. None if
/// there are no sessions.
fn sessions<'a>(
    statement: &'a dyn Given,
    args: &PricedArgs,
    counts: &Counts,
) -> Result<Option<Vec<(Way<'a>, Options)>>, Failure> {
    let mut ways = match statement.ways() {
        Ok(ways) => ways,
        Err(refusal) if args.is_given() => return Err(refusal.into()),
        Err(_) => return Ok(None),
    };
    let mut sessions = Vec::new();
    for protocol in args.sessions() {
        let options = protocol.options();
        if args.chooses() {
            let ways = statement.ways_for(&options)?;
            let (way, _) = protocol.choose(ways, statement.always(), || Ok(*counts))?;
            sessions.push((way, options));
        } else {
            let own = ways.extract_if(.., |way| way.profile == options.profile);
            sessions.extend(own.map(|way| (way, options)));
        }
    }
    Ok(Some(sessions))
}

/// The cost of each of these ways. On a terminal one bar shows the progress of all rehearsals.
fn costs(sessions: &[(Way<'_>, Options)], counts: &Counts) -> Result<Vec<Cost>, Failure> {
    let commitments = |way: &Way<'_>| way.proving.correlations().commitments(counts);
    let bits = sessions.first().map_or(1, |(way, _)| way.fields().value_bits);
    let all = || sessions.iter().map(|(way, _)| commitments(way)).fold(0, u64::saturating_add);
    let progress = Progress::new(bits, || Ok(all()))?;
    let mut done = 0_u64;
    let cost = |(way, options): &(Way<'_>, Options)| {
        let cost = Cost::new(way, *options, &progress)?;
        // A rehearsal does not send exactly as many values as were counted.
        done = done.saturating_add(commitments(way));
        progress.set(done);
        Ok(cost)
    };
    sessions.iter().map(cost).collect()
}
