//! `volery info`: what a statement is, and what a proof of it costs and is worth.
//!
//! ```text
//! description   descriptions of statements in words, by kind
//! cost          costs of sessions, as `volery::estimate` says them, and of public proofs
//! ```

mod cost;
mod description;

use serde::Serialize;
use volery::Options;
use volery_circuit::Counts;
use volery_statement::describe::{Described, Description};
use volery_statement::public::PublicCost;
use volery_statement::way::Way;
use volery_statement::{Instance, Padding};

use super::args::{InfoArgs, PricedArgs};
use super::failure::Failure;
use super::outcome::{self, Good};
use super::progress::Progress;
use super::{output, source, statement, terminal};
use cost::Cost;

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
struct Whole<'a> {
    #[serde(flatten)]
    description: &'a Description,
    #[serde(flatten)]
    proofs: &'a Proofs,
}

/// Runs the command.
pub(crate) fn run(args: &InfoArgs) -> Result<(), Failure> {
    let statement = statement::load(&args.statement)?;
    let padding = args.padding.padding();
    let statement = match (&args.witness, &args.write_profile_class) {
        (Some(path), Some(class)) => {
            statement::with_class(statement, source::of(path), class, args.padding.steps())?
        }
        (Some(path), None) => statement::with_witness(statement, source::of(path), &padding)?,
        (None, _) if matches!(padding, Padding::None) => statement,
        (None, _) => {
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
    let public_proofs = public_proofs.into_iter().map(cost::as_asked_for).collect();
    let proofs = Proofs { protocols, public_proofs };
    if args.json {
        return outcome::json(Good::Done, &Whole { description: &description, proofs: &proofs });
    }
    let protocols = proofs.protocols.iter().flatten().map(Cost::text);
    let lines: Vec<String> = protocols.chain(proofs.public_proofs.iter().map(cost::public_text)).collect();
    let description = description::text(&description);
    if lines.is_empty() {
        return output::result(&description);
    }
    output::result(&format!("{description}\n\n{}", lines.join("\n")))
}

/// The ways to price, and their options: all ways, or those that sessions with these options take. None if
/// there are no sessions.
fn sessions<'a>(
    statement: &'a dyn Instance,
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
            let way = protocol.choose(ways, statement.always(), || Ok(*counts))?;
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
    let all = || sessions.iter().map(|(way, _)| commitments(way)).fold(0, u64::saturating_add);
    let progress = Progress::new(|| Ok(all()))?;
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
