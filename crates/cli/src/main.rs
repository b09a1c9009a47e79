//! The `volery` program (see `volery help`): from a command line to an exit code.
//!
//! ```text
//! args         what a command line may say (clap), with all help texts
//! failure      what a command can end with, and the exit code of each end
//! output       results to standard output, as text or JSON
//! statement    from names and files to a statement and its witness; a file for each kind
//! fields       the fields that statements are over
//! source       files, and standard input
//! system       what the program asks of proof systems: fields, correlations
//! way          a statement, and a system that proves it
//! settle       which way a statement is proved
//! connection   how the parties meet: listen, connect, TLS, limits
//! session      one session with one peer
//! outcome      how its end is told
//! progress     the bar on a terminal
//! web          what a website said: proving, notaries, attestations
//! demo, check, compute, prove, verify, serve, stored, public, info, soundness, bench     the commands
//! ```
//!
//! Results go to standard output; everything else (messages, progress, errors) to standard error.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod check;
mod compute;
mod connection;
mod demo;
mod failure;
mod fields;
mod info;
mod outcome;
mod output;
mod progress;
mod prove;
mod public;
mod serve;
mod session;
mod settle;
mod soundness;
mod source;
mod statement;
mod stored;
mod system;
mod verify;
mod way;
mod web;

use std::process::ExitCode;

use clap::Parser;

use args::{AttestationCommand, Cli, Command, NotaryCommand, WebCommand};
use failure::Failure;

/// Parses the command line, runs it and says how it ended.
fn main() -> ExitCode {
    // Wrong usage ends in there, with exit code 2; help and version with 0.
    let cli = Cli::parse();
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::message(&format!("volery: {failure}"));
            failure.exit_code()
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Compute(args) => compute::run(&args),
        Command::Verify(args) => verify::run(&args.arranged()),
        Command::Prove(args) => prove::run(&args),
        Command::Preprocess(args) => stored::preprocess(&args),
        Command::Info(args) => info::run(&args),
        Command::Soundness(args) => soundness::run(&args),
        Command::Web(WebCommand::Prove(args)) => web::prove(&args),
        Command::Notary(NotaryCommand::Key(args)) => web::make_key(&args),
        Command::Notary(NotaryCommand::Serve(args)) => web::serve(&args),
        Command::Attestation(AttestationCommand::Verify(args)) => web::verify(&args),
        Command::Attestation(AttestationCommand::Show(args)) => web::show(&args),
        Command::Attestation(AttestationCommand::Open(args)) => web::open(&args),
        Command::Attestation(AttestationCommand::ProveRange(args)) => web::prove_range(&args),
        Command::Bench(args) => bench::run(&args),
        Command::BenchParty(args) => bench::party(&args),
        Command::BenchWebParty => bench::web_party(),
    }
}
