//! Statements that a command line names: one trait, and a file for each kind.
//!
//! ```text
//! Given       what a command can do with a statement; what a kind cannot do it refuses by a default
//!   bits      built-in statements about bits, circuit files
//!   numbers   built-in statements over a field
//!   r1cs      constraint systems: one, or one of several
//!   ring      circuits over rings
//!   many      some of several circuits
//! bare        a circuit file without a claim, which only `info` takes
//! branches    files with a section for each branch or repetition
//! refusal     what a kind of statement is not for
//! ```
//!
//! A new kind is a file with an implementation of [`Given`], a `load` and a `compute`, and its line in
//! [`KINDS`].

mod bare;
mod bits;
mod branches;
mod many;
mod numbers;
mod r1cs;
mod refusal;
mod ring;

use std::path::Path;

use volery::{Options, builtin};
use volery_circuit::bristol::FileRing;
use volery_circuit::claim::Draft;
use volery_circuit::{
    BristolFile, Claim, Counts, Error as StatementError, FileStatement, Signature, Witness,
};

use super::args::StatementArgs;
use super::failure::Failure;
use super::info::Described;
use super::public::InPublic;
use super::source::Source;
use super::stored::Storable;
use super::way::Way;
use refusal::Refusal;

/// A statement that a command line names; with its witness, once [`Given::with_witness`] has read one.
pub(crate) trait Given: Send + Sync {
    /// What it is called in results.
    fn text(&self) -> String;

    /// What its values are: the name of a field or ring.
    fn ring(&self) -> &'static str;

    /// Adds the secret side.
    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure>;

    /// Whether its public side is complete, which a verifier needs.
    fn complete(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Whether it holds for the witness inside it.
    fn check(&self) -> Result<(), StatementError>;

    /// Counts it: a run without values.
    fn count(&self) -> Result<Counts, StatementError>;

    /// What `info` says of the statement itself.
    fn describe(&self) -> Result<Described, Failure>;

    /// Bits of soundness that a proof of any statement of this kind has, whatever its size: nobody needs to
    /// count it to know.
    fn always(&self) -> u16 {
        0
    }

    /// The ways of proving it over a session, as `info` lists them.
    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Err(Refusal::OnlyInPublic { ring: self.ring() })
    }

    /// Those of them that a session with these options may go; it goes the first that is sound enough.
    fn ways_for(&self, options: &Options) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(self.ways()?.into_iter().filter(|way| way.suits(options)).collect())
    }

    /// The statement as one for stored correlations.
    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Err(Refusal::OnlyBitsAreStored { ring: self.ring() })
    }

    /// The statement as one that is proved to anyone.
    fn public(&self) -> Result<Box<dyn InPublic + '_>, Refusal> {
        Err(Refusal::OneOfMany)
    }
}

/// A statement, if the command line names one of the kind that was asked.
type Loaded = Result<Option<Box<dyn Given>>, Failure>;

/// What is done with a statement of one kind, if the command line names one of it.
struct Kind {
    /// Its public side.
    load: fn(&StatementArgs) -> Loaded,
    /// The public file for which a witness is one.
    compute: fn(&StatementArgs, &Source) -> Result<Option<String>, Failure>,
}

/// The kinds, in the order in which they are asked. The last one takes all that the others do not know.
const KINDS: [Kind; 5] = [
    Kind { load: ring::load, compute: ring::compute },
    Kind { load: many::load, compute: many::compute },
    Kind { load: r1cs::load, compute: r1cs::compute },
    Kind { load: numbers::load, compute: numbers::compute },
    Kind { load: bits::load, compute: bits::compute },
];

/// What the first kind says that knows the statement of the command line.
fn ask<T>(what: impl Fn(&Kind) -> Result<Option<T>, Failure>) -> Result<T, Failure> {
    let first = KINDS.iter().find_map(|kind| what(kind).transpose());
    first.unwrap_or_else(|| Err(Failure::session("internal error")))
}

/// The public side of the statement that `args` name.
pub(crate) fn load(args: &StatementArgs) -> Result<Box<dyn Given>, Failure> {
    ask(|kind| (kind.load)(args))
}

/// The public file for which `witness` is a witness of the statement that `args` name.
pub(crate) fn compute(args: &StatementArgs, witness: &Source) -> Result<String, Failure> {
    ask(|kind| (kind.compute)(args, witness))
}

/// The path of the circuit file that `args` name, which no values for built-ins go with.
fn circuit_path(args: &StatementArgs) -> Result<&Path, Failure> {
    let path = Path::new(&args.name);
    if !path.exists() {
        let names: Vec<&str> = builtin::ENTRIES.iter().map(|entry| entry.name).collect();
        let (name, names) = (args.text(), names.join(", "));
        return Err(Failure::input(format!("`{name}` is no file and no built-in statement ({names})")));
    }
    args.no_values("a file")?;
    Ok(path)
}

/// A circuit with the claim about it that `public` has.
fn claimed<R: FileRing>(file: BristolFile<R>, public: &Source) -> Result<FileStatement<R>, Failure> {
    let claim = Claim::read(public.open()?, &public.name(), file.signature())?;
    Ok(FileStatement::new(file, claim)?)
}

/// The public file of a circuit: its outputs for the public inputs in `public` and the witness that `read`
/// finds for the other ones.
fn computed<R: FileRing>(
    file: &BristolFile<R>,
    public: Option<Source>,
    read: impl FnOnce(&Signature) -> Result<Witness<R>, Failure>,
) -> Result<String, Failure> {
    let signature = file.signature();
    let draft = match public {
        Some(public) => Draft::read(public.open()?, &public.name(), signature)?,
        None => Draft::new(signature),
    };
    let witness = read(&draft.mark(signature.clone()))?;
    text(&draft.complete(file, witness)?, signature)
}

/// A claim as a public file has it.
fn text<R: FileRing>(claim: &Claim<R>, signature: &Signature) -> Result<String, Failure> {
    let mut text = Vec::new();
    claim.write(signature, &mut text).map_err(Failure::session)?;
    String::from_utf8(text).map_err(Failure::session)
}

/// Refuses public values where all of them follow from the witness.
fn none_given(args: &StatementArgs) -> Result<(), Failure> {
    match &args.public {
        Some(_) => {
            Err(Failure::input("--public: all public values of this statement follow from the witness"))
        }
        None => Ok(()),
    }
}

/// The first `bytes` of a hash, as hex digits.
fn short(hash: &[u8], bytes: usize) -> String {
    hash.iter().take(bytes).map(|byte| format!("{byte:02x}")).collect::<String>() + "..."
}
