//! Bitwise gadgets. All are free except [`and`], [`or`], [`mux`] and the reductions [`all_ones`],
//! [`any_one`], [`equal`].

use volery_field::F2;

use super::same_width;
use crate::{Error, Ops};

/// `NOT x`; free.
#[inline(always)]
pub fn not<B: Ops<F2> + ?Sized>(b: &mut B, x: &B::Wire) -> B::Wire {
    b.add_constant(x, F2::ONE)
}

/// `NOT x[i]` for every `i`; free.
pub fn not_word<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire]) -> Vec<B::Wire> {
    x.iter().map(|x| not(b, x)).collect()
}

/// `x[i] XOR y[i]` for every `i`; free.
///
/// # Errors
/// [`Error::Misuse`] if the widths differ.
pub fn xor<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    same_width("xor", x, y)?;
    Ok(x.iter().zip(y).map(|(x, y)| b.add(x, y)).collect())
}

/// `x[i] XOR c[i]` for public bits `c`; free.
///
/// # Errors
/// [`Error::Misuse`] if the widths differ.
pub fn xor_constant<B: Ops<F2> + ?Sized>(
    b: &mut B,
    x: &[B::Wire],
    c: &[F2],
) -> Result<Vec<B::Wire>, B::Error> {
    if x.len() != c.len() {
        return Err(Error::misuse(format!("xor_constant of {} wires and {} bits", x.len(), c.len())).into());
    }
    Ok(x.iter().zip(c).map(|(x, c)| b.add_constant(x, *c)).collect())
}

/// `x[i] AND y[i]` for every `i`; one AND a bit.
///
/// # Errors
/// [`Error::Misuse`] if the widths differ; the backend's.
pub fn and<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    same_width("and", x, y)?;
    b.mul_many(x, y)
}

/// `x[i] OR y[i]` for every `i`; one AND a bit.
///
/// # Errors
/// [`Error::Misuse`] if the widths differ; the backend's.
pub fn or<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    same_width("or", x, y)?;
    let mut out = b.mul_many(x, y)?;
    for (out, (x, y)) in out.iter_mut().zip(x.iter().zip(y)) {
        let parity = b.add(x, y);
        *out = b.add(out, &parity);
    }
    Ok(out)
}

/// `x` where `choose` is 1, `y` where it is 0: `y + choose (x + y)`; one AND a bit.
///
/// # Errors
/// [`Error::Misuse`] if the widths differ; the backend's.
pub fn mux<B: Ops<F2> + ?Sized>(
    b: &mut B,
    choose: &B::Wire,
    x: &[B::Wire],
    y: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    same_width("mux", x, y)?;
    let differences = xor(b, x, y)?;
    let mut out = b.mul_many(&vec![choose.clone(); x.len()], &differences)?;
    for (out, y) in out.iter_mut().zip(y) {
        *out = b.add(out, y);
    }
    Ok(out)
}

/// Whether every wire is 1 (as a wire; 1 for no wires); `n - 1` ANDs in `log n` layers.
///
/// # Errors
/// Any error of the backend.
pub fn all_ones<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire]) -> Result<B::Wire, B::Error> {
    let mut layer = x.to_vec();
    while layer.len() > 1 {
        let odd = layer.split_off(layer.len() / 2 * 2);
        let (left, right) = layer.split_at(layer.len() / 2);
        layer = b.mul_many(left, right)?;
        layer.extend(odd);
    }
    Ok(layer.pop().unwrap_or_else(|| b.constant(F2::ONE)))
}

/// Whether some wire is 1 (0 for no wires); `n - 1` ANDs.
///
/// # Errors
/// Any error of the backend.
pub fn any_one<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire]) -> Result<B::Wire, B::Error> {
    let inverted = not_word(b, x);
    let none = all_ones(b, &inverted)?;
    Ok(not(b, &none))
}

/// Whether `x = y` (as a wire); `n - 1` ANDs.
///
/// # Errors
/// [`Error::Misuse`] if the widths differ; the backend's.
pub fn equal<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], y: &[B::Wire]) -> Result<B::Wire, B::Error> {
    same_width("equal", x, y)?;
    let difference = xor(b, x, y)?;
    let differs = any_one(b, &difference)?;
    Ok(not(b, &differs))
}

/// `x << distance` in the width of `x` (`x * 2^distance` modulo `2^n`); free. All zeros from `distance = n`
/// on.
pub fn shift_left<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], distance: usize) -> Vec<B::Wire> {
    let distance = distance.min(x.len());
    let zero = b.constant(F2::ZERO);
    let mut out = vec![zero; distance];
    out.extend_from_slice(&x[..x.len() - distance]);
    out
}

/// `x >> distance` for unsigned `x`; free. All zeros from `distance = n` on.
pub fn shift_right<B: Ops<F2> + ?Sized>(b: &mut B, x: &[B::Wire], distance: usize) -> Vec<B::Wire> {
    let zero = b.constant(F2::ZERO);
    shift_in(x, distance, zero)
}

/// `x >> distance` for `x` in two's complement: copies of the sign bit come in from the left; free.
pub fn shift_right_signed<W: Clone>(x: &[W], distance: usize) -> Vec<W> {
    match x.last() {
        Some(sign) => shift_in(x, distance, sign.clone()),
        None => Vec::new(),
    }
}

fn shift_in<W: Clone>(x: &[W], distance: usize, fill: W) -> Vec<W> {
    let mut out = x[distance.min(x.len())..].to_vec();
    out.resize(x.len(), fill);
    out
}

/// `x` rotated towards the most significant end by `distance` (modulo the width); free.
pub fn rotate_left<W: Clone>(x: &[W], distance: usize) -> Vec<W> {
    let mut out = x.to_vec();
    if !out.is_empty() {
        out.rotate_right(distance % x.len());
    }
    out
}

/// `x` rotated towards the least significant end by `distance` (modulo the width); free.
pub fn rotate_right<W: Clone>(x: &[W], distance: usize) -> Vec<W> {
    let mut out = x.to_vec();
    if !out.is_empty() {
        out.rotate_left(distance % x.len());
    }
    out
}
