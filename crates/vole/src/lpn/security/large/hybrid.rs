use super::super::Shape;
use super::super::binomial::log2_add;
use super::super::search::{first, minimum};

const STRASSEN: f64 = 2.8;

pub(in super::super) fn hybrid(s: Shape, bits: u32) -> f64 {
    let mut best = f64::INFINITY;
    for q in 0..s.t as u64 {
        if q as f64 * s.block().log2() > best {
            break;
        }
        best = best.min(with_aside(s, q as f64, super::super::Field::Large { bits }.nonzero(), 1.0));
    }
    best
}

pub(in super::super) fn with_aside(s: Shape, q: f64, nonzero: f64, surplus: f64) -> f64 {
    let unknowns = s.k - s.block() * q;
    let most = unknowns.min((s.t - q) * (s.block() - 2.0));
    if most < 0.0 {
        return f64::INFINITY;
    }
    let cost = |guessed| cost(s, q, guessed as f64, nonzero, surplus);
    let most = most as u64;
    first(0, most, |guessed| cost(guessed).is_finite())
        .map_or(f64::INFINITY, |fewest| minimum(fewest, most, cost))
}

pub(in super::super) fn cost(s: Shape, q: f64, guessed: f64, nonzero: f64, surplus: f64) -> f64 {
    let b = s.block();
    let blocks = s.t - q;
    let u = (guessed / blocks).floor();
    let extended = guessed - u * blocks;
    let clean = |u: f64| (1.0 - nonzero * u / b).log2();
    let success = extended * clean(u + 1.0) + (blocks - extended) * clean(u);

    let r = s.k - guessed;
    let parities = s.n - s.k;
    let rows = (parities - (parities / b).floor() * (b - u - 1.0)).max(1.0);
    let elimination = (rows * parities * (rows + r)).log2();
    if r <= 0.0 {
        return elimination - success;
    }
    let w = b * q;
    let v = r - w;
    let quadratic =
        (blocks - extended) * (b - u) * (b - u - 1.0) / 2.0 + extended * (b - u - 1.0) * (b - u - 2.0) / 2.0;
    let pairs = v * (v + 1.0) / 2.0;
    let rest = v + 2.0 * q + q * v + q * (q - 1.0) / 2.0;
    if quadratic - pairs < surplus * rest && v > 0.0 {
        return f64::INFINITY;
    }
    let columns = r * (r + 1.0) / 2.0 + r;
    let linearisation =
        if surplus > 1.0 { columns.powf(STRASSEN) } else { columns * pairs.max(1.0).powf(STRASSEN - 1.0) };
    let known = v + 2.0 * w + w * v + w * (w - 1.0) / 2.0;
    let solving = (surplus * rest).powf(STRASSEN) + surplus * rest * known;
    let once = log2_add(elimination, linearisation.max(1.0).log2());
    log2_add(once, solving.max(1.0).log2() + q * b.log2()) - success
}
