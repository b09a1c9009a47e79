//! `volery prove`: over a connection, or into a file.

use volery_statement::{Settled, public as proofs};

use super::args::{ProtocolArg, ProveArgs};
use super::connection::Endpoint;
use super::failure::Failure;
use super::new_file;
use super::outcome;
use super::progress::Progress;
use super::public;
use super::session::{self, Figures};
use super::statement;
use super::stored;
use super::terminal;

/// Runs the command. It checks the witness before it sends anything, so a wrong witness costs nobody a
/// session and shows nobody anything.
pub(crate) fn run(args: &ProveArgs) -> Result<(), Failure> {
    if args.out.is_none() && !args.connection.is_named() {
        return Err(Failure::input(
            "where does the proof go? Give --connect or --listen for a verifier, or --out for a file",
        ));
    }
    if let Some(out) = &args.out {
        // Before anything else: a proof takes its time.
        new_file::vacant(out)?;
    }
    let source = args.witness.source(&args.statement)?;
    let statement = terminal::during("reading the statement", || statement::load(&args.statement))?;
    let text = statement.text();
    let statement = match statement::with_witness(statement, source, &args.padding.padding()) {
        Ok(statement) => statement,
        Err(failure) => return outcome::conclude(args.json, &text, None, Err(failure)),
    };
    let public_protocol = args.public.protocol.is_some_and(ProtocolArg::is_public);
    let in_the_head = match args.public.protocol {
        Some(protocol) => protocol == ProtocolArg::Voleith,
        None => args.out.is_some() && args.preprocessed.is_none() && proofs::in_the_head(&*statement),
    };
    if !in_the_head && args.public.small {
        return Err(Failure::input(
            "--small is for --protocol voleith, which makes files (--out) about bits",
        ));
    }
    if args.public.bind.is_some() && (args.out.is_none() || args.preprocessed.is_some()) {
        return Err(Failure::input("--bind is for proofs that anyone can verify: give --out PROOF alone"));
    }
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
        return if in_the_head {
            public::prove_in_the_head(&*statement, args, out)
        } else {
            public::prove(&*statement, args, out)
        };
    }
    if public_protocol {
        return Err(Failure::input("--protocol zkbpp, zkboo and voleith make a file: give --out PROOF"));
    }
    let settled = terminal::during("counting gates", || args.protocol.settle(&*statement))?;
    let mut peer = None;
    let result = match terminal::during("checking the witness", || statement.check()) {
        Ok(()) => prove(args, &settled, &mut peer),
        Err(error) => Err(error.into()),
    };
    outcome::conclude(args.json, &text, peer.as_deref(), result)
}

fn prove(args: &ProveArgs, statement: &Settled<'_>, peer: &mut Option<String>) -> Result<Figures, Failure> {
    let endpoint = Endpoint::new(&args.connection)?;
    let progress = terminal::during("counting gates", || Progress::of(statement))?;
    endpoint.meet(|link| {
        *peer = Some(link.peer.clone());
        session::prove(statement, link.channel, &progress.watch())
    })
}
