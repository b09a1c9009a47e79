//! From the names on a command line to a statement.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::Path;

use volery::Statement;
use volery::builtin::{self, Builtin};
use volery_circuit::{BristolFile, Claim, Counter, Digest, FileStatement, Prove, Signature, Witness};
use volery_field::F2;

use super::args::{StatementArgs, WitnessArgs};
use super::failure::Failure;

/// A statement that a command line names.
#[derive(Debug)]
pub(crate) enum Named {
    Builtin(Box<Builtin>),
    File(Box<FileStatement>),
}

impl Named {
    /// The public side.
    pub(crate) fn load(args: &StatementArgs) -> Result<Self, Failure> {
        if builtin::find(&args.name).is_some() {
            if args.public.is_some() {
                return Err(Failure::input(format!("--public is for circuit files; {} has none", args.name)));
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
        let claim = Claim::read(open(public)?, &public.display().to_string(), file.signature())?;
        Ok(Self::File(Box::new(FileStatement::new(file, claim)?)))
    }

    /// Adds the secret side.
    pub(crate) fn with_witness(self, args: &WitnessArgs) -> Result<Self, Failure> {
        let (source, what) = witness_source(&args.witness)?;
        let witness = Witness::read(source, &what, &self.signature())?;
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
                let hash = statement.file().hash();
                let hash: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
                format!("circuit file with BLAKE3 hash {hash}...")
            }
        }
    }

    /// Whether it says beforehand how much it commits to.
    pub(crate) fn announced(&self) -> bool {
        Statement::<Counter<F2>>::commitments(self).is_some()
    }

    /// Its operations; takes a run of the statement without values.
    pub(crate) fn count(&self) -> Result<Counter<F2>, Failure> {
        Ok(Counter::count(self)?)
    }
}

/// Opens the circuit file that `args` name, which no values for built-ins go with.
pub(crate) fn open_circuit(args: &StatementArgs) -> Result<BristolFile, Failure> {
    let path = Path::new(&args.name);
    if !path.exists() {
        let names: Vec<&str> = builtin::ENTRIES.iter().map(|entry| entry.name).collect();
        let names = names.join(", ");
        return Err(Failure::input(format!(
            "`{}` is no file and no built-in statement ({names})",
            args.name
        )));
    }
    if let Some((name, _)) = args.values().first() {
        return Err(Failure::input(format!("--{name} is for built-in statements; {} is a file", args.name)));
    }
    Ok(BristolFile::open(path)?)
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}

/// Where the witness comes from, and its name in messages.
fn witness_source(path: &Path) -> Result<(Box<dyn Read>, String), Failure> {
    if path != Path::new("-") {
        return Ok((Box::new(open(path)?), path.display().to_string()));
    }
    // Not through the standard library's buffer, which nobody wipes.
    let input = io::stdin().as_fd().try_clone_to_owned();
    let input = input.map_err(|error| Failure::input(format!("standard input: {error}")))?;
    Ok((Box::new(File::from(input)), "standard input".to_owned()))
}

impl<B: Prove<F2>> Statement<B> for Named {
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
