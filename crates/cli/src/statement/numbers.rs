//! Built-in statements over a field, from sizes and files of numbers.

use volery::builtin::{self, FieldBuiltin, OverField, read_numbers, write_numbers};
use volery_circuit::{Counts, Error as StatementError, Evaluator, Polynomials, forward_statement};

use super::refusal::Refusal;
use super::{Given, Loaded, none_given};
use crate::args::StatementArgs;
use crate::failure::Failure;
use crate::fields::{self, InField, Served};
use crate::info::{Described, FieldInfo};
use crate::public::{OverRing, PublicStatement};
use crate::source::Source;
use crate::way::Way;

/// A built-in statement and its sizes.
struct Numbers<F: Served> {
    sizes: FieldBuiltin,
    statement: OverField<F>,
}

forward_statement! {
    impl [F: Served, B: Polynomials<F>] Statement<B> for Numbers<F> {
        Self { statement, .. } => statement,
    }
}

impl<F: Served> Given for Numbers<F> {
    fn text(&self) -> String {
        format!("{} over {}", self.sizes.text(), F::NAME)
    }

    fn ring(&self) -> &'static str {
        F::NAME
    }

    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure> {
        let Self { sizes, statement } = *self;
        let what = source.name();
        let secret = read_numbers(source.open()?, &what, sizes.secret_numbers())?;
        Ok(Box::new(Self { statement: statement.with_witness(&secret)?, sizes }))
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        fields::count::<F>(self)
    }

    fn describe(&self) -> Result<Described, Failure> {
        FieldInfo::of::<F>(self.text(), self)
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(Way::over_field::<F, _>(self))
    }

    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(OverRing::<F, _>::boxed(self))
    }
}

/// The sizes and the field's name that `args` say, if they name a built-in statement over a field.
fn sizes(args: &StatementArgs) -> Result<Option<(FieldBuiltin, String)>, Failure> {
    let Some(entry) = builtin::find(&args.text()).filter(|entry| entry.numbers.is_some()) else {
        return Ok(None);
    };
    let field = args.field.as_deref().map_or_else(|| entry.field.to_lowercase(), str::to_owned);
    Ok(Some((FieldBuiltin::new(entry.name, &args.values())?, field)))
}

/// Runs `what` over the field with this name.
fn in_field<T>(name: &str, what: impl InField<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let unknown = || Failure::input(format!("--field {name}: unknown; the fields are {}", fields::names()));
    fields::named(name, what).ok_or_else(unknown)?
}

/// The built-in statement over a field that `args` name, if they do.
pub(super) fn load(args: &StatementArgs) -> Loaded {
    let Some((sizes, field)) = sizes(args)? else { return Ok(None) };
    in_field(&field, Load { args, sizes }).map(Some)
}

/// The task of making a statement over a field.
struct Load<'a> {
    args: &'a StatementArgs,
    sizes: FieldBuiltin,
}

impl InField for Load<'_> {
    type Output = Result<Box<dyn Given>, Failure>;

    fn over<F: Served>(self) -> Self::Output {
        let Self { args, sizes } = self;
        let Some(source) = args.public() else {
            let numbers = sizes.entry().numbers.unwrap_or_default();
            return Err(Failure::input(format!(
                "{} needs --public FILE: {numbers}, in decimal",
                args.text()
            )));
        };
        let public =
            read_numbers::<F>(source.open()?, &source.name(), sizes.public_numbers()).map_err(as_public)?;
        let statement = sizes.over(&public)?;
        Ok(Box::new(Numbers { sizes, statement }))
    }
}

/// Turns an error about a witness into one about public values: the numbers are public here.
fn as_public(error: StatementError) -> StatementError {
    match error {
        StatementError::Witness(reason) => StatementError::Public(reason),
        other => other,
    }
}

/// As [`super::compute`].
pub(super) fn compute(args: &StatementArgs, witness: &Source) -> Result<Option<String>, Failure> {
    let Some((sizes, field)) = sizes(args)? else { return Ok(None) };
    none_given(args)?;
    in_field(&field, Compute { sizes, witness }).map(Some)
}

/// The task of computing public numbers over a field.
struct Compute<'a> {
    sizes: FieldBuiltin,
    witness: &'a Source,
}

impl InField for Compute<'_> {
    type Output = Result<String, Failure>;

    fn over<F: Served>(self) -> Self::Output {
        let Self { sizes, witness } = self;
        let secret = read_numbers::<F>(witness.open()?, &witness.name(), sizes.secret_numbers())?;
        let mut text = Vec::new();
        write_numbers(&sizes.compute(&secret)?, &mut text).map_err(Failure::session)?;
        String::from_utf8(text).map_err(Failure::session)
    }
}
