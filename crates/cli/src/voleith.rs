//! Public proofs from VOLE in the head: `volery prove --protocol voleith --out` and `volery verify STATEMENT
//! PROOF`.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use volery::public::voleith::{Demands, Parameters, Proved, Rehearsed, Settings, prove, rehearse, verify};
use volery::{Options, Statement, os_rng};
use volery_zk::quicksilver::bits;

use super::args::{ProveArgs, VerifyArgs};
use super::failure::Failure;
use super::new_file::NewFile;
use super::outcome::{self, Good, Summary};
use super::output;
use super::public::{PublicStatement, message, warn_of_few_bits};
use super::statement::{Given, explained};
use super::terminal;

/// A statement about bits that has such proofs.
pub(crate) trait InTheHead {
    /// Makes a proof of the statement, which has its witness.
    fn prove(&self, settings: &Settings, out: &mut BufWriter<&File>) -> Result<Proved, Failure>;

    /// Runs the statement without values, to learn what its proofs take.
    fn rehearse(&self) -> Result<Rehearsed, Failure>;

    /// Verifies a proof of the statement.
    fn verify(&self, demands: &Demands, proof: &mut dyn Read) -> Result<Proved, Failure>;
}

impl<S> InTheHead for S
where
    S: for<'a> Statement<bits::Prover<'a>> + for<'a> Statement<bits::Verifier<'a>>,
{
    fn prove(&self, settings: &Settings, out: &mut BufWriter<&File>) -> Result<Proved, Failure> {
        Ok(prove(self, settings, &mut os_rng()?, out)?)
    }

    fn rehearse(&self) -> Result<Rehearsed, Failure> {
        Ok(rehearse(self, None)?)
    }

    fn verify(&self, demands: &Demands, proof: &mut dyn Read) -> Result<Proved, Failure> {
        Ok(verify(self, demands, proof)?)
    }
}

/// A proof's figures.
struct Made {
    proved: Proved,
    time: Duration,
}

/// The figures of a proof, as `--json` prints them.
#[derive(Debug, Serialize)]
struct Figures {
    protocol: &'static str,
    soundness_bits: u16,
    /// The number of trees.
    repetitions: usize,
    secrets: u64,
    multiplications: u64,
    proof_bytes: u64,
    seconds: f64,
}

impl Summary for Made {
    fn text(&self) -> String {
        let Proved { parameters, tally, bytes } = self.proved;
        format!(
            "{}, voleith with {}, proof of {}, {}, soundness {} bits against each hash computation",
            output::counted(tally.multiplications, "AND"),
            output::counted(parameters.shape().trees() as u64, "tree"),
            output::bytes(bytes),
            output::time(self.time),
            parameters.sigma()
        )
    }

    fn figures(&self) -> impl Serialize {
        let Proved { parameters, tally, bytes } = self.proved;
        Figures {
            protocol: "voleith",
            soundness_bits: parameters.sigma(),
            repetitions: parameters.shape().trees(),
            secrets: tally.secrets,
            multiplications: tally.multiplications,
            proof_bytes: bytes,
            seconds: self.time.as_secs_f64(),
        }
    }
}

fn threads(threads: u16) -> Result<Option<Arc<rayon::ThreadPool>>, Failure> {
    match Options::MAX_THREADS.min(usize::from(threads)) {
        0 | 1 => Ok(None),
        n => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build();
            Ok(Some(Arc::new(pool.map_err(Failure::session)?)))
        }
    }
}

/// The statement, or why it has no such proofs.
fn about_bits<'s>(
    statement: &'s dyn PublicStatement,
    otherwise: &'static str,
) -> Result<&'s dyn InTheHead, Failure> {
    statement.in_the_head().ok_or_else(|| Failure::input(otherwise))
}

/// Whether a statement has such proofs: whether it is about bits.
pub(crate) fn suits(statement: &dyn Given) -> bool {
    statement.public().is_ok_and(|statement| statement.in_the_head().is_some())
}

/// Runs `volery prove --protocol voleith --out`; the statement has its witness.
pub(crate) fn run_prove(statement: &dyn Given, args: &ProveArgs, out: &Path) -> Result<(), Failure> {
    let parameters = Parameters::of(args.public.sigma, args.public.small);
    warn_of_few_bits(parameters.sigma());
    let message = message(args.public.bind.as_deref())?;
    let settings = Settings { parameters, message, threads: threads(args.protocol.threads)? };
    let public = statement.public()?;
    let provable = about_bits(
        &*public,
        "--protocol voleith is for statements about bits, and this one is over a field or machine words: with \
         --protocol zkbpp, the default for these, or zkboo there is a proof of it",
    )?;
    let made = terminal::during("making the proof", || into_file(provable, &settings, out));
    let made = made.map_err(|failure| explained(statement, failure));
    outcome::conclude_file(Good::Done, &statement.text(), made, args.json)
}

fn into_file(provable: &dyn InTheHead, settings: &Settings, out: &Path) -> Result<Made, Failure> {
    let start = Instant::now();
    let file = NewFile::create(out)?;
    let proved = provable.prove(settings, &mut BufWriter::new(file.file()))?;
    file.publish()?;
    Ok(Made { proved, time: start.elapsed() })
}

/// Runs `volery verify STATEMENT PROOF` with such a proof.
pub(crate) fn run_verify(statement: &dyn Given, args: &VerifyArgs, proof: impl Read) -> Result<(), Failure> {
    let message = message(args.bind.as_deref())?;
    let demands = Demands { sigma: args.sigma, message, threads: threads(args.protocol.threads)? };
    let mut proof = BufReader::with_capacity(1 << 16, proof);
    let public = statement.public()?;
    let provable = about_bits(
        &*public,
        "the proof is one by voleith, which is for statements about bits, and this statement is over a field or \
         machine words: ask for a proof by zkbpp or zkboo",
    )?;
    let start = Instant::now();
    let verified = terminal::during("verifying the proof", || provable.verify(&demands, &mut proof));
    let made = verified.map(|proved| Made { proved, time: start.elapsed() });
    outcome::conclude_file(Good::Accepted, &statement.text(), made, args.json)
}
