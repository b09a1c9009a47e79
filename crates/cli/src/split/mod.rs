//! `volery split`: coordinators, and workers as processes.
//!
//! ```text
//! info       what a split proof takes
//! program    runs of RISC-V programs
//! workers    starts processes, and ends them with their coordinator
//! worker     one of them
//! ```

mod info;
mod program;
mod worker;
mod workers;

use std::time::{Duration, Instant};

use serde::Serialize;
use volery::split::remote::Kind;
use volery::split::statements::{SplitPreimage, SplitRun};
use volery::split::{Dealt, Outcome, ProverLot, Settings, Sharded, VerifierLot, check};
use volery::system::Bits;
use volery::{Channel as _, Error, Prover, Verifier, os_rng};
use volery_channel::handshake::Role;
use volery_field::F2;
use volery_statement::{Ran, RunOf, reached};
use zeroize::Zeroizing;

use super::args::{ShardsArgs, SplitCommand, SplitProveArgs, SplitVerifyArgs};
use super::connection::{Endpoint, Link};
use super::failure::Failure;

use super::{outcome, output, source, terminal};
use workers::lot_server;

/// The connection to the other coordinator.
type Peer = Box<dyn volery::Channel + Send>;

/// Runs the command.
pub(crate) fn run(command: &SplitCommand) -> Result<(), Failure> {
    match command {
        SplitCommand::Prove(args) => prove(args),
        SplitCommand::Verify(args) => verify(args),
        SplitCommand::Info(args) => info::run(args),
        SplitCommand::Worker(args) => worker::run(args),
    }
}

/// The statement that the command line names.
enum Claim {
    Preimage(SplitPreimage),
    Run(RunOf),
}

fn claim(args: &ShardsArgs) -> Result<Claim, Failure> {
    match &args.program {
        Some(program) => Ok(Claim::Run(program::of(args, program)?)),
        None => Ok(Claim::Preimage(statement(args)?)),
    }
}

/// The statement about a message.
fn statement(args: &ShardsArgs) -> Result<SplitPreimage, Failure> {
    let (Some(digest), Some(length)) = (&args.digest, args.length) else {
        return Err(Failure::input("give a program, or --digest and --length"));
    };
    let digits = digest.strip_prefix("0x").unwrap_or(digest);
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let text = core::str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
        text.bytes().all(|c| c.is_ascii_hexdigit()).then(|| u8::from_str_radix(text, 16).ok())?
    });
    let digest: Option<Vec<u8>> = pairs.collect();
    let digest = digest.and_then(|digest| <[u8; 32]>::try_from(digest).ok());
    let digest =
        digest.ok_or_else(|| Failure::input("--digest: a SHA-256 digest has 64 hexadecimal digits"))?;
    Ok(SplitPreimage::new(digest, length, args.shards as usize)?)
}

/// The statement about a message, in words.
fn text(args: &ShardsArgs) -> String {
    let (length, shards) = (args.length.unwrap_or_default(), args.shards);
    format!("sha256-preimage of {length} bytes in {shards} shards")
}

fn settings(args: &ShardsArgs) -> Settings {
    Settings { retries: args.retries }
}

fn prove(args: &SplitProveArgs) -> Result<(), Failure> {
    let all = &args.coordinator;
    let known = match claim(&all.shards)? {
        Claim::Preimage(claim) => known(args, claim)?,
        Claim::Run(of) => return program::prove(args, &of),
    };
    let checked = terminal::during("checking the witness", || check::<F2, _>(&known));
    let result = checked.map_err(Failure::from).and_then(|()| {
        let job = |shard| Ok(Kind::Preimage.job(&known.job(shard)?));
        coordinate_prover(Bits, args, |_| Ok(()), &known, job)
    });
    conclude(all, &text(&all.shards), result)
}

/// The statement about a message, with it.
fn known(args: &SplitProveArgs, claim: SplitPreimage) -> Result<SplitPreimage, Failure> {
    let message = args.message.as_ref().ok_or_else(|| Failure::input("give --message FILE"))?;
    let length = args.coordinator.shards.length.unwrap_or_default();
    Ok(claim.with_message(source::of(message).content(length.saturating_add(1))?)?)
}

/// P's coordinator, which says something first.
fn coordinate_prover<Y: Dealt + Copy>(
    system: Y,
    SplitProveArgs { coordinator: args, meet, .. }: &SplitProveArgs,
    first: impl FnOnce(&mut Prover<Peer>) -> Result<(), Error>,
    whole: &impl Sharded,
    job: impl FnMut(usize) -> Result<Zeroizing<Vec<u8>>, Error>,
) -> Result<Told, Failure> {
    let layout = whole.layout()?;
    Endpoint::new(&args.connection)?.meet(|Link { channel, peer }| {
        let server = lot_server::<ProverLot<Y>, Y::Mac>(&args.workers, Role::Prover, &args.connection, job)?;
        let mut server = server.meeting_at(meet.clone());
        let (mut rng, start) = (os_rng()?, Instant::now());
        let mut prover = Prover::start(channel, args.protocol.options(), &mut rng)?;
        let set_up = start.elapsed();
        first(&mut prover)?;
        let outcome = prover.prove_split(system, &layout, settings(&args.shards), &mut server, &mut rng)?;
        Ok(Told::new(&peer, set_up, &outcome, prover.channel().stats()))
    })
}

fn verify(args: &SplitVerifyArgs) -> Result<(), Failure> {
    let claim = match claim(&args.shards)? {
        Claim::Preimage(claim) => claim,
        Claim::Run(of) => return program::verify(args, &of),
    };
    let job = |claim: &SplitPreimage, shard| Ok(Kind::Preimage.job(&claim.job(shard)?));
    let result = coordinate_verifier(Bits, args, |_| Ok(claim), job);
    conclude(args, &text(&args.shards), result.map(|(told, _)| told))
}

/// V's coordinator, which hears first what the statement is. Returns that, too.
fn coordinate_verifier<Y: Dealt + Copy, T: Sharded>(
    system: Y,
    args: &SplitVerifyArgs,
    first: impl FnOnce(&mut Verifier<Peer>) -> Result<T, Error>,
    job: impl Fn(&T, usize) -> Result<Zeroizing<Vec<u8>>, Error>,
) -> Result<(Told, T), Failure> {
    Endpoint::new(&args.connection)?.meet(|Link { channel, peer }| {
        let (mut rng, start) = (os_rng()?, Instant::now());
        let mut verifier = Verifier::start(channel, args.protocol.options(), &mut rng)?;
        let set_up = start.elapsed();
        let whole = first(&mut verifier)?;
        let job = |shard| job(&whole, shard);
        let mut server =
            lot_server::<VerifierLot<Y>, Y::Mac>(&args.workers, Role::Verifier, &args.connection, job)?;
        let layout = whole.layout()?;
        let outcome =
            verifier.verify_split(system, &layout, settings(&args.shards), &mut server, &mut rng)?;
        drop(server);
        Ok((Told::new(&peer, set_up, &outcome, verifier.channel().stats()), whole))
    })
}

/// What is told of a split proof.
#[derive(Debug, Serialize)]
struct Told {
    peer: String,
    shards: usize,
    /// Secret bits and ANDs of all shards.
    commitments: u64,
    lost_workers: u32,
    /// For the handshake and the base OT of the coordinators.
    seconds_setup: f64,
    /// Everything after that, until the verdict.
    seconds: f64,
    /// The parts of it that are there because the statement is split.
    seconds_dealing: f64,
    seconds_joining: f64,
    commitments_per_second: f64,
    /// Bytes of the coordinators' session.
    bytes_sent: u64,
    bytes_received: u64,
    /// Bytes of all workers' sessions with the other party's.
    workers_bytes_sent: u64,
    workers_bytes_received: u64,
    soundness_bits: f64,
    /// How a program's run ended.
    #[serde(flatten)]
    run: Option<Ran>,
}

impl Told {
    fn new(peer: &str, set_up: Duration, outcome: &Outcome, stats: volery_channel::Stats) -> Self {
        let sum = |figure: fn(&volery::split::Summary) -> u64| outcome.shards.iter().map(figure).sum();
        let commitments: u64 = sum(|shard| shard.commitments);
        let seconds = outcome.time.as_secs_f64();
        Self {
            peer: peer.to_owned(),
            shards: outcome.shards.len(),
            commitments,
            lost_workers: outcome.lost,
            seconds_setup: set_up.as_secs_f64(),
            seconds,
            seconds_dealing: outcome.dealing.as_secs_f64(),
            seconds_joining: outcome.joining.as_secs_f64(),
            commitments_per_second: commitments as f64 / seconds.max(1e-9),
            bytes_sent: stats.bytes_sent,
            bytes_received: stats.bytes_received,
            workers_bytes_sent: sum(|shard| shard.bytes_sent),
            workers_bytes_received: sum(|shard| shard.bytes_received),
            soundness_bits: outcome.soundness_bits,
            run: None,
        }
    }

    /// The same of a run that ended so.
    fn of_run(self, run: &SplitRun) -> Self {
        let (run, claim) = (run.run(), run.run().claim());
        Self { run: Some(Ran::new(run.program(), claim.end, &claim.journal)), ..self }
    }

    fn text(&self) -> String {
        format!(
            "{} with {} in {} after {} of set-up ({} for dealing and joining), {} lost, {} sent, {} received, \
             soundness {:.0} bits",
            output::counted(self.shards as u64, "shard"),
            output::counted(self.commitments, "commitment"),
            output::time(Duration::from_secs_f64(self.seconds)),
            output::time(Duration::from_secs_f64(self.seconds_setup)),
            output::time(Duration::from_secs_f64(self.seconds_dealing + self.seconds_joining)),
            output::counted(self.lost_workers.into(), "worker"),
            output::bytes(self.bytes_sent + self.workers_bytes_sent),
            output::bytes(self.bytes_received + self.workers_bytes_received),
            self.soundness_bits
        )
    }
}

/// The keys of the command, whether it succeeded or failed.
#[derive(Debug, Serialize)]
struct Object<'a> {
    statement: &'a str,
    #[serde(flatten)]
    told: Option<&'a Told>,
}

fn conclude(args: &SplitVerifyArgs, text: &str, result: Result<Told, Failure>) -> Result<(), Failure> {
    let result = result.and_then(|told| {
        if let Some(rho) = args.protocol.rho {
            reached(rho, told.soundness_bits)?;
        }
        Ok(told)
    });
    match &result {
        Ok(told) if args.json => {
            outcome::json(outcome::Good::Accepted, &Object { statement: text, told: Some(told) })?;
        }
        Ok(told) => {
            output::result(&format!("accepted: {}", told.text()))?;
            told.run.iter().flat_map(Ran::lines).try_for_each(|line| output::result(&line))?;
        }
        Err(failure) if failure.is_rejection() && !args.json => output::result("rejected")?,
        Err(_) => {}
    }
    result.map(drop).map_err(|failure| failure.with(&Object { statement: text, told: None }))
}

/// A secret that a process gets.
type Secret = Zeroizing<String>;
