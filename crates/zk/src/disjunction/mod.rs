//! One of many statements, without saying which: Robin (figure 5 of the paper), over any field and over bits;
//! and Batchman (figure 6).
//!
//! P commits to the inputs of the branch that holds and, for each of its multiplications, to both factors and
//! the product (QuickSilver proves that it is the product). The rest is linear. In branch `i` the operands of
//! multiplication `k`, `l'_k` and `r'_k`, are linear in the committed inputs and products, and so is each
//! asserted value `a_j`. The branch holds if the rows `l'_k - l_k`, `r'_k - r_k` and `a_j` are all zero. V
//! sends a seed for `s`, `t` and `beta`, and both parties compute, for each branch, its **check value**
//!
//! ```text
//! v_i = sum s_k (l'_k - l_k) + beta sum s_k (r'_k - r_k) + sum t_j a_j
//! ```
//!
//! on the commitments. P proves that the product of all check values is zero. As a polynomial in delta, with
//! tags `m_i`, the product is `prod (m_i + v_i X)`, which has degree `B` unless a check value is zero. P
//! sends the `B` lower coefficients, masked by a VOPE, and V compares with `prod k_i`.
//!
//! The check value is `s^T M_i w`, where `M_i` is the branch's topology matrix. Here it is computed as `s^T
//! (M_i w)`, by running the branch forwards on commitments ([`LinearCombiner`]), so that any statement can be
//! a branch without changes. `Topology` is `s^T M_i` alone (algorithm 1), which batches commit to.
//!
//! **Batches** (`batch`, figure 6) prove the same disjunction many times over a field, for about the price of
//! every branch once plus that of one branch for each repetition.
//!
//! **Seeds that are hashes** come from [`Base::challenge`], which ends a block. They come after every message
//! of P's so far, and depend on the chain of all correlations taken so far
//! ([`Challenges`](crate::quicksilver::Challenges)).
//!
//! | seed | values it tests | last that fixes them |
//! |---|---|---|
//! | of a fold of 2^18 multiplications | their factors, and what branches make of inputs and earlier products | opening of the block that ends for it; V's bytes for the batch of that block's mask |
//! | the last of a disjunction | the same for the rest, and all assertions | as above |
//! | of a batch: `s`, `t` | inputs, outputs, factors and products of the group's repetitions | as above |
//! | of a batch: `u` | the topology vectors | as above, for the block in which they are committed to |
//!
//! The VOPE that masks the product of check values is taken after the seed. P may choose it, as it may if V
//! chooses seeds.
//!
//! **In a proof of one block** (`quicksilver::Challenges::Known`, for everybody to verify), P has committed
//! to everything, the products of all chunks included, in a first pass. All seeds follow from the one that
//! comes after it, each from its number, and all rows of all branches are fixed before. In that pass both
//! factors and products are committed to without a seed, and branches run only for their constants and
//! counts, which go into the transcript. That the product of a disjunction's check values is zero is then one
//! more relation of degree `B` among the block's, under a coefficient of its own and the block's mask. So it
//! takes no mask and no message of its own. A single check value, of degree 1, is multiplied by `X`.
//! `volery_voleith` has the bound.
//!
//! **Soundness**: [`soundness`] computes the soundness error. **Cost**: [`cost`] computes the cost.
//!
//! **Privacy.** Nothing shows the choice. Number, order and lengths of messages depend only on
//! [`Shape`](volery_circuit::Shape). Check values are masked whatever seed V chose. Both parties do the same
//! work for every branch: before its first message P evaluates all of them and selects under masks (`tracer`;
//! `batch` says what it does instead). Only hints run in just the branch that holds.
//!
//! **No challenges in a branch.** A branch runs on backends without
//! [`Challenge`](volery_circuit::Challenge), so one that looks up secret values or uses memory does not
//! compile:
//!
//! ```
//! use volery_circuit::Prove;
//! use volery_field::F61;
//! use volery_zk::disjunction::{Base, LinearCombiner, Tracer};
//!
//! fn branch<B: Prove<F61>>() {}
//! fn both<B: Base<F61>>() {
//!     branch::<Tracer<F61>>();
//!     branch::<LinearCombiner<'_, F61, B>>();
//! }
//! ```
//!
//! ```compile_fail,E0277
//! # use volery_circuit::Challenge;
//! # use volery_field::F61;
//! # use volery_zk::disjunction::Tracer;
//! fn branch<B: Challenge<F61>>() {}
//! branch::<Tracer<F61>>();
//! ```
//!
//! ```compile_fail,E0277
//! # use volery_circuit::Challenge;
//! # use volery_field::F61;
//! # use volery_zk::disjunction::{Base, LinearCombiner};
//! fn branch<B: Challenge<F61>>() {}
//! fn combined<B: Base<F61>>() {
//!     branch::<LinearCombiner<'_, F61, B>>();
//! }
//! ```
//!
//! **Memory.** The rows of a multiplication only read products before it, so they are fixed once those are. V
//! therefore draws a challenge every 2^18 multiplications, after which their factors are combined and
//! forgotten. Only one wire for each multiplication is kept.
//!
//! | module | what it holds |
//! |---|---|
//! | `any_of` | [`AnyOf`], the statement that at least one of several holds |
//! | `robin` | the protocol |
//! | `tracer` | [`Tracer`], P's evaluation of all branches, and the values of the one that holds |
//! | `combiner` | [`LinearCombiner`], the random linear combination of a branch's rows on commitments |
//! | `base` | [`Base`], what disjunctions require of the backend |
//! | `bits`, `field` | those backends: QuickSilver over bits and over fields |
//! | `batch` | batches |
//! | `kept`, `store` | [`Kept`], storage for the values of the branch that holds, and a buffer in front of it |
//! | `multi_add` | sums of numbers in the clear, with all factors of their ANDs, on words |
//! | `program` | the checks of a proof about bits, from a counted statement |
//! | `rows` | the coefficients |
//! | `topology` | `Topology`: the vector `s^T M_i` (algorithm 1) |
//! | [`soundness`], [`cost`] | the bounds, and the cost of each protocol |

mod any_of;
mod base;
mod batch;
mod bits;
#[cfg(test)]
mod cheats;
mod combiner;
pub mod cost;
mod field;
mod kept;
mod multi_add;
mod program;
mod robin;
mod rows;
pub mod soundness;
mod store;
mod topology;
mod tracer;

pub use any_of::AnyOf;
pub use base::{Base, Linear, OperationCounts};
pub use combiner::LinearCombiner;
pub use kept::Kept;
pub use tracer::Tracer;
pub use volery_circuit::choose::MAX_BRANCHES;

/// Implements [`Choose`](volery_circuit::Choose) for a [`Base`], and [`Repeat`](volery_circuit::Repeat): for
/// a [`Linear`] one `in batches`, for others as one disjunction after another.
macro_rules! disjunctions {
    ([$($generics:tt)*] $ring:ty, $backend:ty) => {
        $crate::disjunction::disjunctions!(@choose [$($generics)*] $ring, $backend);

        impl<$($generics)*> volery_circuit::Repeat<$ring, S> for $backend where
            S: volery_circuit::Branch<$ring, $crate::disjunction::Tracer<$ring>>
                + for<'x> volery_circuit::Branch<$ring, $crate::disjunction::LinearCombiner<'x, $ring, Self>>
        {
        }
    };
    ([$($generics:tt)*] $ring:ty, $backend:ty, in batches) => {
        $crate::disjunction::disjunctions!(@choose [$($generics)*] $ring, $backend);

        impl<$($generics)*> volery_circuit::Repeat<$ring, S> for $backend
        where
            S: volery_circuit::Branch<$ring, $crate::disjunction::Tracer<$ring>>
                + volery_circuit::Branch<$ring, volery_circuit::Recorder<$ring>>
                + for<'x> volery_circuit::Branch<$ring, $crate::disjunction::LinearCombiner<'x, $ring, Self>>,
        {
            fn repeat(
                &mut self,
                branches: &volery_circuit::Branches<$ring, S>,
                steps: usize,
                each: &mut dyn volery_circuit::Steps<$ring, S, Self>,
            ) -> Result<(), Error> {
                $crate::disjunction::batch::repeat(self, branches, steps, each)
            }
        }
    };
    (@choose [$($generics:tt)*] $ring:ty, $backend:ty) => {
        impl<$($generics)*> volery_circuit::Choose<$ring, S> for $backend
        where
            S: volery_circuit::Branch<$ring, $crate::disjunction::Tracer<$ring>>
                + for<'x> volery_circuit::Branch<$ring, $crate::disjunction::LinearCombiner<'x, $ring, Self>>,
        {
            fn any_of(
                &mut self,
                shared: &[Self::Wire],
                branches: &volery_circuit::Branches<$ring, S>,
                pick: volery_circuit::choose::Pick<'_, $ring, Self::Wire, S>,
            ) -> Result<Vec<Self::Wire>, Error> {
                $crate::disjunction::robin::any_of(self, shared, branches, pick)
            }
        }
    };
}
use disjunctions;
