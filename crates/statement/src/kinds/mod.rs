//! The kinds of statements, a file for each, and what their files share.
//!
//! ```text
//! bits      built-in statements about bits, circuit files
//! numbers   built-in statements over a field
//! r1cs      constraint systems: one, or one of several
//! ring      circuits over rings
//! many      some of several circuits
//! program   runs of RISC-V programs
//! bare      a circuit file without a claim, about which there is only something to say
//! branches  files with a section for each branch or repetition
//! ```
//!
//! A new kind is a file with an implementation of [`Instance`], a `load` and a `compute`, and its line in
//! [`KINDS`]. If no [`Description`](crate::describe::Description) fits it, it also has a file of
//! [`describe`](crate::describe), with a variant in its list, and its lines in the program
//! (`info/description.rs`).

mod bare;
mod bits;
mod branches;
mod many;
mod numbers;
#[cfg(feature = "programs")]
mod program;
mod r1cs;
#[cfg(feature = "public")]
mod ring;

use volery_circuit::bristol::FileRing;
use volery_circuit::claim::Draft;
use volery_circuit::{BristolFile, Claim, FileStatement, Signature, Witness};

use crate::error::Error;
use crate::instance::Instance;
use crate::named::Named;
use crate::refusal::Refusal;
use crate::source::{Source, WitnessSource};

#[cfg(feature = "programs")]
pub use program::RunOf;

/// A statement, or none if the command line names one of another kind.
type Loaded = Result<Option<Box<dyn Instance>>, Error>;

/// One kind of statement. Its functions return none if somebody names a statement of another kind.
struct Kind {
    /// Loads the public part.
    load: fn(&Named) -> Loaded,
    /// Makes the public file from a witness.
    compute: fn(&Named, &WitnessSource) -> Result<Option<String>, Error>,
}

/// The kinds, in the order in which they are tried. The last one takes everything that the others do not
/// know.
const KINDS: &[Kind] = &[
    #[cfg(feature = "programs")]
    Kind { load: program::load, compute: program::compute },
    #[cfg(feature = "public")]
    Kind { load: ring::load, compute: ring::compute },
    Kind { load: many::load, compute: many::compute },
    Kind { load: r1cs::load, compute: r1cs::compute },
    Kind { load: numbers::load, compute: numbers::compute },
    Kind { load: bits::load, compute: bits::compute },
];

/// The result of the first kind that knows the statement.
fn ask<T>(named: &Named, what: impl Fn(&Kind) -> Result<Option<T>, Error>) -> Result<T, Error> {
    named.check()?;
    built(named)?;
    let first = KINDS.iter().find_map(|kind| what(kind).transpose());
    first.unwrap_or_else(|| Err(Error::internal("internal error")))
}

/// Refuses kinds that this build of the library is without.
fn built(named: &Named) -> Result<(), Refusal> {
    let is_program = named.file().is_some_and(|file| file.begins_with(&ELF));
    if !cfg!(feature = "programs") && (is_program || named.value("secret-program").is_some()) {
        return Err(Refusal::NotBuilt { what: "runs of programs", feature: "programs" });
    }
    if !cfg!(feature = "public") && named.ring.is_some() {
        return Err(Refusal::NotBuilt { what: "circuits over machine words", feature: "public" });
    }
    Ok(())
}

/// How ELF files begin.
const ELF: [u8; 4] = *b"\x7fELF";

/// Loads the public part of the statement that `named` names.
///
/// # Errors
/// [`Error::Input`] if it names no statement, or one with options of another; as reading its files.
pub fn load(named: &Named) -> Result<Box<dyn Instance>, Error> {
    ask(named, |kind| (kind.load)(named))
}

/// Makes the public file of the statement that `named` names, from its witness.
///
/// # Errors
/// As [`load`], and as reading the witness; [`Error::Statement`] if there are no public values for it.
pub fn compute(named: &Named, witness: &WitnessSource) -> Result<String, Error> {
    ask(named, |kind| (kind.compute)(named, witness))
}

/// A circuit with the claim in its public file.
fn claimed<R: FileRing>(file: BristolFile<R>, public: &Source) -> Result<FileStatement<R>, Error> {
    let claim = Claim::read(public.open()?, &public.name(), file.signature())?;
    Ok(FileStatement::new(file, claim)?)
}

/// The public file of a circuit: its outputs for the public inputs in `public` and the witness that `read`
/// finds for the other ones.
fn computed<R: FileRing>(
    file: &BristolFile<R>,
    public: Option<&Source>,
    read: impl FnOnce(&Signature) -> Result<Witness<R>, Error>,
) -> Result<String, Error> {
    let signature = file.signature();
    let draft = match public {
        Some(public) => Draft::read(public.open()?, &public.name(), signature)?,
        None => Draft::new(signature),
    };
    let witness = read(&draft.mark(signature.clone()))?;
    text(&draft.complete(file, witness)?, signature)
}

/// A claim in the format of a public file.
fn text<R: FileRing>(claim: &Claim<R>, signature: &Signature) -> Result<String, Error> {
    let mut text = Vec::new();
    claim.write(signature, &mut text).map_err(Error::internal)?;
    String::from_utf8(text).map_err(Error::internal)
}
