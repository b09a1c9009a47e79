//! Small circuits of classes and assertions, over any backend that proves statements about bits.

use volery_circuit::gadgets::{add, bytes_to_bits};
use volery_circuit::gadgets::{all_ones, any_one, equal, not, or, xor_constant};
use volery_circuit::{Error, Prove};
use volery_field::F2;

use super::byte::{Byte, ByteSet};
use super::cannot_hold;

/// The most digits of a number that is committed to as a number.
pub const MAX_DIGITS: usize = 19;
/// Width of [`integer`]s: any 19 digits are below 2^64.
pub(crate) const INTEGER_BITS: usize = 64;

/// The wires of each byte.
fn bytes<W>(bits: &[W]) -> &[[W; 8]] {
    bits.as_chunks().0
}

/// Whether a byte is `value`; seven ANDs.
fn is<B: Prove<F2> + ?Sized>(b: &mut B, byte: &[B::Wire; 8], value: u8) -> Result<B::Wire, B::Error> {
    let same = xor_constant(b, byte, &bytes_to_bits(&[!value]))?;
    all_ones(b, &same)
}

/// Claims that all bytes can be in a header field's value: no byte below 32 except tabs, and not 127. The
/// first and the last are neither tabs nor blanks, which belong to the space around a value (RFC 9110,
/// section 5.5): with a blank before it, a hidden `A` would be a text other than `A`.
pub(super) fn header_value<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<(), B::Error> {
    let bytes = bytes(bits);
    for byte in [bytes.first(), bytes.last()].into_iter().flatten() {
        let space = [is(b, byte, b' ')?, is(b, byte, b'\t')?];
        b.assert_zero(&space)?;
    }
    for byte in bytes {
        let delete = is(b, byte, 0x7f)?;
        let control = control(b, byte)?;
        let low = xor_constant(b, &byte[..5], &bytes_to_bits(&[!b'\t'])[..5])?;
        let tab = all_ones(b, &low)?;
        let no_tab = not(b, &tab);
        let refused = b.mul(&control, &no_tab)?;
        b.assert_zero(&[delete, refused])?;
    }
    Ok(())
}

/// Claims that all bytes are from 33 to 126 and none of them is in `delimiters`.
pub(super) fn target<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    delimiters: &[u8],
) -> Result<(), B::Error> {
    let refused = outside(delimiters);
    for mut byte in Byte::all(bits) {
        let refused = byte.is_in(b, &refused)?;
        b.assert_zero(&[refused])?;
    }
    Ok(())
}

/// The bytes that are not from 33 to 126, and these.
fn outside(delimiters: &[u8]) -> ByteSet {
    ByteSet::of(|byte| !byte.is_ascii_graphic() || delimiters.contains(&byte))
}

/// Claims that all bytes can be in the value of a query's parameter: as [`target`], and no `]=`, whether the
/// bracket is written so or as `%5D`. Some servers look for that before they look for an equals sign alone.
pub(super) fn parameter<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<(), B::Error> {
    let delimiters = outside(b"#&;");
    let sets = [&b"%"[..], b"5", b"Dd", b"]", b"="].map(|set| ByteSet::of(|byte| set.contains(&byte)));
    let [percent, five, d, bracket, equals] = sets;
    // Whether the bytes so far end with `%`, with `%5`, and with one of the brackets.
    let zero = b.constant(F2::ZERO);
    let mut ends = [zero.clone(), zero.clone(), zero];
    for mut byte in Byte::all(bits) {
        let delimiter = byte.is_in(b, &delimiters)?;
        let [first, second, closed] = ends;
        let (is_five, is_d, is_equals) = (byte.is_in(b, &five)?, byte.is_in(b, &d)?, byte.is_in(b, &equals)?);
        let products = b.mul_many(&[is_five, is_d, is_equals], &[first, second, closed])?;
        let [second, encoded, refused] =
            <[_; 3]>::try_from(products).map_err(|_| Error::misuse("three products are not three"))?;
        b.assert_zero(&[delimiter, refused])?;
        // The byte is not both.
        let bracket = byte.is_in(b, &bracket)?;
        ends = [byte.is_in(b, &percent)?, second, b.add(&bracket, &encoded)];
    }
    Ok(())
}

/// Whether a byte is below 32: its three highest bits are zero.
fn control<B: Prove<F2> + ?Sized>(b: &mut B, byte: &[B::Wire; 8]) -> Result<B::Wire, B::Error> {
    let high = any_one(b, &byte[5..])?;
    Ok(not(b, &high))
}

/// Claims that a JSON string with these bytes inside ends exactly after them (RFC 8259, section 7).
///
/// `open` says whether the bytes so far end within an escape: after a `\` that is not itself escaped. A
/// quotation mark anywhere else would end the string. In valid JSON, hexadecimal digits follow `\u`; in
/// invalid JSON, nothing there could end the string.
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

/// Claims that the bytes are digits, at least one, without leading zeros.
pub(super) fn digits<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<(), B::Error> {
    let digits = bytes(bits);
    let Some(first) = digits.first() else {
        return Err(Error::Public("a number of no digits".into()).into());
    };
    for digit in digits {
        let [_, b1, b2, b3, high @ ..] = digit;
        let mut zero = xor_constant(b, high, &bytes_to_bits(&[3])[..4])?;
        // Above nine: the bit of eight is set, and that of two or four.
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

/// Claims that the bytes are at most [`MAX_DIGITS`] digits of a number, without leading zeros. Returns the
/// number's bits, lowest first.
pub(super) fn integer<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    digits(b, bits)?;
    let zero = b.constant(F2::new(false));
    let mut integer = vec![zero.clone(); INTEGER_BITS];
    let shifted = |integer: &[B::Wire], distance: usize| {
        let kept = integer.iter().take(INTEGER_BITS - distance);
        core::iter::repeat_n(&zero, distance).chain(kept).cloned().collect::<Vec<_>>()
    };
    for digit in bytes(bits) {
        // At most 19 digits, so nothing is shifted out.
        let ten = add(b, &shifted(&integer, 3), &shifted(&integer, 1))?;
        let mut wide = digit[..4].to_vec();
        wide.resize(INTEGER_BITS, zero.clone());
        integer = add(b, &ten, &wide)?;
    }
    Ok(integer)
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

/// Claims that the bytes are one of these texts; 8 ANDs a byte for each text of this length, or none if there
/// is one.
///
/// # Errors
/// [`Error::Contradicted`] if no text has this length; the backend's.
pub(super) fn one_of<'a, B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    texts: impl IntoIterator<Item = &'a [u8]>,
) -> Result<(), B::Error> {
    let length = bits.len() / 8;
    let texts: Vec<&[u8]> = texts.into_iter().filter(|text| text.len() == length).collect();
    match &*texts {
        [] => Err(cannot_hold(length).into()),
        [text] => equals(b, bits, text),
        _ => {
            let mut found = Vec::new();
            for text in texts {
                found.push(is_text(b, bits, text)?);
            }
            let found = any_one(b, &found)?;
            let none = not(b, &found);
            b.assert_zero(&[none])
        }
    }
}

/// Claims that the bytes are another text of the same length.
pub(super) fn differs<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    text: &[u8],
) -> Result<(), B::Error> {
    let same = is_text(b, bits, text)?;
    b.assert_zero(&[same])
}

/// Whether the bytes are a text of the same length.
fn is_text<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire], text: &[u8]) -> Result<B::Wire, B::Error> {
    let differences = xor_constant(b, bits, &bytes_to_bits(text))?;
    let differs = any_one(b, &differences)?;
    Ok(not(b, &differs))
}

/// Claims that `text` is somewhere in the bytes; `8 * text` ANDs for each position. If `whole` is set, the
/// bytes are the inside of a JSON string, and the text begins where a character does.
pub(super) fn contains<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    text: &[u8],
    whole: bool,
) -> Result<(), B::Error> {
    let text: Vec<_> = bytes_to_bits(text).into_iter().map(|bit| b.constant(bit)).collect();
    let mut found = Vec::new();
    for place in bits.windows(text.len()).step_by(8) {
        found.push(equal(b, place, &text)?);
    }
    if whole {
        let mut starts = boundaries(b, bits)?;
        starts.truncate(found.len());
        found = b.mul_many(&found, &starts)?;
    }
    let found = any_one(b, &found)?;
    let absent = not(b, &found);
    b.assert_zero(&[absent])
}

/// Claims that a character begins after these bytes of the inside of a JSON string.
pub(super) fn assert_boundary<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<(), B::Error> {
    let Some(starts) = boundaries(b, bits)?.pop() else { return Ok(()) };
    let inside = not(b, &starts);
    b.assert_zero(&[inside])
}

/// For the inside of a JSON string: whether a character begins, at each byte and after the last. An escape is
/// one character, so neither the byte after its `\` nor the four digits after a `u` begin one.
pub(super) fn boundaries<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    let mut open = b.constant(F2::ZERO);
    // Whether the `u` of an escape is 1, 2, 3 or 4 bytes before.
    let mut unicode = [const { None }; 4];
    let mut starts = vec![b.constant(F2::ONE)];
    for byte in bytes(bits) {
        let candidates = [is(b, byte, b'\\')?, is(b, byte, b'u')?];
        let closed = not(b, &open);
        let next = b.mul_many(&candidates, &[closed, open])?;
        let [escape, u] = <[_; 2]>::try_from(next).map_err(|_| Error::misuse("two products are not two"))?;
        unicode.rotate_right(1);
        unicode[0] = Some(u);
        open = escape;
        let inside: Vec<_> = unicode.iter().flatten().chain([&open]).cloned().collect();
        let inside = any_one(b, &inside)?;
        starts.push(not(b, &inside));
    }
    Ok(starts)
}
