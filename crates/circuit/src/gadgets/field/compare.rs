//! Comparisons of elements as integers: less than, at most, within a range.

use volery_field::Value;

use super::bits::{assert_in_range, check_width, power, to_bits};
use crate::{Error, Prove};

/// For each `i`, a wire that is 1 if `x[i] < y[i]` and 0 otherwise. Both must be in `[0, 2^width)`. Commits
/// to `width + 1` bits each.
///
/// # Errors
/// [`Error::Misuse`] if the lengths differ, or if the width is not below [`capacity`](super::capacity); the
/// backend's.
pub fn less_than<F: Value, B: Prove<F>>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
    width: usize,
) -> Result<Vec<B::Wire>, B::Error> {
    check_width::<F>(width.saturating_add(1))?;
    // x - y + 2^width is in (0, 2^(width + 1)); its top bit says x >= y.
    let offset = power(width);
    let differences = differences(b, x, y)?;
    let lifted: Vec<B::Wire> = differences.iter().map(|d| b.add_constant(d, offset)).collect();
    let bits = to_bits(b, &lifted, width + 1)?;
    let top = bits.iter().skip(width).step_by(width + 1);
    Ok(top
        .map(|top| {
            let negated = b.scale(top, -F::ONE);
            b.add_constant(&negated, F::ONE)
        })
        .collect())
}

/// Claims `x[i] <= y[i]` for each `i`. Both must be in `[0, 2^width)`. Commits to `width` bits each.
///
/// # Errors
/// As [`less_than`].
pub fn assert_at_most<F: Value, B: Prove<F>>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
    width: usize,
) -> Result<(), B::Error> {
    // If there is room for one more bit, a negative difference is not in range.
    check_width::<F>(width.saturating_add(1))?;
    let differences = differences(b, y, x)?;
    assert_in_range(b, &differences, width)
}

/// For each of `x`, a wire that is 1 if it is zero and 0 otherwise. Commits to two elements each.
///
/// With a committed `v`: `x v = 1 - z` and `x z = 0`. If `x` is zero, the first claim implies `z = 1`;
/// otherwise the second implies `z = 0`. This holds in any field, for any element.
///
/// # Errors
/// Any error of the backend.
pub fn is_zero<F: Value, B: Prove<F>>(b: &mut B, x: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    let mut inverses = b.secret(2 * x.len(), &mut |peek| {
        // If there is no inverse, any element will do. So zero needs no branch in the claims, and takes the
        // same time.
        let inverses = x.iter().map(|x| peek.value(x).inverse_or_zero());
        let mut values: Vec<F> = inverses.collect();
        for (index, x) in x.iter().enumerate() {
            values.push(F::ONE - peek.value(x) * values[index]);
        }
        Ok(values)
    })?;
    if inverses.len() != 2 * x.len() {
        return Err(Error::misuse("a backend returned too few wires").into());
    }
    let zeros = inverses.split_off(x.len());
    let mut products = Vec::with_capacity(x.len());
    for zero in &zeros {
        let negated = b.scale(zero, -F::ONE);
        products.push(b.add_constant(&negated, F::ONE));
    }
    b.assert_products(x, &inverses, &products)?;
    let nothing = vec![b.constant(F::ZERO); x.len()];
    b.assert_products(x, &zeros, &nothing)?;
    Ok(zeros)
}

/// For each `i`, a wire that is 1 if `x[i] = y[i]` and 0 otherwise. Commits to two elements each.
///
/// # Errors
/// [`Error::Misuse`] if the lengths differ; the backend's.
pub fn equal<F: Value, B: Prove<F>>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let differences = differences(b, x, y)?;
    is_zero(b, &differences)
}

/// `x[i] - y[i]` for each `i`.
fn differences<F: Value, B: Prove<F>>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    if x.len() != y.len() {
        return Err(Error::misuse(format!("comparisons of {} and {} values", x.len(), y.len())).into());
    }
    Ok(x.iter().zip(y).map(|(x, y)| b.sub(x, y)).collect())
}
