//! How much is committed to, whichever branch holds.

use volery_circuit::{Counter, Digest, Error, Statement};
use volery_field::Ring;

/// The most inputs and multiplications that a branch has. Public; branches that have fewer are filled up with zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Secret values.
    pub inputs: usize,
    /// Multiplications, terms of inner products included.
    pub multiplications: usize,
}

impl Shape {
    /// That of one branch, by counting.
    ///
    /// # Errors
    /// The statement's own; [`Error::Misuse`] if it makes claims about polynomials, which a branch cannot.
    pub fn of<R: Ring>(branch: &(impl Statement<Counter<R>> + ?Sized)) -> Result<Self, Error> {
        let counts = Counter::count(branch)?.total();
        if counts.polynomials > 0 {
            return Err(Error::misuse("a branch of a disjunction claims polynomials; use multiplications"));
        }
        let small = |n: u64| usize::try_from(n).map_err(|_| Error::misuse("a branch is too large"));
        let multiplications = counts.multiplications.saturating_add(counts.dot_terms);
        Ok(Self { inputs: small(counts.inputs)?, multiplications: small(multiplications)? })
    }

    /// What is enough for both.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            inputs: self.inputs.max(other.inputs),
            multiplications: self.multiplications.max(other.multiplications),
        }
    }

    pub(super) fn identify(self, digest: &mut Digest) {
        digest.number("inputs", self.inputs as u64);
        digest.number("multiplications", self.multiplications as u64);
    }
}
