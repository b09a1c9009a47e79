//! Searches over the attacker's whole-number parameters.

/// Intervals of one grid.
const INTERVALS: u64 = 32;

/// The smallest value of `cost` found on `first..=last`: on ever finer grids, each around the best point of
/// the one before.
///
/// Exact for costs with one valley; the costs here have one up to roundings worth a fraction of a bit,
/// besides their ends.
pub(super) fn minimum(first: u64, last: u64, cost: impl Fn(u64) -> f64) -> f64 {
    if first > last {
        return f64::INFINITY;
    }
    // The ends (nothing guessed, nothing left to solve) can lie below their neighbours.
    let (mut best, mut at) = (cost(last), last);
    let (mut low, mut high) = (first, last);
    loop {
        let step = (high - low).div_ceil(INTERVALS).max(1);
        let mut x = low;
        while x <= high {
            let value = cost(x);
            if value < best {
                (best, at) = (value, x);
            }
            x += step;
        }
        if step == 1 {
            return best;
        }
        (low, high) = (at.saturating_sub(step).max(first), (at + step).min(last));
    }
}

/// The smallest number in `low..=high` for which `holds` is true, given that it stays true from there on.
pub(super) fn first(low: u64, high: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    if low > high || !holds(high) {
        return None;
    }
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::{first, minimum};

    #[test]
    fn minimum_finds_the_bottom_of_every_valley_and_both_ends() {
        for bottom in 0..3000u64 {
            assert_eq!(minimum(0, 2999, |x| x.abs_diff(bottom) as f64), 0.0, "{bottom}");
        }
        assert_eq!(minimum(7, 7, |x| x as f64), 7.0);
        assert_eq!(minimum(8, 7, |x| x as f64), f64::INFINITY);
    }

    #[test]
    fn first_finds_every_threshold() {
        for threshold in 5..=60 {
            assert_eq!(first(5, 50, |x| x >= threshold), (threshold <= 50).then_some(threshold));
        }
        assert_eq!(first(6, 5, |_| true), None);
    }
}
