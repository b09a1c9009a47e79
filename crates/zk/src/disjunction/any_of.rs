//! The statement that at least one of its branches holds.

use volery_circuit::choose::{Branches, Sizer, Whole};
use volery_circuit::{Choose, Digest, Error as StatementError, Picked, Shape, Statement};
use volery_field::Ring;

use super::Tracer;

/// "One of these statements holds."
///
/// Branches may differ in everything except the ring. This runs on every backend that implements [`Choose`].
#[derive(Clone, Debug)]
pub struct AnyOf<R, S> {
    branches: Branches<R, Whole<S>>,
    choice: Option<usize>,
}

impl<R: Ring, S> AnyOf<R, S> {
    /// The verifier's disjunction of `branches`.
    ///
    /// # Errors
    /// As [`Branches::new`].
    pub fn new(branches: Vec<S>) -> Result<Self, StatementError>
    where
        S: Statement<Sizer<R>>,
    {
        let branches = branches.into_iter().map(Whole).collect();
        Ok(Self { branches: Branches::new(branches, 0)?, choice: None })
    }

    /// As [`AnyOf::new`], with a known shape. Both parties need the same one, at least as large as every
    /// branch.
    ///
    /// # Errors
    /// As [`Branches::with_shape`].
    pub fn with_shape(branches: Vec<S>, shape: Shape) -> Result<Self, StatementError> {
        let branches = branches.into_iter().map(Whole).collect();
        Ok(Self { branches: Branches::with_shape(branches, 0, shape)?, choice: None })
    }

    /// The prover's disjunction: branch number `choice`, from 0, holds with the witness inside it.
    ///
    /// # Errors
    /// [`StatementError::Witness`] if there is no such branch.
    pub fn with_choice(mut self, choice: usize) -> Result<Self, StatementError> {
        self.branches.picked(&Picked::new(choice))?;
        self.choice = Some(choice);
        Ok(self)
    }

    /// The commitments of the disjunction.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.branches.shape()
    }

    fn chosen(&self) -> Result<Picked<Whole<S>>, StatementError> {
        let missing = || StatementError::Witness("no branch of a disjunction was chosen".into());
        self.choice.map(Picked::new).ok_or_else(missing)
    }
}

impl<R, B, S> Statement<B> for AnyOf<R, S>
where
    R: Ring,
    B: Choose<R, Whole<S>>,
    S: Statement<Tracer<R>>,
{
    fn identify(&self, digest: &mut Digest) {
        digest.bytes("statement", b"any-of v4");
        self.branches.identify::<Tracer<R>>(digest);
    }

    fn commitments(&self) -> Option<u64> {
        Some(self.shape().commitments())
    }

    fn run(&self, base: &mut B) -> Result<(), B::Error> {
        base.any_of(&[], &self.branches, &mut |_| self.chosen()).map(|_| ())
    }
}
