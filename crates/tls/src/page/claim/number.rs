//! Decimal numbers in hidden strings: recognising them, and the intervals with which they are compared.
//!
//! An [automaton](super::automaton) reads the grammar of RFC 8259, section 6: a sign, digits without leading
//! zeros, a point and digits, an exponent. The positions of the sign, the point and the exponent stay hidden.
//! The module `magnitude` compares what is written.

use core::fmt;

use volery_circuit::gadgets::{any_one, not};
use volery_circuit::{Error, Prove};
use volery_field::F2;

use super::automaton::{Automaton, State};
use super::byte::Byte;
use super::cannot_hold;
use super::magnitude::Magnitude;
use crate::page::http::json::Decimal;

/// An end of an [`Interval`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bound {
    /// The end's value.
    pub number: Decimal,
    /// Whether the value itself is outside.
    pub open: bool,
}

/// Numbers between two bounds, or on one side of one bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The lower end, or `None` if there is none.
    pub least: Option<Bound>,
    /// The upper end, or `None` if there is none.
    pub greatest: Option<Bound>,
}

impl Bound {
    fn closed(number: impl Into<Decimal>) -> Self {
        Self { number: number.into(), open: false }
    }

    fn open(number: impl Into<Decimal>) -> Self {
        Self { number: number.into(), open: true }
    }
}

impl Interval {
    /// From one number to another, both included.
    #[must_use]
    pub fn between(least: impl Into<Decimal>, greatest: impl Into<Decimal>) -> Self {
        Self { least: Some(Bound::closed(least)), greatest: Some(Bound::closed(greatest)) }
    }

    /// All numbers from this one on.
    #[must_use]
    pub fn at_least(number: impl Into<Decimal>) -> Self {
        Self { least: Some(Bound::closed(number)), greatest: None }
    }

    /// All numbers up to this one.
    #[must_use]
    pub fn at_most(number: impl Into<Decimal>) -> Self {
        Self { least: None, greatest: Some(Bound::closed(number)) }
    }

    /// All greater numbers.
    #[must_use]
    pub fn above(number: impl Into<Decimal>) -> Self {
        Self { least: Some(Bound::open(number)), greatest: None }
    }

    /// All lesser numbers.
    #[must_use]
    pub fn below(number: impl Into<Decimal>) -> Self {
        Self { least: None, greatest: Some(Bound::open(number)) }
    }

    /// Whether it contains no number.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { least: Some(least), greatest: Some(greatest) } = self else { return false };
        let touch = least.number == greatest.number && (least.open || greatest.open);
        least.number > greatest.number || touch
    }
}

/// As in `from 5 to 9.5`, `of at least 5 and less than 9`.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let least = |bound: &Bound| {
            format!("{} {}", if bound.open { "greater than" } else { "of at least" }, bound.number)
        };
        let greatest = |bound: &Bound| {
            format!("{} {}", if bound.open { "less than" } else { "of at most" }, bound.number)
        };
        match (&self.least, &self.greatest) {
            (None, None) => f.write_str("of any value"),
            (Some(one), None) => f.write_str(&least(one)),
            (None, Some(one)) => f.write_str(&greatest(one)),
            (Some(Bound { number: from, open: false }), Some(Bound { number: to, open: false })) => {
                write!(f, "from {from} to {to}")
            }
            (Some(one), Some(other)) => write!(f, "{} and {}", least(one), greatest(other)),
        }
    }
}

/// The grammar of a number. Its states: at the beginning; after the sign; after a zero; within digits; after
/// the point; within the digits after it; after `e`; after the exponent's sign; within its digits.
fn grammar() -> Result<Automaton, Error> {
    let mut states = vec![State { accepts: false, next: [None; 256] }; 9];
    for state in [2, 3, 5, 8] {
        states[state].accepts = true;
    }
    let ways: [(&[usize], &[u8], u8); 9] = [
        (&[0], b"-", 1),
        (&[0, 1], b"0", 2),
        (&[0, 1], b"123456789", 3),
        (&[3], b"0123456789", 3),
        (&[2, 3], b".", 4),
        (&[4, 5], b"0123456789", 5),
        (&[2, 3, 5], b"eE", 6),
        (&[6], b"+-", 7),
        (&[6, 7, 8], b"0123456789", 8),
    ];
    for (from, bytes, to) in ways {
        for (state, byte) in from.iter().flat_map(|state| bytes.iter().map(move |byte| (*state, *byte))) {
            states[state].next[usize::from(byte)] = Some(to);
        }
    }
    Automaton::new(&states)
}

/// Claims that the bytes are a number as JSON writes it.
pub(super) fn number<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<(), B::Error> {
    grammar()?.assert(b, &mut Byte::all(bits))
}

/// Claims that the bytes are a number that lies in this interval.
///
/// # Errors
/// As [`Magnitude::new`] and [`Magnitude::is_above`].
pub(super) fn within<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    interval: &Interval,
) -> Result<(), B::Error> {
    let mut bytes = Byte::all(bits);
    grammar()?.assert(b, &mut bytes)?;
    if interval.least.is_none() && interval.greatest.is_none() {
        return Ok(());
    }
    let mut x = Magnitude::new(b, bytes)?;
    if let Some(Bound { number, open }) = &interval.least {
        let inside = x.is_above(b, number, *open)?;
        let outside = not(b, &inside);
        b.assert_zero(&[outside])?;
    }
    if let Some(Bound { number, open }) = &interval.greatest {
        let outside = x.is_above(b, number, !*open)?;
        b.assert_zero(&[outside])?;
    }
    Ok(())
}

/// The number that a text is.
pub(super) fn decimal(text: &[u8]) -> Option<Decimal> {
    core::str::from_utf8(text).ok()?.parse().ok()
}

/// Whether two texts are numbers with the same value, such as `1500` and `1.5e3`.
pub(crate) fn same_number(a: &[u8], b: &[u8]) -> bool {
    decimal(a).zip(decimal(b)).is_some_and(|(a, b)| a == b)
}

/// Claims that the bytes are a number with another value than this one.
///
/// # Errors
/// As [`within`].
pub(super) fn other_than<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    number: &Decimal,
) -> Result<(), B::Error> {
    let mut bytes = Byte::all(bits);
    grammar()?.assert(b, &mut bytes)?;
    let same = Magnitude::new(b, bytes)?.is(b, number)?;
    b.assert_zero(&[same])
}

/// Claims that the bytes are a number with the value of one of these texts. No number is compared with a text
/// that is no [`Decimal`].
///
/// # Errors
/// [`Error::Contradicted`] if none of the texts is a number; otherwise as [`within`].
pub(super) fn one_of<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    texts: &[Vec<u8>],
) -> Result<(), B::Error> {
    let mut numbers: Vec<Decimal> = Vec::new();
    for number in texts.iter().filter_map(|text| decimal(text)) {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    if numbers.is_empty() {
        return Err(cannot_hold(bits.len() / 8).into());
    }
    let mut bytes = Byte::all(bits);
    grammar()?.assert(b, &mut bytes)?;
    let mut x = Magnitude::new(b, bytes)?;
    let found = numbers.iter().map(|number| x.is(b, number)).collect::<Result<Vec<_>, _>>()?;
    let found = any_one(b, &found)?;
    let none = not(b, &found);
    b.assert_zero(&[none])
}
