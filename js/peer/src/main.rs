//! A party that listens for a WebSocket: what the tests of the npm package talk to.
//!
//! ```text
//! volery-js-peer verify CLAIM...            verifies whoever connects, one after the other
//! volery-js-peer prove WITNESS CLAIM...     proves to whoever connects
//! volery-js-peer verify-proof PROOF CLAIM...  verifies a public proof, and ends
//!
//! CLAIM   --statement NAME [NAME=VALUE...] | --circuit FILE | --any-of FILE...    [--public FILE] [--field NAME]
//! ```
//!
//! It prints `listening at HOST:PORT`, then a line for each proof. A session goes on until the client leaves.

use std::ffi::OsStr;
use std::io::Cursor;
use std::process::ExitCode;

use volery::channel::websocket::{Origins, WebSocket};
use volery::{Channel, Framed, Limits, Listener, Options, Prover, Verifier, os_rng};
use volery_statement::public::{Checking, ProofReader};
use volery_statement::{Branch, Disjunction, Named, Source, Target, Watch, load, settle};

type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    match arguments {
        [verify, claim @ ..] if verify == "verify" => serve(&named(claim)?, None),
        [prove, witness, claim @ ..] if prove == "prove" => {
            serve(&named(claim)?, Some(&Source::File(witness.into())))
        }
        [check, proof, claim @ ..] if check == "verify-proof" => {
            let (statement, proof) = (load(&named(claim)?)?, std::fs::read(proof)?);
            let reader = ProofReader::new(Box::new(Cursor::new(proof)), "the proof")?;
            let checking = Checking { sigma: 128, message: None, threads: 1 };
            let made = volery_statement::public::verify(&*statement, &checking, reader)?;
            println!("accepted: {} bytes", made.bytes);
            Ok(())
        }
        _ => Err("usage: volery-js-peer verify|prove WITNESS|verify-proof PROOF CLAIM...".into()),
    }
}

/// The claim on a command line.
fn named(arguments: &[String]) -> Result<Named, Failure> {
    let mut named = Named { disjunction: None, ..Named::default() };
    let mut rest = arguments.iter();
    let mut option = "";
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--public" => named.public = rest.next().map(|path| Source::File(path.into())),
            "--field" => named.field = rest.next().cloned(),
            name if name.starts_with("--") => option = name,
            value => match option {
                "--statement" => match value.split_once('=') {
                    Some((name, value)) => named.values.push((name.to_owned(), value.to_owned())),
                    None => named.target = Target::of(OsStr::new(value)),
                },
                "--circuit" => named.target = Target::File(Source::File(value.into())),
                "--any-of" => {
                    named.disjunction = Some(Disjunction::Robin);
                    named.any_of.push(Branch { circuit: Source::File(value.into()), public: None });
                }
                _ => return Err(format!("`{value}` belongs to no option").into()),
            },
        }
    }
    Ok(named)
}

/// Serves one client after the other.
fn serve(named: &Named, witness: Option<&Source>) -> Result<(), Failure> {
    let listener = Listener::bind(&"127.0.0.1:0".parse()?)?;
    println!("listening at {}", listener.address()?);
    loop {
        let Some(socket) = listener.accept(None)? else { continue };
        let limits = Limits { read: std::time::Duration::from_secs(60), ..Limits::default() };
        let served = WebSocket::accept(socket, Vec::new(), &Origins::Any, &limits)
            .map_err(Failure::from)
            .and_then(|socket| session(named, witness, Framed::new(socket, limits)));
        match served {
            Ok(proofs) => println!("left after {proofs} proofs"),
            Err(error) => println!("ended: {error}"),
        }
    }
}

/// One session: proofs until the client leaves.
fn session(
    named: &Named,
    witness: Option<&Source>,
    channel: impl Channel + Send + 'static,
) -> Result<u64, Failure> {
    let mut rng = os_rng()?;
    let mut statement = load(named)?;
    if let Some(witness) = witness {
        statement = statement.with_witness(&witness.clone().into())?;
    }
    let settled = settle(&*statement, Options::default(), None)?;
    let wire = settled.wire(Box::new(channel), &Watch::none());
    let accepted = |proofs: u64| println!("accepted: proof {proofs}");
    let mut proofs = 0;
    if witness.is_some() {
        let mut prover = Prover::start(wire, Options::default(), &mut rng)?;
        loop {
            match settled.prove(&mut prover, &Watch::none(), &mut rng) {
                Err(error) if proofs > 0 && left(&error) => return Ok(proofs),
                result => result?,
            };
            proofs += 1;
            accepted(proofs);
        }
    }
    let mut verifier = Verifier::start(wire, Options::default(), &mut rng)?;
    loop {
        match settled.verify(&mut verifier, &Watch::none(), &mut rng) {
            Err(error) if proofs > 0 && left(&error) => return Ok(proofs),
            result => result?,
        };
        proofs += 1;
        accepted(proofs);
    }
}

/// Whether the client closed the connection between two proofs.
fn left(error: &volery::Error) -> bool {
    matches!(error, volery::Error::Channel(volery::channel::Error::Closed { mid_frame: false, .. }))
}
