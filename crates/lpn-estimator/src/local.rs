//! What a local code gives away: attacks that need the rows of the matrix to be sparse.
//!
//! The other modules take the matrix `A` as uniform. Here each of its `n` rows has `l` positions out of `k`,
//! drawn at random and known to all. So one can look for a **minor**: `s` columns that support `r > s` rows,
//! which are an LPN instance of their own, of dimension `s`, with as little noise as `r` rows catch. Dense
//! minors of sparse matrices are the known weakness of sparse LPN (Dao, Ishai, Jain, Lin, CRYPTO 2023, ePrint
//! 2023/1589) and, by guessing, of Goldreich's generator (Couteau, Dupin, Meaux, Rossi, Rotella, ASIACRYPT
//! 2018, ePrint 2018/1162). Nothing of this is in the published estimators of LPN with regular noise, nor in
//! [`super::Estimate`]; `docs/local-code.md` tells what it does to parameters in use elsewhere.
//!
//! **Peeling** ([`peel`]). Of the real matrix, made by AES as the protocols make it, a column with fewest
//! rows is taken away, again and again, and its rows with it. Every state on the way is a minor, and towards
//! the end rows fall below columns. At k = 2^16, n = 13.6 k and l = 10 it ends with 41,800 columns; columns
//! taken at random would be 49,000. Matrices hardly differ: some dozens of columns between the worst and the
//! best of many.
//!
//! **Information set decoding on a minor** of `r = s + w` rows. An attempt counts on `p` noise positions
//! among the rows. It finds the `w` parity checks by block Wiedemann, `3 (l + 1) s^2` operations, computes
//! their values on `y`, `w r`, and on all choices of `p / 2` rows out of either half, `2 w C(r / 2, p / 2)`
//! operations, and tests the pairs that agree with `y`, `2^8` each. It succeeds if of the blocks, each with
//! `r / t` rows in the minor, exactly `p` have their noise there, and these split evenly. Attempts repeat
//! with other minors, which are as good and as many as wanted (a column taken away at random in between), so
//! the cost is that of an attempt over its chance. Over a large field a check is worth the field's bits, the
//! values of the errors are known for nothing, but use up `p` checks.
//!
//! * *Algebra shared.* Attempts on neighbouring minors can share eliminations, as other variants of the
//!   decoding do; each then has a minor that is a little worse. [`Peeling::lists_bits`] is the figure with
//!   linear algebra for nothing, below which no sharing leads.
//! * *Rank.* The peeled rows lack one or two of full rank, which the attacker tries out: not charged.
//!
//! **A floor** ([`floor`]). Better minors than those of peeling may exist. The expected number of sets of `s`
//! columns that support `r` rows is at most
//!
//! ```text
//! C(k, s) 2^(-n D(r/n || (s/k)^l))        D: Kullback-Leibler divergence of two coins
//! ```
//!
//! so below some `s` there is none but with chance 2^-60, whoever looks for it and however long. That `s` is
//! 6% below what peeling finds. The floor charges an attacker who has such minors for nothing, and as many as
//! it wants.
//!
//! **Sparse quadratic equations** ([`sparse_equations`]): algebraic attacks that keep the equations sparse.
//! They took the set (2^16, 870 blocks of 2^10) to 120 bits, the published hybrid attack to 128.
//!
//! # Many rounds
//!
//! Each round has a matrix of its own, whose key the party with the secret draws once the other's messages
//! are fixed. So minors and parity checks of one round say nothing of another, and an attempt on any of `N`
//! rounds has the chance of an attempt on one: breaking *some* round costs what breaking one costs. What is
//! left is the choice of the softest matrix: 2^20 peelings cost 2^44 operations and gain five standard
//! deviations of `s`, less than one bit, which the floor includes. (With one matrix for all, parity checks
//! were computed once for the world, and an attempt on a further round cost its lists only.) The party that
//! draws the key can only harm itself by a soft one: LPN hides its own secret, and the other has no say.
//!
//! # What was tried and does not help
//!
//! * *Light parity checks.* A check on `v` rows has bias `(1 - 2/b)^v`, so it pays only if its weight is
//!   below a quarter of `s`. The kernel of a peeled minor has vectors of half its rows, like random ones, and
//!   sums of them are little lighter (a test below computes them). Lighter ones exist, by counting, at about
//!   `k / 12` rows, but finding them is decoding the dual code, of dimension `n - k`.
//! * *Guessing coordinates of the secret* costs a bit (or an element) each and saves at most as many rows as
//!   a column has in the minor, some 40; a row costs `1.44 / b` bits.
//! * *Minors for the hybrid attack*: it lives on many rows of each block, of which minors have few;
//!   [`sparse_equations`] tries minors of all sizes, and the whole matrix is best.

mod matrix;
mod minor;
mod sparse;
#[cfg(test)]
mod tests;

use super::Instance;
use matrix::Peeled;
use minor::{Algebra, Cost, Minor, fewest_columns};

/// What peeling one matrix led to; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peeling {
    /// Columns of the minor that is cheapest to attack.
    pub columns: u64,
    /// Rows within these columns.
    pub rows: u64,
    /// Noise positions that an attempt on it counts on.
    pub errors: u32,
    /// `log2` of the cost of the attack.
    pub bits: f64,
    /// The same with linear algebra for nothing, on the minor that is best then.
    pub lists_bits: f64,
}

/// What no minor of any matrix goes below; see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Columns of the smallest minor that may exist with the number of rows that is best for the attacker.
    pub columns: u64,
    /// `log2` of the cost of the attack on it.
    pub bits: f64,
}

/// Peels the matrix of `instance` with `locality` positions a row (at most 32) under the public `key`, and
/// costs the best attack on what is left.
///
/// For a dimension that is a power of two it is the matrix of the protocols, for others one drawn uniformly
/// ([`Positions`](super::Positions)). Takes `8 l n` bytes and about a second for each million rows.
#[must_use]
pub fn peel(instance: &Instance, locality: u32, key: [u8; 16]) -> Peeling {
    let peeled = Peeled::new(instance, locality.clamp(1, 32), key);
    let best = |algebra| {
        peeled
            .minors()
            .map(|minor| (minor.cost(instance, locality, algebra), minor))
            .min_by(|a, b| a.0.bits.total_cmp(&b.0.bits))
    };
    let (Cost { bits, errors }, minor) = best(Algebra::TOGETHER).unwrap_or(NONE);
    let (lists, _) = best(Algebra::FREE).unwrap_or(NONE);
    Peeling {
        columns: minor.columns as u64,
        rows: minor.rows as u64,
        errors: errors as u32,
        bits,
        lists_bits: lists.bits,
    }
}

/// Where there are never more rows than columns.
const NONE: (Cost, Minor) = (Cost { bits: f64::INFINITY, errors: 0 }, Minor { columns: 0.0, rows: 0.0 });

/// The [`peel`]ing that is worst for the defender, of the matrices under the keys 0, 1, ... in little-endian
/// order.
#[must_use]
pub fn peel_worst(instance: &Instance, locality: u32, matrices: u32) -> Option<Peeling> {
    let key = |i: u32| u128::from(i).to_le_bytes();
    (0..matrices).map(|i| peel(instance, locality, key(i))).min_by(|a, b| a.bits.total_cmp(&b.bits))
}

/// What the best minors cost that a matrix with `locality` positions a row can have; quick.
#[must_use]
pub fn floor(instance: &Instance, locality: u32) -> Floor {
    let minors = (1..MOST_SPARE).map(|spare| {
        let columns = fewest_columns(instance, locality, f64::from(spare));
        let minor = Minor { columns, rows: columns + f64::from(spare) };
        Floor { columns: columns as u64, bits: minor.cost(instance, locality, Algebra::TOGETHER).bits }
    });
    minors.fold(Floor { columns: 0, bits: f64::INFINITY }, |a, b| if b.bits < a.bits { b } else { a })
}

/// Rows beyond columns that an attempt uses are always fewer: so many check 2^100 choices.
const MOST_SPARE: u32 = 100;

/// `log2` of the cheapest algebraic attack that keeps equations sparse, on the whole matrix or on the rows
/// within a share of its columns.
#[must_use]
pub fn sparse_equations(instance: &Instance, locality: u32) -> f64 {
    let minors = (SHARES / 2..=SHARES)
        .map(|i| {
            Minor::random(instance, locality, instance.dimension() as f64 * f64::from(i) / f64::from(SHARES))
        })
        .filter(|minor| minor.rows > minor.columns);
    minors.map(|minor| sparse::cost(instance, minor, locality)).fold(f64::INFINITY, f64::min)
}

/// Shares of the columns tried, from a half up.
const SHARES: u32 = 40;
