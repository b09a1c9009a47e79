//! Proofs that anyone can verify.
//!
//! ```text
//! in_the_head   from VOLE in the head, about bits
//! cost          what proofs take
//! ```

mod cost;
mod in_the_head;

pub use cost::PublicCost;
pub use in_the_head::{InTheHead, Output};

use std::fmt;
use std::io::{self, Chain, Cursor, Read};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use volery::public::{
    self, Demands, Header, Message, Parameters, Program, Protocol, PublicRing, Settings, voleith,
};
use volery::{Options, Statement, os_rng};
use volery_channel::platform::Instant;
use volery_circuit::{Counts, Evaluator, Recorder};
use volery_field::F2;

use crate::error::Error;
use crate::instance::Instance;
use crate::refusal::Refusal;
#[cfg(feature = "stored")]
use crate::spelling::Opt;

/// A protocol for public proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicProtocol {
    /// ZKB++.
    Zkbpp,
    /// ZKBoo: twice as long; if a proof is wrong, it says which part.
    Zkboo,
    /// VOLE in the head, over bits: a twelfth as long as ZKB++.
    Voleith {
        /// Shorter by a third, at several times the work.
        small: bool,
    },
}

impl PublicProtocol {
    /// The one for a statement: VOLE in the head if it is about bits.
    #[must_use]
    pub fn of(statement: &dyn Instance) -> Self {
        match in_the_head(statement) {
            true => Self::Voleith { small: false },
            false => Self::Zkbpp,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Zkbpp => Protocol::Zkbpp.name(),
            Self::Zkboo => Protocol::Zkboo.name(),
            Self::Voleith { .. } => "voleith",
        }
    }
}

impl From<Protocol> for PublicProtocol {
    fn from(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Zkboo => Self::Zkboo,
            _ => Self::Zkbpp,
        }
    }
}

/// Whether a statement has proofs from VOLE in the head: whether it is about bits.
#[must_use]
pub fn in_the_head(statement: &dyn Instance) -> bool {
    statement.public().is_ok_and(|statement| statement.in_the_head().is_some())
}

/// How a proof is made.
#[derive(Clone, Copy, Debug)]
pub struct Making {
    /// The protocol.
    pub protocol: PublicProtocol,
    /// The soundness against each hash computation, in bits, at most 128.
    pub sigma: u16,
    /// What the proof is about besides the statement.
    pub message: Option<Message>,
    /// The number of threads.
    pub threads: usize,
}

/// What a verifier demands of a proof.
#[derive(Clone, Copy, Debug)]
pub struct Checking {
    /// The least soundness against each hash computation, in bits.
    pub sigma: u16,
    /// What the proof must be about besides the statement.
    pub message: Option<Message>,
    /// The number of threads.
    pub threads: usize,
}

/// What a proof took, and what it is worth.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// The protocol.
    pub protocol: PublicProtocol,
    /// The name of the ring.
    pub ring: &'static str,
    /// The soundness against each hash computation, in bits.
    pub soundness_bits: u16,
    /// Repetitions of the protocol, or the number of trees.
    pub repetitions: usize,
    /// Secret values.
    pub secrets: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// The length of the proof.
    pub bytes: u64,
    /// For recording the circuit and for the proof.
    pub time: Duration,
}

/// Makes a proof of a statement, which has its witness, and writes it to `out`.
///
/// # Errors
/// [`Error::Refused`] if this kind of statement has no such proofs; [`Error::Statement`] if the witness does
/// not satisfy it; [`Error::Io`].
pub fn prove(statement: &dyn Instance, making: &Making, out: &mut dyn Output) -> Result<Made, Error> {
    let public = with_claim(statement)?;
    let protocol = match making.protocol {
        PublicProtocol::Voleith { small } => {
            let provable = public.in_the_head().ok_or(Refusal::OnlyBitsInTheHead)?;
            return in_the_head::make(provable, making, small, out);
        }
        PublicProtocol::Zkbpp => Protocol::Zkbpp,
        PublicProtocol::Zkboo => Protocol::Zkboo,
    };
    let settings = PublicSettings::new(protocol, making.sigma, making.message, making.threads)?;
    let (proof, made) = public.prove(&settings)?;
    let written = out.write_all(&proof).and_then(|()| out.flush());
    written.map_err(|error| failed("the proof", &error))?;
    Ok(made)
}

/// Verifies a proof of a statement, which names its own protocol.
///
/// # Errors
/// As [`volery::public::verify_program`] and [`volery::public::voleith::verify`]; [`Error::Refused`] if this
/// kind of statement has no such proofs.
pub fn verify(
    statement: &dyn Instance,
    checking: &Checking,
    mut proof: ProofReader<'_>,
) -> Result<Made, Error> {
    let public = with_claim(statement)?;
    if proof.in_the_head {
        let provable = public.in_the_head().ok_or(Refusal::NotAboutBits)?;
        return in_the_head::check(provable, checking, proof);
    }
    // The protocol here is a placeholder, since the proof names its own.
    let (protocol, Checking { sigma, message, threads }) = (Protocol::default(), *checking);
    public.verify(&PublicSettings::new(protocol, sigma, message, threads)?, &mut proof)
}

/// The statement, unless its public values are missing: then a proof of it would say nothing.
fn with_claim(statement: &dyn Instance) -> Result<Box<dyn PublicStatement + '_>, Error> {
    statement.complete()?;
    Ok(statement.public()?)
}

/// A proof that is to be read, from a file, a pipe or memory. It is read no further than a proof of the
/// statement can reach.
pub struct ProofReader<'a> {
    /// Its first bytes, which were read to see what it is, and then the rest.
    reader: Chain<Cursor<Vec<u8>>, Box<dyn Read + 'a>>,
    /// Its name in messages.
    what: String,
    in_the_head: bool,
}

impl fmt::Debug for ProofReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProofReader").field("what", &self.what).finish_non_exhaustive()
    }
}

impl<'a> ProofReader<'a> {
    /// Reads the first bytes of a proof, which say what it is; `what` names it in errors.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Input`] if it is a proof with stored correlations.
    pub fn new(mut reader: Box<dyn Read + 'a>, what: &str) -> Result<Self, Error> {
        let (mark, mut start) = (voleith::Header::MARK, Vec::new());
        let read = (&mut reader).take(mark.len() as u64).read_to_end(&mut start);
        read.map_err(|error| failed(what, &error))?;
        #[cfg(feature = "stored")]
        if start == volery::stored::PROOF_MARK {
            let file = Opt("preprocessed", "V.vole");
            return Err(Error::input(format!(
                "{what}: this proof is for the owner of one file of correlations: give that with {file}"
            )));
        }
        let in_the_head = start == mark;
        Ok(Self { reader: Cursor::new(start).chain(reader), what: what.to_owned(), in_the_head })
    }

    /// Whether it is a proof from VOLE in the head.
    #[must_use]
    pub fn is_in_the_head(&self) -> bool {
        self.in_the_head
    }

    /// Reads the whole proof: first its header, then at most the bytes of a proof with these counts.
    fn read<R: PublicRing>(&mut self, counts: public::Counts) -> Result<Vec<u8>, Error> {
        let mut proof = Vec::new();
        let mut read = |most: u64, proof: &mut Vec<u8>| {
            (&mut self.reader).take(most).read_to_end(proof).map_err(|error| failed(&self.what, &error))
        };
        read(Header::BYTES as u64, &mut proof)?;
        let header = Header::decode(&proof)?;
        let [_, most] = public::proof_bytes::<R>(counts, header.protocol(), header.parameters());
        // One more byte shows whether something was appended.
        read((most + 1).saturating_sub(Header::BYTES as u64), &mut proof)?;
        Ok(proof)
    }
}

fn failed(what: &str, error: &io::Error) -> Error {
    Error::Io { what: what.to_owned(), reason: error.to_string() }
}

/// So many threads, if they are more than one.
fn pool(threads: usize) -> Result<Option<rayon::ThreadPool>, Error> {
    match Options::MAX_THREADS.min(threads) {
        0 | 1 => Ok(None),
        n => Ok(Some(rayon::ThreadPoolBuilder::new().num_threads(n).build().map_err(Error::internal)?)),
    }
}

fn shared_threads(threads: usize) -> Result<Option<Arc<rayon::ThreadPool>>, Error> {
    Ok(pool(threads)?.map(Arc::new))
}

/// Settings for making and verifying proofs by ZKB++ and ZKBoo.
#[derive(Debug)]
pub struct PublicSettings {
    protocol: Protocol,
    parameters: Parameters,
    message: Option<Message>,
    threads: Option<rayon::ThreadPool>,
}

impl PublicSettings {
    fn new(protocol: Protocol, sigma: u16, message: Option<Message>, threads: usize) -> Result<Self, Error> {
        Ok(Self { protocol, parameters: Parameters::new(sigma)?, message, threads: pool(threads)? })
    }

    /// Makes a proof of `statement`, which has its witness.
    fn prove<R, S>(&self, statement: &S) -> Result<(Vec<u8>, Made), Error>
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
        let made = made::<R>(protocol, parameters, program.counts(), &proof, start);
        Ok((proof, made))
    }

    /// Verifies a proof of `statement`.
    fn verify<R, S>(&self, statement: &S, proof: &mut ProofReader<'_>) -> Result<Made, Error>
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
        Ok(made::<R>(verified.protocol, verified.parameters, program.counts(), &proof, start))
    }
}

fn made<R: PublicRing>(
    protocol: Protocol,
    parameters: Parameters,
    counts: public::Counts,
    proof: &[u8],
    start: Instant,
) -> Made {
    Made {
        protocol: protocol.into(),
        ring: R::NAME,
        soundness_bits: parameters.sigma(),
        repetitions: parameters.repetitions(),
        secrets: counts.inputs,
        multiplications: counts.multiplications,
        bytes: proof.len() as u64,
        time: start.elapsed(),
    }
}

/// A statement that has public proofs, over any ring.
pub trait PublicStatement {
    /// What its proofs take. `counts` are its own.
    ///
    /// # Errors
    /// As running it without values.
    fn costs(&self, counts: &Counts) -> Result<Vec<PublicCost>, Error>;

    /// Makes a proof of the statement by ZKB++ or ZKBoo.
    ///
    /// # Errors
    /// As [`prove()`].
    fn prove(&self, settings: &PublicSettings) -> Result<(Vec<u8>, Made), Error>;

    /// Verifies such a proof of the statement.
    ///
    /// # Errors
    /// As [`verify()`].
    fn verify(&self, settings: &PublicSettings, proof: &mut ProofReader<'_>) -> Result<Made, Error>;

    /// The statement, if it is about bits, for proofs from VOLE in the head.
    fn in_the_head(&self) -> Option<&dyn InTheHead> {
        None
    }
}

/// A statement about bits, for [`Instance::public`].
pub fn about_bits<S>(statement: &S) -> Box<dyn PublicStatement + '_>
where
    S: Statement<Recorder<F2>> + Statement<Evaluator<F2>> + InTheHead,
{
    OverBits::boxed(statement)
}

/// A statement about bits with disjunctions, likewise.
pub fn about_choices<S: InTheHead>(statement: &S) -> Box<dyn PublicStatement + '_> {
    InTheHeadOnly::boxed(statement)
}

/// A statement over the ring `R`, likewise.
pub fn about_ring<R, S>(statement: &S) -> Box<dyn PublicStatement + '_>
where
    R: PublicRing,
    S: Statement<Recorder<R>> + Statement<Evaluator<R>>,
{
    OverRing::<R, _>::boxed(statement)
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
    fn costs(&self, counts: &Counts) -> Result<Vec<PublicCost>, Error> {
        let mut costs = PublicCost::in_the_head(&self.0.statement.rehearse()?)?;
        costs.extend(self.0.costs(counts)?);
        Ok(costs)
    }

    fn prove(&self, settings: &PublicSettings) -> Result<(Vec<u8>, Made), Error> {
        self.0.prove(settings)
    }

    fn verify(&self, settings: &PublicSettings, proof: &mut ProofReader<'_>) -> Result<Made, Error> {
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
    fn costs(&self, _counts: &Counts) -> Result<Vec<PublicCost>, Error> {
        PublicCost::in_the_head(&self.0.rehearse()?)
    }

    fn prove(&self, _settings: &PublicSettings) -> Result<(Vec<u8>, Made), Error> {
        Err(Refusal::OneOfManyInTheHead.into())
    }

    fn verify(&self, _settings: &PublicSettings, _proof: &mut ProofReader<'_>) -> Result<Made, Error> {
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
    fn costs(&self, counts: &Counts) -> Result<Vec<PublicCost>, Error> {
        PublicCost::all::<R>(counts)
    }

    fn prove(&self, settings: &PublicSettings) -> Result<(Vec<u8>, Made), Error> {
        settings.prove::<R, _>(self.statement)
    }

    fn verify(&self, settings: &PublicSettings, proof: &mut ProofReader<'_>) -> Result<Made, Error> {
        settings.verify::<R, _>(self.statement, proof)
    }
}
