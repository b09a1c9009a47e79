//! The number of characters of a hidden text.
//!
//! In the inside of a JSON string an escape is one character, and so is a pair of `\\u` escapes that stands
//! for one (RFC 8259, section 7). A half of a pair without the other is a character, as most readers see it.
//! Of any other text, and between escapes, a character is counted at its first byte: all bytes of UTF-8 but
//! those from 128 to 191. In text that is not UTF-8, or has escapes that JSON does not have, the number has
//! no meaning, but it is still a number.

use core::ops::RangeInclusive;

use volery_circuit::gadgets::{add_with_carry, all_ones, constant, less_than, not};
use volery_circuit::{Error, Prove};
use volery_field::F2;

use super::byte::{Byte, ByteSet};
use super::{Class, cannot_hold, circuits};

/// The most bytes of a character of a JSON string: two escapes `\\u`.
const LONGEST: usize = 2 * ESCAPE;
/// The bytes of an escape `\\u`.
const ESCAPE: usize = 6;

/// Claims that the text has this many characters.
///
/// # Errors
/// [`Error::Contradicted`] if no text of this length does; the backend's.
pub(super) fn within<B: Prove<F2> + ?Sized>(
    b: &mut B,
    class: Class,
    bits: &[B::Wire],
    expected: &RangeInclusive<usize>,
) -> Result<(), B::Error> {
    let length = bits.len() / 8;
    if *expected.start() > length || *expected.end() < length.div_ceil(LONGEST) {
        return Err(cannot_hold(length).into());
    }
    let mut counted = starts(b, bits)?;
    if class == Class::JsonText {
        counted = in_json(b, bits, &counted)?;
    }
    let count = count(b, counted.into_iter().map(|wire| vec![wire]).collect())?;
    let mut outside = Vec::new();
    // Neither of the bounds that are compared exceeds the length.
    if *expected.start() > 0 {
        let least = constant(b, *expected.start() as u64, count.len());
        outside.push(less_than(b, &count, &least)?);
    }
    if *expected.end() < length {
        let most = constant(b, *expected.end() as u64, count.len());
        outside.push(less_than(b, &most, &count)?);
    }
    b.assert_zero(&outside)
}

/// Of each byte, whether it is the first of a character of UTF-8.
fn starts<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<Vec<B::Wire>, B::Error> {
    let mut starts = Vec::new();
    for byte in bits.as_chunks::<8>().0 {
        let [.., low, high] = byte;
        let low = not(b, low);
        let later = b.mul(high, &low)?;
        starts.push(not(b, &later));
    }
    Ok(starts)
}

/// Of each byte, whether it is the first of a character of a JSON string, given those of UTF-8.
fn in_json<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    starts: &[B::Wire],
) -> Result<Vec<B::Wire>, B::Error> {
    // Halves of a pair begin with these; then comes 8, 9, A or B in the first one, C to F in the second.
    let start = [ByteSet::one(b'\\'), ByteSet::one(b'u'), ByteSet::of(|byte| matches!(byte, b'd' | b'D'))];
    let [first, second] =
        [&b"89abAB"[..], b"cdefCDEF"].map(|digits| ByteSet::of(|byte| digits.contains(&byte)));
    let mut bytes = Byte::all(bits);
    let boundaries = circuits::boundaries(b, bits)?;
    // Of each byte, whether a first half begins there.
    let mut halves = Vec::new();
    let mut counted = Vec::new();
    for (place, (boundary, begins)) in boundaries.iter().zip(starts).enumerate() {
        let [mut here, mut half] = [begins.clone(), b.constant(F2::ZERO)];
        if let Some([head @ .., digit]) = bytes.get_mut(place..place + 4) {
            let is = head.iter_mut().zip(&start).map(|(byte, set)| byte.is_in(b, set));
            let is = is.collect::<Result<Vec<_>, _>>()?;
            let is = all_ones(b, &is)?;
            let digits = [digit.is_in(b, &first)?, digit.is_in(b, &second)?];
            let [high, low] = <[_; 2]>::try_from(b.mul_many(&digits, &[is.clone(), is])?)
                .map_err(|_| Error::misuse("two products are not two"))?;
            half = b.mul(boundary, &high)?;
            if let Some(before) = place.checked_sub(ESCAPE).and_then(|before| halves.get(before)) {
                // A backslash begins a character of UTF-8, so this is 1 at most.
                let pair = b.mul(before, &low)?;
                here = b.add(&here, &pair);
            }
        }
        halves.push(half);
        counted.push(b.mul(boundary, &here)?);
    }
    Ok(counted)
}

/// The sum of numbers of one width, in full.
fn count<B: Prove<F2> + ?Sized>(b: &mut B, mut numbers: Vec<Vec<B::Wire>>) -> Result<Vec<B::Wire>, B::Error> {
    while numbers.len() > 1 {
        let zero = b.constant(F2::ZERO);
        let mut sums = Vec::with_capacity(numbers.len().div_ceil(2));
        for pair in numbers.chunks(2) {
            sums.push(match pair {
                [x, y] => {
                    let (mut sum, carry) = add_with_carry(b, x, y)?;
                    sum.push(carry);
                    sum
                }
                [x] => x.iter().cloned().chain([zero.clone()]).collect(),
                _ => Vec::new(),
            });
        }
        numbers = sums;
    }
    Ok(numbers.pop().unwrap_or_default())
}
