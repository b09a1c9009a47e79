//! Integers of any width, unsigned or in two's complement, least significant bit first.

use volery_field::F2;

use super::adder::Adder;
use super::logic::{not, not_word};
use super::same_width;
use crate::Ops;

/// A sum's bits and its carry out.
pub type WithCarry<W> = (Vec<W>, W);

/// `x + y` modulo `2^n`; `n - 1` ANDs.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) if the widths differ; the backend's.
pub fn add<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    same_width("add", x, y)?;
    sum(b, x.len(), [x, y], 0)
}

/// `x + y` in full: `n` bits and the carry out; `n` ANDs.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) if the widths differ; the backend's.
pub fn add_with_carry<B: Ops<F2> + ?Sized>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<WithCarry<B::Wire>, B::Error> {
    same_width("add_with_carry", x, y)?;
    let mut out = sum(b, x.len() + 1, [x, y], 0)?;
    let carry = out.split_off(x.len()).swap_remove(0);
    Ok((out, carry))
}

/// `x + k` modulo `2^n` for a public `k` (its bits from `n` on are ignored). At most `n - 2` ANDs: one for
/// each bit above the lowest set bit of `k`, except for the last bit.
///
/// # Errors
/// Any error of the backend.
pub fn add_constant<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], k: u64) -> Result<Vec<B::Wire>, B::Error> {
    sum(b, x.len(), [x], k)
}

/// `x - y` modulo `2^n`; `n - 1` ANDs.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) if the widths differ; the backend's.
pub fn sub<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    same_width("sub", x, y)?;
    // x - y = NOT (NOT x + y), since NOT z = -z - 1.
    let inverted = not_word(b, x);
    let sum = sum(b, x.len(), [&inverted, y], 0)?;
    Ok(not_word(b, &sum))
}

/// `-x` modulo `2^n`; `n - 2` ANDs (none for `n < 2`).
///
/// # Errors
/// Any error of the backend.
pub fn negate<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    let inverted = not_word(b, x);
    add_constant(b, &inverted, 1)
}

/// Whether `x < y` for unsigned numbers (as a wire); `n` ANDs.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) if the widths differ; the backend's.
pub fn less_than<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Result<B::Wire, B::Error> {
    same_width("less_than", x, y)?;
    // NOT x + y = 2^n - 1 + (y - x) carries exactly if y > x.
    let inverted = not_word(b, x);
    Ok(add_with_carry(b, &inverted, y)?.1)
}

/// Whether `x < y` for numbers in two's complement (as a wire); `n` ANDs.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) if the widths differ; the backend's.
pub fn less_than_signed<B: Ops<F2> + ?Sized>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<B::Wire, B::Error> {
    // Adding 2^(n-1) to both maps the signed order to the unsigned one; modulo 2^n that flips the sign bits.
    let (mut x, mut y) = (x.to_vec(), y.to_vec());
    for sign in [x.last_mut(), y.last_mut()].into_iter().flatten() {
        *sign = not(b, sign);
    }
    less_than(b, &x, &y)
}

/// `x * y` in full, `x.len() + y.len()` bits (schoolbook); for two numbers of `n > 1` bits `2 n^2 - n` ANDs.
///
/// # Errors
/// Any error of the backend.
pub fn multiply<B: Ops<F2> + ?Sized>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let full = x.len() + y.len();
    if x.is_empty() || y.is_empty() {
        return Ok(super::constant(b, 0, full));
    }
    product(b, x, y, full)
}

/// `x * y` modulo `2^n` (schoolbook); `n^2 - n + 1` ANDs for `n > 1`.
///
/// # Errors
/// [`Error::Misuse`](crate::Error::Misuse) if the widths differ; the backend's.
pub fn multiply_low<B: Ops<F2> + ?Sized>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    same_width("multiply_low", x, y)?;
    product(b, x, y, x.len())
}

/// The lowest `width` bits of the product: column `i` sums all `x[j] y[i-j]`.
fn product<B: Ops<F2> + ?Sized>(
    b: &mut B,
    x: &[B::Wire],
    y: &[B::Wire],
    width: usize,
) -> Result<Vec<B::Wire>, B::Error> {
    let mut adder = Adder::new();
    let mut out = Vec::with_capacity(width);
    for i in 0..width {
        let first = (i + 1).saturating_sub(y.len());
        let terms = first..x.len().min(i + 1);
        if !terms.is_empty() {
            let reversed: Vec<_> = y[i + 1 - terms.end..=i - first].iter().rev().cloned().collect();
            for term in b.mul_many(&x[terms], &reversed)? {
                adder.push(b, Some(&term));
            }
        }
        out.push(if i + 1 == width { adder.last_column(b) } else { adder.column(b)? });
    }
    Ok(out)
}

/// `operands[0] + operands[1] + ... + k` modulo `2^width`, in a fresh vector.
fn sum<B: Ops<F2> + ?Sized, const M: usize>(
    b: &mut B,
    width: usize,
    operands: [&[B::Wire]; M],
    k: u64,
) -> Result<Vec<B::Wire>, B::Error> {
    let mut out = super::constant(b, 0, width);
    Adder::new().sum(b, &mut out, operands, k)?;
    Ok(out)
}
