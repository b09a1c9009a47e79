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

use std::collections::BTreeMap;
use std::sync::LazyLock;

use volery_circuit::gadgets::not;
use volery_circuit::{Error, Prove};
use volery_field::F2;

use super::automaton::Automaton;
use super::byte::{Byte, ByteSet, plus};
use super::{cannot_hold, pattern};

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
    let length = bits.len() / 8;
    let least = between.iter().fold(1, |sum: usize, text| sum.saturating_add(text.len()).saturating_add(1));
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
    b.assert_zero(&[unsound])
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
