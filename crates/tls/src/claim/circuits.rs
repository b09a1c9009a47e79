//! The circuits of classes and assertions, over any backend that proves statements about bits.

use volery_circuit::gadgets::{add, bytes_to_bits};
use volery_circuit::gadgets::{all_ones, any_one, constant, equal, less_than, not, or, xor_constant};
use volery_circuit::{Error, Prove};
use volery_field::F2;

/// Width of [`number`]s: any 19 digits are below 2^64.
pub(crate) const NUMBER_BITS: usize = 64;

/// The wires of each byte.
fn bytes<W>(bits: &[W]) -> &[[W; 8]] {
    bits.as_chunks().0
}

/// Whether a byte is `value`; seven ANDs.
fn is<B: Prove<F2> + ?Sized>(b: &mut B, byte: &[B::Wire; 8], value: u8) -> Result<B::Wire, B::Error> {
    let same = xor_constant(b, byte, &bytes_to_bits(&[!value]))?;
    all_ones(b, &same)
}

/// Claims that no byte is below 32 or 127; and, if `narrow`, that all are from 33 to 126.
pub(super) fn no_controls<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    narrow: bool,
) -> Result<(), B::Error> {
    for byte in bytes(bits) {
        let delete = is(b, byte, 0x7f)?;
        let control = control(b, byte)?;
        let mut none = vec![delete, control];
        if narrow {
            none.push(is(b, byte, b' ')?);
            none.push(byte[7].clone());
        }
        b.assert_zero(&none)?;
    }
    Ok(())
}

/// Whether a byte is below 32: its three highest bits are zero.
fn control<B: Prove<F2> + ?Sized>(b: &mut B, byte: &[B::Wire; 8]) -> Result<B::Wire, B::Error> {
    let high = any_one(b, &byte[5..])?;
    Ok(not(b, &high))
}

/// Claims that a JSON string with these bytes inside ends where they end (RFC 8259, section 7).
///
/// `open` is whether the bytes so far end within an escape: after `\` that is not itself escaped. A quotation mark elsewhere would
/// end the string. What follows `\u` are hexadecimal digits in any JSON, and nothing that could end the string in what is not.
pub(super) fn json_text<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<(), B::Error> {
    let mut open = b.constant(F2::new(false));
    for byte in bytes(bits) {
        let quote = is(b, byte, b'"')?;
        let backslash = is(b, byte, b'\\')?;
        let closed = not(b, &open);
        let next = b.mul_many(&[quote, backslash], &[closed.clone(), closed])?;
        let control = control(b, byte)?;
        let [end, escape] =
            <[_; 2]>::try_from(next).map_err(|_| Error::misuse("two products are not two"))?;
        b.assert_zero(&[end, control])?;
        open = escape;
    }
    b.assert_zero(&[open])
}

/// Claims that the bytes are digits, at least one, the first of several not zero.
pub(super) fn json_number<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<(), B::Error> {
    let digits = bytes(bits);
    let Some(first) = digits.first() else {
        return Err(Error::Public("a number of no digits".into()).into());
    };
    for digit in digits {
        let [_, b1, b2, b3, high @ ..] = digit;
        let mut zero = xor_constant(b, high, &bytes_to_bits(&[3])[..4])?;
        // Above nine: eight, and two or four.
        let some = or(b, core::slice::from_ref(b1), core::slice::from_ref(b2))?;
        zero.extend(b.mul_many(&some, core::slice::from_ref(b3))?);
        b.assert_zero(&zero)?;
    }
    if digits.len() > 1 {
        let any = any_one(b, &first[..4])?;
        let none = not(b, &any);
        b.assert_zero(&[none])?;
    }
    Ok(())
}

/// Claims that the bytes are at most 19 digits of a number; its bits, lowest first.
pub(super) fn number<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    json_number(b, bits)?;
    let zero = b.constant(F2::new(false));
    let mut number = vec![zero.clone(); NUMBER_BITS];
    let shifted = |number: &[B::Wire], distance: usize| {
        let mut shifted = vec![zero.clone(); distance];
        shifted.extend_from_slice(&number[..NUMBER_BITS - distance]);
        shifted
    };
    for digit in bytes(bits) {
        // At most 19 digits, so nothing is shifted out.
        let ten = add(b, &shifted(&number, 3), &shifted(&number, 1))?;
        let mut wide = digit[..4].to_vec();
        wide.resize(NUMBER_BITS, zero.clone());
        number = add(b, &ten, &wide)?;
    }
    Ok(number)
}

/// Claims that the digits are those of a number from `least` to `greatest`.
pub(super) fn between<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    least: u64,
    greatest: u64,
) -> Result<(), B::Error> {
    let number = number(b, bits)?;
    let (least, greatest) = (constant(b, least, NUMBER_BITS), constant(b, greatest, NUMBER_BITS));
    let outside = [less_than(b, &number, &least)?, less_than(b, &greatest, &number)?];
    b.assert_zero(&outside)
}

/// Claims that the bytes are `text`; free.
pub(super) fn equals<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    text: &[u8],
) -> Result<(), B::Error> {
    let differences = xor_constant(b, bits, &bytes_to_bits(text))?;
    b.assert_zero(&differences)
}

/// Claims that `text` stands somewhere in the bytes; `8 * text` ANDs for each place.
pub(super) fn contains<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    text: &[u8],
) -> Result<(), B::Error> {
    let text: Vec<_> = bytes_to_bits(text).into_iter().map(|bit| b.constant(bit)).collect();
    let mut found = Vec::new();
    for place in bits.windows(text.len()).step_by(8) {
        found.push(equal(b, place, &text)?);
    }
    let found = any_one(b, &found)?;
    let absent = not(b, &found);
    b.assert_zero(&[absent])
}
