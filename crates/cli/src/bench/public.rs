//! The measurement of public proofs. This process makes and verifies them several times. The best times
//! count.

use std::time::{Duration, Instant};

use serde::Serialize;
use volery::os_rng;
use volery::public::{Demands, Parameters, Program, Protocol, Settings, prove_program, verify_program};
use volery_field::F2;
use volery_field::gf128::Kernel;
use volery_vole::AesLevel;

use super::party::peak_memory;
use super::rows::Rows;
use super::workload::{Job, preimage};
use crate::args::{BenchArgs, BenchName};
use crate::failure::Failure;
use crate::output;
use crate::terminal::ProgressLine;

/// How long making and verifying are repeated, each.
const TIME: Duration = Duration::from_millis(500);

/// A row of results, as `--json` prints it.
#[derive(Debug, Serialize)]
pub(super) struct PublicRow {
    name: String,
    size: u64,
    unit: &'static str,
    /// `gates / seconds`.
    per_second: f64,
    gates: u64,
    /// For recording the statement as a circuit and evaluating it, which is done once; VOLE in the head runs
    /// the statement anew for each proof.
    seconds_setup: f64,
    /// For making one proof.
    seconds: f64,
    seconds_verify: f64,
    /// The length of the proof.
    bytes_prover: u64,
    bytes_verifier: u64,
    round_trips: u64,
    soundness_bits: u16,
    /// Runs of the protocol, or trees.
    repetitions: usize,
    /// For both roles and their proof, which is in memory.
    rss_prover_mb: Option<f64>,
    rss_verifier_mb: Option<f64>,
    threads: u16,
    kernel: String,
}

/// What was measured of one statement.
pub(super) struct Measured {
    pub(super) gates: u64,
    pub(super) seconds_setup: f64,
    pub(super) seconds: f64,
    pub(super) seconds_verify: f64,
    pub(super) proof_bytes: u64,
    pub(super) sigma: u16,
    pub(super) repetitions: usize,
}

/// Repeats `work` and returns its result and its shortest time.
pub(super) fn best<T>(mut work: impl FnMut() -> Result<T, Failure>) -> Result<(T, f64), Failure> {
    let (start, mut best) = (Instant::now(), Duration::MAX);
    loop {
        let run = Instant::now();
        let result = work()?;
        best = best.min(run.elapsed());
        if start.elapsed() > TIME {
            return Ok((result, best.as_secs_f64()));
        }
    }
}

/// Runs the measurement.
pub(super) fn run(args: &BenchArgs, protocol: Protocol) -> Result<(), Failure> {
    let name = if protocol == Protocol::Zkboo { BenchName::Zkboo } else { BenchName::Zkbpp };
    let job = Job::new(name, args.size, &args.measure, &args.protocol)?;
    let rows = Rows::new(args)?;
    let statement = preimage(job.size)?;
    let threads = args.protocol.threads;
    let pool = pool(threads)?;
    let parameters = Parameters::new(args.sigma)?;
    let settings = Settings { protocol, parameters, threads: pool.as_ref(), message: None };
    let demands = Demands { parameters, threads: pool.as_ref(), message: None };
    let mut rng = os_rng()?;
    let line = ProgressLine::task(&format!("measuring {}", job.name()));
    let ((program, witness), seconds_setup) =
        best(|| Ok((Program::<F2>::new(&statement)?, Program::<F2>::witness(&statement)?)))?;
    let (proof, seconds) = best(|| Ok(prove_program(&program, &witness, settings, &mut rng)?))?;
    let (_, seconds_verify) = best(|| Ok(verify_program(&program, &proof, demands)?))?;
    drop(line);
    let measured = Measured {
        gates: program.counts().multiplications,
        seconds_setup,
        seconds,
        seconds_verify,
        proof_bytes: proof.len() as u64,
        sigma: args.sigma,
        repetitions: parameters.repetitions(),
    };
    let of = format!("SHA-256 of {}", output::counted(job.size, "byte"));
    PublicRow::new(&job, &measured).print(&of, "repetition", &rows)
}

/// The threads of `--threads`, if they are more than one.
pub(super) fn pool(threads: u16) -> Result<Option<rayon::ThreadPool>, Failure> {
    match threads {
        0 | 1 => Ok(None),
        n => {
            Ok(Some(rayon::ThreadPoolBuilder::new().num_threads(n.into()).build().map_err(Failure::session)?))
        }
    }
}

impl PublicRow {
    pub(super) fn new(job: &Job, measured: &Measured) -> Self {
        Self {
            name: job.name(),
            size: job.size,
            unit: job.unit(),
            per_second: measured.gates as f64 / measured.seconds.max(1e-9),
            gates: measured.gates,
            seconds_setup: measured.seconds_setup,
            seconds: measured.seconds,
            seconds_verify: measured.seconds_verify,
            bytes_prover: measured.proof_bytes,
            bytes_verifier: 0,
            round_trips: 0,
            soundness_bits: measured.sigma,
            repetitions: measured.repetitions,
            rss_prover_mb: peak_memory(),
            rss_verifier_mb: peak_memory(),
            threads: job.protocol.threads,
            kernel: format!("{}+{}", Kernel::detect().name(), AesLevel::detect().name()),
        }
    }

    /// Prints the row: for people, of what the proof is and what its repetitions are.
    pub(super) fn print(&self, of: &str, repetition: &str, rows: &Rows) -> Result<(), Failure> {
        let time = |seconds: f64| output::time(Duration::from_secs_f64(seconds));
        let setup = match self.seconds_setup {
            0.0 => String::new(),
            seconds => format!("circuit and values {}, ", time(seconds)),
        };
        let text = format!(
            "{}: {of}, {}, {} for {}: {setup}proved in {}, verified in {}, {}; {}, {}",
            self.name,
            output::counted(self.gates, "AND"),
            output::counted(self.repetitions as u64, repetition),
            output::counted(self.soundness_bits.into(), "bit"),
            time(self.seconds),
            time(self.seconds_verify),
            output::counted(self.bytes_prover, "byte"),
            output::counted(self.threads.into(), "thread"),
            self.kernel
        );
        rows.print(self, &text)
    }
}
