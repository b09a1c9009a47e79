//! The hybrid attack on regular noise, ePrint 2025/1284: guess part of the noise, linearise the quadratic
//! equations of the rest.
//!
//! With one variable per noise position, a block gives one linear equation (its sum is 1) and, for each pair
//! of positions, a quadratic one (their product is 0); the `n - k` parity checks are linear. The attacker
//!
//! 1. guesses `u` positions of a block to be noise-free, in some blocks `u + 1`, and none in `q` blocks it
//!    sets aside. The guess holds with probability `P`, the product of `1 - u/b` over the blocks. Elimination
//!    leaves `r` variables: `k - t` less the guessed ones.
//! 2. `w = (b - 1) q` of these stand for the blocks set aside, `v = r - w` for the others, which still give
//!    `m = sum (b - u - 1)(b - u - 2) / 2` quadratic equations. If `v <= sqrt(2m) - 2` the monomials of
//!    degree two in the `v` variables can be eliminated, once per guess, for `v^4 r^2 / (8 log2(v^2 / 2))`
//!    bit operations.
//! 3. For each of the `b^q` places of the noise in the blocks set aside, what remains is linear in `v`
//!    variables: substitute and solve, for `5/4 (2 v^2 w + v w^2) + (5v/2)^3 / log2(5v/2)`.
//!
//! The cost is that of a guess, all three parts, over `P`. Memory (the `v^2 / 2` by `r^2 / 2` matrix) is
//! free. The attack is strong where `n` is large for `k`: the number of quadratic equations grows with the
//! number of blocks, what must be guessed does not.

use super::Shape;
use super::binomial::log2_add;
use super::search::{first, minimum};

/// `log2` of the cost, the lowest over the number of blocks set aside and of guessed positions.
pub(super) fn hybrid(s: Shape) -> f64 {
    let mut best = f64::INFINITY;
    for q in 0..s.t as u64 {
        // Step 3 alone costs b^q.
        if q as f64 * s.block().log2() > best {
            break;
        }
        best = best.min(with_aside(s, q as f64));
    }
    best
}

/// The lowest cost over the number of positions guessed, `q` blocks set aside.
///
/// Guesses are spread evenly, so the pair (`u`, blocks with one more) is one number. Each further guess
/// lowers `v` by one and `sqrt(2m)` by less, so the systems that can be linearised are those from some number
/// of guesses on; the last one leaves `v = 0`.
fn with_aside(s: Shape, q: f64) -> f64 {
    let unknowns = s.k - s.t - (s.block() - 1.0) * q;
    let most = unknowns.min((s.t - q) * (s.block() - 3.0));
    if most < 0.0 {
        return f64::INFINITY;
    }
    let cost = |guessed| cost(s, q, guessed as f64);
    let most = most as u64;
    first(0, most, |guessed| cost(guessed).is_finite())
        .map_or(f64::INFINITY, |fewest| minimum(fewest, most, cost))
}

pub(super) fn cost(s: Shape, q: f64, guessed: f64) -> f64 {
    let b = s.block();
    let blocks = s.t - q;
    let u = (guessed / blocks).floor();
    let extended = guessed - u * blocks;
    let success = extended * (1.0 - (u + 1.0) / b).log2() + (blocks - extended) * (1.0 - u / b).log2();

    let r = s.k - s.t - guessed;
    let parities = s.n - s.k;
    let rows = (parities - (parities / (b - 1.0)).floor() * (b - u - 2.0)).max(1.0);
    let elimination = (rows * parities * (rows + r)).log2();
    if r <= 0.0 {
        return elimination - success;
    }

    let w = (b - 1.0) * q;
    let v = r - w;
    let quadratic = (blocks - extended) * (b - u - 1.0) * (b - u - 2.0) / 2.0
        + extended * (b - u - 2.0) * (b - u - 3.0) / 2.0;
    if v > (2.0 * quadratic).sqrt() - 2.0 && v > 0.0 {
        return f64::INFINITY;
    }
    let linearisation = v.powi(4) * r * r / 8.0 / (v * v / 2.0).max(2.0).log2();
    let solving = 1.25 * (2.0 * v * v * w + v * w * w) + (2.5 * v).powi(3) / (2.5 * v).max(2.0).log2();
    let once = log2_add(elimination, linearisation.max(1.0).log2());
    log2_add(once, solving.max(1.0).log2() + q * b.log2()) - success
}
