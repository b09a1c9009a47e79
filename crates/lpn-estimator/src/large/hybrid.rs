//! The hybrid attack over a large field: 2025/1284, as the published script costs it for large fields, with
//! two liberties.
//!
//! As in `super::super::hybrid` with these differences: a block has no known sum, so all its `b` positions
//! are variables, a guess leaves `r = k` less the guessed ones, and `m = sum (b - u)(b - u - 1) / 2` products
//! vanish; squares are monomials of their own; in each of the `q` blocks set aside the value stays unknown
//! when the place is guessed. So elimination of the `v (v + 1) / 2` monomials of degree two in `v = r - b q`
//! variables must leave enough equations for the `v + 2 q + q v + q (q - 1) / 2` monomials that remain.
//!
//! *Ours*: enough is as many as there are monomials (the script asks for 2.5 times as many, which is over F2
//! what makes a wrong guess show; over a large field one more does), and eliminating costs
//! `R (v (v + 1) / 2)^1.8`, `R` the monomials of degree one and two in `r` variables (the script charges
//! `R^2.8`). Both are at most what the script has.

use super::super::Shape;
use super::super::binomial::log2_add;
use super::super::search::{first, minimum};
use super::{Large, STRASSEN};

/// What is charged.
#[derive(Clone, Copy)]
pub(super) struct Accounting {
    /// Equations wanted for each monomial that remains.
    pub(super) surplus: f64,
    /// Whether only the columns that are eliminated are pivots, or all.
    pub(super) rectangular: bool,
}

const CAREFUL: Accounting = Accounting { surplus: 1.0, rectangular: true };

/// `log2` of the cost, the lowest over the number of blocks set aside and of guessed positions.
pub(super) fn hybrid(large: Large) -> f64 {
    hybrid_with(large, CAREFUL)
}

pub(super) fn hybrid_with(large: Large, accounting: Accounting) -> f64 {
    let mut best = f64::INFINITY;
    for q in 0..large.shape.t as u64 {
        // Trying the places in the blocks set aside costs b^q.
        if q as f64 * large.shape.block().log2() > best {
            break;
        }
        best = best.min(with_aside(large, q as f64, accounting));
    }
    best
}

/// As over F2, guesses are one number, and those that make the system solvable are all from some number on.
fn with_aside(large: Large, q: f64, accounting: Accounting) -> f64 {
    let s = large.shape;
    let most = (s.k - s.block() * q).min((s.t - q) * (s.block() - 2.0));
    if most < 0.0 {
        return f64::INFINITY;
    }
    let cost = |guessed| cost(large, q, guessed as f64, accounting);
    let most = most as u64;
    first(0, most, |guessed| cost(guessed).is_finite())
        .map_or(f64::INFINITY, |fewest| minimum(fewest, most, cost))
}

fn cost(large: Large, q: f64, guessed: f64, accounting: Accounting) -> f64 {
    let Shape { n, k, t } = large.shape;
    let b = large.shape.block();
    let blocks = t - q;
    let u = (guessed / blocks).floor();
    let extended = guessed - u * blocks;
    let price = extended * large.price(u + 1.0) + (blocks - extended) * large.price(u);

    let r = k - guessed;
    let parities = n - k;
    let rows = (parities - (parities / b).floor() * (b - u - 1.0)).max(1.0);
    let elimination = (rows * parities * (rows + r)).log2();
    if r <= 0.0 {
        return elimination + price;
    }

    let w = b * q;
    let v = r - w;
    let products = |free: f64| free * (free - 1.0) / 2.0;
    let quadratic = (blocks - extended) * products(b - u) + extended * products(b - u - 1.0);
    let pairs = products(v + 1.0);
    let remaining = v + 2.0 * q + q * v + products(q);
    if v > 0.0 && quadratic - pairs < accounting.surplus * remaining {
        return f64::INFINITY;
    }
    let columns = products(r + 1.0) + r;
    let pivots = if accounting.rectangular { pairs.max(1.0) } else { columns };
    let linearisation = columns * pivots.powf(STRASSEN.1 - 1.0);
    let wanted = accounting.surplus * remaining;
    let solving = wanted.powf(STRASSEN.1) + wanted * (v + 2.0 * w + w * v + products(w));
    let once = log2_add(elimination, linearisation.max(1.0).log2());
    log2_add(once, solving.max(1.0).log2() + q * b.log2()) + price
}
