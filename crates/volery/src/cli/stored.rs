//! Proofs without a connection: `volery preprocess`, and the `--preprocessed` of `prove` and `verify`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use volery::stored::{Info, ProverFile, Report, VerifierFile, preprocess};
use volery::{Prover, Verifier, os_rng};
use volery_zk::quicksilver::{Settings, soundness};

use super::args::{PreprocessArgs, ProtocolArgs, RoleArg};
use super::connection::Endpoint;
use super::failure::Failure;
use super::outcome::{self, Told};
use super::output;
use super::over::MacField;
use super::progress::Progress;
use super::ring;
use super::statement::{BitStatement, Named};

/// What `--json` prints of a new correlation file.
#[derive(Debug, Serialize)]
struct Made {
    /// `stored`.
    result: &'static str,
    correlations: u64,
    seconds: f64,
}

/// Runs `volery preprocess`.
pub(crate) fn preprocess(args: &PreprocessArgs) -> Result<(), Failure> {
    let options = args.protocol.options();
    let link = Endpoint::new(&args.connection)?.open()?;
    let (mut rng, start, progress) = (os_rng()?, Instant::now(), Progress::new(1, || Ok(args.count))?);
    let mut moved = |made| progress.set(made);
    let info: Info = match args.role {
        RoleArg::Prover => {
            let session = Prover::start(link.channel, options, &mut rng)?;
            preprocess::prover(session, args.count, &args.out, &mut moved)?
        }
        RoleArg::Verifier => {
            let session = Verifier::start(link.channel, options, &mut rng)?;
            preprocess::verifier(session, args.count, &args.out, &mut moved)?
        }
    };
    drop(progress);
    let seconds = start.elapsed();
    if args.json {
        let seconds = seconds.as_secs_f64();
        return output::json(&Made { result: "stored", correlations: info.count, seconds });
    }
    let (count, time) = (output::count(info.count), output::time(seconds));
    output::result(&format!("stored: {count} correlations in {} after {time}", args.out.display()))
}

/// What a proof took, as `--json` prints it.
#[derive(Debug, Serialize)]
struct Figures {
    ands: u64,
    secret_bits: u64,
    proof_bytes: u64,
    /// The range of correlations that it used up, its end not included.
    correlations: [u64; 2],
    correlations_left: u64,
    seconds: f64,
    /// Against each hash computation.
    soundness_bits: f64,
}

impl Figures {
    fn new(report: &Report, info: &Info) -> Self {
        let ands = report.tally.multiplications;
        Self {
            ands,
            secret_bits: report.tally.secrets,
            proof_bytes: report.bytes,
            correlations: [report.range.start, report.range.end],
            correlations_left: info.remaining,
            seconds: report.time.as_secs_f64(),
            soundness_bits: soundness::fiat_shamir_bits(info.settings, &report.tally, 0.0),
        }
    }
}

impl Told for Figures {
    fn text(&self) -> String {
        format!(
            "{} ANDs in {}, proof of {}, {} correlations left, soundness {:.0} bits against each hash computation",
            output::count(self.ands),
            output::time(Duration::from_secs_f64(self.seconds)),
            output::bytes(self.proof_bytes),
            output::count(self.correlations_left),
            self.soundness_bits
        )
    }

    fn figures(&self) -> impl Serialize {
        self
    }
}

/// The statement, if it is one that stored correlations are for.
pub(crate) fn about_bits(statement: &Named) -> Result<&BitStatement, Failure> {
    match statement {
        Named::Bits(statement) => Ok(statement),
        Named::Field(statement) => Err(Failure::input(format!(
            "--preprocessed is for statements about bits; this one is about elements of {}: give --connect or --listen",
            statement.pair(MacField::Small).value
        ))),
        Named::Ring(statement) => Err(ring::only_in_public(&**statement)),
        Named::Many(..) => Err(Failure::input(
            "--preprocessed is for one statement, not for --any-of: give --connect or --listen",
        )),
    }
}

/// Runs `volery prove --preprocessed`; the statement has its witness.
pub(crate) fn prove(
    statement: &BitStatement,
    file: &Path,
    out: &Path,
    protocol: &ProtocolArgs,
    json: bool,
) -> Result<(), Failure> {
    let mut file = ProverFile::open(file)?.with_threads(usize::from(protocol.threads))?;
    demand_soundness(statement, file.info().settings, protocol)?;
    let result = file.prove(statement, out).map_err(Failure::from);
    let figures = result.map(|report| Figures::new(&report, &file.info()));
    outcome::of_file("proved", &statement.text(), figures, json)
}

/// Runs `volery verify --preprocessed`.
pub(crate) fn verify(
    statement: &BitStatement,
    file: &Path,
    proof: &Path,
    protocol: &ProtocolArgs,
    json: bool,
) -> Result<(), Failure> {
    let mut file = VerifierFile::open(file)?.with_threads(usize::from(protocol.threads))?;
    demand_soundness(statement, file.info().settings, protocol)?;
    let result = file.verify(statement, proof).map_err(Failure::from);
    let figures = result.map(|report| Figures::new(&report, &file.info()));
    outcome::of_file("accepted", &statement.text(), figures, json)
}

/// Refuses a statement whose stored proof would not reach the soundness that was asked for.
fn demand_soundness(
    statement: &BitStatement,
    settings: Settings,
    protocol: &ProtocolArgs,
) -> Result<(), Failure> {
    protocol.demand(statement, |program| soundness::fiat_shamir_bits(settings, program, 0.0))
}
