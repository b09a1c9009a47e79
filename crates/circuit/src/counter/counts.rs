//! Numbers of operations, and the level of detail of a counter.

use core::ops::AddAssign;

/// Numbers of operations.
///
/// Every claim is of one of four kinds, so `assertions` is the sum of `linear`, `inner_products`,
/// `polynomials`, and one for each disjunction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Secret wires brought in, scalars included.
    pub inputs: u64,
    /// The scalars among them. With MACs in an extension of degree `r`, each costs `r` commitments.
    pub scalars: u64,
    /// Public constants made.
    pub constants: u64,
    /// Additions and subtractions of two wires (in F2: XORs).
    pub additions: u64,
    /// Additions of public constants, and scalings by them (in F2: NOTs).
    pub affine: u64,
    /// Multiplications (in F2: ANDs), except those inside [`Prove::assert_dot`](crate::Prove::assert_dot).
    pub multiplications: u64,
    /// S-boxes of AES. The 32 multiplications of each are also counted in `multiplications`: see
    /// [`Ops::substitute`](crate::Ops::substitute).
    pub s_boxes: u64,
    /// S-boxes of AES whose output is claimed. The 32 multiplications and eight claims of each are also
    /// counted elsewhere: see [`Prove::assert_substituted`](crate::Prove::assert_substituted).
    pub claimed_s_boxes: u64,
    /// Terms of inner products. A backend without a better way spends one multiplication on each.
    pub dot_terms: u64,
    /// Products of two expressions, neither of which is a constant. A backend without expressions spends one
    /// multiplication on each.
    pub poly_products: u64,
    /// All claims.
    pub assertions: u64,
    /// Claims that a wire, or an expression of degree 1, is zero.
    pub linear: u64,
    /// Claims about inner products; each entry of a product of matrices is one.
    pub inner_products: u64,
    /// Products of matrices that are claimed.
    pub matrix_products: u64,
    /// The entries of all these products.
    pub matrix_entries: u64,
    /// Claims that an expression of degree 2 or more is zero.
    pub polynomials: u64,
    /// The greatest degree of such an expression.
    pub degree: usize,
    /// Disjunctions. Their commitments are in the other counts.
    pub disjunctions: u64,
    /// Their branches, summed over all of them.
    pub branches: u64,
    /// The most branches of any disjunction.
    pub most_branches: u64,
    /// The most multiplications that any disjunction commits to.
    pub most_products: u64,
    /// Challenges in the middle of the statement, without those of disjunctions and products of matrices.
    pub challenges: u64,
    /// The greatest degree that one of them tests.
    pub tested: u64,
    /// The greatest degree that one with two repetitions tests.
    pub tested_twice: u64,
    /// The most values that one of them tests.
    pub tested_values: u64,
}

impl Counts {
    /// The number of multiplications if inner products and expressions are multiplied out.
    #[must_use]
    pub const fn expanded(&self) -> u64 {
        self.multiplications.saturating_add(self.dot_terms).saturating_add(self.poly_products)
    }

    /// The number of commitments of a proof: secrets and products.
    #[must_use]
    pub const fn commitments(&self) -> u64 {
        self.inputs.saturating_add(self.multiplications)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        // Destructured, so that a new field cannot be forgotten here.
        let Self {
            inputs,
            scalars,
            constants,
            additions,
            affine,
            multiplications,
            s_boxes,
            claimed_s_boxes,
            dot_terms,
            poly_products,
            assertions,
            linear,
            inner_products,
            matrix_products,
            matrix_entries,
            polynomials,
            degree,
            disjunctions,
            branches,
            most_branches,
            most_products,
            challenges,
            tested,
            tested_twice,
            tested_values,
        } = other;
        let sums = [
            (&mut self.inputs, inputs),
            (&mut self.scalars, scalars),
            (&mut self.constants, constants),
            (&mut self.additions, additions),
            (&mut self.affine, affine),
            (&mut self.multiplications, multiplications),
            (&mut self.s_boxes, s_boxes),
            (&mut self.claimed_s_boxes, claimed_s_boxes),
            (&mut self.dot_terms, dot_terms),
            (&mut self.poly_products, poly_products),
            (&mut self.assertions, assertions),
            (&mut self.linear, linear),
            (&mut self.inner_products, inner_products),
            (&mut self.matrix_products, matrix_products),
            (&mut self.matrix_entries, matrix_entries),
            (&mut self.polynomials, polynomials),
            (&mut self.disjunctions, disjunctions),
            (&mut self.branches, branches),
            (&mut self.challenges, challenges),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more);
        }
        self.degree = self.degree.max(degree);
        self.most_branches = self.most_branches.max(most_branches);
        self.most_products = self.most_products.max(most_products);
        self.tested = self.tested.max(tested);
        self.tested_twice = self.tested_twice.max(tested_twice);
        self.tested_values = self.tested_values.max(tested_values);
    }
}

/// The counts of one named part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartCounts {
    /// The names of the part and of those around it, outermost first, separated by `/`.
    pub path: String,
    /// The number of parts around it.
    pub level: usize,
    /// How often it was entered.
    pub entered: u64,
    /// Its operations over all entries, including those of the parts inside it.
    pub counts: Counts,
}

/// The level of detail of a [`Counter`](super::Counter): [`Everything`] or [`Sizes`].
pub trait Detail: sealed::Sealed {
    /// The counter's representation of a wire.
    type Wire: Clone + Default;

    /// Whether linear operations, parts and depths are counted.
    const EVERYTHING: bool;

    /// A wire that depends linearly on both.
    fn linear(x: &Self::Wire, y: &Self::Wire) -> Self::Wire;

    /// The wire of their product.
    fn product(x: &Self::Wire, y: &Self::Wire) -> Self::Wire;

    /// The number of multiplications on the longest path to the wire, as far as it is known.
    fn depth(x: &Self::Wire) -> u32;
}

mod sealed {
    pub trait Sealed {}
}

/// Counts every operation, the depth and the named parts. A wire is its multiplicative depth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everything;

/// Counts the commitments and claims of a proof, and nothing that is free. Wires are empty, so a run takes
/// next to no time.
///
/// Expressions are multiplied out, as in branches of disjunctions, and inner products are counted by their
/// terms: [`Counts::expanded`] has all multiplications. Degrees are lost, so soundness bounds must not use
/// these counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes;

impl sealed::Sealed for Everything {}
impl sealed::Sealed for Sizes {}

impl Detail for Everything {
    type Wire = u32;
    const EVERYTHING: bool = true;

    #[inline]
    fn linear(x: &u32, y: &u32) -> u32 {
        *x.max(y)
    }

    #[inline]
    fn product(x: &u32, y: &u32) -> u32 {
        x.max(y).saturating_add(1)
    }

    #[inline]
    fn depth(x: &u32) -> u32 {
        *x
    }
}

impl Detail for Sizes {
    type Wire = ();
    const EVERYTHING: bool = false;

    #[inline(always)]
    fn linear(_x: &(), _y: &()) {}

    #[inline(always)]
    fn product(_x: &(), _y: &()) {}

    #[inline(always)]
    fn depth(_x: &()) -> u32 {
        0
    }
}
