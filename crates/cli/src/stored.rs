//! Proofs without a connection: `volery preprocess`, and the `--preprocessed` of `prove` and `verify`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use volery::stored::{self, Info, ProverFile, Report, VerifierFile, preprocess};
use volery::system::{Bits, Provable};
use volery::{Options, Prover, Statement, Verifier, os_rng};
use volery_circuit::Counter;
use volery_field::F2;
use volery_zk::quicksilver::Settings;

use super::args::{PreprocessArgs, ProtocolArgs, RoleArg};
use super::connection::Endpoint;
use super::failure::Failure;
use super::outcome::{self, Told};
use super::output;
use super::progress::Progress;
use super::settle::reached;
use super::statement::Given;
use super::way::{RHO, bit_soundness};

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
    // Proofs from files have hashes for challenges, whatever else is asked for.
    let options = Options { fiat_shamir: true, ..args.protocol.options() };
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
    /// Claimed to vanish, two for each S-box of AES.
    polynomials: u64,
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
            polynomials: report.tally.polynomials,
            proof_bytes: report.bytes,
            correlations: [report.range.start, report.range.end],
            correlations_left: info.remaining,
            seconds: report.time.as_secs_f64(),
            soundness_bits: report.soundness().bits(),
        }
    }
}

impl Told for Figures {
    fn text(&self) -> String {
        format!(
            "{} in {}, proof of {}, {} correlations left, soundness {:.0} bits against each hash computation",
            output::bit_counts(self.secret_bits, self.ands, self.polynomials),
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

/// A statement that stored correlations are for.
pub(crate) trait Storable {
    /// Proves it into a file.
    fn prove(&self, file: &mut ProverFile, out: &Path) -> Result<Report, stored::Error>;

    /// Verifies a proof of it.
    fn verify(&self, file: &mut VerifierFile, proof: &Path) -> Result<Report, stored::Error>;
}

impl<S: Provable<Bits> + Statement<Counter<F2>>> Storable for S {
    fn prove(&self, file: &mut ProverFile, out: &Path) -> Result<Report, stored::Error> {
        file.prove(Bits, self, out)
    }

    fn verify(&self, file: &mut VerifierFile, proof: &Path) -> Result<Report, stored::Error> {
        file.verify(Bits, self, proof)
    }
}

/// Refuses a statement whose stored proof would not reach the soundness that was asked for.
fn demand(statement: &dyn Given, settings: Settings, protocol: &ProtocolArgs) -> Result<(), Failure> {
    let rho = protocol.rho.unwrap_or(RHO);
    if rho <= statement.always() {
        return Ok(());
    }
    reached(rho, bit_soundness(&statement.count()?, settings, true))
}

/// Runs `volery prove --preprocessed`; the statement has its witness.
pub(crate) fn prove(
    statement: &dyn Given,
    file: &Path,
    out: &Path,
    protocol: &ProtocolArgs,
    json: bool,
) -> Result<(), Failure> {
    let storable = statement.stored()?;
    let mut file = ProverFile::open(file)?.with_threads(usize::from(protocol.threads))?;
    demand(statement, file.info().settings, protocol)?;
    let result = storable.prove(&mut file, out).map_err(Failure::from);
    let figures = result.map(|report| Figures::new(&report, &file.info()));
    outcome::of_file("proved", &statement.text(), figures, json)
}

/// Runs `volery verify --preprocessed`.
pub(crate) fn verify(
    statement: &dyn Given,
    file: &Path,
    proof: &Path,
    protocol: &ProtocolArgs,
    json: bool,
) -> Result<(), Failure> {
    let storable = statement.stored()?;
    let mut file = VerifierFile::open(file)?.with_threads(usize::from(protocol.threads))?;
    demand(statement, file.info().settings, protocol)?;
    let result = storable.verify(&mut file, proof).map_err(Failure::from);
    let figures = result.map(|report| Figures::new(&report, &file.info()));
    outcome::of_file("accepted", &statement.text(), figures, json)
}
