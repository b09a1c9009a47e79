//! Proofs that anyone can verify: `volery prove --out` and `volery verify STATEMENT PROOF`.

use std::fs::File;
use std::io::{self, BufWriter, Cursor};
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use volery::public::voleith;
use volery::public::{Message, Parameters};
use volery_field::{F2, Ring as _};
use volery_statement::public::{Checking, Made, Making, ProofReader, PublicProtocol};
use volery_statement::{Instance, Refusal, explained, public};

use super::args::{ProveArgs, VerifyArgs};
use super::failure::Failure;
use super::new_file::{self, NewFile};
use super::outcome::{self, Good, Summary};
use super::{output, terminal};

/// The message that `--bind` names.
fn message(path: Option<&Path>) -> Result<Option<Message>, Failure> {
    let read = |path: &Path| File::open(path).and_then(Message::read).map_err(|error| failed(path, &error));
    path.map(read).transpose()
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("{}: {error}", path.display()))
}

/// Warns if a forger can make proofs of `sigma` bits.
fn warn_of_few_bits(sigma: u16) {
    if sigma < Parameters::FILE_SIGMA {
        terminal::message(&format!(
            "warning: {} of soundness: anyone who computes 2^{sigma} hashes can forge such a proof; use {} bits or more",
            output::counted(sigma.into(), "bit"),
            Parameters::FILE_SIGMA
        ));
    }
}

/// A proof's figures.
struct Proof(Made);

/// The figures of a proof, as `--json` prints them.
#[derive(Debug, Serialize)]
struct PublicFigures {
    protocol: &'static str,
    soundness_bits: u16,
    /// Repetitions of the protocol, or the number of trees.
    repetitions: usize,
    secrets: u64,
    multiplications: u64,
    proof_bytes: u64,
    /// For recording the circuit and for the proof; by ZKB++ and ZKBoo without writing the file.
    seconds: f64,
}

impl Summary for Proof {
    fn text(&self) -> String {
        let Made { protocol, ring, soundness_bits, repetitions, multiplications, bytes, time, .. } = self.0;
        let repetition = match protocol {
            PublicProtocol::Voleith { .. } => "tree",
            _ => "repetition",
        };
        format!(
            "{}, {} with {}, proof of {}, {}, soundness {soundness_bits} bits against each hash computation",
            output::counted(multiplications, if ring == F2::NAME { "AND" } else { "multiplication" }),
            protocol.name(),
            output::counted(repetitions as u64, repetition),
            output::bytes(bytes),
            output::time(time),
        )
    }

    fn figures(&self) -> impl Serialize {
        PublicFigures {
            protocol: self.0.protocol.name(),
            soundness_bits: self.0.soundness_bits,
            repetitions: self.0.repetitions,
            secrets: self.0.secrets,
            multiplications: self.0.multiplications,
            proof_bytes: self.0.bytes,
            seconds: self.0.time.as_secs_f64(),
        }
    }
}

/// Runs `volery prove --out` with ZKB++ or ZKBoo; the statement has its witness.
pub(crate) fn prove(statement: &dyn Instance, args: &ProveArgs, out: &Path) -> Result<(), Failure> {
    let making = making(args, args.public.protocol().into())?;
    warn_of_few_bits(args.public.sigma);
    let mut proof = Cursor::new(Vec::new());
    let made = terminal::during("making the proof", || public::prove(statement, &making, &mut proof));
    let made = made.map_err(|error| Failure::from(explained(statement, error)));
    let written = made.and_then(|made| new_file::write(out, proof.get_ref()).map(|()| Proof(made)));
    outcome::conclude_file(Good::Done, &statement.text(), written, args.json)
}

/// Runs `volery prove --out` with VOLE in the head, which writes the file while it proves.
pub(crate) fn prove_in_the_head(
    statement: &dyn Instance,
    args: &ProveArgs,
    out: &Path,
) -> Result<(), Failure> {
    let small = args.public.small;
    warn_of_few_bits(voleith::Parameters::of(args.public.sigma, small).sigma());
    let making = making(args, PublicProtocol::Voleith { small })?;
    statement.public()?.in_the_head().ok_or(Refusal::OnlyBitsInTheHead)?;
    let made = terminal::during("making the proof", || into_file(statement, &making, out));
    outcome::conclude_file(Good::Done, &statement.text(), made, args.json)
}

fn into_file(statement: &dyn Instance, making: &Making, out: &Path) -> Result<Proof, Failure> {
    let start = Instant::now();
    let file = NewFile::create(out)?;
    let made = public::prove(statement, making, &mut BufWriter::new(file.file()));
    let made = made.map_err(|error| explained(statement, error))?;
    file.publish()?;
    Ok(Proof(Made { time: start.elapsed(), ..made }))
}

fn making(args: &ProveArgs, protocol: PublicProtocol) -> Result<Making, Failure> {
    let message = message(args.public.bind.as_deref())?;
    Ok(Making { protocol, sigma: args.public.sigma, message, threads: args.protocol.threads.into() })
}

/// Runs `volery verify STATEMENT PROOF`.
pub(crate) fn verify(statement: &dyn Instance, args: &VerifyArgs, proof: &Path) -> Result<(), Failure> {
    warn_of_few_bits(args.sigma);
    let file = File::open(proof).map_err(|error| failed(proof, &error))?;
    let proof = ProofReader::new(Box::new(file), &proof.display().to_string())?;
    let message = message(args.bind.as_deref())?;
    let checking = Checking { sigma: args.sigma, message, threads: args.protocol.threads.into() };
    if proof.is_in_the_head() {
        statement.public()?.in_the_head().ok_or(Refusal::NotAboutBits)?;
    }
    let verified = terminal::during("verifying the proof", || public::verify(statement, &checking, proof));
    let verified = verified.map(Proof).map_err(Failure::from);
    outcome::conclude_file(Good::Accepted, &statement.text(), verified, args.json)
}
