//! From the names on a command line to a statement.

use std::path::Path;

use volery::Statement;
use volery::builtin::{self, Builtin};
use volery_circuit::bristol::FileRing;
use volery_circuit::{
    BristolFile, Claim, Counter, Digest, Error as StatementError, Evaluator, FileStatement, Polynomials,
    Signature, Witness,
};
use volery_field::F2;

use super::args::{DisjunctionArg, StatementArgs, WitnessArgs};
use super::failure::Failure;
use super::many::Many;
use super::over::{self, FieldFile};
use super::ring::{self, RingFile};
use super::source::Source;

/// A statement that a command line names.
pub(crate) enum Named {
    /// Over bits.
    Bits(BitStatement),
    /// Over another field.
    Field(Box<dyn FieldFile>),
    /// A circuit over a ring.
    Ring(Box<dyn RingFile>),
    /// Some of several over bits, and how that is proved, if the command line says so.
    Many(Box<Many>, Option<DisjunctionArg>),
}

/// A statement over bits.
#[derive(Debug)]
pub(crate) enum BitStatement {
    Builtin(Box<Builtin>),
    File(Box<FileStatement>),
}

impl Named {
    /// The public side.
    pub(crate) fn load(args: &StatementArgs) -> Result<Self, Failure> {
        if let Some(statement) = ring::load(args)? {
            return Ok(Self::Ring(statement));
        }
        if let Some(many) = Many::load(args)? {
            return Ok(Self::Many(Box::new(many), args.disjunction));
        }
        if args.disjunction == Some(DisjunctionArg::Macncheese) {
            let reason =
                "--disjunction macncheese is for Bristol files; one of several r1cs files is proved by Robin";
            return Err(Failure::input(reason));
        }
        match over::load(args)? {
            Some(statement) => Ok(Self::Field(statement)),
            None => BitStatement::load(args).map(Self::Bits),
        }
    }

    /// Adds the secret side.
    pub(crate) fn with_witness(self, args: &WitnessArgs) -> Result<Self, Failure> {
        let source = Source::of(&args.witness);
        Ok(match self {
            Self::Bits(statement) => Self::Bits(statement.with_witness(&source)?),
            Self::Field(statement) => Self::Field(statement.with_witness(source)?),
            Self::Ring(statement) => Self::Ring(statement.with_witness(&source)?),
            Self::Many(many, by) => Self::Many(Box::new(many.with_witness(&source)?), by),
        })
    }

    /// What it is called in results.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Bits(statement) => statement.text(),
            Self::Field(statement) => statement.text(),
            Self::Ring(statement) => statement.text(),
            Self::Many(many, _) => many.text(),
        }
    }

    /// Whether it holds for the witness inside it.
    pub(crate) fn check(&self) -> Result<(), StatementError> {
        match self {
            Self::Bits(statement) => Evaluator::<F2>::check(statement),
            Self::Field(statement) => statement.check(),
            Self::Ring(statement) => statement.check(),
            Self::Many(many, _) => Evaluator::<F2>::check(&**many),
        }
    }
}

impl BitStatement {
    /// The public side.
    pub(crate) fn load(args: &StatementArgs) -> Result<Self, Failure> {
        if args.field.is_some() {
            return Err(Failure::input(format!("--field is for {}", over_fields().join(", "))));
        }
        if builtin::find(&args.name).is_some() {
            if args.public.is_some() {
                return Err(Failure::input(format!("--public: {} has no such file", args.name)));
            }
            return Ok(Self::Builtin(Box::new(Builtin::new(&args.name, &args.values())?)));
        }
        let file = open_circuit(args)?;
        let Some(public) = &args.public else {
            return Err(Failure::input(format!(
                "{}: a circuit needs --public FILE: what must its outputs be?",
                args.name
            )));
        };
        let public = Source::File(public.clone());
        let claim = Claim::read(public.open()?, &public.name(), file.signature())?;
        Ok(Self::File(Box::new(FileStatement::new(file, claim)?)))
    }

    fn with_witness(self, source: &Source) -> Result<Self, Failure> {
        let witness = Witness::read(source.open()?, &source.name(), &self.signature())?;
        Ok(match self {
            Self::Builtin(statement) => Self::Builtin(Box::new(statement.with_witness(&witness)?)),
            Self::File(statement) => Self::File(Box::new(statement.with_witness(witness)?)),
        })
    }

    /// What a witness is read for.
    pub(crate) fn signature(&self) -> Signature {
        match self {
            Self::Builtin(statement) => statement.signature(),
            Self::File(statement) => statement.signature(),
        }
    }

    /// What it is called in results.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Builtin(statement) => statement.text().to_owned(),
            Self::File(statement) => {
                format!("circuit file with BLAKE3 hash {}...", short_hash(statement.file()))
            }
        }
    }

    /// Its operations; takes a run of the statement without values.
    pub(crate) fn count(&self) -> Result<Counter<F2>, Failure> {
        Ok(Counter::count(self)?)
    }
}

/// The names of the built-in statements over other fields.
fn over_fields() -> Vec<&'static str> {
    builtin::ENTRIES.iter().filter(|entry| entry.numbers.is_some()).map(|entry| entry.name).collect()
}

/// The beginning of a circuit file's hash.
pub(crate) fn short_hash<R: FileRing>(file: &BristolFile<R>) -> String {
    file.hash().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Opens the circuit file over bits that `args` name.
pub(crate) fn open_circuit(args: &StatementArgs) -> Result<BristolFile, Failure> {
    Ok(BristolFile::open(circuit_path(args)?)?)
}

/// The path of the circuit file that `args` name, which no values for built-ins go with.
pub(crate) fn circuit_path(args: &StatementArgs) -> Result<&Path, Failure> {
    let path = Path::new(&args.name);
    if !path.exists() {
        let names: Vec<&str> = builtin::ENTRIES.iter().map(|entry| entry.name).collect();
        let names = names.join(", ");
        return Err(Failure::input(format!(
            "`{}` is no file and no built-in statement ({names})",
            args.name
        )));
    }
    args.no_values("a file")?;
    Ok(path)
}

impl<B: Polynomials<F2>> Statement<B> for BitStatement {
    fn identify(&self, digest: &mut Digest) {
        match self {
            Self::Builtin(statement) => Statement::<B>::identify(&**statement, digest),
            Self::File(statement) => Statement::<B>::identify(&**statement, digest),
        }
    }

    fn commitments(&self) -> Option<u64> {
        match self {
            Self::Builtin(statement) => Statement::<B>::commitments(&**statement),
            Self::File(statement) => Statement::<B>::commitments(&**statement),
        }
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        match self {
            Self::Builtin(statement) => statement.run(backend),
            Self::File(statement) => statement.run(backend),
        }
    }
}
