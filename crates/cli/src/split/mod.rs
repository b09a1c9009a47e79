//! `volery split`: coordinators, and workers as processes.
//!
//! ```text
//! info       what a split proof takes
//! workers    starts processes, and ends them with their coordinator
//! worker     one of them
//! ```

mod info;
mod worker;
mod workers;

use std::time::{Duration, Instant};

use serde::Serialize;
use volery::split::statements::SplitPreimage;
use volery::split::{Outcome, ProverLot, Settings, Sharded as _, VerifierLot, check};
use volery::system::Bits;
use volery::{Channel as _, Error, Prover, Verifier, os_rng};
use volery_channel::handshake::Role;
use volery_field::F2;
use volery_statement::reached;
use zeroize::Zeroizing;

use super::args::{ShardsArgs, SplitCommand, SplitProveArgs, SplitVerifyArgs};
use super::connection::{Endpoint, Link};
use super::failure::Failure;

use super::{outcome, output, source, terminal};
use workers::hall;

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
fn statement(args: &ShardsArgs) -> Result<SplitPreimage, Failure> {
    let digits = args.digest.strip_prefix("0x").unwrap_or(&args.digest);
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let text = core::str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
        text.bytes().all(|c| c.is_ascii_hexdigit()).then(|| u8::from_str_radix(text, 16).ok())?
    });
    let digest: Option<Vec<u8>> = pairs.collect();
    let digest = digest.and_then(|digest| <[u8; 32]>::try_from(digest).ok());
    let digest =
        digest.ok_or_else(|| Failure::input("--digest: a SHA-256 digest has 64 hexadecimal digits"))?;
    Ok(SplitPreimage::new(digest, args.length, args.shards as usize)?)
}

fn text(args: &ShardsArgs) -> String {
    format!("sha256-preimage of {} bytes in {} shards", args.length, args.shards)
}

fn prove(SplitProveArgs { coordinator: args, message, meet }: &SplitProveArgs) -> Result<(), Failure> {
    let claim = statement(&args.shards)?;
    let message = source::of(message).content(args.shards.length.saturating_add(1))?;
    let known = claim.with_message(message)?;
    let checked = terminal::during("checking the witness", || check::<F2, _>(&known));
    let result = checked.map_err(Failure::from).and_then(|()| {
        let job = |shard| known.job(shard).map_err(Error::from);
        let layout = known.layout()?;
        let settings = Settings { retries: args.shards.retries };
        Endpoint::new(&args.connection)?.meet(|Link { channel, peer }| {
            let hall = hall::<ProverLot<Bits>>(&args.workers, Role::Prover, &args.connection, job)?;
            let mut hall = hall.meeting_at(meet.clone());
            let (mut rng, start) = (os_rng()?, Instant::now());
            let mut prover = Prover::start(channel, args.protocol.options(), &mut rng)?;
            let set_up = start.elapsed();
            let outcome = prover.prove_split(Bits, &layout, settings, &mut hall, &mut rng)?;
            Ok(Told::new(&peer, set_up, &outcome, prover.channel().stats()))
        })
    });
    conclude(args, result)
}

fn verify(args: &SplitVerifyArgs) -> Result<(), Failure> {
    let claim = statement(&args.shards)?;
    let layout = claim.layout()?;
    let settings = Settings { retries: args.shards.retries };
    let job = |shard| claim.job(shard).map_err(Error::from);
    let result = Endpoint::new(&args.connection)?.meet(|Link { channel, peer }| {
        let mut hall = hall::<VerifierLot<Bits>>(&args.workers, Role::Verifier, &args.connection, job)?;
        let (mut rng, start) = (os_rng()?, Instant::now());
        let mut verifier = Verifier::start(channel, args.protocol.options(), &mut rng)?;
        let set_up = start.elapsed();
        let outcome = verifier.verify_split(Bits, &layout, settings, &mut hall, &mut rng)?;
        Ok(Told::new(&peer, set_up, &outcome, verifier.channel().stats()))
    });
    conclude(args, result)
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
        }
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

fn conclude(args: &SplitVerifyArgs, result: Result<Told, Failure>) -> Result<(), Failure> {
    let text = text(&args.shards);
    let result = result.and_then(|told| {
        if let Some(rho) = args.protocol.rho {
            reached(rho, told.soundness_bits)?;
        }
        Ok(told)
    });
    match &result {
        Ok(told) if args.json => {
            outcome::json(outcome::Good::Accepted, &Object { statement: &text, told: Some(told) })?;
        }
        Ok(told) => output::result(&format!("accepted: {}", told.text()))?,
        Err(failure) if failure.is_rejection() && !args.json => output::result("rejected")?,
        Err(_) => {}
    }
    result.map(drop).map_err(|failure| failure.with(&Object { statement: &text, told: None }))
}

/// A job, as a worker reads it.
fn read_job(job: &[u8]) -> Result<(SplitPreimage, usize), Failure> {
    Ok(SplitPreimage::from_job(job)?)
}

/// A secret that a process gets.
type Secret = Zeroizing<String>;
