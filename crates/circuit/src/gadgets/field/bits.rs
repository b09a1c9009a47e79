//! Bits of elements, and results that are linear in them.

use volery_field::Value;
use zeroize::Zeroizing;

use crate::elements::encode;
use crate::{Error, Ops, Prove};

/// The most bits that an integer in range may have in `F`: the greatest `k` with `2^k <= p`.
///
/// In an extension field, integers are those of its prime field.
#[must_use]
pub fn capacity<F: Value>() -> usize {
    if let Some(p) = F::CHARACTERISTIC {
        return p.ilog2() as usize;
    }
    // An odd prime above 2^64: p and p - 1 have the same length, and -1 is encoded as p - 1.
    let bytes = encode(&[-F::ONE]);
    let last = bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0);
    8 * last + bytes.get(last).map_or(0, |byte| byte.ilog2() as usize)
}

/// Rejects a width that could wrap.
pub(super) fn check_width<F: Value>(width: usize) -> Result<(), Error> {
    let capacity = capacity::<F>();
    if width <= capacity {
        return Ok(());
    }
    Err(Error::misuse(format!("integers of {width} bits could wrap in {}, which holds {capacity}", F::NAME)))
}

/// `2^i` for `i` below `count`.
fn powers<F: Value>(count: usize) -> Vec<F> {
    core::iter::successors(Some(F::ONE), |power| Some(*power + *power)).take(count).collect()
}

/// `2^exponent`.
pub(super) fn power<F: Value>(exponent: usize) -> F {
    (0..exponent).fold(F::ONE, |power, _| power + power)
}

/// The `width` bits of each of `x`, least significant first, one value after the other. Claims that each
/// value is in `[0, 2^width)`.
///
/// Commits to the bits.
///
/// # Errors
/// [`Error::Misuse`] for a width beyond [`capacity`]; the backend's.
pub fn to_bits<F: Value, B: Prove<F>>(
    b: &mut B,
    x: &[B::Wire],
    width: usize,
) -> Result<Vec<B::Wire>, B::Error> {
    check_width::<F>(width)?;
    let count =
        x.len().checked_mul(width).ok_or_else(|| Error::misuse("more bits than memory could hold"))?;
    let bits = b.secret(count, &mut |peek| {
        let mut bits = Vec::with_capacity(count);
        for x in x {
            let bytes = Zeroizing::new(encode(&[peek.value(x)]));
            bits.extend((0..width).map(|i| F::from_u64(u64::from(bytes[i / 8] >> (i % 8) & 1))));
        }
        Ok(bits)
    })?;
    b.assert_products(&bits, &bits, &bits)?;
    // sum 2^i b_i - x = 0
    let mut row = powers::<F>(width);
    row.push(-F::ONE);
    let mut terms = Vec::with_capacity(width + 1);
    for (index, x) in x.iter().enumerate() {
        terms.clear();
        terms.extend(bits.iter().skip(index * width).take(width).cloned());
        terms.push(x.clone());
        b.assert_linear(&row, &terms, &[F::ZERO])?;
    }
    Ok(bits)
}

/// `sum 2^i bits[i]`: no commitments.
pub fn from_bits<F: Value, B: Ops<F> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> B::Wire {
    let mut bits = bits.iter().rev();
    let Some(first) = bits.next() else { return b.constant(F::ZERO) };
    bits.fold(first.clone(), |sum, bit| {
        let doubled = b.add(&sum, &sum);
        b.add(&doubled, bit)
    })
}

/// Claims that each of `x` is in `[0, 2^width)`. Commits to `width` bits each.
///
/// For a few values, use [`assert_one_of`](crate::Polynomials::assert_one_of), which commits to nothing.
///
/// # Errors
/// As [`to_bits`].
pub fn assert_in_range<F: Value, B: Prove<F>>(
    b: &mut B,
    x: &[B::Wire],
    width: usize,
) -> Result<(), B::Error> {
    to_bits(b, x, width).map(|_| ())
}

/// Claims that each of `x` is in `[-2^(width-1), 2^(width-1))`. Commits to `width` bits each.
///
/// # Errors
/// As [`to_bits`]; [`Error::Misuse`] for a width of 0.
pub fn assert_in_signed_range<F: Value, B: Prove<F>>(
    b: &mut B,
    x: &[B::Wire],
    width: usize,
) -> Result<(), B::Error> {
    let shifted = lift::<F, B>(b, x, width)?;
    assert_in_range(b, &shifted, width)
}

/// `x + 2^(width-1)`: maps signed integers in range to unsigned ones.
fn lift<F: Value, B: Prove<F>>(b: &mut B, x: &[B::Wire], width: usize) -> Result<Vec<B::Wire>, B::Error> {
    check_width::<F>(width)?;
    let Some(exponent) = width.checked_sub(1) else {
        return Err(Error::misuse("signed integers have at least one bit").into());
    };
    let offset = power(exponent);
    Ok(x.iter().map(|x| b.add_constant(x, offset)).collect())
}

/// The result of [`divide`].
#[derive(Clone, Debug)]
pub struct Division<W> {
    /// The quotients.
    pub quotients: Vec<W>,
    /// The remainders.
    pub remainders: Vec<W>,
}

/// Quotient and remainder of each of `x` by `2^shift`; claims that each is in `[0, 2^width)`. Commits to
/// `width` bits each.
///
/// # Errors
/// As [`to_bits`]; [`Error::Misuse`] for a shift beyond the width.
pub fn divide<F: Value, B: Prove<F>>(
    b: &mut B,
    x: &[B::Wire],
    width: usize,
    shift: usize,
) -> Result<Division<B::Wire>, B::Error> {
    if shift > width {
        return Err(Error::misuse(format!("integers of {width} bits shifted by {shift}")).into());
    }
    let bits = to_bits(b, x, width)?;
    let mut division = Division { quotients: Vec::new(), remainders: Vec::new() };
    for index in 0..x.len() {
        let (low, high) = bits[index * width..][..width].split_at(shift);
        division.quotients.push(from_bits(b, high));
        division.remainders.push(from_bits(b, low));
    }
    Ok(division)
}

/// `floor(x / 2^shift)` of each of `x`; claims that each is in `[-2^(width-1), 2^(width-1))`. Commits to
/// `width` bits each.
///
/// # Errors
/// As [`to_bits`]; [`Error::Misuse`] for a shift that leaves no bit.
pub fn shift_right_signed<F: Value, B: Prove<F>>(
    b: &mut B,
    x: &[B::Wire],
    width: usize,
    shift: usize,
) -> Result<Vec<B::Wire>, B::Error> {
    if shift >= width {
        return Err(Error::misuse(format!("signed integers of {width} bits shifted by {shift}")).into());
    }
    let lifted = lift::<F, B>(b, x, width)?;
    let quotients = divide(b, &lifted, width, shift)?.quotients;
    let offset = power::<F>(width - 1 - shift);
    Ok(quotients.iter().map(|quotient| b.add_constant(quotient, -offset)).collect())
}
