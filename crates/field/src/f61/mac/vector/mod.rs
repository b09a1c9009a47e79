//! Vector code for sums of products over `F_{2^61-1}`, and for multiples added to vectors.
//!
//! ```text
//! lanes::Lanes       an instruction set at hand: N lanes of 64 bits, one instruction (or a few) a method
//!   Mul32, Madd52    ... with products of 32 by 32 bits; with sums of halves of products of 52 by 52 bits
//! lanes::Multiplier  elements multiplied with it: `halves` out of Mul32, `limbs` out of Madd52
//! sums, products     the algorithms, on any multiplier
//! leaves             elements of a tree's last level
//! packing            elements of 61 bits side by side
//! dispatch           which of them this CPU gets: `x86_avx2` (4 lanes, halves), `x86_ifma` (8 lanes, limbs), or `none`
//! ```
//!
//! An element is a word below `p = 2^61 - 1`. Elements of two words (authenticated values, the quadratic
//! extension) are read as words, too: even lanes hold the first word of each, odd lanes the second.
//!
//! # What was tested where
//!
//! Everything above the instruction sets is tested against the formulas on any machine: with 4 and 8 lanes,
//! in halves and in limbs, on lanes emulated in plain Rust from Intel's definition of each instruction
//! (`emulated`). `x86_avx2` and `x86_ifma` are tested on CPUs that have them: each method against its
//! emulation, and each kernel against its formula.
//!
//! # What it gains
//!
//! AVX2 only multiplies 32 by 32 bits, and a product of 61 by 61 takes four of these. But it has four lanes,
//! two multiplications a cycle, and no carries between words, so it is faster than the scalar code with its
//! one multiplication a cycle. Measured on one core of an AMD Zen 3 (the least of some hundred runs, with
//! other work on the machine), in nanoseconds for each of 4096 elements or pairs:
//!
//! | | scalar | AVX2 |
//! |---|---|---|
//! | inner product | 0.77 | 0.38 |
//! | products of pairs | 2.5 | 1.5 |
//! | combination of pairs | 1.7 | 0.9 |
//! | multiple added | 2.3 | 0.8 |
//! | multiple of pairs added | 4.9 | 1.9 |

#[cfg(target_arch = "x86_64")]
mod dispatch;
#[cfg(test)]
mod emulated;
#[cfg(any(test, target_arch = "x86_64"))]
mod halves;
#[cfg(any(test, target_arch = "x86_64"))]
mod lanes;
#[cfg(any(test, target_arch = "x86_64"))]
mod leaves;
#[cfg(any(test, target_arch = "x86_64"))]
mod limbs;
#[cfg(not(target_arch = "x86_64"))]
mod none;
#[cfg(any(test, target_arch = "x86_64"))]
mod packing;
#[cfg(any(test, target_arch = "x86_64"))]
mod products;
#[cfg(any(test, target_arch = "x86_64"))]
mod sums;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86_avx2;
#[cfg(target_arch = "x86_64")]
mod x86_ifma;
#[cfg(target_arch = "x86_64")]
mod x86_leaves;

#[cfg(target_arch = "x86_64")]
pub(in crate::f61) use dispatch::Vectors;
#[cfg(not(target_arch = "x86_64"))]
pub(in crate::f61) use none::Vectors;
