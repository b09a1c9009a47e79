//! `volery verify` with one prover, or with files; [`super::serve`] serves many provers.

use super::args::VerifyArgs;
use super::connection::Endpoint;
use super::failure::Failure;
use super::outcome;
use super::public;
use super::serve;
use super::session::Figures;
use super::settle::Settled;
use super::statement;
use super::stored;

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let statement = statement::load(&args.statement)?;
    if let Some(file) = &args.preprocessed {
        let missing = || Failure::input("--preprocessed V.vole needs the file of the proof, too: PROOF");
        let proof = args.proof.as_ref().ok_or_else(missing)?;
        return stored::verify(&*statement, file, proof, &args.protocol, args.json);
    }
    statement.complete()?;
    if let Some(proof) = &args.proof {
        return public::verify(&*statement, args, proof);
    }
    let settled = args.protocol.settle(&*statement)?;
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
    let progress = statement.progress()?;
    endpoint.meet(|link| {
        *peer = Some(link.peer.clone());
        statement.verify(link, &progress)
    })
}
