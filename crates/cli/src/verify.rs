//! `volery verify` with one prover, or with files; [`super::serve`] serves many provers.

use std::path::Path;

use volery_statement::Settled;

use super::args::VerifyArgs;
use super::connection::Endpoint;
use super::failure::Failure;
use super::outcome;
use super::progress::Progress;
use super::public;
use super::serve;
use super::session::{self, Figures};
use super::statement;
use super::stored;
use super::terminal;

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs) -> Result<(), Failure> {
    if args.proof.is_none() && args.preprocessed.is_none() && !args.connection.is_named() {
        let before = if args.statement.any_of.is_empty() { "" } else { " before --any-of" };
        return Err(Failure::input(format!(
            "where does the proof come from? Give --listen or --connect for a prover, or the file of a proof{before}"
        )));
    }
    if args.proof.as_deref() == Some(Path::new("-")) {
        return Err(Failure::input("-: a proof is read from a file; name it (./- for one with this name)"));
    }
    let statement = terminal::during("reading the statement", || statement::load(&args.statement))?;
    if let Some(file) = &args.preprocessed {
        let missing = || Failure::input("--preprocessed V.vole also needs the file of the proof: PROOF");
        let proof = args.proof.as_ref().ok_or_else(missing)?;
        return stored::verify(&*statement, file, proof, &args.protocol, args.json);
    }
    statement.complete()?;
    if let Some(proof) = &args.proof {
        return public::verify(&*statement, args, proof);
    }
    let settled = terminal::during("counting gates", || args.protocol.settle(&*statement))?;
    if args.serve.serve {
        return serve::run(args, &settled, statement.text());
    }
    let mut peer = None;
    let result = verify(args, &settled, &mut peer);
    outcome::conclude(args.json, &statement.text(), peer.as_deref(), result)
}

fn verify(args: &VerifyArgs, statement: &Settled<'_>, peer: &mut Option<String>) -> Result<Figures, Failure> {
    let endpoint = Endpoint::new(&args.connection)?;
    // Before the session: to know how far the bar goes, the statement is run once.
    let progress = terminal::during("counting gates", || Progress::of(statement))?;
    std::thread::scope(|scope| {
        // While this party waits for the prover.
        let rehearsal = args.json.then(|| scope.spawn(|| statement.round_trips()));
        let figures = endpoint.meet(|link| {
            *peer = Some(link.peer.clone());
            session::verify(statement, link.channel, &progress.watch())
        })?;
        let round_trips = rehearsal.and_then(|rehearsal| rehearsal.join().ok().flatten());
        Ok(Figures { round_trips, ..figures })
    })
}
