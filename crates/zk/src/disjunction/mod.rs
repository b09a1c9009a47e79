//! One of many statements, without saying which: Robin (figure 5 of the paper), over any field and over bits;
//! and Batchman (figure 6).
//!
//! P commits to the inputs of the branch that holds and, for each of its multiplications, to both factors and
//! the product (proved to be that by QuickSilver). What is left is linear: in branch `i` the operands of
//! multiplication `k` are linear in the committed inputs and products, `l'_k` and `r'_k`, and so is what it
//! asserts, `a_j`. It holds if the rows `l'_k - l_k`, `r'_k - r_k` and `a_j` are all zero. V sends a seed for
//! `s`, `t` and `beta`, and both compute, for each branch, its **token**
//!
//! ```text
//! v_i = sum s_k (l'_k - l_k) + beta sum s_k (r'_k - r_k) + sum t_j a_j
//! ```
//!
//! on the commitments. P proves that the product of all tokens is zero: as polynomials in delta, with tags
//! `m_i`, it is `prod (m_i + v_i X)`, of degree `B` unless a token is zero. P sends the `B` coefficients,
//! masked by a VOPE, and V compares with `prod k_i`.
//!
//! The token is `s^T M_i w`, `M_i` the branch's topology matrix. Here it is computed as `s^T (M_i w)`, by
//! running the branch forwards on commitments ([`Weigher`]), so that any statement can be a branch as it is.
//! [`Topology`] is `s^T M_i` by itself (algorithm 1), which batches commit to.
//!
//! **Batches** (`batch`, figure 6) prove the same disjunction many times over for about the price of every
//! branch once and of each repetition once, over fields.
//!
//! **Seeds that are hashes** are asked for by [`Base::challenge`], which ends a block: they come after every
//! message of P's so far and depend on the chain of all correlations taken so far
//! ([`Challenges`](crate::quicksilver::Challenges)).
//!
//! | seed | values it tests | last that fixes them |
//! |---|---|---|
//! | of a fold of 2^18 multiplications | their factors, and what branches make of inputs and earlier products | opening of the block that ends for it; V's bytes for the batch of that block's mask |
//! | the last of a disjunction | the same for the rest, and all assertions | as above |
//! | of a batch: `s`, `t` | inputs, outputs, factors and products of the group's repetitions | as above |
//! | of a batch: `u` | the topology vectors | as above, for the block in which they are committed to |
//!
//! The VOPE that masks the product of tokens is taken after the seed: it is P's to choose, as it is where V
//! chooses seeds.
//!
//! **Soundness**: [`soundness`] computes what an acceptance is worth. **Cost**: [`cost`] computes what it
//! takes.
//!
//! **Privacy.** The choice shows nowhere: number, order and lengths of messages depend on
//! [`Shape`](volery_circuit::Shape) alone, tokens are masked whatever V chose as a seed, and both parties do
//! the same work for every branch: before its first message P evaluates all of them and selects under masks
//! (`tracer`); `batch` says what it does in place of that. Hints run in the branch that holds only.
//!
//! **Memory.** Rows of a multiplication only read products before it, so they are fixed once those are. V
//! therefore draws a challenge every 2^18 multiplications, after which their factors are weighed and
//! forgotten: what is kept is one wire a multiplication.
//!
//! | module | what it holds |
//! |---|---|
//! | `any_of` | [`AnyOf`], the statement that one of several holds |
//! | `robin` | the protocol |
//! | `tracer` | [`Tracer`], P's evaluation of all branches, and what the one that holds has |
//! | `weigher` | [`Weigher`], a branch on commitments |
//! | `base` | [`Base`], what disjunctions need of the backend beneath |
//! | `boolean`, `arithmetic` | those backends: QuickSilver over bits and over fields |
//! | `batch` | batches |
//! | `kept`, `store` | [`Kept`], where the values of the branch that holds are, and what waits to be put there |
//! | `ripple` | sums of numbers in the clear, with all factors of their ANDs, on words |
//! | `program` | what a counted statement makes a proof about bits check |
//! | `rows` | the coefficients |
//! | `topology` | [`Topology`], algorithm 1 |
//! | [`soundness`], [`cost`] | the bounds, and what each protocol takes |

mod any_of;
mod arithmetic;
mod base;
mod batch;
mod boolean;
#[cfg(test)]
mod cheats;
pub mod cost;
mod kept;
mod program;
mod ripple;
mod robin;
mod rows;
pub mod soundness;
mod store;
mod topology;
mod tracer;
mod weigher;

pub use any_of::AnyOf;
pub use base::{Base, Linear, Token, Weighed};
pub use kept::Kept;
pub use rows::Expanded;
pub use topology::Topology;
pub use tracer::Tracer;
pub use volery_circuit::choose::MAX_BRANCHES;
pub use weigher::Weigher;

/// Implements [`Choose`](volery_circuit::Choose) for a [`Base`], and [`Repeat`](volery_circuit::Repeat): for
/// a [`Linear`] one `in batches`, for others as one disjunction after another.
macro_rules! disjunctions {
    ([$($generics:tt)*] $ring:ty, $backend:ty) => {
        $crate::disjunction::disjunctions!(@choose [$($generics)*] $ring, $backend);

        impl<$($generics)*> volery_circuit::Repeat<$ring, S> for $backend where
            S: volery_circuit::Branch<$ring, $crate::disjunction::Tracer<$ring>>
                + for<'x> volery_circuit::Branch<$ring, $crate::disjunction::Weigher<'x, $ring, Self>>
        {
        }
    };
    ([$($generics:tt)*] $ring:ty, $backend:ty, in batches) => {
        $crate::disjunction::disjunctions!(@choose [$($generics)*] $ring, $backend);

        impl<$($generics)*> volery_circuit::Repeat<$ring, S> for $backend
        where
            S: volery_circuit::Branch<$ring, $crate::disjunction::Tracer<$ring>>
                + volery_circuit::Branch<$ring, volery_circuit::Recorder<$ring>>
                + for<'x> volery_circuit::Branch<$ring, $crate::disjunction::Weigher<'x, $ring, Self>>,
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
                + for<'x> volery_circuit::Branch<$ring, $crate::disjunction::Weigher<'x, $ring, Self>>,
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
