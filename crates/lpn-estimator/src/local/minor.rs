//! What a minor is worth: information set decoding on few rows that lie within few columns.

use super::super::binomial::{log2_add, log2_binomial};
use super::super::{Field, Instance};

/// Most noise positions enumerated; a handful is best.
const ERRORS: usize = 24;

/// What an attempt is charged for linear algebra, in terms of `(l + 1) s^2` operations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Algebra {
    /// Whatever the number of parity checks.
    pub(super) once: f64,
    /// For each parity check besides.
    pub(super) each: f64,
}

impl Algebra {
    /// Block Wiedemann: about `3 s` products of a vector and the matrix give all parity checks.
    pub(super) const TOGETHER: Self = Self { once: 3.0, each: 0.0 };

    /// Nothing: as if all attempts could share it.
    pub(super) const FREE: Self = Self { once: 0.0, each: 0.0 };
}

/// `rows` rows that have no position outside of `columns` columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minor {
    pub(super) columns: f64,
    pub(super) rows: f64,
}

/// The cheapest attempt on a minor, over its chance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    pub(super) bits: f64,
    /// Noise positions among the rows that the attempt counts on.
    pub(super) errors: usize,
}

/// The chance that the noise of a block is not zero.
pub(super) fn nonzero(instance: &Instance) -> f64 {
    match instance.field() {
        Field::Binary => 1.0,
        Field::Large { bits } => 1.0 - (-f64::from(bits)).exp2(),
    }
}

impl Minor {
    /// The minor that `columns` columns chosen at random make.
    pub(super) fn random(instance: &Instance, locality: u32, columns: f64) -> Self {
        let share = columns / instance.dimension() as f64;
        Self { columns, rows: instance.samples() as f64 * share.powi(locality as i32) }
    }

    /// `log2` of the chance that exactly `errors` of the rows are noisy: at most one of each block, rows
    /// spread evenly over the blocks.
    fn chance(self, instance: &Instance, errors: f64) -> f64 {
        let share = nonzero(instance) * self.rows / instance.samples() as f64;
        let t = instance.blocks() as f64;
        log2_binomial(t, errors) + errors * share.log2() + (t - errors) * (1.0 - share).log2()
    }

    /// See the module's documentation.
    pub(super) fn cost(self, instance: &Instance, locality: u32, algebra: Algebra) -> Cost {
        let spare = (self.rows - self.columns).max(1.0);
        let charged = (algebra.once + algebra.each * spare) * (f64::from(locality) + 1.0);
        let solving = charged.log2() + 2.0 * self.columns.log2();
        let mut best = Cost { bits: f64::INFINITY, errors: 0 };
        for errors in 0..=ERRORS {
            let p = errors as f64;
            let half = (p / 2.0).ceil();
            let list = log2_binomial(self.rows / 2.0, half);
            // Over a large field the values of p errors explain as many checks.
            let checked = match instance.field() {
                Field::Binary => spare,
                Field::Large { bits } => (spare - p).max(0.0) * f64::from(bits),
            };
            let lists = spare.log2() + log2_add(self.rows.log2(), 1.0 + list);
            let pairs = 2.0 * list - checked + TEST;
            let attempt = log2_add(log2_add(solving, lists), pairs);
            // Both halves of the rows have half of the errors; of an odd number either has one more.
            let split = log2_binomial(p, half) - p + p % 2.0;
            let bits = attempt - self.chance(instance, p) - split;
            if bits < best.bits {
                best = Cost { bits, errors };
            }
        }
        best
    }
}

/// `log2` of the cost of a test of a pair that agrees on all checks.
const TEST: f64 = 8.0;

/// How rare a minor must be, in bits, to be left out of account: with one matrix a round, 2^-40 for 2^20
/// rounds.
const RARE: f64 = 60.0;

/// A number of columns within which `spare` more rows than columns lie nowhere in a matrix but with chance
/// `2^-RARE`.
pub(super) fn fewest_columns(instance: &Instance, locality: u32, spare: f64) -> f64 {
    let (k, n) = (instance.dimension() as f64, instance.samples() as f64);
    // log2 of a bound on the expected number of such minors.
    let expected = |s: f64| {
        let (x, q) = ((s + spare) / n, (s / k).powi(locality as i32));
        if x <= q {
            return f64::INFINITY;
        }
        let divergence = x * (x / q).log2() + (1.0 - x) * ((1.0 - x) / (1.0 - q)).log2();
        log2_binomial(k, s) - n * divergence
    };
    // It falls from zero columns on and then grows until such minors are everywhere: the last crossing
    // counts.
    let (mut low, mut high) = (0.0, k);
    while high - low > 0.5 {
        let middle = 0.5 * (low + high);
        if expected(middle) < -RARE {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_of_all_numbers_of_errors_add_up_to_one() {
        let instance = Instance::over(Field::Large { bits: 8 }, 1 << 10, 20, 1 << 8).unwrap();
        let minor = Minor { columns: 600.0, rows: 1900.0 };
        let sum: f64 = (0..=20).map(|p| minor.chance(&instance, f64::from(p)).exp2()).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }

    /// 3 * 11 * 600^2 operations; 610 rows in 100 blocks of 4,096, none noisy: (1 - 6.1/4096)^100; one noisy
    /// costs more.
    #[test]
    fn an_attempt_costs_its_algebra_where_noise_is_rare() {
        let instance = Instance::new(1 << 12, 100, 1 << 12).unwrap();
        let cost = Minor { columns: 600.0, rows: 610.0 }.cost(&instance, 10, Algebra::TOGETHER);
        assert_eq!(cost.errors, 0);
        assert!((cost.bits - (23.502 + 0.215)).abs() < 0.01, "{cost:?}");
    }
}
