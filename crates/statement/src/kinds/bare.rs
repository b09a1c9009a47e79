//! A circuit file without a claim. There is something to say about it, but nothing to prove.

use volery::Statement;
use volery_circuit::bristol::FileRing;
use volery_circuit::{
    BristolFile, Counter, Counts, Digest, Error as StatementError, Fold, Folded, Prove, Signature,
};

use crate::describe::Described;
use crate::error::Error;
use crate::fields::HasPublicProofs;
use crate::instance::Instance;
#[cfg(feature = "public")]
use crate::public::{OverRing, PublicStatement};
use crate::refusal::Refusal;
use crate::source::WitnessSource;
#[cfg(feature = "stored")]
use crate::stored::Storable;
use crate::way::Way;

/// A circuit whose inputs are all secret and whose outputs are all open. It has no assertions.
pub(super) struct Bare<R: FileRing> {
    pub(super) file: BristolFile<R>,
    /// The file's name.
    pub(super) name: String,
    /// Its description in results.
    pub(super) text: String,
    /// As [`Instance::describe`] and [`Instance::ways`] of statements with a claim.
    pub(super) describe: fn(String, &Signature, &Self) -> Result<Described, Error>,
    pub(super) ways: for<'a> fn(&'a Self) -> Result<Vec<Way<'a>>, Refusal>,
}

impl<R: FileRing> Bare<R> {
    fn refused(&self) -> Refusal {
        Refusal::Bare { name: self.name.clone() }
    }
}

impl<R: FileRing, B: Prove<R>> Statement<B> for Bare<R> {
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"circuit file without a claim").bytes("file", &self.file.hash());
    }

    fn commitments(&self) -> Option<u64> {
        // The same as for a claim about it.
        let inputs = self.file.header().inputs.iter();
        inputs.copied().map(u64::from).try_fold(self.file.tally().mul, u64::checked_add)
    }

    fn run(&self, backend: &mut B) -> Result<(), B::Error> {
        let wires = self.file.header().inputs.iter().map(|width| *width as usize).sum();
        let inputs = backend.secret(wires, &mut |_| Ok(vec![R::ZERO; wires]))?;
        if self.file.tally().constant > 0 {
            let inputs = inputs.into_iter().map(Folded::Wire).collect();
            return self.file.compute(&mut Fold::new(backend), inputs).map(drop);
        }
        self.file.compute(backend, inputs).map(drop)
    }
}

impl<R: FileRing + HasPublicProofs> Instance for Bare<R> {
    fn text(&self) -> String {
        self.text.clone()
    }

    fn ring(&self) -> &'static str {
        R::NAME
    }

    fn with_witness(self: Box<Self>, _witness: &WitnessSource) -> Result<Box<dyn Instance>, Error> {
        Err(self.refused().into())
    }

    fn complete(&self) -> Result<(), Error> {
        Err(self.refused().into())
    }

    fn check(&self) -> Result<(), StatementError> {
        Err(StatementError::Public(self.refused().to_string()))
    }

    fn count(&self) -> Result<Counts, StatementError> {
        Ok(Counter::<R>::count(self)?.total())
    }

    fn describe(&self) -> Result<Described, Error> {
        (self.describe)(self.text(), self.file.signature(), self)
    }

    fn ways(&self) -> Result<Vec<Way<'_>>, Refusal> {
        (self.ways)(self)
    }

    #[cfg(feature = "stored")]
    fn stored(&self) -> Result<&dyn Storable, Refusal> {
        Err(self.refused())
    }

    #[cfg(feature = "public")]
    fn public(&self) -> Result<Box<dyn PublicStatement + '_>, Refusal> {
        Ok(OverRing::<R, _>::boxed(self))
    }
}
