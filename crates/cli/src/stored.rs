//! Proofs without a connection: `volery preprocess`, and `prove` and `verify` with `--preprocessed`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use volery::stored::{Info, ProverFile, Report, VerifierFile, preprocess};
use volery::{Options, Prover, Verifier, os_rng};
use volery_statement::{Error, Instance, explained, stored};

use super::args::{PreprocessArgs, ProtocolArgs, RoleArg};
use super::connection::{Endpoint, Link};
use super::failure::Failure;
use super::outcome::{self, Good, Summary};
use super::output;
use super::progress::Progress;
use super::terminal;

/// A new correlation file, as `--json` prints it.
#[derive(Debug, Serialize)]
struct PreprocessReport {
    correlations: u64,
    seconds: f64,
}

/// Runs `volery preprocess`.
pub(crate) fn preprocess(args: &PreprocessArgs) -> Result<(), Failure> {
    // The challenges of proofs in files are always hashes.
    let options = Options { fiat_shamir: true, ..args.protocol.options() };
    let endpoint = Endpoint::new(&args.connection)?;
    let (info, seconds) = endpoint.meet(|link| made(args, options, link))?;
    if args.json {
        let seconds = seconds.as_secs_f64();
        return outcome::json(Good::Done, &PreprocessReport { correlations: info.count, seconds });
    }
    let (count, time) = (output::counted(info.count, "correlation"), output::time(seconds));
    output::result(&format!("stored: {count} in {} after {time}", args.out.display()))
}

/// Makes the correlations with the other party, and measures the time.
fn made(args: &PreprocessArgs, options: Options, link: Link) -> Result<(Info, Duration), Failure> {
    let (mut rng, start, progress) = (os_rng()?, Instant::now(), Progress::new(|| Ok(args.count))?);
    let mut moved = |made| progress.set(made);
    let info = match args.role {
        RoleArg::Prover => {
            let session = Prover::start(link.channel, options, &mut rng)?;
            preprocess::prover(session, args.count, &args.out, &mut moved)?
        }
        RoleArg::Verifier => {
            let session = Verifier::start(link.channel, options, &mut rng)?;
            preprocess::verifier(session, args.count, &args.out, &mut moved)?
        }
    };
    Ok((info, start.elapsed()))
}

/// The figures of a proof, as `--json` prints them.
#[derive(Debug, Serialize)]
struct FileFigures {
    ands: u64,
    secret_bits: u64,
    /// Polynomials that are claimed to be zero: two for each S-box of AES.
    polynomials: u64,
    proof_bytes: u64,
    /// The range of correlations that the proof used; the end is not included.
    correlations: [u64; 2],
    correlations_left: u64,
    seconds: f64,
    /// One hash computation yields a forgery with probability 2 to the minus this.
    soundness_bits: f64,
}

impl FileFigures {
    fn new(report: &Report, info: &Info) -> Self {
        let ands = report.tally.multiplications;
        Self {
            ands,
            secret_bits: report.tally.secrets,
            polynomials: report.tally.polynomials,
            proof_bytes: report.bytes,
            correlations: [report.range.start, report.range.end],
            correlations_left: info.remaining,
            seconds: report.time.as_secs_f64(),
            soundness_bits: report.soundness().bits(),
        }
    }
}

impl Summary for FileFigures {
    fn text(&self) -> String {
        format!(
            "{} in {}, proof of {}, {} left, soundness {:.0} bits against each hash computation",
            output::bit_counts(self.secret_bits, self.ands, self.polynomials),
            output::time(Duration::from_secs_f64(self.seconds)),
            output::bytes(self.proof_bytes),
            output::counted(self.correlations_left, "correlation"),
            self.soundness_bits
        )
    }

    fn figures(&self) -> impl Serialize {
        self
    }
}

/// Runs `volery prove --preprocessed`; the statement has its witness.
pub(crate) fn prove(
    statement: &dyn Instance,
    file: &Path,
    out: &Path,
    protocol: &ProtocolArgs,
    json: bool,
) -> Result<(), Failure> {
    let figures = terminal::during("making the proof", || -> Result<_, Error> {
        statement.stored()?;
        let mut file = ProverFile::open(file)?.with_threads(usize::from(protocol.threads))?;
        let report = stored::prove(statement, &mut file, out, protocol.rho)?;
        Ok(FileFigures::new(&report, &file.info()))
    });
    let figures = figures.map_err(|error| Failure::from(explained(statement, error)));
    outcome::conclude_file(Good::Done, &statement.text(), figures, json)
}

/// Runs `volery verify --preprocessed`.
pub(crate) fn verify(
    statement: &dyn Instance,
    file: &Path,
    proof: &Path,
    protocol: &ProtocolArgs,
    json: bool,
) -> Result<(), Failure> {
    let figures = terminal::during("verifying the proof", || -> Result<_, Failure> {
        statement.stored()?;
        let mut file = VerifierFile::open(file)?.with_threads(usize::from(protocol.threads))?;
        let report = stored::verify(statement, &mut file, proof, protocol.rho)?;
        Ok(FileFigures::new(&report, &file.info()))
    });
    outcome::conclude_file(Good::Accepted, &statement.text(), figures, json)
}
