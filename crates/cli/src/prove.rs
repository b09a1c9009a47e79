//! `volery prove`.

use super::args::{ProtocolArg, ProveArgs};
use super::connection::Endpoint;
use super::failure::Failure;
use super::outcome;
use super::public;
use super::session::Figures;
use super::settle::Settled;
use super::source::Source;
use super::statement;
use super::stored;

/// Runs the command. The witness is tried before anything is sent, so a slip of the prover's costs nobody a
/// session and shows nobody anything.
pub(crate) fn run(args: &ProveArgs) -> Result<(), Failure> {
    let source = Source::of(&args.witness.witness);
    let statement = statement::load(&args.statement)?.with_witness(source)?;
    let public_protocol = args.public.protocol.is_some_and(ProtocolArg::is_public);
    if let (Some(file), Some(out)) = (&args.preprocessed, &args.out) {
        if public_protocol {
            return Err(Failure::input("--preprocessed is for --protocol quicksilver"));
        }
        return stored::prove(&*statement, file, out, &args.protocol, args.json);
    }
    if let Some(out) = &args.out {
        if args.public.protocol.is_some() && !public_protocol {
            return Err(Failure::input(
                "--protocol quicksilver makes a file with --preprocessed P.vole only",
            ));
        }
        return public::prove(&*statement, args, out);
    }
    if public_protocol {
        return Err(Failure::input("--protocol zkbpp and zkboo make a file: give --out PROOF"));
    }
    let settled = args.protocol.settle(&*statement)?;
    let mut peer = None;
    let result = match statement.check() {
        Ok(()) => prove(args, &settled, &mut peer),
        Err(error) => Err(error.into()),
    };
    outcome::conclude(args.json, &statement.text(), peer.as_deref(), result)
}

fn prove(args: &ProveArgs, statement: &Settled<'_>, peer: &mut Option<String>) -> Result<Figures, Failure> {
    let link = Endpoint::new(&args.connection)?.open()?;
    *peer = Some(link.peer.clone());
    statement.prove(link, &statement.progress()?)
}
