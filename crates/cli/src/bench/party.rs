//! The two processes of a measurement.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use volery::system::{Bits, Mixed, Over, Provable};
use volery::{Address, Channel, Limits, Listener, Prover, Report, Verifier, connect, os_rng};
use volery_channel::Framed;
use volery_field::F61;
use volery_statement::fields::Served as _;
use volery_statement::system::{Correlations, Known, Pair};
use volery_statement::way::{ProvedBy, Proving};
use volery_statement::{Watch, Wire};

use super::convert::ConvertWork;
use super::cores::Cores;
use super::phases::Clock;
use super::riscv::{Clocked, Details};
use super::row::Row;
use super::workload::{BitWork, Job};
use crate::args::{BenchName, PartyArgs, RoleArg};
use crate::failure::Failure;
use crate::output;

/// The measurements of one party.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    /// For the handshake and the base OT, also that of a field.
    pub(crate) seconds_setup: f64,
    /// From the end of this party's set-up to the end.
    pub(crate) seconds: f64,
    /// The part of these for committing to secret values, if that is measured.
    pub(crate) seconds_commit: Option<f64>,
    /// Of the whole session.
    pub(crate) bytes_sent: u64,
    /// In messages of the proof, without headers.
    pub(crate) bytes_sent_proof: u64,
    pub(crate) round_trips: u64,
    /// The most resident memory, in 10^6 bytes, if the system tells.
    pub(crate) rss_mb: Option<f64>,
    /// The field of values and the field of MACs.
    pub(crate) fields: [String; 2],
    /// Of the prover of a program's run.
    pub(crate) run: Option<Details>,
}

/// How long a verifier waits for its prover to start.
const START_TIME: Duration = Duration::from_secs(60);

/// Runs `job` in two processes, each on cores of its own if it is to be `pinned` and there are enough.
pub(crate) fn run(job: &Job, pinned: bool) -> Result<Row, Failure> {
    let cores = pinned.then(|| Cores::for_both(job.protocol.threads)).flatten();
    let of = |party: usize| cores.as_ref().map(|cores| &cores[party]);
    let mut verifier = PartyProcess::spawn(job, RoleArg::Verifier, "127.0.0.1:0", of(0))?;
    let address: Address = verifier.line()?.trim().parse()?;
    let mut prover = PartyProcess::spawn(job, RoleArg::Prover, &address.to_string(), of(1))?;
    let (prover, verifier) = (prover.measured()?, verifier.measured()?);
    Row::new(job, &prover, &verifier, cores.is_some())
}

/// A running party. Dropping this kills it.
struct PartyProcess {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl PartyProcess {
    fn spawn(job: &Job, role: RoleArg, address: &str, cores: Option<&Cores>) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::session(format!("a second process: {error}"));
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        let role = if role == RoleArg::Prover { "prover" } else { "verifier" };
        command.args(["bench-party", role, &job.name(), &job.size.to_string(), address]);
        command.args(["--profile", job.protocol.options().profile.name()]);
        command.args(["--threads", &job.protocol.threads.to_string()]);
        command.args(job.protocol.fiat_shamir.then_some("--fiat-shamir"));
        command.args(job.protocol.rho.map(|rho| format!("--rho={rho}")));
        command.args(job.measure.options());
        command.args(cores.map(|cores| format!("--cores={cores}")));
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

impl Drop for PartyProcess {
    fn drop(&mut self) {
        // It has ended by itself unless something failed, and then nobody waits for its result.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The work of a party in its session.
pub(super) struct Work {
    action: Action,
    /// The clock in the statement, if there is one.
    clock: Option<Clock>,
    /// The clock of a program's run.
    run: Option<Clocked>,
}

enum Action {
    /// Make a proof.
    Prove(Box<dyn Proving>),
    /// Make correlations alone.
    Make(Box<dyn Correlations>),
}

/// Evaluates `$make` with `$mac` as the field of MACs over 2^61-1 that the job asks for. For measurements of
/// statements that the command line does not have.
macro_rules! with_macs {
    ($job:expr, $mac:ident => $make:expr) => {
        if $crate::bench::party::wants_large_macs($job) {
            type $mac = volery_field::F61x2;
            $make
        } else {
            type $mac = volery_field::F61;
            $make
        }
    };
}

pub(super) use with_macs;

impl Work {
    /// Makes the statement, outside of the measured time.
    fn new(job: &Job, role: RoleArg) -> Result<Self, Failure> {
        if let Some(work) = super::field::work(job, role)? {
            return Ok(work);
        }
        Ok(match job.name {
            BenchName::Cot => Self::making(Bits),
            BenchName::Vole => with_macs!(job, M => Self::making(Over::<F61, M>::new())),
            BenchName::Macncheese => super::stacked::work(job)?,
            BenchName::Convert => {
                let work = ConvertWork::new(job.size);
                let clock = work.clock.clone();
                with_macs!(job, M => Self::proving(Mixed::<F61, M>::new(), work)).with_clock(clock)
            }
            BenchName::Ram | BenchName::Rom => super::memory::work(job)?,
            BenchName::Riscv => super::riscv::work(job, role)?,
            BenchName::Robin | BenchName::Batchman | BenchName::Cpu => super::disjunction::work(job)?,
            _ => Self::proving(Bits, BitWork::new(job)?),
        })
    }

    /// Work that proves `statement` with `system`.
    pub(super) fn proving<Y: Known + 'static>(
        system: Y,
        statement: impl Provable<Y> + Send + Sync + 'static,
    ) -> Self {
        Self::from(Box::new(ProvedBy { statement, system }) as Box<dyn Proving>)
    }

    fn making(correlations: impl Correlations + 'static) -> Self {
        Self { action: Action::Make(Box::new(correlations)), clock: None, run: None }
    }

    /// Adds the clock in the statement.
    pub(super) fn with_clock(self, clock: Clock) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Adds the clock of a program's run.
    pub(super) fn with_run(self, run: Option<Clocked>) -> Self {
        Self { run, ..self }
    }

    fn fields(&self) -> [&'static str; 2] {
        let Pair { value, mac, .. } = match &self.action {
            Action::Prove(proof) => proof.correlations().fields(),
            Action::Make(correlations) => correlations.fields(),
        };
        [value, mac]
    }

    /// Runs P's part.
    fn prove(&self, prover: &mut Prover<Wire>, size: u64) -> Result<Report, Failure> {
        let mut rng = os_rng()?;
        Ok(match &self.action {
            Action::Prove(proof) => proof.prove(prover, &Watch::none(), &mut rng)?.report,
            Action::Make(correlations) => correlations.spend(prover, size, &mut rng)?,
        })
    }

    /// Runs V's part.
    fn verify(&self, verifier: &mut Verifier<Wire>, size: u64) -> Result<Report, Failure> {
        let mut rng = os_rng()?;
        Ok(match &self.action {
            Action::Prove(proof) => proof.verify(verifier, &Watch::none(), &mut rng)?.report,
            Action::Make(correlations) => correlations.spend_with(verifier, size, &mut rng)?,
        })
    }

    /// The measurements of a session that began at `start`.
    fn measured(&self, name: BenchName, start: Instant, report: &Report, channel: &Wire) -> Measured {
        let (end, stats) = (Instant::now(), channel.stats());
        // The statement's clock tells when the set-up ended. Without a clock, everything before the report's
        // time is set-up.
        let timing = self.clock.as_ref().and_then(Clock::timing);
        let rest = timing.map_or(report.time, |timing| end - timing.start);
        let total = end - start;
        let commits_first = !matches!(
            name,
            BenchName::Arithmetic
                | BenchName::Convert
                | BenchName::Robin
                | BenchName::Batchman
                | BenchName::Cpu
                | BenchName::Ram
                | BenchName::Rom
                | BenchName::Riscv
        );
        Measured {
            seconds_setup: total.saturating_sub(rest).as_secs_f64(),
            seconds: rest.as_secs_f64(),
            seconds_commit: timing.filter(|_| commits_first).map(|timing| timing.commit.as_secs_f64()),
            bytes_sent: stats.bytes_sent,
            bytes_sent_proof: channel.layer.so_far()[0],
            round_trips: stats.round_trips,
            rss_mb: peak_memory(),
            fields: self.fields().map(str::to_owned),
            run: self.run.as_ref().map(Clocked::details),
        }
    }
}

impl From<Box<dyn Proving>> for Work {
    fn from(proof: Box<dyn Proving>) -> Self {
        Self { action: Action::Prove(proof), clock: None, run: None }
    }
}

/// Whether a measurement over 2^61-1 takes the large field of MACs. For measurements of statements that the
/// command line does not have.
pub(super) fn wants_large_macs(job: &Job) -> bool {
    job.protocol.fiat_shamir || job.protocol.rho.is_some_and(|rho| rho > F61::RHO)
}

/// Runs one party's process.
pub(crate) fn party(args: &PartyArgs) -> Result<(), Failure> {
    // Before any other thread starts.
    if let Some(cores) = &args.cores {
        cores.keep()?;
    }
    let job = Job::new(args.name, Some(args.size), &args.measure, &args.protocol)?;
    let (work, options, limits) = (Work::new(&job, args.role)?, job.protocol.options(), Limits::default());
    let wire = |channel: Box<dyn Channel + Send>| Watch::none().wire(channel, 1);
    let mut rng = os_rng()?;
    let measured = match args.role {
        RoleArg::Prover => {
            let start = Instant::now();
            let channel = wire(Box::new(connect(&args.address, &limits)?));
            // The measured statements hold, and the program evaluates statements before it connects.
            let mut prover = Prover::start(channel, options, &mut rng)?.without_evaluation();
            let report = work.prove(&mut prover, job.size)?;
            work.measured(job.name, start, &report, prover.channel())
        }
        RoleArg::Verifier => {
            let listener = Listener::bind(&args.address)?;
            output::result(&listener.address()?.to_string())?;
            let socket = listener.accept(Some(START_TIME))?;
            let socket = socket.ok_or_else(|| Failure::session("no prover came"))?;
            let start = Instant::now();
            let channel = wire(Box::new(Framed::new(socket, limits)));
            let mut verifier = Verifier::start(channel, options, &mut rng)?;
            let report = work.verify(&mut verifier, job.size)?;
            work.measured(job.name, start, &report, verifier.channel())
        }
    };
    output::json(&measured)
}

/// The most resident memory of this process so far, in 10^6 bytes, on Linux.
pub(super) fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}
