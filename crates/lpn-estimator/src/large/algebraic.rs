//! AGB and AGB 2.0 over a large field.
//!
//! Source: 2023/176 (Hilbert series for large fields) and 2025/1476, as in `super::super::algebraic`. Without
//! `e^2 = e` a block's monomials of degree i are the powers of one of its `b` variables, `1 + b z / (1 - z)`;
//! a guess of `mu` noise-free positions in each of `f` blocks and the `n - k` parity checks leave, under the
//! assumption of regularity,
//!
//! ```text
//! H(z) = (1 - z)^(n-k) (1 + (b-mu) z/(1-z))^f (1 + b z/(1-z))^(t-f)
//!      = (1 - z)^(n-k-t) (1 + (b-mu-1) z)^f (1 + (b-1) z)^(t-f)
//! ```
//!
//! and the system is solved at the first degree whose coefficient is below 1. The published scripts write the
//! number of monomials as `M(z) = (1 + (b-mu-1) z)^f (1 + (b-1) z)^(t-f) / (1 - z)^(t-1)`, and so do we.
//!
//! # What is ours
//!
//! * **Secret instead of noise.** Where a round has many more samples than dimensions, most of M stands for
//!   noise that the parity checks give away: written in the `k' = k - f mu` dimensions that a guess leaves
//!   there are `R = C(k' + d, d)` monomials. The attacker takes the cheaper of `3 (k' + 1) M^2` and
//!   `min(5.64 R^2.8, 3 C(k' + 2, 2) R^2)`, the latter with `k (f mu)^1.8` for using the guess; for AGB 2.0,
//!   `|M|` is the smaller of M and R. For blocks of 4 to 512 that takes tens of bits off.
//! * **Degrees up to 8**, which small dimensions need; the scripts stop at 4.
//! * The coefficient decides by itself, as in 2022/712's script; 2025/1476's wants the sum of the
//!   coefficients to be below 1, which is later.

use super::super::Shape;
use super::super::algebraic::Guess;
use super::super::binomial::log2_add;
use super::super::search::{first, minimum};
use super::{Large, STRASSEN};

/// Largest degree considered: at dimension 2^9, where it could matter most, no attack with a higher one costs
/// less than 2^128.
const DEGREE: usize = 8;

/// Most values of `f` tried at a degree; their costs differ little from one to the next.
const STEPS: u64 = 1024;

/// Coefficients of a power series that starts with 1.
///
/// Made from power sums (Newton's identities): those of H are of the size of `k`, so nothing cancels that is
/// larger than the result's scale, as it would if the factors, of the size of `n`, were multiplied.
struct Series([f64; DEGREE + 1]);

impl Series {
    /// `exp(sum p(i) z^i / i)`.
    fn from_power_sums(p: impl Fn(i32) -> f64) -> Self {
        let p: [f64; DEGREE] = std::array::from_fn(|i| p(i as i32 + 1));
        let mut h = [1.0; DEGREE + 1];
        for d in 1..=DEGREE {
            h[d] = (0..d).map(|i| p[i] * h[d - 1 - i]).sum::<f64>() / d as f64;
        }
        Self(h)
    }

    /// Whether a coefficient of degree 1 to `degree` is below 1.
    fn vanishes(&self, degree: usize) -> bool {
        self.0[1..=degree].iter().any(|&h| h < 1.0)
    }

    /// Sum of the coefficients of degree 1 to `degree`.
    fn up_to(&self, degree: usize) -> f64 {
        self.0[1..=degree].iter().sum::<f64>().max(1.0)
    }
}

impl Large {
    /// Power sum of the blocks' variables.
    fn variables(self, guess: Guess, i: i32) -> f64 {
        let Shape { t, .. } = self.shape;
        let (a, f) = (self.shape.block() - 1.0, guess.f as f64);
        let sum = f * (a - guess.mu as f64).powi(i) + (t - f) * a.powi(i);
        if i % 2 == 0 { -sum } else { sum }
    }

    fn monomials(self, guess: Guess) -> Series {
        Series::from_power_sums(|i| self.variables(guess, i) + self.shape.t - 1.0)
    }

    /// H: what the equations leave open.
    fn open(self, guess: Guess) -> Series {
        let Shape { n, k, t } = self.shape;
        Series::from_power_sums(|i| self.variables(guess, i) - (n - k - t))
    }

    /// Dimensions that a guess leaves.
    fn left(self, guess: Guess) -> f64 {
        self.shape.k - (guess.f * guess.mu) as f64
    }

    /// R, the monomials in what is left.
    fn remaining(self, guess: Guess) -> Series {
        let left = self.left(guess);
        Series::from_power_sums(|_| left)
    }

    /// `log2` of the cost of using a guess to eliminate dimensions.
    fn elimination(self, guess: Guess) -> f64 {
        let guessed = (guess.f * guess.mu).max(1) as f64;
        self.shape.k.log2() + (STRASSEN.1 - 1.0) * guessed.log2()
    }

    /// `-log2` of the chance that a guess is right.
    fn guess_price(self, guess: Guess) -> f64 {
        guess.f as f64 * self.price(guess.mu as f64)
    }

    /// For about [`STEPS`] numbers of blocks, the largest included, the smallest guess that leaves a system
    /// that `degree` solves.
    fn solving(self, degree: usize) -> impl Iterator<Item = Guess> {
        let t = self.shape.t as u64;
        let step = t.div_ceil(STEPS).max(1);
        (0..=t / step).map(move |i| t - i * step).filter_map(move |f| {
            let solved = |mu| self.open(Guess { f, mu }).vanishes(degree);
            let mu = first(0, Guess::most(self.shape, f), solved)?;
            Some(Guess { f, mu })
        })
    }
}

fn strassen(size: f64) -> f64 {
    STRASSEN.0.log2() + STRASSEN.1 * size.log2()
}

fn wiedemann(row: f64, size: f64) -> f64 {
    (3.0 * row).log2() + 2.0 * size.log2()
}

/// AGB.
pub(super) fn agb(large: Large) -> f64 {
    cheapest(large, DEGREE, |guess, degree| {
        in_noise(large, guess, degree).min(in_secret(large, guess, degree))
    })
}

/// The lowest of `solve` over what it costs to guess right, for degrees up to `degrees`.
pub(super) fn cheapest(large: Large, degrees: usize, solve: impl Fn(Guess, usize) -> f64) -> f64 {
    let mut best = f64::INFINITY;
    for degree in 2..=degrees {
        for guess in large.solving(degree) {
            // As over F2: the least that solves, or so much that hardly a variable is left.
            for mu in [guess.mu, Guess::most(large.shape, guess.f)] {
                let guess = Guess { mu, ..guess };
                best = best.min(solve(guess, degree) + large.guess_price(guess));
            }
        }
    }
    best
}

/// The published way: variables for the noise.
pub(super) fn in_noise(large: Large, guess: Guess, degree: usize) -> f64 {
    wiedemann(large.left(guess) + 1.0, large.monomials(guess).up_to(degree))
}

fn in_secret(large: Large, guess: Guess, degree: usize) -> f64 {
    let left = large.left(guess);
    let size = large.remaining(guess).up_to(degree);
    let solving = strassen(size).min(wiedemann((left + 1.0) * (left + 2.0) / 2.0, size));
    log2_add(large.elimination(guess), solving)
}

/// AGB 2.0.
pub(super) fn agb2(large: Large) -> f64 {
    let mut best = f64::INFINITY;
    for degree in 2..=DEGREE {
        let cheaper = |a: Guess, b: Guess| if large.guess_price(b) < large.guess_price(a) { b } else { a };
        let Some(last) = large.solving(degree).reduce(cheaper) else { continue };
        let last_price = large.guess_price(last);
        best = best.min(minimum(0, last.f, |f| {
            minimum(0, last.mu, |mu| two_guesses(large, degree, Guess { f, mu }, last_price))
        }));
    }
    best
}

fn two_guesses(large: Large, degree: usize, guess: Guess, last_price: f64) -> f64 {
    let all = large.monomials(guess).up_to(degree).min(large.remaining(guess).up_to(degree)).max(2.0);
    let series = large.open(guess);
    // Beyond a coefficient below 1 the series means nothing, and nothing is open.
    let open = if series.vanishes(degree) { 1.0 } else { series.up_to(degree) };
    let rank = (all - open).max(2.0);
    let eliminate = strassen(all).min((all * rank * rank / rank.log2()).log2());
    let once = log2_add(large.elimination(guess), eliminate) + large.guess_price(guess);
    log2_add(once, strassen(open.min(rank)) + last_price)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The product formula, multiplied out with integers.
    #[test]
    fn coefficients_are_those_of_the_product() {
        let (n, k, t, b, guess) = (480, 100, 40, 12_i128, Guess { f: 7, mu: 3 });
        let factors = [(-1, n - k - t), (b - 1 - 3, 7), (b - 1, t - 7)];
        let mut product = [1_i128, 0, 0, 0, 0, 0, 0, 0, 0];
        for (a, times) in factors {
            for _ in 0..times {
                for i in (1..=DEGREE).rev() {
                    product[i] += a * product[i - 1];
                }
            }
        }
        let shape = Shape { n: n as f64, k: k as f64, t: t as f64 };
        let open = Large { shape, bits: 61.0 }.open(guess);
        for (got, want) in open.0.iter().zip(product) {
            assert!((got - want as f64).abs() <= 1e-9 * (want as f64).abs().max(1.0), "{got} {want}");
        }
    }

    #[test]
    fn monomials_in_what_is_left_are_binomials() {
        let shape = Shape { n: 480.0, k: 100.0, t: 40.0 };
        let remaining = Large { shape, bits: 61.0 }.remaining(Guess { f: 7, mu: 3 });
        // 79, C(80, 2), C(81, 3): monomials of each degree in 79 variables.
        assert_eq!(remaining.0[1..4], [79.0, 3160.0, 85320.0]);
    }
}
