//! Information set decoding made for regular noise.
//!
//! Source: Esser, Santini, "Not Just Regular Decoding", ePrint 2023/1568, the concrete costs of appendix A.1:
//! the algorithms by permutation, by enumeration and by representations (depth 2). They use the blocks'
//! parities, which leaves `k - t` dimensions, and take equally many positions `v` of every block into the
//! information set. Units: bit operations, an iteration counted by its costliest step; rounding is ignored
//! there and here; memory is free.

use super::Shape;
use super::binomial::log2_binomial;
use super::search::minimum;

/// Largest weight tried inside the information set, and largest number of ones that cancel; a handful is
/// best.
const MAX_WEIGHT: u64 = 40;
const MAX_CANCELLED: u64 = 32;

/// The cheapest of the three algorithms.
pub(super) fn regular_isd(s: Shape) -> f64 {
    permutation(s).min(enumeration(s)).min(representation(s))
}

pub(super) fn permutation(s: Shape) -> f64 {
    let k = s.k - s.t;
    2.0 * (s.n - k).log2() + s.n.log2() - s.t * (1.0 - k / s.n).log2()
}

/// `log2` of the chance that each half of the blocks has `p / 2` noise positions among the `v` of every block
/// in the set.
fn hit(s: Shape, v: f64, p: f64) -> f64 {
    let share = v / s.block();
    let blocks = log2_binomial((s.t / 2.0).floor(), p / 2.0) + log2_binomial((s.t / 2.0).ceil(), p / 2.0);
    blocks + p * share.log2() + (s.t - p) * (1.0 - share).log2()
}

/// `log2` of the number of ways to place `weight / 2` ones, in distinct blocks of the smaller half, `v`
/// places in each.
fn list_size(s: Shape, v: f64, weight: f64) -> f64 {
    log2_binomial((s.t / 2.0).floor(), weight / 2.0) + v.log2() * weight / 2.0
}

/// The lowest cost over the window, a number of parity checks matched at the end; `iteration` gives the
/// costliest list.
fn best_window(s: Shape, p: f64, last: f64, iteration: impl Fn(f64, f64) -> f64) -> f64 {
    let k = s.k - s.t;
    minimum(0, last.clamp(0.0, s.n - k) as u64, |window| {
        let v = (k + window as f64) / s.t;
        if v >= s.block() {
            return f64::INFINITY;
        }
        let step = (2.0 * (s.n - k).log2()).max(iteration(window as f64, v));
        s.n.log2() + step - hit(s, v, p)
    })
}

fn enumeration(s: Shape) -> f64 {
    let mut best = f64::INFINITY;
    for p in even_weights(s, 2) {
        let list = |v| list_size(s, v, p);
        let smallest = list((s.k - s.t) / s.t);
        if smallest > best {
            break;
        }
        best = best.min(best_window(s, p, 2.0 * smallest + 16.0, |window, v| {
            (1.0 + list(v)).max(2.0 * list(v) - window)
        }));
    }
    best
}

fn representation(s: Shape) -> f64 {
    let mut best = f64::INFINITY;
    for p in even_weights(s, 4) {
        for cancelled in (0..=MAX_CANCELLED).step_by(2).map(|e| e as f64) {
            let list = |v| list_size(s, v, p / 2.0 + cancelled);
            let smallest = list((s.k - s.t) / s.t);
            if smallest > best || !smallest.is_finite() {
                break;
            }
            let representations =
                2.0 * (log2_binomial(p / 2.0, p / 4.0) + log2_binomial((s.t - p) / 2.0, cancelled / 2.0));
            let matched = representations.floor();
            best = best.min(best_window(s, p, 4.0 * smallest + 16.0, |window, v| {
                let middle = 2.0 * list(v) - matched;
                (2.0 + list(v)).max(1.0 + middle).max(2.0 * middle - (window - matched))
            }));
        }
    }
    best
}

fn even_weights(s: Shape, step: usize) -> impl Iterator<Item = f64> {
    (0..=MAX_WEIGHT).step_by(step).map(|p| p as f64).take_while(move |p| *p <= s.t)
}
