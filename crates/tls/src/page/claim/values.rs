//! Several values of a JSON text hidden as one string: the text between them is known, their lengths are not.
//!
//! ```text
//! string  =  value 0 | between 0 | value 1 | between 1 | ... | last value          value = string, number or word
//! ```
//!
//! An [automaton](super::automaton) reads one value. Where one may have ended, the text after it begins:
//! after the quotation mark or the last letter, and after a number before the first byte that cannot continue
//! it. (What comes after a value of JSON cannot continue a number.) So each string is divided in one way, or
//! in none. Let `begins[j][p]` be whether text `j` begins at byte `p`. Then for each byte
//!
//! ```text
//! ended[p]     =  the automaton has read a whole value before p
//! begins[j][p] =  ended[p] * in value j
//! 0            =  the sum over j and i of begins[j][p - i] * (byte p - byte i of text j)                for each bit
//! ```
//!
//! and value `j + 1` begins where text `j` has ended. At most one `begins[j][p - i]` is 1, so the last line
//! takes eight ANDs a byte, whatever the texts: the sums of `begins` over all places with an equal byte are
//! free. All of this takes about 90 ANDs a byte, and one for each value.
//!
//! The string's length is public. So text `j` begins at one of `1 + length - least` places, where `least` is
//! the length with values of one byte; there are no wires for others.
//!
//! # The values themselves
//!
//! [`split_values`] also returns each value, at a known place: its bytes, then 0x80, then zeros, `2 + length
//! - least` bytes in all, whatever the value's length. A value is masked where it lies, which takes eight
//! ANDs for each place where it may lie, and then moved to the front by the bits of its offset. These are
//! sums of `begins`, so they are free, and moving takes eight ANDs for each byte and bit.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use volery_circuit::gadgets::not;
use volery_circuit::{Error, Prove, Recorded, Recorder};
use volery_field::F2;

use super::automaton::Automaton;
use super::byte::{Byte, ByteSet, plus};
use super::{Claim, Class, cannot_hold, pattern};

/// A string as [`json_text`](super::circuits::json_text) has it inside, a word, or a number.
const VALUE: &str =
    r#"(?s-u)"([^"\\\x00-\x1f]|\\[^\x00-\x1f])*"|true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?"#;

/// The automaton of one value.
static READER: LazyLock<Result<Automaton, Error>> = LazyLock::new(|| pattern::automaton(VALUE));

/// A text between two values, and the places where it may begin.
struct Between<'a, W> {
    text: &'a [u8],
    /// The first such place.
    first: usize,
    /// Whether it begins there, and at each place after it.
    begins: Vec<W>,
}

impl<W: Clone> Between<'_, W> {
    /// Whether it begins at this place, if it may.
    fn begins_at(&self, place: usize) -> Option<&W> {
        self.begins.get(place.checked_sub(self.first)?)
    }

    /// Whether it has ended just before this place.
    fn ends_at(&self, place: usize) -> Option<&W> {
        self.begins_at(place.checked_sub(self.text.len())?)
    }

    /// Its bytes that may be at this place, each with whether it is.
    fn at(&self, place: usize) -> impl Iterator<Item = (u8, &W)> {
        let bytes = self.text.iter().enumerate();
        bytes.filter_map(move |(i, byte)| Some((*byte, self.begins_at(place.checked_sub(i)?)?)))
    }
}

/// Claims that the bytes are values with these texts between them.
///
/// # Errors
/// [`Error::Contradicted`] if the string is too short; the backend's.
pub(crate) fn assert_values<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    between: &[&[u8]],
) -> Result<(), B::Error> {
    read_values(b, bits, between, None).map(drop)
}

/// As [`assert_values`]. Returns the bits of each value, then 0x80, then zeros: see [`room`].
///
/// # Errors
/// As there.
pub(crate) fn split_values<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    between: &[&[u8]],
) -> Result<Vec<Vec<B::Wire>>, B::Error> {
    let room = room(bits.len() / 8, between.iter().map(|text| text.len()));
    let room = room.ok_or_else(|| cannot_hold(bits.len() / 8))?;
    let mut places = vec![Vec::new(); between.len() + 1];
    let texts = read_values(b, bits, between, Some(&mut places))?;
    let mut values = Vec::with_capacity(places.len());
    for (number, mut value) in places.into_iter().enumerate() {
        // Text `number` begins where the value ends, and the last value ends with the string.
        let ends = texts.get(number).map(|text| &*text.begins);
        terminate(b, &mut value, ends, room);
        if let Some(before) = number.checked_sub(1).and_then(|before| texts.get(before)) {
            move_to_front(b, &mut value, &before.begins)?;
        }
        values.push(value.concat());
    }
    Ok(values)
}

/// The number of bytes that a value of a string of this length takes up when it is split off, so the length
/// of the longest possible value, and one more. `None` if the string is too short for its texts, which have
/// these lengths.
pub(crate) fn room(length: usize, between: impl Iterator<Item = usize>) -> Option<usize> {
    length.checked_sub(least(between))?.checked_add(2)
}

/// The length of a string with values of one byte and texts of these lengths between them.
fn least(between: impl Iterator<Item = usize>) -> usize {
    between.fold(1, |sum: usize, text| sum.saturating_add(text).saturating_add(1))
}

/// The claim of [`split_values`], to be counted.
pub(crate) struct SplitValues<'a>(pub(crate) &'a [String]);

impl SplitValues<'_> {
    /// The values, as recorded wires.
    pub(crate) fn split(
        &self,
        recorder: &mut Recorder<F2>,
        bytes: &[Recorded],
    ) -> Result<Vec<Vec<Recorded>>, Error> {
        let between: Vec<&[u8]> = self.0.iter().map(String::as_bytes).collect();
        split_values(recorder, bytes, &between)
    }
}

impl Claim for SplitValues<'_> {
    fn assert(&self, recorder: &mut Recorder<F2>, _: Class, bytes: &[Recorded]) -> Result<(), Error> {
        self.split(recorder, bytes).map(drop)
    }
}

/// Puts 0x80 after a value that lies within these bytes, which are zero where it does not, and zeros up to
/// `room` bytes. `ends[i]` says whether it has ended before byte `i + 1`; without it the value ends with the
/// bytes.
fn terminate<B: Prove<F2> + ?Sized>(
    b: &mut B,
    value: &mut Vec<[B::Wire; 8]>,
    ends: Option<&[B::Wire]>,
    room: usize,
) {
    let zero = b.constant(F2::ZERO);
    value.resize(room, core::array::from_fn(|_| zero.clone()));
    match ends {
        Some(ends) => {
            for (byte, ends) in value.iter_mut().skip(1).zip(ends) {
                byte[7] = b.add(&byte[7], ends);
            }
        }
        None => {
            if let Some(last) = value.last_mut() {
                last[7] = b.constant(F2::ONE);
            }
        }
    }
}

/// Moves bytes to the front by an offset, `begins[i]` being whether it is `i`. Those before it must be zero.
fn move_to_front<B: Prove<F2> + ?Sized>(
    b: &mut B,
    value: &mut [[B::Wire; 8]],
    begins: &[B::Wire],
) -> Result<(), B::Error> {
    let mut distance = 1;
    while distance < begins.len() {
        let with = begins.iter().enumerate().filter(|(offset, _)| offset & distance != 0);
        let bit = with.fold(None, |sum, (_, wire)| Some(plus(b, sum, wire.clone())));
        let bit = bit.unwrap_or_else(|| b.constant(F2::ZERO));
        let mut differences = Vec::with_capacity(8 * value.len());
        for (at, byte) in value.iter().enumerate() {
            let other = value.get(at.saturating_add(distance));
            for (place, own) in byte.iter().enumerate() {
                differences.push(match other.and_then(|other| other.get(place)) {
                    Some(other) => b.add(own, other),
                    None => own.clone(),
                });
            }
        }
        let moved = b.mul_many(&vec![bit; differences.len()], &differences)?;
        for (own, change) in value.as_flattened_mut().iter_mut().zip(&moved) {
            *own = b.add(own, change);
        }
        distance <<= 1;
    }
    Ok(())
}

/// Claims that the bytes are values with these texts between them. `values`, if given, gets for each value
/// the bytes of all places where it may lie, those that are not its own as zeros. Returns the texts.
fn read_values<'a, B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    between: &[&'a [u8]],
    mut values: Option<&mut [Vec<[B::Wire; 8]>]>,
) -> Result<Vec<Between<'a, B::Wire>>, B::Error> {
    let length = bits.len() / 8;
    let least = least(between.iter().map(|text| text.len()));
    let Some(slack) = length.checked_sub(least) else { return Err(cannot_hold(length).into()) };
    let reader = READER.as_ref().map_err(Clone::clone)?;
    let number = ByteSet::of(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    let (mut texts, mut first) = (Vec::new(), 0);
    for text in between {
        first += 1;
        texts.push(Between { text, first, begins: Vec::new() });
        first += text.len();
    }
    let mut inside: Vec<Option<B::Wire>> = vec![None; between.len() + 1];
    let mut states = reader.nowhere();
    let mut start = Some(b.constant(F2::ONE));
    inside.first_mut().into_iter().for_each(|inside| *inside = start.clone());
    for (place, mut byte) in Byte::all(bits).into_iter().enumerate() {
        reader.begin(b, &mut states, start.take());
        let [whole, open] = reader.accepted(b, &states);
        let continues = byte.is_in(b, &number)?;
        let other = not(b, &continues);
        let over = b.mul(&open, &other)?;
        let ended = b.add(&whole, &over);
        for (text, inside) in texts.iter_mut().zip(&mut inside) {
            if !(text.first..=text.first + slack).contains(&place) {
                continue;
            }
            let begins = match &inside {
                Some(value) => b.mul(value, &ended)?,
                None => b.constant(F2::ZERO),
            };
            *inside = inside.take().map(|value| b.add(&value, &begins));
            text.begins.push(begins);
        }
        assert_text(b, &byte, &texts, place)?;
        if let Some(values) = values.as_deref_mut() {
            take_bytes(b, &byte, (place, slack), &texts, inside.iter().zip(values))?;
        }
        states = reader.advance(b, &mut byte, states)?;
        for (text, inside) in texts.iter().zip(inside.iter_mut().skip(1)) {
            let Some(ends) = text.ends_at(place + 1) else { continue };
            *inside = Some(plus(b, inside.take(), ends.clone()));
            start = Some(plus(b, start.take(), ends.clone()));
        }
    }
    let [whole, open] = reader.accepted(b, &states);
    let ended = b.add(&whole, &open);
    let last = inside.pop().flatten().unwrap_or_else(|| b.constant(F2::ZERO));
    let sound = b.mul(&ended, &last)?;
    let unsound = not(b, &sound);
    b.assert_zero(&[unsound])?;
    Ok(texts)
}

/// Appends a byte to the values that may have it, or zero to those that do not.
fn take_bytes<'v, B: Prove<F2> + ?Sized>(
    b: &mut B,
    byte: &Byte<'_, B::Wire>,
    (place, slack): (usize, usize),
    texts: &[Between<'_, B::Wire>],
    values: impl Iterator<Item = (&'v Option<B::Wire>, &'v mut Vec<[B::Wire; 8]>)>,
) -> Result<(), B::Error>
where
    B::Wire: 'v,
{
    // A value begins where the text before it may end.
    let firsts = core::iter::once(0).chain(texts.iter().map(|text| text.first + text.text.len()));
    for (first, (inside, value)) in firsts.zip(values) {
        if !(first..=first + slack).contains(&place) {
            continue;
        }
        let bits = match inside {
            Some(inside) => b.mul_many(byte.bits(), &vec![inside.clone(); 8])?,
            None => vec![b.constant(F2::ZERO); 8],
        };
        let bits = <[B::Wire; 8]>::try_from(bits);
        value.push(bits.map_err(|_| Error::misuse("eight products are not eight"))?);
    }
    Ok(())
}

/// Claims that a byte is the one of the text that it is in, if it is in one.
fn assert_text<B: Prove<F2> + ?Sized>(
    b: &mut B,
    byte: &Byte<'_, B::Wire>,
    texts: &[Between<'_, B::Wire>],
    place: usize,
) -> Result<(), B::Error> {
    let mut expected: BTreeMap<u8, B::Wire> = BTreeMap::new();
    for (value, wire) in texts.iter().flat_map(|text| text.at(place)) {
        let sum = plus(b, expected.remove(&value), wire.clone());
        expected.insert(value, sum);
    }
    let mut sum = |bit: Option<usize>| {
        let bytes = expected.iter().filter(|(value, _)| bit.is_none_or(|bit| *value >> bit & 1 == 1));
        bytes.fold(None, |sum, (_, wire)| Some(plus(b, sum, wire.clone())))
    };
    let Some(here) = sum(None) else { return Ok(()) };
    let wanted: Vec<_> = (0..8).map(|bit| sum(Some(bit))).collect();
    let found = b.mul_many(byte.bits(), &vec![here; 8])?;
    let mut differences = Vec::new();
    for (found, wanted) in found.into_iter().zip(wanted) {
        differences.push(plus(b, wanted, found));
    }
    b.assert_zero(&differences)
}
