//! Built-in statements over a field, from sizes and files of numbers.

use volery::builtin::{self, FieldBuiltin, OverField, read_numbers, write_numbers};
use volery_circuit::{Digest, Polynomials, Statement};
use volery_field::{Bls12381Scalar, Bn254Scalar, F32, F61};

use super::{FieldFile, FromFiles, Over, Served};
use crate::args::StatementArgs;
use crate::failure::Failure;
use crate::source::Source;

/// The names that `--field` takes.
const FIELDS: [&str; 4] = ["f61", "f32", "bn254", "bls12-381"];

/// A built-in statement and what it was made from.
struct Numbers<F: Served> {
    sizes: FieldBuiltin,
    statement: OverField<F>,
}

impl<F: Served> FromFiles for Numbers<F> {
    fn text(&self) -> String {
        format!("{} over {}", self.sizes.text(), F::NAME)
    }

    fn with_witness(self, source: Source) -> Result<Self, Failure> {
        let Self { sizes, statement } = self;
        let what = source.name();
        let secret = read_numbers(source.open()?, &what, sizes.secret_numbers())?;
        Ok(Self { statement: statement.with_witness(&secret)?, sizes })
    }
}

impl<F: Served, B: Polynomials<F>> Statement<B> for Numbers<F> {
    fn identify(&self, digest: &mut Digest) {
        Statement::<B>::identify(&self.statement, digest);
    }

    fn commitments(&self) -> Option<u64> {
        Statement::<B>::commitments(&self.statement)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        self.statement.run(backend)
    }
}

/// Runs `$run` for the field `$field` that a command line names, with its type.
macro_rules! in_field {
    ($field:expr, $run:ident($($argument:expr),*)) => {
        match $field {
            "f61" => $run::<F61>($($argument),*),
            "f32" => $run::<F32>($($argument),*),
            "bn254" => $run::<Bn254Scalar>($($argument),*),
            "bls12-381" => $run::<Bls12381Scalar>($($argument),*),
            other => Err(Failure::input(format!("--field {other}: there are {}", FIELDS.join(", ")))),
        }
    };
}

/// The sizes and the field's name that `args` say, if they name a built-in statement over a field.
fn sizes(args: &StatementArgs) -> Result<Option<(FieldBuiltin, String)>, Failure> {
    let Some(entry) = builtin::find(&args.name).filter(|entry| entry.numbers.is_some()) else {
        return Ok(None);
    };
    let field = args.field.as_deref().map_or_else(|| entry.field.to_lowercase(), str::to_owned);
    Ok(Some((FieldBuiltin::new(entry.name, &args.values())?, field)))
}

/// The built-in statement over a field that `args` name, if they do.
pub(super) fn load(args: &StatementArgs) -> Result<Option<Box<dyn FieldFile>>, Failure> {
    let Some((sizes, field)) = sizes(args)? else { return Ok(None) };
    in_field!(field.as_str(), over(args, sizes)).map(Some)
}

/// What [`super::compute`] says.
pub(super) fn compute(args: &StatementArgs, witness: &Source) -> Result<Option<String>, Failure> {
    let Some((sizes, field)) = sizes(args)? else { return Ok(None) };
    in_field!(field.as_str(), public_of(&sizes, witness)).map(Some)
}

fn public_of<F: Served>(sizes: &FieldBuiltin, witness: &Source) -> Result<String, Failure> {
    let secret = read_numbers::<F>(witness.open()?, &witness.name(), sizes.secret_numbers())?;
    let mut text = Vec::new();
    write_numbers(&sizes.compute(&secret)?, &mut text).map_err(Failure::session)?;
    String::from_utf8(text).map_err(Failure::session)
}

fn over<F: Served>(args: &StatementArgs, sizes: FieldBuiltin) -> Result<Box<dyn FieldFile>, Failure> {
    let Some(public) = &args.public else {
        let numbers = sizes.entry().numbers.unwrap_or_default();
        return Err(Failure::input(format!("{} needs --public FILE: {numbers}, in decimal", args.name)));
    };
    let source = Source::File(public.clone());
    let public =
        read_numbers::<F>(source.open()?, &source.name(), sizes.public_numbers()).map_err(as_public)?;
    let statement = sizes.over(&public)?;
    Ok(Box::new(Over::<F, _>::new(Numbers { sizes, statement })))
}

/// Too few numbers are a fault of the public side here.
fn as_public(error: volery_circuit::Error) -> volery_circuit::Error {
    match error {
        volery_circuit::Error::Witness(reason) => volery_circuit::Error::Public(reason),
        other => other,
    }
}
