//! Quadratic equations that stay sparse: algebraic attacks without elimination.
//!
//! A product of two noise variables of a block is zero. Written in the secret it has at most `(l + 1)^2`
//! terms, and so has each of its multiples by a monomial. So linear algebra over all `N` monomials of degree
//! up to `d` costs at most `3 (l + 1)^2 N^2` (Wiedemann), as long as guesses, which are rows that are
//! supposed to be noise-free, stay equations and are not used for elimination. How many guesses a degree
//! needs is counted as in the attacks on uniform matrices: from a minor of `s` columns and `r` rows, `r / t`
//! of each block, `mu` of these guessed noise-free in each of `f` blocks, the coefficients of
//!
//! ```text
//! F2:             (1 + (r/t - mu) z)^f (1 + (r/t) z)^(t-f) / (1 + z)^(r-s)
//! large fields:   (1 + (r/t - mu - 1) z)^f (1 + (r/t - 1) z)^(t-f) / (1 - z)^(t+s-r)
//! ```
//!
//! fall below 1 up to that degree, under the assumption of regularity of 2023/176. The parities of blocks
//! over F2, which are dense, are not used; they would save one guess for each block.

use super::super::binomial::{log2_add, log2_binomial};
use super::super::search::first;
use super::super::{Field, Instance};
use super::minor::{Minor, nonzero};

/// Largest degree considered: three quarters of the cost of one more are its monomials.
const DEGREE: usize = 4;

/// Numbers of blocks tried in which positions are guessed.
const STEPS: u64 = 32;

/// Guesses are counted in tenths of a row: a minor has few rows of a block.
const TENTHS: u64 = 10;

/// Coefficients of a power series that starts with 1, from its power sums (Newton's identities).
fn series(p: impl Fn(i32) -> f64) -> [f64; DEGREE + 1] {
    let p: [f64; DEGREE] = core::array::from_fn(|i| p(i as i32 + 1));
    let mut h = [1.0; DEGREE + 1];
    for d in 1..=DEGREE {
        h[d] = (0..d).map(|i| p[i] * h[d - 1 - i]).sum::<f64>() / d as f64;
    }
    h
}

/// What the equations leave open, by degree.
fn open(instance: &Instance, minor: Minor, f: f64, mu: f64) -> [f64; DEGREE + 1] {
    let t = instance.blocks() as f64;
    let (block, checks) = (minor.rows / t, minor.rows - minor.columns);
    let alternate = |i: i32, sum: f64| if i % 2 == 0 { -sum } else { sum };
    let variables = |a: f64, i: i32| f * (a - mu).powi(i) + (t - f) * a.powi(i);
    match instance.field() {
        Field::Binary => series(|i| alternate(i, variables(block, i) - checks)),
        Field::Large { .. } => series(|i| alternate(i, variables(block - 1.0, i)) + (t - checks)),
    }
}

/// `log2` of the cheapest attack on `minor`.
pub(super) fn cost(instance: &Instance, minor: Minor, locality: u32) -> f64 {
    let blocks = instance.blocks();
    let most = (minor.rows / blocks as f64) as u64;
    let row = 2.0 * (f64::from(locality) + 1.0).log2();
    let mut best = f64::INFINITY;
    for degree in 2..=DEGREE {
        let monomials = match instance.field() {
            Field::Binary => (1..=degree).map(|d| log2_binomial(minor.columns, d as f64)).fold(0.0, log2_add),
            Field::Large { .. } => log2_binomial(minor.columns + degree as f64, degree as f64),
        };
        let solving = 3.0_f64.log2() + row + 2.0 * monomials;
        for step in 1..=STEPS {
            let f = (blocks * step).div_ceil(STEPS) as f64;
            let solved = |tenths: u64| {
                let open = open(instance, minor, f, tenths as f64 / TENTHS as f64);
                open[1..=degree].iter().any(|&h| h < 1.0)
            };
            let Some(tenths) = first(0, TENTHS * most, solved) else { continue };
            let guessed = nonzero(instance) * tenths as f64 / (TENTHS * instance.block_size()) as f64;
            best = best.min(solving - f * (1.0 - guessed).log2());
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product formula, multiplied out with integers.
    #[test]
    fn coefficients_are_those_of_the_product() {
        let multiply = |factors: &[(i128, i128)]| {
            let mut product = [1_i128, 0, 0, 0, 0];
            for &(a, times) in factors {
                for _ in 0..times.abs() {
                    if times > 0 {
                        (1..=DEGREE).rev().for_each(|i| product[i] += a * product[i - 1]);
                    } else {
                        (1..=DEGREE).for_each(|i| product[i] -= a * product[i - 1]);
                    }
                }
            }
            product.map(|c| c as f64)
        };
        let minor = Minor { columns: 100.0, rows: 480.0 };
        let binary = Instance::new(128, 40, 16).unwrap();
        let want = multiply(&[(12 - 3, 7), (12, 33), (1, -380)]);
        assert!(
            open(&binary, minor, 7.0, 3.0)
                .iter()
                .zip(want)
                .all(|(h, w)| (h - w).abs() < 1e-6 * w.abs().max(1.0))
        );
        let large = Instance::over(Field::Large { bits: 61 }, 128, 40, 16).unwrap();
        let want = multiply(&[(11 - 3, 7), (11, 33), (-1, 340)]);
        assert!(
            open(&large, minor, 7.0, 3.0)
                .iter()
                .zip(want)
                .all(|(h, w)| (h - w).abs() < 1e-6 * w.abs().max(1.0))
        );
    }

    /// 2^16 monomials of one variable and 2^31 of two: 3 * 121 * 2^62 operations, where the published hybrid
    /// attack eliminates for more.
    #[test]
    fn the_sets_of_before_have_120_bits_against_sparse_equations() {
        let instance = Instance::new(1 << 16, 870, 1 << 10).unwrap();
        let whole = Minor { columns: 65536.0, rows: 870.0 * 1024.0 };
        let bits = cost(&instance, whole, 10);
        assert!((bits - 119.85).abs() < 0.01, "{bits}");
    }
}
