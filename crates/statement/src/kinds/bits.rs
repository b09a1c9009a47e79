//! Statements about bits: built in, or in a circuit file.

use volery::Profile;
use volery::builtin::{self, Builtin, Entry};
use volery::system::{Bits, Provable};
use volery_circuit::{
    BristolFile, Counter, Counts, Error as StatementError, Evaluator, FileStatement, Signature, Statement,
    Witness,
};
use volery_field::{F2, Ring};

use super::bare::Bare;
use super::{Loaded, claimed, computed};
use crate::describe::{BitInfo, Described};
use crate::error::Error;
use crate::instance::Instance;
use crate::named::Named;
#[cfg(feature = "public")]
use crate::public::{OverBits, PublicStatement};
use crate::refusal::Refusal;
use crate::source::{Shared, WitnessSource};
use crate::spelling::option;
#[cfg(feature = "stored")]
use crate::stored::Storable;
use crate::way::{RHO, Way};
use crate::words::short;

/// Longest file of public values of a built-in statement, comments not counted: 2^20 numbers of 8 digits.
const PUBLIC_BYTES: u64 = 1 << 23;
/// Longest text of a built-in's witness, comments not counted: a digit for each bit.
const WITNESS_BYTES: u64 = 1 << 32;

/// The statement about bits that `named` names. The other kinds were tried before, so this refuses unknown
/// names.
pub(super) fn load(named: &Named) -> Loaded {
    no_field(named)?;
    if let Some(entry) = named.builtin() {
        let builtin = with_values(named, |values| Ok(Builtin::new(entry.name, values)?))?;
        return Ok(Some(Box::new(builtin)));
    }
    let file: BristolFile<F2> = named.circuit()?.circuit()?;
    Ok(Some(match &named.public {
        Some(public) => Box::new(claimed(file, public)?),
        None => Box::new(Bare {
            file,
            name: named.text(),
            text: "circuit file, nothing claimed about it yet".to_owned(),
            describe: |text, signature, circuit| describe(text, signature, circuit),
            ways: |circuit| Ok(ways(circuit)),
        }),
    }))
}

/// As [`super::compute`].
pub(super) fn compute(named: &Named, witness: &WitnessSource) -> Result<Option<String>, Error> {
    no_field(named)?;
    if let Some(entry) = named.builtin() {
        let Shared { name, content } = witness.whole()?.shared(WITNESS_BYTES)?;
        return with_values(named, |values| compute_value(entry, values, &content, &name)).map(Some);
    }
    let file: BristolFile<F2> = named.circuit()?.circuit()?;
    computed(&file, named.public.as_ref(), |signature| read(witness, signature)).map(Some)
}

/// All public values of a built-in statement for the witness in `text`, a line each.
fn compute_value(entry: &Entry, values: &[(&str, &str)], text: &[u8], name: &str) -> Result<String, Error> {
    // Any number will do for a product, but there has to be one for each pair of factors.
    let products = "0".repeat(8 * pairs_in(text));
    let unknown = entry.computed.filter(|computed| *computed == "products").map(|name| (name, &*products));
    let given = values.iter().copied().filter(|(name, _)| Some(*name) != entry.computed).chain(unknown);
    let given: Vec<_> = given.collect();
    let statement = Builtin::to_compute(entry.name, &given)?;
    let witness = Witness::parse(text, name, &statement.signature())?;
    let computed = statement.with_witness(&witness)?.compute()?;
    let line = |name: &&str| {
        let value = given.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value);
        let value = if entry.computed == Some(*name) { &computed } else { value };
        format!("{name} = {value}\n")
    };
    Ok(entry.public.iter().map(line).collect())
}

/// The number of pairs of 32-bit factors in a witness of `mul32`; one if it is malformed.
fn pairs_in(text: &[u8]) -> usize {
    let lines = text.split(|byte| *byte == b'\n');
    let values = lines.map(|line| line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii());
    let value = values.into_iter().find(|line| !line.is_empty()).unwrap_or_default();
    let value = value.rsplit(|byte| *byte == b'=').next().unwrap_or_default().trim_ascii();
    let bits = match value {
        [b'0', b'x' | b'X', digits @ ..] => 4 * digits.len(),
        [b'0', b'b' | b'B', digits @ ..] => digits.len(),
        _ => 0,
    };
    (bits / 64).max(1)
}

/// Reads the witness of a statement with this signature.
fn read(witness: &WitnessSource, signature: &Signature) -> Result<Witness<F2>, Error> {
    let source = witness.whole()?;
    Ok(Witness::read(source.open()?, &source.name(), signature)?)
}

fn no_field(named: &Named) -> Result<(), Error> {
    if named.field.is_none() {
        return Ok(());
    }
    let over_fields = builtin::ENTRIES.iter().filter(|entry| entry.numbers.is_some());
    let names: Vec<&str> = over_fields.map(|entry| entry.name).collect();
    Err(Error::input(format!("{} is for {}", option("field"), names.join(", "))))
}

/// Calls `what` with the public values of a built-in statement: those that are named, and those in its public
/// file, which has lines `name = value`.
fn with_values<T>(named: &Named, what: impl FnOnce(&[(&str, &str)]) -> Result<T, Error>) -> Result<T, Error> {
    let Some(public) = &named.public else { return what(&named.values()) };
    let Shared { name, content } = public.shared(PUBLIC_BYTES)?;
    let mut values: Vec<(&str, &str)> = named.values();
    for (number, line) in (1..).zip(content.split(|byte| *byte == b'\n')) {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii();
        if line.is_empty() {
            continue;
        }
        let pair = core::str::from_utf8(line).ok().and_then(|line| line.split_once('='));
        let wrong = || Error::input(format!("{name}, line {number}: expected `name = value`"));
        let (value, text) = pair.ok_or_else(wrong)?;
        values.push((value.trim(), text.trim()));
    }
    what(&values)
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
) -> Result<Described, Error> {
    let counter = Counter::<F2>::count(statement)?;
    Ok(BitInfo::of(text, signature, &counter))
}

impl Instance for Builtin {
    fn text(&self) -> String {
        Self::text(self).to_owned()
    }

    fn ring(&self) -> &'static str {
        F2::NAME
    }

    fn with_witness(self: Box<Self>, witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        let witness = read(witness, &self.signature())?;
        Ok(Box::new(Self::with_witness(*self, &witness)?))
    }

    fn check(&self) -> Result<(), StatementError> {
        Self::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        count(self)
    }

    fn describe(&self) -> Result<Described, Error> {
        describe(Instance::text(self), &self.signature(), self)
    }

    fn always(&self) -> u16 {
        RHO
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(ways(self))
    }

    #[cfg(feature = "stored")]
    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Ok(self)
    }

    #[cfg(feature = "public")]
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(OverBits::boxed(self))
    }
}

impl Instance for FileStatement<F2> {
    fn text(&self) -> String {
        format!("circuit file with BLAKE3 hash {}", short(&self.file().hash(), 8))
    }

    fn ring(&self) -> &'static str {
        F2::NAME
    }

    fn with_witness(self: Box<Self>, witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        let witness = read(witness, &self.signature())?;
        Ok(Box::new(Self::with_witness(*self, witness)?))
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<F2>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        count(self)
    }

    fn describe(&self) -> Result<Described, Error> {
        describe(self.text(), &self.signature(), self)
    }

    fn always(&self) -> u16 {
        RHO
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        Ok(ways(self))
    }

    #[cfg(feature = "stored")]
    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Ok(self)
    }

    #[cfg(feature = "public")]
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(OverBits::boxed(self))
    }
}
