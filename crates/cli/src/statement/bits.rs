//! Statements about bits: built in, or in a circuit file.

use volery::Profile;
use volery::builtin::{self, Builtin};
use volery::system::{Bits, Provable};
use volery_circuit::{
    BristolFile, Counter, Counts, Error as StatementError, Evaluator, FileStatement, Signature, Statement,
    Witness,
};
use volery_field::{F2, Ring};

use super::bare::Bare;
use super::refusal::Refusal;
use super::{Given, circuit_path, claimed, short};
use crate::args::StatementArgs;
use crate::failure::Failure;
use crate::info::{BitInfo, Described};
use crate::public::{InPublic, OverRing};
use crate::source::Source;
use crate::stored::Storable;
use crate::way::{RHO, Way};

/// The statement about bits that `args` name. What is named is not of another kind, so this is where a name
/// that nobody knows is refused.
pub(super) fn load(args: &StatementArgs) -> Result<Box<dyn Given>, Failure> {
    if args.field.is_some() {
        let over_fields = builtin::ENTRIES.iter().filter(|entry| entry.numbers.is_some());
        let names: Vec<&str> = over_fields.map(|entry| entry.name).collect();
        return Err(Failure::input(format!("--field is for {}", names.join(", "))));
    }
    if builtin::find(&args.name).is_some() {
        if args.public.is_some() {
            return Err(Failure::input(format!("--public: {} has no such file", args.name)));
        }
        return Ok(Box::new(Builtin::new(&args.name, &args.values())?));
    }
    let file = BristolFile::<F2>::open(circuit_path(args)?)?;
    Ok(match &args.public {
        Some(public) => Box::new(claimed(file, public)?),
        None => Box::new(Bare {
            file,
            name: args.name.clone(),
            text: "circuit file, nothing claimed about it yet".to_owned(),
            describe: |text, signature, circuit| describe(text, signature, circuit),
            ways: |circuit| Ok(ways(circuit)),
        }),
    })
}

/// QuickSilver on each kind of network.
fn ways<'a>(statement: impl Provable<Bits> + Clone + Send + Sync + 'a) -> Vec<Way<'a>> {
    let way = |profile| Way::over_bits("quicksilver", profile, statement.clone());
    vec![way(Profile::Lan), way(Profile::Wan)]
}

fn count(statement: &impl Statement<Counter<F2>>) -> Result<Counts, StatementError> {
    Ok(Counter::<F2>::count(statement)?.total())
}

fn describe(
    text: String,
    signature: &Signature,
    statement: &impl Statement<Counter<F2>>,
) -> Result<Described, Failure> {
    let counter = Counter::<F2>::count(statement)?;
    Ok(Described::new(BitInfo::new(text, signature, &counter), counter.total()))
}

impl Given for Builtin {
    fn text(&self) -> String {
        Self::text(self).to_owned()
    }

    fn ring(&self) -> &'static str {
        F2::NAME
    }

    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure> {
        let witness = Witness::read(source.open()?, &source.name(), &self.signature())?;
        Ok(Box::new(Self::with_witness(*self, &witness)?))
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F2>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        count(self)
    }

    fn describe(&self) -> Result<Described, Failure> {
        describe(Given::text(self), &self.signature(), self)
    }

    fn always(&self) -> u16 {
        RHO
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(ways(self))
    }

    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Ok(self)
    }

    fn public(&self) -> Result<Box<dyn InPublic + '_>, Refusal> {
        Ok(OverRing::<F2, _>::boxed(self))
    }
}

impl Given for FileStatement<F2> {
    fn text(&self) -> String {
        format!("circuit file with BLAKE3 hash {}", short(&self.file().hash(), 8))
    }

    fn ring(&self) -> &'static str {
        F2::NAME
    }

    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure> {
        let witness = Witness::read(source.open()?, &source.name(), &self.signature())?;
        Ok(Box::new(Self::with_witness(*self, witness)?))
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F2>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        count(self)
    }

    fn describe(&self) -> Result<Described, Failure> {
        describe(self.text(), &self.signature(), self)
    }

    fn always(&self) -> u16 {
        RHO
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(ways(self))
    }

    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Ok(self)
    }

    fn public(&self) -> Result<Box<dyn InPublic + '_>, Refusal> {
        Ok(OverRing::<F2, _>::boxed(self))
    }
}
