//! Proofs without a connection: `volery preprocess`, and the `--preprocessed` of `prove` and `verify`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use volery::stored::{Info, ProverFile, Report, VerifierFile, preprocess};
use volery::{Options, Prover, Verifier, os_rng, system};
use volery_circuit::bristol::Claimed;
use volery_circuit::choose::Numbered;
use volery_circuit::{Counter, Digest, FileStatement, Polynomials, Repeat, Statement};
use volery_field::F2;
use volery_zk::quicksilver::Settings;

use super::args::{DisjunctionArg, PreprocessArgs, ProtocolArgs, RoleArg};
use super::connection::Endpoint;
use super::failure::Failure;
use super::many::Many;
use super::outcome::{self, Told};
use super::output;
use super::over::MacField;
use super::progress::Progress;
use super::ring;
use super::settle::{ALWAYS_REACHED, bit_soundness, reached};
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
#[derive(Clone, Copy)]
pub(crate) enum Storable<'a> {
    /// About bits.
    Bits(&'a BitStatement),
    /// Some of several about bits, by Robin.
    Many(&'a Many),
}

impl<'a> Storable<'a> {
    /// `statement`, if it is one.
    pub(crate) fn new(statement: &'a Named) -> Result<Self, Failure> {
        match statement {
            Named::Bits(statement) => Ok(Self::Bits(statement)),
            Named::Many(_, Some(DisjunctionArg::Macncheese)) => Err(Failure::input(
                "--preprocessed is for --disjunction robin: Mac'n'Cheese's correlations are made in its own session",
            )),
            Named::Many(many, _) => Ok(Self::Many(many)),
            Named::Field(statement) => Err(Failure::input(format!(
                "--preprocessed is for statements about bits; this one is about elements of {}: give --connect or --listen",
                statement.pair(MacField::Small).value
            ))),
            Named::Ring(statement) => Err(ring::only_in_public(&**statement)),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Bits(statement) => statement.text(),
            Self::Many(many) => many.text(),
        }
    }

    /// Refuses a statement whose stored proof would not reach the soundness that was asked for.
    fn demand(self, settings: Settings, protocol: &ProtocolArgs) -> Result<(), Failure> {
        match self {
            Self::Bits(statement) => protocol.demand(statement, settings, true),
            Self::Many(many) => {
                let bits = bit_soundness(&Counter::count(many)?.total(), settings, true);
                reached(protocol.rho.unwrap_or(ALWAYS_REACHED), bits)
            }
        }
    }
}

impl<B> Statement<B> for Storable<'_>
where
    B: Polynomials<F2> + Repeat<F2, Numbered<FileStatement>> + Repeat<F2, Claimed>,
{
    fn identify(&self, digest: &mut Digest) {
        match self {
            Self::Bits(statement) => Statement::<B>::identify(*statement, digest),
            Self::Many(many) => Statement::<B>::identify(*many, digest),
        }
    }

    fn commitments(&self) -> Option<u64> {
        match self {
            Self::Bits(statement) => Statement::<B>::commitments(*statement),
            Self::Many(many) => Statement::<B>::commitments(*many),
        }
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        match self {
            Self::Bits(statement) => statement.run(backend),
            Self::Many(many) => many.run(backend),
        }
    }
}

/// Runs `volery prove --preprocessed`; the statement has its witness.
pub(crate) fn prove(
    statement: Storable<'_>,
    file: &Path,
    out: &Path,
    protocol: &ProtocolArgs,
    json: bool,
) -> Result<(), Failure> {
    let mut file = ProverFile::open(file)?.with_threads(usize::from(protocol.threads))?;
    statement.demand(file.info().settings, protocol)?;
    let result = file.prove(system::Bits, &statement, out).map_err(Failure::from);
    let figures = result.map(|report| Figures::new(&report, &file.info()));
    outcome::of_file("proved", &statement.text(), figures, json)
}

/// Runs `volery verify --preprocessed`.
pub(crate) fn verify(
    statement: Storable<'_>,
    file: &Path,
    proof: &Path,
    protocol: &ProtocolArgs,
    json: bool,
) -> Result<(), Failure> {
    let mut file = VerifierFile::open(file)?.with_threads(usize::from(protocol.threads))?;
    statement.demand(file.info().settings, protocol)?;
    let result = file.verify(system::Bits, &statement, proof).map_err(Failure::from);
    let figures = result.map(|report| Figures::new(&report, &file.info()));
    outcome::of_file("accepted", &statement.text(), figures, json)
}
