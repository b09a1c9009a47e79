//! The two processes of a measurement.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use volery::{Address, Channel, Limits, Listener, Options, Prover, Verifier, connect, os_rng};
use volery_channel::Framed;

use super::row::Row;
use super::workload::{Job, Workload};
use crate::cli::args::{PartyArgs, RoleArg};
use crate::cli::failure::Failure;
use crate::cli::output;

/// What one party measured.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// Handshake and base OT.
    pub(crate) seconds_setup: f64,
    /// The rest, from the party's end of the set-up.
    pub(crate) seconds: f64,
    /// Over the whole session.
    pub(crate) bytes_sent: u64,
    pub(crate) round_trips: u64,
    /// The most memory that was resident, in 10^6 bytes, where the system tells.
    pub(crate) rss_mb: Option<f64>,
}

/// How long a verifier waits for its prover to be started.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs `job` in two processes.
pub(crate) fn run(job: &Job) -> Result<Row, Failure> {
    let mut verifier = Party::spawn(job, RoleArg::Verifier, "127.0.0.1:0")?;
    let address: Address = verifier.line()?.trim().parse()?;
    let mut prover = Party::spawn(job, RoleArg::Prover, &address.to_string())?;
    let (prover, verifier) = (prover.measured()?, verifier.measured()?);
    Row::new(job, &prover, &verifier)
}

/// A running party; killed if it is no longer wanted.
struct Party {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Party {
    fn spawn(job: &Job, role: RoleArg, address: &str) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::session(format!("a second process: {error}"));
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        let role = if role == RoleArg::Prover { "prover" } else { "verifier" };
        command.args(["bench-party", role, &job.name(), &job.size.to_string(), address]);
        command.args(["--profile", job.protocol.options().profile.name()]);
        command.args(["--threads", &job.protocol.threads.to_string()]);
        command.args(job.protocol.fiat_shamir.then_some("--fiat-shamir"));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let stdout = child.stdout.take().ok_or_else(|| Failure::session("a process without output"))?;
        Ok(Self { child, lines: BufReader::new(stdout) })
    }

    fn line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(length) if length > 0 => Ok(line),
            _ => Err(Failure::session("a party of the measurement gave up; its message is above")),
        }
    }

    fn measured(&mut self) -> Result<Measured, Failure> {
        let line = self.line()?;
        serde_json::from_str(&line).map_err(|error| Failure::session(format!("a party's result: {error}")))
    }
}

impl Drop for Party {
    fn drop(&mut self) {
        // It has ended by itself unless something failed; then nobody waits for its result.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One party's process.
pub(crate) fn party(args: &PartyArgs) -> Result<(), Failure> {
    let job = Job::new(args.name, Some(args.size), &args.protocol)?;
    let (workload, options, limits) = (job.workload()?, job.protocol.options(), Limits::default());
    let measured = match args.role {
        RoleArg::Prover => {
            let start = Instant::now();
            prove(connect(&args.address, &limits)?, start, options, workload.as_ref(), job.size)?
        }
        RoleArg::Verifier => {
            let listener = Listener::bind(&args.address)?;
            output::result(&listener.address()?.to_string())?;
            let socket = listener.accept(Some(PATIENCE))?;
            let socket = socket.ok_or_else(|| Failure::session("no prover came"))?;
            let start = Instant::now();
            verify(Framed::new(socket, limits), start, options, workload.as_ref(), job.size)?
        }
    };
    output::json(&measured)
}

fn prove(
    channel: impl Channel,
    start: Instant,
    options: Options,
    workload: Option<&Workload>,
    size: u64,
) -> Result<Measured, Failure> {
    let mut rng = os_rng()?;
    let mut prover = Prover::start(channel, options, &mut rng)?;
    let set_up = Instant::now();
    match workload {
        Some(workload) => prover.prove(workload, &mut rng)?,
        None => prover.spend(size)?,
    };
    Ok(measured(start, set_up, prover.channel()))
}

fn verify(
    channel: impl Channel,
    start: Instant,
    options: Options,
    workload: Option<&Workload>,
    size: u64,
) -> Result<Measured, Failure> {
    let mut rng = os_rng()?;
    let mut verifier = Verifier::start(channel, options, &mut rng)?;
    let set_up = Instant::now();
    match workload {
        Some(workload) => verifier.verify(workload, &mut rng)?,
        None => verifier.spend(size)?,
    };
    Ok(measured(start, set_up, verifier.channel()))
}

fn measured(start: Instant, set_up: Instant, channel: &impl Channel) -> Measured {
    let stats = channel.stats();
    Measured {
        seconds_setup: (set_up - start).as_secs_f64(),
        seconds: set_up.elapsed().as_secs_f64(),
        bytes_sent: stats.bytes_sent,
        round_trips: stats.round_trips,
        rss_mb: peak_memory(),
    }
}

/// The high-water mark of this process's resident memory, in 10^6 bytes; Linux tells it.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}
