//! Built-in statements over a field, from sizes and files of numbers.

use volery::builtin::{FieldBuiltin, OverField, read_numbers, write_numbers};
use volery_circuit::{Counts, Error as StatementError, Evaluator, Polynomials, forward_statement};

use super::Loaded;
use crate::describe::{Described, FieldInfo};
use crate::error::Error;
use crate::fields::{self, InField, Served};
use crate::instance::Instance;
use crate::named::Named;
#[cfg(feature = "public")]
use crate::public::{OverRing, PublicStatement};
use crate::refusal::Refusal;
use crate::source::WitnessSource;
use crate::spelling::{PUBLIC, option};
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

impl<F: Served> Instance for Numbers<F> {
    fn text(&self) -> String {
        format!("{} over {}", self.sizes.text(), F::NAME)
    }

    fn ring(&self) -> &'static str {
        F::NAME
    }

    fn with_witness(self: Box<Self>, witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        let Self { sizes, statement } = *self;
        let source = witness.whole()?;
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

    fn describe(&self) -> Result<Described, Error> {
        FieldInfo::of::<F>(self.text(), self)
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(Way::over_field::<F, _>(self))
    }

    #[cfg(feature = "public")]
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(OverRing::<F, _>::boxed(self))
    }
}

/// The sizes and the field's name, if `named` names a built-in statement over a field.
fn sizes(named: &Named) -> Result<Option<(FieldBuiltin, String)>, Error> {
    let Some(entry) = named.builtin().filter(|entry| entry.numbers.is_some()) else {
        return Ok(None);
    };
    let field = named.field.as_deref().map_or_else(|| entry.field.to_lowercase(), str::to_owned);
    Ok(Some((FieldBuiltin::new(entry.name, &named.values())?, field)))
}

/// Runs `what` over the field with this name.
fn in_field<T>(name: &str, what: impl InField<Output = Result<T, Error>>) -> Result<T, Error> {
    let unknown =
        || Error::input(format!("{} {name}: unknown; the fields are {}", option("field"), fields::names()));
    fields::named(name, what).ok_or_else(unknown)?
}

/// The built-in statement over a field that `named` names, if it does.
pub(super) fn load(named: &Named) -> Loaded {
    let Some((sizes, field)) = sizes(named)? else { return Ok(None) };
    in_field(&field, Load { named, sizes }).map(Some)
}

/// The task of making a statement over a field.
struct Load<'a> {
    named: &'a Named,
    sizes: FieldBuiltin,
}

impl InField for Load<'_> {
    type Output = Result<Box<dyn Instance>, Error>;

    fn over<F: Served>(self) -> Self::Output {
        let Self { named, sizes } = self;
        let Some(source) = &named.public else {
            let numbers = sizes.entry().numbers.unwrap_or_default();
            return Err(Error::input(format!("{} needs {PUBLIC}: {numbers}, in decimal", named.text())));
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
pub(super) fn compute(named: &Named, witness: &WitnessSource) -> Result<Option<String>, Error> {
    let Some((sizes, field)) = sizes(named)? else { return Ok(None) };
    named.no_public()?;
    in_field(&field, Compute { sizes, witness }).map(Some)
}

/// The task of computing public numbers over a field.
struct Compute<'a> {
    sizes: FieldBuiltin,
    witness: &'a WitnessSource,
}

impl InField for Compute<'_> {
    type Output = Result<String, Error>;

    fn over<F: Served>(self) -> Self::Output {
        let Self { sizes, witness } = self;
        let witness = witness.whole()?;
        let secret = read_numbers::<F>(witness.open()?, &witness.name(), sizes.secret_numbers())?;
        let mut text = Vec::new();
        write_numbers(&sizes.compute(&secret)?, &mut text).map_err(Error::internal)?;
        String::from_utf8(text).map_err(Error::internal)
    }
}
