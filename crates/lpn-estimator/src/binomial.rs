//! Logarithms of binomial coefficients and of sums: what the formulas are made of.

use std::f64::consts::{LOG2_E, TAU};

/// `log2(n choose m)` for real arguments; minus infinity (no way to choose) outside `0 <= m <= n`.
///
/// Good to about 1e-7 bits for `n` up to 2^28, far below what the cost models are worth.
pub(super) fn log2_binomial(n: f64, m: f64) -> f64 {
    if m < 0.0 || m > n {
        return f64::NEG_INFINITY;
    }
    (ln_factorial(n) - ln_factorial(m) - ln_factorial(n - m)) * LOG2_E
}

/// `ln(x!)` by Stirling's series, the argument first moved to where four terms give full precision.
fn ln_factorial(x: f64) -> f64 {
    let mut z = x + 1.0;
    let mut moved = 1.0;
    while z < 16.0 {
        moved *= z;
        z += 1.0;
    }
    let w = 1.0 / (z * z);
    let tail = (1.0 / 12.0 - w * (1.0 / 360.0 - w * (1.0 / 1260.0 - w / 1680.0))) / z;
    (z - 0.5) * z.ln() - z + 0.5 * TAU.ln() + tail - moved.ln()
}

/// `log2(2^a + 2^b)`.
pub(super) fn log2_add(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    if high.is_infinite() { high } else { high + (low - high).exp2().ln_1p() * LOG2_E }
}

#[cfg(test)]
mod tests {
    use super::{log2_add, log2_binomial};

    #[test]
    fn binomials_match_exact_integers() {
        let mut row = vec![1u128];
        for n in 0..100 {
            for (m, exact) in row.iter().enumerate() {
                assert!(
                    (log2_binomial(f64::from(n), m as f64) - (*exact as f64).log2()).abs() < 1e-11,
                    "{n} choose {m}"
                );
            }
            let next = row.windows(2).map(|w| w[0] + w[1]);
            row = std::iter::once(1).chain(next).chain([1]).collect();
        }
        assert_eq!(log2_binomial(5.0, 6.0), f64::NEG_INFINITY);
        assert_eq!(log2_binomial(5.0, -1.0), f64::NEG_INFINITY);
    }

    #[test]
    fn sums_are_taken_outside_the_logarithm() {
        assert!((log2_add(3.0, 3.0) - 4.0).abs() < 1e-12);
        assert!((log2_add(1000.0, 0.0) - 1000.0).abs() < 1e-12);
        assert_eq!(log2_add(f64::NEG_INFINITY, 7.0), 7.0);
        assert_eq!(log2_add(f64::INFINITY, 7.0), f64::INFINITY);
    }
}
