//! Attacks that ignore where the noise sits: pooled Gauss, statistical decoding, information set decoding.
//!
//! Source: Liu, Wang, Yang, Yu, ePrint 2022/712, the costs over F2. They take exact noise, `t` errors
//! anywhere among `n` samples; regular noise comes to that when the parity of every block has been used, (n,
//! k, t) becoming (n - t, k - t, t) (section 5.1 there), which the caller has done. Units: additions and
//! multiplications in the field, here of bits; memory is free.

use super::Shape;
use super::binomial::{log2_add, log2_binomial};
use super::search::minimum;

/// Exponent of matrix inversion, as in 2022/712 (Strassen).
const STRASSEN: f64 = 2.8;

/// Largest window `l` tried, in bits; the best ones stay below 100 for every instance of use.
const MAX_WINDOW: f64 = 400.0;

/// Largest weight tried at the bottom of BJMM; 2 is best for every instance of use.
const MAX_BOTTOM: u64 = 12;

/// The search over ascending weights stops when one is this many bits above the best.
const PATIENCE: f64 = 8.0;

/// Guess `k` noise-free samples and solve; an attempt costs the inversion of a matrix of side
/// `min(k, n - k)`.
pub(super) fn pooled_gauss(s: Shape) -> f64 {
    let success = log2_binomial(s.n - s.k, s.t) - log2_binomial(s.n, s.t);
    STRASSEN * s.k.min(s.n - s.k).log2() - success
}

/// Statistical decoding: parity checks of low weight, whose value is biased by the noise.
///
/// Version 2.0 first hides `h` coordinates behind a Walsh-Hadamard transform. 2022/712 bounds it from below
/// by taking `h` as large as the cost of pooled Gauss in bits; we also charge the 2^h of the transform,
/// without which the bound is empty for few samples.
pub(super) fn statistical_decoding(s: Shape) -> f64 {
    let biased = |k: f64| match s.n - k - s.t {
        free if free > 0.0 => (k + 1.0).log2() + 2.0 * s.t * ((s.n - s.t + 1.0) / free).log2(),
        _ => f64::INFINITY,
    };
    let hidden = pooled_gauss(s).floor();
    biased(s.k).min(biased((s.k - hidden).max(0.0)).max(hidden))
}

/// Information set decoding: the cheaper of Stern-Dumer (theorem 14) and Becker-Joux-May-Meurer (theorem 16).
pub(super) fn information_set_decoding(s: Shape) -> f64 {
    let dumer = stern_dumer(s);
    dumer.min(becker_joux_may_meurer(s, dumer))
}

/// `log2` of the partial elimination every iteration starts with, per sample.
fn elimination(s: Shape, window: f64) -> f64 {
    let rows = s.n - s.k - window;
    (rows * s.n / rows.log2().max(1.0)).log2()
}

/// `log2` of the share of noise vectors that agree with a given one of weight `p` on `k + window` given
/// positions.
fn rest_weight(s: Shape, window: f64, p: f64) -> f64 {
    log2_binomial(s.n - s.k - window, s.t - p) - log2_binomial(s.n, s.t)
}

/// The lowest cost over the windows `l` that leave `k + l` even, so that it splits into halves.
fn best_window(s: Shape, cost: impl Fn(f64) -> f64) -> f64 {
    let last = MAX_WINDOW.min(s.n - s.k - 8.0);
    minimum(1, (last / 2.0) as u64, |half| cost(2.0 * half as f64 - s.k % 2.0))
}

/// Stern-Dumer: two lists of weight `p / 2` each, matched on the window.
pub(super) fn stern_dumer(s: Shape) -> f64 {
    let mut best = f64::INFINITY;
    for half in (0..s.t as u64 / 4).map(|half| half as f64) {
        if log2_binomial(s.k / 2.0, half) > best {
            break;
        }
        best = best.min(best_window(s, |window| {
            let list = log2_binomial((s.k + window) / 2.0, half);
            let success = rest_weight(s, window, 2.0 * half) + 2.0 * list;
            if success >= 0.0 {
                return f64::INFINITY;
            }
            let lists = 1.0 + log2_add(list, 2.0 * list - window);
            s.n.log2() + log2_add(elimination(s, window), lists) - success
        }));
    }
    best
}

/// Weights of the levels of BJMM, from the bottom: `p2`, `p1 = 2 (p2 - e2)`, `p = 2 (p1 - e1)`; `e` ones
/// cancel in each merge.
#[derive(Clone, Copy)]
struct Levels {
    p2: f64,
    e2: f64,
    e1: f64,
}

fn becker_joux_may_meurer(s: Shape, bound: f64) -> f64 {
    let mut best = bound;
    for p2 in (2..(s.t as u64).min(MAX_BOTTOM + 1)).step_by(2) {
        let mut lowest = f64::INFINITY;
        for e2 in 0..p2 {
            let p1 = 2 * (p2 - e2);
            for e1 in p1.saturating_sub(s.t as u64 / 2)..p1 {
                let levels = Levels { p2: p2 as f64, e2: e2 as f64, e1: e1 as f64 };
                lowest = lowest.min(best_window(s, |window| bjmm_cost(s, window, levels)));
            }
        }
        if lowest > best + PATIENCE {
            break;
        }
        best = best.min(lowest);
    }
    best
}

fn bjmm_cost(s: Shape, window: f64, levels: Levels) -> f64 {
    let width = s.k + window;
    let Levels { p2, e2, e1 } = levels;
    let p1 = 2.0 * (p2 - e2);
    let p = 2.0 * (p1 - e1);
    if p1.max(p) > width || p > s.t {
        return f64::INFINITY;
    }
    let base = log2_binomial(width / 2.0, p2 / 2.0);
    let (all1, all) = (log2_binomial(width, p1), log2_binomial(width, p));
    // Share of pairs of vectors of weight `p` of which `e` ones cancel.
    let good =
        |p: f64, e: f64| log2_binomial(p, e) + log2_binomial(width - p, p - e) - log2_binomial(width, p);
    let (good2, good1) = (good(p2, e2), good(p1, e1));
    if !(good2.is_finite() && good1.is_finite()) {
        return f64::INFINITY;
    }
    // Bits matched at each merge: as many as leave about one representation (Hamdaoui, Sendrier, ePrint
    // 2013/162).
    let r2 = (good2 + 4.0 * base - all1).floor().clamp(0.0, window - 1.0);
    let r1 = ((good1 + 2.0 * all1 - all).floor() - r2).clamp(0.0, window - 1.0 - r2);
    let merged3 = 2.0 * base - r2;
    let merged2 = 2.0 * merged3 - r1;
    let kept = (good2 + merged2).min(all1 - r1 - r2);
    let merged1 = 2.0 * kept - (window - r1 - r2);
    let found = (good1 + merged1).min(all - window);
    let success = rest_weight(s, window, p) + window + found;
    if success >= 0.0 {
        return f64::INFINITY;
    }
    let lists = log2_add(log2_add(3.0 + base, 2.0 + merged3), 1.0 + log2_add(merged2, merged1));
    s.n.log2() + log2_add(elimination(s, window), lists) - success
}
