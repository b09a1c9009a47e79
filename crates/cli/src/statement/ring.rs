//! Circuits over `Z_{2^32}` and `Z_{2^64}`: statements that only public proofs take, since MACs need a field.

use volery::builtin::{self, read_numbers};
use volery::public::PublicRing;
use volery_circuit::bristol::FileRing;
use volery_circuit::{
    BristolFile, Counter, Counts, Error as StatementError, Evaluator, FileStatement, Signature, Statement,
    Witness,
};
use volery_field::{Z32, Z64};

use super::bare::Bare;
use super::refusal::Refusal;
use super::{Given, Loaded, circuit_path, claimed, computed, short};
use crate::args::{RingArg, StatementArgs};
use crate::failure::Failure;
use crate::info::{Described, RingInfo};
use crate::public::{OverRing, PublicStatement};
use crate::source::Source;
use crate::stored::Storable;

/// A ring that circuit files may be over.
trait ServedRing: FileRing + PublicRing {}

impl ServedRing for Z32 {}
impl ServedRing for Z64 {}

/// The statement over a ring that `args` name, if they name one.
pub(super) fn load(args: &StatementArgs) -> Loaded {
    args.ring
        .map(|ring| match ring {
            RingArg::Z32 => open::<Z32>(args),
            RingArg::Z64 => open::<Z64>(args),
        })
        .transpose()
}

/// As [`super::compute`].
pub(super) fn compute(args: &StatementArgs, witness: &Source) -> Result<Option<String>, Failure> {
    fn over<R: ServedRing>(args: &StatementArgs, witness: &Source) -> Result<String, Failure> {
        computed(&file::<R>(args)?, args.public(), |signature| read(witness, signature))
    }
    args.ring
        .map(|ring| match ring {
            RingArg::Z32 => over::<Z32>(args, witness),
            RingArg::Z64 => over::<Z64>(args, witness),
        })
        .transpose()
}

fn file<R: ServedRing>(args: &StatementArgs) -> Result<BristolFile<R>, Failure> {
    if builtin::find(&args.text()).is_some() {
        return Err(Failure::input(format!("--ring is for circuit files; {} is built in", args.text())));
    }
    Ok(BristolFile::open(circuit_path(args)?)?)
}

/// Numbers for the secret inputs, in order.
fn read<R: ServedRing>(source: &Source, signature: &Signature) -> Result<Witness<R>, Failure> {
    let secret = signature.inputs.iter().filter(|input| !input.public);
    let count = secret.map(|input| u64::from(input.width)).sum::<u64>();
    let count = usize::try_from(count).map_err(Failure::input)?;
    let mut numbers = read_numbers::<R>(source.open()?, &source.name(), count)?;
    // Moved, not copied: a witness wipes what it holds.
    Ok(Witness::new(std::mem::take(&mut *numbers)))
}

fn open<R: ServedRing>(args: &StatementArgs) -> Result<Box<dyn Given>, Failure> {
    let file = file::<R>(args)?;
    Ok(match args.public() {
        Some(public) => Box::new(claimed(file, &public)?),
        None => Box::new(Bare {
            file,
            name: args.text().into_owned(),
            text: format!("circuit file over {}, nothing claimed about it yet", R::NAME),
            describe: |text, signature, circuit| describe::<R>(text, signature, circuit),
            ways: |_| Err(Refusal::OnlyInPublic { ring: R::NAME }),
        }),
    })
}

fn describe<R: ServedRing>(
    text: String,
    signature: &Signature,
    statement: &impl Statement<Counter<R>>,
) -> Result<Described, Failure> {
    let counter = Counter::<R>::count(statement)?;
    Ok(Described::new(RingInfo::new(text, signature, &counter), counter.total()))
}

impl<R: ServedRing> Given for FileStatement<R> {
    fn text(&self) -> String {
        format!("circuit file over {} with BLAKE3 hash {}", R::NAME, short(&self.file().hash(), 8))
    }

    fn ring(&self) -> &'static str {
        R::NAME
    }

    fn with_witness(self: Box<Self>, source: Source) -> Result<Box<dyn Given>, Failure> {
        let witness = read(&source, &self.signature())?;
        Ok(Box::new(Self::with_witness(*self, witness)?))
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<R>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        Ok(Counter::<R>::count(self)?.total())
    }

    fn describe(&self) -> Result<Described, Failure> {
        describe::<R>(self.text(), &self.signature(), self)
    }

    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Err(Refusal::OnlyInPublic { ring: R::NAME })
    }

    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(OverRing::<R, _>::boxed(self))
    }
}
