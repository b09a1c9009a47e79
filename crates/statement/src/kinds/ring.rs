//! Circuits over `Z_{2^32}` and `Z_{2^64}`: statements that only public proofs take, since MACs need a field.

use volery::builtin::read_numbers;
use volery::public::PublicRing;
use volery_circuit::bristol::FileRing;
use volery_circuit::{
    BristolFile, Counter, Counts, Error as StatementError, Evaluator, FileStatement, Signature, Statement,
    Witness,
};
use volery_field::{Z32, Z64};

use super::bare::Bare;
use super::{Loaded, claimed, computed};
use crate::describe::{Described, RingInfo};
use crate::error::Error;
use crate::instance::Instance;
use crate::named::{MachineRing, Named};
use crate::public::{OverRing, PublicStatement};
use crate::refusal::Refusal;
use crate::source::WitnessSource;
use crate::spelling::option;
#[cfg(feature = "stored")]
use crate::stored::Storable;
use crate::words::short;

/// A ring that circuit files may be over.
trait ServedRing: FileRing + PublicRing {}

impl ServedRing for Z32 {}
impl ServedRing for Z64 {}

/// The statement over a ring that `named` names, if it names one.
pub(super) fn load(named: &Named) -> Loaded {
    named
        .ring
        .map(|ring| match ring {
            MachineRing::Z32 => open::<Z32>(named),
            MachineRing::Z64 => open::<Z64>(named),
        })
        .transpose()
}

/// As [`super::compute`].
pub(super) fn compute(named: &Named, witness: &WitnessSource) -> Result<Option<String>, Error> {
    fn over<R: ServedRing>(named: &Named, witness: &WitnessSource) -> Result<String, Error> {
        computed(&file::<R>(named)?, named.public.as_ref(), |signature| read(witness, signature))
    }
    named
        .ring
        .map(|ring| match ring {
            MachineRing::Z32 => over::<Z32>(named, witness),
            MachineRing::Z64 => over::<Z64>(named, witness),
        })
        .transpose()
}

fn file<R: ServedRing>(named: &Named) -> Result<BristolFile<R>, Error> {
    if named.builtin().is_some() {
        let (ring, name) = (option("ring"), named.text());
        return Err(Error::input(format!("{ring} is for circuit files; {name} is built in")));
    }
    named.circuit()?.circuit()
}

/// Numbers for the secret inputs, in order.
fn read<R: ServedRing>(witness: &WitnessSource, signature: &Signature) -> Result<Witness<R>, Error> {
    let source = witness.whole()?;
    let secret = signature.inputs.iter().filter(|input| !input.public);
    let count = secret.map(|input| u64::from(input.width)).sum::<u64>();
    let count = usize::try_from(count).map_err(Error::input)?;
    let mut numbers = read_numbers::<R>(source.open()?, &source.name(), count)?;
    // Moved, not copied: a witness wipes what it holds.
    Ok(Witness::new(std::mem::take(&mut *numbers)))
}

fn open<R: ServedRing>(named: &Named) -> Result<Box<dyn Instance>, Error> {
    let file = file::<R>(named)?;
    Ok(match &named.public {
        Some(public) => Box::new(claimed(file, public)?),
        None => Box::new(Bare {
            file,
            name: named.text(),
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
) -> Result<Described, Error> {
    let counter = Counter::<R>::count(statement)?;
    Ok(RingInfo::of(text, signature, &counter))
}

impl<R: ServedRing> Instance for FileStatement<R> {
    fn text(&self) -> String {
        format!("circuit file over {} with BLAKE3 hash {}", R::NAME, short(&self.file().hash(), 8))
    }

    fn ring(&self) -> &'static str {
        R::NAME
    }

    fn with_witness(self: Box<Self>, witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        let witness = read(witness, &self.signature())?;
        Ok(Box::new(Self::with_witness(*self, witness)?))
    }

    fn check(&self) -> Result<(), StatementError> {
        Evaluator::<R>::check(self)
    }

    fn count(&self) -> Result<Counts, StatementError> {
        Ok(Counter::<R>::count(self)?.total())
    }

    fn describe(&self) -> Result<Described, Error> {
        describe::<R>(self.text(), &self.signature(), self)
    }

    #[cfg(feature = "stored")]
    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Err(Refusal::OnlyInPublic { ring: R::NAME })
    }

    #[cfg(feature = "public")]
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(OverRing::<R, _>::boxed(self))
    }
}
