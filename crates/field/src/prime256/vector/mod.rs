//! Vector code for prime fields of 256 bits, with AVX-512 IFMA.
//!
//! The scalar code has one multiplication of 64 by 64 bits a cycle and a carry after each. IFMA has sixteen
//! of 52 by 52 bits a cycle, and adds each half of a product to a sum of 64 bits: carries can wait. So the
//! kernels take eight elements at once, one in each lane, in five limbs of 52 bits; see Gueron and Krasnov,
//! "Accelerating Big Integer Arithmetic Using Intel IFMA Extensions" (ARITH 2016).
//!
//! ```text
//! lanes       the instructions; eight elements of four words in memory, turned into four vectors, and back
//! limbs       columns, Montgomery's reduction, and what makes results canonical
//! kernels     what the dispatcher calls, for whole slices
//! dispatch    whether this CPU has the instructions; or `none`
//! ```
//!
//! # Formulas
//!
//! The low and the high halves of the products `a_i b_j` are added to ten columns, of which column `k` counts
//! `2^(52 k)`:
//!
//! ```text
//! column k  +=  sum over i + j = k of low(a_i b_j)  +  sum over i + j = k - 1 of high(a_i b_j)
//! ```
//!
//! A product adds at most nine numbers below `2^52` to a column, so 455 products fit. An inner product adds
//! up 256 of them in each lane before it carries, and is reduced once, by the scalar code.
//!
//! A single product is reduced in the columns. Five rounds make them a multiple of `2^260`, each with a
//! quotient of 52 bits. Elements are in Montgomery form for `2^256`, though, so one factor is taken times 16,
//! which costs nothing while it is split into limbs:
//!
//! ```text
//! (16 a b + q p) / 2^260  =  a b / 2^256  modulo p,    below  a b / 2^256 + p < 2 p      as q < 2^260
//! ```
//!
//! The sum of two products is reduced at once and is below `3 p`. Multiples of `p` are subtracted where the
//! sign of the difference allows it, without a branch.
//!
//! # What it gains
//!
//! Measured on one core of an Intel Xeon (model 207; the least of many runs, with other work on the
//! machine), in nanoseconds for each of 4096 elements or pairs of BN254's scalars:
//!
//! | | scalar | IFMA |
//! |---|---|---|
//! | inner product | 10.9 | 2.1 |
//! | `dot_prover` | 40 | 9.4 |
//! | `combine_prover` | 23 | 4.7 |
//! | `multiply_prover` | 128 | 24 |
//! | `multiply_verifier` | 95 | 16 |
//! | `relate_prover` | 100 | 19 |
//! | `relate_verifier` | 52 | 8.8 |
//! | multiple of pairs added | 75 | 14 |
//! | multiple added | 37 | 6.8 |
//!
//! Inner products of eight elements already gain a little, so groups of eight are the least.

#[cfg(target_arch = "x86_64")]
mod dispatch;
#[cfg(target_arch = "x86_64")]
mod kernels;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod limbs;
#[cfg(not(target_arch = "x86_64"))]
mod none;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

#[cfg(target_arch = "x86_64")]
pub(super) use dispatch::Vectors;
#[cfg(not(target_arch = "x86_64"))]
pub(super) use none::Vectors;
