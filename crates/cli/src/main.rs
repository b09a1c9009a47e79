//! The `volery` program (see `volery help`): from a command line to an exit code.
//!
//! ```text
//! args         the command line (clap), with all help texts
//! failure      why a command fails, and its exit code
//! output       results to standard output, as text or JSON
//! statement    statements of the command line; what can be done with them is in the library volery-statement
//! source       files, and standard input
//! new_file     files to write
//! connection   how the parties meet: listen, connect, TLS, limits
//! session      one session with one peer
//! outcome      results of sessions, as text or JSON
//! terminal     messages, colours and the progress line
//! progress     how far a proof is
//! web          proofs of what a website said: provers, notaries, attestations
//! demo, check, compute, execute, prove, verify, serve, split, stored, public, info, soundness, bench, manual     the commands
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
mod execute;
mod failure;
mod info;
mod manual;
mod new_file;
mod outcome;
mod output;
mod progress;
mod prove;
mod public;
mod serve;
mod session;
mod soundness;
mod source;
mod split;
mod statement;
mod stored;
mod terminal;
mod verify;
mod web;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _};

use args::{AttestationCommand, Cli, Command, NotaryCommand, WebCommand};
use failure::Failure;
use volery_field::Cpu;

/// Tables and buffers of proofs are large, and are read at random places.
#[global_allocator]
static ALLOCATOR: volery_allocator::HugePages = volery_allocator::HugePages;

/// Parses the command line, runs the command and returns its exit code.
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let command = Cli::command().color(args::color(words));
    let cli = match command.try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        // Wrong usage has exit code 2; help and version, which come this way too, have 0.
        Err(error) => return unparsed(&error),
    };
    terminal::set(&cli.terminal);
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal::error(&failure.to_string());
            tell(&failure, failure.kind())
        }
    }
}

/// Returns the exit code of a failure. Prints its object first if the command line has `--json`.
fn tell(failure: &Failure, kind: &'static str) -> ExitCode {
    if !json_is_wanted() {
        return failure.exit_code();
    }
    match outcome::json_failure(failure, kind, &failure.details()) {
        Ok(()) => failure.exit_code(),
        Err(other) => {
            terminal::error(&other.to_string());
            other.exit_code()
        }
    }
}

/// Prints help, the version, or what is wrong with the command line; returns the exit code.
fn unparsed(error: &clap::Error) -> ExitCode {
    // If this cannot be written, there is no other place to say so.
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    // The first lines say what is wrong. After an empty line follows how to write it.
    let text = error.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    let text = lines.join(" ");
    tell(&Failure::input(text.strip_prefix("error: ").unwrap_or(&text)), "usage")
}

/// Whether the command line has `--json`, also if it is wrong otherwise.
fn json_is_wanted() -> bool {
    std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

fn run(command: Command) -> Result<(), Failure> {
    Cpu::from_environment().map_err(Failure::input)?;
    match command {
        Command::Demo(args) => demo::run(&args),
        Command::Check(args) => terminal::during("checking the witness", || check::run(&args)),
        Command::Compute(args) => terminal::during("computing", || compute::run(&args)),
        Command::Run(args) => terminal::during("running the program", || execute::run(&args)),
        Command::Verify(args) => verify::run(&args.arranged()),
        Command::Prove(args) => prove::run(&args),
        Command::Split(args) => split::run(&args),
        Command::Preprocess(args) => stored::preprocess(&args),
        Command::Info(args) => info::run(&args),
        Command::Soundness(args) => terminal::during("computing bounds", || soundness::run(&args)),
        Command::Web(WebCommand::Prove(args)) => web::prove(&args),
        Command::Web(WebCommand::Plan(args)) => web::plan(&args),
        Command::Notary(NotaryCommand::Key(args)) => web::make_key(&args),
        Command::Notary(NotaryCommand::Serve(args)) => web::serve(&args),
        Command::Attestation(AttestationCommand::Verify(args)) => web::verify(&args),
        Command::Attestation(AttestationCommand::Show(args)) => web::show(&args),
        Command::Attestation(AttestationCommand::TypedData(args)) => web::typed_data(&args),
        Command::Attestation(AttestationCommand::Open(args)) => web::open(&args),
        Command::Attestation(AttestationCommand::ProveRange(args)) => web::prove_range(&args),
        Command::Attestation(AttestationCommand::Present(args)) => web::present(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::page(&args),
        Command::BenchParty(args) => bench::party(&args),
        Command::BenchWebParty => bench::web_party(),
    }
}
