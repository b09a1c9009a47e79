//! Branches with a common interface, and how much they commit to.

use core::marker::PhantomData;

use volery_field::Ring;

use super::{Branch, Picked, Sizer};
use crate::{Digest, Error, MAX_DEGREE, Prove};

/// The most inputs and multiplications of any branch. This is public; smaller branches are padded with zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// The number of a branch's own secret values.
    pub inputs: usize,
    /// The number of multiplications, including terms of inner products and products of expressions.
    pub multiplications: usize,
    /// The number of output wires, the same for every branch.
    pub outputs: usize,
}

impl Shape {
    /// The shape of one branch with `shared` input wires, found by running it on a counter.
    ///
    /// # Errors
    /// Any error of the branch.
    pub(crate) fn of<R: Ring>(branch: &impl Branch<R, Sizer<R>>, shared: usize) -> Result<Self, Error> {
        let mut sizer = Sizer::default();
        let outputs = branch.run(&mut sizer, &vec![(); shared])?.len();
        let counts = sizer.total();
        // If it is larger than this machine can count, it cannot be run either.
        let [inputs, multiplications] =
            [counts.inputs, counts.expanded()].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
        Ok(Self { inputs, multiplications, outputs })
    }

    /// The smallest shape that is enough for both.
    ///
    /// # Errors
    /// [`Error::Public`] if their numbers of outputs differ.
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

    /// The number of secret values and products that a disjunction of this shape commits to. A product counts
    /// with both factors.
    #[must_use]
    pub const fn commitments(self) -> u64 {
        let values = (self.inputs as u64).saturating_add(self.outputs as u64);
        values.saturating_add((self.multiplications as u64).saturating_mul(3))
    }
}

/// The branches that a disjunction chooses from.
#[derive(Clone, Debug)]
pub struct Branches<R, S> {
    branches: Vec<S>,
    shared: usize,
    shape: Shape,
    ring: PhantomData<R>,
}

/// The most branches: the degree of the polynomial that proves that one of them holds.
pub const MAX_BRANCHES: usize = MAX_DEGREE;

impl<R: Ring, S> Branches<R, S> {
    /// Makes a list of branches, each with `shared` input wires. Counts each of them once to find its size.
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

    /// As [`Branches::new`], with a known shape. Both parties need the same shape, at least as large as every
    /// branch.
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

    /// The number of input wires of each branch.
    #[must_use]
    pub fn shared(&self) -> usize {
        self.shared
    }

    /// The commitments of the disjunction.
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

    /// Checks the number of input wires.
    ///
    /// # Errors
    /// [`Error::Misuse`] if it is wrong.
    pub fn check_shared(&self, got: usize) -> Result<(), Error> {
        if got == self.shared {
            return Ok(());
        }
        Err(Error::misuse(format!("{got} wires go into a disjunction of branches that take {}", self.shared)))
    }

    /// Checks the number of output wires of a branch.
    ///
    /// # Errors
    /// [`Error::Misuse`] if it is wrong.
    pub fn check_outputs(&self, got: usize) -> Result<(), Error> {
        if got == self.shape.outputs {
            return Ok(());
        }
        let expected = self.shape.outputs;
        Err(Error::misuse(format!("{got} wires came out of a branch; its disjunction has {expected}")))
    }

    /// Absorbs the identities of all branches, in order.
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
