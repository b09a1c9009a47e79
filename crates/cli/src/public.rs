//! Proofs that anyone can verify: `volery prove --out` and `volery verify STATEMENT PROOF`.

use std::fs::File;
use std::io::{self, Chain, Cursor, Read};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use volery::public::{
    self, Demands, Header, Message, Parameters, Program, Protocol, PublicRing, Settings, voleith,
};
use volery::{Options, Statement, os_rng, stored};
use volery_circuit::{Counts, Evaluator, Recorder};
use volery_field::{F2, Ring as _};

use super::args::{ProveArgs, PublicArgs, VerifyArgs};
use super::failure::Failure;
use super::info::PublicCost;
use super::new_file;
use super::outcome::{self, Good, Summary};
use super::statement::{Given, Refusal, explained};
use super::voleith as in_the_head;
use super::voleith::InTheHead;
use super::{output, terminal};

/// Settings for making and verifying public proofs.
pub(crate) struct PublicSettings {
    protocol: Protocol,
    parameters: Parameters,
    message: Option<Message>,
    threads: Option<rayon::ThreadPool>,
}

/// A proof and its figures.
pub(crate) struct PublicProof {
    proof: Vec<u8>,
    protocol: Protocol,
    parameters: Parameters,
    counts: public::Counts,
    /// The name of the ring.
    ring: &'static str,
    time: Duration,
}

/// An open proof file, which may be a pipe. It is read no further than a proof of the statement can reach.
pub(crate) struct ProofFile {
    /// Its first bytes, which were read to see what it is, and then the rest.
    file: Chain<Cursor<Vec<u8>>, File>,
    path: PathBuf,
    in_the_head: bool,
}

impl ProofFile {
    fn new(path: &Path) -> Result<Self, Failure> {
        let mut file = File::open(path).map_err(|error| failed(path, &error))?;
        let (mark, mut start) = (voleith::Header::MARK, Vec::new());
        let read = (&mut file).take(mark.len() as u64).read_to_end(&mut start);
        read.map_err(|error| failed(path, &error))?;
        if start == stored::PROOF_MARK {
            return Err(Failure::input(format!(
                "{}: this proof is for the owner of one file of correlations: give that with --preprocessed V.vole",
                path.display()
            )));
        }
        let in_the_head = start == mark;
        Ok(Self { file: Cursor::new(start).chain(file), path: path.to_owned(), in_the_head })
    }

    /// Reads the whole proof: first its header, then at most the bytes of a proof with these counts.
    fn read<R: PublicRing>(mut self, counts: public::Counts) -> Result<Vec<u8>, Failure> {
        let mut proof = Vec::new();
        let mut read = |most: u64, proof: &mut Vec<u8>| {
            (&mut self.file).take(most).read_to_end(proof).map_err(|error| failed(&self.path, &error))
        };
        read(Header::BYTES as u64, &mut proof)?;
        let header = Header::decode(&proof)?;
        let [_, most] = public::proof_bytes::<R>(counts, header.protocol(), header.parameters());
        // One more byte shows whether something was appended.
        read((most + 1).saturating_sub(Header::BYTES as u64), &mut proof)?;
        Ok(proof)
    }
}

/// The message that `--bind` names.
pub(crate) fn message(path: Option<&Path>) -> Result<Option<Message>, Failure> {
    let read = |path: &Path| File::open(path).and_then(Message::read).map_err(|error| failed(path, &error));
    path.map(read).transpose()
}

pub(crate) fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::input(format!("{}: {error}", path.display()))
}

/// Warns if a forger can make proofs of `sigma` bits.
pub(crate) fn warn_of_few_bits(sigma: u16) {
    if sigma < Parameters::FILE_SIGMA {
        terminal::message(&format!(
            "warning: {} of soundness: anyone who computes 2^{sigma} hashes can forge such a proof; use {} bits or more",
            output::counted(sigma.into(), "bit"),
            Parameters::FILE_SIGMA
        ));
    }
}

impl PublicSettings {
    pub(crate) fn new(
        protocol: Protocol,
        sigma: u16,
        bind: Option<&Path>,
        threads: u16,
    ) -> Result<Self, Failure> {
        let threads = match Options::MAX_THREADS.min(usize::from(threads)) {
            0 | 1 => None,
            n => Some(rayon::ThreadPoolBuilder::new().num_threads(n).build().map_err(Failure::session)?),
        };
        Ok(Self { protocol, parameters: Parameters::new(sigma)?, message: message(bind)?, threads })
    }

    /// Makes a proof of `statement`, which has its witness.
    pub(crate) fn prove<R, S>(&self, statement: &S) -> Result<PublicProof, Failure>
    where
        R: PublicRing,
        S: Statement<Recorder<R>> + Statement<Evaluator<R>>,
    {
        let start = Instant::now();
        let witness = Program::<R>::witness(statement)?;
        let program = Program::<R>::new(statement)?;
        let Self { protocol, parameters, message, ref threads } = *self;
        let settings = Settings { protocol, parameters, message, threads: threads.as_ref() };
        let proof = public::prove_program(&program, &witness, settings, &mut os_rng()?)?;
        Ok(PublicProof {
            proof,
            protocol,
            parameters,
            counts: program.counts(),
            ring: R::NAME,
            time: start.elapsed(),
        })
    }

    /// Verifies a proof of `statement`.
    pub(crate) fn verify<R, S>(&self, statement: &S, proof: ProofFile) -> Result<PublicProof, Failure>
    where
        R: PublicRing,
        S: Statement<Recorder<R>>,
    {
        let start = Instant::now();
        let program = Program::<R>::new(statement)?;
        let proof = proof.read::<R>(program.counts())?;
        let Self { parameters, message, ref threads, .. } = *self;
        let demands = Demands { parameters, message, threads: threads.as_ref() };
        let verified = public::verify_program(&program, &proof, demands)?;
        let (protocol, parameters) = (verified.protocol, verified.parameters);
        Ok(PublicProof {
            proof,
            protocol,
            parameters,
            counts: program.counts(),
            ring: R::NAME,
            time: start.elapsed(),
        })
    }
}

/// The figures of a proof, as `--json` prints them.
#[derive(Debug, Serialize)]
struct PublicFigures {
    protocol: &'static str,
    soundness_bits: u16,
    repetitions: usize,
    secrets: u64,
    multiplications: u64,
    proof_bytes: usize,
    /// For recording the circuit and for the proof, without writing the file.
    seconds: f64,
}

impl Summary for PublicProof {
    fn text(&self) -> String {
        format!(
            "{}, {} with {}, proof of {}, {}, soundness {} bits against each hash computation",
            output::counted(
                self.counts.multiplications,
                if self.ring == F2::NAME { "AND" } else { "multiplication" }
            ),
            self.protocol,
            output::counted(self.parameters.repetitions() as u64, "repetition"),
            output::bytes(self.proof.len() as u64),
            output::time(self.time),
            self.parameters.sigma()
        )
    }

    fn figures(&self) -> impl Serialize {
        PublicFigures {
            protocol: self.protocol.name(),
            soundness_bits: self.parameters.sigma(),
            repetitions: self.parameters.repetitions(),
            secrets: self.counts.inputs,
            multiplications: self.counts.multiplications,
            proof_bytes: self.proof.len(),
            seconds: self.time.as_secs_f64(),
        }
    }
}

/// A statement that has public proofs, over any ring.
pub(crate) trait PublicStatement {
    /// What its proofs take. `counts` are its own.
    fn costs(&self, counts: &Counts) -> Result<Vec<PublicCost>, Failure>;

    /// Makes a proof of the statement.
    fn prove(&self, settings: &PublicSettings) -> Result<PublicProof, Failure>;

    /// Verifies a proof of the statement.
    fn verify(&self, settings: &PublicSettings, proof: ProofFile) -> Result<PublicProof, Failure>;

    /// The statement, if it is about bits, for proofs from VOLE in the head.
    fn in_the_head(&self) -> Option<&dyn InTheHead> {
        None
    }
}

/// A statement about bits.
pub(crate) struct OverBits<'a, S>(OverRing<'a, F2, S>);

impl<'a, S> OverBits<'a, S>
where
    S: Statement<Recorder<F2>> + Statement<Evaluator<F2>> + InTheHead,
{
    pub(crate) fn boxed(statement: &'a S) -> Box<dyn PublicStatement + 'a> {
        Box::new(Self(OverRing { statement, ring: PhantomData }))
    }
}

impl<S> PublicStatement for OverBits<'_, S>
where
    S: Statement<Recorder<F2>> + Statement<Evaluator<F2>> + InTheHead,
{
    fn costs(&self, counts: &Counts) -> Result<Vec<PublicCost>, Failure> {
        let mut costs = PublicCost::in_the_head(&self.0.statement.rehearse()?)?;
        costs.extend(self.0.costs(counts)?);
        Ok(costs)
    }

    fn prove(&self, settings: &PublicSettings) -> Result<PublicProof, Failure> {
        self.0.prove(settings)
    }

    fn verify(&self, settings: &PublicSettings, proof: ProofFile) -> Result<PublicProof, Failure> {
        self.0.verify(settings, proof)
    }

    fn in_the_head(&self) -> Option<&dyn InTheHead> {
        Some(self.0.statement)
    }
}

/// A statement about bits with disjunctions, whose only public proofs are those from VOLE in the head.
pub(crate) struct InTheHeadOnly<'a, S>(&'a S);

impl<'a, S: InTheHead> InTheHeadOnly<'a, S> {
    pub(crate) fn boxed(statement: &'a S) -> Box<dyn PublicStatement + 'a> {
        Box::new(Self(statement))
    }
}

impl<S: InTheHead> PublicStatement for InTheHeadOnly<'_, S> {
    fn costs(&self, _counts: &Counts) -> Result<Vec<PublicCost>, Failure> {
        PublicCost::in_the_head(&self.0.rehearse()?)
    }

    fn prove(&self, _settings: &PublicSettings) -> Result<PublicProof, Failure> {
        Err(Refusal::OneOfManyInTheHead.into())
    }

    fn verify(&self, _settings: &PublicSettings, _proof: ProofFile) -> Result<PublicProof, Failure> {
        Err(Refusal::OneOfManyInTheHead.into())
    }

    fn in_the_head(&self) -> Option<&dyn InTheHead> {
        Some(self.0)
    }
}

/// A statement over the ring `R`.
pub(crate) struct OverRing<'a, R, S> {
    statement: &'a S,
    ring: PhantomData<R>,
}

impl<'a, R, S> OverRing<'a, R, S>
where
    R: PublicRing,
    S: Statement<Recorder<R>> + Statement<Evaluator<R>>,
{
    pub(crate) fn boxed(statement: &'a S) -> Box<dyn PublicStatement + 'a> {
        Box::new(Self { statement, ring: PhantomData })
    }
}

impl<R, S> PublicStatement for OverRing<'_, R, S>
where
    R: PublicRing,
    S: Statement<Recorder<R>> + Statement<Evaluator<R>>,
{
    fn costs(&self, counts: &Counts) -> Result<Vec<PublicCost>, Failure> {
        PublicCost::all::<R>(counts)
    }

    fn prove(&self, settings: &PublicSettings) -> Result<PublicProof, Failure> {
        settings.prove::<R, _>(self.statement)
    }

    fn verify(&self, settings: &PublicSettings, proof: ProofFile) -> Result<PublicProof, Failure> {
        settings.verify::<R, _>(self.statement, proof)
    }
}

/// Runs `volery prove --out`; the statement has its witness.
pub(crate) fn prove(statement: &dyn Given, args: &ProveArgs, out: &Path) -> Result<(), Failure> {
    let PublicArgs { sigma, bind, .. } = &args.public;
    let settings =
        PublicSettings::new(args.public.protocol(), *sigma, bind.as_deref(), args.protocol.threads)?;
    warn_of_few_bits(args.public.sigma);
    let made = terminal::during("making the proof", || statement.public()?.prove(&settings));
    let made = made.map_err(|failure| explained(statement, failure));
    let written = made.and_then(|made| new_file::write(out, &made.proof).map(|()| made));
    outcome::conclude_file(Good::Done, &statement.text(), written, args.json)
}

/// Runs `volery verify STATEMENT PROOF`.
pub(crate) fn verify(statement: &dyn Given, args: &VerifyArgs, proof: &Path) -> Result<(), Failure> {
    warn_of_few_bits(args.sigma);
    let proof = ProofFile::new(proof)?;
    if proof.in_the_head {
        return in_the_head::run_verify(statement, args, proof.file);
    }
    let bind = args.bind.as_deref();
    // The protocol here is a placeholder, since the proof names its own.
    let settings = PublicSettings::new(Protocol::default(), args.sigma, bind, args.protocol.threads)?;
    let verified = terminal::during("verifying the proof", || statement.public()?.verify(&settings, proof));
    outcome::conclude_file(Good::Accepted, &statement.text(), verified, args.json)
}
