//! Decimal numbers in hidden strings: recognising them, and comparing them with public ones.
//!
//! # Grammar
//!
//! An [automaton](super::automaton) reads RFC 8259, section 6: a sign, digits without leading zeros, a point
//! and digits, an exponent. The positions of the sign, the point and the exponent stay hidden.
//!
//! # Comparison
//!
//! Numbers without exponent are compared exactly as they are written, whatever their length. Let `p` be the
//! number of digits before the hidden number's point, and `k` that of the bound `c >= 0`. First digits are
//! not zero unless they are the only ones before the point, so
//!
//! ```text
//! p > k: |x| > c          p < k: |x| < c          p = k: digit by digit, from the first that differs
//! ```
//!
//! Digits matter only in the last case, in which the point is at the same position as in the bound. So digits
//! are compared at public positions. The sign shifts them by one. A bound only needs the digits of one sign:
//!
//! ```text
//! x >= c   is   x >= 0 and |x| >= c       for c > 0
//!               x >= 0 or not |x| > |c|   for c <= 0
//! ```
//!
//! and the same for `x > c`; `x <= c` is `not x > c`. All of this takes about 27 ANDs for each byte, most of
//! them products that classify the byte.

use core::fmt;

use volery_circuit::gadgets::not;
use volery_circuit::{Error, Prove};
use volery_field::F2;

use super::automaton::{Automaton, State};
use super::byte::{Byte, ByteSet, plus};
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
            (None, None) => f.write_str("without exponent"),
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
fn grammar(exponents: bool) -> Result<Automaton, Error> {
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
    for (from, bytes, to) in ways.into_iter().filter(|(.., to)| exponents || *to < 6) {
        for (state, byte) in from.iter().flat_map(|state| bytes.iter().map(move |byte| (*state, *byte))) {
            states[state].next[usize::from(byte)] = Some(to);
        }
    }
    Automaton::new(&states)
}

/// Claims that the bytes are a number as JSON writes it.
pub(super) fn number<B: Prove<F2> + ?Sized>(b: &mut B, bits: &[B::Wire]) -> Result<(), B::Error> {
    grammar(true)?.assert(b, &mut Byte::all(bits))
}

/// Claims that the bytes are a number without exponent that lies in this interval.
pub(super) fn within<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bits: &[B::Wire],
    interval: &Interval,
) -> Result<(), B::Error> {
    let mut bytes = Byte::all(bits);
    grammar(false)?.assert(b, &mut bytes)?;
    if let Some(Bound { number, open }) = &interval.least {
        let inside = is_above(b, &mut bytes, number, *open)?;
        let outside = not(b, &inside);
        b.assert_zero(&[outside])?;
    }
    if let Some(Bound { number, open }) = &interval.greatest {
        let outside = is_above(b, &mut bytes, number, !*open)?;
        b.assert_zero(&[outside])?;
    }
    Ok(())
}

/// Whether `x > c` (`strictly`) or `x >= c`.
fn is_above<B: Prove<F2> + ?Sized>(
    b: &mut B,
    bytes: &mut [Byte<'_, B::Wire>],
    bound: &Decimal,
    strictly: bool,
) -> Result<B::Wire, B::Error> {
    let Some((sign, rest)) = bytes.split_first_mut() else { return Ok(b.constant(F2::ZERO)) };
    let negative = sign.is_in(b, &ByteSet::one(b'-'))?;
    let positive = bound.sign() > 0 || (strictly && bound.sign() == 0);
    if positive {
        let exceeds = exceeds(b, bytes, bound, strictly)?;
        let sign = not(b, &negative);
        b.mul(&sign, &exceeds)
    } else {
        let exceeds = exceeds(b, rest, bound, !strictly)?;
        let below = b.mul(&negative, &exceeds)?;
        Ok(not(b, &below))
    }
}

/// Whether `|x| > |c|` (`strictly`) or `|x| >= |c|`, where `x` is written without its sign.
fn exceeds<B: Prove<F2> + ?Sized>(
    b: &mut B,
    x: &mut [Byte<'_, B::Wire>],
    bound: &Decimal,
    strictly: bool,
) -> Result<B::Wire, B::Error> {
    let whole = usize::try_from(bound.whole_digits()).unwrap_or(usize::MAX);
    if x.len() < whole {
        return Ok(b.constant(F2::ZERO));
    }
    // There is at most one point, so the sum says whether there is one.
    let (before, point) = x.split_at_mut_checked(whole).unwrap_or_default();
    let mut earlier = b.constant(F2::ZERO);
    for byte in before {
        let is_point = byte.is_in(b, &ByteSet::one(b'.'))?;
        earlier = b.add(&earlier, &is_point);
    }
    // Whether x has as many digits before its point, or more.
    let (same, more) = match point.first_mut() {
        None => (not(b, &earlier), None),
        Some(byte) => {
            let here = byte.is_in(b, &ByteSet::one(b'.'))?;
            let at_most = b.add(&earlier, &here);
            (here, Some(not(b, &at_most)))
        }
    };
    let greater = digits_exceed(b, x, bound, whole, strictly)?;
    let greater = b.mul(&same, &greater)?;
    Ok(plus(b, more, greater))
}

/// As [`exceeds`], if both have `whole` digits before their points.
fn digits_exceed<B: Prove<F2> + ?Sized>(
    b: &mut B,
    x: &mut [Byte<'_, B::Wire>],
    bound: &Decimal,
    whole: usize,
    strictly: bool,
) -> Result<B::Wire, B::Error> {
    let digits = x.iter_mut().enumerate().filter(|(place, _)| *place != whole).map(|(_, byte)| byte);
    let digits: Vec<_> = digits.collect();
    // From the last digit on: if the digits so far are equal, the later ones decide.
    let mut greater = b.constant(F2::new(!strictly && !bound.has_digits_from(digits.len())));
    for (place, digit) in digits.into_iter().enumerate().rev() {
        let other = bound.digit(place);
        let above = digit.is_in(b, &ByteSet::of(|byte| byte & 15 > other))?;
        let equal = digit.is_in(b, &ByteSet::of(|byte| byte & 15 == other))?;
        let equal = b.mul(&equal, &greater)?;
        greater = b.add(&above, &equal);
    }
    Ok(greater)
}
