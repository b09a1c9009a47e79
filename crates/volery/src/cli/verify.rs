//! `volery verify`: one session; many are for [`super::serve`].

use super::args::VerifyArgs;
use super::connection::Endpoint;
use super::failure::Failure;
use super::outcome;
use super::progress::Progress;
use super::serve;
use super::session::{self, Figures};
use super::statement::Named;
use super::stored;

/// Runs the command.
pub(crate) fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let statement = Named::load(&args.statement)?;
    if let (Some(file), Some(proof)) = (&args.preprocessed, &args.proof) {
        return stored::verify(&statement, file, proof, &args.protocol, args.json);
    }
    args.protocol.demand_soundness(&statement)?;
    if args.serve.serve {
        return serve::run(args, &statement);
    }
    let mut peer = None;
    let result = verify(args, &statement, &mut peer);
    outcome::conclude(args.json, &statement.text(), peer.as_deref(), result)
}

fn verify(args: &VerifyArgs, statement: &Named, peer: &mut Option<String>) -> Result<Figures, Failure> {
    let endpoint = Endpoint::new(&args.connection)?;
    // Before the session: what it counts up to takes a run of the statement.
    let progress = Progress::new(statement)?;
    let link = endpoint.open()?;
    *peer = Some(link.peer.clone());
    session::verify(link, statement, args.protocol.options(), &progress)
}
