//! Branches of one interface, and how much they commit to.

use core::marker::PhantomData;

use volery_field::Ring;

use super::{Branch, Picked, Sizer};
use crate::{Digest, Error, MAX_DEGREE, Prove};

/// The most inputs and multiplications that a branch has. Public; branches that have fewer are filled up with
/// zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Secret values of a branch's own.
    pub inputs: usize,
    /// Multiplications, terms of inner products and products of expressions included.
    pub multiplications: usize,
    /// Wires that come out; the same for every branch.
    pub outputs: usize,
}

impl Shape {
    /// That of one branch with so many wires going in, by running it on nothing.
    ///
    /// # Errors
    /// The branch's own.
    pub fn of<R: Ring>(branch: &impl Branch<R, Sizer<R>>, shared: usize) -> Result<Self, Error> {
        let mut sizer = Sizer::default();
        let outputs = branch.run(&mut sizer, &vec![(); shared])?.len();
        let counts = sizer.total();
        // Larger than this machine can number, it cannot be run either.
        let [inputs, multiplications] =
            [counts.inputs, counts.expanded()].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        Ok(Self { inputs, multiplications, outputs })
    }

    /// What is enough for both.
    ///
    /// # Errors
    /// [`Error::Public`] if they have other numbers of outputs.
    pub fn join(self, other: Self) -> Result<Self, Error> {
        if self.outputs != other.outputs {
            return Err(Error::Public(format!(
                "branches of a disjunction with {} and {} outputs; all need the same number",
                self.outputs, other.outputs
            )));
        }
        Ok(Self {
            inputs: self.inputs.max(other.inputs),
            multiplications: self.multiplications.max(other.multiplications),
            outputs: self.outputs,
        })
    }

    /// Secret values and products that a disjunction of this shape commits to: both factors of a product with
    /// it.
    #[must_use]
    pub const fn commitments(self) -> u64 {
        let values = (self.inputs as u64).saturating_add(self.outputs as u64);
        values.saturating_add((self.multiplications as u64).saturating_mul(3))
    }
}

/// What a disjunction chooses from.
#[derive(Clone, Debug)]
pub struct Branches<R, S> {
    branches: Vec<S>,
    shared: usize,
    shape: Shape,
    ring: PhantomData<R>,
}

/// Most branches: the degree of the polynomial that shows that one of them holds.
pub const MAX_BRANCHES: usize = MAX_DEGREE;

impl<R: Ring, S> Branches<R, S> {
    /// These branches, with `shared` wires going into each. Runs each of them once, on nothing, for its size.
    ///
    /// # Errors
    /// [`Error::Public`] if there is none or more than [`MAX_BRANCHES`], or their numbers of outputs differ;
    /// a branch's own.
    pub fn new(branches: Vec<S>, shared: usize) -> Result<Self, Error>
    where
        S: Branch<R, Sizer<R>>,
    {
        let mut shapes = branches.iter().map(|branch| Shape::of(branch, shared));
        let first = shapes.next().unwrap_or(Ok(Shape::default()))?;
        let shape = shapes.try_fold(first, |all, shape| all.join(shape?))?;
        Self::with_shape(branches, shared, shape)
    }

    /// As [`Branches::new`], of a known shape: both parties need the same, at least as large as every branch.
    ///
    /// # Errors
    /// [`Error::Public`] if there is no branch or more than [`MAX_BRANCHES`].
    pub fn with_shape(branches: Vec<S>, shared: usize, shape: Shape) -> Result<Self, Error> {
        if branches.is_empty() || branches.len() > MAX_BRANCHES {
            let reason =
                format!("a disjunction of {} branches; 1 to {MAX_BRANCHES} are possible", branches.len());
            return Err(Error::Public(reason));
        }
        Ok(Self { branches, shared, shape, ring: PhantomData })
    }

    /// The branches, in the order of their numbers.
    #[must_use]
    pub fn list(&self) -> &[S] {
        &self.branches
    }

    /// How many wires go into each.
    #[must_use]
    pub fn shared(&self) -> usize {
        self.shared
    }

    /// What is committed to.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The branch that was picked, with its witness.
    ///
    /// # Errors
    /// [`Error::Witness`] if there is no such branch.
    pub fn picked<'x>(&'x self, picked: &'x Picked<S>) -> Result<&'x S, Error> {
        let Some(branch) = self.branches.get(picked.index) else {
            let (index, count) = (picked.index, self.branches.len());
            return Err(Error::Witness(format!("branch {index} of {count} was picked; they count from 0")));
        };
        Ok(picked.witness.as_ref().unwrap_or(branch))
    }

    /// That so many wires go in.
    ///
    /// # Errors
    /// [`Error::Misuse`] if not.
    pub fn check_shared(&self, got: usize) -> Result<(), Error> {
        if got == self.shared {
            return Ok(());
        }
        Err(Error::misuse(format!("{got} wires go into a disjunction of branches that take {}", self.shared)))
    }

    /// That so many wires came out of a branch.
    ///
    /// # Errors
    /// [`Error::Misuse`] if not.
    pub fn check_outputs(&self, got: usize) -> Result<(), Error> {
        if got == self.shape.outputs {
            return Ok(());
        }
        let expected = self.shape.outputs;
        Err(Error::misuse(format!("{got} wires came out of a branch; its disjunction has {expected}")))
    }

    /// Absorbs what all branches are, in order.
    pub fn identify<B: Prove<R> + ?Sized>(&self, digest: &mut Digest)
    where
        S: Branch<R, B>,
    {
        let Shape { inputs, multiplications, outputs } = self.shape;
        digest.bytes("ring", R::NAME.as_bytes()).number("branches", self.branches.len() as u64);
        digest.number("shared", self.shared as u64).number("inputs", inputs as u64);
        digest.number("multiplications", multiplications as u64).number("outputs", outputs as u64);
        for branch in &self.branches {
            let mut own = Digest::new();
            branch.identify(&mut own);
            digest.bytes("branch", &own.finish());
        }
    }
}
