//! Statements that a command line names: one trait, and a file for each kind.
//!
//! ```text
//! Given       what a command can do with a statement; the defaults refuse what a kind cannot do
//!   bits      built-in statements about bits, circuit files
//!   numbers   built-in statements over a field
//!   r1cs      constraint systems: one, or one of several
//!   ring      circuits over rings
//!   many      some of several circuits
//!   program   runs of RISC-V programs
//! bare        a circuit file without a claim, which only `info` takes
//! branches    files with a section for each branch or repetition
//! refusal     why a kind of statement does not allow something
//! ```
//!
//! A new kind is a file with an implementation of [`Given`], a `load` and a `compute`, and its line in
//! [`KINDS`].

mod bare;
mod bits;
mod branches;
mod many;
mod numbers;
mod program;
mod r1cs;
mod refusal;
mod ring;

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use volery::{Options, builtin};
use volery_circuit::bristol::FileRing;
use volery_circuit::claim::Draft;
use volery_circuit::{
    BristolFile, Claim, Counts, Error as StatementError, FileStatement, Signature, Witness,
};

use super::args::{Padding, StatementArgs};
use super::failure::Failure;
use super::info::Described;
use super::public::PublicStatement;
use super::source::Source;
use super::stored::Storable;
use super::way::Way;
pub(crate) use refusal::Refusal;

/// A statement that the command line names, with its witness once [`Given::with_witness`] has read it.
pub(crate) trait Given: Send + Sync {
    /// Its description in results.
    fn text(&self) -> String;

    /// The name of the field or ring of its values.
    fn ring(&self) -> &'static str;

    /// Reads the witness.
    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure>;

    /// Fixes what its proof shows besides the statement.
    fn pad(&mut self, padding: Padding<'_>) -> Result<(), Failure> {
        match padding {
            Padding::None => Ok(()),
            _ => Err(Failure::input(format!(
                "--uniform, --pad-to and profile classes are for RISC-V programs; {} is another statement",
                self.text()
            ))),
        }
    }

    /// Checks that the public values are complete, which a verifier needs.
    fn complete(&self) -> Result<(), Failure> {
        Ok(())
    }

    /// Checks that its witness satisfies it.
    fn check(&self) -> Result<(), StatementError>;

    /// Counts its gates, in a run without values.
    fn count(&self) -> Result<Counts, StatementError>;

    /// What `info` prints about the statement itself.
    fn describe(&self) -> Result<Described, Failure>;

    /// Bits of soundness that every proof of this kind of statement has, whatever its size, so that nobody
    /// has to count it.
    fn always(&self) -> u16 {
        0
    }

    /// Whether this party knows before a session how much there is to prove.
    fn is_foreseen(&self) -> bool {
        true
    }

    /// All ways to prove it over a session, as `info` lists them.
    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Err(Refusal::OnlyInPublic { ring: self.ring() })
    }

    /// The ways that suit these options. A session takes the first one that is sound enough.
    fn ways_for(&self, options: &Options) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(self.ways()?.into_iter().filter(|way| way.suits(options)).collect())
    }

    /// The statement, to prove it with stored correlations.
    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Err(Refusal::OnlyBitsAreStored { ring: self.ring() })
    }

    /// The statement, to make a public proof of it.
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Err(Refusal::OneOfMany)
    }
}

/// A statement, or none if the command line names one of another kind.
type Loaded = Result<Option<Box<dyn Given>>, Failure>;

/// One kind of statement. Its functions return none if the command line names a statement of another kind.
struct Kind {
    /// Loads the public part.
    load: fn(&StatementArgs) -> Loaded,
    /// Makes the public file from a witness.
    compute: fn(&StatementArgs, &Source) -> Result<Option<String>, Failure>,
}

/// The kinds, in the order in which they are tried. The last one takes everything that the others do not
/// know.
const KINDS: [Kind; 6] = [
    Kind { load: program::load, compute: program::compute },
    Kind { load: ring::load, compute: ring::compute },
    Kind { load: many::load, compute: many::compute },
    Kind { load: r1cs::load, compute: r1cs::compute },
    Kind { load: numbers::load, compute: numbers::compute },
    Kind { load: bits::load, compute: bits::compute },
];

/// The result of the first kind that knows the statement of the command line.
fn ask<T>(what: impl Fn(&Kind) -> Result<Option<T>, Failure>) -> Result<T, Failure> {
    let first = KINDS.iter().find_map(|kind| what(kind).transpose());
    first.unwrap_or_else(|| Err(Failure::session("internal error")))
}

/// Loads the public part of the statement that `args` name.
pub(crate) fn load(args: &StatementArgs) -> Result<Box<dyn Given>, Failure> {
    ask(|kind| (kind.load)(args))
}

/// The statement with its witness, and with what its proof shows.
pub(crate) fn with_witness(
    statement: Box<dyn Given>,
    source: Source,
    padding: Padding<'_>,
) -> Result<Box<dyn Given>, Failure> {
    let mut statement = statement.with_witness(source)?;
    statement.pad(padding)?;
    Ok(statement)
}

/// The failure of a proof of `statement`. If the witness is wrong, it is the one of [`Given::check`], which
/// says more about the place.
pub(crate) fn explained(statement: &dyn Given, failure: Failure) -> Failure {
    if !failure.is_rejection() {
        return failure;
    }
    statement.check().map_or_else(Failure::from, |()| failure)
}

/// Makes the public file of the statement that `args` name, from its witness.
pub(crate) fn compute(args: &StatementArgs, witness: &Source) -> Result<String, Failure> {
    ask(|kind| (kind.compute)(args, witness))
}

/// Whether there is a regular file of this name that begins with these bytes. Whoever opens the file next
/// reports errors of reading it.
fn begins_with<const N: usize>(path: &Path, magic: &[u8; N]) -> bool {
    // Not a pipe: bytes that are read here would be missing later.
    if !path.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut start = [0; N];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok()) && start == *magic
}

/// The path of the circuit file that `args` name. Refuses options for built-ins beside it.
fn circuit_path(args: &StatementArgs) -> Result<&Path, Failure> {
    let path = Path::new(&args.name);
    if !path.exists() {
        let names: Vec<&str> = builtin::ENTRIES.iter().map(|entry| entry.name).collect();
        let (name, names) = (args.text(), names.join(", "));
        return Err(Failure::input(format!("`{name}` is neither a file nor a built-in statement ({names})")));
    }
    args.no_values("a file")?;
    Ok(path)
}

/// A circuit with the claim in its public file.
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

/// A claim in the format of a public file.
fn text<R: FileRing>(claim: &Claim<R>, signature: &Signature) -> Result<String, Failure> {
    let mut text = Vec::new();
    claim.write(signature, &mut text).map_err(Failure::session)?;
    String::from_utf8(text).map_err(Failure::session)
}

/// Refuses a public file where the witness determines all public values.
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
