//! Algebraic attacks on regular noise: linear algebra on the monomials up to some degree.
//!
//! Source: Briaud, Oygarden, ePrint 2023/176 ("AGB"), for F2. With one variable per noise position, products
//! within a block vanish, so the monomials of degree i that are left when `mu` positions in each of `f`
//! blocks have been guessed noise-free are counted by the coefficients of
//!
//! ```text
//! M(z) = (1 + (b - mu - 1) z)^f (1 + (b - 1) z)^(t - f)
//! ```
//!
//! and those that the `n - k - 1` parity checks leave open, under the paper's assumption of regularity, by
//! `H(z) = M(z) / (1 + z)^(n-k-1)`. The system is solved at the first degree d up to which the coefficients
//! of H add up to nothing (the constant apart). Then
//!
//! * AGB: `3 (k + 1 - f mu) |M|^2` field operations (Wiedemann) over the chance `(1 - mu/b)^f` of the guess,
//!   `|M|` the number of monomials up to d;
//! * AGB 2.0 (ePrint 2025/1476): make a first guess (f', mu'), eliminate, which leaves `|H|` monomials open;
//!   then guess on to (f, mu) and solve the small rest each time: `T1 / P' + T2 / P` with
//!   `T1 = min(5.64 |M|^2.8, |M| r^2 / log2 r)`, `r = |M| - |H|`, and `T2 = 5.64 min(|H|, r)^2.8`, `|M|` and
//!   `|H|` those of the first guess, up to the degree of the last.
//!
//! Degrees up to four, as in the sources. 2025/1476 takes f' <= f and mu' <= mu with the last guess refining
//! the first; we combine the cheapest last guess of each degree with any first one below it, without regard
//! to whether it refines it.

use super::Shape;
use super::binomial::log2_add;
use super::search::{first, minimum};

/// Largest degree considered.
const DEGREE: usize = 4;

/// Constant and exponent of Strassen's multiplication as 2025/1476 takes them.
const STRASSEN: (f64, f64) = (5.64, 2.8);

/// Coefficients of a power series up to [`DEGREE`]. With at most 2^28 samples all of them, and the sums here,
/// stay below 2^120.
type Series = [i128; DEGREE + 1];

/// `(1 + a z)^e`, for exponents of either sign.
fn power(a: i128, e: i128) -> Series {
    let mut binomial = 1;
    let mut scale = 1;
    std::array::from_fn(|i| {
        if i > 0 {
            let i = i as i128;
            binomial = binomial * (e - i + 1) / i;
            scale *= a;
        }
        binomial * scale
    })
}

fn product(x: &Series, y: &Series) -> Series {
    std::array::from_fn(|i| (0..=i).map(|j| x[j] * y[i - j]).sum())
}

/// Sum of the coefficients of degree 1 to `degree`.
fn up_to(series: &Series, degree: usize) -> i128 {
    series[1..=degree].iter().sum()
}

/// `mu` positions guessed noise-free in each of `f` blocks.
#[derive(Clone, Copy)]
pub(super) struct Guess {
    pub(super) f: u64,
    pub(super) mu: u64,
}

impl Guess {
    /// The largest `mu`: a position of a block stays, and no more is guessed than the dimension.
    pub(super) fn most(s: Shape, f: u64) -> u64 {
        (s.block() as u64 - 1).min((s.k as u64).checked_div(f).unwrap_or(0))
    }

    /// `-log2` of the chance that it is right.
    fn price(self, s: Shape) -> f64 {
        -(self.f as f64) * (1.0 - self.mu as f64 / s.block()).log2()
    }

    fn monomials(self, s: Shape) -> Series {
        let (b, f, t) = (s.block() as i128, i128::from(self.f), s.t as i128);
        product(&power(b - i128::from(self.mu) - 1, f), &power(b - 1, t - f))
    }

    fn open(self, s: Shape) -> Series {
        product(&self.monomials(s), &power(1, 1 - (s.n - s.k) as i128))
    }

    fn solves(self, s: Shape, degree: usize) -> bool {
        let open = self.open(s);
        (1..=degree).any(|d| up_to(&open, d) < 1)
    }

    /// For every `f`, the smallest guess that leaves a system that `degree` solves.
    fn solving(s: Shape, degree: usize) -> impl Iterator<Item = Self> {
        (0..=s.t as u64).filter_map(move |f| {
            let mu = first(0, Self::most(s, f), |mu| Self { f, mu }.solves(s, degree))?;
            Some(Self { f, mu })
        })
    }
}

/// AGB. More guesses than a degree needs lower the chance faster than the size, except at the end, where
/// hardly a variable is left.
pub(super) fn agb(s: Shape) -> f64 {
    let mut best = f64::INFINITY;
    for degree in 2..=DEGREE {
        for guess in Guess::solving(s, degree) {
            for mu in [guess.mu, Guess::most(s, guess.f)] {
                let guess = Guess { mu, ..guess };
                let left = s.k + 1.0 - (guess.f * mu) as f64;
                let size = up_to(&guess.monomials(s), degree) as f64;
                best = best.min((3.0 * left).log2() + 2.0 * size.log2() + guess.price(s));
            }
        }
    }
    best
}

/// AGB 2.0.
pub(super) fn agb2(s: Shape) -> f64 {
    let mut best = f64::INFINITY;
    for degree in 2..=DEGREE {
        let cheaper = |a: Guess, b: Guess| if b.price(s) < a.price(s) { b } else { a };
        let Some(last) = Guess::solving(s, degree).reduce(cheaper) else { continue };
        best = best.min(minimum(0, last.f, |f| {
            minimum(0, last.mu, |mu| two_guesses(s, degree, Guess { f, mu }, last.price(s)))
        }));
    }
    best
}

fn two_guesses(s: Shape, degree: usize, guess: Guess, last_price: f64) -> f64 {
    let strassen = |size: f64| STRASSEN.0.log2() + STRASSEN.1 * size.log2();
    let all = up_to(&guess.monomials(s), degree) as f64;
    let open = up_to(&guess.open(s), degree).max(1) as f64;
    let rank = (all - open).max(2.0);
    let eliminate = strassen(all).min((all * rank * rank / rank.log2()).log2());
    log2_add(eliminate + guess.price(s), strassen(open.min(rank)) + last_price)
}
